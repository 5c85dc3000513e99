"""Slack's requests by HTTP: who signs them is heard, everybody else is not, and each question is answered once."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.slack.app import SlackBot
from indexer.weaviate_launch import free_ports
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, finished
from tests.claude_server import ClaudeServer
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


@pytest.fixture
def port() -> int:
    return free_ports().rest


@pytest.fixture
async def bot(another_bot: StartBot, slack: SlackServer, port: int) -> AsyncIterator[SlackBot]:
    """A bot by HTTP, to which everything is delivered."""
    async with another_bot(http=port, slack_app_token=None) as running:
        slack.deliver_to(f"http://127.0.0.1:{port}/slack/events")
        yield running


async def post(port: int, body: dict[str, Any], secret: str, *, age: float = 0.0) -> tuple[int, str]:
    """Status and text of the answer to a request that is signed with ``secret``, ``age`` seconds ago."""
    data, moment = json.dumps(body), str(int(time.time() - age))
    digest = hmac.new(secret.encode(), f"v0:{moment}:{data}".encode(), hashlib.sha256).hexdigest()
    headers = {
        "X-Slack-Request-Timestamp": moment,
        "X-Slack-Signature": f"v0={digest}",
        "Content-Type": "application/json",
    }
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"http://127.0.0.1:{port}/slack/events", data=data, headers=headers) as response,
    ):
        return response.status, await response.text()


async def test_a_signed_event_is_answered(bot: SlackBot, slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    (message,) = await finished(slack, bot, company.office, ts)
    assert QUOTE in message.shown
    assert slack.connected == 0


@pytest.mark.parametrize("wrong", ["secret", "age"])
async def test_what_is_not_signed_now_and_by_slack_is_refused(
    bot: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, port: int, wrong: str
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}", deliver=())
    body = slack.announced(company.office, ts).payload
    secret = "another" if wrong == "secret" else slack.signing_secret
    status, text = await post(port, body, secret, age=600 if wrong == "age" else 0)
    assert status == 401
    assert slack.signing_secret not in text
    await asyncio.sleep(0.1)
    assert await bot.parts.ledger.unfinished() == []
    assert slack.replies(company.office, ts) == []


async def test_the_address_is_verified_with_its_challenge(bot: SlackBot, slack: SlackServer, port: int) -> None:
    body = {
        "type": "url_verification",
        "token": "t",
        "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
    }
    status, text = await post(port, body, slack.signing_secret)
    assert (status, json.loads(text)["challenge"]) == (200, body["challenge"])
    assert (await post(port, body, "another"))[0] == 401


async def test_what_is_sent_again_is_answered_once(
    bot: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    """Slack's retries carry X-Slack-Retry-Num; the first attempt may have been heard or not."""
    slack.expect_violations()  # that the first is acknowledged late is what makes Slack send it again
    slack.ack_seconds, slack.clock_factor = 0.2, 0.01
    slack.stream_seconds = 60 / slack.clock_factor
    take = bot.parts.ledger.take
    slowly = [0.5, 0.5]

    async def later(*arguments: Any) -> bool:
        taken = await take(*arguments)
        if slowly:
            await asyncio.sleep(slowly.pop())
        return taken

    patch = pytest.MonkeyPatch()
    patch.setattr(bot.parts.ledger, "take", later)
    try:
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        await finished(slack, bot, company.office, ts)
        await slack.until(lambda: all(delivery.acked for delivery in slack.deliveries[:2]))
    finally:
        patch.undo()
    await asyncio.sleep(0.3)
    assert max(delivery.attempts for delivery in slack.deliveries) > 1
    assert len(slack.replies(company.office, ts)) == 1
    assert len([request for request in claude.messages if not request.tool_results]) == 1


async def test_commands_and_buttons_come_by_http_too(bot: SlackBot, slack: SlackServer, company: Company) -> None:
    await slack.commands(company.ana, company.office, "/ask", QUESTION).arrives()
    await slack.until(lambda: any(QUOTE in message.shown for message in slack.ephemerals(company.ana)))
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    (message,) = await finished(slack, bot, company.office, ts)
    await slack.clicks(company.ana, company.office, message.ts, "show_passages").arrives()
    await slack.until(lambda: (view := slack.view(company.ana)) is not None and QUOTE in view.shown)


async def test_it_tells_that_it_is_there(bot: SlackBot, port: int) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/health") as response:
        assert (response.status, await response.text()) == (200, "ok")


@pytest.mark.parametrize("moment", ["abc", "", "12.5", "\u0664\u0662", "-1", None])
async def test_a_time_that_is_no_number_is_not_slack_s(bot: SlackBot, port: int, moment: str | None) -> None:
    """And nothing that fails in here: 401, not 500."""
    headers = {"X-Slack-Signature": "v0=00", "Content-Type": "application/json"}
    headers |= {} if moment is None else {"X-Slack-Request-Timestamp": moment}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"http://127.0.0.1:{port}/slack/events", data="{}", headers=headers) as response,
    ):
        assert response.status == 401
