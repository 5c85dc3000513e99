"""``/docs status`` tells also of what never was a document: it waits for its adder's word, or was refused at once."""

from __future__ import annotations

import pytest

from bot.slack.app import SlackBot
from tests.bot.slack.documents.test_adding_by_people import BUDGET, CANTEEN, AddingByForm
from tests.bot.slack.documents.test_docs import told
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByForm:
    return AddingByForm(slack, answering)


async def test_what_was_refused_before_it_was_read_is_listed_with_the_reason_for_its_adder_alone(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, files=[slack.file("empty.md", b"", by=company.ana)]) == {}
    shown = await told(people, company.ana, company.office, "status")
    assert "Not added\nempty.md\nempty.md is empty." in shown
    assert "empty.md" not in await told(people, company.ben, company.office, "status")


async def test_what_waits_for_its_adder_s_word_is_listed_with_the_question_and_the_way_to_answer(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    for more in ("", " Really."):
        await people.opens(company.ana, company.office)
        assert await people.submits(company.ana, text=CANTEEN + more, title="Canteen") == {}
    shown = await told(people, company.ana, company.office, "status")
    assert "Waiting for your word\nThere is already a document “Canteen”." in shown
    assert "Answer under my direct message" in shown
    direct = slack.direct(company.ana)
    (asking,) = [one for one in direct.messages.values() if "keep_both" in one.actions]
    links = slack.ephemerals(company.ana)[-1].links
    assert ("Answer under my direct message", slack.permalink_of(direct, asking.ts)) in links
    await people.clicks(company.ana, direct, asking.ts, "keep_both")
    assert "Waiting for your word" not in await told(people, company.ana, company.office, "status")


async def test_what_was_added_at_last_is_not_called_refused_any_more(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    slack.fail("files.info", error="internal_error", times=None)
    await people.opens(company.ana, company.office)
    await people.submits(company.ana, files=[file])
    assert "budget.md could not be fetched" in await told(people, company.ana, company.office, "status")
    slack.recover()
    await people.opens(company.ana, company.office)
    await people.submits(company.ana, files=[file])
    shown = await told(people, company.ana, company.office, "status")
    assert "could not be fetched" not in shown
    assert "Not added" not in shown


async def test_a_document_that_one_may_not_know_of_any_more_is_not_named_in_the_question(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    finance = company.finance
    await slack.changes(company.ben, locale="en-US").arrives()
    await people.idle()
    await people.opens(company.ben, finance)
    assert await people.submits(company.ben, text=CANTEEN, title="Secret lunch") == {}
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, text=CANTEEN + " Really.", title="Canteen") == {}
    assert "Secret lunch" in await told(people, company.ana, company.office, "status")
    await slack.leaves(company.ana, finance).arrives()
    await people.idle()
    shown = await told(people, company.ana, company.office, "status")
    assert "Secret lunch" not in shown
    assert "There is already a document like “Canteen”." in shown
