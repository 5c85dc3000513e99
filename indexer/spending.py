"""What Claude cost: a row for every call that was paid, by workspace and moment, and the cap on a day's sum.

A day is one of UTC. All processes on one database count together. A call is counted when it is answered, so that what
is under way when the cap is reached may go past it: by at most the calls side by side, of which each costs cents.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

from .database import Database
from .errors import CatalogueUnavailable
from .rows import aware, naive, now
from .schema import documents, spending

CONTEXT: Final = "context"
LOOK_SECONDS: Final = 1.0  # how long a sum holds for the cap; what this process spends meanwhile is added to it


@dataclass(slots=True)
class _Seen:
    """A day's sum as it was read, and what this process spent since."""

    day: datetime
    usd: float
    until: float  # of the monotonic clock


class Spending:
    """The account of all workspaces. ``cap_usd`` is what a workspace may spend a day; None: as much as it likes."""

    def __init__(self, database: Database, cap_usd: float | None = None) -> None:
        self.cap_usd = cap_usd
        self._database = database
        self._seen: dict[str, _Seen] = {}
        self._owed: list[dict[str, Any]] = []  # rows that could not be written yet

    async def record(self, workspace: str, what: str, cost_usd: float) -> None:
        """Count ``cost_usd`` that was paid just now for ``what`` ("answer").

        Raises CatalogueUnavailable; it is counted nevertheless, and written with what is recorded next.
        """
        if cost_usd <= 0:
            return
        self._owed.append({"workspace": workspace, "at": now(), "what": what, "cost_usd": cost_usd})
        self.note(workspace, cost_usd)
        rows, self._owed = self._owed, []
        try:
            await self._database.write(lambda c: c.execute(spending.insert(), rows))
        except CatalogueUnavailable:
            self._owed = rows + self._owed
            raise

    def paid(self, version: str, cost_usd: float) -> sa.Insert:
        """The statement that counts a context of a version, for the transaction that keeps the context."""
        row = sa.select(documents.c.workspace, sa.literal(now()), sa.literal(CONTEXT), sa.literal(cost_usd))
        mine = row.where(documents.c.id == version.rpartition(".")[0])
        return spending.insert().from_select(["workspace", "at", "what", "cost_usd"], mine)

    def note(self, workspace: str, cost_usd: float) -> None:
        """Add to the sum that the cap is held against, before it is read again."""
        if workspace in self._seen:
            self._seen[workspace].usd += cost_usd

    async def since(self, workspace: str, moment: datetime) -> float:
        """US dollars spent from a moment on (with its zone). Raises CatalogueUnavailable."""
        start = naive(moment)
        mine = (spending.c.workspace == workspace, spending.c.at >= start)
        statement = sa.select(sa.func.coalesce(sa.func.sum(spending.c.cost_usd), 0.0)).where(*mine)
        written = float(await self._database.read(lambda c: c.execute(statement).scalar_one()))
        owed = (row for row in self._owed if row["workspace"] == workspace and row["at"] >= start)
        return written + sum((float(row["cost_usd"]) for row in owed), 0.0)

    async def last(self, workspace: str) -> datetime | None:
        """When a workspace last paid for anything; None: never. Raises CatalogueUnavailable."""
        statement = sa.select(sa.func.max(spending.c.at)).where(spending.c.workspace == workspace)
        return aware(await self._database.read(lambda c: c.execute(statement).scalar()))

    async def refusal(self, workspace: str) -> str | None:
        """Why nothing more may be paid today, in a sentence for a person; None while it may.

        Cheap enough to be asked before each call. Raises CatalogueUnavailable.
        """
        if self.cap_usd is None or await self._today(workspace) < self.cap_usd:
            return None
        return f"The cap of ${self.cap_usd:g} a day (DAY_CAP_USD) is reached; run 'retry' tomorrow, or raise it."

    async def _today(self, workspace: str) -> float:
        day = now().replace(hour=0, minute=0, second=0, microsecond=0)
        seen = self._seen.get(workspace)
        if seen is None or seen.day != day or time.monotonic() > seen.until:
            usd = await self.since(workspace, day.replace(tzinfo=UTC))
            seen = self._seen[workspace] = _Seen(day, usd, time.monotonic() + LOOK_SECONDS)
        return seen.usd
