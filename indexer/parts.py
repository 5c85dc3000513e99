"""What an indexer works with: the index, the embedder, the worker. Each is opened when it is first needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from .catalogue import Catalogue
from .database import Database, database_url
from .embedding import Embedder, open_embedder
from .errors import SituateError, WeaviateUnavailable
from .kept import EmbeddingRows, PaidAnswerRows
from .leases import Leases, new_executor_id
from .originals import Originals
from .settings import IndexerSettings
from .spending import Spending
from .twins import Sketches

if TYPE_CHECKING:  # what is slow to load is loaded when it is used: a listing needs no database server and no Claude
    from .examining import Readings
    from .reranking import SecondRanking
    from .retrieval import Retrieval
    from .store import Store
    from .workflows import Worker

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Index:
    """Weaviate and what searches in it."""

    store: Store
    retrieval: Retrieval


class Parts:
    """The parts of one indexer. All that was opened is closed with ``stack``."""

    def __init__(
        self, settings: IndexerSettings, database: Database, stack: AsyncExitStack, notify: Callable[[str], None]
    ) -> None:
        self.settings = settings
        self.database = database
        self.catalogue = Catalogue(database)
        self.originals = Originals(settings.originals_url, settings.data_dir)
        self.spending = Spending(database, settings.day_cap_usd)
        self.sketches = Sketches(database)
        self.worker: Worker | None = None
        self._stack = stack
        self._notify = notify
        self._opening = asyncio.Lock()
        self._opening_embedder = asyncio.Lock()  # asked for while the other is held
        self._embedder: Embedder | None = None
        self._ranking: SecondRanking | None = None
        self._readings: Readings | None = None
        self._index: Index | None = None

    async def connect(self) -> Index:
        """Open Weaviate, once; later calls give what the first opened. Raises WeaviateUnavailable."""
        async with self._opening:
            if self._index is None:
                self._index = await self._open_index()
            return self._index

    async def reading(self, read: Callable[[Index], Awaitable[T]]) -> T:
        """Read from the index; an embedded server that died meanwhile is started again, once."""
        index = await self.connect()
        try:
            return await read(index)
        except WeaviateUnavailable:
            if self.settings.weaviate_url:
                raise
        return await read(await self._reopen(index))

    async def work(self) -> Worker:
        """The worker of this process, at work from now until the indexer is closed. Raises Unavailable."""
        await self.connect()
        async with self._opening:
            if self.worker is None:
                self.worker = await self._open_worker()
            return self.worker

    async def embedder(self) -> Embedder:
        """What turns texts into vectors; what it made is kept."""
        async with self._opening_embedder:
            if self._embedder is None:  # the local one takes a second
                self._embedder = await asyncio.to_thread(open_embedder, self.settings, EmbeddingRows(self.database))
                self._stack.push_async_callback(self._embedder.close)
            return self._embedder

    async def ranking(self) -> SecondRanking | None:
        """What orders hits anew; None without a reranker. Raises SettingsInvalid."""
        from .reranking import SecondRanking, open_reranker

        if self._ranking is None and self.settings.reranker != "none":
            reranker = await asyncio.to_thread(open_reranker, self.settings)
            assert reranker is not None  # noqa: S101 - there is one; this tells the type checker
            self._stack.push_async_callback(reranker.close)
            self._ranking = SecondRanking(reranker, self.settings.rerank_candidates, self.settings.reranker_seconds)
        return self._ranking

    async def readings(self) -> Readings:
        """What reads originals."""
        from .examining import Readings

        if self._readings is None:
            self._readings = Readings(self.settings, await self.embedder())
        return self._readings

    async def _reopen(self, dead: Index) -> Index:
        """A new connection, and before it a server where an embedded one died; once, however many ask for it."""
        async with self._opening:
            if self._index is dead:
                self._index = await self._open_index()
            return self._index or dead

    async def _revive(self) -> None:
        if self._index is not None and not self.settings.weaviate_url:
            await self._reopen(self._index)

    def _store(self) -> Store:
        assert self._index is not None  # noqa: S101 - the worker is opened after the index; this tells the type checker
        return self._index.store

    async def _open_index(self) -> Index:
        from .opening import open_store
        from .retrieval import Retrieval

        ranking = await self.ranking()
        embedder = await self.embedder()
        store = await open_store(self.settings, embedder, self._stack, self._notify)
        return Index(store, Retrieval(store, embedder, self.catalogue, self.settings, ranking))

    async def _open_worker(self) -> Worker:
        from .opening import contextualizers
        from .pipeline import Pipeline
        from .workflows import Worker

        settings = self.settings
        embedder = await self.embedder()
        pipeline = Pipeline(
            await self.readings(),
            self.catalogue,
            self.sketches,
            self.originals,
            self._store,
            embedder,
            contextualizers(settings, embedder.count, self._stack),
            lambda version, paying: PaidAnswerRows(self.database, version, self.spending, paying=paying),
        )
        url = database_url(settings.database_url, settings.data_dir)
        if url.get_backend_name() == "sqlite":
            # Its many small writes would hold up the catalogue's, and a SQLite file has one writer at a time.
            url = url.set(database=str(settings.data_dir.absolute() / "queue.db"))
        executor = new_executor_id()
        worker = Worker(settings, url, self.catalogue, pipeline, Leases(self.database, executor), self._revive)
        await worker.start(executor)
        self._stack.push_async_callback(worker.close)
        refilling = asyncio.create_task(self._refill(worker))
        self._stack.push_async_callback(_ended, refilling)
        return worker

    async def _refill(self, worker: Worker) -> None:
        """See ``refilling``. Whatever keeps it from that: the next start tries again, and the doctor says so."""
        from .refilling import refill

        try:
            await refill(self, worker)
        except SituateError as error:
            log.warning("what the index lacks could not be queued: %s", error)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
