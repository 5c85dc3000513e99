"""What of a search's hits is shown to Claude as one passage, and what is named in place of being shown again. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from indexer import Hit, words_of

MOST_JOINED: Final = 4  # chunks; more in a row are several passages
LEAST_WORDS: Final = 40  # a shorter text may stand in two documents and mean another thing in each


@dataclass(frozen=True, slots=True)
class Twin:
    """A hit whose text stands in ``shown``, a hit of another document."""

    hit: Hit
    shown: Hit


def joined(hits: Sequence[Hit]) -> list[tuple[Hit, ...]]:
    """Neighbours together, in the order of their document; what has the best hit first.

    Worked example: hits, best first, at the positions 7, 2, 6 and 9 of one version → ``[(6, 7), (2,), (9,)]``.
    Neighbours follow on each other without a gap, or overlap.
    """
    ranks = {hit.key: rank for rank, hit in reversed(list(enumerate(hits)))}
    ordered = sorted({hit.key: hit for hit in hits}.values(), key=lambda hit: (hit.version, hit.chunk.position))
    passages = [passage for _, version in groupby(ordered, lambda hit: hit.version) for passage in _rows(list(version))]
    return sorted(passages, key=lambda passage: min(ranks[hit.key] for hit in passage))


def _rows(hits: Sequence[Hit]) -> Iterator[tuple[Hit, ...]]:
    row: list[Hit] = []
    for hit in hits:
        if row and not (_follows(row[-1], hit) and len(row) < MOST_JOINED):
            yield tuple(row)
            row = []
        row.append(hit)
    yield tuple(row)


def _follows(before: Hit, hit: Hit) -> bool:
    one, other = before.chunk, hit.chunk
    return other.position == one.position + 1 and one.start <= other.start <= one.end


def without_twins(hits: Sequence[Hit], shown: Sequence[Hit]) -> tuple[list[Hit], list[Twin]]:
    """The hits without those whose text stands in a better one, or in one that is ``shown`` already; and these.

    Only where every word of it stands there in a row, of another document, and it is long: case, punctuation and line
    breaks may differ, and the other may say more. Texts that differ in one word are both shown: it may be the amount.
    """
    kept: list[Hit] = []
    twins: list[Twin] = []
    texts = {hit.key: f" {words_of(hit.chunk.text)} " for hit in (*hits, *shown)}
    for hit in hits:
        text = texts[hit.key]
        long = text.count(" ") > LEAST_WORDS
        others = (other for other in (*shown, *kept) if other.document != hit.document and text in texts[other.key])
        if long and (other := next(others, None)) is not None:
            twins.append(Twin(hit, other))
        else:
            kept.append(hit)
    return kept, twins
