"""Work that nobody waits for goes on, whatever goes wrong in it."""

from __future__ import annotations

import asyncio
import time

import pytest

from bot.slack.background import every, in_peace, news_or
from indexer import CatalogueUnavailable

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("error", [CatalogueUnavailable("The catalogue is away."), ZeroDivisionError("mistake")])
async def test_what_goes_wrong_is_logged_and_ends_nothing_else(
    caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    async def fails() -> None:
        raise error

    await in_peace(fails, "old things could not be forgotten")
    (record,) = caplog.records
    assert record.getMessage().startswith("old things could not be forgotten")
    expected = isinstance(error, CatalogueUnavailable)
    assert (record.levelname, record.exc_info is None) == (("WARNING", True) if expected else ("ERROR", False))


async def test_it_can_be_cancelled() -> None:
    task = asyncio.create_task(in_peace(asyncio.Event().wait, "nothing"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_after_a_round_that_failed_the_next_comes() -> None:
    rounds, enough = 0, asyncio.Event()

    async def round_() -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            enough.set()
        raise CatalogueUnavailable("The catalogue is away.")

    task = asyncio.create_task(every(0.001, round_, "a round failed"))
    await asyncio.wait_for(enough.wait(), 10)
    task.cancel()


async def test_news_are_not_waited_for_longer_than_said() -> None:
    news = asyncio.Event()
    await news_or(news, 0.01)
    assert not news.is_set()
    news.set()
    began = time.monotonic()
    await news_or(news, 60)
    assert time.monotonic() - began < 30
