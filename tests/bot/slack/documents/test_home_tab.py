"""The Home tab: what its owner may read at that moment, what they can do there, and what administrators can."""

from __future__ import annotations

import asyncio

import pytest

from bot.adding import Item, Request, What
from bot.slack.app import SlackBot
from indexer import EVERYONE, WORKSPACE, Audience, DocumentId, Indexer
from tests.bot.slack.clicked import Slack, document
from tests.fixtures.slack import Company
from tests.slack_server import Person, SlackServer, View

pytestmark = pytest.mark.anyio

LUNCH = "# Lunch Menu\n\nOn Fridays there is soup in the kitchen on the third floor.\n"
TITLE = "Lunch Menu"
GONE = "This document is not there any more, or you may not read it."


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


async def tab(people: Slack, person: Person) -> View:
    """Somebody's Home tab once they have opened it."""
    await people.slack.opens_home_tab(person).arrives()
    return await left(people, person)


async def left(people: Slack, person: Person) -> View:
    """What stands on it when nothing is in hand any more."""
    await people.idle()
    home = people.slack.home_of(person)
    assert home is not None
    return home


async def chooses(people: Slack, person: Person, what: str, id: DocumentId) -> str:
    """What stands on a person's Home tab once they have chosen something in a document's menu."""
    await people.slack.clicks_in_home(person, "document_menu", option=f"{what}:{id}").arrives()
    return (await left(people, person)).shown


async def becomes_admin(people: Slack, person: Person) -> None:
    await people.slack.changes(person, admin=True).arrives()
    await people.idle()


async def audiences(library: Indexer) -> list[Audience]:
    """Who may read the documents with our title."""
    return [one.audience for one in await library.documents(SlackServer.team_id, None) if one.title == TITLE]


async def removed(library: Indexer) -> None:
    """Nothing with our title is left for the next test: it has another id for other readers."""
    for one in await library.documents(SlackServer.team_id, None):
        if one.title == TITLE:
            await library.remove(SlackServer.team_id, one.id)


