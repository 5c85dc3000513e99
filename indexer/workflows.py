"""The durable queue: which stage of which version has been done, kept across crashes. The only module that uses DBOS.

A version is a workflow under its own id, so that queueing it twice is queueing it once. A process takes work only while
its lease runs (see ``leases``); what a dead process left is put back on the queue by whoever sees it first.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, SetWorkflowID

from .catalogue import Catalogue
from .documents import VersionId
from .errors import CatalogueUnavailable, Refused, SituateError, WeaviateUnavailable
from .leases import BEAT_SECONDS, Leases
from .pipeline import Pipeline, Withdrawn
from .running import unexpected
from .settings import IndexerSettings

log = logging.getLogger(__name__)

QUEUE = "indexing"
# Fixed: work that one release began, the next one goes on with (stages are named, and each may run again).
APPLICATION_VERSION = "situate-1"
POLL_SECONDS = 0.2
STORE_ATTEMPTS = 3
STORE_PAUSE_SECONDS = 2.0
CATALOGUE_PAUSE_SECONDS = 2.0  # before a stage is run again that found the catalogue away

_running: Worker | None = None  # DBOS is one a process, so this is too


@DBOS.workflow(name="index_document")
async def index_document(version: str, paying: bool = True) -> str:
    """Take one version through all stages; returns the state that it ended in. Without ``paying`` nothing is paid."""
    if _running is None:
        raise RuntimeError("no worker runs in this process")
    return await _running.index(VersionId(version), paying=paying)


class Worker:
    """Takes versions from the queue and runs them through the pipeline, in this process."""

    def __init__(
        self,
        settings: IndexerSettings,
        url: sa.URL,
        catalogue: Catalogue,
        pipeline: Pipeline,
        leases: Leases,
        revive: Callable[[], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._url = url
        self._catalogue = catalogue
        self._pipeline = pipeline
        self._leases = leases
        self._revive = revive
        self.trouble: CatalogueUnavailable | None = None  # why nothing can be recorded, while that is so
        self._tasks: list[asyncio.Task[None]] = []
        self._active = 0
        self._leaving = False  # what is in hand may end, and waits for nothing
        self._closing = False

    async def start(self, executor: str) -> None:
        """Begin to work. Raises CatalogueUnavailable when the queue cannot be opened."""
        global _running
        if _running is not None:
            raise RuntimeError("a worker runs in this process already")
        await self._leases.beat()
        config: DBOSConfig = {
            "name": "situate",
            "system_database_url": self._url.render_as_string(hide_password=False),
            "executor_id": executor,
            "application_version": APPLICATION_VERSION,
            "log_level": "CRITICAL",  # its failures reach us as exceptions, and its log lines would show arguments
            "notification_listener_polling_interval_sec": POLL_SECONDS,
            "enable_otlp": False,
        }
        _running = self
        try:
            DBOS(config=config)
            DBOS.launch()  # on the loop's own thread, since workflows run on the loop that it finds there
            await DBOS.register_queue_async(
                QUEUE,
                worker_concurrency=self._settings.index_workers,
                polling_interval_sec=POLL_SECONDS,
                on_conflict="always_update",
            )
        except Exception as error:
            await self.close()
            raise CatalogueUnavailable("The queue cannot be opened; check DATABASE_URL or DATA_DIR.") from error
        self._tasks = [
            asyncio.create_task(_every(BEAT_SECONDS / 2, self._live)),
            asyncio.create_task(_every(BEAT_SECONDS / 2, self._take_over)),
        ]
        await self.sweep()

    async def close(self) -> None:
        """Finish what is in hand and stop; what is queued stays queued."""
        global _running
        self._leaving = True
        for task in self._tasks[1:]:  # but the lease runs on while work is in hand
            task.cancel()
        patience = 24 * 3600 if self._active and self.trouble is None else 0
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=patience)
        self._closing = True
        # DBOS has put an executor of its own under asyncio.to_thread and has shut it down by now.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(CatalogueUnavailable):
            await self._leases.release()
        _running = None

    async def enqueue(self, version: VersionId, *, paying: bool = True) -> None:
        """Put a version on the queue, unless it is there. Without ``paying`` only contexts that were paid are used."""
        known = await DBOS.list_workflows_async(workflow_id_prefix=f"{version}@", load_input=False, load_output=False)
        if any(workflow.status in ("ENQUEUED", "PENDING", "DELAYED") for workflow in known):
            return
        with SetWorkflowID(f"{version}@{len(known) + 1}"):
            await DBOS.enqueue_workflow_async(QUEUE, index_document, str(version), paying)

    async def sweep(self) -> None:
        """Queue what a crash left unqueued, and tidy away what it left stored."""
        for row in await self._catalogue.waiting():
            await self.enqueue(row.id)
        for document in {row.document for row in await self._catalogue.leftovers()}:
            try:
                await self._pipeline.tidy(document)
            except SituateError as error:
                log.warning("could not tidy up document %s: %s", document, error)

    async def index(self, version: VersionId, *, paying: bool = True) -> str:
        """All stages of one version. Returns its state: ``published``, ``replaced``, ``refused``, ``failed`` …"""
        self._active += 1
        try:
            return await self._index(version, paying)
        finally:
            self._active -= 1

    async def _index(self, version: VersionId, paying: bool) -> str:
        pipeline = self._pipeline
        state = "withdrawn"
        try:
            if await self._step("start", pipeline.start, version):
                await self._step("read", pipeline.read, version)
                await self._step("situate", pipeline.situate, version, paying)
                await self._step("store", self._stored, version, paying)
                state = "published" if await self._step("publish", pipeline.publish, version) else "replaced"
        except Withdrawn:
            log.info("%s was removed while it was being indexed", version)
        except Exception as error:
            if self._closing or isinstance(error, CatalogueUnavailable):
                raise  # the parts are closed, or nothing can be recorded: who takes this over will run it whole
            state = "refused" if isinstance(error, Refused) else "failed"
            await self._step("give up", pipeline.give_up, version, state, _reason(error))
        try:
            await self._step("finish", pipeline.finish, version)
        except SituateError as error:
            log.warning("could not tidy up after %s: %s", version, error)  # the next sweep will
        return state

    async def _step(self, name: str, stage: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        """Run a stage, or give what it gave before a crash. Where it finds the catalogue away it is run again: each
        begins by writing there, so that nothing is paid for while nothing can be kept.

        Raises CatalogueUnavailable only where this worker is about to end.
        """

        async def call() -> Any:
            while True:
                try:
                    return await stage(*args)
                except CatalogueUnavailable as error:
                    if self._leaving:
                        raise
                    log.warning("%s of a document waits for the catalogue: %s", name, error)
                    await asyncio.sleep(CATALOGUE_PAUSE_SECONDS)

        return await DBOS.run_step_async({"name": name}, call)

    async def _live(self) -> None:
        """Renew the lease. Where that fails, nothing that is done here can be recorded either."""
        try:
            await self._leases.beat()
            self.trouble = None
        except CatalogueUnavailable as error:
            self.trouble = error
            raise

    async def _stored(self, version: VersionId, paying: bool) -> None:
        """Store, and where the database is away, see that it comes back and try again."""
        for attempt in range(1, STORE_ATTEMPTS + 1):
            try:
                return await self._pipeline.store(version, paying)
            except WeaviateUnavailable:
                if attempt == STORE_ATTEMPTS:
                    raise
                await asyncio.sleep(STORE_PAUSE_SECONDS)
                with suppress(WeaviateUnavailable):
                    await self._revive()
        raise AssertionError("not reached")

    async def _take_over(self) -> None:
        pending = await DBOS.list_workflows_async(status="PENDING", load_input=False, load_output=False)
        holders = frozenset(workflow.executor_id for workflow in pending if workflow.executor_id)
        for executor in await self._leases.dead(holders):
            log.info("taking over the work of %s", executor)
            # There is no public name for it: recovery is meant for a paid service of its makers.
            await asyncio.to_thread(DBOS._recover_pending_workflows, [executor])
            await self._leases.drop(executor)


def _reason(error: Exception) -> str:
    """What to tell a person about an error; what is not ours stands in the log only."""
    if isinstance(error, SituateError):
        return str(error)
    return f"{unexpected(error, 'the log')} Try again with 'retry'."


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await work()
        except Exception:
            log.warning("background work failed; it is tried again in %s s", seconds, exc_info=True)
        await asyncio.sleep(seconds)
