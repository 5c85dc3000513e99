"""``Indexer``: all of it behind one object. What the command line uses, and the bot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from .catalogue import WAITING, Catalogue
from .database import Database, database_url
from .documents import (
    Audience,
    Document,
    DocumentId,
    Hit,
    Original,
    Passage,
    VersionId,
    Viewer,
    content_hash,
    document_id,
)
from .embedding import Embedder, KeepingEmbedder, open_embedder
from .errors import NotFound, WeaviateUnavailable
from .fingerprint import fingerprint
from .kept import EmbeddingRows, PaidAnswerRows, spent
from .leases import Leases, new_executor_id
from .originals import Originals
from .prices import load_prices
from .rows import Version, named
from .settings import IndexerSettings

if TYPE_CHECKING:  # what is slow to load is loaded when it is used: a listing needs no database server and no Claude
    from .retrieval import Retrieval
    from .store import Store
    from .workflows import Worker

T = TypeVar("T")

FOLLOW_SECONDS = 0.15


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an original that was added: a version that waits, or one that was there already."""

    version: VersionId
    document: DocumentId
    title: str
    status: Literal["queued", "unchanged"]


@dataclass(frozen=True, slots=True)
class Index:
    """Weaviate and what searches in it."""

    store: Store
    retrieval: Retrieval


