"""Which executors live. Each beats every ten seconds; who has not beaten for forty is dead and its work is free.

A beat is a number that counts up, and a watcher measures by its own clock how long a number stood still: so machines
whose clocks differ agree. On one machine a dead process is seen at once, by its process id and start.
"""

from __future__ import annotations

import os
import platform
import time
import uuid
from collections.abc import Callable

import sqlalchemy as sa

from .database import Database
from .processes import process_started
from .schema import executors

BEAT_SECONDS = 10.0
DEAD_AFTER_SECONDS = 40.0


def new_executor_id() -> str:
    """A unique id of this process, by which peers on this machine can see whether it lives.

    ``host|pid|process start|random``
    """
    return "|".join((platform.node(), str(os.getpid()), process_started(os.getpid()) or "", uuid.uuid4().hex[:8]))


def gone_from_here(executor: str) -> bool:
    """Whether an executor was a process of this machine that has ended."""
    host, _, rest = executor.partition("|")
    pid, _, rest = rest.partition("|")
    start = rest.partition("|")[0]
    if host != platform.node() or not start or not pid.isdigit():
        return False  # another machine, or a system that does not tell: its beats decide
    return process_started(int(pid)) != start


class Leases:
    """The leases of all executors, as one of them sees them."""

    def __init__(self, database: Database, executor: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._executor = executor
        self._clock = clock
        self._seen: dict[str, tuple[int, float]] = {}  # executor → (beats, when this number was first seen)

    async def beat(self) -> None:
        """Say that this executor lives."""
        insert = self._database.insert(executors).values(id=self._executor, beats=1)
        again = insert.on_conflict_do_update(index_elements=["id"], set_={"beats": executors.c.beats + 1})
        await self._database.write(lambda c: c.execute(again))

    async def release(self) -> None:
        """Leave: this executor holds nothing any more."""
        await self.drop(self._executor)

    async def drop(self, executor: str) -> None:
        await self._database.write(lambda c: c.execute(executors.delete().where(executors.c.id == executor)))

    async def dead(self, holders: frozenset[str]) -> frozenset[str]:
        """Which of these executors, who hold work, are dead. This one never is."""
        rows = await self._database.read(lambda c: c.execute(sa.select(executors)).all())
        beats = {row.id: int(row.beats) for row in rows}
        now = self._clock()
        dead = set()
        for executor in holders - {self._executor}:
            if executor not in beats:  # it beat before it held anything: it has left since, in order
                dead.add(executor)
                continue
            number = beats[executor]
            known, since = self._seen.get(executor, (None, now))
            if known != number:
                since = now
            self._seen[executor] = (number, since)
            if gone_from_here(executor) or now - since >= DEAD_AFTER_SECONDS:
                dead.add(executor)
        return frozenset(dead)
