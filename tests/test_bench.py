"""The bench's arithmetic: a wrong ratio would look like a right one."""

from __future__ import annotations

import asyncio
import io

import pytest
from rich.console import Console

from tests.bench.__main__ import table
from tests.bench.figures import Figure, in_turns, median_ratio, percentile

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("share", "value"), [(0.5, 50), (0.95, 95), (1.0, 100), (0.01, 1)])
def test_percentile_is_the_value_that_the_share_does_not_exceed(share: float, value: float) -> None:
    assert percentile(range(100, 0, -1), share) == value
    assert percentile([7.0], share) == 7.0


def test_ratio_is_the_median_over_the_pairs() -> None:
    assert median_ratio([2, 30, 9], [1, 10, 3]) == 3


async def test_both_ways_take_turns_at_going_first() -> None:
    order: list[str] = []

    async def slow(item: str) -> None:
        order.append(f"slow {item}")
        await asyncio.sleep(0.02)

    async def quick(item: str) -> None:
        order.append(f"quick {item}")

    first, second = await in_turns(["a", "b"], slow, quick)
    assert order == ["slow a", "quick a", "quick b", "slow b"]
    assert min(first) >= 0.02 > max(second)


def test_the_table_tells_what_is_met() -> None:
    figures = [
        Figure("quick", 1.02, "×", 1.15, ""),
        Figure("slow", 1.30, "×", 1.15, ""),
        Figure("memory", 512.4, "MB", None, ""),
    ]
    console = Console(file=io.StringIO(), width=100)
    console.print(table(figures))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    said = {name: next(line for line in lines if name in line) for name in ("quick", "slow", "memory")}
    assert "met" in said["quick"]
    assert "not met" not in said["quick"]
    assert "1.30 ×" in said["slow"]
    assert "not met" in said["slow"]
    assert "512 MB" in said["memory"]
    assert "met" not in said["memory"]
