"""Who may read what is looked at again before an answer is there for good, and at every click."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from bot.slack.app import SlackBot
from bot.texts import ENGLISH
from indexer import Audience, Indexer
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.sending.test_splitting import paragraphs
from tests.bot.slack.test_asked_again import KYOTO, finds_nothing
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, Writes, finished, said
from tests.claude_server import ClaudeServer, Hold, HonestAnswerer, Reply, Request
from tests.fixtures.bot import own_library
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


def held(claude: ClaudeServer) -> Hold:
    """Claude searches, and then waits with its answer."""
    hold, honest = Hold(), HonestAnswerer()

    def slow(request: Request) -> Reply:
        reply = honest(request)
        return replace(reply, hold=hold) if request.search_results else reply

    claude.brain = slow
    return hold


async def test_no_word_more_is_shown_once_a_guest_has_joined(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    """What is being written stops at once, and not when it is whole."""
    claude.brain = Writes(paragraphs(8_000), piece=60, pause=0.03)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 2" in reply.shown for reply in slack.replies(company.office, ts)))
    await slack.joins(company.gus, company.office).arrives()
    joined = time.monotonic()
    (answer,) = await finished(slack, answering, company.office, ts)
    late = [shown for at, shown in answer.history if at > joined + 0.15 and "Statement" in shown]
    assert late == []
    assert "Statement" not in answer.shown


async def test_somebody_who_joins_and_may_read_everything_disturbs_nothing(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    claude.brain = Writes(paragraphs(2_000), piece=60, pause=0.02)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 1" in reply.shown for reply in slack.replies(company.office, ts)))
    await slack.joins(slack.person("Eve"), company.office).arrives()
    (answer,) = await finished(slack, answering, company.office, ts)
    assert len([request for request in claude.messages if not request.tool_results]) == 1
    assert "changed meanwhile" not in "".join(shown for _, shown in answer.history)


async def test_a_guest_who_joins_meanwhile_is_not_shown_what_guests_may_not_read(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    hold = held(claude)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any(request.search_results for request in claude.messages))
    await slack.joins(company.gus, company.office).arrives()
    await asyncio.sleep(0.1)
    hold.release()
    (answer,) = await finished(slack, answering, company.office, ts)
    assert QUOTE not in answer.shown
    assert "Annual Review" not in answer.shown
    assert ENGLISH.say("none_for_all") in answer.shown
    assert "outside" in answer.shown


@pytest.mark.parametrize("where", ["a channel", "a direct message"])
async def test_who_becomes_a_guest_meanwhile_is_not_answered_privately_as_an_employee(
    people: Slack, slack: SlackServer, company: Company, claude: ClaudeServer, where: str
) -> None:
    hold = held(claude)
    channel = company.office if where == "a channel" else slack.direct(company.ana)
    await slack.commands(company.ana, channel, "/ask", QUESTION).arrives()
    await slack.until(lambda: any(request.search_results for request in claude.messages))
    await slack.changes(company.ana, guest="multi").arrives()
    await asyncio.sleep(0.1)
    hold.release()
    await people.idle()
    assert ENGLISH.say("no_documents") in people.told(company.ana) or "outside" in people.told(company.ana)
    assert all(QUOTE not in one.shown and "Annual" not in one.shown for one in slack.ephemerals(company.ana))


async def test_who_becomes_a_guest_meanwhile_is_not_answered_directly_as_an_employee(
    people: Slack, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    hold = held(claude)
    ts = slack.says(company.ana, slack.direct(company.ana), QUESTION)
    await slack.until(lambda: any(request.search_results for request in claude.messages))
    await slack.changes(company.ana, guest="multi").arrives()
    await asyncio.sleep(0.1)
    hold.release()
    (answer,) = await finished(slack, people.bot, slack.direct(company.ana), ts)
    assert QUOTE not in answer.shown
    assert "Annual" not in answer.shown


@pytest.mark.parametrize("pause", [0.0, 0.1])
async def test_what_was_said_is_taken_back_where_a_guest_is_there_when_it_is_stopped(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, pause: float
) -> None:
    """Whether or not it has begun again by then."""
    claude.brain = Writes(paragraphs(4_000), piece=40, pause=0.02)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 3 rests" in reply.shown for reply in slack.replies(company.office, ts)))
    await slack.joins(company.gus, company.office).arrives()
    await asyncio.sleep(pause)
    await slack.presses_stop(company.ana, company.office, ts).arrives()
    (message,) = await finished(slack, answering, company.office, ts)
    assert "Statement" not in said(message)
    assert "Annual" not in message.shown


async def test_that_documents_are_left_out_is_said_once_in_a_thread(
    people: Slack, slack: SlackServer, company: Company, library: Indexer
) -> None:
    audience = Audience("channel", company.general.id)
    async with document(library, slack.team_id, KYOTO, name="kyoto.md", audience=audience):
        first = await people.asks(company.ana, company.general, "What does a hotel night in Kyoto cost?")
        second = await people.asks(company.ana, company.general, "And a hotel in Kyoto?", thread=first.root)
        elsewhere = await people.asks(company.ana, company.general, "What does a hotel night in Kyoto cost?")
    assert [("from outside the company" in one.shown) for one in (first, second, elsewhere)] == [True, False, True]
    for one in (first, second, elsewhere):
        assert "160 euros" in one.shown
        assert "answer_privately" in one.actions


async def test_whom_to_ask_names_no_document_that_somebody_there_may_not_read_any_more(
    people: Slack, slack: SlackServer, company: Company, claude: ClaudeServer, library: Indexer
) -> None:
    slack.may_ping(company.ana, company.ben)
    async with document(library, slack.team_id, KYOTO, name="kyoto.md", by=company.ben):
        finds_nothing(claude, "hotel night Kyoto")
        message = await people.asks(company.ana, company.office, "Is a hotel in Kyoto free?")
        assert "who added Kyoto Guide" in message.shown
        await slack.joins(company.gus, company.office).arrives()
        await people.idle()
        await people.clicks(company.ana, company.office, message.ts, "ask_person")
    _, asked = slack.replies(company.office, message.root)
    assert "Kyoto Guide" not in asked.shown
    assert asked.shown.startswith("@Ana asks the channel.")


async def test_nobody_is_asked_in_private_about_what_they_may_not_read_any_more(
    people: Slack, slack: SlackServer, company: Company, claude: ClaudeServer, library: Indexer
) -> None:
    audience = Audience("channel", company.finance.id)
    async with document(library, slack.team_id, KYOTO, name="kyoto.md", by=company.ben, audience=audience):
        await slack.leaves(company.ben, company.finance).arrives()
        finds_nothing(claude, "hotel night Kyoto")
        message = await people.asks(company.ana, slack.direct(company.ana), "Is a hotel in Kyoto free?")
    assert "ask_person" not in message.actions
    assert slack.messages(slack.direct(company.ben)) == []


async def test_a_channel_that_becomes_private_is_known_to_be_at_once(
    people: Slack, slack: SlackServer, company: Company
) -> None:
    directory = people.bot.parts.directory
    assert (await directory.channel(company.office.id)).kind == "channel"
    await slack.makes_private(company.ana, company.office).arrives()
    await people.idle()
    assert (await directory.channel(company.office.id)).kind == "group"
    await slack.makes_public(company.ana, company.office).arrives()
    await people.idle()
    assert (await directory.channel(company.office.id)).kind == "channel"


async def test_in_private_nothing_is_told_of_a_thread_that_the_person_does_not_read_any_more(
    people: Slack, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    """Ben still sees the message that he clicks, and is out of the channel by now."""
    message = await people.asks(company.ana, company.general, QUESTION)
    slack.says(company.ana, company.general, "The badger flies at noon.", thread=message.root)
    slack.expect_violations("*user_not_in_channel*")
    click = slack.clicks(company.ben, company.general, message.ts, "answer_privately")
    await slack.leaves(company.ben, company.general).arrives()
    await click.arrives()
    await people.idle()
    assert claude.messages
    assert all("badger" not in str(request.body) for request in claude.messages)
