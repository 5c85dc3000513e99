"""Which questions count against their asker's cap of an hour."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bot.ledger.moments import aware, naive
from bot.ledger.schema import capped_questions, questions
from indexer import Database


class Caps:
    """Every method raises CatalogueUnavailable where the database is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def capped(self, key: str) -> None:
        """A question is answered without Claude, because of a cap: it counts for none."""
        statement = self._database.insert(capped_questions).values(question=key).on_conflict_do_nothing()
        await self._database.write(lambda c: c.execute(statement))

    async def counted_before(self, key: str, since: datetime) -> list[datetime]:
        """When the asker of a question asked those that count and came before it, the earliest first.

        A question counts from the moment it is taken: one that is still being answered does, one that was stopped or
        deleted does; one that failed on our side or was capped does not. Of several asked at once, each comes after
        those with a smaller key.
        """
        mine = questions.alias()
        earlier = sa.or_(
            questions.c.taken_at < mine.c.taken_at,
            sa.and_(questions.c.taken_at == mine.c.taken_at, questions.c.key < mine.c.key),
        )
        statement = (
            sa.select(questions.c.taken_at)
            .join(mine, sa.and_(questions.c.team == mine.c.team, questions.c.asker == mine.c.asker, earlier))
            .where(
                mine.c.key == key,
                questions.c.taken_at > naive(since),
                questions.c.state != "failed",
                questions.c.key.not_in(sa.select(capped_questions.c.question)),
            )
            .order_by(questions.c.taken_at)
        )
        taken = await self._database.read(lambda c: c.execute(statement).scalars().all())
        return [aware(moment) for moment in taken]
