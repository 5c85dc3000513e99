"""The queue outlives the processes that work on it: killed ones, closed ones, several at once."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from indexer import workflows
from indexer.catalogue import Catalogue
from indexer.documents import WORKSPACE, Original
from indexer.errors import CatalogueUnavailable
from indexer.library import Indexer
from tests.claude_server import ClaudeServer, Contexts, Hold, Reply, Request
from tests.fixtures.command_line import CommandLine
from tests.fixtures.indexer import EVERYBODY, MakeSettings, added, followed

pytestmark = pytest.mark.anyio

REVIEW = "# Annual review\n\n" + "\n\n".join(
    f"## Part {n}\n\n" + f"In part {n} the gateway of site {n} was moved. It took {n + 2} days, unnoticed. " * 12
    for n in range(12)
)


class StopsAfter(Contexts):
    """Writes contexts, but holds back every answer after the first few until it is released."""

    def __init__(self, answers: int) -> None:
        super().__init__()
        self.left = answers
        self.hold = Hold()

    def __call__(self, request: Request) -> Reply:
        self.left -= 1
        reply = super().__call__(request)
        return reply if self.left >= 0 else reply.but(hold=self.hold)


async def test_a_killed_process_is_gone_on_with_and_nothing_is_paid_twice(
    make_settings: MakeSettings, command_line: CommandLine, claude: ClaudeServer, tmp_path: Path
) -> None:
    """Killed in the middle of its contexts: the next process finishes the document, paying only for what is missing."""
    brain = StopsAfter(5)
    claude.brain = brain
    claude.latency = 0.0
    (tmp_path / "review.md").write_text(REVIEW)
    keys = {"ANTHROPIC_API_KEY": "sk-test", "ANTHROPIC_BASE_URL": claude.base_url, "CONTEXT_CONCURRENCY": "2"}
    process = command_line.but(**keys).start("indexer", "add", str(tmp_path / "review.md"))
    try:
        await claude.until(lambda: brain.left <= -2, seconds=60)
        await asyncio.sleep(0.5)  # the five answers are written
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    brain.hold.release()
    asked = len(claude.messages)

    settings = make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)
    async with Indexer.open(settings) as indexer:
        await indexer.work()
        (row,) = await indexer.attempts("local")
        row = await followed(indexer, row.id)
        assert (row.state, dict(row.failures)) == ("published", {})
        assert len(claude.messages) - asked == row.chunks - 5
        (document,) = await indexer.documents("local", EVERYBODY)
        assert document.usage.output_tokens > 0
        passages = await indexer.passages("local", row.id)
        assert "".join(passage.chunk.text for passage in passages) == REVIEW


async def test_what_a_closed_process_left_queued_is_done_by_the_next(make_settings: MakeSettings) -> None:
    """Recorded but never queued, as after a crash between both: whoever works next finds it."""
    async with Indexer.open(make_settings()) as indexer:
        original = Original("file:///a.txt", b"Found by the sweep.", "a.txt")
        sha256 = await indexer._originals.put(original.data)
        version, new = await indexer._catalogue.begin(
            original, workspace="local", audience=WORKSPACE, title=None, added_by=None, sha256=sha256, fingerprint="x"
        )
        assert new
    async with Indexer.open(make_settings()) as indexer:
        await indexer.work()
        assert (await followed(indexer, version.id)).state == "published"


async def test_closing_finishes_what_is_in_hand(make_settings: MakeSettings, workspace: str) -> None:
    async with Indexer.open(make_settings()) as indexer:
        original = Original("file:///a.md", REVIEW.encode(), "a.md")
        result = await indexer.add(original, workspace=workspace, audience=WORKSPACE)
        async for row in indexer.follow([result.version]):
            if row.state == "running":
                break
    async with Indexer.open(make_settings()) as indexer:
        assert [document.id for document in await indexer.documents(workspace, None)] == [result.document]


async def test_one_process_can_open_and_close_its_indexer_again(make_settings: MakeSettings, workspace: str) -> None:
    for n in range(2):
        async with Indexer.open(make_settings()) as indexer:
            row = await added(indexer, workspace, f"Text {n}.", source=f"file:///{n}.txt")
            assert row.state == "published"
        assert await asyncio.to_thread(lambda: "threads work") == "threads work"


class Away:
    """A method of the catalogue that finds the catalogue away so often before it works."""

    def __init__(self, patch: pytest.MonkeyPatch, name: str, times: int) -> None:
        self.left = times
        self._works = getattr(Catalogue, name)
        patch.setattr(Catalogue, name, lambda catalogue, *args, **values: self._called(catalogue, *args, **values))

    async def _called(self, *args: Any, **values: Any) -> Any:
        if self.left > 0:
            self.left -= 1
            raise CatalogueUnavailable("The catalogue cannot be read or written right now.")
        return await self._works(*args, **values)


@pytest.mark.parametrize("name", ["take", "update", "publish"])
async def test_a_catalogue_that_is_away_for_a_moment_costs_no_document(
    make_settings: MakeSettings, workspace: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(workflows, "CATALOGUE_PAUSE_SECONDS", 0.05)
    async with Indexer.open(make_settings()) as indexer:
        away = Away(monkeypatch, name, 5)
        assert (await added(indexer, workspace, "Here after all.")).state == "published"
        assert away.left == 0


async def test_closing_waits_for_no_catalogue_that_is_away(
    make_settings: MakeSettings, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was in hand is done by the next."""
    monkeypatch.setattr(workflows, "CATALOGUE_PAUSE_SECONDS", 0.05)
    with monkeypatch.context() as patch:
        async with asyncio.timeout(20), Indexer.open(make_settings()) as indexer:
            away = Away(patch, "publish", 1_000_000)
            original = Original("file:///a.txt", b"Done by the next.", "a.txt")
            result = await indexer.add(original, workspace=workspace, audience=WORKSPACE)
            while away.left == 1_000_000:  # noqa: ASYNC110 - the worker's doing is seen from outside only
                await asyncio.sleep(0.02)
    async with Indexer.open(make_settings()) as indexer:
        await indexer.work()
        assert (await followed(indexer, result.version)).state == "published"


