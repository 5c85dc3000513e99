"""A link to a message or a file in Slack is shown under a name, never as the address, and names no secret channel."""

from __future__ import annotations

import pytest

from bot.slack.app import SlackBot
from tests.bot.slack.documents.test_adding_by_people import CANTEEN, AddingByForm
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByForm:
    return AddingByForm(slack, answering)


@pytest.mark.parametrize("how", ["command", "form"])
async def test_a_link_to_a_message_is_never_shown_as_its_name(
    people: AddingByForm, company: Company, slack: SlackServer, how: str
) -> None:
    """Also where nothing comes of it."""
    ts = slack.says(company.ben, company.office, CANTEEN)
    link = slack.permalink_of(company.office, ts)
    await slack.deletes(company.ben, company.office, ts).arrives()
    if how == "command":
        await slack.commands(company.ana, company.office, "/docs", f"add {link}").arrives()
        await people.idle()
        assert "I am adding “Message of " in people.told(company.ana)
        assert "archives" not in people.told(company.ana)
    else:
        await people.opens(company.ana, company.office)
        assert await people.submits(company.ana, link=link) == {}
    shown = [shown for _, shown in people.moving(company.ana).history]
    assert all("archives" not in one for one in shown)
    assert "in #office” is not there any more" in shown[-1]


async def test_a_channel_that_one_is_not_in_is_not_named(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    secret = slack.channel("takeover", members=[company.ben], private=True)
    link = slack.permalink_of(secret, slack.says(company.ben, secret, CANTEEN))
    await slack.commands(company.ana, company.office, "/docs", f"add {link}").arrives()
    await people.idle()
    shown = [people.told(company.ana), *(shown for _, shown in people.moving(company.ana).history)]
    assert all("takeover" not in one and "archives" not in one for one in shown)
