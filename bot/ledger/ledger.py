"""The ledger: the bot's memory of questions, answers, feedback and muted threads, in the catalogue's database."""

from __future__ import annotations

import sqlalchemy as sa

from bot.ledger.additions import Additions
from bot.ledger.alerts import Alerts
from bot.ledger.answers import Answers
from bot.ledger.caps import Caps
from bot.ledger.changes import Changes
from bot.ledger.errands import Errands
from bot.ledger.moments import now
from bot.ledger.origins import Origins
from bot.ledger.questions import Questions
from bot.ledger.schema import LEDGER_VERSION, ledger_schema, metadata, muted_threads
from indexer import CatalogueUnavailable, Database


class Ledger(Questions, Answers, Errands, Caps, Additions, Origins, Changes, Alerts):
    """What all bots on one database know together. Every method raises CatalogueUnavailable where it is away."""

    @classmethod
    async def open(cls, database: Database) -> Ledger:
        """The ledger of an open database; makes its tables. Raises CatalogueUnavailable, also for a newer ledger."""
        await database.create(metadata)
        first = database.insert(ledger_schema).values(version=LEDGER_VERSION).on_conflict_do_nothing()

        def work(connection: sa.Connection) -> int:
            found = connection.execute(sa.select(sa.func.max(ledger_schema.c.version))).scalar()
            if found is None:
                connection.execute(first)
            return found or LEDGER_VERSION

        if await database.write(work) > LEDGER_VERSION:
            raise CatalogueUnavailable("The ledger was written by a newer Situate; upgrade this one before you use it.")
        return cls(database)

    async def mute(self, team: str, channel: str, thread: str, by: str) -> None:
        """From now on untagged messages in a thread are left alone. Who muted it first is kept."""
        statement = (
            self._database.insert(muted_threads)
            .values(
                team=team,
                channel=channel,
                thread=thread,
                muted_by=by,
                muted_at=now(),
            )
            .on_conflict_do_nothing()
        )
        await self._database.write(lambda c: c.execute(statement))

    async def unmute(self, team: str, channel: str, thread: str) -> None:
        statement = muted_threads.delete().where(*_thread(team, channel, thread))
        await self._database.write(lambda c: c.execute(statement))

    async def is_muted(self, team: str, channel: str, thread: str) -> bool:
        statement = sa.select(sa.literal(1)).where(*_thread(team, channel, thread))
        return await self._database.read(lambda c: c.execute(statement).first()) is not None


def _thread(team: str, channel: str, thread: str) -> tuple[sa.ColumnElement[bool], ...]:
    return muted_threads.c.team == team, muted_threads.c.channel == channel, muted_threads.c.thread == thread
