"""One run: an index of so many chunks, filled, searched, and opened again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from indexer.catalogue import Catalogue
from indexer.database import Database, database_url
from indexer.documents import LOCAL_WORKSPACE
from indexer.embedding import Embedder
from indexer.retrieval import Retrieval
from indexer.settings import IndexerSettings
from indexer.store import Store
from indexer.weaviate_server import Endpoint, weaviate_server
from tests.bench.figures import Tell, percentile, timed
from tests.bench.growth.corpus import EVERYTHING, ONE_CHANNEL, Corpus
from tests.bench.growth.filling import Filled, fill
from tests.bench.growth.measuring import Asked, Known, Times, recalls, times
from tests.bench.growth.seeds import Seeds
from tests.bench.growth.server import Memory, disk, server_memory, server_seconds
from tests.bench.indexes import bench_settings

QUESTIONS = 200
PATIENCE = 60.0  # seconds for a call; the product gives a search 15
SETTLE_SECONDS = 20.0  # for the server to write what it holds back, before memory is read


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    what: str
    figure: str


async def run(folder: Path, seeds: Seeds, chunks: int, embedder: Embedder, tell: Tell) -> list[Row]:
    """Fill, measure, stop the server and start it again. Nothing else may use the folder."""
    settings = bench_settings(folder, embedder="local")
    corpus = Corpus(seeds, chunks)
    asked, embedding = await _asked(corpus, embedder, tell)
    database = await Database.open(database_url(None, folder))
    known = Known(asked, embedder.name)

    async def worked() -> float:
        return await asyncio.to_thread(server_seconds, folder)

    try:
        async with weaviate_server(settings, notify=tell) as endpoint:
            empty = await asyncio.to_thread(server_memory, folder)
            store = await _connect(endpoint, known)
            filled = await fill(store, database, corpus, asked.vectors, tell, worked)
            after_import = await asyncio.to_thread(server_memory, folder)
            tell(f"filled in {filled.seconds:.0f} s; searching")
            retrieval = Retrieval(store, known, Catalogue(database), settings)
            taken = await times(retrieval, store, asked, worked)
            for what, spent in taken.items():
                tell(f"{what}: {spent}")
            recall = {
                "everything": await recalls(store, asked, filled, EVERYTHING, filled.everything),
                "channel": await recalls(store, asked, filled, ONE_CHANNEL, filled.channel),
            }
            tell(f"recall: {recall}")
            await store.close()
        again = await _again(folder, settings, database, known, asked, tell)
    finally:
        await database.close()
    return [
        *_filling_rows(corpus, filled),
        *_search_rows(recall, taken, embedding),
        *_size_rows(corpus, empty, after_import, again),
    ]


async def _asked(corpus: Corpus, embedder: Embedder, tell: Tell) -> tuple[Asked, Times]:
    texts = corpus.questions(QUESTIONS)
    vectors, ms = [], []
    for text in texts:
        seconds, vector = await timed(embedder.query(text))
        vectors.append(vector)
        ms.append(1e3 * seconds)
    embedding = Times(percentile(ms, 0.5), percentile(ms, 0.95))
    tell(f"{len(texts)} questions embedded, {embedding} each; such as: {texts[1]}")
    return Asked(texts, np.stack(vectors)), embedding


async def _connect(endpoint: Endpoint, embedder: Known) -> Store:
    return await Store.connect(
        endpoint, api_key=None, dimensions=embedder.dimensions, model=embedder.name, timeout_seconds=PATIENCE
    )


@dataclass(frozen=True, slots=True)
class Again:
    """The index opened again: seconds until the server is ready and until the first search has an answer."""

    ready: float
    first_search: float
    memory: Memory
    disk: int


async def _again(
    folder: Path, settings: IndexerSettings, database: Database, known: Known, asked: Asked, tell: Tell
) -> Again:
    started = perf_counter()
    async with weaviate_server(settings, notify=tell) as endpoint:
        store = await _connect(endpoint, known)
        ready = perf_counter() - started
        retrieval = Retrieval(store, known, Catalogue(database), settings)
        started = perf_counter()
        await retrieval.search(LOCAL_WORKSPACE, asked.texts[0], EVERYTHING)
        first_search = perf_counter() - started
        tell(f"started again in {ready:.1f} s, the first search took {first_search:.1f} s")
        for text in asked.texts:
            await retrieval.search(LOCAL_WORKSPACE, text, EVERYTHING)
        await asyncio.sleep(SETTLE_SECONDS)
        memory = await asyncio.to_thread(server_memory, folder)
        size = await asyncio.to_thread(disk, folder)
        await store.close()
    return Again(ready, first_search, memory, size)


def _filling_rows(corpus: Corpus, filled: Filled) -> list[Row]:
    ours, servers = (1e3 * seconds / corpus.chunks for seconds in (filled.ours, filled.servers))
    return [
        Row("chunks", f"{corpus.chunks:,}"),
        Row("characters of a chunk", f"{filled.characters:.0f}"),
        Row("import, all / the last tenth", f"{corpus.chunks / filled.seconds:.0f} / {filled.last_rate:.0f} a second"),
        Row("processor time of a chunk's import, ours + the server's", f"{ours:.1f} + {servers:.1f} ms"),
    ]


def _search_rows(recall: dict[str, dict[str, float]], taken: dict[str, Times], embedding: Times) -> list[Row]:
    rows = []
    for what, said in (("everything", "everything"), ("channel", "one channel's 100 documents")):
        of = recall[what]
        figures = f"{of['passage']:.3f}, {of['context']:.3f}, {of['mixed']:.3f}"
        rows.append(Row(f"recall@20 of {said}: passage, context, mixed", figures))
        rows.append(Row("… the 20 nearest by the mix, among its first 20", f"{of['ordered']:.3f}"))
    for what, said in (("everything", "everything"), ("channel", "one channel's 100 documents")):
        rows.append(Row(f"search of {said}, p50 / p95", str(taken[what])))
        rows.append(Row("… its vectors alone", str(taken[f"{what}, vectors"])))
        rows.append(Row("… its words alone", str(taken[f"{what}, words"])))
    return [*rows, Row("embedding the question, in each search beside that", str(embedding))]


def _size_rows(corpus: Corpus, empty: Memory, after: Memory, again: Again) -> list[Row]:
    def each(size: int) -> str:
        return f"{size / corpus.chunks / 1e3:.2f} kB"

    return [
        Row("memory of the server, empty", f"{empty.own / 1e6:.0f} MB"),
        Row("… after the import, a chunk", each(after.own - empty.own)),
        Row("… started again and searched, a chunk", each(again.memory.own - empty.own)),
        Row("… started again and searched, all", f"{again.memory.own / 1e6:,.0f} MB"),
        Row("files of it that the system holds in memory, all", f"{again.memory.files / 1e6:,.0f} MB"),
        Row("disk, a chunk", each(again.disk)),
        Row("start of the server / the first search", f"{again.ready:.1f} / {again.first_search:.1f} s"),
    ]
