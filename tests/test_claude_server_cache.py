"""The prompt cache of the stand-in for the Messages API."""

from __future__ import annotations

import asyncio
from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic

from tests.claude_server import OVERLOADED, ClaudeServer, Hold, says
from tests.claude_server.examples import FAST, LONG, MARK, OLD, SEARCH, cached, content, text

pytestmark = pytest.mark.anyio


# The prompt cache


async def counters(client: AsyncAnthropic, body: dict[str, Any]) -> tuple[int, int, int]:
    """Uncached input, written to the cache, read from it."""
    usage = (await client.messages.create(**body)).usage
    return usage.input_tokens, usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0


async def test_second_call_reads_what_the_first_wrote(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    assert await counters(claude_client, cached("a" * 40)) == (10, 1475, 0)
    assert await counters(claude_client, cached("b" * 40)) == (10, 0, 1475)
    assert await counters(claude_client, cached("b" * 40, document="x" + LONG)) == (10, 1476, 0)
    assert await counters(claude_client, cached("b" * 40, model=OLD)) == (1485, 0, 0), "below the older model's minimum"
    assert await counters(claude_client, cached("b" * 40, system="Other.")) == (10, 1477, 0)


async def test_parallel_first_calls_all_miss(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    """An entry is there only once the first response begins."""
    hold = Hold()
    claude.script(*[says("ok", hold=hold)] * 4)
    waiting = [asyncio.create_task(counters(claude_client, cached(f"chunk {number}"))) for number in range(4)]
    await claude.until(lambda: claude.in_flight == 4)  # each has looked into the cache
    hold.release()
    assert [written for _, written, _ in await asyncio.gather(*waiting)] == [1475] * 4
    assert (await counters(claude_client, cached("chunk 9")))[2] == 1475
    assert claude.most_in_flight == 4
    assert (claude.spent["written"], claude.spent["read"]) == (4 * 1475, 1475)


async def test_failed_call_writes_nothing(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.fail(OVERLOADED)
    with pytest.raises(anthropic.APIStatusError):
        await claude_client.messages.create(**cached("a"))
    assert (await counters(claude_client, cached("a")))[1] == 1475


async def test_empty_call_warms_the_cache(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    warm = await claude_client.messages.create(**cached("a", max_tokens=0))
    assert (warm.content, warm.stop_reason, warm.usage.output_tokens) == ([], "max_tokens", 0)
    assert (await counters(claude_client, cached("b")))[2] == 1475


async def test_nothing_below_the_minimum_is_cached_and_nothing_says_so(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    claude.minimum_prefix(FAST, 2_000)
    assert await counters(claude_client, cached("abcd")) == (1476, 0, 0)
    assert await counters(claude_client, cached("abcd")) == (1476, 0, 0)


@pytest.mark.parametrize(("ttl", "seconds"), [("5m", 300), ("1h", 3_600)])
async def test_entries_expire_and_reads_keep_them_alive(ttl: str, seconds: int) -> None:
    now = [0.0]
    with ClaudeServer(clock=lambda: now[0]) as claude:
        async with AsyncAnthropic(api_key="key", base_url=claude.base_url, max_retries=0) as client:
            first = (await client.messages.create(**cached("a", ttl=ttl))).usage.cache_creation
            assert first is not None
            assert (first.ephemeral_5m_input_tokens, first.ephemeral_1h_input_tokens) == (
                (1475, 0) if ttl == "5m" else (0, 1475)
            )
            for _ in range(3):
                now[0] += seconds - 1
                assert (await counters(client, cached("a", ttl=ttl)))[2] == 1475
            now[0] += seconds + 1
            assert (await counters(client, cached("a", ttl=ttl)))[1] == 1475


@pytest.mark.parametrize(("blocks", "read"), [(19, 1475), (25, 0)])
async def test_look_back_is_twenty_blocks(
    claude: ClaudeServer, claude_client: AsyncAnthropic, blocks: int, read: int
) -> None:
    await claude_client.messages.create(**cached("a"))
    more = [text("more") for _ in range(blocks - 1)]
    body = content(text(LONG), *more, text("end", cache_control=MARK))
    assert (await counters(claude_client, body))[2] == read


async def test_thinking_and_tool_choice_keep_the_system_prompt_only(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    system = [text(LONG, cache_control=MARK)]
    body = cached("a", system=system, tools=[SEARCH])
    await claude_client.messages.create(**body)
    size = claude.messages[0].usage
    assert size is not None
    fresh, written, read = await counters(claude_client, body | {"tool_choice": {"type": "none"}})
    assert written == 1475
    assert fresh + written + read == size["input_tokens"] + size["cache_creation_input_tokens"]
    assert (await counters(claude_client, body | {"thinking": {"type": "adaptive"}}))[1] == 1475
