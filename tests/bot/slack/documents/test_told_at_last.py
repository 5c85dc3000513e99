"""However long Slack, or the ledger, is away: how it ended is told, once; and a short absence refuses nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.slack.adding import desk, forgetting
from bot.slack.app import SlackBot
from indexer import CatalogueUnavailable, Indexer, WeaviateUnavailable
from tests.bot.slack.documents.test_adding import BUDGET, AddingByRequest
from tests.bot.slack.documents.test_adding_whatever_fails import READY, request_of, told
from tests.bot.slack.whole import Clocks
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

FORGOTTEN = "I have forgotten"


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    clocks = Clocks(monkeypatch)
    clocks.tries(2)
    monkeypatch.setattr(desk, "LATER_SECONDS", 0.2)
    monkeypatch.setattr(forgetting, "LOOK_SECONDS", 0.2)
    return clocks


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


async def test_the_end_is_told_once_slack_is_back(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """An outage that is longer than all tries of a call: the message does not stay at what it said before."""
    request = request_of(slack, company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert await people.bot.adding.take(request)
    slack.fail("chat.update", status=503, times=None)
    people.bot.adding.begin(request)
    await slack.until(lambda: len(slack.called("chat.update")) > 8, what="an update that fails")
    (message,) = told(slack, company.ana)
    assert READY not in message.shown
    slack.recover()
    await people.idle()
    (message,) = told(slack, company.ana)
    assert READY in message.shown
    assert await people.bot.parts.ledger.unfinished_additions() == []


async def test_a_conversation_that_opens_late_is_used(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    slack.fail("conversations.open", status=503, times=5)
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert READY in message.shown


async def test_a_message_of_which_nobody_could_write_where_it_stands_is_not_posted_again(
    people: AddingByRequest, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_at, lost = people.bot.parts.ledger.told_at, 2

    async def away(id: str, channel: str, ts: str) -> None:
        nonlocal lost
        if lost:
            lost -= 1
            raise CatalogueUnavailable("The catalogue is away.")
        await told_at(id, channel, ts)

    monkeypatch.setattr(people.bot.parts.ledger, "told_at", away)
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert READY in message.shown
    assert (len(told(slack, company.ana)), lost) == (1, 0)


@pytest.mark.parametrize("away", [WeaviateUnavailable, CatalogueUnavailable])
async def test_a_short_absence_refuses_nothing(
    people: AddingByRequest,
    company: Company,
    slack: SlackServer,
    library: Indexer,
    monkeypatch: pytest.MonkeyPatch,
    away: type[Exception],
) -> None:
    alike, calls = library.alike, 0

    async def at_first_away(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise away("It is away.")
        return await alike(*args)

    monkeypatch.setattr(library, "alike", at_first_away)
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert READY in message.shown
    assert "keep trying" not in message.shown
    assert len(await people.added()) == 1


async def test_a_long_absence_is_told_meanwhile_and_then_refused(
    people: AddingByRequest, company: Company, slack: SlackServer, library: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*args: Any) -> Any:
        raise WeaviateUnavailable("It is away.")

    monkeypatch.setattr(library, "alike", away)
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert any("keep trying" in shown for _, shown in message.history)
    assert "Add it again later" in message.shown
    assert await people.added() == []


async def test_what_is_on_the_queue_is_never_called_refused_for_an_absence(
    people: AddingByRequest, company: Company, slack: SlackServer, library: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is indexed whatever is told of it."""
    work, calls = library.work, 0

    async def at_first_away() -> Any:
        nonlocal calls
        calls += 1
        if calls < 8:
            raise WeaviateUnavailable("It is away.")
        return await work()

    monkeypatch.setattr(library, "work", at_first_away)
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert READY in message.shown
    assert calls >= 8


async def test_a_deletion_is_told_once_slack_is_back_and_takes_effect_before(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await people.adds(company.ana, file)
    slack.fail("conversations.open", status=503, times=None)
    await slack.deletes_file(file).arrives()
    async with asyncio.timeout(10):
        while await people.added():  # noqa: ASYNC110 rows
            await asyncio.sleep(0.02)
    slack.recover()
    await slack.until(lambda: any(FORGOTTEN in one.shown for one in told(slack, company.ana)), what="a word about it")
    await asyncio.sleep(0.5)
    assert sum(FORGOTTEN in one.shown for one in told(slack, company.ana)) == 1


async def test_a_deletion_that_a_process_died_telling_of_is_told_once_by_the_next(
    another_bot: StartBot, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It posted, and could not write so."""
    monkeypatch.setattr("bot.ledger.errands.BUSY_SECONDS", 0.3)
    async with another_bot() as first:
        people = AddingByRequest(slack, first)
        file = slack.file("budget.md", BUDGET, by=company.ana)
        await people.adds(company.ana, file)

        async def dies(key: str, *, done: bool) -> None:
            raise CatalogueUnavailable("The catalogue is away.")

        monkeypatch.setattr(first.parts.ledger, "end_errand", dies)
        await slack.deletes_file(file).arrives()
        await slack.until(lambda: any(FORGOTTEN in one.shown for one in told(slack, company.ana)), what="a word on it")
    async with another_bot() as second:
        async with asyncio.timeout(10):
            while await second.parts.ledger.to_tell():  # noqa: ASYNC110 rows
                await asyncio.sleep(0.05)
    assert sum(FORGOTTEN in one.shown for one in told(slack, company.ana)) == 1
