"""The bot in a process of its own, as ``python -m bot`` runs it, telling how long its searches take.

On standard output comes a line of JSON ``{"ready": true}`` once it is connected, then one for each search: ``{"query":
…, "began": …, "ended": …, "processor": …}``: seconds of the machine's monotonic clock, and of processor time that this
process has taken so far. It ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from datetime import datetime
from typing import Any

from bot.answering.answerer import Answerer
from bot.settings import BotSettings
from bot.slack.app import by_socket, open_bot
from indexer import (
    Document,
    DocumentId,
    Hit,
    Indexer,
    IndexerSettings,
    Passage,
    VersionId,
    Viewer,
    Why,
    load_prices,
    log_to,
    open_claude,
)


class TimedLibrary:
    """The library, its searches timed."""

    def __init__(self, library: Indexer) -> None:
        self._library = library

    async def connect(self) -> object:
        """As the library does."""
        return await self._library.connect()

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
        """Search, and tell how long it took."""
        began = time.monotonic()
        try:
            return await self._library.search(workspace, query, viewer, limit=limit, alpha=alpha, documents=documents)
        finally:
            tell(query=query, began=began, ended=time.monotonic(), processor=time.process_time())

    async def explain(self, workspace: str, query: str, viewer: Viewer, *, reranked: bool = True) -> list[Why]:
        """As the library does."""
        return await self._library.explain(workspace, query, viewer, reranked=reranked)

    async def documents(self, workspace: str, viewer: Viewer) -> list[Document]:
        """As the library does."""
        return await self._library.documents(workspace, viewer)

    async def passages(
        self, workspace: str, version: VersionId, start: int = 0, end: int | None = None
    ) -> list[Passage]:
        """As the library does."""
        return await self._library.passages(workspace, version, start, end)

    async def record_spent(self, workspace: str, what: str, cost_usd: float) -> None:
        """As the library does."""
        await self._library.record_spent(workspace, what, cost_usd)

    async def spent_since(self, workspace: str, moment: datetime) -> float:
        """As the library does."""
        return await self._library.spent_since(workspace, moment)


def tell(**record: Any) -> None:
    """Print a line of JSON."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


async def run(settings: BotSettings, indexer_settings: IndexerSettings) -> None:
    """Be in Slack until standard input ends."""
    assert settings.anthropic_api_key is not None
    log_to(indexer_settings.data_dir / "bot.log")
    async with (
        open_claude(settings.anthropic_api_key.get_secret_value(), settings.anthropic_base_url) as client,
        Indexer.open(indexer_settings) as library,
    ):
        await library.work()
        answerer = Answerer(TimedLibrary(library), client, settings, load_prices(None))
        async with open_bot(settings, library, answerer) as bot, by_socket(bot, settings):
            tell(ready=True)
            await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(run(BotSettings(), IndexerSettings()))
