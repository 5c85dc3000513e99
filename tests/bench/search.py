"""A search through us beside the bare client that does the same."""

from __future__ import annotations

import random
from pathlib import Path

import weaviate
import weaviate.classes as wvc
from weaviate.classes.query import Filter, HybridFusion, MetadataQuery, TargetVectors

from indexer.documents import LOCAL_WORKSPACE, WORKSPACE, Viewer
from indexer.language import language_directions, without_language
from indexer.library import Indexer
from indexer.onnx_embedding import OnnxEmbedder
from indexer.store import searchable
from indexer.store.collection import collection_name
from indexer.store.objects import HIT_PROPERTIES
from indexer.weaviate_server import Endpoint, weaviate_server
from tests.bench.figures import Figure, Tell, in_turns, median_ratio, percentile
from tests.bench.indexes import add, bench_settings
from tests.bench.texts import markdown, question

LOCAL_NAME = f"{OnnxEmbedder.name}-neutral1"
CHUNKS = 20_000
QUESTIONS = 200
WARM_UP = 20
LIMIT = 10


async def measure(folder: Path, tell: Tell) -> list[Figure]:
    """p50 and p95 of 200 questions, each put both ways. Passages have hashed vectors: real ones would take hours.

    Questions are embedded by the local model on both sides, in this process. The bare side knows no catalogue: its
    filter is the audience alone, which is also what ours is while nothing is being indexed.
    """
    viewer = Viewer(frozenset({WORKSPACE}))
    building = bench_settings(folder, embedder="hashing", chunk_tokens=128)
    async with weaviate_server(building, notify=tell) as endpoint:
        async with Indexer.open(building) as indexer:
            # Each model has a collection of its own: these vectors go into the one that is searched.
            (await indexer.parts.embedder()).name = LOCAL_NAME  # type: ignore[misc]  # of a Protocol it is for reading
            found, seed = 0, 0
            while found < CHUNKS:
                texts = [markdown(number, sections=100, paragraphs=5, sentences=4) for number in range(seed, seed + 4)]
                found += sum(version.chunks for version in await add(indexer, *texts, name=f"bench-{seed}"))
                seed += 4
                tell(f"search: {found} of {CHUNKS} chunks indexed")
        rng = random.Random(7)  # noqa: S311  # no secrets here
        questions = [question(rng) for _ in range(WARM_UP + QUESTIONS)]
        async with Indexer.open(bench_settings(folder, embedder="local")) as indexer, _client(endpoint) as client:
            bare = _Bare(client)

            async def ours(text: str) -> list[str]:
                hits = await indexer.search(LOCAL_WORKSPACE, text, viewer, limit=LIMIT)
                return [hit.chunk.text for hit in hits]

            agreed = 0
            for text in questions[:WARM_UP]:
                agreed += await ours(text) == await bare.search(text)
            tell(f"search: both sides gave the same {LIMIT} hits for {agreed} of {WARM_UP} questions")
            us, them = await in_turns(questions[WARM_UP:], ours, bare.search)
    figures = []
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        ms, bare_ms = 1e3 * percentile(us, share), 1e3 * percentile(them, share)
        figures.append(
            Figure(f"search, {name}", ms / bare_ms, "×", 1.15, f"{ms:.1f} ms, bare {bare_ms:.1f} ms; {found} chunks")
        )
    detail = f"median of {QUESTIONS} pairs"
    return [*figures, Figure("search, pair by pair", median_ratio(us, them), "×", 1.15, detail)]


class _Bare:
    """The same search, written with the bare libraries."""

    def __init__(self, client: weaviate.WeaviateAsyncClient) -> None:
        self._model = OnnxEmbedder()
        self._tenant = client.collections.use(collection_name(384, LOCAL_NAME)).with_tenant(LOCAL_WORKSPACE)

    async def search(self, text: str) -> list[str]:
        vector = without_language(await self._model.query(text), language_directions()).tolist()
        answer = await self._tenant.query.hybrid(
            query=searchable(text),
            vector={"passage": vector, "context": vector},
            target_vector=TargetVectors.relative_score({"passage": 0.8, "context": 0.2}),
            alpha=0.6,
            fusion_type=HybridFusion.RELATIVE_SCORE,
            query_properties=["title_terms", "context_terms", "text_terms"],
            filters=Filter.by_property("audience").contains_any([str(WORKSPACE)]),
            limit=LIMIT,
            return_metadata=MetadataQuery(score=True),
            return_properties=HIT_PROPERTIES,
        )
        return [str(each.properties["text"]) for each in answer.objects]


def _client(endpoint: Endpoint) -> weaviate.WeaviateAsyncClient:
    return weaviate.WeaviateAsyncClient(
        weaviate.connect.ConnectionParams.from_params(
            http_host=endpoint.host,
            http_port=endpoint.port,
            http_secure=endpoint.secure,
            grpc_host=endpoint.grpc_host,
            grpc_port=endpoint.grpc_port,
            grpc_secure=endpoint.grpc_secure,
        ),
        auth_client_secret=wvc.init.Auth.api_key(endpoint.api_key) if endpoint.api_key else None,
        skip_init_checks=True,
    )
