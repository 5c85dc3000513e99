"""Where Claude, the documents or the ledger are away, people get passages or one plain sentence with a reference."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import time
from typing import Any

import pytest

from bot.answering.answerer import Answerer
from bot.slack.app import SlackBot, by_socket, open_bot
from indexer import CatalogueUnavailable, Indexer, load_prices
from indexer.weaviate_launch import free_ports
from tests.bot.slack.sending.test_splitting import letters, paragraphs
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, Writes, finished, outcome, said
from tests.claude_server import OVERLOADED, ClaudeServer, Hangup, HttpError, Midway, Reply, calls, says
from tests.claude_server.replies import Fault
from tests.fixtures.bot import StartBot, bot_settings
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio

REFERENCE = re.compile(r"\b[23456789A-HJ-NP-Z]{4}\b")


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


async def answer_to(slack: SlackServer, bot: SlackBot, company: Company) -> Message:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    (message,) = await finished(slack, bot, company.office, ts)
    assert not message.open
    return message


AWAY: dict[str, Fault] = {
    "overloaded": OVERLOADED,
    "rate limited": HttpError(429, "Too many requests."),
    "no such key": HttpError(401, "invalid x-api-key"),
    "hangs up": Hangup(),
    "breaks off": Midway("cut", after=9),
    "overloaded in the middle": Midway("error", after=9),
    "ends early": Midway("end", after=9),
}


@pytest.mark.parametrize("name", AWAY)
async def test_without_claude_people_get_passages_and_the_reason(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, name: str
) -> None:
    claude.fail(AWAY[name], times=None)
    message = await answer_to(slack, answering, company)
    assert f"“{QUOTE}” [1]" in said(message)
    assert "Here are the passages that I found." in message.shown
    assert REFERENCE.search(message.shown.partition("Here are the passages")[2])


async def test_without_a_key_people_get_passages(another_bot: StartBot, slack: SlackServer, company: Company) -> None:
    async with another_bot(anthropic_api_key=None) as bot:
        message = await answer_to(slack, bot, company)
    assert f"“{QUOTE}” [1]" in said(message)
    assert "ANTHROPIC_API_KEY" in message.shown


@pytest.mark.parametrize(
    "reply",
    [Reply((), stop_reason="refusal"), says(""), says("   \n"), Reply()],
    ids=["refusal", "empty", "blank", "none"],
)
async def test_where_claude_says_nothing_people_get_passages(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, reply: Reply
) -> None:
    claude.script(calls("search_documents", query="root cause"), *[reply] * 6)
    message = await answer_to(slack, answering, company)
    assert "Here are the passages that I found." in message.shown


async def test_an_overload_in_the_middle_leaves_nothing_half_said(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    whole = Writes(paragraphs(1_000), piece=60, pause=0.01)
    broken = [False]

    def brain(request: Any) -> Reply:
        reply = whole(request)
        if request.tool_results and not broken[0]:
            broken[0] = True
            return reply.but(fault=Midway("error", after=20), pause=0.03)
        return reply

    claude.brain = brain
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    (message,) = await finished(slack, answering, company.office, ts)
    assert letters(said(message)) == letters(await outcome(answering, company.office, ts))
    assert said(message).count("Statement 1 rests") == 1


async def test_without_the_documents_database_people_get_a_sentence_and_a_reference(
    slack: SlackServer, company: Company, claude: ClaudeServer, library: Indexer
) -> None:
    ports = free_ports()
    lost = library.settings.model_copy(
        update={"weaviate_url": f"http://127.0.0.1:{ports.rest}", "weaviate_grpc_port": ports.grpc}
    )
    settings = bot_settings(slack, claude, anthropic_api_key=None)
    async with (
        Indexer.open(lost) as away,
        open_bot(settings, away, Answerer(away, None, settings, load_prices(None))) as bot,
        by_socket(bot, settings),
    ):
        message = await answer_to(slack, bot, company)
    assert "The documents cannot be searched just now." in message.shown
    assert REFERENCE.search(message.shown)
    assert "try_again" in message.actions


async def test_an_event_that_cannot_be_stored_is_sent_again_and_answered_once(
    answering: SlackBot, slack: SlackServer, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    slack.expect_violations()
    slack.ack_seconds, slack.clock_factor = 0.3, 0.01
    slack.stream_seconds = 60 / slack.clock_factor
    take = answering.parts.ledger.take
    refused: list[float] = []

    async def away(*arguments: Any) -> bool:
        if len(refused) < 3:
            refused.append(time.monotonic())
            raise CatalogueUnavailable("The catalogue is away.")
        return await take(*arguments)

    monkeypatch.setattr(answering.parts.ledger, "take", away)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    (message,) = await finished(slack, answering, company.office, ts)
    assert QUOTE in message.shown
    assert all(delivery.acked is None or delivery.acked > refused[-1] for delivery in slack.deliveries[:2])
    assert any(delivery.attempts > 1 for delivery in slack.deliveries[:2])


async def test_an_event_that_waits_for_a_locked_database_is_answered_once(
    answering: SlackBot, slack: SlackServer, company: Company, library: Indexer
) -> None:
    slack.expect_violations()
    slack.ack_seconds, slack.clock_factor = 0.3, 0.01
    slack.stream_seconds = 60 / slack.clock_factor
    lock = sqlite3.connect(library.settings.data_dir / "situate.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await asyncio.sleep(1.0)
    assert not any(delivery.acked for delivery in slack.deliveries)
    lock.execute("ROLLBACK")
    lock.close()
    (message,) = await finished(slack, answering, company.office, ts)
    await asyncio.sleep(0.2)
    assert QUOTE in message.shown
    assert len(slack.replies(company.office, ts)) == 1


async def test_a_ledger_that_goes_away_while_an_answer_is_made_costs_no_answer(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*arguments: Any) -> None:
        raise CatalogueUnavailable("The catalogue is away.")

    with monkeypatch.context() as patch:
        for name in ("keep", "sent", "close", "latest_answer"):
            patch.setattr(answering.parts.ledger, name, away)
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        await slack.until(lambda: any("show_passages" in reply.actions for reply in slack.replies(company.office, ts)))
        await answering.desk.idle()
        await asyncio.sleep(0.2)
    (message,) = await finished(slack, answering, company.office, ts)
    assert QUOTE in message.shown
    assert len([request for request in claude.messages if not request.tool_results]) == 1
