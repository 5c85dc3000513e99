"""What there is in the workspace: people, channels, files, modals. Plain state, no rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from tests.slack_server.errors import JSON
from tests.slack_server.messages import Message
from tests.slack_server.rendering import links_of, render_blocks

SITE = "https://situate.example"  # where the workspace is at home
ChannelKind = Literal["channel", "group", "im", "mpim"]


@dataclass(eq=False)
class Person:
    """Somebody (or some bot) with an account. ``guest``: "" for a full member, "multi" or "single" channel."""

    id: str
    name: str
    team: str
    locale: str = "en-US"
    guest: str = ""
    is_stranger: bool = False
    is_bot: bool = False
    deleted: bool = False
    admin: bool = False
    owner: bool = False
    bot_id: str | None = None

    @property
    def mention(self) -> str:
        """How others name this person in a message: ``<@U1>``."""
        return f"<@{self.id}>"

    def as_json(self, *, with_locale: bool = False) -> JSON:
        name = self.name.lower().replace(" ", ".")
        profile: JSON = {"real_name": self.name, "display_name": self.name, "team": self.team}
        if self.bot_id:
            profile["bot_id"] = self.bot_id
        user: JSON = {
            "id": self.id,
            "team_id": self.team,
            "name": name,
            "deleted": self.deleted,
            "profile": profile,
            "is_bot": self.is_bot,
            "is_app_user": False,
            "updated": 1700000000,
        }
        if not self.deleted:  # of whom is gone Slack tells no more
            user |= {
                "real_name": self.name,
                "tz": "Europe/Berlin",
                "is_admin": self.admin,
                "is_owner": self.owner,
                "is_primary_owner": False,
                "is_restricted": bool(self.guest),
                "is_ultra_restricted": self.guest == "single",
            }
        if self.is_stranger:
            user["is_stranger"] = True
        return user | ({"locale": self.locale} if with_locale else {})


@dataclass(eq=False)
class File:
    """A file as Slack keeps it. ``stub``: events carry only its id, ``files.info`` tells the rest (Slack Connect).
    ``submitted``: somebody put it into a form of the app's, which may read it since, though it is shared nowhere.

    ``mode``: ``hosted``, ``tombstone``, ``hidden_by_limit`` …; ``redirect``: where a download is sent on to.
    """

    id: str
    name: str
    data: bytes
    mimetype: str
    user: str
    url: str
    mode: str = "hosted"
    stub: bool = False
    size: int | None = None
    redirect: str | None = None
    deleted: bool = False
    submitted: bool = False

    def as_json(self, *, whole: bool = False) -> JSON:
        if self.deleted or self.mode == "tombstone":
            return {"id": self.id, "mode": "tombstone"}
        if self.stub and not whole:
            return {"id": self.id, "mode": "file_access", "file_access": "check_file_info", "created": 0}
        head, _, tail = self.url.rpartition("/")
        return {
            "id": self.id,
            "created": 1700000000,
            "name": self.name,
            "title": self.name,
            "mimetype": self.mimetype,
            "filetype": self.name.rpartition(".")[2],
            "user": self.user,
            "mode": self.mode,
            "size": len(self.data) if self.size is None else self.size,
            "file_access": "visible",
            "url_private": self.url,
            "url_private_download": f"{head}/download/{tail}",
            "permalink": f"{SITE}/files/{self.user}/{self.id}/{self.name.lower().replace(' ', '_')}",
            "is_external": False,
            "public_url_shared": False,
        }


@dataclass(eq=False)
class Channel:
    """A conversation. ``shared``: with another organisation (Slack Connect). ``converted``: it was public once."""

    id: str
    name: str
    kind: ChannelKind
    members: set[str]
    team: str
    shared: bool = False
    is_archived: bool = False
    converted: bool = False
    deleted: bool = False
    messages: dict[str, Message] = field(default_factory=dict, repr=False)

    @property
    def is_private(self) -> bool:
        return self.kind != "channel"

    def thread(self, root: str) -> Iterator[Message]:
        """Root and replies, oldest first."""
        return (message for message in list(self.messages.values()) if message.root == root)

    def as_json(self) -> JSON:
        body: JSON = {
            "id": self.id,
            "name": self.name,
            "is_channel": self.kind == "channel" or self.converted,  # only is_private tells it then
            "is_group": self.kind == "group" and not self.converted,
            "is_im": self.kind == "im",
            "is_mpim": self.kind == "mpim",
            "is_private": self.is_private,
            "is_archived": self.is_archived,
            "is_general": self.name == "general",
            "is_shared": self.shared,
            "is_ext_shared": self.shared,
            "is_org_shared": False,
            "is_pending_ext_shared": False,
            "pending_shared": [],
            "shared_team_ids": [self.team, *(["T0OUTSIDE"] if self.shared else [])],
            "context_team_id": self.team,
            "is_member": True,
            "num_members": len(self.members),
        }
        return body


@dataclass(eq=False)
class View:
    """A modal (or Home tab) as a person has it before them."""

    id: str
    user: str
    content: JSON
    root_id: str
    name_of: Callable[[str], str] = field(repr=False)
    previous_id: str | None = None
    hash: str = ""
    opened: float = field(default_factory=time.monotonic)
    errors: dict[str, str] = field(default_factory=dict)  # by block_id, from the last submission

    @property
    def blocks(self) -> list[JSON]:
        blocks: list[JSON] = self.content["blocks"]
        return blocks

    @property
    def title(self) -> str:
        return str(self.content.get("title", {}).get("text", ""))

    @property
    def shown(self) -> str:
        """Title, blocks and buttons as plain text."""
        lines = [self.title, render_blocks(self.blocks, self.name_of)]
        lines += [f"[{self.content[name]['text']}]" for name in ("submit", "close") if self.content.get(name)]
        return "\n".join(line for line in lines if line)

    @property
    def links(self) -> list[tuple[str, str]]:
        return links_of(self.blocks)
