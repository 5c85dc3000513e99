"""Buttons that lead on from an answer: try again, answer me privately, ask somebody, mute this thread."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.slack.app import SlackBot
from indexer import Audience, Indexer
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.whole import QUESTION, QUOTE, finished
from tests.claude_server import OVERLOADED, ClaudeServer, calls, says
from tests.fixtures.bot import StartBot, own_library
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it


ROME = "What does a hotel night in Rome cost?"
KYOTO = """# Kyoto Guide

A hotel night in Kyoto is paid up to 160 euros.
"""


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


# -- try again -------------------------------------------------------------------------------------------------------


async def passages_instead(people: Slack, company: Company, claude: ClaudeServer) -> Message:
    claude.fail(OVERLOADED, times=None)
    message = await people.asks(company.ana, company.office, QUESTION)
    claude.recover()
    reason, passages = message.shown.index("Claude is overloaded"), message.shown.index(QUOTE)
    assert reason < passages  # why there is no answer comes before what there is in its place
    return message


async def test_tried_again_the_answer_takes_the_place_of_what_could_not_be_had(
    people: Slack, company: Company, claude: ClaudeServer, slack: SlackServer
) -> None:
    before = await passages_instead(people, company, claude)
    await people.clicks(company.ben, company.office, before.ts, "try_again")
    (message,) = slack.replies(company.office, before.root)
    assert message.ts == before.ts
    assert QUOTE in message.shown
    assert "overloaded" not in message.shown
    assert "Try again" not in message.shown
    assert "edited" not in message.shown
    answers = await people.bot.parts.ledger.answers_in(slack.team_id, company.office.id, before.root)
    assert [answer.replaced_by for answer in answers] == [answers[1].id, None]
    slack.reacts(company.ben, company.office, message.ts, "+1")
    await people.idle()
    assert len(await people.bot.parts.ledger.feedback_on(answers[1].id)) == 1  # the message leads to the new one


async def test_a_double_click_tries_again_once(
    people: Slack, company: Company, claude: ClaudeServer, slack: SlackServer
) -> None:
    before = await passages_instead(people, company, claude)
    asked = len(claude.messages)
    clicks = [
        slack.clicks(who, company.office, before.ts, "try_again") for who in (company.ana, company.ana, company.ben)
    ]
    for click in clicks:
        await click.arrives()
    await people.idle()
    assert len(slack.replies(company.office, before.root)) == 1
    assert len(claude.messages) == asked + 2  # a search, and the answer
    await slack.deliver_again(clicks[0]).arrives()  # late, from a screen that still shows the button
    await people.idle()
    assert len(claude.messages) == asked + 2


async def test_what_fails_again_may_be_tried_again(
    people: Slack, company: Company, claude: ClaudeServer, slack: SlackServer
) -> None:
    before = await passages_instead(people, company, claude)
    claude.fail(OVERLOADED, times=None)
    await people.clicks(company.ana, company.office, before.ts, "try_again")
    claude.recover()
    (message,) = slack.replies(company.office, before.root)
    assert "Claude is overloaded" in message.shown
    await people.clicks(company.ana, company.office, message.ts, "try_again")
    (message,) = slack.replies(company.office, before.root)
    assert QUOTE in message.shown


async def test_a_question_that_is_kept_no_more_is_told_so(
    people: Slack, company: Company, claude: ClaudeServer, slack: SlackServer
) -> None:
    before = await passages_instead(people, company, claude)
    await people.bot.parts.ledger.forget(datetime.now(UTC) + timedelta(days=1))
    await people.clicks(company.ana, company.office, before.ts, "try_again")
    assert "The question is not kept any more; ask it again." in people.told(company.ana)
    await people.clicks(company.ben, company.office, before.ts, "try_again")
    assert "La question n'est plus conservée" in people.told(company.ben)


# -- answer me privately ---------------------------------------------------------------------------------------------


async def test_somebody_from_outside_is_told_of_and_answers_rest_on_the_channels_documents(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    audience = Audience("channel", company.general.id)
    async with document(library, slack.team_id, KYOTO, name="kyoto.md", audience=audience):
        message = await people.asks(company.ana, company.general, "What does a hotel night in Kyoto cost?")
    assert "160 euros" in message.shown
    assert "Someone from outside the company may read this" in message.shown
    assert "(1)" in message.shown
    assert "Answer me privately" in message.shown


async def test_answered_privately_by_what_the_person_who_clicks_may_read(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    """Seen by them alone, in the thread; the message that was clicked stays as it is; nothing can be shared."""
    message = await people.asks(company.ana, company.general, QUESTION)
    assert QUOTE not in message.shown
    await people.clicks(company.ben, company.general, message.ts, "answer_privately")
    heard, private = slack.ephemerals(company.ben)
    assert "Je cherche" in heard.shown
    assert QUOTE in private.shown
    assert private.thread_ts == message.root
    assert "share" not in private.actions
    assert "show_passages" in private.actions
    assert slack.message(company.general, message.ts).shown == message.shown
    assert slack.ephemerals(company.ana) == []
    await people.clicks(company.ben, company.general, private.ts, "show_passages")
    assert QUOTE in (await people.form(company.ben, without="Je cherche")).shown


async def test_a_guest_who_asks_for_a_private_answer_gets_no_more_than_a_guest_may_read(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await people.asks(company.ana, company.general, QUESTION)
    await people.clicks(company.gus, company.general, message.ts, "answer_privately")
    private = slack.ephemerals(company.gus)[-1]
    assert "certificate" not in private.shown
    assert "Annual Review" not in private.shown


async def test_a_private_answer_is_not_shown_to_all_where_nothing_else_works(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    """The response URL of a message that everybody sees could replace it."""
    message = await people.asks(company.ana, company.general, QUESTION)
    slack.fail("chat.postEphemeral", error="restricted_action", times=None)
    await people.clicks(company.ana, company.general, message.ts, "answer_privately")
    assert slack.message(company.general, message.ts).shown == message.shown
    assert QUOTE not in slack.shown(company.general, message.root)
    assert QUOTE in people.told(company.ana)


async def test_a_private_answer_knows_what_was_said_in_the_thread(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    first = await people.asks(company.ana, company.general, QUESTION)
    message = await people.asks(company.ana, company.general, "And what did it cost?", thread=first.root)
    await people.clicks(company.ana, company.general, message.ts, "answer_privately")
    turns = claude.messages[-1].turns
    assert QUESTION in str(turns[0])
    assert any("And what did it cost?" in str(turn) for turn in turns)


async def test_a_double_click_answers_privately_once(people: Slack, company: Company, slack: SlackServer) -> None:
    message = await people.asks(company.ana, company.general, QUESTION)
    for click in [slack.clicks(company.ana, company.general, message.ts, "answer_privately") for _ in range(2)]:
        await click.arrives()
    await people.idle()
    assert [QUOTE in one.shown for one in slack.ephemerals(company.ana)] == [False, True]


# -- ask somebody ----------------------------------------------------------------------------------------------------


def finds_nothing(claude: ClaudeServer, query: str) -> None:
    claude.script(calls("search_documents", query=query), says("I found nothing on that."))


async def test_who_added_the_closest_document_is_asked_once_in_the_thread(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, claude: ClaudeServer
) -> None:
    slack.may_ping(company.ana, company.ben)
    async with document(library, slack.team_id, KYOTO, name="kyoto.md", by=company.ben):
        finds_nothing(claude, "hotel night Kyoto")
        message = await people.asks(company.ana, company.office, "Is <!channel> a hotel in Kyoto free?")
        assert "Ask @Ben, who added Kyoto Guide" in message.shown
        for click in [
            slack.clicks(who, company.office, message.ts, "ask_person") for who in (company.ana, company.ana)
        ]:
            await click.arrives()
        await people.idle()
        await people.clicks(company.ben, company.office, message.ts, "ask_person")
    _, asked = slack.replies(company.office, message.root)
    assert asked.shown.startswith("@Ben – @Ana vous le demande, car vous avez ajouté « Kyoto Guide »")
    assert "hotel in Kyoto free?" in asked.shown
    assert asked.text.startswith(f"{company.ben.mention} – {company.ana.mention} vous le demande")
    assert "<!channel>" not in asked.text
    assert "Asked, in this thread." in people.told(company.ana)
    assert "C'est demandé, dans ce fil." in people.told(company.ben)


async def test_in_a_direct_conversation_the_person_is_asked_directly(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, claude: ClaudeServer
) -> None:
    slack.may_ping(company.ana, company.ben)
    async with document(library, slack.team_id, KYOTO, name="kyoto.md", by=company.ben):
        finds_nothing(claude, "hotel night Kyoto")
        message = await people.asks(company.ana, slack.direct(company.ana), "Is a hotel in Kyoto free?")
        await people.clicks(company.ana, slack.direct(company.ana), message.ts, "ask_person")
    (asked,) = slack.messages(slack.direct(company.ben))
    assert "Is a hotel in Kyoto free?" in asked.shown
    assert "Asked, in a direct message." in people.told(company.ana)
    assert len(slack.replies(slack.direct(company.ana), message.root)) == 1


async def test_where_nobody_added_anything_close_the_channel_is_asked_and_nobody_is_pinged(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    slack.may_ping(company.ana)
    finds_nothing(claude, "hotel Rome")
    message = await people.asks(company.ana, company.office, ROME)
    assert "Ask #office" in message.shown
    await people.clicks(company.ana, company.office, message.ts, "ask_person")
    _, asked = slack.replies(company.office, message.root)
    assert asked.shown.startswith("@Ana asks the channel.")


async def test_in_a_group_conversation_everybody_is_asked(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    group = slack.group(company.ana, company.ben)
    finds_nothing(claude, "hotel Rome")
    message = await people.asks(company.ana, group, ROME)
    assert "Ask everybody here" in message.shown


async def test_what_slack_does_not_take_is_told_and_may_be_tried_again(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    slack.may_ping(company.ana)
    finds_nothing(claude, "hotel Rome")
    message = await people.asks(company.ana, company.office, ROME)
    slack.fail("chat.postMessage", error="restricted_action")
    await people.clicks(company.ana, company.office, message.ts, "ask_person")
    assert "I could not ask" in people.told(company.ana)
    await people.clicks(company.ana, company.office, message.ts, "ask_person")
    assert len(slack.replies(company.office, message.root)) == 2


# -- mute ------------------------------------------------------------------------------------------------------------


async def test_anybody_may_mute_a_thread_and_follow_it_again_also_after_a_restart(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    async with another_bot() as bot:
        people = Slack(slack, bot)
        message = await people.asks(company.ana, company.office, QUESTION)
        (mute,) = message.options("more")
        await people.clicks(company.ben, company.office, message.ts, "more", option=mute)
    muted = slack.ephemerals(company.ben)[-1]
    assert "Je ne réponds plus dans ce fil" in muted.shown
    async with another_bot() as bot:
        people = Slack(slack, bot)
        slack.says(company.ana, company.office, "What did it cost?", thread=message.root)
        await people.idle()
        assert len(slack.replies(company.office, message.root)) == 1
        await people.clicks(company.ben, company.office, muted.ts, "unmute")
        assert "Je suis ce fil à nouveau." in people.told(company.ben)
        assert "unmute" not in slack.ephemerals(company.ben)[-1].actions
        slack.says(company.ana, company.office, "What did the incident cost?", thread=message.root)
        await slack.until(lambda: len(slack.replies(company.office, message.root)) == 2)
        await finished(slack, bot, company.office, message.root)


@pytest.mark.parametrize(
    ("setting", "follows"), [("mention", False), ("on, {}=mention", False), ("mention, {}=on", True)]
)
async def test_follow_ups_are_answered_where_the_setting_says_so(
    another_bot: StartBot, company: Company, slack: SlackServer, setting: str, follows: bool
) -> None:
    async with another_bot(follow_ups=setting.format(company.office.id)) as bot:
        people = Slack(slack, bot)
        message = await people.asks(company.ana, company.office, QUESTION)
        slack.says(company.ana, company.office, "What did the incident cost?", thread=message.root)
        await people.idle()
        if follows:
            await slack.until(lambda: len(slack.replies(company.office, message.root)) == 2)
            await people.idle()
        assert len(slack.replies(company.office, message.root)) == 1 + follows
