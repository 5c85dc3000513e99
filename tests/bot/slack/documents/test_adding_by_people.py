"""Adding documents as people do it: by a form, a command, a shortcut; and the buttons of the message that moves."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.slack.app import SlackBot
from bot.slack.directory import CannotCheck
from bot.slack.listeners import adding as adding_listener
from bot.slack.rights import Choices
from indexer import Audience, CatalogueUnavailable, Document
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.whole import QUESTION
from tests.fixtures.slack import Company
from tests.slack_server import Channel, Message, Person, SlackServer, View

pytestmark = pytest.mark.anyio

BUDGET = b"# Budget 2027\n\nThe Lisbon office gets 90,000 euros for its move to Rua Augusta.\n"
CANTEEN = "On Fridays there is fish, and the canteen closes at three in the afternoon."


class AddingByForm(Slack):
    """A bot, and people who add documents by what they can press."""

    async def opens(self, person: Person, channel: Channel) -> View:
        """The form, by command."""
        await self.slack.commands(person, channel, "/docs", "add").arrives()
        return await self.form(person, without="One moment")

    async def uses(self, person: Person, channel: Channel, ts: str, shortcut: str = "add_message") -> View:
        """The form, by a shortcut on a message."""
        await self.slack.uses_shortcut(person, channel, ts, shortcut).arrives()
        return await self.form(person, without="One moment")

    async def submits(self, person: Person, **fields: Any) -> dict[str, str]:
        """What is wrong with what a person sent in, by block; empty once it is added."""
        await self.slack.submits(person, {f"adding_{name}": put for name, put in fields.items()}).arrives()
        await self.idle()
        view = self.slack.view(person)
        return dict(view.errors) if view is not None else {}

    def moving(self, person: Person) -> Message:
        """The one message that tells of what they add."""
        (message,) = [one for one in self.slack.direct(person).messages.values() if one.user != person.id]
        return message

    async def added(self) -> list[tuple[str, str]]:
        """(title, audience) of what is there beside what was there before, by title."""
        return [(one.title, str(one.audience)) for one in await self.documents()]

    async def documents(self) -> list[Document]:
        documents = await self.bot.parts.library.documents(self.slack.team_id, None)
        return [one for one in documents if one.source.startswith(("slack:", "text:"))]


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByForm:
    return AddingByForm(slack, answering)


# -- the form ----------------------------------------------------------------------------------------------------------


async def test_a_file_is_added_by_the_form_for_whom_is_chosen(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    view = await people.opens(company.ana, company.finance)
    for told in ("All employees (not guests)", "#finance, 2 members", "Only me", "I forget it too"):
        assert told in view.shown
    file = slack.file("budget.md", BUDGET, by=company.ana)
    assert await people.submits(company.ana, files=[file], title="The budget") == {}
    assert slack.view(company.ana) is None
    assert await people.added() == [("The budget", f"channel:{company.finance.id}")], "a private channel's by default"
    assert "Ready. Ask me about “The budget”." in people.moving(company.ana).shown


async def test_files_and_text_are_added_together(people: AddingByForm, company: Company, slack: SlackServer) -> None:
    await people.opens(company.ana, company.office)
    file = slack.file("budget.md", BUDGET, by=company.ana)
    assert await people.submits(company.ana, files=[file], text=CANTEEN, audience=f"user:{company.ana.id}") == {}
    assert [audience for _, audience in await people.added()] == [f"user:{company.ana.id}"] * 2
    assert people.moving(company.ana).shown.count("Ready.") == 2


async def test_a_text_of_the_greatest_length_is_added_whole(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    text = ("Every invoice over 500 euros is signed twice. " * 100)[:2_985] + " The end is nigh"
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, text=text[:3_000], title="Invoices") == {}
    (document,) = await people.documents()
    original = await people.bot.parts.library.original(slack.team_id, document.id)
    assert original.data.decode().strip().endswith(text[:3_000][-15:])


async def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    await people.opens(company.ana, company.office)
    assert list(await people.submits(company.ana)) == ["adding_files"]
    assert list(await people.submits(company.ana, link="the intranet")) == ["adding_link"]
    file = slack.file("budget.md", BUDGET, by=company.ana)
    assert list(await people.submits(company.ana, files=[file], text=CANTEEN, title="Both")) == ["adding_title"]
    assert await people.added() == []
    assert await people.submits(company.ana, text=CANTEEN, title="Canteen") == {}
    assert await people.added() == [("Canteen", "workspace")]


async def test_a_guest_is_refused_by_a_sentence_in_the_form(people: AddingByForm, company: Company) -> None:
    view = await people.opens(company.gus, company.general)
    assert "You may not add documents here." in view.shown
    assert "submit" not in view.content


async def test_where_nothing_can_be_checked_the_form_says_so(
    people: AddingByForm, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*arguments: object) -> None:
        raise CannotCheck

    monkeypatch.setattr(people.bot.parts.directory, "members", silent)
    view = await people.opens(company.ana, company.office)
    assert "I cannot check right now who may read what." in view.shown


@pytest.mark.parametrize("how", ["refused", "slow"])
async def test_who_may_read_is_checked_when_it_is_sent_in_and_in_time(
    people: AddingByForm, company: Company, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """However slow Slack's lookups are, what was filled in stays, and can be sent again."""
    await people.opens(company.ana, company.office)
    released = asyncio.Event()

    async def unsure(*arguments: object, **more: object) -> Choices:
        if how == "slow":
            await released.wait()
        return Choices(refused="cannot_check")

    with monkeypatch.context() as patch:
        patch.setattr(adding_listener, "choices", unsure)
        patch.setattr(adding_listener, "CHECK_SECONDS", 0.2)
        errors = await people.submits(company.ana, text=CANTEEN, title="Canteen")
    assert list(errors) == ["adding_audience"]
    assert "nothing is lost" in errors["adding_audience"]
    assert await people.added() == []
    assert await people.submits(company.ana, text=CANTEEN, title="Canteen") == {}
    assert await people.added() == [("Canteen", "workspace")]


