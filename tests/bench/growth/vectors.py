"""Real vectors repeated with noise, and which of them are nearest to a question: found exactly.

The noise has the shape of the real vectors (their covariance) and such a size that two repetitions of one vector are as
near to each other as a real chunk is to the real chunk nearest to it. So repetitions are neither duplicates (which
an index finds as easily as it confuses them) nor strangers, and they lie along the directions in which real chunks
differ. Plain noise in all directions would be harder than anything real.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Numbers = NDArray[np.int64]


def nearest_cosine(vectors: Vectors) -> float:
    """The median over the vectors of the cosine with the nearest of the others.

    ``[[1, 0], [0.8, 0.6], [0, 1]]``: 0.8, 0.8 and 0.6 → 0.8
    """
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    return float(np.median(cosines.max(axis=1)))


def random_cosine(vectors: Vectors) -> float:
    """The median cosine of two of them: ``[[1, 0], [0.8, 0.6], [0, 1]]``: 0.8, 0.0 and 0.6 → 0.6"""
    cosines = vectors @ vectors.T
    return float(np.median(cosines[np.triu_indices(len(vectors), 1)]))


@dataclass(frozen=True, slots=True)
class Noise:
    """What is added to a vector: ``spread`` times standard normal numbers, ``(dimensions, dimensions)``."""

    spread: Vectors

    @classmethod
    def shaped_like(cls, vectors: Vectors, cosine: float) -> Noise:
        """Noise of the covariance of ``vectors``, so large that two repetitions have ``cosine`` on average.

        Noise of mean square length n turns a unit vector v into two repetitions with the cosine 1 ÷ (1 + n), so
        n is 1 ÷ cosine - 1: for 0.8 it is 0.25.
        """
        centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
        covariance = centred.T @ centred / len(vectors)
        values, directions = np.linalg.eigh(covariance)
        size = (1 / cosine - 1) / float(np.trace(covariance))
        return cls((directions * np.sqrt(np.maximum(values, 0) * size)).astype(np.float32))

    def repeated(self, vectors: Vectors, rng: np.random.Generator) -> Vectors:
        """Each of the vectors with noise of its own, of length 1: ``(n, dimensions)``."""
        normal = rng.standard_normal(vectors.shape, dtype=np.float32)
        noisy = vectors + normal @ self.spread.T
        result: Vectors = noisy / np.linalg.norm(noisy, axis=1, keepdims=True)
        return result


class Exact:
    """The nearest of all vectors, found by comparing each with every question (brute force), block by block.

    Of what is nearest it keeps the cosines by all named vectors, for ``mixed``.
    """

    def __init__(self, questions: Vectors, names: Sequence[str], keep: int) -> None:
        self._questions = questions
        self._names = tuple(names)
        self._keep = keep
        shape = (len(self._names), len(questions), 0)
        self._numbers = np.zeros(shape, dtype=np.int64)
        self._cosines = np.zeros((len(self._names), *shape), dtype=np.float32)

    def see(self, numbers: Numbers, vectors: dict[str, Vectors]) -> None:
        """Compare a block: the chunks' numbers, and their vectors by name."""
        fresh = np.stack([self._questions @ vectors[name].T for name in self._names])
        best_numbers, best_cosines = [], []
        for index in range(len(self._names)):
            seen = np.concatenate([self._numbers[index], np.broadcast_to(numbers, fresh[0].shape)], axis=1)
            cosines = np.concatenate([self._cosines[:, index], fresh], axis=2)
            order = np.argsort(-cosines[index], axis=1)[:, : self._keep]
            best_numbers.append(np.take_along_axis(seen, order, axis=1))
            best_cosines.append(np.take_along_axis(cosines, order[None], axis=2))
        self._numbers = np.stack(best_numbers)
        self._cosines = np.stack(best_cosines, axis=1)

    def nearest(self, name: str, question: int, limit: int) -> list[int]:
        """The numbers of the nearest chunks by one vector, nearest first."""
        return [int(number) for number in self._numbers[self._names.index(name), question, :limit]]

    def mixed(self, weights: dict[str, float], question: int, limit: int) -> list[int]:
        """The nearest by several vectors together, as the server mixes them.

        What is nearest by any of them (``keep`` each) gets, by each, 1 ÷ the range of all these cosines for every bit
        above the least; the shares are summed by weight. Cosines 0.9, 0.8, 0.5 by one and 0.1, 0.3, 0.2 by the other,
        half and half: 0.5, 0.875, 0.25, so the second comes first.
        """
        cosines: dict[int, NDArray[np.float32]] = {}
        for index in range(len(self._names)):
            for place, number in enumerate(self._numbers[index, question].tolist()):
                cosines[number] = self._cosines[:, index, question, place]
        table = np.stack(list(cosines.values()), axis=1).astype(np.float64)
        low, high = table.min(axis=1, keepdims=True), table.max(axis=1, keepdims=True)
        shares = (table - low) / np.where(high > low, high - low, 1)
        total = sum(weights[name] * shares[index] for index, name in enumerate(self._names))
        order = np.argsort(-np.asarray(total))[:limit]
        numbers = list(cosines)
        return [numbers[index] for index in order.tolist()]


def recall(found: Sequence[int], right: Sequence[int]) -> float:
    """The share of the right ones that were found: ``recall([4, 2, 9], [2, 4, 7, 8])`` → 0.5"""
    return len(set(found) & set(right)) / len(right)
