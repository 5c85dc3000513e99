"""A run, on the real database: what is indexed, what is found, what is paid, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from indexer.evaluation.changes import changes
from indexer.evaluation.corpus import Corpus, read_corpus
from indexer.evaluation.figures import as_json, figures_of
from indexer.evaluation.files import load_corpus, load_questions
from indexer.evaluation.golden import golden_chunks
from indexer.evaluation.running import Evaluation, estimate, evaluate
from indexer.evaluation.systems import Reranker, System, known_systems
from indexer.library import Indexer
from tests.claude_server import ClaudeServer, Contexts
from tests.fixtures.indexer import MakeSettings
from tests.indexer.evaluation.corpora import POLICY, QUESTIONS, QUOTING, REVIEW, TEXTS, written

pytestmark = pytest.mark.anyio

PLAIN = ("plain_vector", "plain_bm25", "plain_hybrid")
CONTEXTUAL = ("contextual_vector", "contextual_bm25", "contextual_hybrid")


class Steps:
    """Notes what a run tells of its progress."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, int]] = []

    def __call__(self, doing: str, done: int, of: int, /) -> None:
        self.told.append((doing, done, of))


async def read(indexer: Indexer, folder: Path, documents: Sequence[dict[str, Any]]) -> Corpus:
    given = load_corpus(written(folder / "corpus.jsonl", documents))
    return await read_corpus(given, indexer.settings, await indexer.parts.embedder(), lambda done: None)


async def run(
    indexer: Indexer,
    folder: Path,
    documents: Sequence[dict[str, Any]],
    questions: Sequence[dict[str, Any]],
    systems: Sequence[str] | None = None,
    reranker: Reranker | None = None,
    progress: Steps | None = None,
) -> Evaluation:
    corpus = await read(indexer, folder, documents)
    asked = load_questions(written(folder / "questions.jsonl", questions)).questions
    known = known_systems(reranker)
    return await evaluate(
        indexer.parts,
        corpus,
        asked,
        golden_chunks(asked, corpus, "questions.jsonl"),
        [known[name] for name in systems or known],
        workspace="W",
        reranker=reranker,
        progress=progress or Steps(),
    )


async def test_all_systems_are_measured_and_nothing_is_left_in_the_index(indexer: Indexer, tmp_path: Path) -> None:
    store = (await indexer.connect()).store
    before = await store.workspaces()
    steps = Steps()
    evaluation = await run(indexer, tmp_path, [REVIEW, POLICY], QUESTIONS, progress=steps)
    assert await store.workspaces() == before
    figures = as_json(evaluation, figures_of(evaluation))
    assert list(figures["systems"]) == [*PLAIN, *CONTEXTUAL, "structural_hybrid"]
    for measures in figures["systems"].values():
        assert list(measures) == ["pass@5", "pass@10", "pass@20", "mrr", "ndcg@10", "ms_p50", "ms_p95"]
        assert measures["pass@20"] == 1.0, "there are five chunks"
    assert (figures["questions"], figures["documents"], figures["chunks"]) == (3, 2, 5)
    assert ("Embedding (plain)", 5, 5) in steps.told
    assert ("Embedding (contextual)", 10, 10) in steps.told
    assert steps.told[-1] == ("Asking structural_hybrid", 3, 3)


async def test_chunks_alone_are_found_by_neither_context_nor_title(indexer: Indexer, tmp_path: Path) -> None:
    question = [{"query": "Annual Review INC-2023-04-011", "golden": [["review_2"]]}]
    names = ("plain_bm25", "contextual_bm25")
    evaluation = await run(indexer, tmp_path, [{**REVIEW, "chunks": REVIEW["chunks"][1:]}], question, names)
    assert [sorted(evaluation.results[name].ranked[0]) for name in names] == [[], [0, 1]]


async def test_a_system_finds_what_a_search_of_the_same_documents_finds(indexer: Indexer, tmp_path: Path) -> None:
    """Contextual systems go the way that questions go: the same order, by the same settings."""
    from indexer.documents import WORKSPACE, Original
    from tests.fixtures.indexer import EVERYBODY, followed

    for text in TEXTS:
        original = Original(f"file:///{text['document']}", text["text"].encode(), text["document"])
        added = await indexer.add(original, workspace="S", audience=WORKSPACE)
        assert (await followed(indexer, added.version)).state == "published"
    evaluation = await run(indexer, tmp_path, TEXTS, QUOTING, ["contextual_hybrid"])
    for question, ranked in zip(evaluation.questions, evaluation.results["contextual_hybrid"].ranked, strict=True):
        hits = await indexer.search("S", question.query, EVERYBODY, limit=20)
        texts = [evaluation.corpus.at(number)[0].chunks[evaluation.corpus.at(number)[1]].text for number in ranked]
        assert texts == [hit.chunk.text for hit in hits]


async def test_text_is_cut_by_our_chunker_and_quotes_are_found_in_it(indexer: Indexer, tmp_path: Path) -> None:
    parts = (f"## Part {n}\n\n{f'Sentence {n} of it. ' * 60}\n\n" for n in range(9))
    long = {"document": "long.md", "text": "".join(parts)}
    questions = [*QUOTING, {"query": "What does part 7 say?", "quotes": ["Sentence 7 of it."], "document": "long.md"}]
    evaluation = await run(indexer, tmp_path, [*TEXTS, long], questions, ["plain_hybrid", "structural_hybrid"])
    document = evaluation.corpus.documents[2]
    assert len(document.chunks) > 4
    assert "".join(chunk.text for chunk in document.chunks) == long["text"]
    assert document.chunks[-1].heading_path == ("Part 8",)
    (quoted,) = evaluation.golden[2]
    assert {"Sentence 7" in document.chunks[evaluation.corpus.at(number)[1]].text for number in quoted} == {True}


