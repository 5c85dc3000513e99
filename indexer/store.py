"""The passages in Weaviate: written by document version, found by hybrid search, deleted and counted.

One collection, a tenant a workspace. Its name carries the number of its shape and the vectors' dimensions
(``Passage_v1_d384``): another shape, or an embedder of other dimensions, gets a collection of its own beside the old
one, so nothing is ever read as what it is not. Whether an existing one really has the shape is checked on connecting.
"""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import httpx
import numpy as np
import weaviate
import weaviate.classes as wvc
from numpy.typing import NDArray
from weaviate.classes.query import Filter, HybridFusion, MetadataQuery, TargetVectors
from weaviate.collections import CollectionAsync
from weaviate.collections.classes.filters import FilterReturn
from weaviate.exceptions import WeaviateBaseError

from indexer.documents import Audience, Chunk, Context, ContextKind, Document, DocumentId, Hit, Passage, VersionId
from indexer.errors import SettingsInvalid, SituateError, StoreFailed, WeaviateUnavailable
from indexer.weaviate_server import Endpoint

VECTORS = ("passage", "context")
# Trigrams of letters and digits, lower-cased, across spaces and punctuation. They find Japanese and Chinese, which
# `word` cannot cut; parts of compounds, camelCase and snake_case names; codes such as INC-2023-04-011 as a whole. On
# code and European languages they are level with `word`. `gse` and `kagome` need settings of the server that a server
# at WEAVIATE_URL may not have. What it costs: a query of fewer than three letters has no keyword side.
TOKENIZATION = wvc.config.Tokenization.TRIGRAM
LONGEST_QUERY = 2_000  # characters; more are cut: BM25's work grows with each trigram

_SHAPE = 1
_NAMESPACE = uuid.UUID("0d9d5c55-8f4e-5a7e-8d0c-2f6b1f5b0a11")
_BATCH_COUNT = 200
_BATCH_BYTES = 8_000_000  # the server takes messages of 100 MB; small ones keep the loop free and the progress moving
_PAGE = 1_000
_WRITE_PATIENCE = 4  # a write may take so many times as long as a query
_HEALTH_SECONDS = 5.0
_SIDE = re.compile(r"Hybrid \(Result Set (\w+)[^)]*\) Document \S+?:? (?:original score|contributed) ([-+.\deE]+)")

# The client logs refused objects whole, with their text, and every retry: ours is said in our own errors.
logging.getLogger("weaviate-client").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """A search. ``audiences`` and ``excluded_versions`` are part of the query: the server never gives anything else.

    ``alpha`` is 0 for keywords only, 1 for vectors only. ``weights`` are of the named vectors (``passage``,
    ``context``); a weight of 0 leaves the vector out. ``properties`` are searched by BM25, boosts as in ``context^2``.
    ``documents`` limits the search to these; None is all. ``explain`` fills ``Hit.scores``.
    """

    workspace: str
    text: str
    vector: NDArray[np.float32]
    audiences: frozenset[Audience]
    limit: int
    offset: int = 0
    alpha: float = 0.5
    fusion: Literal["relative_score", "ranked"] = "relative_score"
    weights: Mapping[str, float] = field(default_factory=lambda: {"passage": 0.6, "context": 0.4})
    excluded_versions: frozenset[VersionId] = frozenset()
    documents: frozenset[DocumentId] | None = None
    properties: Sequence[str] = ("title", "context^2", "text")
    explain: bool = False


