"""Stop ends an answer wherever it stands, whichever process hears of it; so do an edit and the question's end."""

from __future__ import annotations

import asyncio

import pytest

from bot.slack import app
from bot.slack.app import SlackBot
from tests.bot.slack.sending.test_splitting import paragraphs
from tests.bot.slack.whole import QUESTION, Clocks, Writes, finished, said
from tests.claude_server import ClaudeServer, Hold, HonestAnswerer
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import Channel, Message, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


async def stopped(slack: SlackServer, bot: SlackBot, channel: Channel, ts: str) -> Message:
    """The one message that is left, with a note under it; the session is over."""
    await slack.until(lambda: any("Stopped here." in reply.shown for reply in slack.replies(channel, ts)))
    (message,) = await finished(slack, bot, channel, ts)
    await slack.until(lambda: (session := slack.session(channel, ts)) is not None and session.status == "active")
    assert not message.open
    assert message.shown.count("Stopped here.") == 1
    assert slack.status(channel, ts) == ""
    return message


@pytest.mark.parametrize("where", ["a channel", "a direct message"])
async def test_stop_before_the_first_text_leaves_a_note(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, where: str
) -> None:
    hold = Hold()
    claude.brain = Writes(paragraphs(500), hold=hold)
    channel = company.office if where == "a channel" else slack.direct(company.ana)
    ts = slack.says(company.ana, channel, f"@Situate {QUESTION}")
    await claude.arrived(2)
    await slack.until(lambda: slack.replies(channel, ts))
    await slack.presses_stop(company.ana, channel, ts).arrives()
    message = await stopped(slack, answering, channel, ts)
    hold.release()
    await asyncio.sleep(0.2)
    assert said(message) == ""
    assert len(claude.messages) == 2


async def test_stop_before_anything_is_shown_leaves_a_note(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    slack.slow("users.info", 0.3)
    slack.slow("conversations.info", 0.3)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.deliveries and slack.deliveries[0].acked)
    await asyncio.sleep(0.1)  # it is in hand, and waits for what is slow
    await slack.presses_stop(company.ana, company.office, ts).arrives()
    await stopped(slack, answering, company.office, ts)
    assert claude.messages == []


@pytest.mark.parametrize("where", ["a channel", "a direct message"])
async def test_stop_in_the_middle_keeps_what_was_said(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, where: str
) -> None:
    claude.brain = Writes(paragraphs(4_000), piece=40, pause=0.02)
    channel = company.office if where == "a channel" else slack.direct(company.ana)
    ts = slack.says(company.ana, channel, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 3 rests" in reply.shown for reply in slack.replies(channel, ts)))
    await slack.presses_stop(company.ana, channel, ts).arrives()
    message = await stopped(slack, answering, channel, ts)
    assert said(message).startswith("INC-2023-04-011 took")
    assert "[1] Annual Review 2023 › Cybersecurity" in message.shown.partition("Stopped here.")[2]
    assert "Statement 30" not in said(message)
    await asyncio.sleep(0.2)
    assert len(claude.messages) == 2
    assert await answering.parts.ledger.unfinished() == []


async def test_stop_while_the_last_words_are_on_their_way_leaves_one_end(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    claude.brain = Writes(paragraphs(400))
    slack.slow("chat.appendStream", 0.3)
    slack.slow("chat.stopStream", 0.3)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any(said(reply) for reply in slack.replies(company.office, ts)))
    await slack.presses_stop(company.ana, company.office, ts).arrives()
    (message,) = await finished(slack, answering, company.office, ts)
    await slack.until(lambda: not slack.open_streams)
    await asyncio.sleep(0.5)
    (message,) = slack.replies(company.office, ts)
    assert message.shown.count("Stopped here.") + message.actions.count("show_passages") == 1
    assert said(message).count("Statement 1 rests") == 1


async def test_stop_without_a_stream_ends_the_answer(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    slack.fail("chat.startStream", error="channel_type_not_supported", times=None)
    claude.brain = Writes(paragraphs(4_000), piece=40, pause=0.02)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await claude.arrived(2)
    await asyncio.sleep(0.3)
    await slack.presses_stop(company.ana, company.office, ts).arrives()
    await stopped(slack, answering, company.office, ts)
    assert len(claude.messages) == 2


async def test_stop_that_another_process_hears_of_ends_the_answer_of_this_one(
    another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "PING_SECONDS", 10.0)
    slack.ack_seconds = 0.3
    slack.clock_factor = 0.01  # what the silent connection did not acknowledge comes again soon
    slack.stream_seconds = 60 / slack.clock_factor
    claude.brain = Writes(paragraphs(4_000), piece=40, pause=0.05)
    async with another_bot() as answers:
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        await slack.until(lambda: any("Statement 3" in reply.shown for reply in slack.replies(company.office, ts)))
        slack.go_silent()  # from now on the first hears of nothing
        async with another_bot():
            await slack.ready(2)
            await slack.presses_stop(company.ana, company.office, ts).arrives()
            message = await stopped(slack, answers, company.office, ts)
    assert "Statement 30" not in said(message)
    assert len(claude.messages) == 2


async def test_a_question_that_is_deleted_takes_its_half_answer_with_it(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    claude.brain = Writes(paragraphs(4_000), piece=40, pause=0.02)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 3" in reply.shown for reply in slack.replies(company.office, ts)))
    await slack.deletes(company.ana, company.office, ts).arrives()
    await slack.until(lambda: not slack.replies(company.office, ts))
    await answering.desk.idle()
    await asyncio.sleep(0.1)
    assert slack.replies(company.office, ts) == []
    assert len(claude.messages) == 2


async def test_a_question_that_is_edited_in_the_middle_is_answered_as_it_stands_then(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    claude.brain = Writes(paragraphs(4_000), piece=40, pause=0.02)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 3" in reply.shown for reply in slack.replies(company.office, ts)))
    claude.brain = HonestAnswerer()
    await slack.edits(company.ana, company.office, ts, "@Situate What did the incident cost?").arrives()
    (message,) = await finished(slack, answering, company.office, ts)
    assert "41,000 euros" in message.shown
    assert "Statement" not in message.shown
