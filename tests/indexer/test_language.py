"""Vectors without what tells only the language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from indexer.embedding import HashingEmbedder, Vectors, embedding_key, open_embedder
from indexer.language import RANK, LanguageNeutral, language_directions, main_directions, without_language
from indexer.onnx_embedding import open_local_embedder
from indexer.settings import IndexerSettings
from tests.make_language_directions import make_language_directions
from tests.parallel_sentences import PARALLEL

pytestmark = pytest.mark.anyio

LOCAL = IndexerSettings.model_validate({"embedder": "local"})


class Kept:
    """Vectors kept in memory, by key."""

    def __init__(self) -> None:
        self.rows: dict[str, Vectors] = {}

    async def get_many(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    async def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        self.rows.update(vectors)


def test_the_parallel_sentences_are_as_many_in_each_language() -> None:
    assert {len(sentences) for sentences in PARALLEL.values()} == {24}
    assert len(PARALLEL) == 7
    assert all(len(set(sentences)) == 24 for sentences in PARALLEL.values())


async def test_the_kept_directions_are_those_of_the_sentences() -> None:
    kept, made = language_directions(), await make_language_directions()
    assert kept.shape == (RANK, 384)
    assert np.allclose(kept @ kept.T, np.eye(RANK), atol=1e-5)
    assert np.allclose(kept.T @ kept, made.T @ made, atol=1e-2)  # the same space, whatever the signs


def test_the_main_direction_is_that_in_which_languages_differ() -> None:
    english = np.array([[1, 0, 0.2], [1, 0, -0.2]], dtype=np.float32)
    french = np.array([[0, 1, 0.2], [0, 1, -0.2]], dtype=np.float32)
    (direction,) = main_directions([english, french], rank=1)
    assert np.allclose(np.abs(direction), [0.7071, 0.7071, 0], atol=1e-3)
    neutral = without_language(english, direction[None, :])
    assert np.allclose(neutral, without_language(french, direction[None, :]), atol=1e-6)


def test_what_is_left_has_length_one_and_nothing_along_the_directions() -> None:
    vectors = np.random.default_rng(1).normal(size=(20, 384)).astype(np.float32)
    neutral = without_language(vectors, language_directions())
    assert neutral.dtype == np.float32
    assert np.allclose(np.linalg.norm(neutral, axis=1), 1, atol=1e-5)
    assert np.allclose(neutral @ language_directions().T, 0, atol=1e-5)
    assert np.allclose(without_language(neutral, language_directions()), neutral, atol=1e-6)


def test_a_vector_of_which_nothing_would_be_left_stays() -> None:
    alone = language_directions()[0]
    assert np.array_equal(without_language(alone, language_directions()), alone)


async def test_a_question_is_as_near_to_a_passage_in_another_language() -> None:
    passages = [
        "Backups are kept for ninety days.",
        "Les sauvegardes sont conservées pendant quatre-vingt-dix jours.",
        "Les visiteurs signent le registre à l'entrée.",
    ]
    plain, neutral = open_local_embedder(), open_embedder(LOCAL)
    try:
        gaps = []
        for embedder in (plain, neutral):
            near = await embedder.passages(passages) @ await embedder.query("How long do we keep backups?")
            assert near[1] > near[2]
            gaps.append(float(near[0] - near[1]))
        assert gaps[1] < gaps[0]
    finally:
        await plain.close()
        await neutral.close()


async def test_the_local_embedder_has_no_language_in_its_vectors_and_a_name_of_its_own() -> None:
    embedder = open_embedder(LOCAL)
    try:
        assert isinstance(embedder, LanguageNeutral)
        assert embedder.name == "multilingual-e5-small-q4-neutral1"
        assert (embedder.dimensions, embedder.window) == (384, 512)
        assert embedder.count("hello world") == 7
        assert np.allclose(await embedder.query("Où ?") @ language_directions().T, 0, atol=1e-5)
        assert (await embedder.passages([])).shape == (0, 384)
    finally:
        await embedder.close()


async def test_vectors_that_were_kept_before_are_used_and_stay_as_they_were() -> None:
    kept, plain = Kept(), open_local_embedder()
    (before,) = await plain.passages(["The office closes at six."])
    key = embedding_key(plain.name, "The office closes at six.")
    kept.rows[key] = -before  # recognizable
    embedder = open_embedder(LOCAL, kept)
    (vector,) = await embedder.passages(["The office closes at six."])
    assert np.allclose(vector, without_language(-before, language_directions()), atol=1e-6)
    assert np.array_equal(kept.rows[key], -before)
    await embedder.passages(["Lunch is at noon."])
    assert set(kept.rows) == {key, embedding_key(plain.name, "Lunch is at noon.")}
    await embedder.close()
    await plain.close()


async def test_other_embedders_are_left_as_they_are() -> None:
    embedder = open_embedder(IndexerSettings.model_validate({"embedder": "hashing"}))
    assert isinstance(embedder, HashingEmbedder)
    assert embedder.name == "hashing-384"
