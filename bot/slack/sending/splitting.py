"""Text that is longer than one of Slack's messages, as several: cut where it hurts least, whole where it must be.

A fence that is cut is closed and opened again with its language. A table is never begun in one message and ended in the
next, but for one that is too long by itself: that one is cut between rows, its header above each part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bot.slack.markup import JOINER
from bot.slack.sending import cuts, tables

STREAM_LIMIT: Final = 9_000  # UTF-8 bytes of one stream; Slack refuses from 10,600 on
POST_LIMIT: Final = 11_500  # characters of one posted message; Slack refuses from 12,000 on

Measure = Callable[[str], int]

_UNDECIDED_FENCE = re.compile(r"[ ]{0,3}(?:(?:`{1,2}|~{1,2})|(?:`{3,}|~{3,})[^\n`]*)\Z")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_BEGINS_BLOCK = frozenset("`~#>|+-*")
_RESERVED = 12  # for what closes a fence
_LONGEST_LANGUAGE = 20  # characters of a fence's language that are said again
_SMALLEST_LIMIT = 60


def utf8_size(text: str) -> int:
    """Bytes of ``text`` in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Piece:
    """Text to be added to the message; ``begins``: to a new one."""

    text: str
    begins: bool = False


class Splitter:
    """Splits text that comes in pieces into messages of at most ``limit`` by ``measure``.

    White space is held until something follows it, and a table until it is whole, as a border may have to come before
    them. The messages joined are the text but for white space at the borders, and what a fence or a table needs there.
    """

    def __init__(self, limit: int, measure: Measure = len) -> None:
        if limit < _SMALLEST_LIMIT:
            raise ValueError(f"a message has at least {_SMALLEST_LIMIT}")
        self._limit = limit
        self._measure = measure
        self._held = ""
        self._pieces: list[Piece] = []  # what goes out now
        self._begin()

    def _begin(self) -> None:
        self._used = 0  # of the message
        self._begun = False
        self._bare = False  # there is only a fence in it that was opened again
        self._table = False  # whether the message has one
        self._line_open = False  # whether it ends within a line
        self._fence: cuts.Fence | None = None  # that is open at its end

    def feed(self, text: str) -> list[Piece]:
        """What can go out now."""
        self._held += text
        return self._flow(whole=False)

    def finish(self) -> list[Piece]:
        """The rest: no more comes."""
        pieces = self._flow(whole=True)
        self._held = ""
        return pieces

    # -- within ----------------------------------------------------------------------------------------------------

    def _flow(self, *, whole: bool) -> list[Piece]:
        while self._held.strip():
            text, table = self._next(whole)
            if table:
                self._put_table(table)
            elif text.rstrip():
                self._put(text.rstrip())
            else:
                break
        pieces, self._pieces = self._pieces, []
        return pieces

    def _next(self, whole: bool) -> tuple[str, str]:
        """What is held up to the next table, or that table with the white space before it; neither if undecided."""
        held = self._held
        at = 0
        fence = self._fence
        for number, line in enumerate(cuts.lines(held)):
            begins = bool(number) or not self._line_open
            if begins and not whole and not line.endswith("\n") and _UNDECIDED_FENCE.match(line):
                return held[:at], ""
            if begins and fence is None and tables.may_begin(line):
                length = tables.length(held[at:], whole=whole)
                if length is None or length:
                    return (held[:at], "") if held[:at].strip() or length is None else ("", held[: at + length])
            if begins:
                fence = cuts.fence_after(line, fence, line_open=False)
            at += len(line)
        return held, ""

    def _put(self, text: str) -> None:
        """Put out what of ``text``, with which the held text begins, fits; begin a new message for the rest."""
        room = self._limit - _RESERVED - self._used
        if self._measure(text) <= room:
            self._out(text)
            self._held = self._held[len(text) :]
            return
        at = cuts.best(
            text,
            cuts.fitting(text, self._limit // 3 - self._used, self._measure),
            cuts.fitting(text, room, self._measure),
            fence=self._fence,
            line_open=self._line_open,
            begun=self._begun and not self._bare,
        )
        fence = cuts.fence_after(text[:at], self._fence, self._line_open)
        at += self._closing(text, at, fence) if fence else 0
        if text[:at].strip():
            self._out(text[:at].rstrip())
        within = (
            not text[:at].endswith("\n") and text[at : at + 1] != "\n" if at else self._line_open and text[0] != "\n"
        )
        self._held = self._held[at:]
        self._go_on(within)

    def _closing(self, text: str, at: int, fence: cuts.Fence) -> int:
        """The length of the line that closes the fence, if it comes next: it is not opened again for it."""
        blank = len(text[at:]) - len(text[at:].lstrip("\n"))
        line = text[at + blank :].split("\n", 1)[0]
        at_line = blank or text[:at].endswith("\n")
        return blank + len(line) if at_line and cuts.closes(line, fence) and blank + len(line) < _RESERVED else 0

    def _go_on(self, within: bool) -> None:
        """Go on in a new message, perhaps ``within`` a line: close the fence that is open, and open it again."""
        fence = self._fence
        if fence is not None:
            self._add("\n" * self._line_open + fence[0])
        self._begin()
        if fence is not None:
            self._held = self._held.removeprefix("\n")
            if within and self._held.lstrip(" ")[:1] in ("`", "~"):  # they must not end the fence
                self._held = JOINER + self._held
            self._out(f"{fence[0]}{fence[1][:_LONGEST_LANGUAGE]}\n")
            self._bare = True
        else:
            self._held = _within_line(self._held) if within else _BLANK_LINES.sub("", self._held, count=1)

    def _put_table(self, table: str) -> None:
        rest = self._held[len(table) :]
        rows = table.lstrip("\n")
        parts = tables.parts(rows, self._limit - _RESERVED, self._measure)
        if parts is None:
            self._held = table[: -len(rows)] + tables.fenced(rows) + rest
            return
        for number, part in enumerate(parts):
            text = part if number or not self._begun else table[: -len(rows)] + part
            if self._begun and (self._table or self._used + self._measure(text) > self._limit - _RESERVED):
                self._begin()
                text = part
            self._out(text)
            self._table = True
        self._held = rest

    def _out(self, text: str) -> None:
        self._fence = cuts.fence_after(text, self._fence, self._line_open)
        self._line_open = not text.endswith("\n")
        self._used += self._measure(text)
        self._bare = False
        self._add(text)

    def _add(self, text: str) -> None:
        if self._begun and self._pieces:
            last = self._pieces[-1]
            self._pieces[-1] = Piece(last.text + text, last.begins)
        else:
            self._pieces.append(Piece(text, begins=not self._begun))
        self._begun = True


def _within_line(rest: str) -> str:
    """What went on in a line and begins a message now: it must not turn into a fence, a list or a heading there."""
    body = rest.lstrip()
    return JOINER + body if body[:1] in _BEGINS_BLOCK and "\n" not in rest[: -len(body)] else body


def split(text: str, limit: int, measure: Measure = len) -> list[str]:
    """``text`` as messages of at most ``limit`` each; none where there is only white space.

    >>> split("```python\\nfirst = 'one'\\nsecond = 'two'\\nthird = 'three'\\n```\\nThat is all.", 60)
    ["```python\\nfirst = 'one'\\nsecond = 'two'\\n```", "```python\\nthird = 'three'\\n```\\nThat is all."]
    """
    splitter = Splitter(limit, measure)
    messages: list[str] = []
    for piece in [*splitter.feed(text), *splitter.finish()]:
        if piece.begins:
            messages.append(piece.text)
        else:
            messages[-1] += piece.text
    return messages
