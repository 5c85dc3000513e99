"""What administrators were told is broken, or not any more: once, by whichever bot gets to it, across restarts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

import sqlalchemy as sa

from bot.ledger.moments import aware, naive
from bot.ledger.schema import alert_sightings, alerts
from indexer import Database

BUSY_SECONDS: Final = 300.0  # after which a process that was telling something is taken for dead

Telling = Literal["first", "again"]


@dataclass(frozen=True, slots=True)
class Alert:
    """The latest trouble of one kind.

    ``number`` counts the troubles of this kind from 1. ``ended_at`` is None while it lasts. ``begun_told``: that it
    began was told; ``is_closed``: nothing more is to be told of it. ``told_at`` is when the first message on a trouble
    of this kind, this or an earlier one, was last told. ``detail`` has plain values about it, for what is told.
    """

    kind: str
    number: int
    began_at: datetime
    ended_at: datetime | None = None
    begun_told: bool = False
    is_closed: bool = False
    told_at: datetime | None = None
    detail: dict[str, Any] | None = None


class Alerts:
    """A trouble begins and ends once, whoever sees it; each change is a compare-and-set on its number.

    Every method raises CatalogueUnavailable where the database is away.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def alerts(self, team: str) -> dict[str, Alert]:
        """The latest trouble of each kind, by kind."""
        statement = sa.select(alerts).where(alerts.c.team == team)
        rows = await self._database.read(lambda c: c.execute(statement).all())
        return {row.kind: _alert(row) for row in rows}

    async def alert_begins(self, team: str, kind: str, at: datetime, detail: dict[str, Any]) -> None:
        """There is such a trouble.

        One that lasts goes on as it is; one that ended, and of which not everything has been told, goes on, too: so
        what comes and goes quickly is one trouble. Nothing is changed by what was seen before the latest one ended.
        """
        moment = naive(at)
        mine = (alerts.c.team == team, alerts.c.kind == kind, alerts.c.ended_at < moment)
        first = self._database.insert(alerts).values(
            team=team,
            kind=kind,
            number=1,
            began_at=moment,
            begun_told=False,
            is_closed=False,
            detail=detail,
        )
        goes_on = alerts.update().where(*mine, alerts.c.is_closed.is_(False)).values(ended_at=sa.null())
        another = alerts.update().where(*mine, alerts.c.is_closed.is_(True)).values(**_next(moment), detail=detail)

        def work(connection: sa.Connection) -> None:
            connection.execute(first.on_conflict_do_nothing())
            connection.execute(goes_on)
            connection.execute(another)

        await self._database.write(work)

    async def alert_ends(self, team: str, kind: str, at: datetime) -> None:
        """The trouble of a kind is over, unless it began later than that."""
        mine = (alerts.c.team == team, alerts.c.kind == kind, alerts.c.ended_at.is_(None))
        moment = naive(at)
        over = alerts.update().where(*mine, alerts.c.began_at <= moment).values(ended_at=moment)
        await self._database.write(lambda c: c.execute(over))

    async def take_alert(self, team: str, alert: Alert, now: datetime) -> Telling | None:
        """Whether it is for the caller to tell of a trouble now: of many who ask at once, for one.

        ``again``: somebody began to before and did not say how it went, so it may have been told. Give it back with
        ``alert_told`` or ``put_alert_off``; what is not given back in five minutes is given to the next.
        """
        moment = naive(now)
        free = sa.or_(alerts.c.busy_until.is_(None), alerts.c.busy_until < moment)
        until = datetime.fromtimestamp(now.timestamp() + BUSY_SECONDS, UTC)
        held = sa.select(alerts.c.busy_until).where(*_same(team, alert)).with_for_update()
        as_seen = (alerts.c.begun_told == alert.begun_told, alerts.c.is_closed == alert.is_closed)
        mine = alerts.update().where(*_same(team, alert), *as_seen, free).values(busy_until=naive(until))

        def work(connection: sa.Connection) -> Telling | None:
            before = connection.execute(held).scalar()
            if connection.execute(mine).rowcount == 0:
                return None
            return "first" if before is None else "again"

        return await self._database.write(work)

    async def put_alert_off(self, team: str, alert: Alert, until: datetime) -> None:
        """It could not be told now, as far as is known; nobody tries before ``until``."""
        statement = alerts.update().where(*_same(team, alert)).values(busy_until=naive(until))
        await self._database.write(lambda c: c.execute(statement))

    async def alert_told(self, team: str, alert: Alert, now: datetime, *, closed: bool, first: bool) -> None:
        """It was told, or needs no telling: its beginning, or (``closed``) all there is to it.

        ``first``: with this, the telling of this trouble began. One that was told to be over and came back meanwhile is
        another trouble from now on.
        """
        mine = alerts.update().where(*_same(team, alert))
        values: dict[str, Any] = {"busy_until": sa.null()} | ({"told_at": naive(now)} if first else {})

        def work(connection: sa.Connection) -> None:
            if not closed:
                connection.execute(mine.values(begun_told=True, **values))
                return
            connection.execute(mine.where(alerts.c.ended_at.is_not(None)).values(is_closed=True, **values))
            connection.execute(mine.where(alerts.c.ended_at.is_(None)).values(**values | _next(naive(now))))

        await self._database.write(work)

    async def sighted(
        self, team: str, kind: str, place: str, now: datetime, *, is_bad: bool, not_before: datetime
    ) -> bool:
        """What is seen at one place (a process, a machine), and what follows for all: whether it is bad anywhere.

        A place from where nothing was heard since ``not_before`` is none any more.
        """
        moment = naive(now)
        row = self._database.insert(alert_sightings).values(team=team, kind=kind, place=place, seen_at=moment)
        key = ["team", "kind", "place"]
        mine = (alert_sightings.c.team == team, alert_sightings.c.kind == kind)
        gone = [alert_sightings.c.seen_at < naive(not_before)]
        if not is_bad:
            gone.append(alert_sightings.c.place == place)
        left = sa.select(sa.literal(1)).where(*mine).limit(1)

        def work(connection: sa.Connection) -> bool:
            if is_bad:
                connection.execute(row.on_conflict_do_update(index_elements=key, set_={"seen_at": moment}))
            connection.execute(alert_sightings.delete().where(*mine, sa.or_(*gone)))
            return connection.execute(left).first() is not None

        return await self._database.write(work)


def _same(team: str, alert: Alert) -> tuple[sa.ColumnElement[bool], ...]:
    return alerts.c.team == team, alerts.c.kind == alert.kind, alerts.c.number == alert.number


def _next(began_at: datetime) -> dict[str, Any]:
    """The values of another trouble of the same kind."""
    return {
        "number": alerts.c.number + 1,
        "began_at": began_at,
        "ended_at": sa.null(),
        "begun_told": False,
        "is_closed": False,
        "busy_until": sa.null(),
    }


def _alert(row: Any) -> Alert:
    return Alert(
        kind=row.kind,
        number=row.number,
        began_at=aware(row.began_at),
        ended_at=aware(row.ended_at) if row.ended_at is not None else None,
        begun_told=row.begun_told,
        is_closed=row.is_closed,
        told_at=aware(row.told_at) if row.told_at is not None else None,
        detail=row.detail,
    )
