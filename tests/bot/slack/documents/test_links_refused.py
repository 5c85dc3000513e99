"""Links that must not be fetched, or lead to no document: one sentence that says what to do, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address

import pytest
from aiohttp import web

from bot.slack.app import SlackBot
from bot.texts import FRENCH
from indexer.addresses import Address
from indexer.web import Web
from tests.bot.slack.documents.linking import FETCH_SECONDS, Linking, payable, strict_library
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.indexer.websites import LOCAL, THIS_MACHINE, Handler, is_site_or_public, page, redirect, website
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

__all__ = ["payable"]
library = strict_library

WORDS = "<p>The Lisbon office gets 90,000 euros for its move to Rua Augusta.</p>"


@pytest.fixture(autouse=True)
def sites(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that end in ``.test`` are public sites."""
    monkeypatch.setattr("indexer.sources.Web", lambda: LOCAL)


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot, company: Company, payable: ClaudeServer) -> Linking:
    return Linking(slack, answering, company, payable)


@asynccontextmanager
async def service() -> AsyncIterator[tuple[str, list[str]]]:
    """Something that listens on this machine for itself: its address, and what it was asked."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(text="The password is hunter2.")

    async with website(admin=answer) as site:
        yield site.replace("docs.test", "127.0.0.1") + "/admin", asked


# -- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "0", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001",
     "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "10.0.0.1", "192.168.1.1",
     "169.254.169.254", "[fd00:ec2::254]", "100.100.100.200"],
)  # fmt: skip
async def test_this_machine_and_its_net_are_refused_in_every_notation(people: Linking, host: str) -> None:
    """Also at the port of something that listens there, which is not asked."""
    async with service() as (inside, asked):
        told = await people.is_refused(inside.replace("127.0.0.1", host), "link_not_public")
    assert "is not a public address" in told
    assert asked == []


async def test_a_redirect_is_checked_at_each_step(people: Linking) -> None:
    async with service() as (inside, asked):
        steps = {
            "near": redirect(inside),
            "far": redirect("/farther"),
            "farther": redirect("/farthest"),
            "farthest": redirect(inside),
            "cloud": redirect("http://169.254.169.254/latest/meta-data"),
            "other": redirect("//127.1/"),
        }
        async with website(**steps) as site:
            for name in ("near", "far", "cloud", "other"):
                told = await people.is_refused(f"{site}/{name}", "link_not_public")
                assert "is not a public address" in told
    assert asked == []


@pytest.mark.parametrize(
    ("place", "key", "says"),
    [
        ("file:///etc/passwd", "link_no_address", "Only http and https"),
        ("ftp://docs.test/plan.pdf", "link_no_address", "Only http and https"),
        ("javascript:alert(1)", "link_no_address", "Only http and https"),
        ("data:text/html,<p>plan", "link_no_address", "Only http and https"),
        ("http://ann:hunter2@docs.test/plan", "link_with_password", "user name or password"),
        ("http://[broken/", "link_not_fetched", "could not be fetched"),
        ("/there", "link_sends_on", "without end"),
    ],
)
async def test_a_redirect_elsewhere_than_to_a_page_is_refused(people: Linking, place: str, key: str, says: str) -> None:
    async with website(there=redirect(place)) as site:
        told = await people.is_refused(f"{site}/there", key)
    assert says in told
    assert "hunter2" not in told


async def test_a_password_in_an_address_is_refused_and_not_shown(
    people: Linking, company: Company, slack: SlackServer
) -> None:
    for url in ("http://ann:hunter2@docs.test/plan", "http://docs.test:hunter2@127.0.0.1/plan"):
        assert "user name or password" in await people.is_refused(url, "link_with_password")
    for person in (company.ana, company.ben):
        shown = [text for message in slack.messages(slack.direct(person)) for _, text in message.history]
        told = [message.shown for message in slack.ephemerals(person)]
        assert not [text for text in (*shown, *told) if "hunter2" in text]


async def test_a_name_that_means_another_address_a_moment_later_is_looked_up_once_a_step(
    people: Linking, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the connection is made to the address that was checked; every step is checked anew."""
    asked: list[str] = []

    async def changing(host: str, port: int) -> list[Address]:
        asked.append(host)
        return [THIS_MACHINE] if asked.count(host) == 1 else [ip_address("10.0.0.1")]

    monkeypatch.setattr("indexer.sources.Web", lambda: Web(allows=is_site_or_public, resolve=changing))
    async with website(plan=page(WORDS), go=redirect("/plan")) as site:
        ready = await people.by_command(company.ana, f"{site}/plan")
        assert "Ready. Ask me about" in ready.shown
        assert asked == ["docs.test"]
        asked.clear()
        refused = await people.by_command(company.ana, f"{site}/go")
        assert "docs.test is not a public address" in refused.shown
        assert asked == ["docs.test", "docs.test"]


