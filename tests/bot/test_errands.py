"""What is asked for by a click is done once, by whichever process gets there first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.ledger import Ledger
from indexer import Database
from indexer.database import database_url

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> sa.URL:
    where = None if request.param == "sqlite" else request.getfixturevalue("postgres_database")
    return database_url(where, tmp_path)


@pytest.fixture
async def ledger(url: sa.URL) -> AsyncIterator[Ledger]:
    database = await Database.open(url)
    yield await Ledger.open(database)
    await database.close()


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
