"""Whatever becomes of the connection to Slack: events flow again, none is lost, none is answered twice."""

from __future__ import annotations

import asyncio
from typing import Literal

import pytest

from bot.slack.app import SlackBot
from tests.bot.slack.sending.test_splitting import letters, paragraphs
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, Writes, finished, outcome, said
from tests.claude_server import ClaudeServer
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch, slack: SlackServer) -> Clocks:
    slack.clock_factor = 0.02  # Slack sends an event again after 0, 1.2 and 6 seconds
    slack.stream_seconds = 60 / slack.clock_factor
    clocks = Clocks(monkeypatch)
    clocks.pings(0.2)
    return clocks


async def is_answered_once(slack: SlackServer, bot: SlackBot, company: Company, claude: ClaudeServer, ts: str) -> None:
    (answer,) = await finished(slack, bot, company.office, ts)
    await asyncio.sleep(0.1)
    assert QUOTE in answer.shown
    assert len(slack.replies(company.office, ts)) == 1
    assert len([request for request in claude.messages if not request.tool_results]) == 1


async def test_a_socket_that_is_open_and_silent_is_given_up(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    slack.ack_seconds = 0.5
    slack.go_silent()
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any(not connection.silent for connection in slack.connections))
    await is_answered_once(slack, answering, company, claude, ts)


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "link_disabled"])
async def test_after_a_disconnect_events_flow_again(
    answering: SlackBot,
    slack: SlackServer,
    company: Company,
    claude: ClaudeServer,
    reason: Literal["warning", "refresh_requested", "link_disabled"],
) -> None:
    slack.disconnect(reason)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.connected > 1 and slack.connections)
    await is_answered_once(slack, answering, company, claude, ts)


async def test_after_a_cut_connection_events_flow_again(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    slack.drop_connections()
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await is_answered_once(slack, answering, company, claude, ts)


async def test_a_socket_that_was_closed_is_opened_again_at_once(
    another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer, clocks: Clocks
) -> None:
    """And not only when the SDK looks next: what Slack cannot deliver at once comes a minute later."""
    clocks.pings(30.0)
    async with another_bot() as bot:
        slack.drop_connections()
        await slack.until(lambda: slack.connected > 1 and slack.connections, seconds=5, what="another connection")
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        await is_answered_once(slack, bot, company, claude, ts)


async def test_an_answer_under_way_and_one_asked_meanwhile_outlive_an_outage_of_slack(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    claude.brain = Writes(paragraphs(1_500), piece=60, pause=0.02)
    first = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 2" in reply.shown for reply in slack.replies(company.office, first)))
    slack.close_port()
    slack.hold_events()
    second = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await asyncio.sleep(1.5)
    slack.open_port()
    await slack.ready(seconds=5)
    slack.release_events()
    for ts in (first, second):
        (answer,) = await finished(slack, answering, company.office, ts)
        assert letters(said(answer)) == letters(await outcome(answering, company.office, ts))
    assert len([request for request in claude.messages if not request.tool_results]) == 2
    assert not slack.open_streams


async def test_an_answer_outlives_an_outage_longer_than_all_patience(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, clocks: Clocks
) -> None:
    clocks.tries(2)
    claude.brain = Writes(paragraphs(500), piece=60, pause=0.02)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 2" in reply.shown for reply in slack.replies(company.office, ts)))
    slack.close_port()
    await asyncio.sleep(1.5)
    slack.open_port()
    (answer,) = await finished(slack, answering, company.office, ts)
    assert letters(said(answer)) == letters(await outcome(answering, company.office, ts))
    assert not slack.open_streams
