"""What people asked to have added, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

import sqlalchemy as sa

from bot.adding import ASKING, AT_WORK, Decision, Progress, Request
from bot.ledger.moments import naive, now
from bot.ledger.schema import added_items, additions
from indexer import Database

OPEN: Final = "open"  # somebody works on it
ASKED: Final = "asking"  # it waits for a person
CLOSED: Final = "closed"

Turn = Literal["yours", "theirs", "over"]


@dataclass(frozen=True, slots=True)
class Addition:
    """A request, how far each of its items has come, and where the message stands that tells of it (channel, ``ts``).

    ``message`` is None while there is none.
    """

    request: Request
    items: tuple[Progress, ...]
    message: tuple[str, str] | None = None


class Additions:
    """An addition is *open* while a process, its owner, works on one of its items.

    Every method raises CatalogueUnavailable where the database is away.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take_addition(self, request: Request, owner: str) -> bool:
        """Make a request durable, open and ``owner``'s. False: it was taken before."""
        first = (
            self._database.insert(additions)
            .values(
                id=request.id,
                team=request.team,
                person=request.user,
                payload=request.as_json(),
                owner=owner,
                state=OPEN,
                taken_at=now(),
            )
            .on_conflict_do_nothing(index_elements=["id"])
            .returning(additions.c.id)
        )

        def work(connection: sa.Connection) -> bool:
            if connection.execute(first).first() is None:
                return False
            for number, item in enumerate(request.items):
                waiting = Progress("waiting", item.title or item.name)
                connection.execute(added_items.insert().values(_row(request.id, number, waiting)))
            return True

        return await self._database.write(work)

    async def addition(self, id: str) -> Request | None:
        """A request as it was made; None where it was forgotten, or never taken."""
        payload = await self._database.read(
            lambda c: c.execute(sa.select(additions.c.payload).where(additions.c.id == id)).scalar()
        )
        return Request.of_json(payload) if payload is not None else None

    async def progress_of(self, id: str) -> tuple[Progress, ...]:
        """How far each item has come, in order."""
        return tuple(await self._database.read(lambda c: _items(c, id)))

    async def additions_of(self, team: str, user: str, since: datetime) -> list[Addition]:
        """What somebody asked to have added since a moment, newest first; not what was forgotten."""
        theirs = (additions.c.team == team, additions.c.person == user, additions.c.taken_at >= naive(since))
        return await self._found(sa.select(additions).where(*theirs))

    async def added_as(self, document: str) -> list[Addition]:
        """The requests of which an item became this document, newest first; not what was forgotten."""
        its = added_items.c.progress["document"].as_string() == document
        made = sa.select(added_items.c.addition).where(its)
        return await self._found(sa.select(additions).where(additions.c.id.in_(made)))

    async def _found(self, which: sa.Select[Any]) -> list[Addition]:
        def work(connection: sa.Connection) -> list[Addition]:
            known = which.where(additions.c.payload.is_not(None))
            rows = connection.execute(known.order_by(additions.c.taken_at.desc(), additions.c.id)).all()
            return [
                Addition(
                    Request.of_json(row.payload),
                    tuple(_items(connection, row.id)),
                    (row.message_channel, row.message_ts) if row.message_ts else None,
                )
                for row in rows
            ]

        return await self._database.read(work)

    async def unfinished_additions(self) -> list[tuple[Request, str]]:
        """The open requests, oldest first, each with its owner."""
        statement = (
            sa.select(additions.c.payload, additions.c.owner)
            .where(additions.c.state == OPEN)
            .order_by(additions.c.taken_at, additions.c.id)
        )
        rows = await self._database.read(lambda c: c.execute(statement).all())
        return [(Request.of_json(payload), owner) for payload, owner in rows if payload is not None]

    async def claim_addition(self, id: str, owner: str, *, held_by: str) -> bool:
        """Take an open request over from ``held_by``. False: it is closed, or somebody else's by now."""
        mine = additions.update().where(additions.c.id == id, additions.c.owner == held_by, additions.c.state == OPEN)
        return await self._database.write(lambda c: c.execute(mine.values(owner=owner)).rowcount) > 0

    async def set_progress(self, id: str, number: int, progress: Progress) -> None:
        """Write how far an item has come."""
        where = (added_items.c.addition == id, added_items.c.number == number)
        values = _row(id, number, progress)
        await self._database.write(lambda c: c.execute(added_items.update().where(*where).values(values)))

    async def decide(self, id: str, number: int, decision: Decision, owner: str) -> Turn:
        """Answer the question that an item waits with.

        ``yours``: nobody works on the request, so go on with it; ``theirs``: its owner will; ``over``: it does not
        wait for an answer any more.
        """

        def work(connection: sa.Connection) -> Turn:
            row = connection.execute(sa.select(additions).where(additions.c.id == id).with_for_update()).first()
            items = _items(connection, id)
            if row is None or row.payload is None or number >= len(items) or items[number].state not in ASKING:
                return "over"
            item = items[number]
            if decision == "cancel":
                decided = replace(item, state="cancelled", twin=None)
            else:
                decided = replace(item, state="waiting", decisions=(*item.decisions, decision))
            where = (added_items.c.addition == id, added_items.c.number == number)
            connection.execute(added_items.update().where(*where).values(_row(id, number, decided)))
            if row.state == OPEN:
                return "yours" if row.owner == owner else "theirs"
            connection.execute(additions.update().where(additions.c.id == id).values(state=OPEN, owner=owner))
            return "yours"

        return await self._database.write(work)

    async def rest_addition(self, id: str, owner: str) -> bool:
        """Nothing is in hand any more: it is closed, or waits for a person.

        False: an item is to be worked on (somebody has just answered), or it is another's by now.
        """

        def work(connection: sa.Connection) -> bool:
            row = connection.execute(sa.select(additions).where(additions.c.id == id).with_for_update()).first()
            if row is None or row.owner != owner or row.state != OPEN:
                return False
            states = {item.state for item in _items(connection, id)}
            if states & set(AT_WORK):
                return False
            state = ASKED if states & set(ASKING) else CLOSED
            connection.execute(additions.update().where(additions.c.id == id).values(state=state, rested_at=now()))
            return True

        return await self._database.write(work)

    async def told_at(self, id: str, channel: str, ts: str) -> None:
        """Where the message stands that tells of a request."""
        place = additions.update().where(additions.c.id == id).values(message_channel=channel, message_ts=ts)
        await self._database.write(lambda c: c.execute(place))

    async def message_of(self, id: str) -> tuple[str, str] | None:
        """The channel and ``ts`` of the message that tells of a request; None while there is none."""
        statement = sa.select(additions.c.message_channel, additions.c.message_ts).where(additions.c.id == id)
        row = await self._database.read(lambda c: c.execute(statement).first())
        return (row.message_channel, row.message_ts) if row is not None and row.message_ts else None

    async def forget_additions(self, before: datetime) -> int:
        """Drop the texts and titles of requests that have rested since a moment. Returns of how many.

        Their keys stay, so that none of them is ever carried out again.
        """
        old = (additions.c.state != OPEN, additions.c.rested_at < naive(before), additions.c.payload.is_not(None))

        def work(connection: sa.Connection) -> int:
            ids = connection.execute(sa.select(additions.c.id).where(*old)).scalars().all()
            for id in ids:
                connection.execute(additions.update().where(additions.c.id == id).values(payload=sa.null()))
                connection.execute(added_items.delete().where(added_items.c.addition == id))
            return len(ids)

        return await self._database.write(work)


def _items(connection: sa.Connection, id: str) -> list[Progress]:
    statement = sa.select(added_items.c.progress).where(added_items.c.addition == id).order_by(added_items.c.number)
    return [Progress.of_json(stored) for stored in connection.execute(statement).scalars()]


def _row(id: str, number: int, progress: Progress) -> dict[str, object]:
    return {"addition": id, "number": number, "progress": progress.as_json()}
