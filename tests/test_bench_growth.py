"""The growth bench's arithmetic: noise of the right size, exact search, recall; and a small run of all of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexer.embedding import HashingEmbedder
from tests.bench.growth import running, seeds
from tests.bench.growth.__main__ import table
from tests.bench.growth.corpus import CHANNEL, CHANNELS_DOCUMENTS, PER_DOCUMENT, Corpus
from tests.bench.growth.running import Row
from tests.bench.growth.seeds import Seeds
from tests.bench.growth.server import Memory, told_memory, told_seconds
from tests.bench.growth.texts import incident, make_seeds, own
from tests.bench.growth.vectors import Exact, Noise, Vectors, nearest_cosine, random_cosine, recall

pytestmark = pytest.mark.anyio


def unit(rng: np.random.Generator, count: int, dimensions: int = 16) -> Vectors:
    """Vectors that differ along some directions more than along others, as real ones do."""
    rows = rng.normal(size=(count, dimensions)) / np.arange(1, dimensions + 1)
    vectors: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return vectors


@pytest.fixture
def corpus() -> Corpus:
    seeds = make_seeds(30)
    vectors = {name: unit(np.random.default_rng(n), 30) for n, name in enumerate(("passage", "context"))}
    noise = {name: Noise.shaped_like(of, 0.9) for name, of in vectors.items()}
    return Corpus(Seeds(seeds, vectors, noise), 4_000)


def test_cosines_are_the_medians_of_the_docstrings() -> None:
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    assert nearest_cosine(vectors) == pytest.approx(0.8)
    assert random_cosine(vectors) == pytest.approx(0.6)


@pytest.mark.parametrize("cosine", [0.7, 0.9])
def test_repetitions_are_as_near_to_each_other_as_asked_for_and_of_length_one(cosine: float) -> None:
    rng = np.random.default_rng(1)
    vectors = unit(rng, 500, 64)
    noise = Noise.shaped_like(vectors, cosine)
    one, other = noise.repeated(vectors, rng), noise.repeated(vectors, rng)
    assert np.linalg.norm(one, axis=1) == pytest.approx(np.ones(500), abs=1e-5)
    assert float(np.mean(np.sum(one * other, axis=1))) == pytest.approx(cosine, abs=0.02)


def test_noise_lies_along_the_directions_in_which_vectors_differ() -> None:
    vectors = np.array([[1, 0.1, 0], [1, -0.1, 0]], dtype=np.float32)
    spread = Noise.shaped_like(vectors, 0.5).spread
    # Mean square length 1 ÷ 0.5 - 1 = 1, all of it along the second direction.
    assert spread @ spread.T == pytest.approx(np.diag([0, 1, 0]), abs=1e-6)


def test_exact_search_over_blocks_is_that_over_all() -> None:
    rng = np.random.default_rng(2)
    questions, vectors = unit(rng, 5), {"passage": unit(rng, 300), "context": unit(rng, 300)}
    exact = Exact(questions, ("passage", "context"), 10)
    for start in range(0, 300, 7):
        numbers = np.arange(start, min(start + 7, 300))
        exact.see(numbers, {name: of[numbers] for name, of in vectors.items()})
    for name, of in vectors.items():
        for question in range(5):
            right = np.argsort(-(of @ questions[question]))[:10]
            assert exact.nearest(name, question, 10) == right.tolist()


def test_vectors_are_mixed_as_in_the_docstring() -> None:
    exact = Exact(np.eye(2, dtype=np.float32)[:1], ("a", "b"), 3)
    one, other = np.array([0.9, 0.8, 0.5]), np.array([0.1, 0.3, 0.2])
    block = {name: np.stack([of, np.zeros(3)], axis=1).astype(np.float32) for name, of in (("a", one), ("b", other))}
    exact.see(np.array([7, 8, 9]), block)
    assert exact.mixed({"a": 0.5, "b": 0.5}, 0, 3) == [8, 7, 9]
    assert exact.mixed({"a": 1.0, "b": 0.0}, 0, 2) == [7, 8]


def test_recall_is_the_share_of_the_right_ones() -> None:
    assert recall([4, 2, 9], [2, 4, 7, 8]) == 0.5
    assert recall([], [1]) == 0


def test_no_two_chunks_are_alike_and_a_question_names_one() -> None:
    seeds = make_seeds(50)
    assert make_seeds(50) == seeds
    assert len({seed.context for seed in seeds}) == len({seed.text for seed in seeds}) == 50
    assert incident(1234) in own(seeds[0].text, 1234)
    assert "$" not in "".join(seed.passage(number) + own(seed.question, number) for number, seed in enumerate(seeds))
    assert len({incident(number) for number in range(20_000)}) == 20_000


def test_a_hundred_documents_are_the_channels(corpus: Corpus) -> None:
    blocks = list(corpus.blocks())
    entries = [entry for block in blocks for entry in block.entries]
    assert len(entries) == 200
    assert len({entry.version for entry in entries}) == 200
    assert sum(entry.document.audience == CHANNEL for entry in entries) == CHANNELS_DOCUMENTS
    assert sum(int(block.channels.sum()) for block in blocks) == CHANNELS_DOCUMENTS * PER_DOCUMENT
    assert np.concatenate([block.numbers for block in blocks]).tolist() == list(range(4_000))


def test_chunks_have_identifiers_of_their_own_and_the_same_text_each_time(corpus: Corpus) -> None:
    (first,), (again,) = list(corpus.blocks()), list(corpus.blocks())
    entry = first.entries[3]
    assert entry.passages == again.entries[3].passages
    assert np.array_equal(entry.vectors["passage"], again.entries[3].vectors["passage"])
    for position, passage in enumerate(entry.passages):
        assert incident(entry.first + position) in passage.chunk.text
        assert incident(entry.first + position) in passage.context.text
    assert np.array_equal(first.vectors["context"][60:80], entry.vectors["context"])


def test_every_second_question_names_an_incident_that_is_in_the_index(corpus: Corpus) -> None:
    questions = corpus.questions(20)
    assert len(set(questions)) == 20
    named = [text.rpartition(" in ")[2].rstrip("?") for text in questions if "INC-" in text]
    assert len(named) == 10
    assert set(named) <= {incident(number) for number in range(4_000)}


def test_memory_is_told_apart_by_whose_it_is() -> None:
    assert told_memory("Name:\tweaviate\nVmRSS:\t3 kB\nRssAnon:\t 2 kB\nRssFile:\t 1 kB\n") == Memory(2048, 1024)


def test_processor_time_is_found_whatever_the_process_is_called() -> None:
    assert told_seconds("7 (a b) c) S 1 7 7 0 -1 4194560 1 2 3 4 250 50 0 0 20", 100) == 3.0


def test_the_table_has_a_column_a_run() -> None:
    runs = [[Row("chunks", "10"), Row("recall", "0.99")], [Row("chunks", "20"), Row("recall", "0.98")]]
    assert table(runs) == ["| chunks | 10 | 20 |", "|---|---|---|", "| recall | 0.99 | 0.98 |"]


async def test_a_small_run_finds_what_is_nearest_and_fills_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, "SEEDS", 60)
    monkeypatch.setattr(running, "QUESTIONS", 4)
    monkeypatch.setattr(running, "SETTLE_SECONDS", 0.0)
    embedder = HashingEmbedder()
    made = await seeds.embedded(embedder, lambda _: None)
    rows = await running.run(tmp_path, made, 2_000, embedder, lambda _: None)
    assert rows[0].figure == "2,000"
    assert all(row.figure for row in rows)
    recalls = [float(figure) for row in rows if "recall" in row.what for figure in row.figure.split(", ")]
    assert len(recalls) == 6
    assert min(recalls) > 0.95
