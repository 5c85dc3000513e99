"""Caps in Slack: at the day's nobody, at the hour's one person is answered without Claude, and it is said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import sqlalchemy as sa

from bot import caps
from bot.caps import start_of_day
from bot.ledger.schema import capped_questions, questions
from indexer import CatalogueUnavailable, Indexer
from indexer.schema import spending
from tests.bot.slack.clicked import Slack
from tests.bot.slack.whole import QUESTION, QUOTE, Writes, finished
from tests.claude_server import ClaudeServer
from tests.fixtures.bot import StartBot, own_library
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # what is spent and asked there is counted

DAY = "Today's budget for Claude is used up, so this is without it; ask again in "
HOUR = "You have asked as many questions as one person may in an hour, so this is without Claude; ask again in "
ALMOST_NOTHING = 0.000_001

Start = Callable[..., AbstractAsyncContextManager[Slack]]


class Clock:
    """The caps' clock: as late as a test wants it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.later = timedelta()
        patch.setattr(caps, "now", lambda: datetime.now(UTC) + self.later)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def start(another_bot: StartBot, library: Indexer, slack: SlackServer) -> Start:
    """Starts a bot with these caps, in a workspace where nothing was spent or asked yet."""

    @asynccontextmanager
    async def started(**settings: float) -> AsyncIterator[Slack]:
        async with another_bot(**settings) as bot:
            for table in (spending, questions, capped_questions):
                await library.database.write(partial(sa.Connection.execute, statement=table.delete()))
            yield Slack(slack, bot)

    return started


async def spent_today(library: Indexer, slack: SlackServer) -> float:
    return await library.spent_since(slack.team_id, start_of_day(datetime.now(UTC)))


def is_answered(message: Message, reason: str = DAY) -> bool:
    """Whether a message is an answer of Claude's; else it shows the passage that says it, and why."""
    without = reason in message.shown
    assert QUOTE in message.shown
    assert ("Here are the passages that I found." in message.shown) is without
    return not without


# -- the day's cap ---------------------------------------------------------------------------------------------------


async def test_at_the_days_cap_passages_are_shown_and_it_is_said_wherever_somebody_asks(
    start: Start, slack: SlackServer, company: Company, claude: ClaudeServer, clock: Clock
) -> None:
    async with start(day_cap_usd=ALMOST_NOTHING) as people:
        assert is_answered(await people.asks(company.ana, company.office, QUESTION))
        calls = len(claude.messages)
        assert not is_answered(await people.asks(company.ana, company.office, QUESTION))
        assert not is_answered(await people.asks(company.ana, slack.direct(company.ana), QUESTION))
        (command,) = await people.commands(company.ana, company.office, QUESTION)
        assert not is_answered(command)
        assert len(claude.messages) == calls
        clock.later = timedelta(days=1)
        assert is_answered(await people.asks(company.ana, company.office, QUESTION))
        (command,) = await people.commands(company.ana, company.office, QUESTION)
        assert is_answered(command)


async def test_the_reason_is_said_in_the_askers_language(start: Start, company: Company, claude: ClaudeServer) -> None:
    async with start(day_cap_usd=0.0) as people:
        message = await people.asks(company.ben, company.office, QUESTION)
        assert "Le budget de Claude pour aujourd'hui est épuisé" in message.shown
        assert claude.messages == []


async def test_contexts_and_answers_count_together(
    start: Start, slack: SlackServer, company: Company, library: Indexer
) -> None:
    async with start(day_cap_usd=5.0) as people:
        await library.record_spent(slack.team_id, "context", 4.5)
        assert is_answered(await people.asks(company.ana, company.office, QUESTION))
        await library.record_spent(slack.team_id, "context", 0.5)
        assert not is_answered(await people.asks(company.ana, company.office, QUESTION))


async def test_every_answer_is_counted_as_it_is_kept(
    start: Start, slack: SlackServer, company: Company, library: Indexer
) -> None:
    async with start() as people:
        message = await people.asks(company.ana, company.office, QUESTION)
        kept = await people.answer(message)
        assert await spent_today(library, slack) == pytest.approx(kept.cost_usd)
        assert kept.cost_usd > 0
        await people.commands(company.ana, company.office, QUESTION)
        assert await spent_today(library, slack) > 1.5 * kept.cost_usd


