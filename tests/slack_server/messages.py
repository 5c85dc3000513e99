"""Messages as people see them, streamed ones too."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from tests.slack_server.errors import JSON
from tests.slack_server.rendering import actions_of, links_of, render_blocks, task_line
from tests.slack_server.texts import links_in, seen, unescape

if TYPE_CHECKING:
    from tests.slack_server.world import File

StreamState = Literal["open", "stopped", "expired", "stopped_by_user"]


@dataclass(eq=False)
class Stream:
    """The streaming side of a message. ``mode`` is fixed by the first content: ``text`` or ``chunks``.

    ``ends``: when it is over, stopped or not, in monotonic seconds.
    """

    ends: float
    recipient: str | None
    ended: Literal["stopped", "stopped_by_user"] | None = None
    mode: Literal["text", "chunks"] | None = None
    tasks: dict[str, JSON] = field(default_factory=dict)
    title: str = ""

    @property
    def state(self) -> StreamState:
        """``open`` until somebody stops it or its time is over."""
        return self.ended or ("open" if time.monotonic() < self.ends else "expired")


@dataclass(eq=False)
class Message:
    """A message as people see it now; ``history`` holds what was shown when: (monotonic seconds, text).

    ``parts`` is what came as Markdown or by a stream, in order: ``("text", …)``, ``("task", id)``, ``("blocks", […])``.
    """

    channel: str
    ts: str
    user: str
    text: str
    name_of: Callable[[str], str] = field(repr=False)
    thread_ts: str | None = None
    bot_id: str | None = None
    app_id: str | None = None
    team: str = ""
    subtype: str | None = None
    blocks: list[JSON] = field(default_factory=list)
    parts: list[tuple[str, Any]] = field(default_factory=list)
    metadata: JSON | None = None
    files: list[File] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    stream: Stream | None = None
    edited: bool = False
    deleted: bool = False
    ephemeral_to: str | None = None
    at: float = field(default_factory=time.monotonic)
    history: list[tuple[float, str]] = field(default_factory=list)

    @property
    def shown(self) -> str:
        """What a person sees, as plain text: tasks, Markdown as written, blocks a line each; else the text."""
        if not self.parts and not self.blocks:
            return seen(self.text, self.name_of)
        lines = []
        for kind, value in self.parts:
            if kind == "text":
                lines.append(seen_markdown(value, self.name_of))
            elif kind == "task" and self.stream is not None:
                lines.append(task_line(self.stream.tasks[value]))
            elif kind == "blocks":
                lines.append(render_blocks(value, self.name_of))
        if self.blocks:
            lines.append(render_blocks(self.blocks, self.name_of))
        return "\n".join(line for line in lines if line)

    @property
    def markdown(self) -> str:
        """What came as Markdown, joined, exactly as it came."""
        return "".join(value for kind, value in self.parts if kind == "text")

    @property
    def tasks(self) -> list[JSON]:
        """The task cards of a stream, in order: ``id``, ``title``, ``status``, ``details``, ``output``, ``sources``."""
        return list(self.stream.tasks.values()) if self.stream else []

    @property
    def links(self) -> list[tuple[str, str]]:
        """(label, URL) of every link that can be followed from here."""
        if not self.parts and not self.blocks:
            return links_in(self.text)
        return links_in(self.markdown) + links_of([*self.all_blocks])

    @property
    def all_blocks(self) -> list[JSON]:
        """Blocks of the message and those that came in a stream."""
        return [block for kind, value in self.parts if kind == "blocks" for block in value] + self.blocks

    @property
    def actions(self) -> list[str]:
        """The ``action_id`` of everything that can be clicked here, in order."""
        return [element["action_id"] for _, element in actions_of(self.all_blocks)]

    def options(self, action_id: str) -> list[str]:
        """The values that a menu, or a pair of feedback buttons, offers."""
        (element,) = [element for _, element in actions_of(self.all_blocks) if element["action_id"] == action_id]
        buttons = [element[name] for name in ("positive_button", "negative_button") if name in element]
        return [option["value"] for option in element.get("options", buttons)]

    @property
    def is_stream(self) -> bool:
        return self.stream is not None

    @property
    def open(self) -> bool:
        """Whether text can still be appended."""
        return self.stream is not None and self.stream.state == "open"

    @property
    def is_abandoned(self) -> bool:
        """Whether a stream was neither stopped nor, after its time, rewritten: people see it as broken off."""
        return self.stream is not None and self.stream.ended is None and not self.edited and not self.deleted

    @property
    def root(self) -> str:
        """The ``ts`` of the thread's root."""
        return self.thread_ts or self.ts

    def note(self) -> None:
        """Remember what is shown now."""
        shown = self.shown
        if not self.history or self.history[-1][1] != shown:
            self.history.append((time.monotonic(), shown))

    def snapshot(self) -> Message:
        """A copy that does not change any more."""
        stream = self.stream and replace(self.stream, tasks={key: dict(t) for key, t in self.stream.tasks.items()})
        reactions = {name: list(users) for name, users in self.reactions.items()}
        parts, blocks, history = list(self.parts), list(self.blocks), list(self.history)
        return replace(self, stream=stream, reactions=reactions, parts=parts, blocks=blocks, history=history)

    def as_json(self, *, with_metadata: bool = False) -> JSON:
        """The message as ``conversations.replies`` and events carry it."""
        if self.deleted:
            gone = {"type": "message", "subtype": "tombstone", "text": "This message was deleted.", "hidden": True}
            return gone | {"ts": self.ts, "user": "USLACKBOT", "thread_ts": self.root}
        body: JSON = {"type": "message", "user": self.user, "ts": self.ts, "text": self.text or self.markdown}
        optional = {
            "subtype": self.subtype,
            "thread_ts": self.thread_ts,
            "bot_id": self.bot_id,
            "app_id": self.app_id,
            "team": self.team,
            "blocks": self._blocks_json(),
            "files": [file.as_json() for file in self.files],
            "edited": {"user": self.user, "ts": self.ts} if self.edited else None,
            "reactions": [{"name": n, "users": u, "count": len(u)} for n, u in self.reactions.items() if u],
            "metadata": self.metadata if with_metadata else None,
        }
        return body | {name: value for name, value in optional.items() if value}

    def _blocks_json(self) -> list[JSON]:
        if not self.parts:
            return self.blocks
        section = {"type": "rich_text_section", "elements": [{"type": "text", "text": unescape(self.markdown)}]}
        return [{"type": "rich_text", "block_id": "md", "elements": [section]}, *self.all_blocks]


def seen_markdown(text: str, name_of: Callable[[str], str]) -> str:
    """Markdown as written, with mentions resolved and ``&amp; &lt; &gt;`` undone; links keep their Markdown."""
    return seen(text, name_of) if "<@" in text or "<!" in text or "<#" in text else unescape(text)