async def test_all_addresses_of_a_name_must_be_public(people: Linking, monkeypatch: pytest.MonkeyPatch) -> None:
    async def both(host: str, port: int) -> list[Address]:
        return [ip_address("8.8.8.8"), ip_address("10.0.0.1")]

    monkeypatch.setattr("indexer.sources.Web", lambda: Web(resolve=both))
    assert "is not a public address" in await people.is_refused("http://docs.test/", "link_not_public")


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "ftp://docs.test/plan.pdf", "javascript:alert(1)", "data:text/html,<p>plan</p>",
     "gopher://docs.test/", "-", "/etc/passwd", "docs.test/plan", "http://", "http://[broken/", "view-source:http://x.y",
     "http://127。0。0。1/", "http://１２７.0.0.1/"],
)  # fmt: skip
async def test_what_is_no_address_of_the_web_is_told_where_it_was_given_and_nothing_begins(
    people: Linking, company: Company, slack: SlackServer, address: str
) -> None:
    await slack.commands(company.ana, company.office, "/docs", f"add {address}").arrives()
    await people.idle()
    assert "I can add a web address: /docs add https://" in people.told(company.ana)
    await people.opens(company.ben, company.office)
    errors = await people.submits(company.ben, link=address)
    assert errors == {"adding_link": FRENCH.say("form_no_address")}
    for person in (company.ana, company.ben):
        assert slack.messages(slack.direct(person)) == []


async def test_an_address_that_a_browser_does_not_take_either_is_refused(people: Linking) -> None:
    for name in ("docs.test:99999/plan", "docs.test:port/plan"):
        told = await people.is_refused(f"http://{name}", "link_no_address")
        assert told == f"{name}: This is not a URL; check the address."


# -- what is not there -----------------------------------------------------------------------------------------------


async def test_what_does_not_answer_with_a_document_is_refused(people: Linking) -> None:
    pages = {f"status{status}": page(WORDS, status=status) for status in (204, 401, 403, 404, 410, 429, 500, 503)}
    async with website(**pages) as site:
        for status, key, says in (
            (401, "link_behind_sign_in", "after signing in"),
            (403, "link_behind_sign_in", "after signing in"),
            (404, "link_leads_nowhere", "status 404"),
            (410, "link_leads_nowhere", "status 410"),
            (429, "link_not_fetched", "status 429"),
            (500, "link_not_fetched", "status 500"),
            (503, "link_not_fetched", "status 503"),
        ):
            assert says in await people.is_refused(f"{site}/status{status}", key)


async def test_a_site_that_is_not_there_or_does_not_answer_is_refused(people: Linking) -> None:
    async def silent(request: web.Request) -> web.Response:
        await asyncio.sleep(FETCH_SECONDS * 10)
        return web.Response()

    async def breaks_off(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b"The Lisbon office")
        assert request.transport is not None
        request.transport.close()
        return response

    assert "no site that can be found" in await people.is_refused("http://no-such.invalid/x", "link_leads_nowhere")
    async with website(silent=silent, broken=breaks_off) as site:
        assert f"within {FETCH_SECONDS:g} seconds" in await people.is_refused(f"{site}/silent", "link_not_fetched")
        assert "could not be fetched" in await people.is_refused(f"{site}/broken", "link_not_fetched")
    assert "could not be fetched" in await people.is_refused(f"{site}/gone", "link_not_fetched")


# -- pages that are not the document ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://docs.google.com/document/d/1/edit", "Google Drive"),
        ("https://drive.google.com/file/d/1/view?usp=sharing", "Google Drive"),
        ("https://www.notion.so/acme/Plan-0123", "Notion"),
        ("https://acme.notion.site/Plan-0123", "Notion"),
        ("https://acme.atlassian.net/wiki/spaces/HR/pages/1/Plan", "Confluence"),
        ("https://acme.sharepoint.com/:w:/r/sites/x", "SharePoint"),
        ("https://www.dropbox.com/scl/fi/1/plan.pdf?rlkey=2&dl=0", "Dropbox"),
    ],
)
async def test_sites_for_signed_in_people_are_refused_with_the_menu_that_exports(
    people: Linking, url: str, says: str
) -> None:
    told = await people.is_refused(url, "link_of_a_site")
    assert says in told
    assert "add the file, or paste the text" in told


