"""``Indexer``: all of it behind one object. What the command line uses, and the bot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Self

from .adding import Added, add
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
)
from .errors import NotFound
from .following import followed
from .kept import PaidAnswerRows, spent
from .likeness import Signature
from .parts import Index, Parts
from .prices import load_prices
from .rows import Version, coming_document, named
from .settings import IndexerSettings
from .twins import Alike, alike_documents

if TYPE_CHECKING:  # what is slow to load is loaded when it is used: a listing needs no database server and no Claude
    from .examining import Examined
    from .explaining import Why
    from .workflows import Worker


class Indexer:
    """The documents of all workspaces. Open it with ``async with Indexer.open(settings) as indexer``.

    The catalogue is opened at once; Weaviate, the embedder and the worker when they are first needed.
    """

    def __init__(self, parts: Parts) -> None:
        self.settings = parts.settings
        self._parts = parts
        self._database = parts.database
        self._catalogue = parts.catalogue
        self._originals = parts.originals

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
        async with AsyncExitStack() as stack:
            stack.push_async_callback(database.close)
            yield cls(Parts(settings, database, stack, notify))

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
        """The best hits for a query among what a viewer may read, best first; none for signs without a word.

        Raises Unavailable.
        """
        return await self._parts.reading(
            lambda index: index.retrieval.search(
                workspace, query, viewer, limit=limit, alpha=alpha, documents=documents
            )
        )

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
        """The hits of ``search``, or all that a reranker would be shown, and why each was found. Raises Unavailable."""
        return await self._parts.reading(
            lambda index: index.retrieval.explain(
                workspace, query, viewer, limit=limit, alpha=alpha, documents=documents, reranked=reranked
            )
        )

    async def documents(self, workspace: str, viewer: Viewer | None, *, coming: bool = False) -> list[Document]:
        """The published documents that a viewer may read, by title; None is an administrator, who sees all.

        ``coming``: and behind them those on their way of which no version answers yet, without a ``version``.
        """
        if not coming:
            return await self._catalogue.documents(workspace, viewer)
        # Those on their way are asked for first: what is published meanwhile is among the others then.
        rows = [row for row in await self._catalogue.waiting() if row.workspace == workspace]
        there = await self._catalogue.documents(workspace, viewer)
        known = {document.id for document in there}
        new = {row.document: row for row in rows if row.document not in known}
        readable = [row for row in new.values() if viewer is None or viewer.may_read(row.audience)]
        return [*there, *map(coming_document, readable)]

    async def published(self, workspace: str, documents: frozenset[DocumentId]) -> dict[DocumentId, VersionId]:
        """The version that answers, of each of these documents that has one."""
        return await self._catalogue.published(workspace, documents)

    async def versions(self, ids: Collection[VersionId]) -> dict[VersionId, Version]:
        """Versions by id, whatever became of them; those that are not known (any more) are left out."""
        return await self._catalogue.versions(ids)

    async def passages(
        self, workspace: str, version: VersionId, start: int = 0, end: int | None = None
    ) -> list[Passage]:
        """The passages of a version by position, ``end`` exclusive."""
        return await self._parts.reading(lambda index: index.store.passages(workspace, version, start, end))

    async def server_version(self) -> str:
        """Weaviate's version. That there is one says that the server answers over HTTP and gRPC. Raises Unavailable."""
        return await self._parts.reading(lambda index: index.store.version())

    async def spent(self, workspace: str) -> float:
        """US dollars that contexts of this workspace have cost, those of removed documents included."""
        return await spent(self._database, workspace)

    async def spent_since(self, workspace: str, moment: datetime) -> float:
        """US dollars that this workspace spent from a moment on (with its zone), contexts and what was recorded."""
        return await self._parts.spending.since(workspace, moment)

    async def last_spent(self, workspace: str) -> datetime | None:
        """When a workspace last paid for anything: from then on Claude took the key and there was credit."""
        return await self._parts.spending.last(workspace)

    async def record_spent(self, workspace: str, what: str, cost_usd: float) -> None:
        """Count what was paid just now for something else than a context (``what``: "answer").

        Raises CatalogueUnavailable; it is counted nevertheless, and written with what is recorded next.
        """
        await self._parts.spending.record(workspace, what, cost_usd)

    async def attempts(
        self, workspace: str, *, since: datetime | None = None, source: str | None = None
    ) -> list[Version]:
        """The newest version of every document, whatever became of it; of those that changed ``since``, of a source."""
        return await self._catalogue.attempts(workspace, since, source)

    # -- before adding -----------------------------------------------------------------------------------------------

    async def examine(
        self, original: Original, *, workspace: str, audience: Audience, title: str | None = None
    ) -> Examined:
        """Read an original without storing it or paying for anything: what it would be, and what it may cost.

        The estimate is of the contexts that Claude has not been paid for yet: tokens as the embedder counts them, what
        a request shares with another read from the cache, every answer as long as a context may be (see
        ``examining.planned_cost``). It is 0.0 without a key, for one thread's files (``Audience.is_passing``), and
        where the model's price is not known. What was read is kept for some minutes, and adding it uses that.
        Raises Refused where adding would end so, and CatalogueUnavailable.
        """
        from .examining import examine

        paid = PaidAnswerRows(self._database, VersionId(""))
        readings, embedder = await self._parts.readings(), await self._parts.embedder()
        return await examine(
            readings, paid, self.settings, embedder.count, original, workspace=workspace, audience=audience, title=title
        )

    async def alike(
        self, workspace: str, examined: Examined | Signature, name: str, viewer: Viewer | None
    ) -> list[Alike]:
        """The documents that may be meant by what was examined; those of the same name come first.

        Among what the viewer may read (None is an administrator) those called ``name``, by file name or title and
        whatever the case and the spaces, and those with nearly the same text; also those that are still on their way,
        which have no ``version`` yet. The document that adding it replaces anyway is not among them, and no thread's
        file is.
        """
        documents = await self.documents(workspace, viewer, coming=True)
        return await alike_documents(documents, self._parts.sketches, workspace, examined, name)

    # -- writing ---------------------------------------------------------------------------------------------------

    async def add(
        self,
        original: Original,
        *,
        workspace: str,
        audience: Audience,
        title: str | None = None,
        added_by: str | None = None,
        added_at: datetime | None = None,
    ) -> Added:
        """Store an original and queue it. The same source replaces its document; unchanged bytes cost nothing.

        For one thread (``Audience.is_passing``) contexts are structural and nothing is paid. ``added_at`` is when it
        was first added, where that was not now.
        Raises StoreFailed and Unavailable. Whether the bytes can be read is told later, by ``follow``.
        """
        return await add(
            self._parts,
            original,
            workspace=workspace,
            audience=audience,
            title=title,
            added_by=added_by,
            added_at=added_at,
        )

    def follow(self, versions: Collection[VersionId]) -> AsyncIterator[Version]:
        """Versions as they move through their stages, whoever works on them; each is yielded when it changes.

        Ends when all are done. One that was removed meanwhile is not yielded again. Raises where this process cannot
        record what it does, as on a full disk: nothing would ever change.
        """
        parts = self._parts
        return followed(self._catalogue, versions, lambda: parts.worker.trouble if parts.worker is not None else None)

    async def retry(self, workspace: str, documents: frozenset[DocumentId] | None = None) -> list[Added]:
        """Queue again what failed: documents that a service's absence stopped, and contexts that could not be had.

        So are documents that the index has nothing of: another embedder made them, or it was lost. What was paid for is
        found, so only what is missing is paid. ``documents`` limits it to some. Raises Unavailable.
        """
        from .retrying import retry

        return await retry(self._parts, workspace, documents)

    async def unindexed(self, workspace: str) -> list[Version]:
        """The published versions that the index has nothing of, so that nothing of them is found: see ``retry``."""
        from .unindexed import unindexed

        return await unindexed(self._parts, await self._catalogue.answering(workspace))

    async def missing_passages(self, workspace: str) -> int:
        """How many passages of what answers the index lacks, so that a search finds only part: told at each search.

        Near enough: less by what is on its way. Raises Unavailable.
        """
        from .unindexed import missing_passages

        return await missing_passages(self._parts, workspace)

    async def check_reranker(self) -> str | None:
        """Ask the reranker for one score. Its name; None without one. Raises SettingsInvalid and ModelUnavailable."""
        ranking = await self._parts.ranking()
        if ranking is None:
            return None
        await ranking.reranker.scores("Does it work?", ["It works."])
        return ranking.reranker.name

    async def embedder_name(self) -> str:
        """Which model makes the vectors. Raises SettingsInvalid."""
        return (await self._parts.embedder()).name

    async def remove(self, workspace: str, document: DocumentId) -> None:
        """Take a document out: from now on it answers nothing; its chunks are deleted and counted away.

        Its original, its versions and their signatures go. What stays is its id with its last number, so that none of
        its versions' ids is given again; and what was paid for: contexts with their request's hash, vectors by the hash
        of their text, and the amounts. Adding it again costs nothing then.
        Raises Unavailable or StoreFailed when the deleting could not be finished; it is finished later then.
        """
        from .tidying import tidy

        await self._catalogue.unpublish(document)
        index = await self._parts.connect()
        await tidy(document, self._catalogue, self._originals, index.store)

    async def readdress(self, workspace: str, document: DocumentId, audience: Audience) -> Added:
        """Give a document other readers: the same original under another audience, and then the old one removed.

        Title, URL, dates and who added it stay; contexts and vectors are found, so nothing is paid twice. Comes back
        once the new document answers and the old one does not. Cut off in between, both answer, and another call with
        the same arguments goes on. Raises NotFound, StoreFailed (the old one answers then) and Unavailable.
        """
        from .readdressing import readdress

        return await readdress(self, self._catalogue, self._originals, workspace, document, audience)

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
    def parts(self) -> Parts:
        """What all of this is made of, for the rest of this package."""
        return self._parts

    @property
    def database(self) -> Database:
        """The catalogue's database, for whoever keeps tables of their own beside it."""
        return self._database

    async def connect(self) -> Index:
        """Open Weaviate, once; later calls give what the first opened. Raises WeaviateUnavailable."""
        return await self._parts.connect()

    async def work(self) -> Worker:
        """Take work from the queue in this process, from now until the indexer is closed. Raises Unavailable."""
        return await self._parts.work()
