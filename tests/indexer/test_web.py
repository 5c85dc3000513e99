"""Documents from URLs: public addresses only, so much, so long, and no sign-in pages."""

from __future__ import annotations

import asyncio
import gzip
from datetime import UTC, datetime
from ipaddress import ip_address

import pytest
from aiohttp import web

from indexer.addresses import Address, is_public
from indexer.documents import Original
from indexer.errors import SourceRefused
from indexer.settings import IndexerSettings
from indexer.sources import fetch_link, open_source
from indexer.web import Web
from indexer.web_pages import refuse_sign_in_site
from tests.indexer.websites import LOCAL, page, redirect, website

pytestmark = pytest.mark.anyio


async def _fetch(url: str, way: Web = LOCAL, *, max_file_mb: float = 5, fetch_seconds: float = 20) -> Original:
    settings = IndexerSettings(_env_file=None, max_file_mb=max_file_mb, fetch_seconds=fetch_seconds)
    items = [item async for item in open_source(url, settings, local=False, web=way)]
    assert len(items) == 1
    assert isinstance(items[0], Original)
    return items[0]


async def _refused(url: str, way: Web = LOCAL, **limits: float) -> str:
    with pytest.raises(SourceRefused) as caught:
        await _fetch(url, way, **limits)
    return str(caught.value)


async def test_a_document_comes_with_its_name_date_and_final_address() -> None:
    async def document(request: web.Request) -> web.Response:
        assert request.headers["User-Agent"] == "Situate/0.1"
        assert request.headers["Host"].startswith("docs.test:")
        return web.Response(
            body=b"%PDF-", content_type="application/pdf", headers={"Last-Modified": "Tue, 04 May 2021 10:00:00 GMT"}
        )

    async with website(**{"a b.pdf": document, "go": redirect("/a%20b.pdf?x=1#part")}) as site:
        found = await _fetch(f"{site.replace('docs', 'DOCS')}/go#top")
        assert found == Original(
            source=f"{site}/go",
            data=b"%PDF-",
            name="a b.pdf",
            url=f"{site}/a%20b.pdf?x=1",
            date=datetime(2021, 5, 4, 10, tzinfo=UTC),
            declared_type="application/pdf",
        )


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200",
     "0.1.2.3", "192.88.99.1", "224.0.0.1", "255.255.255.255", "168.63.129.16", "192.0.0.192", "198.18.0.1", "::1",
     "::", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
     "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:1::1", "2001:db8::1"],
)  # fmt: skip
def test_addresses_that_are_not_public_are_known(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808"])
def test_public_addresses_are_known(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://localhost:8080/x", "http://169.254.169.254/latest/meta-data", "http://[::1]/",
     "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/",
     "http://0/", "https://10.0.0.1/"],
)  # fmt: skip
async def test_addresses_of_this_machine_and_its_net_are_refused_in_every_notation(url: str) -> None:
    assert "not a public address" in await _refused(url, Web()) or "no site" in await _refused(url, Web())


async def test_a_redirect_to_an_address_that_is_not_public_is_refused() -> None:
    async with website(go=redirect("http://169.254.169.254/latest/meta-data")) as site:
        assert "169.254.169.254 is not a public address" in await _refused(f"{site}/go")


async def test_a_name_is_looked_up_once_and_all_of_its_addresses_must_be_public() -> None:
    """DNS rebinding: the second answer is another one; the connection goes to what was checked."""
    asked: list[str] = []

    async def changing(host: str, port: int) -> list[Address]:
        asked.append(host)
        return [ip_address("127.0.0.1")] if len(asked) == 1 else [ip_address("10.0.0.1")]

    async with website(x=page("<p>words</p>")) as site:
        way = Web(allows=lambda address: address == ip_address("127.0.0.1"), resolve=changing)
        assert (await _fetch(f"{site}/x", way)).url == f"{site}/x"
        assert asked == ["docs.test"]

    async def both(host: str, port: int) -> list[Address]:
        return [ip_address("8.8.8.8"), ip_address("10.0.0.1")]

    assert "not a public address" in await _refused("http://docs.test/", Web(resolve=both))


async def test_redirects_without_end_are_refused() -> None:
    async with website(go=redirect("/go")) as site:
        assert "without end" in await _refused(f"{site}/go")


async def test_a_redirect_away_from_http_is_refused() -> None:
    async with website(go=redirect("file:///etc/passwd")) as site:
        assert "Only http and https" in await _refused(f"{site}/go")