CONFLUENCE = (
    "<title>Log In - Confluence</title><form action=/dologin.action><input name=os_username>"
    "<input type=password name=os_password></form>"
)
INTRANET = "<title>Intranet</title><form>Name <input name=j_username><input type=password name=j_password></form>"
SAML = "<form action=https://idp.test/sso><input name=SAMLRequest value=x></form><script>submit()</script>"


@pytest.mark.parametrize(
    ("html", "key", "says"),
    [
        (CONFLUENCE, "link_of_a_site", "Documents in Confluence"),
        (INTRANET, "link_behind_sign_in", "sign-in page"),
        (SAML, "link_behind_sign_in", "sign-in page"),
        ("<title>Sign in</title><form><input type=email name=login></form>", "link_behind_sign_in", "sign-in page"),
        ("<title>x</title><h1>Connexion</h1><form><input name=identifiant></form>", "link_behind_sign_in", "sign-in"),
        ("<meta http-equiv=refresh content='0; url=/login'>", "link_behind_sign_in", "sign-in page"),
        ("<meta http-equiv=refresh content='0; url=/plan2'>", "link_sends_on", "sends a browser on"),
        ("<div id=root></div><script src=a.js></script>", "link_is_a_script", "until a script"),
        ("<noscript>Enable JavaScript.</noscript><script src=a.js></script>", "link_is_a_script", "until a script"),
        ("<script>var plan = 'the Lisbon office';</script>" * 50, "link_is_a_script", "until a script"),
        ("<style>p { color: red } #plan { top: 0 }</style>" * 50, "file_without_text", "no text in it"),
        ("<!-- the Lisbon office gets 90,000 euros -->", "file_without_text", "no text in it"),
        ("", "file_without_text", "no text in it"),
    ],
)
async def test_a_page_that_is_not_the_document_is_refused(people: Linking, html: str, key: str, says: str) -> None:
    """With status 200, as such sites send it."""
    async with website(plan=page(html)) as site:
        assert says in await people.is_refused(f"{site}/plan", key)


async def test_a_redirect_to_a_sign_in_page_is_refused(people: Linking) -> None:
    places = {
        "self_hosted": "/login.action?os_destination=%2Fpages%2Fplan",
        "single": "https://sso.example.com/start",
        "google": "https://accounts.google.com/v3/signin",
        "cloud": "https://id.atlassian.com/login?continue=x",
    }
    async with website(**{name: redirect(place) for name, place in places.items()}) as site:
        for name in places:
            assert "sign-in page" in await people.is_refused(f"{site}/{name}", "link_behind_sign_in")


async def test_a_page_or_other_bytes_in_the_place_of_a_pdf_are_refused(people: Linking) -> None:
    def sent(body: bytes, kind: str) -> Handler:
        async def answer(request: web.Request) -> web.Response:
            return web.Response(body=body, content_type=kind)

        return answer

    article = b"<!DOCTYPE html><html><body>" + WORDS.encode() * 100 + b"</body></html>"
    pages = {
        "plan.pdf": sent(article, "application/pdf"),
        "broken.pdf": sent(b"%PDF-1.7\n broken", "application/pdf"),
        "plan.zip": sent(b"\x1f\x8b\x08" + bytes(100), "application/gzip"),
        "plan.bin": sent(bytes(range(256)) * 9, "application/octet-stream"),
        "empty.txt": sent(b"", "text/plain"),
    }
    async with website(**pages) as site:
        assert "is a web page (HTML), not a PDF" in await people.is_refused(f"{site}/plan.pdf", "file_is_a_page")
        assert "damaged" in await people.is_refused(f"{site}/broken.pdf", "file_damaged")
        assert "archive" in await people.is_refused(f"{site}/plan.zip", "file_is_archive")
        assert "no document that I can read" in await people.is_refused(f"{site}/plan.bin", "file_unknown_kind")
        assert "empty" in await people.is_refused(f"{site}/empty.txt", "file_empty")
