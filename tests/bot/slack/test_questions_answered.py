"""Whoever asks in Slack gets one answer, in the thread, with its sources: the bot, whole, in the local Slack."""

from __future__ import annotations

import asyncio

import pytest

from bot.slack.app import SlackBot
from tests.claude_server import ClaudeServer, calls, says
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

QUESTION = "What was the root cause of INC-2023-04-011?"
QUOTE = "The root cause was an expired certificate on the login gateway."


async def settled(slack: SlackServer, bot: SlackBot) -> None:
    """Nothing is in hand any more, and nothing new comes of what was sent."""
    await asyncio.sleep(0.3)
    await bot.desk.idle()


async def test_a_mention_is_answered_in_its_thread_with_sources(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: len(slack.replies(company.office, ts)) == 1)
    await settled(slack, bot)
    (answer,) = slack.replies(company.office, ts)
    assert QUOTE in answer.shown
    assert "[1]" in answer.shown
    assert "[1] Annual Review 2023 › Cybersecurity" in answer.shown
    assert "Show passages" in answer.shown
    assert not answer.open


async def test_a_direct_message_is_answered_without_a_mention(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    direct = slack.direct(company.ana)
    ts = slack.says(company.ana, direct, QUESTION)
    await slack.until(lambda: slack.replies(direct, ts))
    await settled(slack, bot)
    assert QUOTE in slack.replies(direct, ts)[0].shown


async def test_a_status_comes_first_and_the_searches_are_told(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    assert any(status.thread == ts for status in slack.statuses)
    assert QUESTION in slack.replies(company.office, ts)[0].shown  # as a finished task


@pytest.mark.parametrize("order", [("app_mention", "message"), ("message", "app_mention"), ("message",) * 3])
async def test_one_message_is_answered_once_whatever_events_tell_of_it(
    bot: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, order: tuple[str, ...]
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}", deliver=order)
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    assert len(slack.replies(company.office, ts)) == 1
    assert len([request for request in claude.messages if not request.search_results]) == 1


async def test_events_that_slack_sends_again_are_answered_once_also_after_a_restart(
    start_bot: StartBot, slack: SlackServer, company: Company
) -> None:
    async with start_bot() as bot:
        ts = slack.says(company.ana, company.office, "@Situate", deliver=())
        event = slack.announced(company.office, ts)
        for _ in range(3):
            await slack.deliver_again(event).arrives()
        await slack.until(lambda: slack.replies(company.office, ts))
        await settled(slack, bot)
    async with start_bot() as bot:
        await slack.deliver_again(event).arrives()
        await settled(slack, bot)
    assert len(slack.replies(company.office, ts)) == 1


async def test_unfurled_links_and_other_bots_are_no_questions(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION} https://example.com")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    slack.unfurls(company.office, ts)
    slack.other_bot_says(company.office, f"@Situate {QUESTION}", thread=ts)
    slack.other_bot_says(company.office, f"@Situate {QUESTION}", subtype=None)
    await settled(slack, bot)
    assert len([m for m in slack.messages(company.office) if m.user == slack.bot.id]) == 1


async def test_follow_ups_are_answered_where_the_thread_is_the_bots(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    slack.says(company.ana, company.office, "What did the incident cost?", thread=ts)
    await slack.until(lambda: len(slack.replies(company.office, ts)) == 2)
    slack.says(company.ben, company.office, "I wonder, too.", thread=ts)  # has not addressed the bot here
    slack.says(company.ana, company.office, "@Ben what do you think?", thread=ts)
    await settled(slack, bot)
    assert len(slack.replies(company.office, ts)) == 2
    assert "41,000" in slack.replies(company.office, ts)[1].shown


async def test_a_thread_among_people_is_left_alone(bot: SlackBot, slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.office, "Does anybody know what the incident cost?")
    slack.says(company.ben, company.office, "No idea.", thread=ts)
    await settled(slack, bot)
    assert slack.replies(company.office, ts) == []


async def test_follow_ups_know_what_was_said(
    bot: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    slack.says(company.ben, company.office, "It was a long night.", thread=ts)
    slack.says(company.ana, company.office, "What did it cost?", thread=ts)
    await slack.until(lambda: len(slack.replies(company.office, ts)) == 2)
    await settled(slack, bot)
    sent = next(request for request in claude.messages if "What did it cost?" in str(request.turns[-1])).turns
    assert [turn["role"] for turn in sent] == ["user", "assistant", "user"]
    assert QUESTION in str(sent[0])
    assert QUOTE in str(sent[1])
    assert "Ben: It was a long night." in str(sent[2])
    assert "Ana: What did it cost?" in str(sent[2])


async def test_a_mention_without_a_question_gets_a_word_of_help(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, "@Situate")
    await slack.until(lambda: slack.replies(company.office, ts))
    french = slack.says(company.ben, company.office, "@Situate")
    await slack.until(lambda: slack.replies(company.office, french))
    await settled(slack, bot)
    assert "Ask me a question" in slack.replies(company.office, ts)[0].shown
    assert "Posez-moi une question" in slack.replies(company.office, french)[0].shown


async def test_an_event_without_text_is_answered_with_help(bot: SlackBot, slack: SlackServer, company: Company) -> None:
    direct = slack.direct(company.ana)
    ts = slack.says(company.ana, direct, None)
    await slack.until(lambda: slack.replies(direct, ts))
    await settled(slack, bot)
    assert "Ask me a question" in slack.replies(direct, ts)[0].shown


async def test_nothing_found_is_an_answer_of_its_own(
    bot: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    """How many documents were searched, the closest titles, and somebody to ask."""
    claude.script(calls("search_documents", query="hotel in Rome"), says("I found nothing on hotels in Rome."))
    ts = slack.says(company.ana, company.office, "@Situate What does the hotel in Rome cost?")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    (answer,) = slack.replies(company.office, ts)
    assert "I searched the 2 documents that you can read here." in answer.shown
    assert "Closest: Travel Policy 2025" in answer.shown
    slack.may_ping(company.ana)
    await slack.clicks(company.ana, company.office, answer.ts, "ask_person").arrives()
    await slack.until(lambda: len(slack.replies(company.office, ts)) == 2)
    await settled(slack, bot)
    assert "What does the hotel in Rome cost?" in slack.replies(company.office, ts)[1].shown


async def test_an_edited_question_is_answered_again_and_the_old_answer_says_so(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    slack.edits(company.ana, company.office, ts, "@Situate What did the incident cost?")
    await slack.until(lambda: len(slack.replies(company.office, ts)) == 2)
    await settled(slack, bot)
    old, new = slack.replies(company.office, ts)
    assert QUOTE not in old.shown
    assert "41,000" in new.shown


async def test_an_edit_back_to_an_earlier_wording_is_answered_again(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    for number, text in enumerate(("What did the incident cost?", QUESTION), start=2):
        edit = slack.edits(company.ana, company.office, ts, f"@Situate {text}")
        await slack.until(lambda number=number: len(slack.replies(company.office, ts)) == number)  # type: ignore[misc]
        await slack.deliver_again(edit).arrives()
        await settled(slack, bot)
    *old, new = slack.replies(company.office, ts)
    assert len(old) == 2
    assert QUOTE in new.shown
    assert not any(QUOTE in message.shown or "41,000" in message.shown for message in old)


async def test_an_edit_that_changes_nothing_or_names_nobody_is_not_answered(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    slack.edits(company.ana, company.office, ts, f"@Situate  {QUESTION} ")
    slack.edits(company.ana, company.office, ts, "What did the incident cost?")
    await settled(slack, bot)
    assert len(slack.replies(company.office, ts)) == 1


async def test_muting_a_thread_ends_follow_ups_there_but_not_mentions(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.replies(company.office, ts))
    await settled(slack, bot)
    (answer,) = slack.replies(company.office, ts)
    option = answer.options("more")[0]
    await slack.clicks(company.ben, company.office, answer.ts, "more", option=option).arrives()
    await slack.until(lambda: slack.ephemerals(company.ben))
    slack.says(company.ana, company.office, "What did it cost?", thread=ts)
    await settled(slack, bot)
    assert len(slack.replies(company.office, ts)) == 1
    slack.says(company.ana, company.office, "@Situate what did the incident cost?", thread=ts)
    await slack.until(lambda: len(slack.replies(company.office, ts)) == 2)
    await settled(slack, bot)


async def test_two_bots_give_one_answer(
    start_bot: StartBot, slack: SlackServer, company: Company, bot: SlackBot
) -> None:
    async with start_bot() as other:
        await slack.ready(2)
        asked = [slack.says(company.ana, company.office, f"@Situate {QUESTION} {n}") for n in range(4)]
        await slack.until(lambda: all(slack.replies(company.office, ts) for ts in asked), 30)
        await settled(slack, bot)
        await settled(slack, other)
        assert [len(slack.replies(company.office, ts)) for ts in asked] == [1] * 4


async def test_a_bot_whose_messages_do_not_say_so_is_not_answered(
    bot: SlackBot, slack: SlackServer, company: Company
) -> None:
    """It is known from the directory; two bots that answer each other never end."""
    company.ben.is_bot = True
    ts = slack.says(company.ben, company.office, f"@Situate {QUESTION}")
    await settled(slack, bot)
    assert slack.replies(company.office, ts) == []
    assert await bot.parts.ledger.unfinished() == []
