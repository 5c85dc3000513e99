"""The collection: its shape, and a client that is connected to it."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any

import weaviate
import weaviate.classes as wvc
from weaviate.collections import CollectionAsync
from weaviate.exceptions import WeaviateBaseError

from indexer.errors import StoreFailed, WeaviateUnavailable
from indexer.store.talking import WRITE_PATIENCE, talking
from indexer.weaviate_server import Endpoint

Collection = CollectionAsync[Any, Any]

VECTORS = ("passage", "context")
# The words that are searched come apart in `indexer/terms.py`, so here they only end at spaces. None of the server's
# own ways does as well on all that is written: `word` cannot cut Japanese, `trigram` knows no word from another and
# takes three times as long, `gse` and `kagome` need settings that a server at WEAVIATE_URL may not have.
TOKENIZATION = wvc.config.Tokenization.WHITESPACE
# In memory vectors are kept in eight bits a number, a quarter of the room; so many of the nearest by these are compared
# anew by the whole ones, from the disk. It is what each side of a hybrid search looks at (the server's
# QUERY_HYBRID_MAXIMUM_RESULTS). Where it is less than what is asked for, the server reads all that it came by instead,
# five times as many.
RESCORED = 100
# Of a graph of a million, so many candidates hold 0.998 of a context's 20 nearest; the server's own choice, eight times
# what is asked for and 500 at most, 0.946. It costs next to nothing: docs/retrieval.md, *How it grows*.
CANDIDATES = 800

_SHAPE = 2  # one more whenever a property or an index changes
_OLDEST = (1, 33)  # the first server whose filters know contains_none
_HEALTH_SECONDS = 5.0
_CHANNEL_OPTIONS = [
    # A server that comes back is found within a second. gRPC would wait up to two minutes, and it makes a new client
    # wait with the old one, since both share one connection to an address.
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.use_local_subchannel_pool", 1),
]


async def open_collection(
    endpoint: Endpoint, *, api_key: str | None, dimensions: int, seconds: float, model: str | None = None
) -> tuple[weaviate.WeaviateAsyncClient, Collection]:
    """A connected client and the collection, created if it is missing. REST and gRPC have both answered."""
    client = weaviate.WeaviateAsyncClient(
        weaviate.connect.ConnectionParams.from_params(
            http_host=endpoint.host,
            http_port=endpoint.port,
            http_secure=endpoint.secure,
            grpc_host=endpoint.grpc_host,
            grpc_port=endpoint.grpc_port,
            grpc_secure=endpoint.grpc_secure,
        ),
        auth_client_secret=wvc.init.Auth.api_key(api_key) if api_key else None,
        additional_config=wvc.init.AdditionalConfig(
            timeout=wvc.init.Timeout(init=seconds, query=seconds, insert=seconds * WRITE_PATIENCE),
            grpc_config=wvc.init.GrpcConfig(channel_options=_CHANNEL_OPTIONS),
        ),
        skip_init_checks=True,  # they ask PyPI for the client's newest version; gRPC is checked below
    )
    where = f"{endpoint.host}:{endpoint.port}"
    try:
        async with talking(seconds, f"Weaviate at {where} does not answer"):
            try:
                await client.connect()
                version = str((await client.get_meta())["version"])
            except (KeyError, ValueError, TypeError, AttributeError) as error:  # the client expects what Weaviate says
                raise WeaviateUnavailable(f"What answers at {where} is not Weaviate: see WEAVIATE_URL.") from error
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if numbers < _OLDEST:
            raise WeaviateUnavailable(
                f"Weaviate at {where} is of version {version}: use {_OLDEST[0]}.{_OLDEST[1]} or newer."
            )
        collection: Collection = client.collections.use(collection_name(dimensions, model))
        await check_grpc(collection, endpoint, min(seconds, _HEALTH_SECONDS))
        await ensure_collection(client, collection, seconds)
    except BaseException:
        await client.close()
        raise
    return client, collection


def collection_name(dimensions: int, model: str | None = None) -> str:
    """The collection for vectors of so many dimensions, made by this model, in today's shape.

    Vectors of two models mean nothing to each other, also where they are of one length, so the name has a hash of the
    model's: ``Passage_v2_d384_1f0e3dad``. Without a model (None) it has none: ``Passage_v2_d384``.
    """
    own = f"_{hashlib.sha256(model.encode()).hexdigest()[:8]}" if model else ""
    return f"Passage_v{_SHAPE}_d{dimensions}{own}"


def todays_properties() -> list[wvc.config.Property]:
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
        *(words(name) for name in ("title_terms", "context_terms", "text_terms")),
        make(name="position", data_type=kind.INT, index_filterable=True, index_range_filters=True),
        *(kept(name, kind.INT) for name in ("start", "end")),
        kept("pages", kind.INT_ARRAY),
        kept("heading_path", kind.TEXT_ARRAY),
        *(kept(name, kind.TEXT) for name in ("title", "context", "text", "url", "failure", "places")),
        *(kept(name, kind.DATE) for name in ("date", "added_at")),
    ]


async def ensure_collection(client: weaviate.WeaviateAsyncClient, collection: Collection, seconds: float) -> None:
    """Create the collection, or see that the one of this name has the tokenizations and vectors that we rely on."""
    async with talking(seconds * WRITE_PATIENCE, "The collection cannot be created"):
        if not await collection.exists():
            try:
                await client.collections.create(
                    collection.name,
                    properties=todays_properties(),
                    vector_config=[
                        wvc.config.Configure.Vectors.self_provided(
                            name=name,
                            vector_index_config=wvc.config.Configure.VectorIndex.hnsw(
                                distance_metric=wvc.config.VectorDistances.COSINE, ef=CANDIDATES
                            ),
                            quantizer=wvc.config.Configure.VectorIndex.Quantizer.rq(bits=8, rescore_limit=RESCORED),
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
        for wanted in todays_properties()
        if wanted.name not in there or (wanted.tokenization and there[wanted.name] != wanted.tokenization)
    )
    lacking += sorted(set(VECTORS) - set(shape.vector_config or {}))
    if lacking or not shape.multi_tenancy_config.enabled:
        raise WeaviateUnavailable(
            f"The collection {collection.name} on the Weaviate server is not of our making ({', '.join(lacking)}): "
            f"remove or rename it, or use another server."
        )


async def check_grpc(collection: Collection, endpoint: Endpoint, seconds: float) -> None:
    """A call over gRPC, the way that all data goes: half a server is found out here, not at the first document."""
    address = f"{endpoint.grpc_host}:{endpoint.grpc_port}"
    problem = f"Weaviate answers at {endpoint.host}:{endpoint.port} but its gRPC port {address} does not"
    with suppress(StoreFailed):  # a new server has no such collection yet: that answer, too, came over gRPC
        async with talking(seconds, problem, advice="open that port or set WEAVIATE_GRPC_PORT to the right one"):
            await collection.tenants.get_by_names(["situate"])  # `get_by_name` would go over REST
