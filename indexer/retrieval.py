"""Searching: the question embedded, the index asked, the catalogue's word on what answers at this moment."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from indexer.documents import DocumentId, Hit, VersionId, Viewer
from indexer.embedding import Embedder
from indexer.explaining import Why, explained
from indexer.reranking import SecondRanking
from indexer.settings import IndexerSettings
from indexer.store import HybridQuery, Store
from indexer.terms import has_words

MOST_HITS = 100
# Without boosts: half and one and a half times the context, and none of the title, are within a point of each other.
PROPERTIES = ("title", "context", "text")
_ROUNDS = 4  # how often the catalogue may change under one search before it takes what it has
_RANKINGS = 2  # how often hits are ordered anew for it


class Visible(Protocol):
    """What the catalogue knows about versions."""

    async def in_flight(self, workspace: str, /) -> frozenset[VersionId]:
        """Versions that have passages in the index and do not answer: not yet, not any more, or never."""

    async def published(self, workspace: str, documents: Collection[DocumentId], /) -> dict[DocumentId, VersionId]:
        """The version that answers, of each of these documents that has one."""


class Retrieval:
    """Hybrid search over what a viewer may read, in what is published; ordered anew by ``ranking``, if there is one.

    That is shown what would be found without it, too, and no search fails for it.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        catalogue: Visible,
        settings: IndexerSettings,
        ranking: SecondRanking | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._catalogue = catalogue
        self._settings = settings
        self._ranking = ranking

    async def search(
        self,
        workspace: str,
        query: str,
        viewer: Viewer,
        *,
        limit: int | None = None,
        alpha: float | None = None,
        documents: frozenset[DocumentId] | None = None,
    ) -> list[Hit]:
        """The best hits, best first; at most ``limit`` (1 to ``MOST_HITS``; others are taken as the nearest of these).

        Equal passages of two documents are two hits. A viewer without audiences, a query without a word or a number
        (the passages nearest to "…" are any) and an empty choice of ``documents`` find nothing, and ask nobody.
        ``alpha`` and ``limit`` default to the settings.
        Raises ``Unavailable`` and ``StoreFailed``.
        """
        if not has_words(query) or not viewer.audiences or (documents is not None and not documents):
            return []
        asked = await self._query(workspace, query, viewer, limit, alpha, documents)
        if self._ranking is None:
            return await self._published_only(asked, viewer)
        return await self._ranked(asked, viewer, self._ranking)

    async def explain(
        self,
        workspace: str,
        query: str,
        viewer: Viewer,
        *,
        limit: int | None = None,
        alpha: float | None = None,
        documents: frozenset[DocumentId] | None = None,
        reranked: bool = True,
    ) -> list[Why]:
        """The hits of ``search``, each with its places on the sides of the search and the words that it has.

        Not ``reranked`` they are all that a reranker would be shown, and it is not asked.
        """
        if self._ranking is not None and not reranked:
            plain = Retrieval(self._store, self._embedder, self._catalogue, self._settings)
            limit = max(limit or self._settings.search_limit, self._ranking.candidates)
            return await plain.explain(workspace, query, viewer, limit=limit, alpha=alpha, documents=documents)
        hits = await self.search(workspace, query, viewer, limit=limit, alpha=alpha, documents=documents)
        if not hits:
            return []
        asked = await self._query(workspace, query, viewer, limit, alpha, documents)
        return await explained(hits, asked, self._store, self._catalogue, viewer)

    async def _query(
        self,
        workspace: str,
        query: str,
        viewer: Viewer,
        limit: int | None,
        alpha: float | None,
        documents: frozenset[DocumentId] | None,
    ) -> HybridQuery:
        settings = self._settings
        vector, in_flight = await asyncio.gather(self._embedder.query(query), self._catalogue.in_flight(workspace))
        return HybridQuery(
            workspace=workspace,
            text=query,
            vector=vector,
            audiences=viewer.audiences,
            limit=min(max(limit if limit is not None else settings.search_limit, 1), MOST_HITS),
            alpha=min(max(alpha if alpha is not None else settings.search_alpha, 0.0), 1.0),
            fusion=settings.search_fusion,
            weights={"passage": settings.search_passage_weight, "context": settings.search_context_weight},
            excluded_versions=in_flight,
            documents=documents,
            properties=PROPERTIES,
            explain=True,  # people are told in what terms a passage matched
        )

    async def _ranked(self, query: HybridQuery, viewer: Viewer, ranking: SecondRanking) -> list[Hit]:
        """The best of more than are wanted. What stopped answering while they were judged is left out again.

        Where that happened, all is done once more: a newer version may answer in its place.
        """
        deep = replace(query, limit=max(query.limit, ranking.candidates))
        ordered: list[Hit] = []
        for _ in range(_RANKINGS):
            hits = await self._published_only(deep, viewer)
            ordered = await ranking.ordered(query.text, hits)
            published = await self._catalogue.published(query.workspace, {hit.document for hit in ordered})
            ordered = [hit for hit in ordered if published.get(hit.document) == hit.version]
            if len(ordered) == len(hits):
                break
            deep = replace(deep, excluded_versions=await self._catalogue.in_flight(query.workspace))
        return ordered[: query.limit]

    async def _published_only(self, query: HybridQuery, viewer: Viewer) -> list[Hit]:
        """Ask until what was asked and what the catalogue says agree; nearly always that is once.

        The catalogue may change between the two. Say version 2 of a document is published meanwhile: it was excluded,
        and version 1 is dropped or deleted already. Then the question is asked again, without what was dropped and with
        what is no longer in flight: the hits are topped up and the document is not missing.
        """
        in_flight, strays = query.excluded_versions, frozenset[VersionId]()
        limit = query.limit
        kept: list[Hit] = []
        for _ in range(_ROUNDS):
            hits = await self._store.hybrid(replace(query, excluded_versions=in_flight | strays, limit=limit))
            published, now = await asyncio.gather(
                self._catalogue.published(query.workspace, {hit.document for hit in hits}),
                self._catalogue.in_flight(query.workspace),
            )
            answering = [hit for hit in hits if published.get(hit.document) == hit.version]
            kept = [hit for hit in answering if viewer.may_read(hit.audience)]
            if len(answering) == len(hits) and in_flight <= now:
                break
            strays |= {hit.version for hit in hits} - {hit.version for hit in answering} - now
            in_flight = now
            limit = MOST_HITS  # the server looks at as many anyway, and more of them tell of more to leave out
        return kept[: query.limit]
