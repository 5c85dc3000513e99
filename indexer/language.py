"""Takes out of vectors what tells only in which language a text is, so that a question finds it in another.

The mean vectors of the same questions in seven languages differ by their languages and by nothing else. The main
directions of these differences are taken out of every vector, a passage's and a question's alike; what is left is
scaled to length 1 again. (Libovický, Rosa & Fraser, *On the Language Neutrality of Pre-trained Multilingual
Representations*, Findings of EMNLP 2020, take out a language's mean; Yang, Yang, Cer & Darve, *A Simple and Effective
Method To Eliminate the Self Language Bias in Multilingual Representations*, EMNLP 2021, such directions.)

The directions are kept beside this module; ``python -m tests.make_language_directions`` makes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from indexer.embedding import Embedder, Progress

Vectors = NDArray[np.float32]

FILE: Final = Path(__file__).with_name("language_directions.npy")
RANK: Final = 5  # directions; with seven languages there are at most six


class LanguageNeutral:
    """An embedder whose vectors have no language in them.

    What is kept of the embedder inside stays as it is: only what it gives is changed.
    """

    def __init__(self, embedder: Embedder, directions: Vectors) -> None:
        self._embedder = embedder
        self._directions = directions
        # The number counts the directions that there were: with others, vectors must not be mixed with those of before.
        self.name = f"{embedder.name}-neutral1"
        self.dimensions = embedder.dimensions
        self.window = embedder.window

    def count(self, text: str) -> int:
        return self._embedder.count(text)

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        vectors = await self._embedder.passages(texts, progress=progress)
        return await asyncio.to_thread(without_language, vectors, self._directions)

    async def query(self, text: str) -> Vectors:
        return without_language(await self._embedder.query(text), self._directions)

    async def close(self) -> None:
        await self._embedder.close()


def without_language(vectors: Vectors, directions: Vectors) -> Vectors:
    """Vectors, ``(…, dimensions)``, without their part along ``directions`` (orthonormal rows), of length 1 again.

    ``[0.6, 0.8, 0]`` without ``[[1, 0, 0]]`` → ``[0, 1, 0]``. A vector of which nothing would be left stays as it is.
    """
    # No matrix product: there a row's last bit hangs on the rows beside it, and equal texts must have equal vectors.
    along = np.einsum("...d,rd->...r", vectors, directions)
    rest = vectors - np.einsum("...r,rd->...d", along, directions)
    lengths = np.linalg.norm(rest, axis=-1, keepdims=True)
    kept = lengths > 1e-6
    result: Vectors = np.where(kept, rest / np.where(kept, lengths, 1), vectors).astype(np.float32)
    return result


def main_directions(questions: Sequence[Vectors], rank: int = RANK) -> Vectors:
    """The main directions in which languages' mean vectors differ: ``(rank, dimensions)``, orthonormal.

    ``questions`` has for each language the vectors of the same questions, ``(n, dimensions)``. Worked example: two
    languages with the means ``[1, 0, 0]`` and ``[0, 1, 0]`` differ along ``[0.7, -0.7, 0]``.
    """
    means = np.stack([vectors.mean(axis=0) for vectors in questions]).astype(np.float64)
    right: NDArray[Any] = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)[2]
    return right[:rank].astype(np.float32)


@cache
def language_directions() -> Vectors:
    """Those of multilingual-e5-small, ``(RANK, 384)``; for reading only."""
    directions: Vectors = np.load(FILE, allow_pickle=False)
    directions.setflags(write=False)
    return directions
