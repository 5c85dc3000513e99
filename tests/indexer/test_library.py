"""The path of a document, end to end: real files, the real Weaviate server, Claude's stand-in."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from indexer.adding import Added
from indexer.documents import WORKSPACE, Audience, ContextKind, Document, Original, Viewer
from indexer.errors import CatalogueUnavailable, NotFound, StoreFailed, WeaviateUnavailable
from indexer.library import Indexer
from indexer.processes import end_process
from indexer.rows import Version
from indexer.settings import IndexerSettings
from indexer.store import Store
from tests.claude_server import OVERLOADED, ClaudeServer, Contexts, Reply, Request, fails
from tests.fixtures.indexer import EVERYBODY, MakeSettings, added, followed

pytestmark = pytest.mark.anyio

SECTIONS = [
    f"## Part {n}\n\n"
    + f"In part {n} the gateway of site {n} was moved. It took {n + 2} days and nobody noticed. " * 12
    for n in range(8)
]
REVIEW = "# Annual review\n\n" + "\n\n".join(SECTIONS)


async def texts(indexer: Indexer, workspace: str, query: str, viewer: Viewer = EVERYBODY) -> list[str]:
    return [hit.chunk.text for hit in await indexer.search(workspace, query, viewer, limit=50)]


async def gone(indexer: Indexer, workspace: str, version: Version | Added) -> None:
    """Wait for the tidying that follows when a version's fate is known: none of its chunks stays in the index."""
    name = version.id if isinstance(version, Version) else version.version
    index = await indexer.connect()
    async with asyncio.timeout(20):
        while await index.store.count(workspace, name):  # noqa: ASYNC110 - the server has no event to wait for
            await asyncio.sleep(0.05)


async def test_an_added_document_is_found_and_its_chunks_are_its_text(indexer: Indexer, workspace: str) -> None:
    version = await added(indexer, workspace, REVIEW)
    assert (version.state, version.error) == ("published", None)
    (document,) = await indexer.documents(workspace, EVERYBODY)
    assert (document.title, document.chunks) == ("Annual review", version.chunks)
    assert document.version == version.id
    passages = await indexer.passages(workspace, version.id)
    assert "".join(passage.chunk.text for passage in passages) == REVIEW
    assert any("gateway of site 3" in text for text in await texts(indexer, workspace, "gateway of site 3"))


async def test_without_a_key_contexts_are_structural_and_nothing_is_paid(indexer: Indexer, workspace: str) -> None:
    version = await added(indexer, workspace, REVIEW)
    passages = await indexer.passages(workspace, version.id)
    assert {passage.context.kind for passage in passages} == {ContextKind.STRUCTURAL}
    assert "Annual review › Part 5" in {passage.context.text for passage in passages}
    assert version.usage.cost_usd == 0