async def test_credentials_in_an_address_are_refused_and_not_shown() -> None:
    sentence = await _refused("http://ann:hunter2@docs.test/")
    assert "user name or password" in sentence
    assert "hunter2" not in sentence


async def test_a_large_body_is_refused_whatever_it_says_about_its_length() -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 100_000)
            sent += 100_000

    async def honest(request: web.Request) -> web.StreamResponse:
        return web.StreamResponse(headers={"Content-Length": "5000000000"})

    async with website(endless=endless, honest=honest) as site:
        assert "more than 1 MB" in await _refused(f"{site}/endless", max_file_mb=1)
        assert "more than 1 MB" in await _refused(f"{site}/honest", max_file_mb=1)
    assert sent < 50_000_000


async def test_a_body_that_unpacks_to_too_much_is_refused() -> None:
    async def bomb(request: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(bytes(50_000_000)), headers={"Content-Encoding": "gzip"})

    async def small(request: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(b"words"), headers={"Content-Encoding": "gzip"})

    async with website(bomb=bomb, small=small) as site:
        assert "more than 1 MB" in await _refused(f"{site}/bomb", max_file_mb=1)
        assert (await _fetch(f"{site}/small")).data == b"words"


async def test_a_slow_body_is_given_up_after_the_time_for_all_of_it() -> None:
    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x")
            await asyncio.sleep(0.05)

    async with website(slow=slow) as site:
        assert "within 0.5 seconds" in await _refused(f"{site}/slow", fetch_seconds=0.5)


@pytest.mark.parametrize(
    "url",
    ["https://docs.google.com/document/d/1/edit", "https://drive.google.com/file/d/1/view", "https://www.notion.so/x",
     "https://team.atlassian.net/wiki/spaces/x", "https://team.sharepoint.com/:w:/r/x", "https://1drv.ms/w/x",
     "https://docs.google.com/a/example.com/document/d/1/edit?usp=sharing", "https://team.notion.site/Plan-1",
     "https://www.dropbox.com/scl/fi/1/plan.pdf?rlkey=2&dl=0", "https://app.box.com/s/1",
     "https://example.slack.com/archives/C1/p1700000000000100", "https://files.slack.com/files-pri/T1-F1/plan.pdf"],
)  # fmt: skip
async def test_links_into_sites_for_signed_in_people_are_refused_with_advice(url: str) -> None:
    assert "add the file" in await _refused(url)


@pytest.mark.parametrize(
    "url",
    ["https://docs.google.com/document/d/1/export?format=pdf", "https://docs.google.com/document/d/e/1/pub",
     "https://drive.google.com/uc?export=download&id=1", "https://www.dropbox.com/scl/fi/1/plan.pdf?rlkey=2&dl=1",
     "https://slack.com/help/articles/1", "https://auth0.com/docs/get-started", "https://developer.okta.com/docs/",
     "https://example.com/docs/login/", "https://login.example.com/manual.pdf"],
)  # fmt: skip
def test_files_themselves_and_documents_about_signing_in_are_not_refused_by_their_link(url: str) -> None:
    refuse_sign_in_site(url, redirected=False)


@pytest.mark.parametrize(
    "place",
    [
        "https://accounts.google.com/v3/signin",
        "https://login.microsoftonline.com/x",
        "https://x.okta.com/a",
        "/login?next=x",
        "/login.action?os_destination=%2Fx",
        "/users/sign_in",
        "/wp-login.php?redirect_to=x",
        "/auth/realms/staff/protocol/openid-connect/auth?client_id=x",
        "/plugins/servlet/samlsso",
        "https://sso.example.com/start",
        "https://team.cloudflareaccess.com/x",
    ],
)
async def test_a_redirect_to_a_sign_in_page_is_refused_with_advice(place: str) -> None:
    async with website(doc=redirect(place)) as site:
        assert "sign-in page" in await _refused(f"{site}/doc")


