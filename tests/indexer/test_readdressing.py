"""A document that is given other readers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from indexer.documents import EVERYONE, WORKSPACE, Audience, DocumentId, Original, Viewer
from indexer.embedding import HashingEmbedder, Progress, Vectors
from indexer.errors import NotFound, StoreFailed, WeaviateUnavailable
from indexer.library import Indexer
from indexer.rows import Version
from indexer.store import Store
from tests.claude_server import ClaudeServer, Contexts
from tests.fixtures.indexer import EVERYBODY, MakeSettings, followed

pytestmark = pytest.mark.anyio

GUESTS = Viewer(frozenset({EVERYONE}))
HANDBOOK = "# Handbook\n\n" + "\n\n".join(f"## Part {n}\n\n" + f"Rule {n} says wait. " * 100 for n in range(4))


async def handbook(
    indexer: Indexer, workspace: str, *, audience: Audience = WORKSPACE, data: str = HANDBOOK
) -> Version:
    original = Original(
        "https://example.com/handbook.md",
        data.encode(),
        "handbook.md",
        "https://example.com/handbook",
        datetime(2024, 1, 30, tzinfo=UTC),
        "text/markdown",
    )
    result = await indexer.add(original, workspace=workspace, audience=audience, title="House rules", added_by="U1")
    return await followed(indexer, result.version)


async def readers(indexer: Indexer, workspace: str) -> list[str]:
    return sorted(str(document.audience) for document in await indexer.documents(workspace, None))


async def test_it_is_found_by_its_new_readers_only(indexer: Indexer, workspace: str) -> None:
    old = await handbook(indexer, workspace)
    assert await indexer.search(workspace, "rule", GUESTS) == []
    result = await indexer.readdress(workspace, old.document, EVERYONE)
    assert result.document != old.document
    assert {hit.document for hit in await indexer.search(workspace, "rule", GUESTS)} == {result.document}
    assert await indexer.search(workspace, "rule", EVERYBODY) == []
    assert await readers(indexer, workspace) == ["everyone"]


async def test_all_that_is_known_of_it_stays(indexer: Indexer, workspace: str) -> None:
    old = await handbook(indexer, workspace)
    (before,) = await indexer.documents(workspace, None)
    await indexer.readdress(workspace, old.document, EVERYONE)
    (after,) = await indexer.documents(workspace, None)
    for kept in ("title", "name", "source", "url", "date", "added_by", "added_at", "chunks", "language", "media_type"):
        assert getattr(after, kept) == getattr(before, kept), kept
    assert (await indexer.original(workspace, after.id)).declared_type == "text/markdown"


async def test_it_can_go_back(indexer: Indexer, workspace: str) -> None:
    old = await handbook(indexer, workspace)
    there = await indexer.readdress(workspace, old.document, EVERYONE)
    back = await indexer.readdress(workspace, there.document, WORKSPACE)
    assert back.document == old.document
    assert await readers(indexer, workspace) == ["workspace"]
    assert await indexer.search(workspace, "rule", GUESTS) == []


async def test_nothing_is_paid_or_embedded_again(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.brain = Contexts()
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        old = await handbook(indexer, workspace)
        paid, spent = len(claude.messages), await indexer.spent(workspace)
        assert paid >= old.chunks

        async def passages(self: HashingEmbedder, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
            raise AssertionError(f"{len(texts)} texts were embedded again")

        monkeypatch.setattr(HashingEmbedder, "passages", passages)
        await indexer.readdress(workspace, old.document, EVERYONE)
        assert (len(claude.messages), await indexer.spent(workspace)) == (paid, spent)
        (document,) = await indexer.documents(workspace, None)
        assert (document.audience, document.failed_contexts) == (EVERYONE, 0)


async def test_cut_off_in_between_both_answer_and_a_second_call_goes_on(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await handbook(indexer, workspace)

    async def dies(self: Indexer, workspace: str, document: DocumentId) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Indexer, "remove", dies)
        with pytest.raises(KeyboardInterrupt):
            await indexer.readdress(workspace, old.document, EVERYONE)
    assert await readers(indexer, workspace) == ["everyone", "workspace"]
    assert (await indexer.readdress(workspace, old.document, EVERYONE)).status == "unchanged"
    assert await readers(indexer, workspace) == ["everyone"]


async def test_where_it_cannot_be_stored_the_old_one_goes_on_answering(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await handbook(indexer, workspace)

    async def full(*_: Any, **__: Any) -> None:
        raise StoreFailed("1 of 9 passages was refused by Weaviate; free its disk, then retry.")

    monkeypatch.setattr(Store, "put", full)
    with pytest.raises(StoreFailed, match="free its disk"):
        await indexer.readdress(workspace, old.document, EVERYONE)
    assert await readers(indexer, workspace) == ["workspace"]
    assert await indexer.search(workspace, "rule", EVERYBODY) != []


async def test_where_the_old_passages_cannot_be_deleted_now_they_answer_nothing(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await handbook(indexer, workspace)

    async def away(*_: Any, **__: Any) -> None:
        raise WeaviateUnavailable("Weaviate does not answer; start it.")

    monkeypatch.setattr(Store, "delete", away)
    await indexer.readdress(workspace, old.document, EVERYONE)
    assert await readers(indexer, workspace) == ["everyone"]
    assert await indexer.search(workspace, "rule", EVERYBODY) == []


async def test_a_document_that_is_for_them_already_is_left_alone(indexer: Indexer, workspace: str) -> None:
    old = await handbook(indexer, workspace)
    result = await indexer.readdress(workspace, old.document, WORKSPACE)
    assert (result.version, result.status) == (old.id, "unchanged")


async def test_a_document_that_is_not_there_cannot_be_given_readers(indexer: Indexer, workspace: str) -> None:
    old = await handbook(indexer, workspace)
    for place, document in ((workspace, DocumentId("0123456789abcdef")), ("T-other", old.document)):
        with pytest.raises(NotFound):
            await indexer.readdress(place, document, EVERYONE)
    await indexer.remove(workspace, old.document)
    with pytest.raises(NotFound):
        await indexer.readdress(workspace, old.document, EVERYONE)
