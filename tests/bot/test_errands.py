"""What is asked for by a click is done once, by whichever process gets there first."""

from __future__ import annotations

import asyncio

import pytest

from bot.ledger import Ledger

pytestmark = pytest.mark.anyio


async def test_of_many_who_begin_an_errand_one_has_it(ledger: Ledger) -> None:
    turns = await asyncio.gather(*(ledger.begin_errand("a:share") for _ in range(5)))
    assert sorted(turns) == ["busy"] * 4 + ["yours"]
    assert await ledger.begin_errand("b:share") == "yours"


async def test_an_errand_that_is_done_stays_done(ledger: Ledger) -> None:
    assert await ledger.begin_errand("a:share") == "yours"
    await ledger.end_errand("a:share", done=True)
    assert await ledger.begin_errand("a:share") == "done"


async def test_an_errand_that_failed_may_be_begun_again(ledger: Ledger) -> None:
    assert await ledger.begin_errand("a:share") == "yours"
    await ledger.end_errand("a:share", done=False)
    assert await ledger.begin_errand("a:share") == "yours"


async def test_an_errand_of_a_dead_process_is_begun_again_after_a_while(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.ledger.errands.BUSY_SECONDS", -1.0)
    assert await ledger.begin_errand("a:share") == "yours"
    monkeypatch.undo()
    assert await ledger.begin_errand("a:share") == "yours"
    assert await ledger.begin_errand("a:share") == "busy"
