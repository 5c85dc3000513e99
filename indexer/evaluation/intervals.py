"""How far a mean over questions carries: 95 % intervals by bootstrap.

The questions are drawn anew many times, with replacement, and the mean taken each time; the interval is where the
middle 95 % of those means lie. Two systems are compared on the same draws (paired): a gain whose interval excludes zero
is one that the choice of questions does not explain. The seed is fixed, so the same results give the same intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SEED = 20_261_130
DRAWS = 10_000
_MOST_NUMBERS = 20_000_000  # of all draws together: fewer draws where there are very many questions


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and the interval around it."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


class Bootstrap:
    """Draws for a number of questions; the same for everything that is estimated with it."""

    def __init__(self, questions: int) -> None:
        draws = max(1_000, min(DRAWS, _MOST_NUMBERS // questions))
        random = np.random.default_rng(SEED)
        counts = random.multinomial(questions, np.full(questions, 1 / questions), size=draws)
        self._weights: NDArray[np.float32] = (counts / questions).astype(np.float32)

    def mean(self, values: NDArray[np.float64] | Sequence[float]) -> Estimate:
        """The mean of one value a question, with its interval."""
        given = np.asarray(values, np.float64)
        low, high = np.quantile(self._weights @ given, (0.025, 0.975))
        return Estimate(float(given.mean()), float(low), float(high))

    def gain(self, values: NDArray[np.float64], over: NDArray[np.float64]) -> Estimate:
        """The mean of what one system has over another, question by question."""
        return self.mean(values - over)
