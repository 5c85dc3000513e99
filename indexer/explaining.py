"""Why a search found what it found: each of its sides run by itself.

What the server tells of a fused score is each side's score: no ranks, no words, not which property had them. So the
sides are asked one by one, with the filter of the search itself, and the words are worked out by ``matching``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from indexer.documents import DocumentId, Hit, VersionId, Viewer
from indexer.matching import shared

if TYPE_CHECKING:  # its client is slow to load, and whoever shows an explanation does not need it
    from indexer.store import HybridQuery, Scored

DEEP = 100  # places that are looked at on each side: as many as the server fuses


@dataclass(frozen=True, slots=True)
class Standing:
    """A passage's place on one side of a search: its rank from 1, equals alike, and that side's own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Why:
    """Why a hit is where it is.

    ``rank`` is its place in the search as a whole. ``vector`` and ``keyword`` are its places on the two sides, None
    where a side has it not among its first 100, or was not asked (α 0 or 1). ``vectors`` are its places by each named
    vector alone (``passage``: context and text; ``context``: the context alone, or both again where it is structural),
    ``properties`` those by the words of each property alone (``title``, ``context``, ``text``), without those that do
    not have it. ``terms`` are, by property, the words of the question that it has, as they were asked.

    The score of a single vector is the similarity (cosine), that of words BM25's; ``vector.score`` compares within one
    search only, where several vectors are mixed.
    """

    hit: Hit
    rank: int
    vector: Standing | None
    keyword: Standing | None
    vectors: Mapping[str, Standing]
    properties: Mapping[str, Standing]
    terms: Mapping[str, tuple[str, ...]]

    @property
    def rerank(self) -> float | None:
        """The reranker's score, where one judged the hit."""
        return self.hit.rerank

    @property
    def matched(self) -> tuple[str, ...]:
        """All words that were found, each once, those of the text first."""
        found: dict[str, str] = {}
        for word in (word for name in ("text", "context", "title") for word in self.terms.get(name, ())):
            found.setdefault(word.casefold(), word)
        return tuple(found.values())

    def only_in(self, name: str) -> tuple[str, ...]:
        """The words that this property has and the text has not: what was found because of it."""
        elsewhere = {word.casefold() for word in self.terms.get("text", ())}
        return tuple(word for word in self.terms.get(name, ()) if word.casefold() not in elsewhere)


class Sides(Protocol):
    """The sides of a search, each by itself."""

    async def nearest(self, query: HybridQuery, /) -> list[Scored]: ...

    async def keywords(self, query: HybridQuery, /) -> list[Scored]: ...


class Published(Protocol):
    """What answers at this moment."""

    async def published(self, workspace: str, documents: Collection[DocumentId], /) -> dict[DocumentId, VersionId]: ...


async def explained(
    hits: Sequence[Hit], query: HybridQuery, sides: Sides, catalogue: Published, viewer: Viewer
) -> list[Why]:
    """Why each of the hits of this query was found. Ranks count what the viewer may read and what answers only."""
    from indexer.store import searchable

    deep = replace(query, limit=DEEP, offset=0, explain=False)
    alpha = query.alpha if searchable(query.text) else 1.0  # as the fused search does where there are no words
    names = [name for name in query.weights if query.weights[name] > 0] if alpha > 0 else []
    properties = [name.partition("^")[0] for name in query.properties] if alpha < 1 else []
    asked: dict[tuple[str, str], Awaitable[list[Scored]]] = {}
    if names:
        asked["vector", ""] = sides.nearest(deep)
    if properties:
        asked["keyword", ""] = sides.keywords(deep)
    asked |= {("vector", name): sides.nearest(replace(deep, weights={name: 1.0})) for name in names}
    asked |= {("keyword", name): sides.keywords(replace(deep, properties=(name,))) for name in properties}
    found = dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))
    documents = {one.document for side in found.values() for one in side}
    published = await catalogue.published(query.workspace, documents)

    def counts(one: Scored) -> bool:
        return viewer.may_read(one.audience) and published.get(one.document) == one.version

    standings = {leg: _standings([one for one in side if counts(one)]) for leg, side in found.items()}

    def placed(side: str, wanted: Sequence[str], key: str) -> dict[str, Standing]:
        return {name: standings[side, name][key] for name in wanted if key in standings[side, name]}

    return [
        Why(
            hit,
            rank,
            standings.get(("vector", ""), {}).get(hit.key),
            standings.get(("keyword", ""), {}).get(hit.key),
            placed("vector", names, hit.key),
            placed("keyword", properties, hit.key),
            _terms(query.text, hit, properties),
        )
        for rank, hit in enumerate(hits, 1)
    ]


def _standings(side: Sequence[Scored]) -> dict[str, Standing]:
    """By passage its place: scores 0.9, 0.7, 0.7, 0.2 are the ranks 1, 2, 2, 4."""
    ordered = sorted(side, key=lambda one: -one.score)
    standings: dict[str, Standing] = {}
    rank = 0
    for place, one in enumerate(ordered):
        if not place or one.score < ordered[place - 1].score:
            rank = place + 1
        standings[one.key] = Standing(rank, one.score)
    return standings


def _terms(question: str, hit: Hit, properties: Sequence[str]) -> dict[str, tuple[str, ...]]:
    texts = {"title": hit.title, "context": hit.context.text, "text": hit.chunk.text}
    found = {name: shared(question, texts[name]) for name in properties if name in texts}
    return {name: words for name, words in found.items() if words}
