"""Files in the form that are not what they seem, or cost too much: one sentence that says what to do, nothing else."""

from __future__ import annotations

import time

import pytest

from bot.slack.app import SlackBot
from tests.bot.slack.documents.linking import Linking, payable, strict_library
from tests.bot.slack.documents.test_links_bounded import sent
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import bomb, docx_report, pdf, zipped
from tests.indexer.websites import LOCAL, website
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

__all__ = ["payable"]
library = strict_library

LOGIN = b"<!DOCTYPE html>\n<html><head><title>Sign in | Slack</title></head><body>" + b"<p>Sign in</p>" * 30
PDF, DOCX = "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
BROKEN = b"%PDF-1.7\n broken"
READY, READY_IN_FRENCH = "Ready. Ask me about", "C'est prêt"


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot, company: Company, payable: ClaudeServer) -> Linking:
    return Linking(slack, answering, company, payable)


# -- a sign-in page in the place of the file -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), [("report.pdf", PDF), ("report.docx", DOCX), ("photo.png", "image/png")])
async def test_a_sign_in_page_in_the_place_of_a_file_is_the_missing_scope(
    people: Linking, name: str, kind: str
) -> None:
    told = await people.is_refused_as_file(name, LOGIN, "file_no_scope", mimetype=kind)
    assert "scope files:read" in told


async def test_a_sign_in_page_that_is_told_to_be_one_is_seen_through_for_text_and_pages_too(
    people: Linking, company: Company, slack: SlackServer
) -> None:
    page = slack.file("login", LOGIN, by=company.ana, mimetype="text/html")
    page.submitted = True
    for name, kind in (("notes.txt", "text/plain"), ("notes.md", "text/markdown"), ("page.html", "text/html")):
        told = await people.is_refused_as_file(name, b"words", "file_no_scope", mimetype=kind, redirect=page.url)
        assert "scope files:read" in told


async def test_a_page_that_somebody_saved_is_a_document(people: Linking, company: Company, slack: SlackServer) -> None:
    saved = b"<!DOCTYPE html><html><body><h1>The move</h1><p>The Lisbon office moves in June.</p></body></html>"
    message = await people.by_upload(company.ana, slack.file("page.html", saved, by=company.ana, mimetype="text/html"))
    assert READY in message.shown


# -- files of which Slack tells no more than that they are there -------------------------------------------------------


async def test_a_stub_of_slack_connect_is_looked_up(people: Linking, company: Company, slack: SlackServer) -> None:
    """In the form, and as a file of a message in a channel that is shared with another organisation."""
    data = b"# Move Plan\n\nThe Lisbon office moves to Rua Augusta on 9 June.\n"
    message = await people.by_upload(company.ben, slack.file("plan.md", data, by=company.ben, stub=True))
    assert READY_IN_FRENCH in message.shown
    other = slack.file("other.md", data.replace(b"Move Plan", b"Canteen") * 3, by=company.olga, stub=True)
    ts = slack.says(company.olga, company.shared, "The plan", files=[other])
    await people.uses(company.ana, company.shared, ts)
    assert await people.submits(company.ana, what="files") == {}
    assert READY in people.moving(company.ana).shown
    assert {one.name for one in await people.documents()} == {"plan.md", "other.md"}
    assert len(slack.called("files.info")) >= 2


@pytest.mark.parametrize(
    ("error", "key"),
    [("file_not_found", "file_gone"), ("file_deleted", "file_gone"), ("internal_error", "file_not_fetched"),
     ("missing_scope", "file_no_scope")],
)  # fmt: skip
async def test_a_stub_that_cannot_be_looked_up_is_refused(
    people: Linking, slack: SlackServer, error: str, key: str
) -> None:
    slack.fail("files.info", error=error, times=None)
    before = len(slack.violations)
    await people.is_refused_as_file("report.pdf", pdf("A report"), key, nameless=True, stub=True, mimetype=PDF)
    assert len(slack.violations) == before


# -- files that cost too much, or cannot be read -----------------------------------------------------------------------


async def test_a_file_beyond_the_limit_is_refused_also_where_it_claims_to_be_small(people: Linking) -> None:
    large = b"The Lisbon office moves in June. " * 100_000
    for size in (None, 100):
        told = await people.is_refused_as_file("plan.md", large, "file_too_large", size=size)
        assert "more than 2 MB" in told


async def test_an_archive_that_unpacks_to_gigabytes_is_refused_at_once(people: Linking) -> None:
    """500 KB that claim to be small; unpacked they are more than MAX_UNPACKED_MB."""
    for claims in (None, 1):
        began = time.monotonic()
        await people.is_refused_as_file("report.docx", bomb(520, claims=claims), "file_unpacks", mimetype=DOCX)
        assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("name", "data", "key"),
    [
        ("empty.pdf", b"", "file_empty"),
        ("spaces.md", b" \n \n", "file_without_text"),
        ("broken.pdf", BROKEN, "file_damaged"),
        ("broken.docx", docx_report()[:-400], "file_damaged"),
        ("locked.pdf", pdf("A report", password="x"), "file_locked"),
        ("archive.zip", zipped(("plan.md", "words")), "file_is_archive"),
        ("film.mp4", b"\0\0\0\x20ftypisom" + bytes(100), "file_unknown_kind"),
        ("noise.bin", bytes(range(256)) * 9, "file_unknown_kind"),
        ("page.pdf", b"<html><body>" + b"<p>A page.</p>" * 99, "file_no_scope"),
        ("words.docx", b"Only words, in no document.", "file_damaged"),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    people: Linking, name: str, data: bytes, key: str
) -> None:
    await people.is_refused_as_file(name, data, key)


async def test_a_corrupt_file_that_is_added_three_times_is_refused_three_times_and_costs_nothing(
    people: Linking, company: Company, slack: SlackServer, payable: ClaudeServer
) -> None:
    paid = len(payable.requests)
    told = []
    for _ in range(3):
        file = slack.file("broken.pdf", BROKEN, by=company.ana, mimetype=PDF)
        told.append((await people.by_upload(company.ana, file)).shown)
    assert len(set(told)) == 1
    assert "broken.pdf is damaged or incomplete" in told[0]
    assert len(payable.requests) == paid
    assert await people.documents() == []


# -- while everybody is busy -------------------------------------------------------------------------------------------


async def test_a_link_to_two_hundred_pages_is_heard_at_once_while_all_workers_are_busy(
    people: Linking, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.sources.Web", lambda: LOCAL)

    def handbook(salt: str) -> bytes:
        return pdf(*(f"Chapter {n}\nItem {salt}{n} costs {n * 13} euros; {salt}{n} is {salt}." for n in range(200)))

    busy = [slack.file(f"{salt}.pdf", handbook(salt), by=company.ben, mimetype=PDF) for salt in ("ash", "elm", "oak")]
    direct = slack.direct(company.ana)
    async with website(**{"long.pdf": sent(handbook("yew"), PDF)}) as site:
        await people.opens(company.ben, company.office)
        await slack.submits(company.ben, {"adding_files": busy}).arrives()
        began = time.monotonic()
        await slack.commands(company.ana, company.office, "/docs", f"add {site}/long.pdf The long one").arrives()
        assert time.monotonic() - began < slack.ack_seconds
        assert "The long one" in people.told(company.ana)
        await slack.until(lambda: slack.messages(direct), 10, "the message that moves")
        await people.idle()
    (message,) = slack.messages(direct)
    assert READY in message.shown
    assert "The long one" in message.shown
    assert any(shown.startswith(("Reading", "Indexing")) for _, shown in message.history)
    assert slack.slowest_ack < slack.ack_seconds
