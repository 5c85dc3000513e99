"""The systems that are compared: how chunks are situated, which side of the search is asked, whether it is reranked.

Each searches as the product does, through ``Retrieval`` with the settings as they are, but for what its name says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from indexer.documents import WORKSPACE, DocumentId, Hit, VersionId, Viewer
from indexer.embedding import Embedder
from indexer.reranking import judged_text
from indexer.retrieval import Retrieval
from indexer.settings import IndexerSettings
from indexer.store import Store

Variant = Literal["plain", "contextual", "structural"]

DEEPEST = 20  # results that are looked at
RERANKED = "+rerank"

_EVERYBODY = Viewer(frozenset({WORKSPACE}))
_SIDES: dict[str, float | None] = {"vector": 1.0, "bm25": 0.0, "hybrid": None}


class Reranker(Protocol):
    """Judges passages against a question. This is all that a system with ``+rerank`` asks of it."""

    @property
    def name(self) -> str:
        """Which model this is."""

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in their order; higher is better."""


@dataclass(frozen=True, slots=True)
class System:
    """A way to search. ``alpha`` None is that of the settings."""

    name: str
    variant: Variant
    alpha: float | None
    reranked: bool = False


def known_systems(reranker: Reranker | None) -> dict[str, System]:
    """All systems by name, in the order of the table; those with ``+rerank`` only where there is a reranker."""
    plain: list[System] = []
    for variant, sides in _VARIANTS:
        plain += [System(f"{variant}_{side}", variant, _SIDES[side]) for side in sides]
    again = [System(each.name + RERANKED, each.variant, each.alpha, True) for each in plain] if reranker else []
    return {each.name: each for each in (*plain, *again)}


_VARIANTS: tuple[tuple[Variant, tuple[str, ...]], ...] = (
    ("plain", ("vector", "bm25", "hybrid")),
    ("contextual", ("vector", "bm25", "hybrid")),
    ("structural", ("hybrid",)),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a system found for one question: the chunks' keys, best first, and how long it took."""

    keys: tuple[tuple[DocumentId, int], ...]  # document and position
    milliseconds: float


class Searcher:
    """Asks systems. ``workspaces`` has the workspace in which each variant is indexed."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        settings: IndexerSettings,
        workspaces: Callable[[str], str],
        reranker: Reranker | None,
    ) -> None:
        self._workspaces = workspaces
        self._reranker = reranker
        self._candidates = max(settings.rerank_candidates, DEEPEST)
        # What has no context has one vector and no other: half its weight must not go to nothing.
        alone = settings.model_copy(update={"search_passage_weight": 1.0, "search_context_weight": 0.0})
        self._plain = Retrieval(store, embedder, AllPublished(), alone)
        self._situated = Retrieval(store, embedder, AllPublished(), settings)

    async def search(self, system: System, query: str) -> Found:
        """The first ``DEEPEST`` results. The time is that of the embedding of the question, the search, the reranker.

        Raises Unavailable and StoreFailed.
        """
        begun = time.perf_counter()
        retrieval = self._plain if system.variant == "plain" else self._situated
        hits = await retrieval.search(
            self._workspaces(system.variant),
            query,
            _EVERYBODY,
            limit=self._candidates if system.reranked else DEEPEST,
            alpha=system.alpha,
        )
        if system.reranked:
            hits = await self._rerank(query, hits)
        milliseconds = (time.perf_counter() - begun) * 1_000
        return Found(tuple((hit.document, hit.chunk.position) for hit in hits[:DEEPEST]), milliseconds)

    async def _rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        assert self._reranker is not None  # noqa: S101 - else there are no such systems; this tells the type checker
        scores = await self._reranker.scores(query, [judged_text(hit) for hit in hits])
        best = sorted(range(len(hits)), key=lambda index: (-scores[index], index))
        return [hits[index] for index in best]


class AllPublished:
    """Instead of the catalogue: the workspaces of a run have one version of each document, and it answers."""

    async def in_flight(self, workspace: str, /) -> frozenset[VersionId]:
        return frozenset()

    async def published(self, workspace: str, documents: Collection[DocumentId], /) -> dict[DocumentId, VersionId]:
        return {document: only_version(document) for document in documents}


def only_version(document: DocumentId) -> VersionId:
    """The version under which a document of a run is indexed."""
    return VersionId(f"{document}.1")
