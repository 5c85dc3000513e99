"""Conversations, answers, bad files and bad links, added with the whole bot: who gets them, and what is refused why."""

from __future__ import annotations

import pytest

from bot.adding import Item, What
from bot.slack.app import SlackBot
from indexer import Audience, Indexer
from tests.bot.slack.clicked import document
from tests.bot.slack.documents.test_adding import AddingByRequest
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import bomb, pdf
from tests.slack_server import Channel, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


def thread(channel: Channel, ts: str) -> Item:
    return Item(What.THREAD, f"{channel.id}:{ts}", "the minutes")


def message(channel: Channel, ts: str) -> Item:
    return Item(What.MESSAGE, f"{channel.id}:{ts}", "the answer")


# -- conversations ---------------------------------------------------------------------------------------------------


async def test_a_thread_of_a_private_channel_answers_there_and_nowhere_else(
    people: AddingByRequest, slack: SlackServer, company: Company
) -> None:
    root = slack.says(company.ana, company.finance, "Minutes of the canteen meeting")
    slack.says(company.ben, company.finance, "The canteen closes at three on Fridays.", thread=root)
    told = await people.asks_for(company.ana, thread(company.finance, root), audience="workspace")
    assert "Ready" not in told.shown
    assert await people.added() == []
    told = await people.asks_for(
        company.ana,
        thread(company.finance, root),
        audience=f"channel:{company.finance.id}",
        channel=company.finance.id,
    )
    assert "Ready. Ask me about" in told.shown
    (kept,) = await people.added()
    assert (str(kept.audience), kept.title) == (
        f"channel:{company.finance.id}",
        "Minutes of the canteen meeting",
    )
    asked = "When does the canteen close on Fridays?"
    assert "at three" in (await people.asks(company.ben, company.finance, asked)).shown
    assert "at three" not in (await people.asks(company.ben, company.office, asked)).shown


async def test_a_deleted_reply_takes_the_thread_out_that_was_made_with_it(
    people: AddingByRequest, slack: SlackServer, company: Company
) -> None:
    root = slack.says(company.ana, company.finance, "Minutes of the canteen meeting")
    reply = slack.says(company.ben, company.finance, "The canteen closes at three on Fridays.", thread=root)
    audience = f"channel:{company.finance.id}"
    await people.asks_for(company.ana, thread(company.finance, root), audience=audience, channel=company.finance.id)
    assert len(await people.added()) == 1
    await slack.deletes(company.ben, company.finance, reply).arrives()
    await people.idle()
    assert await people.added() == []


async def test_an_answer_is_saved_for_no_more_people_than_what_it_rests_on(
    people: AddingByRequest, slack: SlackServer, company: Company, library: Indexer
) -> None:
    """In their direct conversation Ana is answered from a private channel: her colleagues get nothing of it."""
    text = "# Budget\n\nThe Lisbon office gets 90,000 euros for its move to Rua Augusta.\n"
    private = Audience("channel", company.finance.id)
    direct = slack.direct(company.ana)
    async with document(library, slack.team_id, text, name="budget.md", audience=private):
        answer = await people.asks(company.ana, direct, "What does the Lisbon office get for its move?")
        assert "90,000" in answer.shown
        for too_wide in ("workspace", f"channel:{company.office.id}"):
            told = await people.asks_for(company.ana, message(direct, answer.ts), audience=too_wide)
            assert "Ready" not in told.shown
        assert await people.added() == []
        told = await people.asks_for(company.ana, message(direct, answer.ts), audience=f"user:{company.ana.id}")
        assert "Ready. Ask me about" in told.shown
        (kept,) = await people.added()
        assert kept.title == "What does the Lisbon office get for its move?"
        (passage,) = await library.passages(slack.team_id, kept.version or pytest.fail("no version"))
        assert "90,000 euros" in passage.chunk.text
        assert "- Budget" in passage.chunk.text
        assert "[1]" not in passage.chunk.text
        assert "Situate (" not in passage.chunk.text


# -- bad files and bad links -----------------------------------------------------------------------------------------


async def test_bad_files_are_refused_each_with_its_reason_and_nothing_of_them_stays(
    people: AddingByRequest, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    page = b"<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in</body></html>"
    ana = company.ana
    told = await people.adds(
        ana,
        slack.file("report.pdf", page, by=ana, mimetype="application/pdf"),
        slack.file("bomb.docx", bomb(510, claims=1_000), by=ana),
        slack.file("empty.txt", b" \n", by=ana, mimetype="text/plain"),
        slack.file("locked.pdf", pdf("Secret\nnothing", password="x"), by=ana),
    )
    for sentence in ("files:read", "bomb.docx unpacks to", "empty.txt", "locked.pdf is protected"):
        assert sentence in told.shown
    assert await people.added() == []
    assert claude.requests == []


async def test_a_stub_of_a_shared_channel_is_looked_up(
    people: AddingByRequest, slack: SlackServer, company: Company
) -> None:
    text = b"The canteen closes at three on Fridays."
    file = slack.file("canteen.txt", text, by=company.ana, mimetype="text/plain", stub=True)
    told = await people.adds(company.ana, file)
    assert "Ready. Ask me about" in told.shown
    assert [one.name for one in await people.added()] == ["canteen.txt"]


async def test_a_damaged_file_is_refused_as_often_as_it_is_added(
    people: AddingByRequest, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    file = slack.file("broken.pdf", b"%PDF-1.7\n broken", by=company.ana, mimetype="application/pdf")
    for _ in range(3):
        told = await people.adds(company.ana, file)
        assert told.shown.count("broken.pdf is damaged") == 1
    assert await people.added() == []
    assert claude.requests == []


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://localhost:8080/x", "file:///etc/passwd"],
)
async def test_a_link_to_what_is_not_public_is_refused(people: AddingByRequest, company: Company, url: str) -> None:
    told = await people.asks_for(company.ana, Item(What.LINK, url, url))
    assert "Ready" not in told.shown
    assert "root:" not in told.shown
    assert await people.added() == []
