"""The catalogue's database, opened by several at once, and shared with whoever keeps tables beside the catalogue's."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from indexer.database import Database
from indexer.schema import documents

pytestmark = pytest.mark.anyio


async def test_many_may_open_an_empty_database_at_once(url: sa.URL) -> None:
    """Two bots that are started together on a new database both come up."""
    opened = await asyncio.gather(*(Database.open(url) for _ in range(8)))
    counted = [
        await one.read(lambda c: c.execute(sa.select(sa.func.count()).select_from(documents)).scalar())
        for one in opened
    ]
    assert counted == [0] * 8
    await asyncio.gather(*(one.close() for one in opened))


async def test_tables_of_others_are_made_beside_the_catalogues_and_kept(url: sa.URL) -> None:
    theirs = sa.MetaData()
    notes = sa.Table("notes", theirs, sa.Column("text", sa.Text))
    one, two = await Database.open(url), await Database.open(url)
    await asyncio.gather(one.create(theirs), two.create(theirs))
    await one.write(lambda c: c.execute(notes.insert().values(text="kept")))
    await two.create(theirs)
    assert await two.read(lambda c: c.execute(sa.select(notes.c.text)).scalars().all()) == ["kept"]
    await asyncio.gather(one.close(), two.close())
