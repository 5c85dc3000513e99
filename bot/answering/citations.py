"""The check that a citation says what the source says. Pure: no call, no clock.

Claude cites by (source, range of blocks, the text of those blocks). All of it is checked, nothing is believed: the
source must have been shown, its index must be the one it was shown at, the range must lie in it, the text must be that
of the blocks, and the quote must stand verbatim in the stored chunk. What fails is dropped by the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.answering.visible import without_hidden
from indexer import Hit, sentences


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as Claude was shown it: ``blocks`` are the sentences as sent, ``verbatim`` the same as they are stored.

    The two have equal lengths and differ only in hidden characters. Joined, ``verbatim`` is the chunk.
    """

    hit: Hit
    index: int
    blocks: tuple[str, ...]
    verbatim: tuple[str, ...]


class ShownSources:
    """The search results that stand in a request, in their order; the same chunk stands there once."""

    def __init__(self) -> None:
        self._by_key: dict[str, Shown] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[Shown]:
        return iter(self._by_key.values())

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def get(self, key: str) -> Shown | None:
        return self._by_key.get(key)

    def add(self, hit: Hit) -> Shown | None:
        """Take a hit up as the next search result; None where there is nothing to show of it."""
        verbatim: list[str] = []
        blocks: list[str] = []
        before = ""  # of sentences that are hidden altogether: they stay with a neighbour, so that nothing is lost
        for sentence in sentences(hit.chunk.text, hit.language):
            seen = without_hidden(sentence)
            if seen.strip():
                verbatim.append(before + sentence)
                blocks.append(seen)
                before = ""
            elif verbatim:
                verbatim[-1] += sentence
            else:
                before += sentence
        if not blocks:
            return None
        shown = Shown(hit, len(self._by_key), tuple(blocks), tuple(verbatim))
        self._by_key[hit.key] = shown
        return shown

    def urls(self) -> frozenset[str]:
        """The addresses of the shown sources: the only ones that an answer may carry."""
        return frozenset(shown.hit.url for shown in self if shown.hit.url)


@dataclass(frozen=True, slots=True)
class Location:
    """A citation as it came: nothing about it is believed, not even its types."""

    type: object
    source: object
    cited_text: object
    index: object
    start: object
    end: object


@dataclass(frozen=True, slots=True)
class Quote:
    """A citation that holds: blocks ``start`` to ``end`` (exclusive) of a hit, and their text as it is stored."""

    hit: Hit
    start: int
    end: int
    text: str

    @property
    def key(self) -> tuple[str, int, int]:
        return self.hit.key, self.start, self.end


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a citation does not hold, for the log."""

    reason: str


def check(location: Location, shown: ShownSources) -> Quote | Fault:
    """The quote that a citation points to, or the fault that it has.

    Worked example, with ``v#3`` shown first as the blocks ``"A cat. "`` and ``"A dog."``::

        check(Location("search_result_location", "v#3", "A dog.", 0, 1, 2), shown) → Quote(…, 1, 2, "A dog.")
        check(Location("search_result_location", "v#3", "A dog!", 0, 1, 2), shown) → Fault("the quote is altered")

    Only white space may differ between the quoted text and the blocks.
    """
    if location.type != "search_result_location":
        return Fault("not the citation of a search result")
    source = shown.get(location.source) if isinstance(location.source, str) else None
    if source is None:
        return Fault("the source was not shown")
    if not _is_index(location.index) or location.index != source.index:
        return Fault("the result's number is not that of the source")
    start, end = location.start, location.end
    if not isinstance(start, int) or not isinstance(end, int) or not _is_index(start) or not _is_index(end):
        return Fault("the range is not one of numbers")
    if not start < end <= len(source.blocks):
        return Fault("the range is outside the source")
    if not isinstance(location.cited_text, str) or not location.cited_text.strip():
        return Fault("there is no quote")
    if _plain(location.cited_text) != _plain("".join(source.blocks[start:end])):
        return Fault("the quote is altered")
    text = "".join(source.verbatim[start:end]).strip()
    if text not in source.hit.chunk.text:
        return Fault("the quote is not in the stored text")
    return Quote(source.hit, start, end, text)


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _plain(text: str) -> str:
    return " ".join(text.split())
