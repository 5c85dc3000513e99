"""The whole bot tells administrators that Claude refuses the key, and that it takes it again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from bot.ledger.schema import alert_sightings, alerts
from bot.slack import alerts as module
from bot.slack import troubles
from bot.slack.app import SlackBot
from indexer import Indexer
from tests.bot.slack.clicked import Slack
from tests.bot.slack.whole import QUESTION, Clocks
from tests.claude_server import ClaudeServer, HttpError
from tests.claude_server.replies import Fault
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import Channel, SlackServer

pytestmark = pytest.mark.anyio

NO_KEY = HttpError(401, "invalid x-api-key")
NO_CREDIT = HttpError(400, "Your credit balance is too low to access the Anthropic API.")


@pytest.fixture(autouse=True)
async def quick(library: Indexer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Looked often, told at once; and nothing is known of other tests, nor left to them."""
    Clocks(monkeypatch)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(module, "SETTLED", timedelta(0))
    await _forget(library)
    yield
    await _forget(library)


async def _forget(library: Indexer) -> None:
    def work(connection: sa.Connection) -> None:
        for table in (alerts, alert_sightings):
            if sa.inspect(connection).has_table(table.name):
                connection.execute(table.delete())

    await library.database.write(work)


@pytest.fixture
def ops(slack: SlackServer, company: Company) -> Channel:
    return slack.channel("ops", members=[company.ana], private=True)


def told(slack: SlackServer, ops: Channel) -> list[str]:
    return [message.shown.split(". ")[0] for message in slack.messages(ops)]


@pytest.mark.parametrize(
    ("fault", "begun", "over"),
    [
        (NO_KEY, "Claude refuses the key", "Claude takes the key again"),
        (
            NO_CREDIT,
            "The account of ANTHROPIC_API_KEY has no credit left",
            "Claude answers again: there is credit",
        ),
    ],
    ids=["key", "credit"],
)
@pytest.mark.parametrize("by_command", [False, True], ids=["in a channel", "by command"])
async def test_that_claude_refuses_is_told_once_and_that_it_answers_again_once(
    another_bot: StartBot,
    slack: SlackServer,
    company: Company,
    claude: ClaudeServer,
    ops: Channel,
    fault: Fault,
    begun: str,
    over: str,
    by_command: bool,
) -> None:
    async def ask(bot: SlackBot) -> None:
        people = Slack(slack, bot)
        if by_command:
            await people.commands(company.ana, company.office, QUESTION)
        else:
            await people.asks(company.ana, company.office, QUESTION)

    async with another_bot(admin_channel=ops.id) as bot:
        await ask(bot)
        claude.fail(fault, times=None)
        await ask(bot)
        await slack.until(lambda: told(slack, ops) == [begun], what="an alert")
        await ask(bot)
    async with another_bot(admin_channel="#ops") as bot, another_bot(admin_channel="#ops"):
        await ask(bot)
        claude.recover()
        await ask(bot)
        await slack.until(lambda: told(slack, ops) == [begun, over], what="that it is over")
        await ask(bot)
    assert told(slack, ops) == [begun, over]


async def test_a_key_that_is_taken_again_is_noticed_though_nobody_asks(
    another_bot: StartBot,
    slack: SlackServer,
    company: Company,
    claude: ClaudeServer,
    ops: Channel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "ASK_AGAIN", timedelta(seconds=0.2))
    async with another_bot(admin_channel=ops.id) as bot:
        claude.fail(NO_KEY, times=None)
        await Slack(slack, bot).asks(company.ana, company.office, QUESTION)
        await slack.until(lambda: len(told(slack, ops)) == 1, what="an alert")
        asked = len(claude.messages)
        claude.recover()
        await slack.until(lambda: told(slack, ops)[1:] == ["Claude takes the key again"], what="that it is over")
    assert len(claude.messages) == asked  # nothing was paid for it


@pytest.mark.parametrize("is_long", [False, True], ids=["short", "long"])
async def test_an_outage_of_slack_is_told_when_it_is_over_unless_it_was_short(
    another_bot: StartBot,
    slack: SlackServer,
    company: Company,
    ops: Channel,
    monkeypatch: pytest.MonkeyPatch,
    is_long: bool,
) -> None:
    async def lasts() -> bool | None:
        """Whether the ledger's alert lasts; None where there is none."""
        alert = (await ledger.alerts(slack.team_id)).get("socket")
        return None if alert is None else alert.ended_at is None

    async def until(state: bool) -> None:
        async with asyncio.timeout(20):
            while await lasts() is not state:  # noqa: ASYNC110 rows
                await asyncio.sleep(0.02)

    monkeypatch.setattr(troubles, "DOWN", timedelta(seconds=0.2))
    monkeypatch.setattr(module, "AGAIN", timedelta(seconds=0.1))
    monkeypatch.setattr(module, "BACK_SECONDS", 6.0)  # longer than a reconnection takes on a busy machine
    if is_long:
        monkeypatch.setattr(module, "SHORT", timedelta(0))
    async with another_bot(admin_channel=ops.id) as bot:
        ledger = bot.parts.ledger
        slack.close_port()
        await until(True)
        slack.open_port()
        await until(False)
        if is_long:
            await slack.until(lambda: slack.messages(ops), what="a message")
        await Slack(slack, bot).asks(company.ana, company.office, QUESTION)
    said = [message.shown for message in slack.messages(ops)]
    assert ["it is over" in text for text in said] == [True] * is_long
