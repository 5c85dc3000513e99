"""What README says people can do with documents in Slack, done by people in the local Slack, with the whole bot."""

from __future__ import annotations

import pytest

from bot.slack.app import SlackBot
from bot.slack.showing import actions, home
from tests.bot.slack.clicked import Slack
from tests.fixtures.slack import Company
from tests.slack_server import Channel, File, Message, Person, SlackServer, View

pytestmark = pytest.mark.anyio

PLAN = b"# Move Plan\n\nThe Lisbon office moves to Rua Augusta on 9 June.\n"
WHERE = "Where does the Lisbon office move?"
MOVED = "Rua Augusta"


class Office(Slack):
    """A bot, and people who work with documents."""

    async def sends(self, person: Person, audience: str, **values: object) -> Message:
        """The message in the person's direct conversation once what they sent in by the open form is ready."""
        direct = self.slack.direct(person)
        before = set(direct.messages)
        await self.form(person, without="One moment")
        fields = {f"adding_{name}": value for name, value in values.items()}
        await self.slack.submits(person, fields | {actions.AUDIENCE_BLOCK: audience}).arrives()
        assert self.slack.view(person) is None
        await self.idle()
        (told,) = [message for message in self.slack.messages(direct) if message.ts not in before]
        return told

    async def adds(self, person: Person, channel: Channel, file: File, audience: str) -> Message:
        """``/docs add`` in a channel, the form, one file."""
        await self.slack.commands(person, channel, "/docs", "add").arrives()
        return await self.sends(person, audience, files=[file], title="Move Plan")

    async def home(self, person: Person) -> View:
        """The person's Home tab as it is published when they open it."""
        before = len(self.slack.called("views.publish"))
        await self.slack.opens_home_tab(person).arrives()
        await self.slack.until(lambda: len(self.slack.called("views.publish")) > before, what="a Home tab")
        await self.idle()
        found = self.slack.home_of(person)
        assert found is not None
        return found

    async def answers(self, person: Person, channel: Channel) -> str:
        """What is answered to a question about the plan."""
        return (await self.asks(person, channel, WHERE)).shown


@pytest.fixture
def office(slack: SlackServer, answering: SlackBot) -> Office:
    return Office(slack, answering)


@pytest.fixture
def plan(slack: SlackServer, company: Company) -> File:
    return slack.file("plan.md", PLAN, by=company.ana)


async def test_a_file_is_added_by_the_form_and_answers(office: Office, company: Company, plan: File) -> None:
    told = await office.adds(company.ana, company.office, plan, "workspace")
    assert "Ready. Ask me about" in told.shown
    assert MOVED in await office.answers(company.ben, company.office)
    assert MOVED not in await office.answers(company.ana, company.general)  # Gus, a guest, reads along


async def test_a_document_for_me_answers_nobody_else(office: Office, company: Company, plan: File) -> None:
    await office.adds(company.ana, company.office, plan, f"user:{company.ana.id}")
    assert MOVED in await office.answers(company.ana, office.slack.direct(company.ana))
    assert MOVED not in await office.answers(company.ben, office.slack.direct(company.ben))
    assert "plan" not in (await office.home(company.ben)).shown.lower()
    assert "Move Plan" in (await office.home(company.ana)).shown


async def test_a_deleted_file_takes_its_document_along(office: Office, company: Company, plan: File) -> None:
    await office.adds(company.ana, company.office, plan, "workspace")
    await office.slack.deletes_file(plan).arrives()
    await office.idle()
    direct = office.slack.direct(company.ana)
    await office.slack.until(
        lambda: any("forgotten" in message.shown for message in office.slack.messages(direct)), what="a word about it"
    )
    assert MOVED not in await office.answers(company.ben, company.office)


async def test_a_message_of_a_private_channel_goes_no_further(office: Office, company: Company) -> None:
    ts = office.slack.says(company.ana, company.finance, "The Lisbon office moves to Rua Augusta on 9 June.")
    await office.slack.uses_shortcut(company.ana, company.finance, ts, actions.ADD_MESSAGE).arrives()
    shown = (await office.form(company.ana, without="One moment")).shown
    assert "#finance, 2 members" in shown
    assert "All employees" not in shown
    await office.sends(company.ana, f"channel:{company.finance.id}")
    assert MOVED in await office.answers(company.ben, company.finance)
    assert MOVED not in await office.answers(company.ben, company.office)


