"""Writing, reading, finding and deleting passages."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx
import numpy as np
import weaviate
import weaviate.classes as wvc
from numpy.typing import NDArray
from weaviate.classes.query import Filter, HybridFusion, MetadataQuery, TargetVectors
from weaviate.collections.classes.filters import FilterReturn
from weaviate.exceptions import WeaviateBaseError

from indexer.documents import Document, DocumentId, Hit, Passage, VersionId
from indexer.errors import SettingsInvalid, StoreFailed
from indexer.store.collection import VECTORS, Collection, open_collection
from indexer.store.objects import HIT_PROPERTIES, PASSAGE_PROPERTIES, scored, stored, stored_hit, stored_passage
from indexer.store.query import SCORED_PROPERTIES, HybridQuery, Scored, searchable, searched, visible
from indexer.store.talking import WRITE_PATIENCE, nothing_without_tenant, remedy, short, talking
from indexer.weaviate_server import Endpoint

_NAMESPACE = uuid.UUID("0d9d5c55-8f4e-5a7e-8d0c-2f6b1f5b0a11")
_BATCH_COUNT = 100
_BATCH_BYTES = 8_000_000  # the server takes 100 MB; small messages keep the loop free and the progress moving
_PAGE = 1_000


class Store:
    """A connection to one collection. Made by ``connect``, ended by ``close``; safe for concurrent tasks.

    Every method raises ``WeaviateUnavailable`` where the server does not answer, ``StoreFailed`` where it refuses.
    Reading a workspace that has nothing gives nothing.
    """

    def __init__(
        self,
        client: weaviate.WeaviateAsyncClient,
        collection: Collection,
        *,
        dimensions: int,
        timeout_seconds: float,
    ) -> None:
        self._client = client
        self._collection = collection
        self._dimensions = dimensions
        self._seconds = timeout_seconds

    @classmethod
    async def connect(
        cls,
        endpoint: Endpoint,
        *,
        api_key: str | None,
        dimensions: int,
        timeout_seconds: float,
        model: str | None = None,
    ) -> Store:
        """Connect, see that REST and gRPC answer, and create the collection if it is missing.

        ``api_key`` is for a server at ``WEAVIATE_URL``; an embedded server's endpoint brings its own. A query may take
        ``timeout_seconds``. ``model`` names what makes the vectors; each has a collection of its own.
        """
        client, collection = await open_collection(
            endpoint,
            api_key=endpoint.api_key or api_key,
            dimensions=dimensions,
            seconds=timeout_seconds,
            model=model,
        )
        return cls(client, collection, dimensions=dimensions, timeout_seconds=timeout_seconds)

    async def version(self) -> str:
        """The server's version, asked now."""
        async with talking(self._seconds):
            return str((await self._client.get_meta())["version"])

    async def close(self) -> None:
        """End the connection."""
        with suppress(WeaviateBaseError, httpx.HTTPError):
            await self._client.close()

    async def put(
        self,
        document: Document,
        version: VersionId,
        passages: Sequence[Passage],
        vectors: Mapping[str, NDArray[np.float32]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Write the passages of a version. Again writes the same objects: their ids follow from version and position.

        ``vectors`` are ``{"passage": (n, dimensions), "context": (n, dimensions)}``. ``progress`` gets how many are
        written so far. ``StoreFailed`` if any was refused; what was written stays, for ``delete``.
        """
        for name in VECTORS:
            given = vectors.get(name)
            if given is None or given.shape != (len(passages), self._dimensions) or not np.isfinite(given).all():
                raise StoreFailed(
                    f"'{document.title}' has no right {name} vectors (wanted {len(passages)} of {self._dimensions} "
                    f"finite numbers): add it again with the embedder that the index is made with."
                )
        tenant, written = self._collection.with_tenant(document.workspace), 0
        for batch in _batches(document, version, passages, vectors):
            try:
                async with talking(self._seconds * WRITE_PATIENCE):
                    refused = (await tenant.data.insert_many(batch)).errors
            except (UnicodeError, ValueError, TypeError) as error:  # what cannot be encoded never leaves the client
                raise StoreFailed(f"'{document.title}' holds something that cannot be stored ({error}).") from error
            if refused:  # the client raises only where the server refused all
                reason = next(iter(refused.values())).message
                raise StoreFailed(
                    f"The database refused {len(refused)} of {len(batch)} passages of '{document.title}' "
                    f"({short(reason)}): {remedy(reason)}."
                )
            written += len(batch)
            if progress:
                progress(written)

    async def count(self, workspace: str, version: VersionId) -> int:
        """How many passages of this version there are."""
        return await self._count(workspace, Filter.by_property("version").equal(version))

    async def total(self, workspace: str) -> int:
        """How many passages there are in a workspace, of all versions."""
        return await self._count(workspace, None)

    async def delete(self, workspace: str, version: VersionId) -> None:
        """Delete all passages of a version and see that none is left."""
        await self._delete(workspace, Filter.by_property("version").equal(version))

    async def delete_document(self, workspace: str, document: DocumentId) -> None:
        """Delete all passages of all versions of a document and see that none is left."""
        await self._delete(workspace, Filter.by_property("document").equal(document))

    async def workspaces(self) -> list[str]:
        """The workspaces that have, or had, passages."""
        async with talking(self._seconds):
            return sorted(await self._collection.tenants.get())

    async def drop(self, workspace: str) -> None:
        """Delete a workspace with all that is in it."""
        async with talking(self._seconds * WRITE_PATIENCE):
            await self._collection.tenants.remove([workspace])

    async def passages(
        self, workspace: str, version: VersionId, start: int = 0, end: int | None = None
    ) -> list[Passage]:
        """The passages at positions ``start`` to ``end`` (exclusive; None is all), in order; missing ones left out."""
        if end is None:
            end = await self.count(workspace, version)
        tenant = self._collection.with_tenant(workspace)
        position = Filter.by_property("position")
        found: list[Passage] = []
        for first in range(max(start, 0), end, _PAGE):
            within = position.greater_or_equal(first) & position.less_than(min(first + _PAGE, end))
            async with talking(self._seconds), nothing_without_tenant():
                page = await tenant.query.fetch_objects(
                    filters=Filter.by_property("version").equal(version) & within,
                    limit=_PAGE,
                    return_properties=PASSAGE_PROPERTIES,
                )
                found += [stored_passage(each.properties) for each in page.objects]
        return sorted(found, key=lambda passage: passage.chunk.position)

    async def hybrid(self, query: HybridQuery) -> list[Hit]:
        """The best passages for the query, best first. No audience, or an empty choice of documents: none."""
        if not query.audiences or (query.documents is not None and not query.documents):
            return []
        text = searchable(query.text)
        alpha = query.alpha if text else 1.0  # there are no words to look for
        vector, targets = _targeted(query)
        tenant = self._collection.with_tenant(query.workspace)
        async with talking(self._seconds), nothing_without_tenant():
            answer = await tenant.query.hybrid(
                query=text or None,
                vector=vector,
                target_vector=targets,
                alpha=alpha,
                fusion_type=HybridFusion.RANKED if query.fusion == "ranked" else HybridFusion.RELATIVE_SCORE,
                query_properties=searched(query.properties),
                filters=visible(query),
                limit=query.limit,
                offset=query.offset,
                return_metadata=MetadataQuery(score=True, explain_score=query.explain),
                return_properties=HIT_PROPERTIES,
            )
            return [
                stored_hit(each.properties, each.metadata.score or 0.0, each.metadata.explain_score)
                for each in answer.objects
            ]
        return []

    async def nearest(self, query: HybridQuery) -> list[Scored]:
        """The vector side of ``hybrid`` by itself, best first: those of its vectors that have a weight, together.

        With one vector the score is the similarity (cosine); with several it counts within this search only.
        """
        if not query.audiences or (query.documents is not None and not query.documents):
            return []
        vector, targets = _targeted(query)
        tenant = self._collection.with_tenant(query.workspace)
        async with talking(self._seconds), nothing_without_tenant():
            answer = await tenant.query.near_vector(
                near_vector=vector,
                target_vector=targets,
                filters=visible(query),
                limit=query.limit,
                return_metadata=MetadataQuery(distance=True),
                return_properties=SCORED_PROPERTIES,
            )
            return [scored(one.properties, 1.0 - (one.metadata.distance or 0.0)) for one in answer.objects]
        return []

    async def keywords(self, query: HybridQuery) -> list[Scored]:
        """The keyword side of ``hybrid`` by itself, best first, over ``query.properties``; the score is BM25's."""
        text = searchable(query.text)
        if not text or not query.audiences or (query.documents is not None and not query.documents):
            return []
        tenant = self._collection.with_tenant(query.workspace)
        async with talking(self._seconds), nothing_without_tenant():
            answer = await tenant.query.bm25(
                query=text,
                query_properties=searched(query.properties),
                filters=visible(query),
                limit=query.limit,
                return_metadata=MetadataQuery(score=True),
                return_properties=SCORED_PROPERTIES,
            )
            return [scored(one.properties, one.metadata.score or 0.0) for one in answer.objects]
        return []

    async def _count(self, workspace: str, where: FilterReturn | None) -> int:
        async with talking(self._seconds), nothing_without_tenant():
            tenant = self._collection.with_tenant(workspace)
            counted = await tenant.aggregate.over_all(filters=where, total_count=True)
            return counted.total_count or 0
        return 0

    async def _delete(self, workspace: str, where: FilterReturn) -> None:
        """The server deletes at most 10,000 objects at once (its QUERY_MAXIMUM_RESULTS), so: until none is left."""
        tenant = self._collection.with_tenant(workspace)
        left = await self._count(workspace, where)
        while left:
            async with talking(self._seconds * WRITE_PATIENCE):
                await tenant.data.delete_many(where=where)
            before, left = left, await self._count(workspace, where)
            if left >= before:
                raise StoreFailed(f"The database did not delete {left} passages: try again, or see the server's log.")


def _targeted(query: HybridQuery) -> tuple[Any, Any]:
    """The vector of a query as the client wants it, and the named vectors that it is compared with."""
    weights: dict[str, float | list[float]] = {name: weight for name, weight in query.weights.items() if weight > 0}
    if not weights:
        raise SettingsInvalid("No vector has a weight: set SEARCH_PASSAGE_WEIGHT or SEARCH_CONTEXT_WEIGHT above 0.")
    vector = query.vector.tolist()
    if len(weights) == 1:
        return vector, next(iter(weights))
    return dict.fromkeys(weights, vector), TargetVectors.relative_score(weights)


def _batches(
    document: Document, version: VersionId, passages: Sequence[Passage], vectors: Mapping[str, NDArray[np.float32]]
) -> Iterator[list[wvc.data.DataObject[Any, Any]]]:
    """The objects to write, bounded by count and by size."""
    batch: list[wvc.data.DataObject[Any, Any]] = []
    size = 0
    fixed = 1_000 + 4 * sum(matrix.shape[1] for matrix in vectors.values()) + 12 * len(document.title)
    for row, passage in enumerate(passages):
        weight = fixed + 12 * (len(passage.chunk.text) + len(passage.context.text))  # each with its terms
        if batch and (len(batch) >= _BATCH_COUNT or size + weight > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(
            wvc.data.DataObject(
                properties=stored(document, version, passage),
                uuid=uuid.uuid5(_NAMESPACE, f"{document.workspace}\x00{version}#{passage.chunk.position}"),
                vector={name: vectors[name][row].tolist() for name in VECTORS},
            )
        )
        size += weight
    if batch:
        yield batch