async def test_sign_in_pages_and_pages_filled_by_a_script_are_refused_with_advice() -> None:
    pages = {
        "password": page("<form>Name <input><input type=password></form>"),
        "saml": page("<form><input name='SAMLRequest' value='x'></form>"),
        "shell": page('<div id="root"></div><script src="a.js"></script>'),
        "wanted": page("Loading<noscript>Please enable JavaScript</noscript><script></script>"),
        "denied": page("no", status=403),
        "gone": page("no", status=404),
        "broken": page("no", status=502),
        "short": page("<p>A short page with a counter.</p><script>count()</script>"),
        "modal": page("<p>word</p> " * 900 + "<form><input type=password></form>"),
    }
    async with website(**pages) as site:
        assert "sign-in page" in await _refused(f"{site}/password")
        assert "sign-in page" in await _refused(f"{site}/saml")
        assert "script" in await _refused(f"{site}/shell")
        assert "script" in await _refused(f"{site}/wanted")
        assert "after signing in" in await _refused(f"{site}/denied")
        assert "status 404" in await _refused(f"{site}/gone")
        assert "status 502" in await _refused(f"{site}/broken")
        assert b"counter" in (await _fetch(f"{site}/short")).data
        assert b"word" in (await _fetch(f"{site}/modal")).data


WORD = "<p>All of it is written down here.</p>"


@pytest.mark.parametrize(
    ("html", "says"),
    [
        ("<title>Intranet</title><form>Name <input name=j_username><input type=PASSWORD></form>", "sign-in page"),
        ("<title>Sign in</title><form><input type=email name=identifier></form>", "sign-in page"),
        ("<title>Portal - Anmeldung</title><form><input name=benutzer></form>", "sign-in page"),
        ("<title>x</title><h1>Se connecter</h1><form><input name=identifiant></form>", "sign-in page"),
        ("<title>Sign in to your account</title><script src=a.js></script>", "sign-in page"),
        ("<title>Log In</title><form><input type=password></form>" + WORD * 100, "sign-in page"),
        ("<meta http-equiv=refresh content='0; url=/login?next=/x'>", "sign-in page"),
        ("<meta http-equiv=Refresh content='1;URL=https://accounts.google.com/x'>One moment", "sign-in page"),
        ("<meta http-equiv=refresh content=\"0; url='/wiki/home'\">", "only sends a browser on"),
        ("<title>Log In - Confluence</title><form action=/dologin.action><input name=os_username>"
         "<input type=password name=os_password></form>", "Documents in Confluence"),
        ("<title>Google Drive - Virus scan warning</title><p>plan.pdf is too large to scan.</p>", "in Google Drive"),
        ("<noscript>Bitte aktivieren Sie JavaScript.</noscript><p>Portal</p><script></script>", "fills it"),
        ("<app-root></app-root><script src=main.js></script>", "fills it"),
        ("<p>Loading…</p><script src=main.js></script>", "fills it"),
        ("<p>Wird geladen</p><script src=main.js></script>", "fills it"),
    ],
)  # fmt: skip
async def test_pages_of_sites_that_ask_who_somebody_is_are_refused_with_advice(html: str, says: str) -> None:
    async with website(x=page(html)) as site:
        sentence = await _refused(f"{site}/x")
    assert says in sentence
    assert "add" in sentence


@pytest.mark.parametrize(
    "html",
    [
        "<title>Login to the VPN</title>" + WORD * 30 + "<form><input type=email name=email></form>",
        "<title>Authentication</title>" + WORD + "<form><input type=search name=q></form><script></script>",
        "<title>Guide</title>" + WORD * 100 + "<form><input type=password></form>",
        "<title>Guide</title><meta http-equiv=refresh content=300>" + WORD,
        "<title>Guide</title><meta http-equiv=refresh content='0; url=/new'>" + WORD * 30,
        "<title>Loading docks</title><p>Loading docks are open from six to ten.</p><script></script>" + WORD,
    ],
)
async def test_documents_that_look_a_little_like_such_a_page_are_taken(html: str) -> None:
    async with website(x=page(html)) as site:
        assert b"written down here" in (await _fetch(f"{site}/x")).data


async def test_a_link_that_a_person_gave_is_fetched_from_the_web_only(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = IndexerSettings(_env_file=None)
    for link in ("/etc/passwd", "file:///etc/passwd", "-", "http://127.0.0.1/", "ftp://example.com/x", ""):
        with pytest.raises(SourceRefused):
            await fetch_link(link, settings)
    monkeypatch.setattr("indexer.sources.Web", lambda: LOCAL)
    async with website(**{"plan.md": page(WORD)}) as site:
        original = await fetch_link(f" {site}/plan.md ", settings)
    assert (original.name, original.source) == ("plan.md", f"{site}/plan.md")


async def test_a_site_that_is_not_there_is_told() -> None:
    assert "no site" in await _refused("http://no-such-site.invalid/")
    async with website() as site:
        port = site.rpartition(":")[2]
    assert "could not be fetched" in await _refused(f"http://docs.test:{port}/x")