async def test_an_audience_that_is_not_theirs_any_more_is_not_taken(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    await people.opens(company.ana, company.finance)
    slack.leaves(company.ana, company.finance)
    await people.idle()
    errors = await people.submits(company.ana, text=CANTEEN, audience=f"channel:{company.finance.id}")
    assert "can no longer be chosen" in errors["adding_audience"]
    assert await people.added() == []


async def test_a_request_that_cannot_be_kept_stays_in_the_form(
    people: AddingByForm, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*arguments: object) -> None:
        raise CatalogueUnavailable("The catalogue is away.")

    await people.opens(company.ana, company.office)
    with monkeypatch.context() as patch:
        patch.setattr(people.bot.parts.ledger, "take_addition", away)
        errors = await people.submits(company.ana, text=CANTEEN, title="Canteen")
    assert "could not be kept" in errors["adding_audience"]
    assert await people.submits(company.ana, text=CANTEEN, title="Canteen") == {}
    assert await people.added() == [("Canteen", "workspace")]


async def test_a_form_that_slack_does_not_open_is_not_silence(
    people: AddingByForm, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def late(**arguments: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(people.bot.parts.client, "views_open", late)
    await slack.commands(company.ana, company.office, "/docs", "add").arrives()
    await people.idle()
    assert "could not open the form" in people.told(company.ana)


# -- the command with an address ---------------------------------------------------------------------------------------


async def test_what_is_no_address_is_answered_with_what_can_be_added(people: AddingByForm, company: Company) -> None:
    await people.slack.commands(company.ana, company.office, "/docs", "add the travel guide").arrives()
    await people.idle()
    assert "I can add a web address: /docs add https://" in people.told(company.ana)


async def test_a_link_to_a_message_adds_it_for_whom_it_says(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    ts = slack.says(company.ben, company.finance, CANTEEN)
    link = slack.permalink_of(company.finance, ts)
    await slack.commands(company.ana, company.office, "/docs", f"add {link} Canteen hours").arrives()
    await people.idle()
    told = people.told(company.ana)
    assert "I am adding “Canteen hours”" in told
    assert "#finance, 2 members" in told or "Only me" in told
    ((title, audience),) = await people.added()
    assert title == "Canteen hours"
    assert audience != "workspace", "it comes from a private channel"


async def test_a_guest_is_refused_by_the_command(people: AddingByForm, company: Company) -> None:
    await people.slack.commands(company.gus, company.general, "/docs", "add https://example.com/").arrives()
    await people.idle()
    assert "You may not add documents here." in people.told(company.gus)
    assert await people.added() == []


# -- shortcuts ---------------------------------------------------------------------------------------------------------


async def test_a_message_or_its_thread_is_added_no_further_than_it_stands(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    root = slack.says(company.ana, company.finance, "When does the canteen close?")
    slack.says(company.ben, company.finance, CANTEEN, thread=root)
    view = await people.uses(company.ana, company.finance, root)
    assert "The whole thread" in view.shown
    assert "All employees" not in view.shown
    assert "no more can be chosen" in str(view.content)
    assert await people.submits(company.ana, what="thread", title="Canteen") == {}
    assert await people.added() == [("Canteen", f"channel:{company.finance.id}")]


async def test_where_answers_of_a_thread_rest_on_narrower_documents_what_is_chosen_at_first_is_taken(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    library, office = people.bot.parts.library, f"channel:{company.office.id}"
    root = slack.says(company.ana, company.office, "When does the canteen close?")
    async with document(library, slack.team_id, CANTEEN, audience=Audience.parse(office)):
        answer = await people.asks(company.ana, company.office, "When does the canteen close?", thread=root)
        assert "three in the afternoon" in answer.shown
        view = await people.uses(company.ana, company.office, root)
        assert "All employees" in view.shown, "which may be chosen for the message alone"
        assert await people.submits(company.ana, what="thread", title="Canteen") == {}
        assert ("Canteen", office) in await people.added()


async def test_a_message_where_the_bot_is_not_is_refused_when_the_form_opens(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    """Before anything is filled in. Once the bot is invited, it goes."""
    elsewhere = slack.channel("elsewhere", members=[company.ana], with_bot=False)
    ts = slack.says(company.ana, elsewhere, CANTEEN)
    view = await people.uses(company.ana, elsewhere, ts)
    assert "Invite me to this channel" in view.shown
    assert "submit" not in view.content
    slack.closes(company.ana)
    await slack.joins(slack.bot, elsewhere).arrives()
    await people.idle()
    view = await people.uses(company.ana, elsewhere, ts)
    assert "submit" in view.content
    assert await people.submits(company.ana, what="message", title="Canteen") == {}
    assert [title for title, _ in await people.added()] == ["Canteen"]


async def test_the_files_of_a_message_are_added(people: AddingByForm, company: Company, slack: SlackServer) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ben)
    ts = slack.says(company.ben, company.office, "The new budget", files=[file])
    view = await people.uses(company.ana, company.office, ts)
    assert "Its file budget.md" in view.shown
    assert await people.submits(company.ana, title="The budget") == {}, "its file is what is chosen at first"
    assert [title for title, _ in await people.added()] == ["The budget"]


async def test_an_answer_is_saved_under_its_question(people: AddingByForm, company: Company) -> None:
    message = await people.asks(company.ana, company.office, QUESTION)
    view = await people.uses(company.ana, company.office, message.ts, "save_reply")
    assert "This message" in view.shown
    assert await people.submits(company.ana, what="message") == {}
    ((title, _),) = await people.added()
    assert "INC-2023-04-011" in title


# -- the buttons of the message that moves -----------------------------------------------------------------------------


async def test_try_it_asks_about_the_document_in_its_thread(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, text=CANTEEN, title="Canteen") == {}
    message, direct = people.moving(company.ana), slack.direct(company.ana)
    await people.clicks(company.ana, direct, message.ts, "try_it")
    replies = slack.replies(direct, message.ts)
    assert len(replies) > 1
    assert "the canteen closes" in replies[-1].shown
    (answer,) = await people.bot.parts.ledger.answers_in(slack.team_id, direct.id, message.ts)
    assert answer.question == "What are the main points of “Canteen”?"


async def test_remove_takes_the_document_out_and_there_is_nothing_to_press_any_more(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, text=CANTEEN, title="Canteen") == {}
    message, direct = people.moving(company.ana), slack.direct(company.ana)
    await people.clicks(company.ana, direct, message.ts, "remove_added")
    assert await people.added() == []
    assert "“Canteen” is no longer in the documents." in direct.messages[message.ts].shown
    assert direct.messages[message.ts].actions == []


async def test_what_was_removed_meanwhile_is_not_asked_about(
    people: AddingByForm, company: Company, slack: SlackServer
) -> None:
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, text=CANTEEN, title="Canteen") == {}
    message, direct = people.moving(company.ana), slack.direct(company.ana)
    (document,) = await people.documents()
    await people.bot.parts.library.remove(slack.team_id, document.id)
    await people.clicks(company.ana, direct, message.ts, "try_it")
    assert "This document is not there any more" in people.told(company.ana)
    assert [one.ts for one in slack.replies(direct, message.ts)] == [message.ts], "nothing is asked"


async def test_one_form_adds_once_however_often_it_comes(people: AddingByForm, company: Company) -> None:
    taken: list[str] = []
    take = people.bot.adding.take

    async def counting(request: Any) -> bool:
        first = await take(request)
        second = await take(request)
        taken.append(f"{first} {second}")
        return first

    people.bot.adding.take = counting  # type: ignore[method-assign]  # the desk's own, told twice
    await people.opens(company.ana, company.office)
    assert await people.submits(company.ana, text=CANTEEN, title="Canteen") == {}
    assert taken == ["True False"]
    assert await people.added() == [("Canteen", "workspace")]
