"""Why something was found: each side of a search by itself, against the real server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from indexer.documents import Audience, Viewer
from indexer.embedding import HashingEmbedder
from indexer.explaining import Why
from indexer.library import Indexer
from indexer.reranking import SecondRanking
from indexer.retrieval import Retrieval
from indexer.settings import IndexerSettings
from indexer.store import HybridQuery, Scored, Store
from indexer.weaviate_server import Endpoint
from tests.fixtures.indexer import added
from tests.indexer.test_retrieval import EVERYBODY, Library, Liking

pytestmark = pytest.mark.anyio

CLOSED = "It was closed in May after the certificate was renewed."
CONTEXT = "This is about incident INC-2023-04-011."


@pytest.fixture
async def library(weaviate: Endpoint, workspace: str) -> AsyncIterator[Library]:
    store = await Store.connect(weaviate, api_key=None, dimensions=384, timeout_seconds=20)
    yield Library(store, HashingEmbedder(), workspace)
    await store.close()


async def explain(library: Library, query: str, viewer: Viewer = EVERYBODY, **options: Any) -> list[Why]:
    settings = IndexerSettings.model_validate(options.pop("settings", {}))
    ranking = options.pop("ranking", None)
    retrieval = Retrieval(library.store, library.embedder, library.catalogue, settings, ranking)
    return await retrieval.explain(library.workspace, query, viewer, **options)


async def test_the_hits_are_those_of_the_search_in_its_order(library: Library) -> None:
    await library.add("cats", *(f"The cat number {n} sat on the mat." for n in range(15)))
    found = await library.search("cat number 7", limit=5)
    told = await explain(library, "cat number 7", limit=5)
    assert [why.hit for why in told] == found
    assert [why.rank for why in told] == [1, 2, 3, 4, 5]


async def test_a_reranker_is_not_asked_for_an_explanation_without_it_and_all_that_it_would_judge_is_there(
    library: Library,
) -> None:
    await library.add("cats", *(f"The cat number {n} sat on the mat." for n in range(15)))
    liking = Liking("7")
    ranking = SecondRanking(liking, 12, 1.0)
    told = await explain(library, "cat number 7", limit=5, ranking=ranking, reranked=False)
    assert [why.hit for why in told] == await library.search("cat number 7", limit=12)
    assert liking.asked == []
    assert len(await explain(library, "cat number 7", limit=5, ranking=ranking)) == 5
    assert len(liking.asked) == 1


async def test_each_side_has_its_ranks_and_scores(library: Library) -> None:
    await library.add("incident", CLOSED, "Lunch is at noon.", context=CONTEXT)
    await library.add("other", "The gateway certificate is kept in the vault.")
    told = {why.hit.chunk.text: why for why in await explain(library, "When was the certificate of INC-2023-04-011?")}
    why = told[CLOSED]
    assert why.vector is not None
    assert why.keyword is not None
    assert why.keyword.rank == 1
    assert why.keyword.score > 0
    assert sorted(one.keyword.rank for one in told.values() if one.keyword) == [1, 2, 3]
    assert sorted(one.vector.rank for one in told.values() if one.vector) == [1, 2, 3]
    assert set(why.vectors) == {"passage", "context"}
    assert all(-1 <= standing.score <= 1.001 for standing in why.vectors.values())


async def test_which_property_has_which_words_is_told(library: Library) -> None:
    await library.add("incident", CLOSED, context=CONTEXT)
    await library.add("lunch", "Lunch is at noon.")
    why = (await explain(library, "incident certificate INC-2023-04-011"))[0]
    assert why.terms == {
        "title": ("incident",),
        "context": ("incident", "INC-2023-04-011"),
        "text": ("certificate",),
    }
    assert set(why.properties) == {"title", "context", "text"}
    assert why.properties["context"].rank == 1
    assert why.matched == ("certificate", "incident", "INC-2023-04-011")
    assert why.only_in("context") == ("incident", "INC-2023-04-011")


async def test_a_property_that_has_none_of_the_words_has_no_place(library: Library) -> None:
    await library.add("xyz", "The zebra slept.", context="On giraffes.")
    why = (await explain(library, "zebra"))[0]
    assert set(why.properties) == {"text"}
    assert why.terms == {"text": ("zebra",)}


async def test_equal_passages_have_equal_ranks(library: Library) -> None:
    await library.add("same", "The zebra slept.", "The zebra slept.", "A zebra is asleep in the house of the old king.")
    told = await explain(library, "the zebra slept")
    assert sorted(why.keyword.rank for why in told if why.keyword) == [1, 1, 3]


@pytest.mark.parametrize(("alpha", "sides"), [(0.0, (False, True)), (1.0, (True, False)), (0.5, (True, True))])
async def test_a_side_that_was_not_asked_is_not_told(library: Library, alpha: float, sides: tuple[bool, bool]) -> None:
    await library.add("a", "The zebra slept.")
    why = (await explain(library, "zebra", alpha=alpha))[0]
    assert (why.vector is not None, why.keyword is not None) == sides
    assert (bool(why.vectors), bool(why.properties)) == sides


async def test_a_vector_without_weight_is_not_told(library: Library) -> None:
    await library.add("a", "The zebra slept.", context="On zebras.")
    why = (await explain(library, "zebra", settings={"search_context_weight": 0.0}))[0]
    assert set(why.vectors) == {"passage"}
    assert why.vector == why.vectors["passage"]


async def test_what_the_viewer_may_not_read_counts_in_no_rank(library: Library) -> None:
    await library.add("open", "The zebra was seen in the old garden behind the house.")
    await library.add("secret", *("zebra zebra zebra" for _ in range(9)), audience=Audience("channel", "C1"))
    told = await explain(library, "zebra")
    assert [why.hit.title for why in told] == ["About open"]
    assert told[0].keyword is not None
    assert told[0].vector is not None
    assert (told[0].keyword.rank, told[0].vector.rank) == (1, 1)
    assert await explain(library, "zebra", Viewer()) == []


async def test_what_does_not_answer_counts_in_no_rank(library: Library) -> None:
    """A version on its way, and a document whose passages are not deleted yet."""
    await library.add("stays", "The zebra was seen in the old garden behind the house.")
    gone = await library.add("gone", "zebra zebra zebra")
    del library.catalogue.answering[gone.id]
    await library.add("coming", "zebra zebra", publish=False)
    told = await explain(library, "zebra")
    assert [why.hit.title for why in told] == ["About stays"]
    assert told[0].keyword is not None
    assert told[0].keyword.rank == 1


async def test_every_side_is_asked_with_the_filter_of_the_search(library: Library) -> None:
    """Not only dropped afterwards: the server gives nothing else."""
    asked: list[HybridQuery] = []

    class Recording:
        async def hybrid(self, query: HybridQuery) -> Any:
            return await library.store.hybrid(query)

        async def nearest(self, query: HybridQuery) -> list[Scored]:
            asked.append(query)
            return await library.store.nearest(query)

        async def keywords(self, query: HybridQuery) -> list[Scored]:
            asked.append(query)
            return await library.store.keywords(query)

    mine = await library.add("mine", "The zebra slept.", audience=Audience("channel", "C1"))
    viewer = Viewer(frozenset({Audience("channel", "C1")}))
    retrieval = Retrieval(Recording(), library.embedder, library.catalogue, IndexerSettings())  # type: ignore[arg-type]
    await retrieval.explain(library.workspace, "zebra", viewer, documents=frozenset({mine.id}))
    assert len(asked) == 7
    assert {(query.audiences, query.documents) for query in asked} == {(viewer.audiences, frozenset({mine.id}))}


@pytest.mark.parametrize("query", ["?!…", "a", "\ud800 zebra\x00", "zebra " * 3_000, "", "   "])
async def test_an_odd_question_does_not_fail(library: Library, query: str) -> None:
    await library.add("a", "The zebra slept.")
    for why in await explain(library, query):
        assert why.hit.chunk.text == "The zebra slept."


async def test_where_there_are_no_words_the_meaning_is_told_whatever_the_balance(library: Library) -> None:
    """The words of this question come after what is read of it."""
    await library.add("a", "The zebra slept.")
    (why,) = await explain(library, "?" * 100_000 + " zebra", alpha=0.0)
    assert why.vector is not None
    assert why.keyword is None


async def test_an_empty_workspace_explains_nothing(library: Library) -> None:
    assert await explain(library, "zebra") == []
    assert await explain(library, "zebra", documents=frozenset()) == []


async def test_the_library_explains_what_its_search_finds(indexer: Indexer, workspace: str) -> None:
    await added(indexer, workspace, "# Zoo\n\nThe zebra slept in the old garden.\n")
    (why,) = await indexer.explain(workspace, "Where did the zebra sleep?", EVERYBODY)
    assert why.hit == (await indexer.search(workspace, "Where did the zebra sleep?", EVERYBODY))[0]
    assert "zebra" in why.matched
    assert why.rerank is None
