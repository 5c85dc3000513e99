"""Scans, damaged files and deleted messages, by the form: what becomes of each is definite, and told once."""

from __future__ import annotations

from typing import Any

import pytest

from bot.slack.app import SlackBot
from tests.bot.slack.documents.test_adding_by_people import AddingByForm
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import pptx_of_pictures, scan
from tests.indexer.test_extraction import with_ocr, without_ocr
from tests.slack_server import File, Message, Person, SlackServer

pytestmark = pytest.mark.anyio

__all__ = ["without_ocr"]

READY = "Ready. Ask me about"
FORGOTTEN = "I have forgotten"
DAMAGED = "broken.pdf is damaged or incomplete. Attach a whole copy of it."
MADE: dict[str, Any] = {"Scan.pdf": scan, "deck.pptx": pptx_of_pictures}


class Trying(AddingByForm):
    """People who try to add things, and look at what became of them."""

    async def tries(self, person: Person, *files: File) -> Message:
        """The message that tells of these files once nothing is in hand."""
        before = set(self.slack.direct(person).messages)
        await self.opens(person, self.slack.direct(person))
        assert await self.submits(person, files=list(files), audience="workspace") == {}
        (message,) = [one for ts, one in self.slack.direct(person).messages.items() if ts not in before]
        return message

    async def sees(self, person: Person, company: Company) -> list[str]:
        """What ``/docs list``, ``/docs status`` and the Home tab show a person."""
        (listed,) = await self._docs(person, company, "list")
        (status,) = await self._docs(person, company, "status")
        await self.slack.opens_home_tab(person).arrives()
        await self.idle()
        home = self.slack.home_of(person)
        assert home is not None
        return [listed.shown, status.shown, home.shown]

    async def _docs(self, person: Person, company: Company, text: str) -> list[Message]:
        before = len(self.slack.ephemerals(person))
        await self.slack.commands(person, company.office, "/docs", text).arrives()
        await self.idle()
        return self.slack.ephemerals(person)[before:]

    def forgotten(self, person: Person) -> int:
        """How often a person was told that something of theirs was forgotten."""
        return sum(FORGOTTEN in one.shown for one in self.slack.messages(self.slack.direct(person)))


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Trying:
    return Trying(slack, answering)


# -- pictures of text --------------------------------------------------------------------------------------------------


@with_ocr
@pytest.mark.parametrize("name", list(MADE))
async def test_a_picture_of_text_is_read_and_answers(
    people: Trying, company: Company, slack: SlackServer, name: str
) -> None:
    data = MADE[name](f"The canteen of {name.partition('.')[0]} closes at seven")
    message = await people.tries(company.ana, slack.file(name, data, by=company.ana))
    assert READY in message.shown
    asked = f"When does the canteen of {name.partition('.')[0]} close?"
    assert "closes at seven" in (await people.asks(company.ben, company.office, asked)).shown


@pytest.mark.usefixtures("without_ocr")
@pytest.mark.parametrize("name", list(MADE))
async def test_where_pictures_cannot_be_read_their_adder_is_told_what_to_do(
    people: Trying, company: Company, slack: SlackServer, name: str
) -> None:
    data = MADE[name](f"The canteen of {name} closes at eight")
    message = await people.tries(company.ana, slack.file(name, data, by=company.ana))
    assert message.shown == (
        f"{name} is a scan, and no text recognition is installed here. Ask an administrator, or attach a PDF with text."
    )
    assert message.actions == []
    assert await people.documents() == []


@with_ocr
async def test_a_scan_of_an_empty_page_is_refused(people: Trying, company: Company, slack: SlackServer) -> None:
    message = await people.tries(company.ana, slack.file("blank.pdf", scan(""), by=company.ana))
    assert "blank.pdf has no text" in message.shown
    assert await people.documents() == []


# -- the first message of a thread is deleted --------------------------------------------------------------------------


async def test_what_stood_in_the_deleted_first_message_of_a_thread_is_said_no_more_in_it(
    people: Trying, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    """Added, asked about, deleted (a tombstone is left, as there are replies), asked about in the thread again."""
    asked = "When does the canteen close on Fridays?"
    root = slack.says(company.ana, company.office, "The canteen closes at three on Fridays.")
    slack.says(company.ben, company.office, "Thank you.", thread=root)
    await people.uses(company.ana, company.office, root)
    assert await people.submits(company.ana, what="thread", audience="workspace") == {}
    assert READY in people.moving(company.ana).shown
    assert "at three" in (await people.asks(company.ben, company.office, asked, thread=root)).shown
    before = len(claude.messages)
    await slack.deletes(company.ana, company.office, root).arrives()
    await people.idle()
    assert people.forgotten(company.ana) == 1
    assert await people.documents() == []
    assert "at three" not in (await people.asks(company.ben, company.office, asked, thread=root)).shown
    assert len(claude.messages) > before
    assert not any("at three" in str(request.body) for request in claude.messages[before:])
    assert "at three" not in (await people.asks(company.ana, company.office, asked)).shown
    assert people.forgotten(company.ana) == 1


# -- a damaged file ----------------------------------------------------------------------------------------------------


async def test_a_damaged_file_is_refused_once_each_time_it_is_added_and_is_no_document(
    people: Trying, company: Company, slack: SlackServer, claude: ClaudeServer
) -> None:
    """The message that tells of it says why and what to do, its adder's status too; nothing is kept, or paid."""
    before = await people.sees(company.ana, company)
    for _ in range(3):  # each upload is another file in Slack
        file = slack.file("broken.pdf", b"%PDF-1.7\n broken", by=company.ana, mimetype="application/pdf")
        message = await people.tries(company.ana, file)
        assert message.shown == DAMAGED
        assert message.actions == []
    listed, status, home = await people.sees(company.ana, company)
    assert [listed, home] == [before[0], before[2]]
    assert status.count(DAMAGED) == 3
    assert status.replace(f"\nbroken.pdf\n{DAMAGED}", "").replace("\nNot added", "") == before[1]
    assert not any("broken.pdf" in shown for shown in await people.sees(company.ben, company))
    assert "broken.pdf" not in [row.name for row in await people.bot.parts.library.attempts(slack.team_id)]
    assert claude.requests == []
    assert len(slack.messages(slack.direct(company.ana))) == 3


async def test_one_damaged_file_added_again_and_again_stands_in_its_adder_s_status_once(
    people: Trying, company: Company, slack: SlackServer
) -> None:
    file = slack.file("broken.pdf", b"%PDF-1.7\n broken", by=company.ana, mimetype="application/pdf")
    for _ in range(3):
        assert (await people.tries(company.ana, file)).shown == DAMAGED
    _, status, _ = await people.sees(company.ana, company)
    assert status.count(DAMAGED) == 1