@pytest.mark.parametrize("end", ["stopped", "deleted"])
async def test_an_answer_that_was_ended_counts(
    start: Start, slack: SlackServer, company: Company, claude: ClaudeServer, library: Indexer, end: str
) -> None:
    claude.brain = Writes("A long sentence that says nothing more. " * 400, piece=40, pause=0.02)
    async with start(day_cap_usd=ALMOST_NOTHING, hour_cap_questions=1) as people:
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        await slack.until(lambda: any("[1]" in reply.shown for reply in slack.replies(company.office, ts)))
        searching = await spent_today(library, slack)
        if end == "stopped":
            await slack.presses_stop(company.ana, company.office, ts).arrives()
            await finished(slack, people.bot, company.office, ts)
        else:
            await slack.deletes(company.ana, company.office, ts).arrives()
        await people.idle()
        assert await spent_today(library, slack) > searching > 0
        assert not is_answered(await people.asks(company.ana, company.office, QUESTION))


async def test_where_it_cannot_be_found_out_what_was_spent_that_is_said_and_nothing_is_paid(
    start: Start,
    slack: SlackServer,
    company: Company,
    claude: ClaudeServer,
    library: Indexer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def away(workspace: str, moment: datetime) -> float:
        raise CatalogueUnavailable("The catalogue cannot be read or written right now.")

    async with start(day_cap_usd=5.0) as people:
        monkeypatch.setattr(library, "spent_since", away)
        message = await people.asks(company.ana, company.office, QUESTION)
        assert "The catalogue cannot be read or written right now." in message.shown
        await people.commands(company.ana, company.office, QUESTION)
        shown = [ephemeral.shown for ephemeral in slack.ephemerals(company.ana)]  # it may be there before the "looking"
        assert any("The catalogue cannot be read or written right now." in one for one in shown)
        assert claude.messages == []


# -- the hour's cap --------------------------------------------------------------------------------------------------


async def test_one_person_may_ask_so_often_an_hour_and_others_are_still_answered(
    start: Start, slack: SlackServer, company: Company, claude: ClaudeServer, clock: Clock
) -> None:
    async with start(hour_cap_questions=2) as people:
        assert is_answered(await people.asks(company.ana, company.office, QUESTION), HOUR)
        (command,) = await people.commands(company.ana, company.office, QUESTION)
        assert is_answered(command, HOUR)
        calls = len(claude.messages)
        third = await people.asks(company.ana, slack.direct(company.ana), QUESTION)
        assert not is_answered(third, HOUR)
        assert f"{HOUR}60 minutes for an answer." in third.shown
        (command,) = await people.commands(company.ana, company.office, QUESTION)
        assert not is_answered(command, HOUR)
        assert len(claude.messages) == calls
        assert is_answered(await people.asks(company.ben, company.office, QUESTION), HOUR)
        clock.later = timedelta(minutes=59)
        again = await people.asks(company.ana, company.office, QUESTION)
        assert f"{HOUR}1 minute for an answer." in again.shown
        clock.later = timedelta(minutes=61)
        assert is_answered(await people.asks(company.ana, company.office, QUESTION), HOUR)


async def test_of_many_asked_at_once_as_many_are_answered_as_may_be(
    start: Start, slack: SlackServer, company: Company
) -> None:
    async with start(hour_cap_questions=2) as people:
        asked = [slack.says(company.ana, company.office, f"@Situate {QUESTION}") for _ in range(5)]
        await asyncio.gather(*(finished(slack, people.bot, company.office, ts) for ts in asked))
        messages = [slack.replies(company.office, ts)[-1] for ts in asked]
        assert [is_answered(message, HOUR) for message in messages].count(True) == 2


async def test_a_person_at_the_days_cap_uses_up_nothing_of_their_hour(
    start: Start, company: Company, clock: Clock
) -> None:
    async with start(day_cap_usd=ALMOST_NOTHING, hour_cap_questions=2) as people:
        assert is_answered(await people.asks(company.ana, company.office, QUESTION))
        for _ in range(3):
            assert not is_answered(await people.asks(company.ana, company.office, QUESTION))
        await people.bot.parts.library.database.write(lambda c: c.execute(spending.delete()))
        last = await people.asks(company.ana, company.office, QUESTION)
        assert is_answered(last, HOUR)
