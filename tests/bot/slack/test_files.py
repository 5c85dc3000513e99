"""Files that are attached to a question: what of them is read, by whom, and what is refused with the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.web.async_client import AsyncWebClient

from bot.asking import How, Question
from bot.settings import BotSettings
from bot.slack.audience import thread_audience
from bot.slack.fetching import name_of
from bot.slack.files import Attachments
from bot.texts import ENGLISH, FRENCH
from indexer import WORKSPACE, Indexer, Viewer
from tests.claude_server import ClaudeServer
from tests.fixtures.indexer import MakeSettings
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

TOKEN = "xoxb-secret"
THREAD = thread_audience("C1", "1700000000.000100")
SIGN_IN = b"\n<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in</body></html>"


@dataclass
class Files:
    """Where Slack keeps files: what it gives by path, and what it was asked."""

    server: TestServer
    bodies: dict[str, tuple[int, bytes, dict[str, str]]] = field(default_factory=dict)
    infos: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def put(
        self, path: str, body: bytes, *, status: int = 200, media_type: str = "text/plain", **headers: str
    ) -> dict[str, Any]:
        """Keep a file; its object, as a message holds it."""
        self.bodies[path] = (status, body, {"Content-Type": media_type, **headers})
        name = path.rpartition("/")[2]
        return {
            "id": f"F{len(self.bodies)}",
            "name": name,
            "size": len(body),
            "mimetype": media_type,
            "created": 1700000000,
            "permalink": f"https://team.slack.com/files/U1/F1/{name}",
            "url_private_download": str(self.server.make_url(path)),
        }

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.path, request.headers.get("Authorization")))
        if request.path == "/api/files.info":
            told = dict(request.query) | dict(await request.post())
            file = self.infos.get(str(told["file"]))
            found = {"ok": True, "file": file} if file else {"ok": False, "error": "file_not_found"}
            return web.json_response(found if file is None or "error" not in file else {"ok": False, **file})
        status, body, headers = self.bodies[request.path]
        return web.Response(status=status, body=body, headers=headers)


@pytest.fixture
async def files() -> AsyncIterator[Files]:
    app = web.Application()
    server = TestServer(app)
    kept = Files(server)
    app.router.add_route("*", "/{path:.*}", kept.serve)
    await server.start_server()
    yield kept
    await server.close()


def attachments_on(files: Files, indexer: Indexer) -> Attachments:
    url = str(files.server.make_url("/api/"))
    client = AsyncWebClient(token=TOKEN, base_url=url)
    return Attachments(client, indexer, BotSettings.model_validate({"slack_api_url": url}))


@pytest.fixture
def attachments(files: Files, indexer: Indexer) -> Attachments:
    return attachments_on(files, indexer)


def question(*files: dict[str, Any]) -> Question:
    return Question("T1", "C1", "1700000000.000200", "1700000000.000100", "U1", "?", How.MENTION, files=files)


async def found(indexer: Indexer, workspace: str, viewer: Viewer, query: str = "gateway") -> list[str]:
    return [hit.title for hit in await indexer.search(workspace, query, viewer)]


async def test_an_attached_file_answers_in_its_thread_and_nowhere_else(
    files: Files, attachments: Attachments, indexer: Indexer, workspace: str
) -> None:
    told: list[str] = []
    file = files.put("/files/notes.txt", b"The gateway was moved on 12 May.")
    attached = await attachments.read(question(file), ENGLISH, workspace=workspace, progress=told.append)
    assert attached.refused == ()
    assert [title for _, title in attached.documents] == ["notes.txt"]
    assert told == ["Reading notes.txt …"]
    assert files.asked == [("/files/notes.txt", f"Bearer {TOKEN}")]
    assert await found(indexer, workspace, Viewer(frozenset({THREAD}))) == ["notes.txt"]
    assert await found(indexer, workspace, Viewer(frozenset({WORKSPACE}))) == []
    (document,) = await indexer.documents(workspace, None)
    assert (document.source, document.added_by) == ("slack:file:F1", "U1")
    assert document.url == "https://team.slack.com/files/U1/F1/notes.txt"
    assert document.date == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


async def test_nothing_is_paid_for_an_attached_file(
    files: Files, make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    settings = make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)
    body = "\n\n".join(f"# Part {i}\n\n" + "The gateway was moved in May. " * 40 for i in range(12)).encode()
    async with Indexer.open(settings) as indexer:
        file = files.put("/files/long.md", body, media_type="text/markdown")
        attached = await attachments_on(files, indexer).read(question(file), ENGLISH, workspace=workspace)
        (document,) = await indexer.documents(workspace, None)
    assert len(attached.documents) == 1
    assert document.chunks > 1
    assert claude.messages == []


async def test_a_question_that_is_taken_up_again_finds_its_files_read(
    files: Files, attachments: Attachments, indexer: Indexer, workspace: str
) -> None:
    asked = question(files.put("/files/notes.txt", b"The gateway was moved on 12 May."))
    first = await attachments.read(asked, ENGLISH, workspace=workspace)
    assert await attachments.read(asked, ENGLISH, workspace=workspace) == first
    (document,) = await indexer.documents(workspace, None)
    assert document.version == f"{document.id}.1"


async def test_a_stub_of_a_shared_channel_is_looked_up(files: Files, attachments: Attachments, workspace: str) -> None:
    files.infos["F9"] = files.put("/files/notes.txt", b"The gateway was moved.") | {"id": "F9"}
    stub = {"id": "F9", "mode": "file_access", "file_access": "check_file_info"}
    attached = await attachments.read(question(stub), ENGLISH, workspace=workspace)
    assert [title for _, title in attached.documents] == ["notes.txt"]


async def test_a_sign_in_page_in_the_place_of_a_file_is_refused_as_a_missing_scope(
    files: Files, attachments: Attachments, indexer: Indexer, workspace: str
) -> None:
    pdf = files.put("/files/report.pdf", SIGN_IN, media_type="text/html") | {"mimetype": "application/pdf"}
    page = files.put("/files/page.html", SIGN_IN, media_type="text/html") | {"size": 7_000}
    attached = await attachments.read(question(pdf, page), ENGLISH, workspace=workspace)
    assert attached.documents == ()
    assert [sentence.split(". ")[0] for sentence in attached.refused] == [
        "Slack does not let me read report.pdf",
        "Slack does not let me read page.html",
    ]
    assert "files:read" in attached.refused[0]
    assert await indexer.attempts(workspace) == []


async def test_files_come_from_the_strict_slack_also_as_stubs_and_not_without_the_scope(
    slack: SlackServer, company: Company, indexer: Indexer, workspace: str
) -> None:
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
    attachments = Attachments(client, indexer, BotSettings.model_validate({"slack_api_url": slack.api_url}))
    file = slack.file("notes.txt", b"The gateway was moved on 12 May.", by=company.ana, mimetype="text/plain")
    slack.says(company.ana, company.office, "the notes", files=[file])
    whole = (await client.files_info(file=file.id))["file"]
    stub = {"id": file.id, "file_access": "check_file_info"}
    for given in (whole, stub):
        attached = await attachments.read(question(given), ENGLISH, workspace=workspace)
        assert [title for _, title in attached.documents] == ["notes.txt"]
    slack.scopes = slack.scopes - {"files:read"}
    attached = await attachments.read(question(whole), ENGLISH, workspace=workspace)
    assert "files:read" in attached.refused[0]


async def test_a_web_page_that_somebody_attached_is_read(
    files: Files, attachments: Attachments, workspace: str
) -> None:
    page = b"<!DOCTYPE html><html><body><h1>Gateway</h1><p>It was moved on 12 May.</p></body></html>"
    attached = await attachments.read(
        question(files.put("/files/page.html", page, media_type="text/html")), ENGLISH, workspace=workspace
    )
    assert (len(attached.documents), attached.refused) == (1, ())


async def test_the_token_goes_to_slack_only(files: Files, attachments: Attachments, workspace: str) -> None:
    file = files.put("/files/notes.txt", b"text")
    away = str(files.server.make_url("/files/notes.txt")).replace("127.0.0.1", "localhost")
    files.put("/files/moved.txt", b"", status=302, Location=away)
    moved = file | {"id": "F8", "url_private_download": str(files.server.make_url("/files/moved.txt"))}
    for refused in (
        file | {"url_private_download": away},
        file | {"url_private_download": "https://slack.com.evil.example/notes.txt"},
        file | {"url_private_download": "https://evilslack.com/notes.txt"},
        file | {"url_private_download": "http://files.slack.com/notes.txt"},  # not encrypted
        file | {"url_private_download": "https://files.slack.com:8443/notes.txt"},
        moved,
    ):
        attached = await attachments.read(question(refused), ENGLISH, workspace=workspace)
        assert attached.documents == ()
        assert attached.refused == ("notes.txt is kept outside Slack, so I cannot read it. Attach the file itself.",)
    assert files.asked == [("/files/moved.txt", f"Bearer {TOKEN}")]


async def test_a_redirect_within_slack_is_followed(files: Files, attachments: Attachments, workspace: str) -> None:
    files.put("/files/notes.txt", b"The gateway was moved.")
    file = files.put("/files/old.txt", b"", status=302, Location="/files/notes.txt")
    attached = await attachments.read(question(file), ENGLISH, workspace=workspace)
    assert len(attached.documents) == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"mode": "tombstone"}, "no longer in Slack"),
        ({"mode": "hidden_by_limit"}, "no longer in Slack"),
        ({"is_external": True}, "outside Slack"),
        ({"size": 60_000_000}, "more than 50 MB"),
        ({"url_private_download": None}, "no longer in Slack"),  # looked up, and not found
    ],
)
async def test_what_cannot_be_read_is_refused_with_the_reason_and_not_fetched(
    files: Files, attachments: Attachments, workspace: str, change: dict[str, Any], told: str
) -> None:
    file = files.put("/files/notes.txt", b"text") | change
    attached = await attachments.read(question(file), ENGLISH, workspace=workspace)
    assert attached.documents == ()
    assert told in attached.refused[0]
    assert ("/files/notes.txt", f"Bearer {TOKEN}") not in files.asked


@pytest.mark.parametrize(
    ("status", "told"), [(404, "no longer in Slack"), (403, "files:read"), (500, "could not be fetched")]
)
async def test_what_slack_refuses_to_give_is_said(
    files: Files, attachments: Attachments, workspace: str, status: int, told: str
) -> None:
    file = files.put("/files/notes.txt", b"", status=status)
    assert told in (await attachments.read(question(file), ENGLISH, workspace=workspace)).refused[0]


async def test_a_lookup_without_the_scope_names_the_scope(
    files: Files, attachments: Attachments, workspace: str
) -> None:
    files.infos["F9"] = {"error": "missing_scope"}
    stub = {"id": "F9", "name": "a.txt", "file_access": "check_file_info"}
    assert "files:read" in (await attachments.read(question(stub), FRENCH, workspace=workspace)).refused[0]


async def test_more_bytes_than_slack_told_are_not_read_to_their_end(
    files: Files, make_settings: MakeSettings, workspace: str
) -> None:
    async with Indexer.open(make_settings(max_file_mb=0.01)) as indexer:
        file = files.put("/files/notes.txt", b"x" * 20_000) | {"size": 10}
        attached = await attachments_on(files, indexer).read(question(file), ENGLISH, workspace=workspace)
    assert attached.refused == ("notes.txt has more than 0.01 MB. Attach a part of it.",)


async def test_one_file_that_cannot_be_read_does_not_keep_the_others(
    files: Files, attachments: Attachments, workspace: str
) -> None:
    good = files.put("/files/notes.txt", b"The gateway was moved.")
    broken = files.put("/files/report.pdf", b"%PDF-1.7\n broken", media_type="application/pdf")
    attached = await attachments.read(question(broken, good), ENGLISH, workspace=workspace)
    assert [title for _, title in attached.documents] == ["notes.txt"]
    assert len(attached.refused) == 1
    assert attached.refused[0].startswith("report.pdf")


async def test_a_file_that_takes_long_is_said_to_be_read_still(
    files: Files, attachments: Attachments, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.files.READING_SECONDS", 0.001)
    file = files.put("/files/notes.txt", b"The gateway was moved.")
    attached = await attachments.read(question(file), ENGLISH, workspace=workspace)
    assert attached.refused == ("notes.txt is still being read. Ask again in a moment.",)


async def test_attached_files_are_forgotten_after_their_days(
    files: Files, attachments: Attachments, indexer: Indexer, workspace: str
) -> None:
    await attachments.read(question(files.put("/files/notes.txt", b"The gateway.")), ENGLISH, workspace=workspace)
    now = datetime.now(UTC)
    assert await attachments.forget_old(workspace, now=now + timedelta(days=29)) == 0
    assert await attachments.forget_old(workspace, now=now + timedelta(days=31)) == 1
    assert await indexer.documents(workspace, None) == []


async def test_a_file_that_was_deleted_in_slack_is_forgotten(
    files: Files, attachments: Attachments, indexer: Indexer, workspace: str
) -> None:
    await attachments.read(question(files.put("/files/notes.txt", b"The gateway.")), ENGLISH, workspace=workspace)
    assert await attachments.forget_file(workspace, "F2") == 0
    assert await attachments.forget_file(workspace, "F1") == 1
    assert await indexer.documents(workspace, None) == []


def test_a_name_is_one_line_without_invisible_characters() -> None:
    assert name_of({"name": "a\n b\U000e0041.txt"}) == "a b.txt"
    assert name_of({"id": "F1"}) == "F1"
