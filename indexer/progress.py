"""Progress of a stage, written to the catalogue while it runs, so that any process can show it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from .catalogue import Catalogue
from .documents import VersionId

EVERY_SECONDS = 0.3  # often enough for a bar to move, seldom enough to cost nothing


@asynccontextmanager
async def reported(
    catalogue: Catalogue, version: VersionId, stage: str, total: int
) -> AsyncIterator[Callable[[int], None]]:
    """Give a function that takes how much is done; what it was last told is written a few times a second."""
    latest = 0

    def tell(done: int) -> None:
        nonlocal latest
        latest = done

    async def write() -> None:
        written = 0
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            if latest != written:
                written = latest
                await catalogue.update(version, done=written)

    await catalogue.update(version, stage=stage, done=0, total=total)
    writer = asyncio.create_task(write())
    try:
        yield tell
    finally:
        writer.cancel()
        with suppress(asyncio.CancelledError):
            await writer
