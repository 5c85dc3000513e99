"""``/docs``: lists, status, searching and removing, each with what the person may read themself at that moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.slack.app import SlackBot
from bot.slack.listeners import docs
from indexer import EVERYONE, Audience, DocumentId, Indexer, Original
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.test_in_french import english_left_over
from tests.bot.slack.whole import QUOTE
from tests.fixtures.bot import StartBot
from tests.fixtures.indexer import followed
from tests.fixtures.slack import Company
from tests.slack_server import Channel, Person, SlackServer

pytestmark = pytest.mark.anyio

SECRET = "# Salary Plan\n\nThe salaries in the Lisbon office rise by seven percent in spring.\n"
LUNCH = "# Lunch Menu\n\nOn Fridays there is soup in the kitchen on the third floor.\n"
TITLE = "Salary Plan"
GONE = "This document is not there any more, or you may not read it."


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


async def told(people: Slack, person: Person, channel: Channel, text: str) -> str:
    """What a person alone sees once ``/docs text`` is answered."""
    before = len(people.slack.ephemerals(person))
    await people.slack.commands(person, channel, "/docs", text).arrives()
    await people.idle()
    (answer,) = people.slack.ephemerals(person)[before:]
    return answer.shown


async def form(people: Slack, person: Person) -> str:
    await people.idle()
    view = people.slack.view(person)
    assert view is not None
    return view.shown


@asynccontextmanager
async def secret(
    library: Indexer, company: Company, *, by: Person | None = None, audience: Audience | None = None
) -> AsyncIterator[DocumentId]:
    """A document of #finance, which Ana and Ben are in."""
    audience = audience or Audience("channel", company.finance.id)
    async with document(library, SlackServer.team_id, SECRET, name="salaries.md", audience=audience, by=by) as id:
        yield id


# -- lists -----------------------------------------------------------------------------------------------------------


