"""The text as it grows: blocks go in, the text with exact offsets of its pages and headings comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from indexer.documents import Heading, Page
from indexer.reading.sanitising import visible

_SPACES = re.compile(r"[ \t\u00a0\u2007\u202f\u3000]+")
_AROUND_NEWLINE = re.compile(r" *\n *")
_MANY_NEWLINES = re.compile(r"\n{3,}")


def tidy(text: str) -> str:
    """Visible text of a paragraph: runs of spaces are one space, no spaces around newlines, none at the ends.

    >>> tidy("  two   words \\n next\\u00a0line ")
    'two words\\nnext line'
    """
    text = _AROUND_NEWLINE.sub("\n", _SPACES.sub(" ", visible(text)))
    return _MANY_NEWLINES.sub("\n\n", text).strip()


def one_line(text: str) -> str:
    """``tidy`` on one line."""
    return " ".join(visible(text).split())


class Draft:
    """A document being written. Blocks are separated by an empty line, lines of a list or table by a newline.

    ``page(3)`` says that what follows stands on page 3. Empty blocks leave nothing; a page without a block has no span.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._run: str | None = None  # which list or table the last line belongs to
        self._page: int | None = None
        self._spans: dict[int, tuple[int, int]] = {}
        self._headings: list[Heading] = []

    @property
    def text(self) -> str:
        """Everything written so far."""
        return "".join(self._parts)

    @property
    def length(self) -> int:
        """Characters written so far."""
        return self._length

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages that hold text, in the order in which they came."""
        return tuple(Page(number, start, end) for number, (start, end) in self._spans.items())

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings in the order of the text."""
        return tuple(self._headings)

    def page(self, number: int) -> None:
        """What follows stands on this page."""
        if number != self._page:
            self._page = number
            self._run = None

    def heading(self, level: int, title: str) -> None:
        """A heading on a line of its own; ``level`` 1 is the highest."""
        title = one_line(title)
        start = self._write(title, "\n\n")
        if start is not None:
            self._headings.append(Heading(max(1, level), title, start))

    def paragraph(self, text: str) -> None:
        """A block of flowing text."""
        self._write(tidy(text), "\n\n")

    def verbatim(self, text: str) -> None:
        """A block whose spaces and newlines mean something: code, preformatted text."""
        self._write(visible(text).strip("\n").rstrip(), "\n\n")

    def line(self, text: str, run: str, *, marker: str = "") -> None:
        """A line of the list or table called ``run``; lines of the same run stand right under each other.

        ``marker`` stands before it: ``- ``, ``3. ``, with spaces before it in an inner list.
        """
        separator = "\n" if self._run == run else "\n\n"
        text = one_line(text)
        if text and self._write(marker + text, separator) is not None:
            self._run = run

    def row(self, cells: Iterable[str], run: str) -> None:
        """A row of a table: ``a | b | c``. Empty cells at its end are left out, and so is an empty row."""
        self.line(" | ".join(_filled([one_line(cell) for cell in cells])), run)

    def _write(self, block: str, separator: str) -> int | None:
        """Append a block; where it starts, or None where there was nothing to write."""
        self._run = None
        if not block.strip():
            return None
        if self._length:
            self._parts.append(separator)
            self._length += len(separator)
        start = self._length
        self._parts.append(block)
        self._length += len(block)
        if self._page is not None:
            first, _ = self._spans.get(self._page, (start, start))
            self._spans[self._page] = (first, self._length)
        return start


def _filled(cells: Sequence[str]) -> Sequence[str]:
    last = max((number for number, cell in enumerate(cells, 1) if cell), default=0)
    return cells[:last]
