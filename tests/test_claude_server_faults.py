"""How the stand-in for the Messages API fails when told to."""

from __future__ import annotations

import asyncio
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic

from tests.claude_server import ClaudeServer, Hangup, HttpError, Midway, fails, says
from tests.claude_server.examples import OLD, asking, cached

pytestmark = pytest.mark.anyio


# Faults


async def test_a_fault_is_met_once_and_then_the_scripted_reply_comes(claude: ClaudeServer) -> None:
    """The client obeys Retry-After."""
    claude.fail(HttpError(429, retry_after=0.01))
    claude.fail(HttpError(500))
    claude.script(says("At last."))
    async with AsyncAnthropic(api_key="key", base_url=claude.base_url, max_retries=2) as client:
        answer = await client.messages.create(**asking())
    assert answer.content[0].type == "text"
    assert answer.content[0].text == "At last."
    assert [request.status for request in claude.messages] == [429, 500, 200]
    assert not claude.violations


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, anthropic.RateLimitError), (529, anthropic.OverloadedError), (500, anthropic.InternalServerError)],
)
async def test_lasting_faults(
    claude: ClaudeServer, claude_client: AsyncAnthropic, status: int, error: type[anthropic.APIStatusError]
) -> None:
    claude.fail(HttpError(status), times=None)
    for _ in range(2):
        with pytest.raises(error):
            await claude_client.messages.create(**asking())
    claude.recover()
    await claude_client.messages.create(**asking())


async def test_connection_closed_or_refused(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.fail(Hangup())
    with pytest.raises(anthropic.APIConnectionError):
        await claude_client.messages.create(**asking())
    claude.close_port()
    with pytest.raises(anthropic.APIConnectionError):
        await claude_client.messages.create(**asking())
    claude.open_port()
    await claude_client.messages.create(**asking())


async def read_until_it_breaks(client: AsyncAnthropic) -> tuple[str, BaseException | None, str | None]:
    """What was said, what was raised, the stop reason."""
    said = ""
    async with client.messages.stream(**asking()) as stream:
        try:
            async for piece in stream.text_stream:
                said += piece
        except (anthropic.APIError, httpx2.HTTPError) as error:
            return said, error, stream.current_message_snapshot.stop_reason
        return said, None, stream.current_message_snapshot.stop_reason


async def test_error_event_in_the_middle(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.script(fails(Midway("error", after=3), says("x" * 100)))
    said, error, _ = await read_until_it_breaks(claude_client)
    assert said == "x" * 33
    assert isinstance(error, anthropic.APIStatusError)
    assert (error.status_code, error.type) == (200, "overloaded_error")


async def test_cut_in_the_middle(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.script(fails(Midway("cut", after=3), says("x" * 100)))
    said, error, reason = await read_until_it_breaks(claude_client)
    assert (said, reason) == ("x" * 33, None)
    assert isinstance(error, httpx2.RemoteProtocolError)
    assert claude.messages[0].disconnected


async def test_stall_in_the_middle(claude: ClaudeServer) -> None:
    claude.script(fails(Midway("stall", after=2), says("x" * 100)))
    async with AsyncAnthropic(api_key="key", base_url=claude.base_url, max_retries=0, timeout=0.2) as client:
        said, error, _ = await read_until_it_breaks(client)
    assert said == "x" * 22
    assert isinstance(error, httpx2.ReadTimeout)


async def test_stream_that_ends_without_its_last_event_raises_nothing(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    claude.script(fails(Midway("end", after=2), says("x" * 100)))
    assert await read_until_it_breaks(claude_client) == ("x" * 22, None, None)


async def test_reset_in_the_middle(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.script(fails(Midway("reset", after=2), says("x" * 100)))
    _, error, _ = await read_until_it_breaks(claude_client)
    assert isinstance(error, httpx2.HTTPError)


async def test_latency_is_there_for_every_answer(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.latency = 0.05
    loop = asyncio.get_running_loop()
    start = loop.time()
    await asyncio.gather(*(claude_client.messages.create(**asking()) for _ in range(8)))
    assert 0.05 <= loop.time() - start < 2


async def test_client_that_goes_away_is_noticed(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.script(says("x" * 200, pause=0.05))
    async with claude_client.messages.stream(**asking()) as stream:
        async for _ in stream.text_stream:
            break
    await claude.until(lambda: claude.messages[0].disconnected)
    assert claude.messages[0].disconnected
    assert not claude.messages[0].finished


async def test_rate_limit_leaves_out_what_is_read_from_the_cache(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    claude.tokens_per_minute = 2_000
    for number in range(10):
        await claude_client.messages.create(**cached(f"chunk {number}"))
    with pytest.raises(anthropic.RateLimitError) as caught:
        await claude_client.messages.create(**asking("a" * 4_000))
    assert float(caught.value.response.headers["retry-after"]) >= 1


async def test_window_exceeded_while_answering(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.script(says("x" * 4_000))
    answer = await claude_client.messages.create(**asking("a" * (4 * 200_000 - 400), model=OLD, max_tokens=1_000))
    assert answer.stop_reason == "model_context_window_exceeded"
    assert answer.usage.output_tokens == 100


async def test_brain_that_fails_fails_the_test_not_the_product() -> None:
    def broken(request: object) -> Any:
        raise ValueError("bug in the test")

    with ClaudeServer(broken) as claude:
        async with AsyncAnthropic(api_key="key", base_url=claude.base_url, max_retries=5) as client:
            with pytest.raises(anthropic.InternalServerError, match="bug in the test"):
                await client.messages.create(**asking())
        assert len(claude.requests) == 1
        assert [str(mistake) for mistake in claude.mistakes] == ["bug in the test"]
