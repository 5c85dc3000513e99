"""Who lives and who is dead."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from indexer.database import Database, database_url
from indexer.leases import DEAD_AFTER_SECONDS, Leases, gone_from_here, new_executor_id

pytestmark = pytest.mark.anyio
ELSEWHERE = "another-machine|1|1|abc"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(database_url(None, tmp_path))
    yield database
    await database.close()


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_who_beats_lives_and_who_stands_still_for_forty_seconds_is_dead(database: Database) -> None:
    clock = Clock()
    mine, theirs = Leases(database, "me", clock=clock), Leases(database, ELSEWHERE)
    await theirs.beat()
    assert await mine.dead(frozenset({ELSEWHERE})) == frozenset()
    clock.now = DEAD_AFTER_SECONDS - 1
    await theirs.beat()
    assert await mine.dead(frozenset({ELSEWHERE})) == frozenset()
    clock.now += DEAD_AFTER_SECONDS - 1
    assert await mine.dead(frozenset({ELSEWHERE})) == frozenset()
    clock.now += 1
    assert await mine.dead(frozenset({ELSEWHERE})) == {ELSEWHERE}


async def test_who_gave_the_lease_back_is_not_waited_for(database: Database) -> None:
    mine, theirs = Leases(database, "me"), Leases(database, ELSEWHERE)
    await theirs.beat()
    assert await mine.dead(frozenset({ELSEWHERE})) == frozenset()
    await theirs.release()
    assert await mine.dead(frozenset({ELSEWHERE})) == {ELSEWHERE}


async def test_one_is_never_dead_to_oneself(database: Database) -> None:
    clock = Clock()
    mine = Leases(database, "me", clock=clock)
    await mine.dead(frozenset({"me"}))
    clock.now = 1_000
    assert await mine.dead(frozenset({"me"})) == frozenset()


def test_an_ended_process_of_this_machine_is_seen_at_once() -> None:
    process = subprocess.Popen(["sleep", "60"])
    try:
        with open(f"/proc/{process.pid}/stat") as stat:
            start = stat.read().rpartition(")")[2].split()[19]
        executor = f"{platform.node()}|{process.pid}|{start}|x"
        assert not gone_from_here(executor)
    finally:
        process.kill()
        process.wait()
    assert gone_from_here(executor)


def test_a_process_id_given_to_another_process_does_not_count_as_alive() -> None:
    host, pid, _, random = new_executor_id().split("|")
    assert not gone_from_here(new_executor_id())
    assert gone_from_here("|".join((host, pid, "1", random)))


def test_another_machine_is_not_judged_from_here() -> None:
    assert not gone_from_here(ELSEWHERE)