async def test_it_shows_what_its_owner_may_read_in_their_language(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    audience = Audience("channel", company.finance.id)
    async with document(library, slack.team_id, LUNCH, audience=audience, by=company.ana):
        ana, ben = await tab(people, company.ana), await tab(people, company.ben)
        gus, olga = await tab(people, company.gus), await tab(people, company.olga)
    assert "You can read 3 documents." in ana.shown
    assert f"{TITLE}  [⋯ Open | Remove]\n#finance · Ready · 1 passage · just now · added by you" in ana.shown
    assert "Vous pouvez lire 3 documents." in ben.shown
    assert "ajouté par Ana" in ben.shown
    assert "Retirer" not in ben.shown
    for view in (gus, olga):
        assert "There are no documents yet that you may read." in view.shown
        assert TITLE not in view.shown
        assert "Annual Review" not in view.shown
        assert "Spent" not in view.shown


async def test_the_tab_messages_is_left_to_its_own_listener(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    await slack.opens_messages_tab(company.ana).arrives()
    await people.idle()
    assert slack.home_of(company.ana) is None
    assert slack.suggested_prompts[slack.direct(company.ana).id]


async def test_no_title_stays_for_somebody_who_left_the_channel(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    audience = Audience("channel", company.finance.id)
    async with document(library, slack.team_id, LUNCH, audience=audience, by=company.ana):
        assert TITLE in (await tab(people, company.ana)).shown
        assert TITLE in (await tab(people, company.ben)).shown
        await slack.leaves(company.ana, company.finance).arrives()
        assert TITLE not in (await left(people, company.ana)).shown  # without opening it again
        assert TITLE in (await left(people, company.ben)).shown
        await slack.archives(company.ben, company.finance).arrives()
        assert TITLE not in (await left(people, company.ben)).shown


async def test_where_slack_does_not_tell_it_is_said_and_nothing_is_shown(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    assert "Annual Review" in (await tab(people, company.ana)).shown
    people.bot.parts.directory.forget_person(company.ana.id)
    slack.fail("users.info", error="internal_error", times=None)
    slack.fail("users.conversations", error="internal_error", times=None)
    view = await tab(people, company.ana)
    slack.recover()
    assert "I cannot check right now" in view.shown
    assert "Annual Review" not in view.shown


async def test_its_menu_removes_after_a_confirmation_and_the_tab_shows_that(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with document(library, slack.team_id, LUNCH, by=company.ana) as id:
        await tab(people, company.ana)
        assert TITLE in await chooses(people, company.ana, "remove", id)  # not before it is confirmed
        view = await people.form(company.ana, without="Looking")
        assert "Remove this document?" in view.shown
        await slack.submits(company.ana).arrives()
        assert TITLE not in (await left(people, company.ana)).shown
        assert f"“{TITLE}” is no longer in the documents." in (await people.form(company.ana)).shown
        assert await audiences(library) == []


async def test_the_button_above_asks_which_document(people: Slack, company: Company, library: Indexer) -> None:
    async with document(library, SlackServer.team_id, LUNCH, by=company.ana):
        await tab(people, company.ana)
        await people.slack.clicks_in_home(company.ana, "open_removing").arrives()
        view = await people.form(company.ana, without="Looking")
        assert f"{TITLE} · All employees" in view.shown


async def test_an_administrator_makes_a_document_readable_by_guests_and_takes_that_back(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    await becomes_admin(people, company.ana)
    async with document(library, slack.team_id, LUNCH, by=company.ben) as id:
        assert "Spent today (UTC)" in (await tab(people, company.ana)).shown
        assert TITLE not in (await tab(people, company.gus)).shown
        shown = await chooses(people, company.ana, "everyone", id)
        assert f"Everybody in this workspace may now read “{TITLE}”, guests too." in shown
        assert await audiences(library) == [EVERYONE]
        assert TITLE in (await tab(people, company.gus)).shown
        (now,) = [one for one in await library.documents(slack.team_id, None) if one.title == TITLE]
        assert now.added_by == company.ben.id
        shown = await chooses(people, company.ana, "workspace", now.id)
        assert f"All employees, and no guests, may now read “{TITLE}”." in shown
        assert await audiences(library) == [WORKSPACE]
        assert TITLE not in (await tab(people, company.gus)).shown
        await removed(library)


async def test_clicked_twice_it_is_done_once(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    await becomes_admin(people, company.ana)
    async with document(library, slack.team_id, LUNCH) as id:
        await tab(people, company.ana)
        clicks = [slack.clicks_in_home(company.ana, "document_menu", option=f"everyone:{id}") for _ in range(2)]
        await asyncio.gather(*(click.arrives() for click in clicks))
        assert f"Everybody in this workspace may now read “{TITLE}”" in (await left(people, company.ana)).shown
        assert await audiences(library) == [EVERYONE]
        await removed(library)


async def test_who_is_no_administrator_any_more_changes_nothing(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    await becomes_admin(people, company.ana)
    async with document(library, slack.team_id, LUNCH) as id:
        await tab(people, company.ana)
        company.ana.admin = False  # the event for that has not come yet
        people.bot.parts.directory.forget_person(company.ana.id)
        shown = await chooses(people, company.ana, "everyone", id)
        assert "Only an administrator can change who may read a document." in shown
        assert await audiences(library) == [WORKSPACE]


async def test_what_was_removed_meanwhile_is_not_named(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    await becomes_admin(people, company.ana)
    async with document(library, slack.team_id, LUNCH) as id:
        await tab(people, company.ana)
        await library.remove(slack.team_id, id)
        shown = await chooses(people, company.ana, "everyone", id)
        assert GONE in shown
        assert TITLE not in shown


async def test_for_other_readers_it_is_still_forgotten_with_what_it_was_made_from(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    slack.may_ping(company.ana)
    await becomes_admin(people, company.ana)
    ts = slack.says(company.ana, company.office, "On Fridays there is soup.")
    async with document(library, slack.team_id, LUNCH, by=company.ana) as id:
        await people.bot.parts.ledger.made_of(id, slack.team_id, [f"{company.office.id}:{ts}"], company.ana.id)
        await tab(people, company.ana)
        await chooses(people, company.ana, "everyone", id)
        assert await audiences(library) == [EVERYONE]
        await slack.deletes(company.ana, company.office, ts).arrives()
        await people.idle()
        assert await audiences(library) == []


async def test_what_was_added_appears_on_an_open_tab(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    await tab(people, company.ana)
    item = Item(What.TEXT, "lunch1", TITLE, text=LUNCH, title=TITLE)
    request = Request("request1", slack.team_id, company.ana.id, (item,), "workspace", user_team=slack.team_id)
    adding = people.bot.adding
    assert await adding.take(request)
    adding.begin(request)
    await people.idle()
    assert TITLE in (await left(people, company.ana)).shown
    await removed(library)
