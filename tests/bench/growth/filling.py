"""Fills an index as the pipeline does: through the store, two documents side by side, published in the catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time

from indexer.database import Database
from indexer.documents import VersionId
from indexer.rows import now
from indexer.schema import documents, versions
from indexer.store import VECTORS, Store
from tests.bench.figures import Tell
from tests.bench.growth.corpus import Corpus, Entry
from tests.bench.growth.vectors import Exact, Vectors

SIDE_BY_SIDE = 2  # as INDEX_WORKERS
KEEP = 100  # of the nearest; as many as each side of a hybrid search looks at


@dataclass(frozen=True, slots=True)
class Filled:
    """What was written, and what an exact search finds for each question.

    ``seconds`` were spent in the store, by the clock; ``ours`` and ``servers`` are of processor time. ``last_rate`` is
    the chunks a second of the last tenth.
    """

    seconds: float
    ours: float
    servers: float
    last_rate: float
    characters: float  # of a chunk, on average
    first: dict[VersionId, int]  # the number of a version's first chunk
    everything: Exact
    channel: Exact


async def fill(
    store: Store,
    database: Database,
    corpus: Corpus,
    questions: Vectors,
    tell: Tell,
    worked: Callable[[], Awaitable[float]],
) -> Filled:
    """Write all of the corpus. The making of texts and vectors and the exact search are not counted.

    ``worked`` tells how many seconds of processor time the server has used; all of it counts.
    """
    everything, channel = (Exact(questions, VECTORS, KEEP) for _ in range(2))
    seconds, ours, done, characters, first = 0.0, 0.0, 0, 0, dict[VersionId, int]()
    servers_before = await worked()
    last_from, last_seconds = corpus.chunks - corpus.chunks // 10, 0.0
    blocks = corpus.blocks()
    while (block := await asyncio.to_thread(next, blocks, None)) is not None:
        used, started = process_time(), perf_counter()
        await _put(store, block.entries)
        took = perf_counter() - started
        ours += process_time() - used
        await _publish(database, block.entries)
        await asyncio.to_thread(everything.see, block.numbers, block.vectors)
        rows = block.channels
        if rows.any():
            channel.see(block.numbers[rows], {name: of[rows] for name, of in block.vectors.items()})
        first |= {entry.version: entry.first for entry in block.entries}
        characters += sum(len(passage.chunk.text) for entry in block.entries for passage in entry.passages)
        seconds += took
        last_seconds += took if done >= last_from else 0
        done += len(block.numbers)
        tell(f"{done:,} of {corpus.chunks:,} chunks; {len(block.numbers) / took:.0f} a second now")
    last = (done - last_from) / last_seconds if last_seconds else done / seconds
    servers = await worked() - servers_before
    return Filled(seconds, ours, servers, last, characters / done, first, everything, channel)


async def _put(store: Store, entries: Sequence[Entry]) -> None:
    waiting = iter(entries)

    async def work() -> None:
        for entry in waiting:
            await store.put(entry.document, entry.version, entry.passages, entry.vectors)

    await asyncio.gather(*(work() for _ in range(SIDE_BY_SIDE)))


async def _publish(database: Database, entries: Sequence[Entry]) -> None:
    """The rows that the catalogue has of documents that answer."""
    moment = now()
    of = [
        {
            "id": entry.document.id,
            "workspace": entry.document.workspace,
            "audience": str(entry.document.audience),
            "source": entry.document.source,
            "published": 1,
            "last_number": 1,
            "added_at": moment,
        }
        for entry in entries
    ]
    their = [
        {
            "document": entry.document.id,
            "number": 1,
            "workspace": entry.document.workspace,
            "state": "published",
            "stored": True,
            "sha256": "",
            "fingerprint": "",
            "name": entry.document.title,
            "title": entry.document.title,
            "created_at": moment,
            "updated_at": moment,
            "chunks": len(entry.passages),
        }
        for entry in entries
    ]
    await database.write(lambda c: (c.execute(documents.insert(), of), c.execute(versions.insert(), their)))
