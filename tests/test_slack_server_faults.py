"""Faults on order in the stand-in for Slack: errors, lost answers, slowness, rate limits, streams that end."""

from __future__ import annotations

import time

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows."""
    slack.allow_all()


async def stream(slack: SlackServer, company: Company, client: AsyncWebClient) -> tuple[str, str]:
    """A question and an open stream under it."""
    ts = slack.says(company.ana, company.general, "@Situate?")
    started = await client.chat_startStream(
        channel=company.general.id,
        thread_ts=ts,
        recipient_user_id=company.ana.id,
        recipient_team_id=slack.team_id,
        markdown_text="Once ",
    )
    return ts, str(started["ts"])


async def test_an_error_on_order_befalls_so_many_calls_and_is_no_violation(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.fail("chat.*", error="internal_error", times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError, match="internal_error"):
            await slack_client.chat_postMessage(channel=company.general.id, text="x")
    await slack_client.chat_postMessage(channel=company.general.id, text="x")
    assert len(slack.messages(company.general)) == 1
    assert [call.result and call.result["ok"] for call in slack.called("chat.postMessage")] == [False, False, True]


async def test_a_fault_stays_until_recovery(slack: SlackServer, slack_client: AsyncWebClient) -> None:
    slack.fail("auth.test", status=503, times=None)
    for _ in range(3):
        with pytest.raises(SlackApiError) as failed:
            await slack_client.auth_test()
        assert failed.value.response.status_code == 503
    slack.recover()
    await slack_client.auth_test()


async def test_rate_limits_come_with_retry_after(slack: SlackServer, slack_client: AsyncWebClient) -> None:
    slack.fail("auth.test", ratelimited=7)
    with pytest.raises(SlackApiError) as limited:
        await slack_client.auth_test()
    assert limited.value.response.status_code == 429
    assert limited.value.response.headers["Retry-After"] == "7"


@pytest.mark.parametrize(("drop", "there"), [("before", 0), ("after", 1)])
async def test_a_lost_answer_leaves_the_message_or_not(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, drop: str, there: int
) -> None:
    slack.fail("chat.postMessage", drop="before" if drop == "before" else "after")
    with pytest.raises(aiohttp.ClientError):
        await slack_client.chat_postMessage(channel=company.general.id, text="x")
    assert len(slack.messages(company.general)) == there
    await slack.until(lambda: slack.called("chat.postMessage"))
    assert slack.called("chat.postMessage")[0].result is None


async def test_a_call_that_hangs_does_nothing_and_is_cut(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.fail("chat.postMessage", hang=0.1)
    with pytest.raises(aiohttp.ClientError):
        await slack_client.chat_postMessage(channel=company.general.id, text="x")
    assert slack.messages(company.general) == []


async def test_slow_methods_work(slack: SlackServer, slack_client: AsyncWebClient) -> None:
    slack.slow("auth.*", 0.1)
    began = time.monotonic()
    await slack_client.auth_test()
    assert time.monotonic() - began >= 0.1
    assert slack.called("auth.test")[0].seconds >= 0.1


async def test_the_port_may_be_closed_for_a_while(slack: SlackServer, slack_client: AsyncWebClient) -> None:
    slack.close_port()
    with pytest.raises(aiohttp.ClientError):
        await slack_client.auth_test()
    slack.open_port()
    await slack_client.auth_test()


async def test_tiers_hold_when_enforced(slack: SlackServer, company: Company, slack_client: AsyncWebClient) -> None:
    slack.enforce_rates()
    ts = slack.says(company.ana, company.general, "@Situate?")
    for _ in range(20):
        await slack_client.users_list()
    with pytest.raises(SlackApiError, match="ratelimited"):
        await slack_client.users_list()
    for _ in range(3):
        await slack_client.chat_postMessage(channel=company.general.id, thread_ts=ts, text="x")
    with pytest.raises(SlackApiError, match="ratelimited"):
        await slack_client.chat_postMessage(channel=company.general.id, thread_ts=ts, text="x")
    await slack_client.chat_postMessage(channel=company.finance.id, text="x")
    assert slack.violations == []


async def test_minutes_of_the_limits_are_shorter_by_the_clock_factor(slack: SlackServer, company: Company) -> None:
    slack.clock_factor = 0.01
    slack.enforce_rates()
    retry = AsyncRateLimitErrorRetryHandler(max_retry_count=2)
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[retry])
    for _ in range(21):
        await client.users_list()
    assert [call.result and call.result["ok"] for call in slack.calls][-2:] == [False, True]


async def test_a_stream_ends_after_its_time_and_can_be_rewritten_then(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.stream_seconds = 0.05
    ts, started = await stream(slack, company, slack_client)
    await slack_client.chat_appendStream(channel=company.general.id, ts=started, markdown_text="upon")
    time.sleep(0.06)  # noqa: ASYNC251 - nothing else is to happen meanwhile
    for call in (slack_client.chat_appendStream, slack_client.chat_stopStream):
        with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
            await call(channel=company.general.id, ts=started, markdown_text=" a time")
    await slack_client.chat_update(channel=company.general.id, ts=started, markdown_text="Once upon a time")
    assert [message.shown for message in slack.replies(company.general, ts)] == ["Once upon a time"]


async def test_a_stream_that_nobody_touches_any_more_is_over_all_the_same(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.stream_seconds = 0.05
    _, started = await stream(slack, company, slack_client)
    await slack.until(lambda: not slack.open_streams)
    assert [message.ts for message in slack.abandoned_streams] == [started]
    await slack_client.chat_update(channel=company.general.id, ts=started, markdown_text="Once upon a time")


@pytest.mark.parametrize("error", ["message_not_in_streaming_state", "stopped_by_user"])
async def test_an_error_on_order_that_ends_a_stream_ends_it(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, error: str
) -> None:
    _, started = await stream(slack, company, slack_client)
    slack.fail("chat.appendStream", error=error)
    for _ in range(2):
        with pytest.raises(SlackApiError, match=error):
            await slack_client.chat_appendStream(channel=company.general.id, ts=started, markdown_text="upon")
    await slack_client.chat_update(channel=company.general.id, ts=started, markdown_text="Once upon a time")


async def test_all_streams_can_be_ended_at_once(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    _, started = await stream(slack, company, slack_client)
    slack.expire_streams()
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await slack_client.chat_stopStream(channel=company.general.id, ts=started)
    await slack_client.chat_delete(channel=company.general.id, ts=started)


async def test_stop_ends_streams_and_tells_the_app(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    ts, started = await stream(slack, company, slack_client)
    delivery = slack.presses_stop(company.ana, company.general, ts)
    assert delivery.payload["event"]["streaming_message_ts"] == [started]
    assert delivery.payload["event"]["thread_ts"] == ts
    with pytest.raises(SlackApiError, match="stopped_by_user"):
        await slack_client.chat_appendStream(channel=company.general.id, ts=started, markdown_text="upon")
    assert slack.replies(company.general, ts)[0].shown == "Once "
    assert slack.violations == []


async def test_a_stream_may_be_refused_an_update_for_ever(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.refuses_updates_of_streams = True
    _, started = await stream(slack, company, slack_client)
    await slack_client.chat_stopStream(channel=company.general.id, ts=started)
    with pytest.raises(SlackApiError, match="block_mismatch"):
        await slack_client.chat_update(channel=company.general.id, ts=started, markdown_text="x")


async def test_recipients_in_direct_messages_are_taken_or_refused(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    direct = slack.direct(company.ana)
    ts = slack.says(company.ana, direct, "Hello")
    slack.refuses_recipients_in_direct = True
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await slack_client.chat_startStream(channel=direct.id, thread_ts=ts, recipient_user_id=company.ana.id)
    started = await slack_client.chat_startStream(channel=direct.id, thread_ts=ts)
    await slack_client.chat_stopStream(channel=direct.id, ts=started["ts"])
    assert slack.violations == []


async def test_tasks_of_a_stream_change_in_place(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    ts = slack.says(company.ana, company.general, "@Situate?")
    task = {"type": "task_update", "id": "1", "title": "Searching for x", "status": "in_progress"}
    started = await slack_client.chat_startStream(
        channel=company.general.id,
        thread_ts=ts,
        recipient_user_id=company.ana.id,
        recipient_team_id=slack.team_id,
        chunks=[task],
    )
    done = task | {"title": "Searched x", "status": "complete", "output": "8 passages"}
    words = [{"type": "markdown_text", "text": "It "}, {"type": "markdown_text", "text": "rained."}]
    await slack_client.chat_appendStream(channel=company.general.id, ts=started["ts"], chunks=[*words, done])
    await slack_client.chat_stopStream(channel=company.general.id, ts=started["ts"], chunks=[])
    (message,) = slack.replies(company.general, ts)
    assert message.shown == "✓ Searched x — 8 passages\nIt rained."
    assert message.history[0][1] == "• Searching for x"
    assert message.markdown == "It rained."