async def test_a_channel_that_became_private_serves_its_members_only(
    office: Office, company: Company, plan: File
) -> None:
    await office.adds(company.ana, company.office, plan, f"channel:{company.office.id}")
    await office.slack.makes_private(company.ana, company.office).arrives()
    direct = office.slack.direct(company.ben)
    assert MOVED in await office.answers(company.ben, direct)
    await office.slack.leaves(company.ben, company.office).arrives()
    assert MOVED not in await office.answers(company.ben, direct)
    assert MOVED in await office.answers(company.ana, company.office)


async def test_what_is_archived_serves_nobody_until_it_is_back(office: Office, company: Company, plan: File) -> None:
    await office.adds(company.ana, company.finance, plan, f"channel:{company.finance.id}")
    direct = office.slack.direct(company.ben)
    await office.slack.archives(company.ana, company.finance).arrives()
    assert MOVED not in await office.answers(company.ben, direct)
    assert "Move Plan" not in (await office.home(company.ben)).shown
    await office.slack.unarchives(company.ana, company.finance).arrives()
    assert MOVED in await office.answers(company.ben, direct)


async def test_an_administrator_lets_guests_read_and_takes_it_back(
    office: Office, company: Company, plan: File
) -> None:
    adm = office.slack.person("Adm", admin=True)
    await office.adds(company.ana, company.office, plan, "workspace")
    listed = await office.home(adm)
    assert "Spent today" in listed.shown
    assert "Spent today" not in (await office.home(company.ana)).shown
    guest = office.slack.direct(company.gus)
    for what, answers in ((home.TO_EVERYONE, True), (home.TO_WORKSPACE, False)):
        (document,) = [
            option["value"].partition(":")[2]
            for block in (await office.home(adm)).blocks
            for option in block.get("accessory", {}).get("options", [])
            if block["text"]["text"] == "Move Plan" and option["value"].startswith(what)
        ]
        await office.slack.clicks_in_home(adm, actions.DOCUMENT_MENU, option=f"{what}:{document}").arrives()
        await office.idle()
        assert (MOVED in await office.answers(company.gus, guest)) is answers
        assert (MOVED in await office.answers(company.ana, company.general)) is answers


async def test_lists_tell_of_what_one_may_read_and_search_gives_passages(
    office: Office, company: Company, plan: File
) -> None:
    await office.adds(company.ana, company.finance, plan, f"channel:{company.finance.id}")
    for person, sees in ((company.ben, True), (company.gus, False)):
        for asked in ("list", "list plan", "search Lisbon office", "status"):
            before = len(office.slack.ephemerals(person))
            await office.slack.commands(person, company.general, "/docs", asked).arrives()
            await office.idle()
            shown = "\n".join(message.shown for message in office.slack.ephemerals(person)[before:])
            assert shown
            assert ("Move Plan" in shown or MOVED in shown) is (sees and asked != "status"), (person.name, asked)
    assert office.slack.messages(company.general) == []


async def test_a_document_is_taken_out_by_who_added_it(office: Office, company: Company, plan: File) -> None:
    await office.adds(company.ana, company.office, plan, "workspace")
    await office.slack.commands(company.ben, company.office, "/docs", "remove plan").arrives()
    refused = await office.form(company.ben, without="Je regarde")
    assert all(block["type"] != "input" for block in refused.blocks)
    await office.slack.commands(company.ana, company.office, "/docs", "remove plan").arrives()
    assert "Move Plan" in (await office.form(company.ana, without="Looking")).shown
    await office.slack.submits(company.ana).arrives()
    await office.form(company.ana, without="Removing")
    assert MOVED not in await office.answers(company.ben, company.office)


async def test_an_answer_is_kept_as_a_document(office: Office, company: Company) -> None:
    answer = await office.asks(company.ana, company.office, "What did INC-2023-04-011 cost?")
    await office.slack.uses_shortcut(company.ana, company.office, answer.ts, actions.SAVE_REPLY).arrives()
    told = await office.sends(company.ana, "workspace", title="What it cost")
    assert "Ready. Ask me about" in told.shown
    assert "What it cost" in (await office.home(company.ben)).shown


async def test_the_link_of_a_message_adds_its_thread(office: Office, company: Company) -> None:
    root = office.slack.says(company.ana, company.office, "Where do we move?", deliver=())
    office.slack.says(company.ben, company.office, "To Rua Augusta, on 9 June.", thread=root, deliver=())
    link = office.slack.permalink_of(company.office, root)
    await office.slack.commands(company.ana, company.office, "/docs", f"add {link} Our move").arrives()
    await office.idle()
    (told,) = office.slack.messages(office.slack.direct(company.ana))
    assert "Ready. Ask me about" in told.shown
    assert MOVED in await office.answers(company.ben, company.office)