class Store:
    """A connection to one collection. Made by ``connect``, ended by ``close``; safe for concurrent tasks.

    Every method raises ``WeaviateUnavailable`` where the server does not answer, ``StoreFailed`` where it refuses.
    Reading a workspace that has nothing gives nothing.
    """

    def __init__(
        self,
        client: weaviate.WeaviateAsyncClient,
        collection: CollectionAsync[Any, Any],
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
        cls, endpoint: Endpoint, *, api_key: str | None, dimensions: int, timeout_seconds: float
    ) -> Store:
        """Connect, see that REST and gRPC answer, and create the collection if it is missing.

        ``api_key`` is for a server at ``WEAVIATE_URL``; an embedded server's endpoint brings its own. A query may take
        ``timeout_seconds``.
        """
        key = endpoint.api_key or api_key
        client = weaviate.WeaviateAsyncClient(
            weaviate.connect.ConnectionParams.from_params(
                http_host=endpoint.host,
                http_port=endpoint.port,
                http_secure=endpoint.secure,
                grpc_host=endpoint.grpc_host,
                grpc_port=endpoint.grpc_port,
                grpc_secure=endpoint.grpc_secure,
            ),
            auth_client_secret=wvc.init.Auth.api_key(key) if key else None,
            additional_config=wvc.init.AdditionalConfig(
                timeout=wvc.init.Timeout(
                    init=timeout_seconds, query=timeout_seconds, insert=timeout_seconds * _WRITE_PATIENCE
                )
            ),
            skip_init_checks=True,  # they ask PyPI for the client's newest version; gRPC is checked below
        )
        where = f"{endpoint.host}:{endpoint.port}"
        try:
            async with _talking(timeout_seconds, f"Weaviate at {where} does not answer"):
                await client.connect()
            collection = client.collections.use(_collection_name(dimensions))
            await _ensure_collection(client, collection, timeout_seconds)
            await _check_grpc(collection, endpoint, min(timeout_seconds, _HEALTH_SECONDS))
        except BaseException:
            await client.close()
            raise
        return cls(client, collection, dimensions=dimensions, timeout_seconds=timeout_seconds)

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

        ``vectors`` are ``{"passage": (n, dimensions), "context": (n, dimensions)}``. ``progress`` gets how many more
        are written. ``StoreFailed`` if any was refused; what was written stays, for ``delete``.
        """
        shapes = {name: vectors[name].shape if name in vectors else None for name in VECTORS}
        if any(shape != (len(passages), self._dimensions) for shape in shapes.values()):
            raise StoreFailed(f"The vectors of '{document.title}' do not fit its {len(passages)} passages: {shapes}.")
        tenant = self._collection.with_tenant(document.workspace)
        for batch in _batches(document, version, passages, vectors):
            try:
                async with _talking(self._seconds * _WRITE_PATIENCE):
                    done = await tenant.data.insert_many(batch)
            except (UnicodeError, ValueError, TypeError) as error:  # what cannot be encoded never leaves the client
                raise StoreFailed(f"'{document.title}' holds something that cannot be stored ({error}).") from error
            if done.errors:
                reason = next(iter(done.errors.values())).message
                raise StoreFailed(
                    f"The database refused {len(done.errors)} of {len(batch)} passages of '{document.title}' "
                    f"({_short(reason)})."
                )
            if progress:
                progress(len(batch))

    async def count(self, workspace: str, version: VersionId) -> int:
        """How many passages of this version there are."""
        return await self._count(workspace, Filter.by_property("version").equal(version))

    async def delete(self, workspace: str, version: VersionId) -> None:
        """Delete all passages of a version and see that none is left."""
        await self._delete(workspace, Filter.by_property("version").equal(version))

    async def delete_document(self, workspace: str, document: DocumentId) -> None:
        """Delete all passages of all versions of a document and see that none is left."""
        await self._delete(workspace, Filter.by_property("document").equal(document))

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
            async with _talking(self._seconds), _nothing_without_tenant():
                page = await tenant.query.fetch_objects(
                    filters=Filter.by_property("version").equal(version) & within,
                    limit=_PAGE,
                    return_properties=_PASSAGE_PROPERTIES,
                )
                found += [_passage(each.properties) for each in page.objects]
        return sorted(found, key=lambda passage: passage.chunk.position)

    async def hybrid(self, query: HybridQuery) -> list[Hit]:
        """The best passages for the query, best first. No audience, or an empty choice of documents: none."""
        if not query.audiences or (query.documents is not None and not query.documents):
            return []
        weights = {name: weight for name, weight in query.weights.items() if weight > 0}
        text = searchable(query.text)
        alpha = query.alpha if text else 1.0  # there are no words to look for
        if not weights:
            raise SettingsInvalid("No vector has a weight: set SEARCH_PASSAGE_WEIGHT or SEARCH_CONTEXT_WEIGHT above 0.")
        vector = query.vector.tolist()
        several = len(weights) > 1
        tenant = self._collection.with_tenant(query.workspace)
        async with _talking(self._seconds), _nothing_without_tenant():
            answer = await tenant.query.hybrid(
                query=text or None,
                vector=dict.fromkeys(weights, vector) if several else vector,
                target_vector=TargetVectors.relative_score(dict(weights)) if several else next(iter(weights)),
                alpha=alpha,
                fusion_type=HybridFusion.RANKED if query.fusion == "ranked" else HybridFusion.RELATIVE_SCORE,
                query_properties=list(query.properties),
                filters=_visible(query),
                limit=query.limit,
                offset=query.offset,
                return_metadata=MetadataQuery(score=True, explain_score=query.explain),
                return_properties=_HIT_PROPERTIES,
            )
            return [
                _hit(each.properties, each.metadata.score or 0.0, each.metadata.explain_score)
                for each in answer.objects
            ]
        return []

    async def _count(self, workspace: str, where: FilterReturn) -> int:
        async with _talking(self._seconds), _nothing_without_tenant():
            tenant = self._collection.with_tenant(workspace)
            counted = await tenant.aggregate.over_all(filters=where, total_count=True)
            return counted.total_count or 0
        return 0

    async def _delete(self, workspace: str, where: FilterReturn) -> None:
        """The server deletes at most 10,000 objects at once (its QUERY_MAXIMUM_RESULTS), so: until none is left."""
        tenant = self._collection.with_tenant(workspace)
        left = await self._count(workspace, where)
        while left:
            async with _talking(self._seconds * _WRITE_PATIENCE):
                await tenant.data.delete_many(where=where)
            before, left = left, await self._count(workspace, where)
            if left >= before:
                raise StoreFailed(f"The database did not delete {left} passages: try again, or see the server's log.")


def searchable(text: str) -> str:
    """What of a question can be sent: no lone surrogates, no control characters, at most ``LONGEST_QUERY`` characters.

    >>> searchable(" INC-2023\\x00\\ud800  closed? ")
    'INC-2023 closed?'
    """
    encodable = text[: 4 * LONGEST_QUERY].encode("utf-8", "ignore").decode()
    printable = "".join(char if char.isprintable() else " " for char in encodable)
    return " ".join(printable.split())[:LONGEST_QUERY]


def _collection_name(dimensions: int) -> str:
    return f"Passage_v{_SHAPE}_d{dimensions}"


def _properties() -> list[wvc.config.Property]:
    kind, make = wvc.config.DataType, wvc.config.Property

    def key(name: str) -> wvc.config.Property:
        # `field`: the whole value is one token. With `word`, a filter on channel:C123 also lets channel:C123:U9 in.
        whole = wvc.config.Tokenization.FIELD
        return make(name=name, data_type=kind.TEXT, tokenization=whole, index_filterable=True, index_searchable=False)

    def words(name: str) -> wvc.config.Property:
        return make(
            name=name, data_type=kind.TEXT, tokenization=TOKENIZATION, index_filterable=False, index_searchable=True
        )

    def kept(name: str, of: wvc.config.DataType) -> wvc.config.Property:
        text = of in (kind.TEXT, kind.TEXT_ARRAY)
        return make(name=name, data_type=of, index_filterable=False, index_searchable=False if text else None)

    return [
        *(key(name) for name in ("document", "version", "audience", "source", "language", "context_kind")),
        *(words(name) for name in ("title", "context", "text")),
        make(name="position", data_type=kind.INT, index_filterable=True, index_range_filters=True),
        *(kept(name, kind.INT) for name in ("start", "end")),
        kept("pages", kind.INT_ARRAY),
        kept("heading_path", kind.TEXT_ARRAY),
        *(kept(name, kind.TEXT) for name in ("url", "failure")),
        *(kept(name, kind.DATE) for name in ("date", "added_at")),
    ]


_CHUNK = ("position", "start", "end", "text", "heading_path", "pages")
_PASSAGE_PROPERTIES = [*_CHUNK, "context", "context_kind", "failure"]
_DOCUMENT = ("document", "version", "title", "audience", "source", "url", "date", "language")
_HIT_PROPERTIES = [*_PASSAGE_PROPERTIES, *_DOCUMENT]


async def _ensure_collection(
    client: weaviate.WeaviateAsyncClient, collection: CollectionAsync[Any, Any], seconds: float
) -> None:
    """Create the collection, or see that the one of this name has the tokenizations and vectors that we rely on."""
    async with _talking(seconds * _WRITE_PATIENCE, "The collection cannot be created"):
        if not await collection.exists():
            try:
                await client.collections.create(
                    collection.name,
                    properties=_properties(),
                    vector_config=[
                        wvc.config.Configure.Vectors.self_provided(
                            name=name,
                            vector_index_config=wvc.config.Configure.VectorIndex.hnsw(
                                distance_metric=wvc.config.VectorDistances.COSINE
                            ),
                            quantizer=wvc.config.Configure.VectorIndex.Quantizer.none(),
                        )
                        for name in VECTORS
                    ],
                    inverted_index_config=wvc.config.Configure.inverted_index(
                        # "services not covered" without "not" is another question.
                        stopwords_preset=wvc.config.StopwordsPreset.NONE
                    ),
                    multi_tenancy_config=wvc.config.Configure.multi_tenancy(
                        enabled=True, auto_tenant_creation=True, auto_tenant_activation=True
                    ),
                )
            except WeaviateBaseError:
                if not await collection.exists():  # else another process was faster
                    raise
        shape = await collection.config.get()
    there = {each.name: each.tokenization for each in shape.properties}
    lacking = sorted(
        wanted.name
        for wanted in _properties()
        if wanted.name not in there or (wanted.tokenization and there[wanted.name] != wanted.tokenization)
    )
    lacking += sorted(set(VECTORS) - set(shape.vector_config or {}))
    if lacking or not shape.multi_tenancy_config.enabled:
        raise WeaviateUnavailable(
            f"The collection {collection.name} on the Weaviate server is not of our making ({', '.join(lacking)}): "
            f"remove or rename it, or use another server."
        )


async def _check_grpc(collection: CollectionAsync[Any, Any], endpoint: Endpoint, seconds: float) -> None:
    """A call over gRPC, the way that all data goes: half a server is found out here, not at the first document."""
    address = f"{endpoint.grpc_host}:{endpoint.grpc_port}"
    problem = f"Weaviate answers at {endpoint.host}:{endpoint.port} but its gRPC port {address} does not"
    async with _talking(seconds, problem, advice="open that port or set WEAVIATE_GRPC_PORT to the right one"):
        await collection.tenants.get_by_name("situate")


def _batches(
    document: Document, version: VersionId, passages: Sequence[Passage], vectors: Mapping[str, NDArray[np.float32]]
) -> Iterator[list[wvc.data.DataObject[Any, Any]]]:
    """The objects to write, bounded by count and by size."""
    batch: list[wvc.data.DataObject[Any, Any]] = []
    size = 0
    fixed = 1_000 + 4 * sum(matrix.shape[1] for matrix in vectors.values()) + 4 * len(document.title)
    for row, passage in enumerate(passages):
        weight = fixed + 4 * (len(passage.chunk.text) + len(passage.context.text))
        if batch and (len(batch) >= _BATCH_COUNT or size + weight > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(
            wvc.data.DataObject(
                properties=_stored(document, version, passage),
                uuid=uuid.uuid5(_NAMESPACE, f"{document.workspace}\x00{version}#{passage.chunk.position}"),
                vector={name: vectors[name][row].tolist() for name in VECTORS},
            )
        )
        size += weight
    if batch:
        yield batch


def _stored(document: Document, version: VersionId, passage: Passage) -> dict[str, Any]:
    chunk, context = passage.chunk, passage.context
    properties = {
        "document": document.id,
        "version": version,
        "audience": str(document.audience),
        "source": document.source,
        "title": document.title,
        "url": document.url,
        "date": _aware(document.date),
        "added_at": _aware(document.added_at),
        "language": document.language,
        "position": chunk.position,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "heading_path": list(chunk.heading_path),
        "pages": list(chunk.pages),
        "context": context.text,
        "context_kind": context.kind.value,
        "failure": context.failure,
    }
    return {name: value for name, value in properties.items() if value is not None and value != []}


def _aware(date: datetime | None) -> datetime | None:
    return date.replace(tzinfo=UTC) if date is not None and date.tzinfo is None else date


def _passage(stored: Mapping[str, Any]) -> Passage:
    chunk = Chunk(
        position=int(stored["position"]),
        start=int(stored["start"]),
        end=int(stored["end"]),
        text=stored["text"],
        heading_path=tuple(stored.get("heading_path") or ()),
        pages=tuple(int(page) for page in stored.get("pages") or ()),
    )
    context = Context(stored.get("context") or "", ContextKind(stored["context_kind"]), stored.get("failure"))
    return Passage(chunk, context)


def _hit(stored: Mapping[str, Any], score: float, explained: str | None) -> Hit:
    passage = _passage(stored)
    return Hit(
        document=DocumentId(stored["document"]),
        version=VersionId(stored["version"]),
        title=stored["title"],
        audience=Audience.parse(stored["audience"]),
        source=stored["source"],
        chunk=passage.chunk,
        context=passage.context,
        score=score,
        url=stored.get("url"),
        date=stored.get("date"),
        language=stored.get("language"),
        scores=_sides(explained or ""),
    )


def _sides(explained: str) -> dict[str, float]:
    """The score of each side, from the server's explanation of the fused one.

    With relative scores that is the side's own score, with ranked fusion what it contributed.

    >>> _sides("Hybrid (Result Set keyword,bm25) Document 1a: original score 3.5, normalized score: 0.5")
    {'keyword': 3.5}
    """
    return {side: float(score) for side, score in _SIDE.findall(explained)}


def _visible(query: HybridQuery) -> FilterReturn:
    visible: FilterReturn = Filter.by_property("audience").contains_any(sorted(map(str, query.audiences)))
    if query.excluded_versions:
        visible &= Filter.by_property("version").contains_none(sorted(query.excluded_versions))
    if query.documents is not None:
        visible &= Filter.by_property("document").contains_any(sorted(query.documents))
    return visible


class _NoTenant(Exception):
    """The workspace has never had a document."""


@asynccontextmanager
async def _nothing_without_tenant() -> AsyncIterator[None]:
    """Leave the block quietly where the tenant does not exist."""
    try:
        yield
    except WeaviateBaseError as error:
        if not re.search(r"tenant (with name \S+ )?(does )?not (found|exist)", str(error), re.IGNORECASE):
            raise


@asynccontextmanager
async def _talking(
    seconds: float, problem: str = "The database does not answer", *, advice: str = "see that the server runs"
) -> AsyncIterator[None]:
    """Bounds a call in time and turns the client's errors into ours. The client itself retries what was not taken."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except (TimeoutError, httpx.HTTPError, OSError) as error:
        raise WeaviateUnavailable(f"{problem}: {advice}, then try again.") from error
    except WeaviateBaseError as error:
        raise _explained(error, problem, advice) from error


def _explained(error: WeaviateBaseError, problem: str, advice: str) -> SituateError:
    code = _grpc_code(error)
    text = f"{type(error).__name__} {error}"
    if code == "UNAUTHENTICATED" or re.search(r"\b401\b|Unauthenticated|AuthenticationFailed", text):
        return WeaviateUnavailable("Weaviate refuses the key: set WEAVIATE_API_KEY to one that it takes.")
    if code in ("UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED") or re.search(
        r"WeaviateConnection|WeaviateTimeout|WeaviateStartUp|GRPCUnavailable|UNAVAILABLE|ClosedClient", text
    ):
        return WeaviateUnavailable(f"{problem}: {advice}, then try again.")
    return StoreFailed(f"The database refused ({_short(str(error))}).")


def _grpc_code(error: BaseException) -> str | None:
    """The name of the gRPC status behind the client's error, which keeps it as its cause or context only."""
    cause: BaseException | None = error
    while cause is not None:
        code = getattr(cause, "code", None)
        if callable(code):
            return str(getattr(code(), "name", None))
        cause = cause.__cause__ or cause.__context__
    return None


def _short(text: str) -> str:
    return " ".join(text.split())[:300]
