"""What changed in the workspace, as one bot heard it from Slack, for all bots on the same database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from bot.ledger.moments import naive, now
from bot.ledger.schema import directory_changes
from indexer import Database


@dataclass(frozen=True, slots=True)
class Change:
    """Something about a channel, or (None) any that the person is in; a person, or (None) everybody in the channel.

    ``number`` grows from one to the next, though of two that are noted at once the greater may be seen first.
    """

    number: int
    channel: str | None
    person: str | None


class Changes:
    """Every method raises CatalogueUnavailable where the database is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note_change(self, channel: str | None, person: str | None, owner: str) -> None:
        """``owner``, an executor, heard of a change."""
        row = {"channel": channel, "person": person, "owner": owner, "heard_at": now()}
        await self._database.write(lambda c: c.execute(directory_changes.insert().values(row)))

    async def last_change(self) -> int:
        """The number of the newest change; 0 where there is none."""
        newest = sa.select(sa.func.max(directory_changes.c.number))
        return await self._database.read(lambda c: c.execute(newest).scalar()) or 0

    async def changes_after(self, number: int, *, not_by: str) -> list[Change]:
        """The changes with a greater number that others than the executor ``not_by`` heard of, in order."""
        table = directory_changes
        statement = (
            sa.select(table.c.number, table.c.channel, table.c.person)
            .where(table.c.number > number, table.c.owner != not_by)
            .order_by(table.c.number)
        )
        return [Change(*row) for row in await self._database.read(lambda c: c.execute(statement).all())]

    async def forget_changes(self, before: datetime) -> int:
        """Drop those that were heard before a moment. Returns how many."""
        old = directory_changes.delete().where(directory_changes.c.heard_at < naive(before))
        return await self._database.write(lambda c: c.execute(old).rowcount)
