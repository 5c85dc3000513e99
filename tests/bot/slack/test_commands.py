"""``/ask``: the answer is its asker's alone until they share it, and everything of it arrives."""

from __future__ import annotations

import time

import pytest

from bot.slack.app import SlackBot
from indexer import Audience, Indexer
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, Writes
from tests.claude_server import OVERLOADED, ClaudeServer, Hold
from tests.fixtures.bot import StartBot, own_library
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it


BEST = "INC-2023-04-011 took the login down for three hours."
SALARIES = "By how much do the salaries in the Lisbon office rise?"
SECRET = """# Salary Plan

The salaries in the Lisbon office rise by seven percent in spring.
"""


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


async def test_a_command_is_heard_at_once_and_answered_to_its_asker_alone(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    claude.latency = 0.2
    before = time.monotonic()
    heard = await slack.commands(company.ana, company.office, "/ask", QUESTION).arrives()
    assert time.monotonic() - before < 1
    assert heard == {"response_type": "ephemeral", "text": "I am looking …"}
    await people.idle()
    _, answer = slack.ephemerals(company.ana)
    assert QUOTE in answer.shown
    assert QUESTION in answer.shown
    assert "[1] Annual Review 2023 › Cybersecurity" in answer.shown
    assert answer.actions == ["show_passages", "feedback_good", "feedback_bad", "share"]
    assert slack.messages(company.office) == []
    assert slack.ephemerals(company.ben) == []


async def test_a_command_without_a_question_gets_help(people: Slack, company: Company, slack: SlackServer) -> None:
    await slack.commands(company.ana, company.office, "/ask", "  ").arrives()
    (told,) = slack.ephemerals(company.ana)
    assert "Ask me a question" in told.shown
    assert "/ask" in told.shown


async def test_the_command_has_the_name_that_the_settings_give_it_and_others_are_told_so(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    async with another_bot(ask_command="/docs-ask") as bot:
        people = Slack(slack, bot)
        (answer,) = await people.commands(company.ana, company.office, QUESTION, name="/docs-ask")
        assert QUOTE in answer.shown
        await slack.commands(company.ana, company.office, "/ask", QUESTION).arrives()
    assert (
        "I do not know this command; ask me with /docs-ask and a question." in slack.ephemerals(company.ana)[-1].shown
    )


async def test_a_channels_command_is_answered_from_what_the_channel_may_read(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    """The asker may read more; what they alone may read is not for sharing."""
    audience = Audience("channel", company.finance.id)
    async with document(library, slack.team_id, SECRET, name="salaries.md", audience=audience):
        (there,) = await people.commands(company.ana, company.finance, SALARIES)
        (elsewhere,) = await people.commands(company.ana, company.office, SALARIES)
        (direct,) = await people.commands(company.ana, slack.direct(company.ana), SALARIES)
    assert "seven percent" in there.shown
    assert "seven percent" not in elsewhere.shown
    assert "seven percent" in direct.shown
    assert "share" in there.actions
    assert "share" not in direct.actions  # there is nobody to share it with


async def test_where_the_bot_is_not_the_asker_gets_an_answer_of_their_own_and_cannot_share_it(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    between = slack.on_loop(lambda: slack.conversation({company.ana.id, company.ben.id}))
    elsewhere = slack.channel("elsewhere", members=[company.ana, company.gus], private=True, with_bot=False)
    for channel in (between, elsewhere):
        (answer,) = await people.commands(company.ana, channel, QUESTION)
        assert QUOTE in answer.shown
        assert "share" not in answer.actions
        await people.clicks(company.ana, channel, answer.ts, "feedback_good")
        assert "Thank you" in people.told(company.ana)
        await people.clicks(company.ana, channel, answer.ts, "show_passages")
        assert QUOTE in (await people.form(company.ana)).shown
        slack.closes(company.ana)
        assert slack.messages(channel) == []


# -- sharing ---------------------------------------------------------------------------------------------------------


async def test_shared_it_is_posted_once_as_it_is(people: Slack, company: Company, slack: SlackServer) -> None:
    slack.may_ping(company.ana)
    (answer,) = await people.commands(company.ana, company.office, QUESTION)
    for click in [slack.clicks(company.ana, company.office, answer.ts, "share") for _ in range(2)]:
        await click.arrives()
    await people.idle()
    (shared,) = slack.messages(company.office)
    assert shared.shown.startswith(f"@Ana asks:\n> {QUESTION}")
    assert QUOTE in shared.shown
    assert "[1] Annual Review 2023 › Cybersecurity" in shared.shown
    assert "share" not in shared.actions
    assert [QUOTE in one.shown for one in slack.ephemerals(company.ana)] == [False]  # it is not there twice
    await people.clicks(company.ben, company.office, shared.ts, "feedback_good")
    await people.clicks(company.ben, company.office, shared.ts, "show_passages")
    assert QUOTE in (await people.form(company.ben, without="Je cherche")).shown
    kept = await people.answer(shared)
    assert [one.user for one in await people.bot.parts.ledger.feedback_on(kept.id)] == [company.ben.id]


@pytest.mark.parametrize("change", ["a guest came", "the document was removed", "slack does not tell"])
async def test_what_not_everybody_may_read_any_more_is_not_shared(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, change: str
) -> None:
    async with document(library, slack.team_id, SECRET, name="salaries.md") as there:
        (answer,) = await people.commands(company.ana, company.office, SALARIES)
        assert "seven percent" in answer.shown
        if change == "a guest came":
            slack.joins(company.gus, company.office)
        elif change == "the document was removed":
            await library.remove(slack.team_id, there)
        else:
            people.bot.parts.directory.forget_channel(company.office.id)
            slack.fail("conversations.members", error="internal_error", times=None)
        await people.idle()
        await people.clicks(company.ana, company.office, answer.ts, "share")
        assert slack.messages(company.office) == []
        reason = "I cannot check right now" if change == "slack does not tell" else "I cannot share this"
        assert reason in people.told(company.ana)
        slack.recover()
        if change == "slack does not tell":
            slack.may_ping(company.ana)
            await people.clicks(company.ana, company.office, answer.ts, "share")
            assert len(slack.messages(company.office)) == 1


async def test_in_a_public_channel_without_the_bot_the_response_url_shares(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    slack.may_ping(company.ana)
    open_channel = slack.channel("open", members=[company.ana, company.ben], with_bot=False)
    (answer,) = await people.commands(company.ana, open_channel, QUESTION)
    await people.clicks(company.ana, open_channel, answer.ts, "share")
    (shared,) = slack.messages(open_channel)
    assert QUOTE in shared.shown


# -- ways to the asker -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", ["expired", "used up"])
async def test_where_the_response_url_takes_no_more_the_answer_comes_another_way(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer, trouble: str
) -> None:
    slack.expect_violations("response_url: *")
    hold = Hold()
    claude.brain = Writes(hold=hold)
    slack.commands(company.ana, company.office, "/ask", QUESTION)
    await slack.until(lambda: slack.response_urls)
    for url in slack.response_urls.values():
        if trouble == "expired":
            url.at -= 3600.0
        else:
            url.uses = 5
    hold.release()
    await people.idle()
    assert BEST in people.told(company.ana)
    assert len(slack.called("chat.postEphemeral")) == 1


@pytest.mark.parametrize(("failing", "ephemeral"), [(1, 0), (None, 1)], ids=["once", "on and on"])
async def test_a_server_error_of_the_response_url_is_tried_again_and_then_gone_around(
    people: Slack, company: Company, slack: SlackServer, failing: int | None, ephemeral: int
) -> None:
    slack.fail("response_url", status=500, times=failing)
    (answer,) = await people.commands(company.ana, company.office, QUESTION)
    assert QUOTE in answer.shown
    assert len(slack.called("chat.postEphemeral")) == ephemeral


async def test_where_nothing_else_is_left_the_answer_comes_as_a_direct_message(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    slack.expect_violations("response_url: *", "chat.postEphemeral: *")
    elsewhere = slack.channel("elsewhere", members=[company.ana], private=True, with_bot=False)
    slack.commands(company.ana, elsewhere, "/ask", QUESTION)
    await slack.until(lambda: slack.response_urls)
    for url in slack.response_urls.values():
        url.uses = 5
    await people.idle()
    (message,) = slack.messages(slack.direct(company.ana))
    assert QUOTE in message.shown


async def test_sixty_thousand_characters_all_arrive_and_sources_come_last(
    another_bot: StartBot, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    paragraphs = [f"Paragraph {n} of a long answer. " + "It goes on and on. " * 40 for n in range(80)]
    claude.brain = Writes("\n\n".join(paragraphs))
    async with another_bot(answer_max_tokens=64_000) as bot:
        messages = await Slack(slack, bot).commands(company.ana, company.office, QUESTION)
    shown = "\n".join(message.shown for message in messages)
    assert len(shown) > 60_000
    assert [shown.count(f"Paragraph {n} of") for n in range(80)] == [1] * 80
    assert len(messages) > 5  # what the response URL does not take any more comes another way
    assert "Sources" in messages[-1].shown
    assert all("Sources\n" not in message.shown for message in messages[:-1])


async def test_a_command_that_a_dead_process_had_taken_is_answered_by_the_next(
    another_bot: StartBot, company: Company, slack: SlackServer, claude: ClaudeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clocks(monkeypatch)
    hold = Hold()
    claude.brain = Writes(hold=hold)
    monkeypatch.setattr("bot.slack.desk.PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr("indexer.leases.DEAD_AFTER_SECONDS", 0.2)
    async with another_bot():
        await slack.commands(company.ana, company.office, "/ask", QUESTION).arrives()
        await slack.until(lambda: claude.messages)
    assert [BEST in one.shown for one in slack.ephemerals(company.ana)] == [False]
    hold.release()
    async with another_bot() as bot:
        people = Slack(slack, bot)
        await slack.until(lambda: len(slack.ephemerals(company.ana)) == 2)
        await people.idle()
    assert BEST in people.told(company.ana)


async def test_a_private_answer_that_could_not_be_had_may_be_tried_again(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    claude.fail(OVERLOADED, times=None)
    (before,) = await people.commands(company.ana, company.office, QUESTION)
    claude.recover()
    assert "Claude is overloaded" in before.shown
    for click in [slack.clicks(company.ana, company.office, before.ts, "try_again") for _ in range(2)]:
        await click.arrives()
    await people.idle()
    _, after = slack.ephemerals(company.ana)
    assert after.ts == before.ts  # in place
    assert QUOTE in after.shown
    assert "overloaded" not in after.shown
