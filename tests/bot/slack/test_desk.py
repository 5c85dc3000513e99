"""Each question is answered once, whatever happens to the process that took it."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.asking import How, Question
from bot.ledger import Ledger
from bot.slack import desk as desk_module
from bot.slack.desk import Desk, End, Outcome, OutOfReach
from indexer import Database, Leases
from indexer.database import database_url

pytestmark = pytest.mark.anyio

QUESTION = Question("T1", "C1", "1700000000.000100", "1700000000.000100", "U1", "<@UBOT> Who?", How.MENTION)


@dataclass
class Recorded:
    """Answers when it is let; records what it was asked to do."""

    answered: list[tuple[str, bool]] = field(default_factory=list)
    halted: list[tuple[str, End]] = field(default_factory=list)
    hold: asyncio.Event | None = None
    outcome: Outcome = "answered"
    unreached: int = 0  # how often nothing can be said

    async def answer(self, question: Question, *, again: bool) -> Outcome:
        self.answered.append((question.key, again))
        if self.unreached:
            self.unreached -= 1
            raise OutOfReach
        if self.hold is not None:
            await self.hold.wait()
        return self.outcome

    async def halt(self, question: Question, end: End) -> None:
        self.halted.append((question.key, end))


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(database_url(None, tmp_path))
    yield database
    await database.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOK_SECONDS", "BEAT_SECONDS", "TAKE_OVER_SECONDS", "LATER_SECONDS"):
        monkeypatch.setattr(desk_module, name, 0.02)
    monkeypatch.setattr(desk_module, "PATIENCE_SECONDS", 0.1)


@asynccontextmanager
async def opened(database: Database, replies: Recorded, owner: str) -> AsyncIterator[tuple[Desk, Ledger]]:
    ledger = await Ledger.open(database)
    desk = Desk(ledger, Leases(database, owner), owner, replies)
    await desk.open()
    try:
        yield desk, ledger
    finally:
        await desk.close()


async def until(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not what():  # noqa: ASYNC110 there is no event to wait for: what is waited for is another task's doing
            await asyncio.sleep(0.01)


async def test_a_question_is_answered_and_closed(database: Database) -> None:
    replies = Recorded()
    async with opened(database, replies, "one") as (desk, ledger):
        assert await ledger.take(QUESTION, "one")
        desk.begin(QUESTION)
        desk.begin(QUESTION)
        await desk.idle()
        assert await ledger.unfinished() == []
    assert replies.answered == [(QUESTION.key, False)]


async def test_what_a_dead_process_left_is_answered_by_another_one(database: Database) -> None:
    ledger = await Ledger.open(database)
    await ledger.take(QUESTION, f"{platform.node()}|999999|long ago|x")
    replies = Recorded()
    async with opened(database, replies, "two") as (desk, _):
        await until(lambda: bool(replies.answered))
        await desk.idle()
    assert replies.answered == [(QUESTION.key, True)]
    assert await ledger.unfinished() == []


async def test_a_question_that_is_answered_while_the_rows_are_read_is_not_answered_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round that takes over may have read a row as open that is closed by the time it looks who is at work."""
    replies = Recorded(hold=asyncio.Event())
    read, go_on = asyncio.Event(), asyncio.Event()
    dead = Leases.dead

    async def late(self: Leases, owners: frozenset[str]) -> frozenset[str]:
        if owners:
            read.set()
            await go_on.wait()
        return await dead(self, owners)

    monkeypatch.setattr(Leases, "dead", late)
    async with opened(database, replies, "one") as (desk, ledger):
        await ledger.take(QUESTION, "one")
        desk.begin(QUESTION)
        await read.wait()
        assert replies.hold is not None
        replies.hold.set()
        await desk.idle()
        go_on.set()
        await asyncio.sleep(0.1)
        await desk.idle()
    assert replies.answered == [(QUESTION.key, False)]


async def test_what_a_living_process_holds_is_left_alone(database: Database) -> None:
    one, two = Recorded(hold=asyncio.Event()), Recorded()
    async with opened(database, one, "one") as (first, ledger), opened(database, two, "two"):
        await ledger.take(QUESTION, "one")
        first.begin(QUESTION)
        await asyncio.sleep(0.3)
        assert two.answered == []
        assert one.hold is not None
        one.hold.set()
        await first.idle()
    assert one.answered == [(QUESTION.key, False)]


