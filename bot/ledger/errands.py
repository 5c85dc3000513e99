"""What a click asks for once, however often and by whomever it is clicked: posting, asking somebody, adding."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, Literal

import sqlalchemy as sa

from bot.ledger.moments import now
from bot.ledger.schema import errands
from indexer import Database

BUSY_SECONDS: Final = 120.0  # after which a process that began an errand is taken for dead

Turn = Literal["yours", "busy", "done"]


class Errands:
    """Every method raises CatalogueUnavailable where the database is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin_errand(self, key: str) -> Turn:
        """Whose turn it is: ``yours`` (end it with ``end_errand``), somebody is ``busy`` with it, or it is ``done``.

        Of many who ask at once one gets ``yours``. An errand that has been begun for two minutes and not ended is
        given to the next.
        """
        moment = now()
        until = moment + timedelta(seconds=BUSY_SECONDS)
        mine = (
            self._database.insert(errands)
            .values(key=key, busy_until=until)
            .on_conflict_do_update(
                index_elements=["key"], set_={"busy_until": until}, where=errands.c.busy_until < moment
            )
            .returning(errands.c.key)
        )
        held = sa.select(errands.c.busy_until).where(errands.c.key == key)

        def work(connection: sa.Connection) -> Turn:
            if connection.execute(mine).first() is not None:
                return "yours"
            row = connection.execute(held).first()
            return "done" if row is not None and row.busy_until is None else "busy"

        return await self._database.write(work)

    async def end_errand(self, key: str, *, done: bool) -> None:
        """Say how it ended; one that is not done may be begun again at once."""
        mine = errands.c.key == key
        end = errands.update().where(mine).values(busy_until=sa.null()) if done else errands.delete().where(mine)
        await self._database.write(lambda c: c.execute(end))
