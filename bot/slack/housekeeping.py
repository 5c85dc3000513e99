"""What goes on beside the questions: what is slow the first time is done before, what has its time is forgotten."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.slack.background import in_peace
from bot.slack.directory import PEOPLE_SECONDS
from bot.slack.parts import Parts
from indexer import WORKSPACE, Viewer

AGAIN_SECONDS = 3_600.0
KEPT_DAYS = 30  # how long the wording of an answered question, or of a request to add, is kept


async def warm_up(parts: Parts) -> None:
    """Search once before anybody asks: the embedder is loaded by then."""

    async def search() -> None:
        await parts.library.search(await parts.workspace.name(), "warm up", Viewer(frozenset({WORKSPACE})), limit=1)

    await in_peace(search, "nothing could be searched yet")


async def forget_what_is_old(parts: Parts) -> None:
    """Forget, now and then, what is kept for a time only; until cancelled."""
    while True:
        before = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
        await in_peace(partial(parts.ledger.forget, before), "old questions could not be forgotten")
        await in_peace(partial(parts.ledger.forget_additions, before), "old requests to add could not be forgotten")
        heard = datetime.now(UTC) - timedelta(seconds=2 * PEOPLE_SECONDS)  # nobody remembers what was before
        await in_peace(partial(parts.ledger.forget_changes, heard), "old changes could not be forgotten")
        for workspace in (parts.me.team, parts.settings.workspace):
            forget = partial(parts.attachments.forget_old, workspace)
            await in_peace(forget, "old attached files could not be forgotten")
        await asyncio.sleep(AGAIN_SECONDS)
