"""What a part of the bench gives back, and how times are taken."""

from __future__ import annotations

import statistics
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. ``target`` is the most that it should be; None where there is none."""

    what: str
    value: float
    unit: str  # "×" for ratios
    target: float | None
    detail: str

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.value <= self.target


Tell = Callable[[str], None]


T = TypeVar("T")


async def timed(work: Awaitable[T]) -> tuple[float, T]:
    """Seconds that it takes from here on, and its result."""
    started = perf_counter()
    result = await work
    return perf_counter() - started, result


async def in_turns(
    items: Sequence[str], one: Callable[[str], Awaitable[object]], other: Callable[[str], Awaitable[object]]
) -> tuple[list[float], list[float]]:
    """Seconds of both ways for each item; who goes first changes from item to item."""
    first, second = [], []
    for number, item in enumerate(items):
        if number % 2:
            second.append((await timed(other(item)))[0])
            first.append((await timed(one(item)))[0])
        else:
            first.append((await timed(one(item)))[0])
            second.append((await timed(other(item)))[0])
    return first, second


def percentile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of the values do not exceed: ``percentile([4, 1, 3, 2], 0.5)`` → 2."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * round(share * 100) // 100) - 1)]


def median_ratio(ours: Sequence[float], bare: Sequence[float]) -> float:
    """The median of the ratios of each pair."""
    return statistics.median(one / other for one, other in zip(ours, bare, strict=True))
