"""What people think of an answer: buttons, the form behind 👎, reactions; kept with question, hits and answer."""

from __future__ import annotations

import pytest

from bot.slack.app import SlackBot
from bot.texts import TO_EVERYBODY
from indexer import CatalogueUnavailable
from tests.bot.slack.clicked import Slack
from tests.bot.slack.whole import QUESTION, QUOTE, Writes
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio

Given = list[tuple[str, int, str, str | None]]


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


async def given(people: Slack, message: Message) -> Given:
    """(user, value, how, comment) of all that is kept about an answer."""
    answer = await people.answer(message)
    feedback = await people.bot.parts.ledger.feedback_on(answer.id)
    return [(one.user, one.value, one.how, one.comment) for one in feedback]


async def test_thumbs_up_is_kept_with_question_hits_and_answer(people: Slack, company: Company) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    await people.clicks(company.ben, company.office, message.ts, "feedback_good")
    assert "Merci, c'est noté." in people.told(company.ben)
    assert await given(people, message) == [(company.ben.id, 1, "button", None)]
    answer = await people.answer(message)
    assert QUESTION in answer.question
    assert QUOTE in answer.text
    assert answer.hits
    assert answer.searches


async def test_thumbs_down_is_kept_at_once_and_the_form_may_be_closed(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    await people.clicks(company.ana, company.office, message.ts, "feedback_bad")
    assert "What was wrong?" in (await people.form(company.ana)).shown
    slack.closes(company.ana)
    assert await given(people, message) == [(company.ana.id, -1, "button", None)]
    assert slack.ephemerals(company.ana) == []


async def test_a_comment_is_kept_and_an_empty_form_is_none(people: Slack, company: Company, slack: SlackServer) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    for written, kept in ((None, None), ("  It is out of date.\n", "It is out of date."), (None, "It is out of date.")):
        await people.clicks(company.ana, company.office, message.ts, "feedback_bad")
        await slack.submits(company.ana, {"comment_text": written} if written else {}).arrives()
        await people.idle()
        assert slack.view(company.ana) is None
        assert await given(people, message) == [(company.ana.id, -1, "button", kept)]


async def test_a_comment_that_cannot_be_kept_stays_in_the_form(
    people: Slack, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    await people.clicks(company.ana, company.office, message.ts, "feedback_bad")

    async def away(*arguments: object) -> None:
        raise CatalogueUnavailable("The catalogue is away.")

    with monkeypatch.context() as patch:
        patch.setattr(people.bot.parts.ledger, "feedback", away)
        await slack.submits(company.ana, {"comment_text": "Wrong."}).arrives()
    view = await people.form(company.ana)
    assert list(view.errors.values()) == ["This could not be kept just now. Send it again in a moment."]
    await slack.submits(company.ana, {"comment_text": "Wrong."}).arrives()
    await people.idle()
    assert await given(people, message) == [(company.ana.id, -1, "button", "Wrong.")]


async def test_trouble_of_ours_is_told_with_a_reference(
    people: Slack, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)

    async def away(*arguments: object) -> None:
        raise CatalogueUnavailable("The catalogue is away.")

    async def broken(*arguments: object) -> None:
        raise RuntimeError("a fault of ours")

    for fault, told in ((away, TO_EVERYBODY.say("catalogue_away")), (broken, "Something went wrong on our side.")):
        monkeypatch.setattr(people.bot.parts.ledger, "feedback", fault)
        await people.clicks(company.ana, company.office, message.ts, "feedback_good")
        assert told in people.told(company.ana)
        assert "ref " in people.told(company.ana)


async def test_who_clicks_where_the_bot_may_not_write_any_more_is_told_all_the_same(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    slack.fail("chat.postEphemeral", error="not_in_channel")
    await people.clicks(company.ana, company.office, message.ts, "feedback_good")
    assert "Thank you, noted." in people.told(company.ana)


async def test_people_may_change_their_minds(people: Slack, company: Company, slack: SlackServer) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    await people.clicks(company.ana, company.office, message.ts, "feedback_bad")
    await slack.submits(company.ana, {"comment_text": "Wrong."}).arrives()
    await people.clicks(company.ana, company.office, message.ts, "feedback_good")
    await people.clicks(company.ben, company.office, message.ts, "feedback_bad")
    assert sorted(await given(people, message)) == [
        (company.ana.id, 1, "button", None),
        (company.ben.id, -1, "button", None),
    ]


async def test_where_the_form_does_not_open_thumbs_down_is_noted_all_the_same(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    slack.fail("views.open", error="expired_trigger_id")
    await people.clicks(company.ana, company.office, message.ts, "feedback_bad")
    assert await given(people, message) == [(company.ana.id, -1, "button", None)]
    assert "Thank you, noted." in people.told(company.ana)


async def test_reactions_count_with_any_skin_until_they_are_taken_away(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    for name, value in (("+1", 1), ("-1::skin-tone-4", -1), ("thumbsup::skin-tone-2", 1)):
        slack.reacts(company.ana, company.office, message.ts, name)
        await people.idle()
        assert await given(people, message) == [(company.ana.id, value, "reaction", None)]
    slack.unreacts(company.ana, company.office, message.ts, "-1::skin-tone-4")  # not what she thinks any more
    await people.idle()
    assert await given(people, message) == [(company.ana.id, 1, "reaction", None)]
    slack.unreacts(company.ana, company.office, message.ts, "thumbsup::skin-tone-2")
    await people.idle()
    assert await given(people, message) == []


async def test_other_reactions_and_other_messages_are_no_opinions(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    slack.reacts(company.ana, company.office, message.ts, "tada")
    slack.reacts(company.ben, company.office, message.root, "+1")  # of the question
    slack.raw_event({"type": "reaction_added", "user": company.ana.id, "reaction": "+1", "item": {"type": "file"}})
    slack.raw_event({"type": "reaction_added", "reaction": "+1"})
    await people.idle()
    assert await given(people, message) == []


async def test_taking_a_reaction_away_undoes_no_button(people: Slack, company: Company, slack: SlackServer) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    slack.reacts(company.ana, company.office, message.ts, "+1")
    await people.idle()
    await people.clicks(company.ana, company.office, message.ts, "feedback_good")
    slack.unreacts(company.ana, company.office, message.ts, "+1")
    await people.idle()
    assert await given(people, message) == [(company.ana.id, 1, "button", None)]


async def test_a_reaction_on_any_message_of_a_long_answer_is_about_the_answer(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    claude.brain = Writes("\n\n".join(f"Sentence {n} of a long answer that says the same. " * 12 for n in range(30)))
    last = await people.asks(company.ana, company.office, QUESTION)
    first = slack.replies(company.office, last.root)[0]
    assert first.ts != last.ts
    slack.reacts(company.ana, company.office, first.ts, "-1")
    slack.reacts(company.ben, company.office, last.ts, "+1")
    await people.idle()
    assert sorted(await given(people, last)) == [
        (company.ana.id, -1, "reaction", None),
        (company.ben.id, 1, "reaction", None),
    ]


async def test_what_only_one_person_sees_nobody_else_judges(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    """Nobody else has its buttons; a payload that says otherwise is not believed."""
    (private,) = await people.commands(company.ana, company.office, QUESTION)
    click = slack.clicks(company.ana, company.office, private.ts, "feedback_good")
    await people.idle()
    id = click.payload["actions"][0]["value"]
    ledger = people.bot.parts.ledger
    assert [one.user for one in await ledger.feedback_on(id)] == [company.ana.id]
    click.payload["user"] = click.payload["user"] | {"id": company.ben.id}
    await slack.deliver_again(click).arrives()
    await people.idle()
    assert [one.user for one in await ledger.feedback_on(id)] == [company.ana.id]


async def test_an_opinion_on_an_answer_that_is_kept_no_more_is_told_so(
    people: Slack, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)

    async def gone(id: str) -> None:
        return None

    monkeypatch.setattr(people.bot.parts.ledger, "answer", gone)
    await people.clicks(company.ana, company.office, message.ts, "feedback_good")
    assert "not kept any more" in people.told(company.ana)
