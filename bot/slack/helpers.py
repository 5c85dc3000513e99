"""Whom to ask where the documents do not tell: whoever added the closest document, or the channel."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ledger import StoredAnswer
from bot.slack.directory import CannotCheck, Gone
from bot.slack.parts import Parts
from indexer import Audience, Viewer

_USER = re.compile(r"[UW][A-Z0-9]{5,}")


@dataclass(frozen=True, slots=True)
class Helper:
    """Who may know. ``user`` is None for the channel as a whole. ``name`` is as shown; ``title`` is what they added."""

    user: str | None
    name: str
    title: str | None = None


async def whom_to_ask(parts: Parts, answer: StoredAnswer) -> Helper | None:
    """Who may know more than the documents: None in a direct conversation where nobody added anything close.

    Only people who are in the channel are named there, and never the asker or a bot.
    """
    direct = answer.channel.startswith("D")
    viewer = Viewer(frozenset(Audience.parse(text) for text in answer.audiences))
    workspace = await parts.workspace.name()
    adders = {one.id: (one.added_by, one.title) for one in await parts.library.documents(workspace, viewer)}
    try:
        members = frozenset() if direct else await parts.directory.members(answer.channel)
        for document in dict.fromkeys(hit.document for hit in answer.hits):
            user, title = adders.get(document, (None, ""))
            if not user or not _USER.fullmatch(user) or user == answer.asker or (not direct and user not in members):
                continue
            person = await parts.directory.person(user)
            if not (person.is_bot or person.is_deleted):
                return Helper(user, f"@{person.name}", title)
        if direct:
            return None
        return Helper(None, f"#{(await parts.directory.channel(answer.channel)).name}")
    except (CannotCheck, Gone):
        return None