async def test_a_list_shows_title_readers_state_age_and_adder(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with secret(library, company, by=company.ben):
        shown = await told(people, company.ana, company.office, "list")
        (answer,) = slack.ephemerals(company.ana)
    assert "You can read 3 documents." in shown
    assert f"{TITLE}\n#finance · Ready · 1 passage · just now · added by Ben" in shown
    assert (TITLE, "https://docs.example.com/salaries.md") in answer.links
    assert slack.messages(company.office) == []


async def test_a_list_holds_what_the_person_may_read_and_no_more(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with (
        secret(library, company, by=company.ben),
        document(library, slack.team_id, LUNCH, name="lunch.md", audience=EVERYONE),
    ):
        guest = await told(people, company.gus, company.general, "list")
        outsider = await told(people, company.olga, company.shared, "list")
        employee = await told(people, company.ana, company.general, "list")
    for shown in (guest, outsider):
        assert TITLE not in shown
        assert "Annual Review" not in shown
    assert "Lunch Menu" in guest
    assert "Everybody, guests too" in guest
    assert TITLE in employee  # nobody reads along


async def test_who_left_the_channel_finds_its_documents_nowhere_also_what_they_added_themself(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with secret(library, company, by=company.ana) as id:
        assert TITLE in await told(people, company.ana, company.office, "list")
        await slack.leaves(company.ana, company.finance).arrives()
        await people.idle()
        for command in ("list", "list salary", "status", "search salaries Lisbon office"):
            shown = await told(people, company.ana, company.office, command)
            assert TITLE not in shown
            assert "seven percent" not in shown
        await slack.commands(company.ana, company.office, "/docs", "remove").arrives()
        assert TITLE not in await form(people, company.ana)
        slack.closes(company.ana)
        assert id in await library.published(slack.team_id, frozenset({id}))


async def test_words_choose_and_nothing_found_is_said(people: Slack, company: Company) -> None:
    shown = await told(people, company.ana, company.office, "list TRAVEL 2025")
    assert "1 document with “TRAVEL 2025” in its name." in shown
    assert "Annual Review" not in shown
    assert "“<!channel>”" not in await told(people, company.ana, company.office, "list <!channel>")


async def test_what_failed_is_shown_to_its_adder_with_the_reason_and_a_way_to_remove_it(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    added = await library.add(
        Original("slack:file:F9", b"\x00\x01\x02" * 99, "scan.bin"),
        workspace=slack.team_id,
        audience=Audience("channel", company.office.id),
        added_by=company.ana.id,
    )
    assert (await followed(library, added.version)).state == "refused"
    mine = await told(people, company.ana, company.office, "list")
    assert "scan.bin" in mine
    assert "Not added" in mine
    assert "scan.bin is no document that I can read." in mine
    assert "scan.bin" in await told(people, company.ana, company.office, "status")
    assert "scan.bin" not in await told(people, company.ben, company.office, "list")
    listed = slack.ephemerals(company.ana)[0]
    await people.clicks(company.ana, company.office, listed.ts, "remove_document")
    assert "Remove this document?" in await form(people, company.ana)
    await slack.submits(company.ana).arrives()
    assert "scan.bin is no longer in the documents." in await form(people, company.ana)
    assert "scan.bin" not in await told(people, company.ana, company.office, "status")


async def test_where_slack_does_not_tell_who_may_read_what_it_is_said_and_nothing_is_shown(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    await people.idle()
    people.bot.parts.directory.forget_person(company.ana.id)
    slack.fail("users.info", error="internal_error", times=None)
    slack.fail("users.conversations", error="internal_error", times=None)
    for command in ("list", "status", "search certificate"):
        shown = await told(people, company.ana, company.office, command)
        assert "I cannot check right now" in shown
        assert "no document" not in shown.lower()
        assert QUOTE not in shown
        assert "Annual Review" not in shown
    slack.recover()


async def test_status_shows_money_to_administrators_only(people: Slack, company: Company, slack: SlackServer) -> None:
    assert "Spent" not in await told(people, company.ana, company.office, "status")
    await slack.changes(company.ana, admin=True).arrives()
    await people.idle()
    shown = await told(people, company.ana, company.office, "status")
    assert "Spent today (UTC): $" in shown
    assert "In the whole workspace: 2 documents." in shown


# -- searching -------------------------------------------------------------------------------------------------------


async def test_a_search_shows_passages_with_sources_and_asks_claude_nothing(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    shown = await told(people, company.ana, company.office, "search root cause certificate")
    assert QUOTE in shown
    assert "[1] Annual Review 2023 › Cybersecurity" in shown
    (answer,) = slack.ephemerals(company.ana)
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    assert QUOTE in (await people.form(company.ana)).shown


async def test_a_search_finds_what_its_asker_may_read_wherever_it_is_typed(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    words = "search salaries in the Lisbon office"
    elsewhere = slack.channel("elsewhere", members=[company.ana, company.gus], private=True, with_bot=False)
    async with secret(library, company):
        for channel in (company.general, elsewhere, slack.direct(company.ana)):
            assert "seven percent" in await told(people, company.ana, channel, words)
        guest = await told(people, company.gus, company.general, words)
    assert "seven percent" not in guest
    assert TITLE not in guest


async def test_a_search_without_words_says_what_to_type(people: Slack, company: Company) -> None:
    assert "/docs search words" in await told(people, company.ana, company.office, "search")


# -- the command itself ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "help", "frobnicate the lot"])
async def test_help_is_given_where_nothing_else_is_asked(people: Slack, company: Company, text: str) -> None:
    shown = await told(people, company.ana, company.office, text)
    assert "/docs search words" in shown
    assert ("I do not know “frobnicate”." in shown) == text.startswith("frob")


@pytest.mark.parametrize("text", ["help", "frobnicate"])
async def test_help_offers_nobody_what_they_may_not_do(
    people: Slack, company: Company, library: Indexer, text: str
) -> None:
    shown = await told(people, company.gus, company.general, text)
    assert "/docs search words" in shown
    assert "/docs add" not in shown
    assert "/docs remove" not in shown
    async with document(library, people.slack.team_id, LUNCH, name="lunch.md", audience=EVERYONE, by=company.gus):
        shown = await told(people, company.gus, company.general, text)  # as an employee, or when everybody could
        assert "/docs add" not in shown
        assert "/docs remove" in shown
    employee = await told(people, company.ana, company.general, text)
    assert "/docs add" in employee
    assert "/docs remove" in employee


async def test_what_takes_long_says_so_before_the_answer(
    people: Slack, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docs, "QUIET_SECONDS", 0.05)
    slack.slow("users.conversations", 0.6)
    heard = slack.commands(company.ana, company.office, "/docs", "list")
    await heard.arrives()
    await slack.until(lambda: any("One moment" in one.shown for one in slack.ephemerals(company.ana)), what="a word")
    await people.idle()
    assert "You can read 2 documents." in slack.ephemerals(company.ana)[-1].shown


async def test_the_command_has_the_name_that_the_settings_give_it(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    async with another_bot(docs_command="/papers") as bot:
        people = Slack(slack, bot)
        await slack.commands(company.ana, company.office, "/papers", "help").arrives()
        await people.idle()
        assert "/papers list" in people.told(company.ana)
        await slack.commands(company.ana, company.office, "/docs", "list").arrives()
        await people.idle()
        assert "I do not know this command" in people.told(company.ana)


# -- removing --------------------------------------------------------------------------------------------------------


async def test_who_added_a_document_picks_it_confirms_and_it_is_gone(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with secret(library, company, by=company.ana) as id:
        await slack.commands(company.ana, company.office, "/docs", "remove").arrives()
        shown = await form(people, company.ana)
        assert f"{TITLE} · #finance" in shown
        assert "Annual Review" not in shown  # somebody else's
        await slack.submits(company.ana, {"removing_document": id}).arrives()
        shown = await form(people, company.ana)
        assert "Remove this document?" in shown
        assert TITLE in shown
        assert id in await library.published(slack.team_id, frozenset({id}))
        await slack.submits(company.ana).arrives()
        assert f"“{TITLE}” is no longer in the documents." in await form(people, company.ana)
        assert await library.published(slack.team_id, frozenset({id})) == {}
        assert TITLE not in await told(people, company.ben, company.office, "list")


async def test_words_that_name_one_document_ask_about_it_at_once(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with secret(library, company, by=company.ana):
        await slack.commands(company.ana, company.office, "/docs", "remove salary").arrives()
        assert "Remove this document?" in await form(people, company.ana)
        slack.closes(company.ana)
        await slack.commands(company.ana, company.office, "/docs", "remove moon").arrives()
        assert "has “moon” in its name" in await form(people, company.ana)


async def test_an_administrator_may_remove_what_others_added(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with secret(library, company, by=company.ana) as id:
        await slack.commands(company.ben, company.office, "/docs", "remove salary").arrives()
        assert TITLE not in await form(people, company.ben)
        slack.closes(company.ben)
        await slack.changes(company.ben, admin=True).arrives()
        await people.idle()
        await slack.commands(company.ben, company.office, "/docs", "remove salary").arrives()
        assert TITLE in await form(people, company.ben)
        await slack.submits(company.ben).arrives()
        assert f"« {TITLE} » n'est plus dans les documents." in await form(people, company.ben)
        assert await library.published(slack.team_id, frozenset({id})) == {}


async def test_what_a_removed_document_was_made_of_is_forgotten(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    async with secret(library, company, by=company.ana) as id:
        ledger = people.bot.parts.ledger
        await ledger.made_of(id, slack.team_id, ["C0GONE:1.1"], company.ana.id)
        await slack.commands(company.ana, company.office, "/docs", "remove salary").arrives()
        assert TITLE in await form(people, company.ana)
        await slack.submits(company.ana).arrives()
        await people.idle()
        assert await library.published(slack.team_id, frozenset({id})) == {}
        assert not await ledger.part_gone("C0GONE:1.1")


async def test_removed_by_two_at_once_it_is_removed_once_and_both_are_told(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    await slack.changes(company.ben, admin=True, locale="en-US").arrives()
    await people.idle()
    async with secret(library, company, by=company.ana) as id:
        for person in (company.ana, company.ben):
            await slack.commands(person, company.office, "/docs", "remove salary").arrives()
            assert TITLE in await form(people, person)
        await asyncio.gather(*(slack.submits(person).arrives() for person in (company.ana, company.ben)))
        ends = [await form(people, person) for person in (company.ana, company.ben)]
        assert all(f"“{TITLE}” is no longer" in shown or GONE in shown for shown in ends)
        assert any(f"“{TITLE}” is no longer" in shown for shown in ends)
        assert await library.published(slack.team_id, frozenset({id})) == {}


@pytest.mark.parametrize("step", ["picked", "confirmed"])
async def test_each_step_is_checked_anew_and_says_no_title_to_who_may_not_read_it_any_more(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, step: str
) -> None:
    async with secret(library, company, by=company.ana) as id:
        await slack.commands(company.ana, company.office, "/docs", "remove").arrives()
        await form(people, company.ana)
        if step == "confirmed":
            await slack.submits(company.ana, {"removing_document": id}).arrives()
            await form(people, company.ana)
        await slack.leaves(company.ana, company.finance).arrives()
        await people.idle()
        await slack.submits(company.ana, {"removing_document": id} if step == "picked" else None).arrives()
        shown = await form(people, company.ana)
        assert GONE in shown
        assert TITLE not in shown
        assert id in await library.published(slack.team_id, frozenset({id}))


async def test_a_form_that_is_slow_to_come_says_so_meanwhile(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.removing.ACK_SECONDS", 0.05)
    async with secret(library, company, by=company.ana) as id:
        await slack.commands(company.ana, company.office, "/docs", "remove").arrives()
        await form(people, company.ana)
        slack.slow("users.conversations", 0.4)
        await slack.submits(company.ana, {"removing_document": id}).arrives()
        meanwhile = slack.view(company.ana)
        assert meanwhile is not None
        assert "Looking what you may remove" in meanwhile.shown
        assert "Remove this document?" in await form(people, company.ana)


async def test_an_index_that_is_away_leaves_no_form_open_without_an_end(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*arguments: object) -> None:
        raise RuntimeError("out of order")

    async with secret(library, company, by=company.ana):
        await slack.commands(company.ana, company.office, "/docs", "remove salary").arrives()
        await form(people, company.ana)
        with monkeypatch.context() as patch:
            patch.setattr(Indexer, "remove", away)
            await slack.submits(company.ana).arrives()
            shown = await form(people, company.ana)
    assert "Something went wrong on our side." in shown
    assert "ref " in shown


async def test_who_reads_french_reads_french_all_over(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    await slack.changes(company.ben, admin=True).arrives()
    await people.idle()
    async with secret(library, company, by=company.ben):
        shown = [
            await told(people, company.ben, company.office, text)
            for text in ("list", "list salary", "list lune", "status", "search certificate", "search", "help", "hop")
        ]
        await slack.opens_home_tab(company.ben).arrives()
        await people.idle()
        home = slack.home_of(company.ben)
        assert home is not None
        shown.append(home.shown)
        await slack.commands(company.ben, company.office, "/docs", "remove").arrives()
        shown.append(await form(people, company.ben))
        slack.closes(company.ben)
        await slack.commands(company.ben, company.office, "/docs", "remove salary").arrives()
        shown.append(await form(people, company.ben))
        await slack.submits(company.ben).arrives()
        shown.append(await form(people, company.ben))
    for text in shown:
        assert english_left_over(text) == [], text
    assert "Retirer ce document ?" in shown[-2]
