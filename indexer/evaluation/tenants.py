"""Workspaces of a run's own, in the same index as everybody's and gone when the run is over, however it ends.

A run that was killed leaves its workspaces. The next one on this machine removes them: a run holds a lock for as long
as it lives. Where another machine left them, on a shared server, they go when they are a day old.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from indexer.errors import SituateError
from indexer.locks import FileLock, owned
from indexer.store import Store

PREFIX = "evaluation-"
STALE = timedelta(days=1)

_RUN = re.compile(rf"({PREFIX}(\d{{14}})-[0-9a-f]{{6}})-")


@asynccontextmanager
async def temporary_workspaces(store: Store, folder: Path) -> AsyncIterator[Callable[[str], str]]:
    """Gives the name of the run's workspace for each variant; all are dropped in the end.

    ``folder`` holds the runs' locks. What earlier runs left is dropped first. Raises Unavailable.
    """
    run = f"{PREFIX}{datetime.now(UTC):%Y%m%d%H%M%S}-{secrets.token_hex(3)}"
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    async with owned(folder / "sweeping.lock", waiting=lambda: None):
        await drop_stale(store, folder)
        lock = FileLock(folder / f"{run}.run")
        lock.own()
    try:
        yield lambda variant: f"{run}-{variant}"
    finally:
        try:
            await asyncio.shield(_end(store, folder, run))
        finally:
            lock.close()


async def drop_stale(store: Store, folder: Path) -> None:
    """Drop what runs left that were killed. For whoever holds ``sweeping.lock``."""
    alive: set[str] = set()
    dead: set[str] = set()
    for path in await asyncio.to_thread(lambda: sorted(folder.glob(f"{PREFIX}*.run"))):
        lock = FileLock(path)
        (dead if lock.own() else alive).add(path.stem)
        lock.close()
    before = datetime.now(UTC) - STALE
    for workspace in await store.workspaces():
        made = _RUN.match(workspace)
        if made and made[1] not in alive and (made[1] in dead or _made_at(made[2]) < before):
            await store.drop(workspace)
    for run in dead:
        (folder / f"{run}.run").unlink(missing_ok=True)


def _made_at(stamp: str) -> datetime:
    with suppress(ValueError):
        return datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return datetime.min.replace(tzinfo=UTC)


async def _end(store: Store, folder: Path, run: str) -> None:
    """Drop the run's workspaces. Where the server is away by now, its file stays for the next run to find."""
    with suppress(SituateError):
        for workspace in await store.workspaces():
            if workspace.startswith(f"{run}-"):
                await store.drop(workspace)
        (folder / f"{run}.run").unlink(missing_ok=True)
