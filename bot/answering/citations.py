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
class Part:
    """A chunk of what Claude was shown: ``blocks`` are its sentences as sent, ``verbatim`` the same as they are stored.

    The two have equal lengths and differ only in hidden characters. Joined, ``verbatim`` is the chunk; of one that
    overlaps with the chunk before it in the same result, the sentences that stand there already are left out.
    """

    hit: Hit
    blocks: tuple[str, ...]
    verbatim: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A search result as Claude was shown it: one chunk, or neighbouring ones in their order; one block a sentence."""

    index: int
    parts: tuple[Part, ...]

    @property
    def key(self) -> str:
        """What Claude cites it by."""
        return self.parts[0].hit.key

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(part.hit for part in self.parts)

    @property
    def blocks(self) -> tuple[str, ...]:
        return tuple(block for part in self.parts for block in part.blocks)


class ShownSources:
    """The search results that stand in a request, in their order; the same chunk stands there once."""

    def __init__(self) -> None:
        self._by_key: dict[str, Shown] = {}
        self._known: set[str] = set()

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[Shown]:
        return iter(self._by_key.values())

    def __contains__(self, key: object) -> bool:
        """Whether the chunk of this ``Hit.key`` was shown, by itself or with neighbours, or named (``name``)."""
        return key in self._known

    def get(self, key: str) -> Shown | None:
        """The result that is cited by this key."""
        return self._by_key.get(key)

    def add(self, *hits: Hit) -> Shown | None:
        """Take a hit, or neighbouring ones of one version in their order, up as the next search result.

        None where there is nothing to show of it.
        """
        parts: list[Part] = []
        for number, hit in enumerate(hits):
            part = _part(hit, _overlap(hits[number - 1], hit) if number else 0)
            parts += [part] if part.blocks else []
        if not parts:
            return None
        shown = Shown(len(self._by_key), tuple(parts))
        self._by_key[shown.key] = shown
        self._known.update(hit.key for hit in hits)
        return shown

    def name(self, hit: Hit) -> None:
        """Take note that Claude was told where this hit is, which has the text of one that is shown."""
        self._known.add(hit.key)

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The chunks that are shown."""
        return tuple(hit for shown in self for hit in shown.hits)

    def urls(self) -> frozenset[str]:
        """The addresses of the shown sources: the only ones that an answer may carry."""
        return frozenset(hit.url for hit in self.hits if hit.url)


def _part(hit: Hit, overlap: int) -> Part:
    """The sentences of a hit, without those that stand in its first ``overlap`` characters as a whole."""
    verbatim: list[str] = []
    blocks: list[str] = []
    before = ""  # of sentences that are hidden altogether: they stay with a neighbour, so that nothing is lost
    at = 0
    for sentence in sentences(hit.chunk.text, hit.language):
        within = at + len(sentence.rstrip()) <= overlap
        at += len(sentence)
        if within:
            continue
        seen = without_hidden(sentence)
        if seen.strip():
            verbatim.append(before + sentence)
            blocks.append(seen)
            before = ""
        elif verbatim:
            verbatim[-1] += sentence
        else:
            before += sentence
    return Part(hit, tuple(blocks), tuple(verbatim))


def _overlap(before: Hit, hit: Hit) -> int:
    """How many characters a chunk has in common with the end of the one before it."""
    length = before.chunk.end - hit.chunk.start
    return length if length > 0 and before.chunk.text[-length:] == hit.chunk.text[:length] else 0


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


def check(location: Location, shown: ShownSources) -> tuple[Quote, ...] | Fault:
    """The quotes that a citation points to, or the fault that it has: one quote of each chunk that it runs over.

    Worked example, with ``v#3`` shown first as the blocks ``"A cat. "`` and ``"A dog."``::

        check(Location("search_result_location", "v#3", "A dog.", 0, 1, 2), shown) → (Quote(…, 1, 2, "A dog."),)
        check(Location("search_result_location", "v#3", "A dog!", 0, 1, 2), shown) → Fault("the quote is altered")

    With ``v#4``, ``"A hen."``, shown as its neighbour in the same result, the blocks 1 to 3 are two quotes,
    ``"A dog."`` of ``v#3`` and ``"A hen."`` of ``v#4``. Only white space may differ between the quoted text and the
    blocks.
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
    blocks = source.blocks
    if not start < end <= len(blocks):
        return Fault("the range is outside the source")
    if not isinstance(location.cited_text, str) or not location.cited_text.strip():
        return Fault("there is no quote")
    if _plain(location.cited_text) != _plain("".join(blocks[start:end])):
        return Fault("the quote is altered")
    quotes = tuple(_quotes(source, start, end))
    if not all(quote.text and quote.text in quote.hit.chunk.text for quote in quotes):
        return Fault("the quote is not in the stored text")
    return quotes


def _quotes(source: Shown, start: int, end: int) -> Iterator[Quote]:
    """What the blocks ``start`` to ``end`` of a result are in each of its chunks."""
    at = 0
    for part in source.parts:
        first, last = max(start - at, 0), min(end - at, len(part.blocks))
        if first < last:
            yield Quote(part.hit, first, last, "".join(part.verbatim[first:last]).strip())
        at += len(part.blocks)


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _plain(text: str) -> str:
    return " ".join(text.split())