async def test_headings_of_given_chunks_are_found_where_the_document_is_markdown(
    indexer: Indexer, tmp_path: Path
) -> None:
    corpus = await read(indexer, tmp_path, [REVIEW, POLICY])
    assert [chunk.heading_path for chunk in corpus.documents[0].chunks] == [
        ("Annual Review 2023", "Login outage"),
    ] * 3
    assert [document.title for document in corpus.documents] == ["Annual Review 2023", ""]


async def test_what_contexts_won_and_lost_is_told_by_the_ranks(indexer: Indexer, tmp_path: Path) -> None:
    texts = [f"When was gateway {n} closed? It was closed." for n in range(30)]
    filler = [{"id": f"f{n}", "text": text, "context": f"Note {n}."} for n, text in enumerate(texts)]
    documents = [REVIEW, {"document": "notes", "chunks": filler}]
    evaluation = await run(indexer, tmp_path, documents, QUESTIONS[:1], ["plain_hybrid", "contextual_hybrid"])
    (change,) = changes(evaluation)
    assert change.is_won
    assert change.at == 5
    (entry,) = change.entries
    assert entry.after is not None
    assert entry.after <= 5 < (entry.before or 99)
    assert figures_of(evaluation).gains["contextual_hybrid"]["pass@5"].mean == 1.0


class ByLength:
    """A reranker for which the longest text is best."""

    name = "by-length"

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, len(texts)))
        return [float(len(text)) for text in texts]


async def test_a_reranker_orders_what_was_found_anew_and_without_one_no_such_system_is_listed(
    indexer: Indexer, tmp_path: Path
) -> None:
    assert not any(name.endswith("+rerank") for name in known_systems(None))
    reranker = ByLength()
    assert list(known_systems(reranker))[7:] == [f"{name}+rerank" for name in known_systems(None)]
    evaluation = await run(indexer, tmp_path, [REVIEW, POLICY], QUESTIONS, ["plain_hybrid+rerank"], reranker)
    lengths = [
        [len(evaluation.corpus.at(number)[0].chunks[evaluation.corpus.at(number)[1]].text) for number in ranked]
        for ranked in evaluation.results["plain_hybrid+rerank"].ranked
    ]
    assert lengths == [sorted(each, reverse=True) for each in lengths]
    assert reranker.asked[-1][0] == QUESTIONS[-1]["query"]
    assert as_json(evaluation, figures_of(evaluation))["reranker"] == "by-length"


async def test_contexts_that_are_missing_are_paid_once_and_counted_as_the_workspace_s(
    make_settings: MakeSettings, claude: ClaudeServer, tmp_path: Path
) -> None:
    claude.brain = Contexts()
    bare = {**REVIEW, "chunks": [{"id": each["id"], "text": each["text"]} for each in REVIEW["chunks"]]}
    settings = make_settings(anthropic_api_key="key", anthropic_base_url=claude.base_url)
    async with Indexer.open(settings) as indexer:
        expected = await estimate(indexer.parts, await read(indexer, tmp_path, [bare]))
        first = await run(indexer, tmp_path, [bare], QUESTIONS[:1], ["contextual_hybrid"])
        assert len(claude.messages) == 3
        assert expected is not None
        assert 0 < first.cost_usd <= expected
        assert await indexer.parts.spending.last("W") is not None
        again = await run(indexer, tmp_path, [bare], QUESTIONS[:1], ["contextual_hybrid"])
        assert len(claude.messages) == 3
        assert again.cost_usd == 0
        assert await estimate(indexer.parts, await read(indexer, tmp_path, [bare])) == 0


async def test_the_day_s_cap_holds_for_an_evaluation_too(
    make_settings: MakeSettings, claude: ClaudeServer, tmp_path: Path
) -> None:
    bare = {**REVIEW, "chunks": [{"id": each["id"], "text": each["text"]} for each in REVIEW["chunks"]]}
    settings = make_settings(anthropic_api_key="key", anthropic_base_url=claude.base_url, day_cap_usd=0.0)
    async with Indexer.open(settings) as indexer:
        evaluation = await run(indexer, tmp_path, [bare], QUESTIONS[:1], ["contextual_hybrid"])
    assert len(evaluation.failures) == 3
    assert claude.messages == []


async def test_what_is_too_long_for_the_embedder_is_embedded_by_its_beginning(indexer: Indexer, tmp_path: Path) -> None:
    long = {"document": "d", "chunks": [{"id": "a", "text": "word " * 2_000, "context": "c"}]}
    evaluation = await run(indexer, tmp_path, [long], [{"query": "word", "golden": [["a"]]}], ["plain_vector"])
    assert evaluation.cut_passages == 1
    assert evaluation.results["plain_vector"].ranked == ((0,),)


async def test_systems_search_by_their_side_alone() -> None:
    known = known_systems(None)
    assert {name: (each.variant, each.alpha) for name, each in known.items() if each.variant == "plain"} == {
        "plain_vector": ("plain", 1.0),
        "plain_bm25": ("plain", 0.0),
        "plain_hybrid": ("plain", None),
    }
    assert isinstance(known["structural_hybrid"], System)
