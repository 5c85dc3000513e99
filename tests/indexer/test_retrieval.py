"""Searching through the real server: what is found, by whom, and what never is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

import numpy as np
import pytest

from indexer.documents import (
    WORKSPACE,
    Audience,
    Chunk,
    Context,
    ContextKind,
    Document,
    DocumentId,
    Hit,
    Passage,
    VersionId,
    Viewer,
    document_id,
    version_id,
)
from indexer.embedding import Embedder, HashingEmbedder
from indexer.errors import ModelUnavailable
from indexer.local_embedding import LocalEmbedder
from indexer.reranking import SecondRanking
from indexer.retrieval import MOST_HITS, Retrieval
from indexer.settings import IndexerSettings
from indexer.store import HybridQuery, Store
from indexer.weaviate_server import Endpoint

pytestmark = pytest.mark.anyio

EVERYBODY = Viewer(frozenset({WORKSPACE}))


class Versions:
    """A catalogue in memory. ``then`` happens once, after the first search has asked what is in flight."""

    def __init__(self) -> None:
        self.answering: dict[DocumentId, VersionId] = {}
        self.flying: set[VersionId] = set()
        self.then: list[Any] = []
        self.asked = 0

    async def in_flight(self, workspace: str, /) -> frozenset[VersionId]:
        self.asked += 1
        snapshot = frozenset(self.flying)
        for change in self.then:
            change()
        self.then.clear()
        return snapshot

    async def published(self, workspace: str, documents: Collection[DocumentId], /) -> dict[DocumentId, VersionId]:
        return {document: self.answering[document] for document in documents if document in self.answering}

    def publish(self, version: VersionId) -> None:
        document = DocumentId(version.rpartition(".")[0])
        if document in self.answering:
            self.flying.add(self.answering[document])
        self.answering[document] = version
        self.flying.discard(version)


class RecordingStore:
    """The real store, and what it was asked."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.queries: list[HybridQuery] = []

    async def hybrid(self, query: HybridQuery) -> list[Hit]:
        self.queries.append(query)
        return await self.store.hybrid(query)


class Library:
    """Documents in one workspace of the real server, with a catalogue beside them."""

    def __init__(self, store: Store, embedder: Embedder, workspace: str) -> None:
        self.store = store
        self.embedder = embedder
        self.workspace = workspace
        self.catalogue = Versions()
        self.asked = RecordingStore(store)

    async def add(
        self,
        source: str,
        *texts: str,
        context: str = "",
        audience: Audience = WORKSPACE,
        number: int = 1,
        publish: bool = True,
    ) -> Document:
        document = Document(
            document_id(self.workspace, audience, source), self.workspace, audience, source, f"About {source}"
        )
        version = version_id(document.id, number)
        passages = [
            Passage(Chunk(position, 0, len(text), text), Context(context, ContextKind.STRUCTURAL))
            for position, text in enumerate(texts)
        ]
        vectors = {
            "passage": await self.embedder.passages([passage.text for passage in passages]),
            "context": await self.embedder.passages([context for _ in passages]),
        }
        self.catalogue.flying.add(version)
        await self.store.put(document, version, passages, vectors)
        if publish:
            self.catalogue.publish(version)
        return document

    async def search(self, query: str, viewer: Viewer = EVERYBODY, **options: Any) -> list[Hit]:
        settings = IndexerSettings.model_validate(options.pop("settings", {}))
        retrieval = Retrieval(self.asked, self.embedder, self.catalogue, settings)  # type: ignore[arg-type]  # recorded
        return await retrieval.search(self.workspace, query, viewer, **options)

    async def texts(self, query: str, viewer: Viewer = EVERYBODY, **options: Any) -> list[str]:
        return [hit.chunk.text for hit in await self.search(query, viewer, **options)]


@pytest.fixture
async def library(weaviate: Endpoint, workspace: str) -> AsyncIterator[Library]:
    store = await Store.connect(weaviate, api_key=None, dimensions=384, timeout_seconds=20)
    yield Library(store, HashingEmbedder(), workspace)
    await store.close()


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


# Who finds what


async def test_the_best_passage_comes_first_with_all_that_is_known_of_it(library: Library) -> None:
    await library.add("cats", "The cat sat on the mat.", "The dog slept under the table.", context="On pets at home.")
    document = await library.add("money", "Quarterly revenue rose by three percent.", context="On the year's figures.")
    hit = (await library.search("quarterly revenue"))[0]
    assert hit.chunk.text == "Quarterly revenue rose by three percent."
    assert (hit.document, hit.version, hit.title) == (document.id, version_id(document.id, 1), "About money")
    assert hit.context.text == "On the year's figures."


