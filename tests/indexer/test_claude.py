"""Opening Claude's API, bounded waits, and one sentence for every error of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from email.utils import formatdate

import httpx2
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import Message, TextBlockParam

from indexer.claude import CLAUDE_ERRORS, explain, open_claude, usage_of
from indexer.errors import ClaudeUnavailable
from indexer.prices import load_prices
from indexer.retry_after import asked_wait
from tests.claude_server import OVERLOADED, SERVER_ERROR, ClaudeServer, Hangup, HttpError, Midway, fails, says

pytestmark = pytest.mark.anyio

HAIKU = "claude-haiku-5-5"
SECRET = "sk-ant-very-secret"


@asynccontextmanager
async def opened(
    address: str, retries: int = 0, timeout: float = 10, wait: float = 30
) -> AsyncIterator[AsyncAnthropic]:
    client = open_claude(SECRET, address, timeout, retries, wait)
    try:
        yield client
    finally:
        await client.close()


async def ask(client: AsyncAnthropic, system: Iterable[TextBlockParam] = ()) -> Message:
    return await client.messages.create(
        model=HAIKU, max_tokens=100, system=system, messages=[{"role": "user", "content": "Hello."}]
    )


async def failure(client: AsyncAnthropic) -> ClaudeUnavailable:
    with pytest.raises(CLAUDE_ERRORS) as caught:
        await ask(client)
    return explain(caught.value)


@pytest.mark.parametrize(
    ("fault", "kind", "retryable", "named"),
    [
        (HttpError(400, "messages: too many cats"), "request", False, "too many cats"),
        (HttpError(400, "Your credit balance is too low to access the API."), "credit", False, "credit"),
        (HttpError(401, "invalid x-api-key"), "key", False, "ANTHROPIC_API_KEY"),
        (HttpError(402, "billing"), "credit", False, "credit"),
        (HttpError(403, "no"), "permission", False, "ANTHROPIC_API_KEY"),
        (HttpError(404, "model: claude-x"), "model", False, "(model: claude-x); check CONTEXT_MODEL"),
        (HttpError(408, "slow"), "timeout", True, "CLAUDE_TIMEOUT_SECONDS"),
        (HttpError(413, "large"), "too_large", False, "CONTEXT_DOCUMENT_TOKENS"),
        (HttpError(429, "slow down"), "rate_limited", True, "in a minute"),
        (HttpError(429, "slow down", retry_after=600), "rate_limited", True, "in 10 minutes"),
        (HttpError(429, "slow down", retry_after=7_200), "rate_limited", True, "in 2 hours"),
        (SERVER_ERROR, "server", True, "internal error"),
        (OVERLOADED, "overloaded", True, "overloaded"),
        (Hangup(), "unreachable", True, "ANTHROPIC_BASE_URL"),
    ],
)
async def test_every_error_is_one_sentence_that_says_what_to_do(
    claude: ClaudeServer, fault: HttpError | Hangup, kind: str, retryable: bool, named: str
) -> None:
    claude.fail(fault)
    async with opened(claude.base_url) as client:
        error = await failure(client)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert named in str(error)
    assert str(error).endswith(".")
    assert "\n" not in str(error)
    assert SECRET not in str(error)


@pytest.mark.parametrize(
    ("fault", "kind", "named"),
    [
        (HttpError(400, "messages: too many cats"), "request", "did not accept"),
        (HttpError(404, "model: claude-x"), "model", "ANSWER_MODEL"),
        (HttpError(413, "large"), "too_large", "The question or the conversation"),
        (HttpError(400, "prompt is too long: 9 tokens > 8 maximum"), "too_large", "The question or the conversation"),
        (OVERLOADED, "overloaded", "overloaded"),
    ],
)
async def test_whoever_asks_reads_nothing_of_the_api_and_nothing_about_indexing(
    claude: ClaudeServer, fault: HttpError, kind: str, named: str
) -> None:
    claude.fail(fault)
    async with opened(claude.base_url) as client:
        with pytest.raises(CLAUDE_ERRORS) as caught:
            await ask(client)
    error = explain(caught.value, asked=True)
    assert error.kind == kind
    assert named in str(error)
    for other in ("cats", "claude-x", "tokens", "CONTEXT_"):
        assert other not in str(error)


async def test_nobody_there_is_unreachable() -> None:
    async with opened("http://127.0.0.1:9") as client:
        assert (await failure(client)).kind == "unreachable"


async def test_a_silent_server_is_a_timeout(claude: ClaudeServer) -> None:
    claude.script(says("late", latency=30.0))
    async with opened(claude.base_url, timeout=0.3) as client:
        error = await failure(client)
    assert (error.kind, error.retryable) == ("timeout", True)


@pytest.mark.parametrize("status", ["200 OK", "404 Not Found"])
async def test_something_else_at_the_address_is_said(status: str) -> None:
    """A web page is no answer, and a 404 without Claude's error body is a wrong address, not an unknown model."""

    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: 15\r\nconnection: close\r\n\r\n"
        writer.write(head.encode() + b"<h1>Hello.</h1>")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(page, "127.0.0.1", 0)
    async with server, opened(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", retries=2) as client:
        error = await failure(client)
    assert (error.kind, error.retryable) == ("reply", False)


@pytest.mark.parametrize(
    ("how", "kind"), [("error", "overloaded"), ("cut", "cut"), ("reset", "cut"), ("stall", "timeout")]
)
async def test_errors_in_the_middle_of_a_stream_are_explained(claude: ClaudeServer, how: str, kind: str) -> None:
    claude.script(fails(Midway(how)))  # type: ignore[arg-type] # one of its literals
    async with opened(claude.base_url, timeout=0.5) as client:
        with pytest.raises(CLAUDE_ERRORS) as caught:
            async with client.messages.stream(
                model=HAIKU, max_tokens=100, messages=[{"role": "user", "content": "Hello."}]
            ) as stream:
                await stream.get_final_message()
    error = explain(caught.value)
    assert (error.kind, error.retryable) == (kind, True)


def test_an_error_of_ours_and_one_of_nobody_are_explained_too() -> None:
    mine = ClaudeUnavailable("Away.", kind="cut")
    assert explain(mine) is mine
    assert explain(httpx2.ReadError("reset")).kind == "cut"
    assert explain(ValueError("?")).kind == "server"


async def test_what_passes_is_retried_in_one_place(claude: ClaudeServer) -> None:
    claude.fail(HttpError(529, "Overloaded", retry_after=0.01), times=2)
    async with opened(claude.base_url, retries=2) as client:
        message = await ask(client)
    assert message.stop_reason == "end_turn"
    assert [request.status for request in claude.messages] == [529, 529, 200]


async def test_what_cannot_pass_is_not_retried(claude: ClaudeServer) -> None:
    claude.fail(HttpError(401, "invalid x-api-key"), times=None)
    async with opened(claude.base_url, retries=4) as client:
        await failure(client)
    assert len(claude.messages) == 1


async def test_a_long_retry_after_does_not_block_the_caller(claude: ClaudeServer) -> None:
    """The SDK would sleep for the ten minutes."""
    claude.fail(HttpError(429, "slow down", retry_after=600), times=None)
    begin = time.monotonic()
    async with opened(claude.base_url, retries=4) as client:
        error = await failure(client)
    assert time.monotonic() - begin < 5
    assert len(claude.messages) == 1
    assert "in 10 minutes" in str(error)


async def test_a_retry_after_within_the_bound_is_obeyed(claude: ClaudeServer) -> None:
    claude.fail(HttpError(429, "slow down", retry_after=0.4))
    begin = time.monotonic()
    async with opened(claude.base_url, retries=1, wait=0.5) as client:
        await ask(client)
    assert time.monotonic() - begin >= 0.4


def test_the_wait_asked_for_is_read_in_all_its_forms() -> None:
    assert asked_wait({"retry-after": "12"}) == 12
    assert asked_wait({"retry-after-ms": "1500", "retry-after": "12"}) == 1.5
    assert asked_wait({"retry-after": formatdate(time.time() + 100, usegmt=True)}) == pytest.approx(100, abs=3)
    assert asked_wait({"retry-after": "soon"}) is None
    assert asked_wait({}) is None


async def test_usage_is_read_from_the_flat_counters_and_priced(claude: ClaudeServer) -> None:
    document: TextBlockParam = {
        "type": "text",
        "text": "word " * 4_000,
        "cache_control": {"type": "ephemeral", "ttl": "1h"},
    }
    async with opened(claude.base_url) as client:
        first = usage_of(await ask(client, system=[document]), load_prices(), "1h")
        second = usage_of(await ask(client, system=[document]), load_prices(), "1h")
    assert (first.cache_write_tokens, first.cache_read_tokens) == (5_000, 0)
    assert (second.cache_write_tokens, second.cache_read_tokens) == (0, 5_000)
    assert first.input_tokens == second.input_tokens == 2
    assert first.cost_usd == pytest.approx((2 * 0.10 + 5_000 * 0.20 + first.output_tokens * 0.50) / 1e6)
    assert second.cost_usd == pytest.approx((2 * 0.10 + 5_000 * 0.01 + second.output_tokens * 0.50) / 1e6)