class Indexer:
    """The documents of all workspaces. Open it with ``async with Indexer.open(settings) as indexer``.

    The catalogue is opened at once; Weaviate, the embedder and the worker when they are first needed.
    """

    def __init__(self, settings: IndexerSettings, database: Database, notify: Callable[[str], None]) -> None:
        self.settings = settings
        self._database = database
        self._notify = notify
        self._catalogue = Catalogue(database)
        self._originals = Originals(settings.originals_url, settings.data_dir)
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._opened_embedder: Embedder | None = None
        self._index: Index | None = None
        self._worker: Worker | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: IndexerSettings, *, notify: Callable[[str], None] = lambda sentence: None
    ) -> AsyncIterator[Self]:
        """Open the library; ``notify`` is told, in sentences for a person, what takes long.

        Raises CatalogueUnavailable and SettingsInvalid.
        """
        if settings.prices_file is not None:
            load_prices(settings.prices_file)  # a wrong file is said before anything is started
        database = await Database.open(database_url(settings.database_url, settings.data_dir))
        indexer = cls(settings, database, notify)
        indexer._stack.push_async_callback(database.close)
        async with indexer._stack:
            yield indexer

    # -- reading ---------------------------------------------------------------------------------------------------

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
        """The best hits for a query among what a viewer may read, best first. Raises Unavailable."""
        return await self._reading(
            lambda index: index.retrieval.search(
                workspace, query, viewer, limit=limit, alpha=alpha, documents=documents
            )
        )

    async def documents(self, workspace: str, viewer: Viewer | None) -> list[Document]:
        """The published documents that a viewer may read, by title; None is an administrator, who sees all."""
        return await self._catalogue.documents(workspace, viewer)

    async def published(self, workspace: str, documents: frozenset[DocumentId]) -> dict[DocumentId, VersionId]:
        """The version that answers, of each of these documents that has one."""
        return await self._catalogue.published(workspace, documents)

    async def passages(
        self, workspace: str, version: VersionId, start: int = 0, end: int | None = None
    ) -> list[Passage]:
        """The passages of a version by position, ``end`` exclusive."""
        return await self._reading(lambda index: index.store.passages(workspace, version, start, end))

    async def server_version(self) -> str:
        """Weaviate's version. That there is one says that the server answers over HTTP and gRPC. Raises Unavailable."""
        return await self._reading(lambda index: index.store.version())

    async def spent(self, workspace: str) -> float:
        """US dollars that contexts of this workspace have cost, those of removed documents included."""
        return await spent(self._database, workspace)

    async def attempts(self, workspace: str) -> list[Version]:
        """The newest version of every document, whatever became of it: for the status."""
        return await self._catalogue.attempts(workspace)

    # -- writing ---------------------------------------------------------------------------------------------------

    async def add(
        self,
        original: Original,
        *,
        workspace: str,
        audience: Audience,
        title: str | None = None,
        added_by: str | None = None,
    ) -> Added:
        """Store an original and queue it. The same source replaces its document; unchanged bytes cost nothing.

        For one thread (``Audience.is_passing``) contexts are structural and nothing is paid.
        Raises StoreFailed and Unavailable. Whether the bytes can be read is told later, by ``follow``.
        """
        sha256 = content_hash(original.data)
        made_by = fingerprint(self.settings, await self._embedder(), title, audience)
        same = await self._catalogue.same(document_id(workspace, audience, original.source), sha256, made_by)
        if same is not None and same.state == "published":
            return Added(same.id, same.document, same.title, "unchanged")
        worker = await self.work()
        await self._originals.put(original.data)
        version, _ = await self._catalogue.begin(
            original,
            workspace=workspace,
            audience=audience,
            title=title,
            added_by=added_by,
            sha256=sha256,
            fingerprint=made_by,
        )
        await worker.enqueue(version.id)
        return Added(version.id, version.document, version.title, "queued")

    async def follow(self, versions: Collection[VersionId]) -> AsyncIterator[Version]:
        """Versions as they move through their stages, whoever works on them; each is yielded when it changes.

        Ends when all are done. One that was removed meanwhile is not yielded again.
        """
        last: dict[VersionId, Version] = {}
        waiting = set(versions)
        while waiting:
            found = await self._catalogue.versions(waiting)
            for version, row in found.items():
                if row != last.get(version):
                    last[version] = row
                    yield row
            waiting = {version for version, row in found.items() if row.state in WAITING}
            if waiting:
                self._see_that_work_goes_on()
                await asyncio.sleep(FOLLOW_SECONDS)

    def _see_that_work_goes_on(self) -> None:
        """Raise where this process cannot record what it does, as on a full disk: nothing would ever change."""
        if self._worker is not None and self._worker.trouble is not None:
            raise self._worker.trouble

    async def retry(self, workspace: str, documents: frozenset[DocumentId] | None = None) -> list[Added]:
        """Queue again what failed: documents that a service's absence stopped, and contexts that could not be had.

        What was paid for is found, so only what is missing is paid. ``documents`` limits it to some.
        """
        again = []
        for row in await self._catalogue.attempts(workspace):
            if documents is not None and row.document not in documents:
                continue
            if row.state in WAITING:  # left by a process that was killed, or in another's hands
                await (await self.work()).enqueue(row.id)
                again.append(Added(row.id, row.document, row.title, "queued"))
                continue
            if row.state != "failed" and not (row.state == "published" and row.failures):
                continue
            original = Original(row.source, b"", row.name, row.url, row.source_date, row.declared_type)
            version, _ = await self._catalogue.begin(
                original,
                workspace=workspace,
                audience=row.audience,
                title=row.given_title,
                added_by=row.added_by,
                sha256=row.sha256,
                fingerprint=fingerprint(self.settings, await self._embedder(), row.given_title, row.audience),
                force=True,
            )
            await (await self.work()).enqueue(version.id)
            again.append(Added(version.id, version.document, row.title, "queued"))
        return again

    async def remove(self, workspace: str, document: DocumentId) -> None:
        """Take a document out: from now on it answers nothing; its chunks are deleted and counted away.

        Raises Unavailable or StoreFailed when the deleting could not be finished; it is finished later then.
        """
        from .tidying import tidy

        await self._catalogue.unpublish(document)
        index = await self.connect()
        await tidy(document, self._catalogue, self._originals, index.store)

    async def find(self, workspace: str, name: str) -> DocumentId:
        """The document that a person means by an id, the beginning of one, a source or a title. Raises NotFound."""
        return named(await self._catalogue.attempts(workspace), name)

    async def original(self, workspace: str, document: DocumentId) -> Original:
        """What a document was made from, its bytes included. Raises NotFound and StoreFailed."""
        row = next((one for one in await self._catalogue.attempts(workspace) if one.document == document), None)
        if row is None:
            raise NotFound("The document is not there any more.")
        data = await self._originals.get(row.sha256)
        return Original(row.source, data, row.name, row.url, row.source_date, row.declared_type)

    # -- parts -----------------------------------------------------------------------------------------------------

    @property
    def database(self) -> Database:
        """The catalogue's database, for whoever keeps tables of their own beside it."""
        return self._database

    async def connect(self) -> Index:
        """Open Weaviate, once; later calls give what the first opened. Raises WeaviateUnavailable."""
        async with self._opening:
            if self._index is None:
                self._index = await self._open_index()
            return self._index

    async def _reading(self, read: Callable[[Index], Awaitable[T]]) -> T:
        """Read from the index; an embedded server that died meanwhile is started again, once."""
        index = await self.connect()
        try:
            return await read(index)
        except WeaviateUnavailable:
            if self.settings.weaviate_url:
                raise
        return await read(await self._reopen(index))

    async def _reopen(self, dead: Index) -> Index:
        """A new connection, and before it a server where an embedded one died; once, however many ask for it."""
        async with self._opening:
            if self._index is dead:
                self._index = await self._open_index()
            return self._index or dead

    async def _revive(self) -> None:
        if self._index is not None and not self.settings.weaviate_url:
            await self._reopen(self._index)

    async def work(self) -> Worker:
        """Take work from the queue in this process, from now until the indexer is closed. Raises Unavailable."""
        await self.connect()
        async with self._opening:
            if self._worker is None:
                self._worker = await self._open_worker()
            return self._worker

    def _store(self) -> Store:
        assert self._index is not None  # noqa: S101 - the worker is opened after the index; this tells the type checker
        return self._index.store

    async def _embedder(self) -> Embedder:
        if self._opened_embedder is None:
            self._opened_embedder = KeepingEmbedder(open_embedder(self.settings), EmbeddingRows(self._database))
            self._stack.push_async_callback(self._opened_embedder.close)
        return self._opened_embedder

    async def _open_index(self) -> Index:
        from .opening import open_store
        from .retrieval import Retrieval

        embedder = await self._embedder()
        store = await open_store(self.settings, embedder.dimensions, self._stack, self._notify)
        return Index(store, Retrieval(store, embedder, self._catalogue, self.settings))

    async def _open_worker(self) -> Worker:
        from .opening import contextualizers
        from .pipeline import Pipeline
        from .workflows import Worker

        settings = self.settings
        embedder = await self._embedder()
        pipeline = Pipeline(
            settings,
            self._catalogue,
            self._originals,
            self._store,
            embedder,
            contextualizers(settings, embedder.count, self._stack),
            lambda version: PaidAnswerRows(self._database, version),
        )
        url = database_url(settings.database_url, settings.data_dir)
        if url.get_backend_name() == "sqlite":
            # Its many small writes would hold up the catalogue's, and a SQLite file has one writer at a time.
            url = url.set(database=str(settings.data_dir.absolute() / "queue.db"))
        executor = new_executor_id()
        worker = Worker(settings, url, self._catalogue, pipeline, Leases(self._database, executor), self._revive)
        await worker.start(executor)
        self._stack.push_async_callback(worker.close)
        return worker