async def test_a_structural_context_has_no_vector_of_its_own_and_a_generated_one_has(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.brain = Contexts()
    written: list[dict[str, Any]] = []
    put = Store.put

    async def recorded(self: Store, document: Any, version: Any, passages: Any, vectors: Any, **how: Any) -> None:
        written.append(vectors)
        await put(self, document, version, passages, vectors, **how)

    monkeypatch.setattr(Store, "put", recorded)
    async with Indexer.open(make_settings()) as indexer:
        await added(indexer, workspace, REVIEW)
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        await added(indexer, workspace, REVIEW)
    structural, generated = written
    assert (structural["passage"] == structural["context"]).all()
    assert (generated["passage"] != generated["context"]).any(axis=1).all()


async def test_an_unchanged_document_is_not_indexed_again(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await added(indexer, workspace, REVIEW)

    async def put(*_: object, **__: object) -> None:
        raise AssertionError("it was stored again")

    monkeypatch.setattr(Store, "put", put)
    again = await indexer.add(
        Original("file:///handbook.md", REVIEW.encode(), "handbook.md"), workspace=workspace, audience=WORKSPACE
    )
    assert (again.status, again.version) == ("unchanged", first.id)


async def test_the_same_source_replaces_its_document(indexer: Indexer, workspace: str) -> None:
    old = await added(indexer, workspace, "# Travel\n\nHotels cost at most 120 euros a night.")
    new = await added(indexer, workspace, "# Travel\n\nHotels cost at most 150 euros a night.")
    assert new.document == old.document
    found = await texts(indexer, workspace, "hotel euros a night")
    assert len(found) == 1
    assert "150" in found[0]
    await gone(indexer, workspace, old)


async def test_the_same_text_in_two_documents_stays_two_and_outlives_the_other(
    indexer: Indexer, workspace: str
) -> None:
    """Ids come from the document's key, never from its content: deleting boilerplate once must not delete it twice."""
    boilerplate = "This agreement is governed by the laws of Finland."
    one = await added(indexer, workspace, boilerplate, source="file:///one.txt")
    await added(indexer, workspace, boilerplate, source="file:///two.txt")
    assert len(await texts(indexer, workspace, "laws of Finland")) == 2
    await indexer.remove(workspace, one.document)
    (hit,) = await indexer.search(workspace, "laws of Finland", EVERYBODY)
    assert hit.source == "file:///two.txt"


async def test_a_removed_document_is_gone_everywhere(indexer: Indexer, workspace: str, tmp_path: Path) -> None:
    version = await added(indexer, workspace, REVIEW)
    await indexer.remove(workspace, version.document)
    assert await texts(indexer, workspace, "gateway") == []
    assert await indexer.documents(workspace, None) == []
    index = await indexer.connect()
    assert await index.store.count(workspace, version.id) == 0
    assert [path for path in (tmp_path / "data" / "originals").rglob("*") if path.is_file()] == []
    with pytest.raises(NotFound):
        await indexer.find(workspace, version.document)


async def test_a_removed_document_can_be_added_again(indexer: Indexer, workspace: str) -> None:
    version = await added(indexer, workspace, REVIEW)
    await indexer.remove(workspace, version.document)
    assert (await added(indexer, workspace, REVIEW)).state == "published"


async def test_who_may_not_read_a_document_does_not_find_it(indexer: Indexer, workspace: str) -> None:
    await added(indexer, workspace, "Salaries rise by three percent.", audience=Audience.parse("channel:C1"))
    for audience in ("workspace", "channel:C2", "channel:C1x", "user:C1"):
        viewer = Viewer(frozenset({Audience.parse(audience)}))
        assert await texts(indexer, workspace, "salaries", viewer) == []
        assert await indexer.documents(workspace, viewer) == []
    assert await texts(indexer, workspace, "salaries", Viewer()) == []
    assert await texts(indexer, "T-other", "salaries", Viewer(frozenset({Audience.parse("channel:C1")}))) == []
    assert await texts(indexer, workspace, "salaries", Viewer(frozenset({Audience.parse("channel:C1")}))) != []


async def test_a_thread_s_file_is_for_that_thread_and_for_administrators(indexer: Indexer, workspace: str) -> None:
    thread = Audience.parse("thread:C1-1700000000.000100")
    await added(indexer, workspace, "Salaries rise by three percent.", audience=thread)
    for audience in ("workspace", "channel:C1", "thread:C1-1700000000.000200", "user:C1"):
        viewer = Viewer(frozenset({Audience.parse(audience)}))
        assert await texts(indexer, workspace, "salaries", viewer) == []
        assert await indexer.documents(workspace, viewer) == []
    assert await texts(indexer, workspace, "salaries", Viewer(frozenset({WORKSPACE, thread}))) != []
    assert [document.audience for document in await indexer.documents(workspace, None)] == [thread]


async def test_nothing_is_paid_for_a_thread_s_file_also_by_a_retry_and_once_there_is_a_key(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    claude.brain = Contexts()
    thread = Audience.parse("thread:C1-1700000000.000100")
    async with Indexer.open(make_settings()) as indexer:
        await added(indexer, workspace, REVIEW, audience=thread)
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        result = await indexer.add(
            Original("file:///handbook.md", REVIEW.encode(), "handbook.md"), workspace=workspace, audience=thread
        )
        assert result.status == "unchanged"
        version = await added(indexer, workspace, REVIEW + "\nMore.", audience=thread)
        assert (version.state, version.context_kind) == ("published", ContextKind.STRUCTURAL)
        assert await indexer.retry(workspace) == []
        assert claude.messages == []
        kept = await added(indexer, workspace, REVIEW)  # the same file for everybody is a document of its own
        assert kept.context_kind is ContextKind.GENERATED


async def test_a_corrupt_file_is_refused_each_time_and_nothing_is_kept_or_paid(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str, tmp_path: Path
) -> None:
    claude.brain = Contexts()
    settings = make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)
    async with Indexer.open(settings) as indexer:
        for _ in range(3):
            version = await added(indexer, workspace, b"%PDF-1.7\n broken", source="file:///report.pdf")
            assert version.state == "refused"
            assert version.error is not None
            assert version.error.startswith("report.pdf")
            assert version.error.count(".") <= 3
        assert await indexer.documents(workspace, None) == []
    assert claude.messages == []
    assert [path for path in (tmp_path / "data" / "originals").rglob("*") if path.is_file()] == []


async def test_a_refused_replacement_leaves_the_old_version_answering(indexer: Indexer, workspace: str) -> None:
    old = await added(indexer, workspace, "The office closes at six.")
    assert (await added(indexer, workspace, b"   \n")).state == "refused"
    (document,) = await indexer.documents(workspace, EVERYBODY)
    assert document.version == old.id
    assert await texts(indexer, workspace, "office closes") == ["The office closes at six."]


async def test_objects_that_the_database_refuses_fail_the_whole_document_and_the_old_version_stays(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await added(indexer, workspace, "The office closes at six.")
    whole = Store.put

    async def put(self: Store, *args: Any, **named: Any) -> None:
        await whole(self, *args, **named)
        raise StoreFailed("1 of 9 passages was refused by Weaviate: read-only; free its disk, then retry.")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", put)
        failed = await added(indexer, workspace, "The office closes at five.")
    assert (failed.state, failed.error) == (
        "failed",
        "1 of 9 passages was refused by Weaviate: read-only; free its disk, then retry.",
    )
    assert await texts(indexer, workspace, "office closes") == ["The office closes at six."]
    await gone(indexer, workspace, failed)
    (again,) = await indexer.retry(workspace)
    assert (await followed(indexer, again.version)).state == "published"
    assert await texts(indexer, workspace, "office closes") == ["The office closes at five."]
    assert (await indexer.documents(workspace, None))[0].version != old.id


async def test_a_database_that_is_away_for_a_moment_does_not_fail_a_document(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, calls = Store.put, []

    async def put(self: Store, *args: Any, **named: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise WeaviateUnavailable("Weaviate does not answer; start it.")
        await whole(self, *args, **named)

    monkeypatch.setattr(Store, "put", put)
    assert (await added(indexer, workspace, "Back again.")).state == "published"
    assert len(calls) == 2


async def test_removing_a_document_while_it_is_indexed_leaves_nothing(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Store.put

    async def put(self: Store, document: Document, *args: Any, **named: Any) -> None:
        await indexer.remove(workspace, document.id)
        await whole(self, document, *args, **named)

    monkeypatch.setattr(Store, "put", put)
    result = await indexer.add(
        Original("file:///a.txt", b"Short lived.", "a.txt"), workspace=workspace, audience=WORKSPACE
    )
    with suppress(IndexError):
        await followed(indexer, result.version)  # nothing is seen of it where it is gone already
    async with asyncio.timeout(20):
        while await indexer.attempts(workspace):  # noqa: ASYNC110 - the worker lets go some time after
            await asyncio.sleep(0.05)
    await gone(indexer, workspace, result)
    assert await texts(indexer, workspace, "lived") == []


class FailsOnPart(Contexts):
    """Writes contexts, but is overloaded whenever the chunk is of one part."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self.part: str | None = part

    def __call__(self, request: Request) -> Reply:
        if self.part is not None and self.part in request.prompt.rpartition("<chunk")[2]:
            return fails(OVERLOADED)
        return super().__call__(request)


async def test_only_contexts_that_failed_are_paid_on_retry(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An overload on some chunks: they get structural contexts, are recorded with the reason, and are tried again."""
    monkeypatch.setattr("indexer.opening.CLAUDE_RETRIES", 0)
    brain = FailsOnPart("## Part 5")
    claude.brain = brain
    settings = make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)
    async with Indexer.open(settings) as indexer:
        version = await added(indexer, workspace, REVIEW)
        assert version.state == "published"
        assert len(version.failures) == 1
        assert "overloaded" in next(iter(version.failures.values()))
        passages = await indexer.passages(workspace, version.id)
        kinds = {passage.context.kind for passage in passages if "## Part 5" not in passage.chunk.text}
        assert kinds == {ContextKind.GENERATED}
        paid = len(claude.messages)

        brain.part = None
        (again,) = await indexer.retry(workspace)
        repaired = await followed(indexer, again.version)
        assert dict(repaired.failures) == {}
        assert len(claude.messages) - paid == len(version.failures)
        assert await indexer.retry(workspace) == []
        (document,) = await indexer.documents(workspace, EVERYBODY)
        assert document.usage == version.usage + repaired.usage
        assert document.usage.cost_usd > 0


async def test_a_key_that_comes_later_replaces_structural_contexts(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    async with Indexer.open(make_settings()) as indexer:
        assert (await added(indexer, workspace, REVIEW)).context_kind is ContextKind.STRUCTURAL
    claude.brain = Contexts()
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        version = await added(indexer, workspace, REVIEW)
        assert (version.number, version.context_kind) == (2, ContextKind.GENERATED)


async def test_a_removed_document_that_comes_back_is_not_paid_again(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    claude.brain = Contexts()
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        version = await added(indexer, workspace, REVIEW)
        paid = len(claude.messages)
        assert paid >= version.chunks
        await indexer.remove(workspace, version.document)
        again = await added(indexer, workspace, REVIEW)
        assert (again.state, again.usage.cost_usd) == ("published", 0), again.error
        assert len(claude.messages) == paid


async def test_an_original_that_is_let_go_just_before_it_is_wanted_again_is_there(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker tidies up after a removed document while somebody adds it again: its file is there, its row not yet."""
    begin, catalogue, originals = indexer._catalogue.begin, indexer._catalogue, indexer._originals
    gone: list[str] = []

    def drop(sha256: str) -> None:
        gone.append(sha256)
        originals.drop(sha256)

    async def too_late(*arguments: Any, sha256: str, **more: Any) -> Any:
        await catalogue.unless_used(sha256, drop)
        return await begin(*arguments, sha256=sha256, **more)

    monkeypatch.setattr(catalogue, "begin", too_late)
    version = await added(indexer, workspace, REVIEW)
    assert (version.state, gone) == ("published", [version.sha256]), version.error
    await catalogue.unless_used(version.sha256, originals.drop)
    assert await originals.get(version.sha256) == REVIEW.encode()


async def test_documents_are_found_by_id_beginning_source_or_title(indexer: Indexer, workspace: str) -> None:
    version = await added(indexer, workspace, REVIEW, title="Review")
    for name in (version.document, version.document[:6], "file:///handbook.md", "Review"):
        assert await indexer.find(workspace, name) == version.document
    await added(indexer, workspace, REVIEW, source="file:///two.md", title="Review")
    with pytest.raises(NotFound, match="more than one"):
        await indexer.find(workspace, "Review")
    with pytest.raises(NotFound, match="no document"):
        await indexer.find(workspace, "Budget")


async def test_an_embedded_database_that_dies_is_started_again_within_the_session(tmp_path: Path) -> None:
    """Killed between two searches: the second one is answered, too."""
    values = {"data_dir": tmp_path, "embedder": "hashing", "weaviate_url": None, "anthropic_api_key": None}
    async with Indexer.open(IndexerSettings.model_validate(values)) as indexer:
        await added(indexer, "local", "The office closes at six.")
        assert await texts(indexer, "local", "office closes") == ["The office closes at six."]
        server = json.loads((tmp_path / "weaviate.json").read_text())
        await asyncio.to_thread(end_process, server["pid"], server["started"], 0)
        assert await texts(indexer, "local", "office closes") == ["The office closes at six."]


class Slow(Contexts):
    """Writes contexts, each a while after it was asked."""

    def __call__(self, request: Request) -> Reply:
        return super().__call__(request).but(latency=0.3)


async def test_removing_a_document_stops_the_paying_for_it_and_what_was_paid_still_counts(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.pipeline.WANTED_SECONDS", 0.1)
    claude.brain = Slow()
    settings = make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url, context_concurrency=1)
    async with Indexer.open(settings) as indexer:
        original = Original("file:///review.md", (REVIEW * 3).encode(), "review.md")
        result = await indexer.add(original, workspace=workspace, audience=WORKSPACE)
        await claude.until(lambda: len(claude.messages) >= 3, seconds=30)
        await indexer.remove(workspace, result.document)
        async with asyncio.timeout(20):
            while await indexer.attempts(workspace):  # noqa: ASYNC110 - the worker lets go some time after
                await asyncio.sleep(0.05)
        asked = len(claude.messages)
        assert asked < 20, "most of its chunks were never asked for"
        assert await indexer.spent(workspace) > 0
        await asyncio.sleep(1)
        assert len(claude.messages) == asked


async def test_retry_goes_on_with_what_a_killed_process_left_waiting(indexer: Indexer, workspace: str) -> None:
    """Recorded, never queued: it counts as something to try again."""
    original = Original("file:///a.txt", b"Left behind.", "a.txt")
    sha256 = await indexer._originals.put(original.data)
    await indexer._catalogue.begin(
        original, workspace=workspace, audience=WORKSPACE, title=None, added_by=None, sha256=sha256, fingerprint="x"
    )
    (again,) = await indexer.retry(workspace)
    assert (await followed(indexer, again.version)).state == "published"


async def test_a_catalogue_that_cannot_be_written_ends_the_waiting_with_one_sentence(
    make_settings: MakeSettings, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: nothing that happens can be recorded, so nobody is kept waiting for it."""
    monkeypatch.setattr("indexer.workflows.BEAT_SECONDS", 0.2)
    away = CatalogueUnavailable("The disk of the catalogue is full; free some room on it, then run 'retry'.")

    async def full(*_: Any, **__: Any) -> None:
        raise away

    async with Indexer.open(make_settings()) as indexer:
        result = await indexer.add(
            Original("file:///a.txt", b"Never ready.", "a.txt"), workspace=workspace, audience=WORKSPACE
        )
        with monkeypatch.context() as patch:
            patch.setattr("indexer.catalogue.Catalogue.update", full)
            patch.setattr("indexer.catalogue.Catalogue.take", full)
            patch.setattr("indexer.leases.Leases.beat", full)
            with pytest.raises(CatalogueUnavailable, match="disk of the catalogue is full"):
                async with asyncio.timeout(20):
                    await followed(indexer, result.version)


async def test_the_original_of_a_document_can_be_had_again(indexer: Indexer, workspace: str) -> None:
    row = await added(indexer, workspace, "The office closes at six.")
    original = await indexer.original(workspace, row.document)
    assert (original.data, original.source) == (b"The office closes at six.", "file:///handbook.md")
    with pytest.raises(NotFound):
        await indexer.original("another", row.document)
