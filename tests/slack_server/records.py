"""What the server remembers: calls, statuses, sessions, and what may be used only for a while."""

from __future__ import annotations

from dataclasses import dataclass

from tests.slack_server.errors import JSON


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the Web API: when (monotonic seconds), with what (the token left out), and what came of it."""

    method: str
    args: JSON
    at: float
    result: JSON | None  # None: it got no answer (a fault)
    seconds: float


@dataclass(frozen=True, slots=True)
class Status:
    """What the app showed of its work in a thread. ``how``: ``status`` (the line) or ``session`` (its state)."""

    at: float
    channel: str
    thread: str
    text: str
    how: str
    loading_messages: tuple[str, ...] = ()


@dataclass
class Session:
    status: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A ``trigger_id``: good once, for three seconds, for one person."""

    user: str
    at: float


@dataclass
class ResponseUrl:
    """Where an app may still answer a command or a click: five times in 30 minutes."""

    channel: str
    user: str
    at: float
    message_ts: str | None = None
    uses: int = 0
