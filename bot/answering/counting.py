"""What answers cost, written down with the library while they are made."""

from __future__ import annotations

import asyncio
import logging

from bot.answering.library import Library
from indexer import SituateError, Usage

log = logging.getLogger(__name__)


class Account:
    """Counts what Claude is paid for answers, each round as it ends, so that a crash forgets no more than one."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._counting: set[asyncio.Task[None]] = set()

    async def count(self, workspace: str, usage: Usage) -> None:
        """Record what a round cost, also where whoever waits for its answer goes away meanwhile. Raises nothing."""
        if usage.cost_usd <= 0:
            return
        counting = asyncio.create_task(self._count(workspace, usage.cost_usd))
        self._counting.add(counting)
        counting.add_done_callback(self._counting.discard)
        await asyncio.shield(counting)

    async def _count(self, workspace: str, cost_usd: float) -> None:
        try:
            await self._library.record_spent(workspace, "answer", cost_usd)
        except SituateError as error:  # the library owes it, and the answer is there
            log.warning("what an answer cost could not be written down: %s", error)
