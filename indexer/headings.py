"""Under which headings, and on which pages, a piece of a text stands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from indexer.documents import Heading, Page, Place

HEADING_LINE = re.compile(r"[^\r\n]+(?:\r?\n[ ]*(?:=+|-+)[ ]*(?=[\r\n]|\Z))?\s*")  # with its underline, if any


class Headings:
    """Heading paths, by where they begin to be in force."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._starts: list[int] = []
        self._paths: list[tuple[str, ...]] = [()]
        open_: list[Heading] = []
        for heading in sorted(headings, key=lambda h: h.start):
            open_ = [*(h for h in open_ if h.level < heading.level), heading]
            self._starts.append(heading.start)
            self._paths.append(tuple(h.title for h in open_ if h.title))

    def of(self, text: str, start: int, end: int) -> tuple[str, ...]:
        """The path of a chunk whose words begin at ``start``."""
        return self._at(self._after_headings(text, start, end)) or self._at(end - 1)

    def places(self, text: str, start: int, end: int, pages: Sequence[Page]) -> tuple[Place, ...]:
        """The places of a chunk whose words begin at ``start``, by offset into the text; none where there is but one.

        The first holds for all before the next, headings included that the chunk begins with.
        """
        first = self._after_headings(text, start, end)
        turns = {s for s in self._starts[bisect_right(self._starts, first) :] if s < end}
        turns |= {page.start for page in pages if start < page.start < end}
        if not turns:
            return ()
        numbers = [page.start for page in pages]

        def page_at(position: int) -> int | None:
            i = bisect_right(numbers, position) - 1
            return pages[i].number if i >= 0 else None

        path = self.of(text, start, end)
        return (
            Place(start, path, page_at(start)),
            *(Place(turn, path if turn <= first else self._at(turn), page_at(turn)) for turn in sorted(turns)),
        )

    def _after_headings(self, text: str, position: int, end: int) -> int:
        """Where the headings at ``position`` end, but the last where only headings stand before ``end``."""
        i = bisect_left(self._starts, position)
        while i < len(self._starts) and self._starts[i] == position:
            line = HEADING_LINE.match(text, position, end)
            if not line or line.end() >= end:
                break
            position = line.end()
            i += 1
        return position

    def _at(self, position: int) -> tuple[str, ...]:
        return self._paths[bisect_right(self._starts, position)]
