"""The bench's arithmetic: a wrong figure would look like a right one."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
from rich.console import Console

from indexer.weaviate_server import Endpoint
from tests.bench import slack
from tests.bench.__main__ import table
from tests.bench.figures import Figure, in_turns, median_ratio, percentile
from tests.bench.slack_questions import Plan

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


async def test_a_small_run_in_slack_tells_what_claude_the_search_and_we_took(
    weaviate: Endpoint, tmp_path: Path
) -> None:
    """Every question is answered once and nothing is refused; what the stand-in waits counts as Claude's."""
    settings = {
        "weaviate_url": f"http://{weaviate.host}:{weaviate.port}",
        "weaviate_grpc_port": str(weaviate.grpc_port),
        "weaviate_api_key": weaviate.api_key or "",
    }
    plan = Plan(
        single=1,
        load=3,
        limited=1,
        documents=1,
        people=1,
        channels=1,
        latency=0.05,
        silence=0.05,
        pause=0.01,
        slow=0.05,
    )
    figures = await slack.figures(tmp_path, settings, plan, lambda _: None)
    value = {figure.what.removeprefix("Slack, "): figure.value for figure in figures}
    assert 0 < value["event to first status, p95"] < 5_000
    assert 0 < value["first sentence to its being shown, p95"] < 5_000
    claude = 2 * plan.latency + 4 * plan.silence
    assert 1e3 * claude <= value["one answer: Claude's time"] < 1e3 * (claude + 2)
    assert value["one answer: the search's"] > 0
    assert 0 < value["one answer: ours"] < 5_000
    assert 0 < value["one answer: ours, where each call takes Slack 50 ms"] < 5_000
    assert 0 < value["3 questions, 10 a second: ours, p95"] < 5_000
    assert value["3 questions, 10 a second: not answered once"] == 0
    assert value["1 questions, Slack's limits: not answered once"] == 0
    assert 0 < value["3 questions, 10 a second: slowest acknowledgement"] < 3_000
    assert value["calls that Slack or Claude refuses"] == 0
