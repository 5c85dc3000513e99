"""A document that goes otherwise than by the button under the message that told of it is offered there no more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.slack.app import SlackBot
from tests.bot.slack.documents.test_adding_by_people import BUDGET, CANTEEN, AddingByForm
from tests.bot.slack.documents.test_home_tab import becomes_admin, chooses, tab
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio

GONE = "“Canteen” is no longer in the documents."


class Gone(AddingByForm):
    """Ana has added a text."""

    async def has_added(self, company: Company) -> Message:
        await self.opens(company.ana, company.office)
        assert await self.submits(company.ana, text=CANTEEN, title="Canteen") == {}
        message = self.moving(company.ana)
        assert "try_it" in message.actions
        return message


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Gone:
    return Gone(slack, answering)


async def test_removed_by_the_command_it_is_offered_no_more(people: Gone, company: Company, slack: SlackServer) -> None:
    message = await people.has_added(company)
    await slack.commands(company.ana, company.office, "/docs", "remove canteen").arrives()
    await people.form(company.ana, without="Looking")
    await slack.submits(company.ana).arrives()
    await people.idle()
    message = slack.direct(company.ana).messages[message.ts]
    assert GONE in message.shown
    assert message.actions == []


async def test_deleted_with_its_file_it_is_offered_no_more(people: Gone, company: Company, slack: SlackServer) -> None:
    await people.opens(company.ana, company.office)
    file = slack.file("budget.md", BUDGET, by=company.ana)
    assert await people.submits(company.ana, files=[file], title="The budget") == {}
    message = people.moving(company.ana)
    await slack.deletes_file(file).arrives()
    await people.idle()
    message = slack.direct(company.ana).messages[message.ts]
    assert "“The budget” is no longer in the documents." in message.shown
    assert message.actions == []


async def test_replaced_by_a_newer_one_it_is_offered_no_more(
    people: Gone, company: Company, slack: SlackServer
) -> None:
    first = await people.has_added(company)
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, text=CANTEEN + " Really.", title="Canteen") == {}
    direct = slack.direct(company.ana)
    (second,) = [one for one in direct.messages.values() if "replace_twin" in one.actions]
    await people.clicks(company.ana, direct, second.ts, "replace_twin")
    assert direct.messages[first.ts].actions == []
    assert "try_it" in direct.messages[second.ts].actions


@pytest.mark.parametrize("button", ["try_it", "remove_added"])
async def test_removed_where_nobody_tells_the_bot_a_click_says_so_and_takes_the_buttons_away(
    people: Gone, company: Company, slack: SlackServer, button: str
) -> None:
    message = await people.has_added(company)
    (document,) = await people.documents()
    await people.bot.parts.library.remove(slack.team_id, document.id)
    await people.clicks(company.ana, slack.direct(company.ana), message.ts, button)
    assert "not there any more" in people.told(company.ana)
    message = slack.direct(company.ana).messages[message.ts]
    assert GONE in message.shown
    assert message.actions == []


@pytest.mark.parametrize("button", ["try_it", "remove_added"])
async def test_of_a_document_whose_request_is_forgotten_nobody_is_told_that_it_is_gone(
    people: Gone, company: Company, slack: SlackServer, button: str
) -> None:
    message = await people.has_added(company)
    await people.bot.parts.ledger.forget_additions(datetime.now(UTC) + timedelta(days=1))
    await people.clicks(company.ana, slack.direct(company.ana), message.ts, button)
    assert "too old for its buttons. /docs list shows the documents" in people.told(company.ana)
    assert len(await people.documents()) == 1


async def test_made_readable_for_others_its_buttons_mean_what_it_is_now(
    people: Gone, company: Company, slack: SlackServer
) -> None:
    message = await people.has_added(company)
    await becomes_admin(people, company.ana)
    await tab(people, company.ana)
    (before,) = await people.documents()
    assert "guests too" in await chooses(people, company.ana, "everyone", before.id)
    await people.idle()
    direct = slack.direct(company.ana)
    assert "Who may get answers from this: Everybody, guests too" in direct.messages[message.ts].shown
    await people.clicks(company.ana, direct, message.ts, "remove_added")
    assert await people.added() == []
    assert GONE in direct.messages[message.ts].shown
