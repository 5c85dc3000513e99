"""What a test says the model answers: replies made of blocks, and faults at given points."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

StopReason = Literal[
    "end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded"
]


@dataclass(frozen=True, slots=True)
class Citation:
    """A ``search_result_location``; ``end_block_index`` is exclusive."""

    source: str
    title: str | None
    cited_text: str
    search_result_index: int
    start_block_index: int
    end_block_index: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text block. ``cited`` says where in the stream its citations come: after its text, or before it."""

    text: str
    citations: tuple[Citation, ...] = ()
    cited: Literal["after", "before"] = "after"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool; an id is made up where none is given."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block beyond the one that the server puts first by itself where the model thinks."""

    text: str


Block = Text | ToolUse | Thinking


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error instead of an answer. ``retry_after`` (seconds) becomes the header."""

    status: int
    message: str = "An error that the test asked for."
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Hangup:
    """The connection is closed before a byte of the answer is sent."""


@dataclass(frozen=True, slots=True)
class Midway:
    """Something happens in the stream after ``after`` deltas.

    ``error`` sends an ``error`` event (``kind``), ``cut`` closes the connection, ``reset`` resets it, ``stall`` sends
    nothing more for ``seconds`` and then cuts, ``end`` ends the stream in order but without ``message_stop``.
    Without streaming, ``error`` is an HTTP error and everything else a hangup.
    """

    how: Literal["error", "cut", "reset", "stall", "end"]
    after: int = 3
    kind: str = "overloaded_error"
    seconds: float = 3_600.0


Fault = HttpError | Hangup | Midway


class Hold:
    """Keeps replies from beginning until ``release()``: for tests that need several requests in flight at once."""

    def __init__(self) -> None:
        self._released = threading.Event()

    async def wait(self) -> None:
        """Return once released, from whatever thread that comes."""
        while not self._released.is_set():  # noqa: ASYNC110 - released from another thread, where no loop may run
            await asyncio.sleep(0.002)

    def release(self) -> None:
        """Let go of all that wait, and of all that come later."""
        self._released.set()


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. Times are in seconds.

    ``stop_reason`` is worked out where it is None: ``tool_use`` with a tool call, else ``end_turn``. ``latency`` comes
    before the first byte (on top of the server's), ``first_token`` between ``message_start`` and the first block,
    ``pause`` between deltas. ``piece`` is the length of a delta in characters.
    """

    blocks: tuple[Block, ...] = ()
    stop_reason: StopReason | None = None
    stop_details: Mapping[str, Any] | None = None
    fault: Fault | None = None
    latency: float = 0.0
    first_token: float = 0.0
    pause: float = 0.0
    piece: int = 11
    hold: Hold | None = None

    def but(self, **changes: Any) -> Reply:
        """The same reply with other fields."""
        return replace(self, **changes)


def says(*texts: str | Block, **fields: Any) -> Reply:
    """A reply of these blocks: ``says("Hello.")``, ``says(Text("a", (citation,)), ToolUse("search", {...}))``."""
    return Reply(tuple(Text(part) if isinstance(part, str) else part for part in texts), **fields)


def calls(name: str, *, id: str | None = None, **input: Any) -> Reply:
    """A reply that calls one tool: ``calls("search_documents", query="When?")``."""
    return Reply((ToolUse(name, input, id),))


def fails(fault: Fault, reply: Reply | None = None) -> Reply:
    """A reply that ends in a fault."""
    return replace(reply or says("This much is said before it fails, and then no more of it."), fault=fault)


OVERLOADED = HttpError(529, "Overloaded")
RATE_LIMITED = HttpError(429, "This request would exceed your organization's rate limit.", retry_after=0.05)
SERVER_ERROR = HttpError(500, "Internal server error")
