"""Who may read what is looked at again before an answer is there for good."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.slack.app import SlackBot
from bot.texts import ENGLISH
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, finished
from tests.claude_server import ClaudeServer, Hold, HonestAnswerer, Reply, Request
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


async def test_a_guest_who_joins_meanwhile_is_not_shown_what_guests_may_not_read(
    bot: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    hold, honest = Hold(), HonestAnswerer()

    def slow(request: Request) -> Reply:
        reply = honest(request)
        return replace(reply, hold=hold) if request.search_results else reply

    claude.brain = slow
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any(request.search_results for request in claude.messages))
    await slack.joins(company.gus, company.office).arrives()
    await asyncio.sleep(0.1)
    hold.release()
    (answer,) = await finished(slack, bot, company.office, ts)
    assert QUOTE not in answer.shown
    assert "Annual Review" not in answer.shown
    assert ENGLISH.say("none_for_all") in answer.shown
    assert "outside" in answer.shown
