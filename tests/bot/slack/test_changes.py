"""Slack tells each event to one of several bots: all of them act on it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from functools import partial

import pytest

from bot.slack import changes
from bot.slack.app import SlackBot
from bot.slack.directory import CannotCheck
from indexer import CatalogueUnavailable
from tests.bot.slack.clicked import Slack
from tests.bot.slack.sending.test_splitting import paragraphs
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, Writes
from tests.claude_server import ClaudeServer
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    monkeypatch.setattr(changes, "LOOK_SECONDS", 0.05)
    return Clocks(monkeypatch)


@pytest.fixture
async def bots(another_bot: StartBot) -> AsyncIterator[tuple[SlackBot, SlackBot]]:
    async with another_bot() as first, another_bot() as second:
        yield first, second


def whole(slack: SlackServer, company: Company, ts: str) -> bool:
    return any(one.actions for one in slack.replies(company.office, ts))


async def answers(slack: SlackServer, company: Company) -> list[Message]:
    """What both bots answer in #office: deliveries take turns."""
    shown = []
    for _ in range(2):
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        await slack.until(partial(whole, slack, company, ts), 20, "a whole answer")
        shown.append(slack.replies(company.office, ts)[-1])
    return shown


async def test_a_guest_who_joins_is_heeded_by_the_bot_that_was_not_told(
    bots: tuple[SlackBot, SlackBot], slack: SlackServer, company: Company
) -> None:
    assert [QUOTE in one.shown for one in await answers(slack, company)] == [True, True], "both know who is there"
    await slack.joins(company.gus, company.office).arrives()
    assert [QUOTE in one.shown for one in await answers(slack, company)] == [False, False]


async def test_somebody_who_becomes_a_guest_is_a_guest_for_all_bots(
    bots: tuple[SlackBot, SlackBot], slack: SlackServer, company: Company
) -> None:
    direct = slack.direct(company.ben)
    for bot in bots:
        people = Slack(slack, bot)
        for _ in range(2):
            await slack.commands(company.ben, direct, "/docs", "list").arrives()
        await people.idle()
    assert "Annual Review" in "".join(one.shown for one in slack.ephemerals(company.ben))
    await slack.changes(company.ben, guest="multi").arrives()
    before = len(slack.ephemerals(company.ben))
    for _ in range(2):
        await slack.commands(company.ben, direct, "/docs", "list").arrives()
    await Slack(slack, bots[0]).idle()
    await slack.until(lambda: len(slack.ephemerals(company.ben)) > before, what="the lists")
    shown = [one.shown for one in slack.ephemerals(company.ben)[before:]]
    assert not any("Annual Review" in one for one in shown), shown


async def test_an_answer_that_another_bot_is_writing_stops(
    bots: tuple[SlackBot, SlackBot], slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    """Whichever of the two was told of the guest: events take turns, so the second is the other one's."""
    claude.brain = Writes(paragraphs(8_000), piece=60, pause=0.03)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 2" in reply.shown for reply in slack.replies(company.office, ts)))
    await slack.joins(company.gus, company.office).arrives()
    joined = time.monotonic()
    await slack.until(lambda: any(one.actions for one in slack.replies(company.office, ts)), 30, "the end")
    for one in slack.replies(company.office, ts):
        assert not [shown for at, shown in one.history if at > joined + 0.5 and "Statement" in shown]
        assert "Statement" not in one.shown


async def test_where_it_cannot_be_known_what_others_heard_nothing_is_taken_for_a_yes(
    bots: tuple[SlackBot, SlackBot], company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = bots
    await first.parts.directory.person(company.ana.id)

    async def away(number: int, *, not_by: str) -> None:
        raise CatalogueUnavailable("The catalogue is away.")

    monkeypatch.setattr(first.parts.ledger, "changes_after", away)
    with pytest.raises(CannotCheck):
        await first.parts.directory.person(company.ana.id)
