"""How quick the bot is in Slack: the local Slack and Claude's stand-in in this process, the bot in one of its own."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from indexer.library import Indexer
from indexer.weaviate_server import weaviate_server
from tests.bench.figures import Figure, Tell, percentile
from tests.bench.indexes import add, bench_settings
from tests.bench.slack_questions import Asked, Asking, Plan, Quoting
from tests.bench.texts import markdown
from tests.claude_server import ClaudeServer
from tests.slack_server import SlackServer

ROOT = Path(__file__).parents[2]


async def measure(folder: Path, tell: Tell) -> list[Figure]:
    """Single questions, and many at once. Slack answers every call at once, so its own time is in no figure."""
    async with weaviate_server(bench_settings(folder), notify=tell):  # the processes join it
        return await figures(folder, {}, Plan(), tell)


async def figures(folder: Path, settings: Mapping[str, str], plan: Plan, tell: Tell) -> list[Figure]:
    """The figures of a bot that keeps everything in ``folder``; ``settings`` are the indexer's."""
    chosen = {"embedder": "hashing", "chunk_tokens": "128", **settings}
    brain = Quoting(plan.silence)
    with SlackServer() as slack, ClaudeServer(brain, latency=plan.latency) as claude:
        claude.thinking_tokens = 0
        async with Indexer.open(bench_settings(folder, **chosen), notify=tell) as indexer:
            texts = [markdown(100 + number, sections=10, paragraphs=5) for number in range(plan.documents)]
            passages = sum(version.chunks for version in await add(indexer, *texts, name="slack"))
        tell(f"slack: {passages} passages in {len(texts)} documents")
        environment = {
            "DATA_DIR": str(folder),
            **{name.upper(): value for name, value in chosen.items()},
            "ANTHROPIC_API_KEY": "bench",
            "ANTHROPIC_BASE_URL": claude.base_url,
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
            "SLACK_API_URL": slack.api_url,
        }
        async with _bot(folder, environment) as searches:
            asking = Asking(slack, claude, brain, plan, searches)
            cold = await asking.one()
            await asking.load(plan.people * plan.channels, 2 * plan.rate)  # everybody and every channel is known then
            tell("slack: one by one")
            single = [await asking.one() for _ in range(plan.single)]
            slack.slow("*", plan.slow)
            slowly = [await asking.one() for _ in range(-(-plan.single // 6))]
            slack.recover()
            brain.piece, brain.pause = 30, plan.pause
            await asking.load(plan.load // 5, plan.rate)
            tell(f"slack: {plan.rate:g} a second; the machine's load is {os.getloadavg()[0]:.1f}")
            many = await asking.load(plan.load, plan.rate)
            tell("slack: the same, and Slack's limits hold")
            slack.enforce_rates()
            limited = await asking.load(plan.limited, plan.rate)
    if slack.mistakes or claude.mistakes:
        raise RuntimeError(f"A stand-in failed: {[*slack.mistakes, *claude.mistakes]!r}")
    return [*_of_single(asking, cold, single, slowly), *_of_many(asking, many), _of_limited(asking, limited)]


def _of_single(asking: Asking, cold: Asked, single: Sequence[Asked], slowly: Sequence[Asked]) -> list[Figure]:
    plan, first = asking.plan, asking.times(cold)
    times = [asking.times(each) for each in single]
    slow = [1e3 * asking.times(each).ours for each in slowly]
    status, sentence = [1e3 * each.status for each in times], [1e3 * each.sentence for each in times]
    whole = f"median of {len(times)}; the whole answer {_median(each.whole for each in times):.0f} ms"
    began = f"p50 {statistics.median(status):.0f} ms; {1e3 * first.status:.0f} ms for the first of a fresh process"
    shown = f"p50 {statistics.median(sentence):.0f} ms; it stands alone for {2e3 * plan.silence:.0f} ms"
    written = (
        f"two answers, {1e3 * plan.latency:.0f} ms to the first byte, {1e3 * plan.silence:.0f} ms after each piece"
    )
    name = "Slack, one answer"
    return [
        Figure("Slack, event to first status, p95", percentile(status, 0.95), "ms", 300, began),
        Figure("Slack, first sentence to its being shown, p95", percentile(sentence, 0.95), "ms", 300, shown),
        Figure(f"{name}: Claude's time", _median(each.claude for each in times), "ms", None, written),
        Figure(f"{name}: the search's", _median(each.search for each in times), "ms", None, ""),
        Figure(f"{name}: ours", _median(each.ours for each in times), "ms", None, whole),
        Figure(
            f"{name}: ours, where each call takes Slack {1e3 * plan.slow:.0f} ms",
            statistics.median(slow),
            "ms",
            None,
            f"median of {len(slow)}",
        ),
    ]


def _of_many(asking: Asking, many: Sequence[Asked]) -> list[Figure]:
    good = [each for each in many if asking.is_answered_once(each)]
    times = [asking.times(each) for each in good]
    ours, search = [1e3 * each.ours for each in times], [1e3 * each.search for each in times]
    name = f"Slack, {len(many)} questions, {asking.plan.rate:g} a second"
    told = (
        f"p50 {statistics.median(ours):.0f} ms; the search's p95 {percentile(search, 0.95):.0f} ms; the bot takes "
        f"{1e3 * asking.processor(many):.0f} ms of a processor for one"
    )
    calls, violations = len(asking.slack.calls), len(asking.slack.violations) + len(asking.claude.violations)
    return [
        Figure(f"{name}: ours, p95", percentile(ours, 0.95), "ms", 1_000, told),
        Figure(f"{name}: not answered once", len(many) - len(good), "", 0, ""),
        Figure(f"{name}: slowest acknowledgement", 1e3 * asking.slowest_ack(many), "ms", 3_000, "Slack's own limit"),
        Figure("Slack, calls that Slack or Claude refuses", violations, "", 0, f"of {calls} of Slack"),
    ]


def _of_limited(asking: Asking, limited: Sequence[Asked]) -> Figure:
    """Slack begins few streams a minute: the other answers are posted, a message a second and channel."""
    good = [each for each in limited if asking.is_answered_once(each)]
    ours = [asking.times(each).ours for each in good] or [0.0]
    told = f"ours, p50 {1e3 * statistics.median(ours):.0f} ms, at most {max(ours):.1f} s: Slack has us wait"
    name = f"Slack, {len(limited)} questions, Slack's limits: not answered once"
    return Figure(name, len(limited) - len(good), "", 0, told)


def _median(seconds: Iterable[float]) -> float:
    """The median, in milliseconds."""
    return 1e3 * statistics.median(seconds)


@asynccontextmanager
async def _bot(folder: Path, environment: Mapping[str, str]) -> AsyncIterator[list[dict[str, Any]]]:
    """A running bot; the list grows by what it tells of its searches."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "XDG_CACHE_HOME") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.slack_bot"),
        cwd=folder,  # where no .env is
        env={**keep, "PYTHONPATH": str(ROOT), **environment},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told: list[dict[str, Any]] = []
    errors = asyncio.create_task(_errors(process))
    try:
        if not await process.stdout.readline():
            raise RuntimeError(f"The bot did not start: {(await errors)[-500:]}")
        reading = asyncio.create_task(_read(process, told))
        yield told
    finally:
        process.stdin.close()
        await process.wait()
        await errors
    await reading


async def _errors(process: Process) -> str:
    assert process.stderr is not None
    return (await process.stderr.read()).decode()


async def _read(process: Process, told: list[dict[str, Any]]) -> None:
    assert process.stdout is not None
    while line := await process.stdout.readline():
        told.append(json.loads(line))
