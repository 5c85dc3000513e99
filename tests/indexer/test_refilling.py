"""A library whose index is of an older shape: it answers again by itself, and nothing is paid for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import weaviate.classes as wvc

from bot import health
from indexer import embedding
from indexer.documents import WORKSPACE, ContextKind, DocumentId, Original
from indexer.library import Indexer
from indexer.originals import Originals
from indexer.refilling import refill
from indexer.rows import Version
from indexer.store import collection, passages
from indexer.store.objects import stored
from tests.claude_server import ClaudeServer, Contexts
from tests.fixtures.indexer import EVERYBODY, MakeSettings, added
from tests.indexer.test_library import REVIEW

pytestmark = pytest.mark.anyio

OFFICE = "The office closes at six."


def old_properties() -> list[wvc.config.Property]:
    """The properties as the first shape had them: texts searched as trigrams, no terms."""
    kept = [one for one in collection.todays_properties() if not one.name.endswith("_terms")]
    searched = ("title", "context", "text")
    return [
        *(one for one in kept if one.name not in searched),
        *(
            wvc.config.Property(
                name=name,
                data_type=wvc.config.DataType.TEXT,
                tokenization=wvc.config.Tokenization.TRIGRAM,
                index_filterable=False,
                index_searchable=True,
            )
            for name in searched
        ),
    ]


@contextmanager
def the_former_release() -> Iterator[None]:
    """What is added within is stored as the release before stored it: its collection, its objects, its embedder."""

    def old_stored(*given: Any) -> dict[str, Any]:
        return {name: value for name, value in stored(*given).items() if not name.endswith("_terms")}

    with pytest.MonkeyPatch.context() as former:
        former.setattr(collection, "collection_name", lambda dimensions, model=None: f"Passage_v1_d{dimensions}")
        former.setattr(collection, "todays_properties", old_properties_once())
        former.setattr(passages, "stored", old_stored)
        former.setattr(embedding.HashingEmbedder, "name", "hashing-of-old")
        yield


def old_properties_once() -> Callable[[], list[wvc.config.Property]]:
    made = old_properties()
    return lambda: made


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await holds():  # noqa: ASYNC110 - nobody tells when another's work is done
            await asyncio.sleep(0.05)


async def all_indexed(indexer: Indexer, workspace: str) -> bool:
    return not await indexer.unindexed(workspace)


async def rows_of(indexer: Indexer, document: DocumentId) -> list[Version]:
    return await indexer.parts.catalogue.versions_of(document)


async def texts(indexer: Indexer, workspace: str, query: str) -> list[str]:
    return [hit.chunk.text for hit in await indexer.search(workspace, query, EVERYBODY)]


async def test_documents_of_the_former_release_answer_again_once_a_worker_runs_and_nothing_is_paid(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    claude.brain = Contexts()
    settings = make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)
    with the_former_release():
        async with Indexer.open(settings) as indexer:
            old = await added(indexer, workspace, REVIEW)
            await added(indexer, f"{workspace}B", OFFICE)
            assert old.context_kind is ContextKind.GENERATED
            index = await indexer.connect()
            assert await index.store.count(workspace, old.id) == old.chunks
    paid = len(claude.messages)
    assert paid
    async with Indexer.open(settings) as indexer:
        assert await texts(indexer, workspace, "gateway of site 3") == []
        assert await indexer.missing_passages(workspace) == old.chunks
        (check,) = await health.documents(indexer, workspace)
        assert check.ok is None
        assert "1 of them are not in the index" in check.found
        await indexer.work()
        await until(lambda: all_indexed(indexer, workspace))
        await until(lambda: all_indexed(indexer, f"{workspace}B"))
        assert "gateway of site 3" in (await texts(indexer, workspace, "gateway of site 3"))[0]
        assert await texts(indexer, f"{workspace}B", "office") == [OFFICE]
        newest = (await rows_of(indexer, old.document))[-1]
        assert (newest.context_kind, dict(newest.failures)) == (ContextKind.GENERATED, {})
        assert newest.usage.cost_usd == 0
        assert await indexer.missing_passages(workspace) == 0
        (check,) = await health.documents(indexer, workspace)
        assert check.ok is True
    assert len(claude.messages) == paid


async def test_contexts_that_were_never_paid_are_left_to_retry(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    claude.brain = Contexts()
    with the_former_release():
        async with Indexer.open(make_settings()) as indexer:
            old = await added(indexer, workspace, REVIEW)
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        await indexer.work()
        await until(lambda: all_indexed(indexer, workspace))
        newest = (await rows_of(indexer, old.document))[-1]
        assert newest.context_kind is ContextKind.STRUCTURAL
        assert set(newest.failures.values()) == {"It was not paid for when the index was made anew; retry pays for it."}
        assert claude.messages == []
        (again,) = await indexer.retry(workspace)
        assert [row async for row in indexer.follow([again.version])][-1].context_kind is ContextKind.GENERATED


async def test_an_index_that_was_lost_is_made_anew(make_settings: MakeSettings, workspace: str) -> None:
    async with Indexer.open(make_settings()) as indexer:
        await added(indexer, workspace, OFFICE)
        await (await indexer.connect()).store.drop(workspace)
        assert await texts(indexer, workspace, "office") == []
    async with Indexer.open(make_settings()) as indexer:
        await indexer.work()
        await until(lambda: all_indexed(indexer, workspace))
        assert await texts(indexer, workspace, "office") == [OFFICE]


async def test_what_is_indexed_is_not_made_anew(make_settings: MakeSettings, workspace: str) -> None:
    async with Indexer.open(make_settings()) as indexer:
        old = await added(indexer, workspace, OFFICE)
        assert await refill(indexer.parts, await indexer.work()) == 0
        assert len(await rows_of(indexer, old.document)) == 1


async def test_two_starts_make_a_document_anew_once(make_settings: MakeSettings, workspace: str) -> None:
    with the_former_release():
        async with Indexer.open(make_settings()) as indexer:
            old = await added(indexer, workspace, OFFICE)
    async with Indexer.open(make_settings()) as indexer:
        worker = await indexer.work()  # refills by itself, too
        await asyncio.gather(*(refill(indexer.parts, worker) for _ in range(3)))
        await until(lambda: all_indexed(indexer, workspace))
        await refill(indexer.parts, worker)
        assert max(row.number for row in await rows_of(indexer, old.document)) == 2


async def test_what_is_removed_meanwhile_stays_removed(
    make_settings: MakeSettings, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with the_former_release():
        async with Indexer.open(make_settings()) as indexer:
            old = await added(indexer, workspace, OFFICE)
    async with Indexer.open(make_settings()) as indexer:
        catalogue = indexer.parts.catalogue
        answering = await catalogue.answering()
        await indexer.remove(workspace, old.document)

        async def as_before(workspace: str | None = None) -> list[Version]:
            return answering

        monkeypatch.setattr(catalogue, "answering", as_before)
        assert await refill(indexer.parts, await indexer.work()) == 0
        assert await indexer.documents(workspace, None) == []


async def test_what_cannot_be_made_anew_is_tried_once_and_said(
    make_settings: MakeSettings, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with the_former_release():
        async with Indexer.open(make_settings()) as indexer:
            old = await added(indexer, workspace, OFFICE)
            Originals(None, indexer.settings.data_dir).drop(old.sha256)
    for _ in range(2):
        async with Indexer.open(make_settings()) as indexer:
            worker = await indexer.work()
            await refill(indexer.parts, worker)

            async def failed(indexer: Indexer = indexer) -> bool:
                return (await indexer.attempts(workspace))[0].state == "failed"

            await until(failed)
            assert max(row.number for row in await rows_of(indexer, old.document)) == 2


async def test_an_embedder_behind_an_address_is_not_paid_for_documents_of_another(
    make_settings: MakeSettings, workspace: str
) -> None:
    async with Indexer.open(make_settings()) as indexer:
        await added(indexer, workspace, OFFICE)
    other = make_settings(
        embedder="openai", embedder_url="http://127.0.0.1:9/v1", embedder_model="small", embedder_dimensions=384
    )
    async with Indexer.open(other) as indexer:
        assert await refill(indexer.parts, await indexer.work()) == 0
        assert len(await indexer.unindexed(workspace)) == 1


async def test_a_version_that_answers_is_made_anew_though_a_newer_one_was_refused(
    make_settings: MakeSettings, workspace: str
) -> None:
    with the_former_release():
        async with Indexer.open(make_settings()) as indexer:
            old = await added(indexer, workspace, OFFICE)
            assert (await added(indexer, workspace, b"   \n")).state == "refused"
    async with Indexer.open(make_settings()) as indexer:
        (again, *_) = await indexer.retry(workspace)
        assert again.document == old.document
        await until(lambda: all_indexed(indexer, workspace))
        assert await texts(indexer, workspace, "office") == [OFFICE]


async def test_adding_what_waits_to_be_made_anew_makes_it_at_once(make_settings: MakeSettings, workspace: str) -> None:
    with the_former_release():
        async with Indexer.open(make_settings()) as indexer:
            await added(indexer, workspace, OFFICE)
    async with Indexer.open(make_settings()) as indexer:
        original = Original("file:///handbook.md", OFFICE.encode(), "handbook.md")
        again = await indexer.add(original, workspace=workspace, audience=WORKSPACE)
        assert again.status == "queued"
        assert [row async for row in indexer.follow([again.version])][-1].state == "published"
        assert await texts(indexer, workspace, "office") == [OFFICE]
