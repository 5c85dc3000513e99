"""Ask Situate, in the menu of a message: what somebody asked there, answered for whoever uses it."""

from __future__ import annotations

import pytest

from bot.slack.app import SlackBot
from bot.slack.showing.actions import ASK_ABOUT_MESSAGE
from bot.texts import FRENCH
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


async def test_the_question_in_a_message_is_answered_for_whoever_uses_the_shortcut(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, QUESTION)
    await slack.uses_shortcut(company.ben, company.office, ts, ASK_ABOUT_MESSAGE).arrives()
    await slack.until(lambda: any(QUOTE in message.shown for message in slack.ephemerals(company.ben)))
    await bot.desk.idle()
    assert slack.replies(company.office, ts) == []
    assert slack.ephemerals(company.ana) == []
    assert "Je cherche" in slack.ephemerals(company.ben)[0].shown


async def test_in_a_thread_it_is_answered_in_the_thread_from_what_was_said_there(
    bot: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    root = slack.says(company.ana, company.office, "The login was down again, INC-2023-04-011 this time.")
    asked = slack.says(company.ana, company.office, "What was the root cause?", thread=root)
    slack.says(company.ana, company.office, "Never mind.", thread=root)
    await slack.uses_shortcut(company.ben, company.office, asked, ASK_ABOUT_MESSAGE).arrives()
    await slack.until(lambda: len(slack.ephemerals(company.ben)) == 2)
    await bot.desk.idle()
    assert [message.thread_ts for message in slack.ephemerals(company.ben)] == [root, root]
    sent = str(claude.messages[0].turns)
    assert "The login was down again" in sent
    assert "Never mind" not in sent


async def test_a_guest_is_told_only_what_guests_may_read(bot: SlackBot, slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.general, QUESTION)
    await slack.uses_shortcut(company.gus, company.general, ts, ASK_ABOUT_MESSAGE).arrives()
    await slack.until(lambda: len(slack.ephemerals(company.gus)) == 2)
    await bot.desk.idle()
    assert not any(QUOTE in message.shown for message in slack.ephemerals(company.gus))


async def test_a_message_without_words_gets_a_word_of_help(bot: SlackBot, slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.office, "???")
    await slack.uses_shortcut(company.ana, company.office, ts, ASK_ABOUT_MESSAGE).arrives()
    await slack.until(lambda: len(slack.ephemerals(company.ana)) == 2)
    await bot.desk.idle()
    assert "Ask me a question" in slack.ephemerals(company.ana)[1].shown


async def test_files_of_the_message_are_said_not_to_have_been_read(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    plan = slack.file("plan.txt", b"The plan is to move in May.", by=company.ana, mimetype="text/plain")
    ts = slack.says(company.ana, company.office, QUESTION, files=[plan])
    await slack.uses_shortcut(company.ben, company.office, ts, ASK_ABOUT_MESSAGE).arrives()
    await slack.until(lambda: len(slack.ephemerals(company.ben)) == 2)
    await bot.desk.idle()
    assert FRENCH.say("files_not_read") in slack.ephemerals(company.ben)[1].shown