async def test_a_viewer_without_audiences_finds_nothing_and_nobody_is_asked(library: Library) -> None:
    await library.add("a", "The cat sat on the mat.")
    assert await library.search("cat", Viewer()) == []
    assert library.asked.queries == []
    assert library.catalogue.asked == 0


async def test_a_document_is_found_only_by_its_audience(library: Library) -> None:
    """Also where one channel's name begins with another's."""
    mine, longer = Audience("channel", "C123"), Audience("channel", "C1234")
    await library.add("everybody's", "The cat is black.")
    await library.add("mine", "The cat is white.", audience=mine)
    await library.add("another's", "The cat is grey.", audience=longer)
    assert set(await library.texts("cat")) == {"The cat is black."}
    assert set(await library.texts("cat", Viewer(frozenset({mine})))) == {"The cat is white."}
    both = Viewer(frozenset({WORKSPACE, mine}))
    assert set(await library.texts("cat", both)) == {"The cat is black.", "The cat is white."}


async def test_a_workspace_finds_only_its_own(library: Library) -> None:
    await library.add("a", "The cat sat on the mat.")
    other = Library(library.store, library.embedder, library.workspace + "X")
    assert await other.search("cat") == []


@pytest.mark.parametrize("query", ["", "   ", "\n\t\u3000", "🎉 👍🏽", "*", "…?!", "__ -- ", "\u200b\u0301", "\ud800"])
async def test_a_question_without_a_word_finds_nothing_and_asks_nobody(library: Library, query: str) -> None:
    """Some passages are always the nearest to a vector, and of them the first would have the best score."""
    await library.add("a", "The cat sat on the mat 🎉.")
    assert await library.search(query) == []
    assert library.asked.queries == []


@pytest.mark.parametrize("query", ["C++", "§ 5", "42", "猫", "แมว", "고양이", "हि", "who?", "é", "№", "x²"])
async def test_a_word_or_a_number_of_any_script_is_looked_for(library: Library, query: str) -> None:
    await library.add("a", f"It says {query} here.")
    assert len(await library.search(query)) == 1


@pytest.mark.parametrize("query", ["?!…", "cat \x00 \ud800", "cat " * 30_000, '{"a": %s}', "(cat:mat^2 OR +x) \\"])
async def test_an_odd_question_does_not_fail(library: Library, query: str) -> None:
    await library.add("a", "The cat sat on the mat.")
    assert len(await library.search(query)) <= 1


async def test_the_search_can_be_kept_to_some_documents(library: Library) -> None:
    first = await library.add("first", "The cat is black.")
    await library.add("second", "The cat is white.")
    assert await library.texts("cat", documents=frozenset({first.id})) == ["The cat is black."]
    assert await library.texts("cat", documents=frozenset()) == []


@pytest.mark.parametrize(("limit", "asked"), [(None, 7), (1, 1), (0, 1), (-5, 1), (5_000, MOST_HITS)])
async def test_the_limit_is_kept_within_bounds(library: Library, limit: int | None, asked: int) -> None:
    await library.add("many", *(f"The cat number {number} sat on the mat." for number in range(120)))
    hits = await library.search("cat on the mat", limit=limit, settings={"search_limit": 7})
    assert len(hits) == asked


async def test_settings_are_always_sent(library: Library) -> None:
    await library.add("a", "The cat sat on the mat.")
    chosen = {
        "search_alpha": 0.3,
        "search_fusion": "ranked",
        "search_passage_weight": 0.9,
        "search_context_weight": 0.1,
    }
    await library.search("cat", settings=chosen)
    await library.search("cat", settings=chosen, alpha=7.0)
    query, other = library.asked.queries
    assert (query.alpha, query.fusion, dict(query.weights)) == (0.3, "ranked", {"passage": 0.9, "context": 0.1})
    assert other.alpha == 1.0


# What is published, and nothing else


async def test_the_same_text_in_two_documents_is_found_twice_and_once_when_one_is_removed(library: Library) -> None:
    """Boilerplate: ids that follow from the text alone would make both one, and deleting one would lose both."""
    boilerplate = "This document is confidential and may not be copied."
    first = await library.add("first", boilerplate)
    second = await library.add("second", boilerplate)
    assert {hit.document for hit in await library.search("confidential")} == {first.id, second.id}
    del library.catalogue.answering[first.id]
    await library.store.delete_document(library.workspace, first.id)
    assert [hit.document for hit in await library.search("confidential")] == [second.id]


async def test_a_version_in_flight_is_excluded_inside_the_query(library: Library) -> None:
    """The old version answers until the new one is published; one question to the server is enough."""
    await library.add("a", "The cat is black.")
    await library.add("a", *(f"The cat is white, {number}." for number in range(30)), number=2, publish=False)
    assert await library.texts("cat", limit=5) == ["The cat is black."]
    assert len(library.asked.queries) == 1


