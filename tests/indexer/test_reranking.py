"""Rerankers: what they are asked, what comes of a bad one, and that no search fails for one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from indexer import model_api, reranking
from indexer.documents import WORKSPACE, Chunk, Context, ContextKind, DocumentId, Hit, VersionId
from indexer.errors import ModelUnavailable, SettingsInvalid
from indexer.reranking import Reranker, SecondRanking, judged_text, open_reranker
from indexer.settings import IndexerSettings
from tests.model_servers import KEY, Cohere, ModelServer, Voyage

pytestmark = pytest.mark.anyio

TEXTS = ["the revenue of May", "an incident", "the incident was closed in May", "nothing of all this"]
QUERY = "incident closed in May"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_api, "_PAUSE_SECONDS", 0.0)


@asynccontextmanager
async def opened(server: ModelServer, **changes: Any) -> AsyncIterator[Reranker]:
    kind, version = ("voyage", "v1") if isinstance(server, Voyage) else ("cohere", "v2")
    async with server.running() as address:
        values = {"reranker": kind, "reranker_url": f"{address}/{version}", "reranker_api_key": KEY} | changes
        reranker = open_reranker(IndexerSettings.model_validate(values))
        assert reranker is not None
        yield reranker
        await reranker.close()


@pytest.fixture(params=["voyage", "cohere"])
async def either(request: pytest.FixtureRequest) -> AsyncIterator[tuple[ModelServer, Reranker]]:
    server: ModelServer = Voyage() if request.param == "voyage" else Cohere()
    async with opened(server) as reranker:
        yield server, reranker


Either = tuple[ModelServer, Reranker]


async def test_scores_follow_the_texts_though_answers_come_best_first(either: Either) -> None:
    _, reranker = either
    scores = await reranker.scores(QUERY, TEXTS)
    assert sorted(range(4), key=lambda index: -scores[index]) == [2, 0, 1, 3]
    assert scores[2] == 1.0


async def test_no_texts_ask_nothing(either: Either) -> None:
    server, reranker = either
    assert await reranker.scores(QUERY, []) == []
    assert server.requests == []


async def test_texts_of_nothing_and_lone_surrogates_are_judged(either: Either) -> None:
    _, reranker = either
    assert len(await reranker.scores("q\ud800 \x00", ["", " \n", "a\ud800"])) == 3


async def test_an_endless_question_is_cut(either: Either) -> None:
    server, reranker = either
    await reranker.scores("why " * 5_000, ["because"])
    assert len(server.requests[-1]["query"]) == reranking.LONGEST_QUERY


async def test_voyage_cuts_what_is_too_long_and_cohere_is_asked_for_nothing_special() -> None:
    for server, extra in ((Voyage(), {"truncation": True}), (Cohere(), {})):
        async with opened(server) as reranker:
            await reranker.scores("q", ["a"])
            assert server.requests == [
                {"model": reranker.name.partition("/")[2], "query": "q", "documents": ["a"]} | extra
            ]


async def test_a_wrong_key_and_an_unknown_model_are_one_sentence_each(
    either: Either, caplog: pytest.LogCaptureFixture
) -> None:
    server, reranker = either
    caplog.set_level(logging.DEBUG)
    server.key = "another"
    with pytest.raises(ModelUnavailable, match=r"^The reranker refused the key; check RERANKER_API_KEY\.$"):
        await reranker.scores("the secret plan", ["a"])
    assert KEY not in caplog.text
    assert "secret plan" not in caplog.text
    async with opened(type(server)(), reranker_model="gone") as other:
        with pytest.raises(ModelUnavailable, match="knows no model 'gone'; check RERANKER_MODEL"):
            await other.scores("q", ["a"])


@pytest.mark.parametrize(
    "results",
    [
        "none",
        [],
        [{"index": 0, "relevance_score": 0.5}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.4}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 2, "relevance_score": 0.4}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": None}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": float("nan")}],
    ],
)
async def test_what_is_not_one_number_a_text_is_refused(either: Either, results: object) -> None:
    server, reranker = either
    server.spoil = lambda _: {"data": results, "results": results}
    with pytest.raises(ModelUnavailable) as caught:
        await reranker.scores("q", ["a", "b"])
    assert caught.value.kind in ("reply", "numbers")


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"reranker": "voyage"}, "RERANKER_API_KEY"),
        ({"reranker": "cohere"}, "RERANKER_API_KEY"),
        ({"reranker": "local"}, "RERANKER_PATH"),
        ({"reranker": "local", "reranker_path": "nowhere"}, "RERANKER_PATH must hold"),
    ],
)
def test_what_a_reranker_lacks_is_named(values: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsInvalid, match=named):
        open_reranker(IndexerSettings.model_validate(values))


def test_without_a_reranker_there_is_none() -> None:
    assert open_reranker(IndexerSettings.model_validate({})) is None


# -- in a search ------------------------------------------------------------------------------------------------------


def hit(text: str, context: str = "") -> Hit:
    chunk, situated = Chunk(0, 0, len(text), text), Context(context, ContextKind.GENERATED)
    return Hit(DocumentId(text), VersionId(f"{text}.1"), "T", WORKSPACE, "text:t", chunk, situated, 0.5)


class Judge:
    """Scores by a table; it takes its time, or fails, when it is told to."""

    name = "judge"

    def __init__(self, **scores: float) -> None:
        self.table = scores
        self.asked: list[Sequence[str]] = []
        self.trouble: Exception | None = None
        self.seconds = 0.0

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append(list(texts))
        await asyncio.sleep(self.seconds)
        if self.trouble is not None:
            raise self.trouble
        return [self.table[text] for text in texts]

    async def close(self) -> None: ...


def texts(hits: Sequence[Hit]) -> str:
    return "".join(one.chunk.text for one in hits)


async def test_the_best_come_first_equals_keep_their_order_and_scores_are_told() -> None:
    ranking = SecondRanking(Judge(a=0.1, b=0.7, c=0.7, d=0.9), 50, 1)
    ordered = await ranking.ordered("q", [hit(text) for text in "abcd"])
    assert texts(ordered) == "dbca"
    assert [one.rerank for one in ordered] == [0.9, 0.7, 0.7, 0.1]


async def test_what_is_past_the_candidates_stays_behind_them() -> None:
    judge = Judge(a=0.1, b=0.7)
    ordered = await SecondRanking(judge, 2, 1).ordered("q", [hit(text) for text in "abcd"])
    assert texts(ordered) == "bacd"
    assert [one.rerank for one in ordered] == [0.7, 0.1, None, None]
    assert judge.asked == [["a", "b"]]


def test_a_reranker_reads_context_and_text() -> None:
    assert judged_text(hit("text", "Of the review.")) == "Of the review.\ntext"
    assert judged_text(hit("text")) == "text"


@pytest.mark.parametrize(
    "trouble", [ModelUnavailable("The reranker is away.", kind="unreachable"), RuntimeError("a bug"), None]
)
async def test_a_reranker_that_fails_or_is_slow_leaves_the_order_and_is_logged_once(
    trouble: Exception | None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reranking, "REST_SECONDS", 0.0)
    judge = Judge(a=0.1, b=0.7)
    judge.trouble, judge.seconds = trouble, 0.0 if trouble else 5.0
    ranking = SecondRanking(judge, 50, 0.05)
    for _ in range(3):
        found = await ranking.ordered("q", [hit("a"), hit("b")])
        assert texts(found) == "ab"
        assert [one.rerank for one in found] == [None, None]
    assert len(judge.asked) == 3
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
    assert "searches go without the reranker" in caplog.text


async def test_a_reranker_that_is_away_is_left_alone_for_a_while_and_then_asked_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    judge = Judge(a=0.1, b=0.7)
    judge.trouble = ModelUnavailable("The reranker is away.", kind="unreachable")
    ranking = SecondRanking(judge, 50, 1)
    hits = [hit("a"), hit("b")]
    for _ in range(3):
        assert texts(await ranking.ordered("q", hits)) == "ab"
    assert len(judge.asked) == 1
    judge.trouble = None
    ranking._rests_until = 0.0
    assert texts(await ranking.ordered("q", hits)) == "ba"
    assert "answers again" in caplog.text


async def test_no_hits_ask_nobody() -> None:
    judge = Judge()
    assert await SecondRanking(judge, 50, 1).ordered("q", []) == []
    assert judge.asked == []