async def test_a_question_stopped_in_one_process_ends_in_the_other(database: Database) -> None:
    """Slack tells any of the processes that somebody pressed Stop."""
    one, two = Recorded(hold=asyncio.Event()), Recorded()
    async with opened(database, one, "one") as (first, ledger), opened(database, two, "two") as (second, _):
        await ledger.take(QUESTION, "one")
        first.begin(QUESTION)
        await asyncio.sleep(0.05)
        assert await second.end(lambda question: question.channel == "C1", "stopped") == 1
        await until(lambda: bool(one.halted))
        await first.idle()
    assert one.halted == [(QUESTION.key, "stopped")]
    assert two.answered == []


async def test_a_question_that_was_taken_over_is_dropped_by_who_had_it(database: Database) -> None:
    one = Recorded(hold=asyncio.Event())
    async with opened(database, one, "one") as (first, ledger):
        await ledger.take(QUESTION, "one")
        first.begin(QUESTION)
        await asyncio.sleep(0.05)
        assert await ledger.claim(QUESTION.key, "two", held_by="one")
        await until(lambda: bool(one.halted))
    assert one.halted == [(QUESTION.key, "lost")]


async def test_a_process_that_ends_leaves_its_questions_to_the_next(database: Database) -> None:
    one, two = Recorded(hold=asyncio.Event()), Recorded()
    async with opened(database, one, "one") as (first, ledger):
        await ledger.take(QUESTION, "one")
        first.begin(QUESTION)
        await asyncio.sleep(0.05)
    assert one.halted == []
    assert [question.key for question, _ in await ledger.unfinished()] == [QUESTION.key]
    async with opened(database, two, "one") as (second, _):
        await until(lambda: bool(two.answered))
        await second.idle()
    assert two.answered == [(QUESTION.key, True)]


async def test_a_failure_of_the_replies_is_the_end_of_one_question_only(database: Database) -> None:
    class Broken(Recorded):
        async def answer(self, question: Question, *, again: bool) -> Outcome:
            raise RuntimeError("a mistake")

    async with opened(database, Broken(), "one") as (desk, ledger):
        await ledger.take(QUESTION, "one")
        desk.begin(QUESTION)
        await desk.idle()
        assert await ledger.unfinished() == []


async def test_a_question_that_was_answered_before_its_event_was_through_is_not_answered_again(
    database: Database,
) -> None:
    """Its row was there, and a round that takes over saw it first."""
    replies = Recorded()
    async with opened(database, replies, "one") as (desk, ledger):
        await ledger.take(QUESTION, "one")
        await until(lambda: bool(replies.answered))
        await desk.idle()
        desk.begin(QUESTION)
        await desk.idle()
    assert replies.answered == [(QUESTION.key, True)]


@pytest.mark.parametrize(("outcome", "end"), [("answered", "lost"), ("dropped", "dropped"), ("stopped", "stopped")])
async def test_what_another_process_made_of_a_question_is_how_it_ends_here(
    database: Database, outcome: Outcome, end: End, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "LOOK_SECONDS", 0.5)  # not between the two things that the other process does
    one = Recorded(hold=asyncio.Event())
    async with opened(database, one, "one") as (first, ledger):
        await ledger.take(QUESTION, "one")
        first.begin(QUESTION)
        await asyncio.sleep(0.05)
        await ledger.claim(QUESTION.key, "two", held_by="one")
        await ledger.close(QUESTION.key, "two", outcome)
        await until(lambda: bool(one.halted))
    assert one.halted == [(QUESTION.key, end)]


async def test_what_cannot_be_said_is_tried_again_later(database: Database) -> None:
    replies = Recorded(unreached=2)
    async with opened(database, replies, "one") as (desk, ledger):
        await ledger.take(QUESTION, "one")
        desk.begin(QUESTION)
        await desk.idle()
        assert await ledger.unfinished() == []
    assert [again for _, again in replies.answered] == [False, True, True]
