"""Documents that another one may replace: of the same name, or with nearly the same text."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest
import sqlalchemy as sa

from indexer.documents import EVERYONE, WORKSPACE, Audience, Document, DocumentId, Original, VersionId, Viewer
from indexer.library import Indexer
from indexer.likeness import signature_of
from indexer.pipeline import Pipeline
from indexer.schema import sketches
from indexer.twins import alike, packed, plain_name, unpacked
from tests.fixtures.indexer import EVERYBODY, added, followed

pytestmark = pytest.mark.anyio

CHANCE = random.Random(1)  # noqa: S311 - the same texts each time, nothing secret
WORDS = [f"word{number}" for number in range(2_000)]
POLICY = " ".join(CHANCE.choice(WORDS) for _ in range(400)) + " Hotels cost at most 120 euros."
OTHER = " ".join(CHANCE.choice(WORDS) for _ in range(400))
CHANNEL = Audience("channel", "C1")


async def found(
    indexer: Indexer,
    workspace: str,
    text: str,
    *,
    source: str = "slack:F9",
    name: str = "new.md",
    audience: Audience = WORKSPACE,
    viewer: Viewer | None = EVERYBODY,
    title: str | None = None,
) -> list[tuple[str, str]]:
    """The sources of documents alike, and what is the same."""
    original = Original(source, text.encode(), name)
    examined = await indexer.examine(original, workspace=workspace, audience=audience, title=title)
    return [(one.document.source, one.same) for one in await indexer.alike(workspace, examined, name, viewer)]


async def test_a_document_with_nearly_the_same_text_is_found_and_another_is_not(
    indexer: Indexer, workspace: str
) -> None:
    await added(indexer, workspace, POLICY, source="file:///policy.txt")
    assert await found(indexer, workspace, POLICY.replace("120", "150")) == [("file:///policy.txt", "text")]
    assert await found(indexer, workspace, OTHER) == []


@pytest.mark.parametrize("name", ["policy.txt", "POLICY.TXT", " Policy.txt ", "Travel Policy", "travel  policy"])
async def test_a_document_of_the_same_name_or_title_is_found_whatever_its_text(
    indexer: Indexer, workspace: str, name: str
) -> None:
    await added(indexer, workspace, POLICY, source="file:///policy.txt", title="Travel policy")
    assert await found(indexer, workspace, OTHER, name=name) == [("file:///policy.txt", "name")]


async def test_the_title_that_it_would_have_counts_as_a_name(indexer: Indexer, workspace: str) -> None:
    await added(indexer, workspace, POLICY, source="file:///policy.txt", title="Travel policy")
    assert await found(indexer, workspace, OTHER, title="Travel Policy") == [("file:///policy.txt", "name")]


async def test_the_document_that_adding_replaces_is_no_twin_but_the_same_source_for_others_is(
    indexer: Indexer, workspace: str
) -> None:
    await added(indexer, workspace, POLICY, source="file:///policy.txt")
    assert await found(indexer, workspace, POLICY, source="file:///policy.txt", name="policy.txt") == []
    for_channel = await found(
        indexer, workspace, POLICY, source="file:///policy.txt", name="policy.txt", audience=CHANNEL
    )
    assert for_channel == [("file:///policy.txt", "name")]


async def test_what_the_viewer_may_not_read_is_not_found_by_name_or_text(indexer: Indexer, workspace: str) -> None:
    await added(indexer, workspace, POLICY, source="file:///policy.txt", audience=CHANNEL, title="Travel policy")
    for viewer in (Viewer(), EVERYBODY, Viewer(frozenset({EVERYONE, Audience("channel", "C2")}))):
        assert await found(indexer, workspace, POLICY, name="policy.txt", viewer=viewer) == []
    assert await found(indexer, workspace, POLICY, viewer=Viewer(frozenset({CHANNEL}))) != []
    assert await found(indexer, workspace, POLICY, viewer=None) != []
    assert await found(indexer, "T-other", POLICY, viewer=Viewer(frozenset({CHANNEL}))) == []


async def test_a_removed_document_is_no_twin_and_its_signature_is_gone(indexer: Indexer, workspace: str) -> None:
    version = await added(indexer, workspace, POLICY, source="file:///policy.txt")
    await indexer.remove(workspace, version.document)
    assert await found(indexer, workspace, POLICY, name="policy.txt") == []
    left = sa.select(sa.func.count()).where(sketches.c.document == version.document)
    assert await indexer.database.read(lambda c: c.execute(left).scalar()) == 0


async def test_the_text_of_the_version_that_answers_counts(indexer: Indexer, workspace: str) -> None:
    await added(indexer, workspace, POLICY, source="file:///policy.txt")
    await added(indexer, workspace, OTHER, source="file:///policy.txt")
    assert await found(indexer, workspace, POLICY) == []
    assert await found(indexer, workspace, OTHER) == [("file:///policy.txt", "text")]


async def test_one_that_is_still_on_its_way_is_found_by_its_name_and_once_it_is_read_by_its_text(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = asyncio.Event()
    situate = Pipeline.situate

    async def waits(pipeline: Pipeline, version: VersionId, paying: bool = True) -> int:
        await goes_on.wait()
        return await situate(pipeline, version, paying)

    monkeypatch.setattr(Pipeline, "situate", waits)
    original = Original("file:///policy.txt", POLICY.encode(), "policy.txt")
    result = await indexer.add(original, workspace=workspace, audience=CHANNEL, added_by="U1")
    reader = Viewer(frozenset({CHANNEL}))
    assert await found(indexer, workspace, OTHER, name="policy.txt", viewer=reader) == [("file:///policy.txt", "name")]
    async with asyncio.timeout(10):
        while not await found(indexer, workspace, POLICY, viewer=reader):  # noqa: ASYNC110 - until it is read
            await asyncio.sleep(0.02)
    assert await found(indexer, workspace, POLICY, name="policy.txt") == [], "only who may read it"
    (one,) = await indexer.alike(workspace, signature_of(OTHER), "policy.txt", reader)
    assert (one.document.id, one.document.version, one.document.added_by) == (result.document, None, "U1")
    goes_on.set()
    assert (await followed(indexer, result.version)).state == "published"
    assert await found(indexer, workspace, POLICY, viewer=reader) == [("file:///policy.txt", "text")]


async def test_a_thread_s_file_is_no_twin(indexer: Indexer, workspace: str) -> None:
    thread = Audience.parse("thread:C1-1700000000.000100")
    await added(indexer, workspace, POLICY, source="slack:F1", audience=thread)
    assert await found(indexer, workspace, POLICY, name="F1", viewer=None) == []


async def test_a_signature_alone_will_do(indexer: Indexer, workspace: str) -> None:
    version = await added(indexer, workspace, POLICY, source="file:///policy.txt")
    (one,) = await indexer.alike(workspace, signature_of(POLICY), "new.md", EVERYBODY)
    assert (one.document.id, one.same) == (version.document, "text")
    assert one.document.name == "policy.txt"


def test_names_come_first_then_the_most_alike() -> None:
    document = Document(DocumentId("a"), "W1", WORKSPACE, "file:///a", "A", name="a.md")
    documents = [replace(document, id=DocumentId(i), title=i) for i in ("near", "same", "named")]
    words = POLICY.split()
    texts = {"near": words[:-30], "same": words, "named": OTHER.split()}
    signatures = {DocumentId(i): signature_of(" ".join(text)) for i, text in texts.items()}
    documents = [replace(one, name=f"{one.id}.md") for one in documents]
    twins = alike(documents, signatures, ["named.md"], signature_of(POLICY))
    assert [(one.document.id, one.same) for one in twins] == [("named", "name"), ("same", "text"), ("near", "text")]


@pytest.mark.parametrize("name", ["image.png", "index.html", "Untitled.docx", "", "  ", "README.md", "---"])
def test_names_that_programs_give_make_no_twins(name: str) -> None:
    assert plain_name(name) == ""


def test_names_differ_by_more_than_case_and_marks() -> None:
    assert plain_name("Plan 2023.pdf") != plain_name("Plan 2024.pdf")
    assert plain_name("Ｐｌａｎ.pdf") == plain_name("plan.PDF")
    assert plain_name("出張規程.pdf") != plain_name("会議規程.pdf")


def test_signatures_come_back_as_they_were_kept() -> None:
    signature = signature_of(POLICY)
    assert unpacked(packed(signature)) == signature
    assert unpacked(packed(())) == ()
