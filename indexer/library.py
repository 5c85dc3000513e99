"""``Indexer``: all of it behind one object. What the command line uses, and the bot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Literal, Self

from .catalogue import WAITING, Catalogue
from .claude import open_claude
from .contextualizer import Contextualizer
from .database import Database, database_url
from .documents import Audience, Document, DocumentId, Hit, Original, Passage, VersionId, Viewer, document_id
from .embedding import Embedder, KeepingEmbedder, open_embedder
from .errors import NotFound
from .kept import EmbeddingRows, PaidAnswerRows
from .leases import Leases, new_executor_id
from .originals import Originals
from .pipeline import Pipeline, fingerprint
from .prices import load_prices
from .retrieval import Retrieval
from .rows import Version
from .settings import IndexerSettings
from .store import Store
from .weaviate_server import weaviate_server
from .workflows import Worker

FOLLOW_SECONDS = 0.15
CLAUDE_RETRIES = 4  # by the SDK, with backoff: half a minute of overload is waited out


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an original that was added: a version that waits, or one that was there already."""

    version: VersionId
    document: DocumentId
    title: str
    status: Literal["queued", "unchanged"]


@dataclass(frozen=True, slots=True)
class _Parts:
    """What needs the database server or the model, and so is opened only when it is used."""

    store: Store
    embedder: Embedder
    pipeline: Pipeline
    retrieval: Retrieval
    worker: Worker
    executor: str


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
        self._parts: _Parts | None = None
        self._works = False

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: IndexerSettings, *, notify: Callable[[str], None] = lambda sentence: None
    ) -> AsyncIterator[Self]:
        """Open the library; ``notify`` is told, in sentences for a person, what takes long.

        Raises CatalogueUnavailable and SettingsInvalid.
        """
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
        parts = await self.connect()
        return await parts.retrieval.search(workspace, query, viewer, limit=limit, alpha=alpha, documents=documents)

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
        parts = await self.connect()
        return await parts.store.passages(workspace, version, start, end)

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

        Raises StoreFailed and Unavailable. Whether the bytes can be read is told later, by ``follow``.
        """
        parts = await self.connect()
        await self._work()
        sha256 = await self._originals.put(original.data)
        version, new = await self._catalogue.begin(
            original,
            workspace=workspace,
            audience=audience,
            title=title,
            added_by=added_by,
            sha256=sha256,
            fingerprint=fingerprint(self.settings, parts.embedder, title),
        )
        if version.state in WAITING:
            await parts.worker.enqueue(version.id)
        waits = new or version.state in WAITING
        return Added(version.id, version.document, version.title, "queued" if waits else "unchanged")

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
                await asyncio.sleep(FOLLOW_SECONDS)

    async def retry(self, workspace: str, documents: frozenset[DocumentId] | None = None) -> list[Added]:
        """Queue again what failed: documents that a service's absence stopped, and contexts that could not be had.

        What was paid for is found, so only what is missing is paid. ``documents`` limits it to some.
        """
        parts = await self.connect()
        await self._work()
        again = []
        for row in await self._catalogue.attempts(workspace):
            if documents is not None and row.document not in documents:
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
                fingerprint=fingerprint(self.settings, parts.embedder, row.given_title),
                force=True,
            )
            await parts.worker.enqueue(version.id)
            again.append(Added(version.id, version.document, row.title, "queued"))
        return again

    async def remove(self, workspace: str, document: DocumentId) -> None:
        """Take a document out: from now on it answers nothing; its chunks are deleted and counted away.

        Raises Unavailable or StoreFailed when the deleting could not be finished; it is finished later then.
        """
        parts = await self.connect()
        await self._catalogue.unpublish(document)
        await parts.pipeline.tidy(document)

    async def find(self, workspace: str, name: str) -> DocumentId:
        """The document that a person means by an id, the beginning of one, a source or a title. Raises NotFound."""
        rows = await self._catalogue.attempts(workspace)
        for matches in (
            [row for row in rows if row.document == name],
            [row for row in rows if name in (row.source, row.title, row.name)],
            [row for row in rows if len(name) >= 4 and row.document.startswith(name)],
        ):
            if len({row.document for row in matches}) == 1:
                return matches[0].document
            if matches:
                ids = ", ".join(sorted({row.document for row in matches})[:5])
                raise NotFound(f"'{name}' names more than one document; use an id: {ids}.")
        raise NotFound(f"There is no document '{name}'; 'list' shows which there are.")

    async def key(self, workspace: str, audience: Audience, source: str) -> DocumentId:
        """The id that a source has, or would have."""
        return document_id(workspace, audience, source)

    # -- parts -----------------------------------------------------------------------------------------------------

    async def connect(self) -> _Parts:
        """Open Weaviate and the embedder, once. Raises WeaviateUnavailable and SettingsInvalid."""
        async with self._opening:
            if self._parts is None:
                self._parts = await self._open_parts()
            return self._parts

    async def _open_parts(self) -> _Parts:
        settings = self.settings
        prices = load_prices(settings.prices_file)
        embedder = KeepingEmbedder(open_embedder(settings), EmbeddingRows(self._database))
        self._stack.push_async_callback(embedder.close)
        endpoint = await self._stack.enter_async_context(weaviate_server(settings, notify=self._notify))
        store = await Store.connect(
            endpoint,
            api_key=settings.weaviate_api_key.get_secret_value() if settings.weaviate_api_key else None,
            dimensions=embedder.dimensions,
            timeout_seconds=settings.weaviate_start_seconds,
        )
        self._stack.push_async_callback(store.close)
        client = None
        if settings.anthropic_api_key is not None:
            client = open_claude(
                settings.anthropic_api_key.get_secret_value(),
                settings.anthropic_base_url,
                settings.claude_timeout_seconds,
                max_retries=CLAUDE_RETRIES,
            )
            self._stack.push_async_callback(client.close)

        def contextualizer(account: PaidAnswerRows) -> Contextualizer:
            return Contextualizer(client, account, settings, prices, embedder.count)

        def account(version: VersionId) -> PaidAnswerRows:
            return PaidAnswerRows(self._database, version)

        pipeline = Pipeline(settings, self._catalogue, self._originals, store, embedder, contextualizer, account)
        executor = new_executor_id()
        queue = database_url(settings.database_url, settings.data_dir)
        if queue.get_backend_name() == "sqlite":
            queue = queue.set(database=str(settings.data_dir.absolute() / "queue.db"))  # its writers are not ours
        worker = Worker(settings, queue, self._catalogue, pipeline, Leases(self._database, executor))
        retrieval = Retrieval(store, embedder, self._catalogue, settings)
        return _Parts(store, embedder, pipeline, retrieval, worker, executor)

    async def work(self) -> None:
        """Take work from the queue in this process until the indexer is closed."""
        await self.connect()
        await self._work()

    async def _work(self) -> None:
        async with self._opening:
            if not self._works and self._parts is not None:
                await self._parts.worker.start(self._parts.executor)
                self._stack.push_async_callback(self._parts.worker.close)
                self._works = True