async def test_many_documents_at_once_all_arrive(make_settings: MakeSettings, workspace: str) -> None:
    async with Indexer.open(make_settings()) as indexer:
        results = [
            await indexer.add(
                Original(f"file:///{n}.txt", f"Document number {n}.".encode(), f"{n}.txt"),
                workspace=workspace,
                audience=WORKSPACE,
            )
            for n in range(20)
        ]
        last = {row.id: row.state async for row in indexer.follow([result.version for result in results])}
        assert set(last.values()) == {"published"}
        assert len(await indexer.documents(workspace, EVERYBODY)) == 20


async def test_an_unexpected_error_fails_the_document_with_a_reference_and_no_detail(
    make_settings: MakeSettings, workspace: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret text of the document")

    monkeypatch.setattr("indexer.examining.chunk", broken)
    async with Indexer.open(make_settings()) as indexer:
        row = await added(indexer, workspace, "Anything.")
        assert row.state == "failed"
        assert row.error is not None
        assert row.error.startswith("Something unexpected went wrong (reference ")
        assert "secret" not in row.error
        reference = row.error.partition("reference ")[2][:6]
        assert reference in caplog.text


async def test_all_of_it_works_on_postgres_too(
    make_settings: MakeSettings, postgres_database: str, workspace: str
) -> None:
    """Catalogue and queue in one Postgres database: added, unchanged, replaced, removed."""
    async with Indexer.open(make_settings(database_url=postgres_database)) as indexer:
        first = await added(indexer, workspace, "The office closes at six.")
        second = await added(indexer, workspace, "The office closes at five.")
        assert (first.state, second.state, second.number) == ("published", "published", 2)
        (hit,) = await indexer.search(workspace, "office closes", EVERYBODY)
        assert hit.version == second.id
        await indexer.remove(workspace, second.document)
        assert await indexer.search(workspace, "office closes", EVERYBODY) == []


async def test_two_indexers_on_one_postgres_share_the_work(
    make_settings: MakeSettings, command_line: CommandLine, postgres_database: str, tmp_path: Path
) -> None:
    for n in range(8):
        (tmp_path / f"{n}.md").write_text(f"# Text {n}\n\nThis is document number {n}.")
    both = command_line.but(DATABASE_URL=postgres_database, ORIGINALS_URL=str(tmp_path / "originals"))
    processes = [
        both.but(DATA_DIR=str(tmp_path / f"data{i}")).start(
            "indexer", "add", *(str(tmp_path / f"{n}.md") for n in range(8))
        )
        for i in range(2)
    ]
    for process in processes:
        out, err = await asyncio.to_thread(process.communicate, timeout=120)
        assert process.returncode == 0, (out, err)
    settings = make_settings(database_url=postgres_database)
    async with Indexer.open(settings) as indexer:
        assert len(await indexer.documents("local", EVERYBODY)) == 8
        assert {row.state for row in await indexer.attempts("local")} == {"published"}
