"""The same thing added by two people: it stays whose it is, and nobody is left without a word."""

from __future__ import annotations

import pytest

from bot.adding import Item, What
from bot.slack.app import SlackBot
from tests.bot.slack.documents.test_adding import BUDGET, AddingByRequest
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


async def test_what_somebody_added_stays_theirs_under_its_title(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    ts = slack.says(company.gus, company.general, "The canteen closes at three.")
    item = (What.MESSAGE, f"{company.general.id}:{ts}")
    where = {"audience": f"channel:{company.general.id}", "channel": company.general.id}
    await people.asks_for(company.ana, Item(*item, "Canteen", title="Canteen"), **where)
    message = await people.asks_for(company.ben, Item(*item, "Midi", title="Midi"), **where)
    assert "« Canteen » existe déjà, ajouté par @Ana ; je l'ai relu." in message.shown
    assert message.actions == ["try_it"], "what they may not do is not offered"
    (document,) = [
        one for one in await people.bot.parts.library.documents(slack.team_id, None) if one.title == "Canteen"
    ]
    assert document.added_by == company.ana.id

    slack.deletes(company.gus, company.general, ts)
    direct = slack.direct(company.ana)
    await slack.until(lambda: any("I have forgotten “Canteen”" in one.shown for one in direct.messages.values()))
    await people.idle()


async def test_a_document_that_went_otherwise_is_not_removed_again(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    (document,) = [one for one in await people.bot.parts.library.documents(slack.team_id, None) if one.added_by]
    await people.bot.parts.library.remove(slack.team_id, document.id)
    await people.decides(message, company.ana, "remove_added")
    assert "not there any more" in people.told(company.ana)


async def test_who_adds_an_attached_file_second_is_told_that_it_is_there(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("plan.md", BUDGET, by=company.ben)
    answer = await people.asks(company.ben, company.office, "What does it say about Lisbon?", files=[file])
    await people.clicks(company.ben, company.office, answer.ts, "add_file")
    assert "J'ajoute plan.md aux documents …" in people.told(company.ben)
    await people.clicks(company.ana, company.office, answer.ts, "add_file")
    assert people.told(company.ana) == "plan.md: added already, or about to be."
