"""Work that nobody waits for: one thing that goes wrong in it ends nothing else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from indexer import SituateError

log = logging.getLogger(__name__)


async def in_peace(work: Callable[[], Awaitable[object]], failed: str) -> None:
    """Do it. What goes wrong is logged after ``failed``, which says what could not be done."""
    try:
        await work()
    except SituateError as error:
        log.warning("%s: %s", failed, error)
    except Exception:
        log.exception("%s", failed)


async def every(seconds: float, work: Callable[[], Awaitable[object]], failed: str) -> None:
    """Do ``work`` every so often, until cancelled; where it fails the next comes all the same."""
    while True:
        await asyncio.sleep(seconds)
        await in_peace(work, failed)


async def news_or(news: asyncio.Event, seconds: float) -> None:
    """Wait for news, but for so long at most."""
    try:
        async with asyncio.timeout(seconds):
            await news.wait()
    except TimeoutError:
        return
