"""At a cap passages are shown without Claude and it is said; what answers cost is counted, whatever becomes of them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime, timedelta

import pytest

from bot import caps
from bot.answering.answerer import Answerer
from bot.answering.events import Answer, Kind
from bot.answering.events import Text as Said
from bot.caps import Cap, day_cap, rounded_up, why_capped
from bot.console import Conversation
from bot.texts import ENGLISH, FRENCH
from indexer import CatalogueUnavailable, load_prices
from tests.bot.answers import answerer, ask, settings
from tests.bot.shelf import EVERYBODY, Shelf, annual_review
from tests.claude_server import ClaudeServer, Hold, HonestAnswerer, Midway, Reply, Request, Text

pytestmark = pytest.mark.anyio

QUESTION = "What was the root cause of INC-2023-04-011?"
SPENT = "Today's budget for Claude is used up"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def shelf() -> Shelf:
    shelf = Shelf()
    annual_review(shelf)
    return shelf


class Longwinded(HonestAnswerer):
    """Searches, cites, and then goes on and on; ``changes`` are fields of the reply."""

    def __init__(self, **changes: object) -> None:
        super().__init__()
        self.changes = changes

    def answer(self, request: Request) -> Reply:
        reply = super().answer(request)
        more = tuple(Text(f"Sentence {i} says no more than the last. ") for i in range(200))
        return Reply((*reply.blocks, *more)).but(**({"piece": 400} | self.changes))


async def capped(asked: Answerer) -> Answer:
    events = [event async for event in asked.answer(QUESTION, EVERYBODY, "local", capped="No more today.")]
    return events[-1].answer  # type: ignore[union-attr]  # Done is always the last


async def test_a_capped_question_gets_passages_and_the_reason_and_nothing_is_paid(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    asked = answerer(claude, shelf)
    answer = await capped(asked)
    assert answer.kind is Kind.PASSAGES
    assert "The root cause was an expired certificate on the gateway." in answer.text
    assert answer.notice == "No more today. Here are the passages that I found."
    assert answer.reference is None
    assert answer.usage.cost_usd == 0
    assert claude.messages == []
    assert shelf.paid == []
    assert asked.client is not None
    await asked.client.close()


async def test_without_a_key_that_is_the_reason_also_at_a_cap(shelf: Shelf) -> None:
    answer = await capped(Answerer(shelf, None, settings(), load_prices(None)))
    assert str(answer.notice).startswith(ENGLISH.say("no_key"))


async def test_each_round_of_an_answer_is_counted_once(claude: ClaudeServer, shelf: Shelf) -> None:
    seen = await ask(answerer(claude, shelf), QUESTION, workspace="T1")
    assert [(workspace, what) for workspace, what, _ in shelf.paid] == [("T1", "answer")] * len(claude.messages)
    assert await shelf.spent_since("T1", NOON) == pytest.approx(seen.answer.usage.cost_usd)
    assert seen.answer.usage.cost_usd > 0


async def test_rounds_that_broke_off_are_counted_with_those_that_followed(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = HonestAnswerer()
    claude.fail(Midway("cut", after=1), times=2)
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.ANSWER
    assert len(shelf.paid) == len(claude.messages) == 4
    assert sum(cost for *_, cost in shelf.paid) == pytest.approx(seen.answer.usage.cost_usd)


async def test_an_answer_that_could_not_be_had_is_counted(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = HonestAnswerer()
    claude.fail(Midway("cut", after=1), times=None)
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.PASSAGES
    assert len(shelf.paid) == len(claude.messages) == 3
    claude.recover()


@pytest.mark.parametrize("end", ["closed", "cancelled"])
async def test_an_answer_that_is_stopped_is_counted_with_what_was_written(
    claude: ClaudeServer, shelf: Shelf, end: str
) -> None:
    """How much Claude wrote would be told at the end, which does not come: what was read is counted in its place."""
    claude.brain = Longwinded(pause=0.005)
    asked = answerer(claude, shelf)
    said = ""
    heard = asyncio.Event()

    async def listen() -> None:
        nonlocal said
        async with aclosing(asked.answer(QUESTION, EVERYBODY, "local")) as events:
            async for event in events:
                if isinstance(event, Said):
                    said += event.text
                if "Sentence 60" in said:
                    heard.set()
                    if end == "closed":
                        return

    listening = asyncio.create_task(listen())
    await heard.wait()
    if end == "cancelled":
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
    await listening if end == "closed" else None
    searching, writing = (cost for *_, cost in shelf.paid)
    price = load_prices(None).of(claude.messages[-1].model)
    assert price is not None
    assert writing > 60 * len("Sentence 10 says no more than the last. ") / 4 * price.output / 1_000_000
    assert writing > searching
    assert asked.client is not None
    await asked.client.close()


async def test_an_answer_that_is_stopped_before_it_begins_costs_what_came_before(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    hold = Hold()
    claude.brain = Longwinded(hold=hold)
    asked = answerer(claude, shelf)

    async def listen() -> None:
        async with aclosing(asked.answer(QUESTION, EVERYBODY, "local")) as events:
            async for _ in events:
                pass

    listening = asyncio.create_task(listen())
    await claude.arrived(2)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening
    hold.release()
    assert len(shelf.paid) == 1
    assert asked.client is not None
    await asked.client.close()


async def test_an_answer_is_there_though_its_cost_cannot_be_written_down(
    claude: ClaudeServer, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def away(workspace: str, what: str, cost_usd: float) -> None:
        raise CatalogueUnavailable("The catalogue cannot be read or written right now.")

    monkeypatch.setattr(shelf, "record_spent", away)
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.ANSWER
    assert "what an answer cost could not be written down" in caplog.text
    assert QUESTION not in caplog.text


# -- the day's cap ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cap", "paid", "reached"),
    [(None, 99.0, False), (5.0, 4.99, False), (5.0, 5.0, True), (5.0, 6.0, True), (0.0, 0.0, True)],
)
async def test_the_days_cap_is_reached_when_as_much_is_spent(
    shelf: Shelf, cap: float | None, paid: float, reached: bool
) -> None:
    await shelf.record_spent("T1", "answer", paid)
    await shelf.record_spent("T2", "answer", 100)
    found = await day_cap(shelf, settings(day_cap_usd=cap), "T1")
    assert (found is not None) is reached


@pytest.mark.parametrize(
    ("moment", "hours"),
    [(NOON, 12), (NOON + timedelta(minutes=1), 12), (NOON.replace(hour=23, minute=59), 1), (NOON.replace(hour=0), 24)],
)
async def test_a_day_is_one_of_utc_and_the_hours_until_the_next_are_told(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, moment: datetime, hours: int
) -> None:
    asked: list[datetime] = []

    async def spent_since(workspace: str, since: datetime) -> float:
        asked.append(since)
        return 5.0

    monkeypatch.setattr(shelf, "spent_since", spent_since)
    monkeypatch.setattr(caps, "now", lambda: moment)
    assert await day_cap(shelf, settings(day_cap_usd=5), "T1") == Cap("day_cap", hours)
    assert asked == [datetime(2026, 11, 30, tzinfo=UTC)]


def test_a_span_is_rounded_up_to_at_least_one() -> None:
    spans = [timedelta(seconds=-5), timedelta(), timedelta(minutes=1), timedelta(minutes=60), timedelta(minutes=61)]
    assert [rounded_up(span, caps.HOUR) for span in spans] == [1, 1, 1, 1, 2]


def test_a_cap_is_told_with_the_time_until_it_ends() -> None:
    assert Cap("day_cap", 1).told(ENGLISH).endswith("ask again in 1 hour for an answer.")
    assert Cap("hour_cap", 12).told(ENGLISH).endswith("ask again in 12 minutes for an answer.")
    assert Cap("day_cap", 3).told(FRENCH).endswith("Reposez la question dans 3 heures pour avoir sa réponse.")
    assert Cap("hour_cap", 1).told(FRENCH).endswith("Reposez la question dans 1 minute pour avoir sa réponse.")


async def test_a_cap_that_cannot_be_looked_up_is_said_and_nothing_is_paid(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(workspace: str, since: datetime) -> float:
        raise CatalogueUnavailable("The catalogue cannot be read or written right now.")

    monkeypatch.setattr(shelf, "spent_since", away)
    assert await why_capped(shelf, settings(), "T1") is None
    told = await why_capped(shelf, settings(day_cap_usd=5), "T1")
    assert told == "The catalogue cannot be read or written right now."
    assert await why_capped(shelf, settings(day_cap_usd=5), "T1", FRENCH) == FRENCH.say("catalogue_away")


async def test_the_console_says_that_the_cap_is_reached_and_answers_again_when_it_is_not(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    asked = answerer(claude, shelf, day_cap_usd=0.000_001)
    conversation = Conversation(asked, shelf, EVERYBODY, "local")
    first = await conversation.ask(QUESTION, lambda event: None)
    assert first.kind is Kind.ANSWER
    paid = len(claude.messages)
    second = await conversation.ask("And when was it closed?", lambda event: None)
    assert second.kind is Kind.PASSAGES
    assert SPENT in str(second.notice)
    assert len(claude.messages) == paid
    shelf.paid.clear()
    third = await conversation.ask(QUESTION, lambda event: None)
    assert third.kind is Kind.ANSWER
    assert asked.client is not None
    await asked.client.close()