async def test_after_publishing_only_the_new_version_is_found(library: Library) -> None:
    await library.add("a", "The cat is black.")
    await library.add("a", "The cat is white.", number=2)
    assert await library.texts("cat") == ["The cat is white."]


async def test_a_removed_document_is_not_found_even_before_its_passages_are_deleted(library: Library) -> None:
    document = await library.add("gone", "The cat is black.")
    await library.add("stays", "The cat is white.")
    del library.catalogue.answering[document.id]
    assert await library.texts("cat") == ["The cat is white."]


async def test_dropped_hits_are_topped_up_to_the_limit(library: Library) -> None:
    """Many passages of an unpublished document, better than all others, do not push the others out."""
    gone = await library.add("gone", *(f"cat cat cat {number}" for number in range(150)))
    await library.add("stays", *(f"A cat was seen in garden {number}." for number in range(8)))
    del library.catalogue.answering[gone.id]
    found = await library.search("cat", limit=5)
    assert [hit.title for hit in found] == ["About stays"] * 5
    assert len(library.asked.queries) == 2


async def test_topping_up_ends_when_there_is_no_more(library: Library) -> None:
    gone = await library.add("gone", *(f"cat {number}" for number in range(20)))
    await library.add("stays", "A cat was seen.")
    del library.catalogue.answering[gone.id]
    assert await library.texts("cat", limit=10) == ["A cat was seen."]
    assert len(library.asked.queries) == 2


async def test_a_document_published_during_the_search_is_not_missing(library: Library) -> None:
    """Excluded as in flight when the question was put, and the version before it dropped: it is asked again."""
    document = await library.add("a", "The cat is black.")
    await library.add("a", "The cat is white.", number=2, publish=False)
    library.catalogue.then = [lambda: library.catalogue.publish(version_id(document.id, 2))]
    assert await library.texts("cat") == ["The cat is white."]


async def test_a_document_first_published_during_the_search_is_found(library: Library) -> None:
    document = await library.add("a", "The cat is black.", publish=False)
    library.catalogue.then = [lambda: library.catalogue.publish(version_id(document.id, 1))]
    assert await library.texts("cat") == ["The cat is black."]


async def test_a_catalogue_that_never_rests_does_not_hold_the_search(library: Library) -> None:
    document = await library.add("a", "The cat is black.")
    calls = 0

    async def restless(workspace: str, /) -> frozenset[VersionId]:
        nonlocal calls
        calls += 1
        return frozenset({version_id(document.id, 1_000 + calls)})

    library.catalogue.in_flight = restless  # type: ignore[method-assign]  # this test's catalogue
    assert await library.texts("cat") == ["The cat is black."]
    assert calls < 10


# What must be found

CODES = [
    "Error E-4711: the payment gateway timed out; retry after ten seconds.",
    "Error E-4712: the payment gateway refused the card; ask for another.",
    "Error E-7411: the disk of the report server is full; remove old reports.",
    "A payment that the gateway refuses is tried again on the next day.",
    "INC-2023-04-011 was opened when the login service lost its certificate.",
    "INC-2023-04-012 was opened when the mail relay lost its certificate.",
    "The login service signs every session with a certificate of its own.",
    "getUserById reads one user; get_user_by_name reads several.",
    "Services not covered by the plan are dental care and glasses.",
    "Services covered by the plan are hospital care and medicines.",
    "認証サーバーの障害は証明書の期限切れが原因であった。",
    "会議室の予約は総務部に申し込んでください。",
]


@pytest.mark.parametrize("limit", [1, 10])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
async def test_an_exact_code_is_found_first(
    weaviate: Endpoint, workspace: str, local: LocalEmbedder, alpha: float, limit: int
) -> None:
    """Whatever the balance of keywords and meaning, and however few hits are wanted: with the real embedder."""
    store = await Store.connect(weaviate, api_key=None, dimensions=local.dimensions, timeout_seconds=20)
    library = Library(store, local, workspace)
    await library.add("codes", *CODES)
    assert (await library.texts("E-4712", alpha=alpha, limit=limit))[0] == CODES[1]
    await store.close()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("INC-2023-04-011", 4),
        ("getUserById", 7),
        ("get_user_by_name", 7),
        ("user by name", 7),
        ("services not covered", 8),
        ("証明書の期限切れ", 10),
    ],
)
async def test_keywords_alone_find(library: Library, query: str, found: int) -> None:
    """Codes as a whole, names taken apart, "not" as a word, and Japanese, which has no spaces."""
    await library.add("codes", *CODES)
    assert (await library.texts(query, alpha=0.0))[0] == CODES[found]


async def test_of_near_twins_the_right_one_comes_first(library: Library) -> None:
    """Two documents alike but for one number."""
    text = "The retention period for records of class {} is {} years, after which they are destroyed by the archive."
    await library.add("class 4", text.format(4, 12))
    await library.add("class 7", text.format(7, 30))
    for number in (4, 7):
        assert f"class {number} is" in (await library.texts(f"retention period for class {number}"))[0]


