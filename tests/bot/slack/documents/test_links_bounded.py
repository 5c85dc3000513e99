"""What a link may cost, and what is read of one whatever its server says about it."""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
from collections.abc import Iterator

import pytest
from aiohttp import web

from bot.slack.app import SlackBot
from tests.bot.slack.documents.linking import FETCH_SECONDS, MAX_FILE_MB, Linking, payable, strict_library
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import bomb, pdf
from tests.indexer.websites import LOCAL, Handler, page, website
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

__all__ = ["payable"]
library = strict_library

MB = 1_000_000
GIGABYTES = 5_000_000_000
LONG_FETCH_SECONDS = 30.0
MOVE = "Le déménagement à Rua Augusta coûte 90 000 euros. "


@pytest.fixture(autouse=True)
def sites(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that end in ``.test`` are public sites."""
    monkeypatch.setattr("indexer.sources.Web", lambda: LOCAL)


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot, company: Company, payable: ClaudeServer) -> Linking:
    return Linking(slack, answering, company, payable)


@pytest.fixture
def traced() -> Iterator[None]:
    """Memory is counted from here on."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


def sent(body: bytes, kind: str, **headers: str) -> Handler:
    """Bytes with a ``Content-Type`` as it stands."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": kind, **headers})

    return answer


class Endless:
    """Five gigabytes that are made while they are sent; ``sent`` counts them."""

    def __init__(self, **headers: str) -> None:
        self.headers = headers
        self.sent = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=self.headers)
        await response.prepare(request)
        piece = b"plan " * 20_000
        while self.sent < GIGABYTES:
            await response.write(piece)
            self.sent += len(piece)
        return response


# -- bodies without end ----------------------------------------------------------------------------------------------


async def test_five_gigabytes_are_refused_before_they_are_in_memory(people: Linking, traced: None) -> None:
    """Announced, nothing of them is read; unannounced, no more than the limit is, and nothing is kept of it."""
    announced = Endless(**{"Content-Length": str(GIGABYTES)})
    silent, packed = Endless(), gzip.compress(bytes(int(MAX_FILE_MB * MB) * 40))
    pages: dict[str, Handler] = {
        "warm": page("", status=404),
        "announced": announced.answer,
        "silent": silent.answer,
        "packed": sent(packed, "text/plain", **{"Content-Encoding": "gzip"}),
    }
    async with website(**pages) as site:
        await people.is_refused(f"{site}/warm", "link_leads_nowhere")
        for name in ("announced", "silent", "packed"):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            assert "has more than 2 MB" in await people.is_refused(f"{site}/{name}", "link_too_large")
            after, peak = tracemalloc.get_traced_memory()
            assert peak - before < (2 * MAX_FILE_MB + 4) * MB
            assert after - before < 0.75 * MAX_FILE_MB * MB
    for endless in (announced, silent):
        assert endless.sent < 40 * MB, "of two: what was read, and what the sockets took before they were closed"


async def test_a_body_that_drips_is_given_up_and_holds_nobody_up(
    people: Linking, company: Company, slack: SlackServer
) -> None:
    async def drips(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x")
            await asyncio.sleep(0.05)

    async with website(slow=drips, plan=page(f"<p>{MOVE}</p>")) as site:
        began = time.monotonic()
        await slack.commands(company.ana, company.office, "/docs", f"add {site}/slow").arrives()
        assert time.monotonic() - began < slack.ack_seconds
        ready = await people.by_command(company.ben, f"{site}/plan")
        assert "C'est prêt" in ready.shown, "whoever comes behind does not wait"
        (message,) = slack.messages(slack.direct(company.ana))
        assert f"did not arrive within {FETCH_SECONDS:g} seconds; try again later" in message.shown
        assert time.monotonic() - began < FETCH_SECONDS + 10
        assert "did not arrive" in await people.is_refused(f"{site}/slow", "link_not_fetched")


async def test_an_archive_bomb_behind_a_link_is_refused(people: Linking) -> None:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    async with website(**{"plan.docx": sent(bomb(600, claims=1), kind)}) as site:
        told = await people.is_refused(f"{site}/plan.docx", "file_unpacks")
    assert "unpacks to far more than its size" in told


# -- read right, whatever is declared --------------------------------------------------------------------------------


async def text_of(people: Linking, url: str) -> str:
    """What is in the documents once a link is added."""
    message = await people.by_command(people.company.ana, url)
    assert "Ready. Ask me about" in message.shown, message.shown
    (document,) = [one for one in await people.documents() if one.source == url]
    assert document.version is not None
    passages = await people.library.passages(people.slack.team_id, document.version)
    return " ".join(passage.chunk.text for passage in passages)


@pytest.mark.parametrize(
    ("encoding", "kind"),
    [
        ("utf-8", "text/html"),
        ("utf-8", "text/html; charset=iso-8859-1"),
        ("utf-8", "text/plain; charset=windows-1252"),
        ("utf-8", "text/html; charset=no-such-thing"),
        ("cp1252", "text/html; charset=utf-8"),
        ("cp1252", "text/plain"),
        ("utf-16", "text/html; charset=utf-8"),
        ("utf-16-le", "text/plain; charset=utf-8"),
    ],
)
async def test_a_wrong_charset_is_seen_through(people: Linking, encoding: str, kind: str) -> None:
    words = f"<!DOCTYPE html><html><body><p>{MOVE * 20}</p></body></html>" if "html" in kind else MOVE * 20
    async with website(plan=sent(words.encode(encoding), kind)) as site:
        assert MOVE.strip() in await text_of(people, f"{site}/plan")


@pytest.mark.parametrize("kind", ["text/html", "text/plain; charset=utf-8", "application/octet-stream", "image/png"])
async def test_a_pdf_is_read_as_one_whatever_it_is_sent_as(people: Linking, kind: str) -> None:
    async with website(plan=sent(pdf("The Lisbon office moves on 9 June."), kind)) as site:
        assert "moves on 9 June" in await text_of(people, f"{site}/plan")


async def test_of_a_page_full_of_scripts_and_styles_only_the_words_are_read(people: Linking) -> None:
    noise = "<script>var secret = 'bundle';</script><style>.secret { color: red }</style>" * 3_000
    html = f"{noise}<main><h1>The move</h1><p>{MOVE * 10}</p></main>{noise}<noscript>Enable JavaScript.</noscript>"
    async with website(plan=page(html)) as site:
        text = await text_of(people, f"{site}/plan")
    assert MOVE.strip() in text
    for hidden in ("secret", "bundle", "color"):
        assert hidden not in text