async def test_of_near_twins_the_context_tells_which(library: Library) -> None:
    """The same sentence in two reports: only the context says of which year it speaks."""
    text = "Revenue rose by three percent over the quarter before."
    await library.add("a", text, context="From ACME's report for the first quarter of 2023.")
    second = await library.add("b", text, context="From ACME's report for the third quarter of 2024.")
    assert (await library.search("How did revenue change in the third quarter of 2024?"))[0].document == second.id


async def test_the_embedder_is_asked_for_a_question_not_a_passage(library: Library) -> None:
    asked: list[str] = []

    class Recording(HashingEmbedder):
        async def query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
            asked.append(text)
            return await super().query(text)

        async def passages(self, texts: Sequence[str], **options: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
            raise AssertionError("a question was embedded as a passage")

    await library.add("a", "The cat sat on the mat.")
    library.embedder = Recording()
    assert await library.texts("cat") == ["The cat sat on the mat."]
    assert asked == ["cat"]


# -- ordered anew -----------------------------------------------------------------------------------------------------


class Liking:
    """A reranker for which a passage is the better the more often it has a word. ``then`` happens while it judges."""

    name = "liking"

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[Sequence[str]] = []
        self.then: list[Any] = []
        self.trouble: Exception | None = None

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append(list(texts))
        for change in self.then:
            change()
        self.then.clear()
        if self.trouble is not None:
            raise self.trouble
        return [float(text.split().count(self.word)) for text in texts]

    async def close(self) -> None: ...


async def reranked(library: Library, liking: Liking, viewer: Viewer = EVERYBODY, **options: Any) -> list[str]:
    ranking = SecondRanking(liking, options.pop("candidates", 50), 1.0)
    settings = IndexerSettings.model_validate({})
    retrieval = Retrieval(library.asked, library.embedder, library.catalogue, settings, ranking)  # type: ignore[arg-type]  # recorded
    return [hit.chunk.text for hit in await retrieval.search(library.workspace, "incident", viewer, **options)]


async def test_a_reranker_finds_what_the_search_has_further_down(library: Library) -> None:
    texts = ["incident incident incident"] * 12 + ["incident and much else that dilutes it gold gold"]
    for number, text in enumerate(texts):
        await library.add(f"text:{number}", text)
    assert texts[-1] not in await library.texts("incident", limit=3)
    found = await reranked(library, Liking("gold"), limit=3)
    assert found == [texts[-1], texts[0], texts[0]]


async def test_a_reranker_is_shown_context_and_text_of_what_the_viewer_may_read_and_nothing_else(
    library: Library,
) -> None:
    await library.add("text:1", "incident open", context="Of the review")
    await library.add("text:2", "incident secret", audience=Audience("channel", "C1"))
    await library.add("text:3", "incident unpublished", publish=False)
    liking = Liking("gold")
    assert await reranked(library, liking) == ["incident open"]
    assert liking.asked == [["Of the review\nincident open"]]


async def test_a_reranker_that_is_away_leaves_the_search_as_it_is(library: Library) -> None:
    for number in range(5):
        await library.add(f"text:{number}", "incident " * (number + 1))
    liking = Liking("gold")
    liking.trouble = ModelUnavailable("The reranker is away.", kind="unreachable")
    assert await reranked(library, liking, limit=3) == await library.texts("incident", limit=3)


async def test_more_hits_than_are_reranked_are_given_behind_those(library: Library) -> None:
    for number in range(6):
        await library.add(f"text:{number}", f"incident {'gold ' * number}")
    liking = Liking("gold")
    found = await reranked(library, liking, candidates=2, limit=6)
    assert len(found) == 6
    assert found[2:] == (await library.texts("incident", limit=6))[2:]
    assert [len(texts) for texts in liking.asked] == [2]


async def test_what_is_removed_while_it_is_judged_is_not_given_and_the_next_takes_its_place(library: Library) -> None:
    gone = await library.add("text:1", "incident gold gold")
    await library.add("text:2", "incident gold")
    await library.add("text:3", "incident")
    liking = Liking("gold")
    liking.then.append(lambda: library.catalogue.answering.pop(gone.id))
    assert await reranked(library, liking, limit=2) == ["incident gold", "incident"]


async def test_a_version_that_is_replaced_while_it_is_judged_is_given_as_it_is_now(library: Library) -> None:
    await library.add("text:1", "incident gold old")
    new = await library.add("text:1", "incident gold new", number=2, publish=False)
    liking = Liking("gold")
    liking.then.append(lambda: library.catalogue.publish(version_id(new.id, 2)))
    assert await reranked(library, liking) == ["incident gold new"]
