"""The stand-in for Slack: it lets through what Slack takes, with the real client and real Bolt on real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows."""
    slack.allow_all()


@pytest.fixture
async def app(slack: SlackServer, slack_client: AsyncWebClient) -> AsyncIterator[AsyncApp]:
    """Real Bolt, connected by Socket Mode."""
    app = AsyncApp(client=slack_client)
    handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=0.2)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt has no types there
    await slack.ready()
    yield app
    await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt has no types there


async def test_mention_arrives_as_two_events_escaped_as_slack_does(
    slack: SlackServer, company: Company, app: AsyncApp
) -> None:
    seen: list[dict[str, Any]] = []

    @app.event("app_mention")
    async def mentioned(event: dict[str, Any]) -> None:
        seen.append(event)

    @app.event("message")
    async def said(event: dict[str, Any]) -> None:
        seen.append(event)

    ts = slack.says(company.ana, company.finance, "@Situate if a < b && c in #general?")
    await slack.until(lambda: len(seen) == 2)
    assert {event["type"] for event in seen} == {"app_mention", "message"}
    assert {event["ts"] for event in seen} == {ts}
    text = f"<@{slack.bot.id}> if a &lt; b &amp;&amp; c in <#{company.general.id}|general>?"
    assert {event["text"] for event in seen} == {text}


async def test_streamed_answer_is_shown_as_it_grows(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    ts = slack.says(company.ana, company.general, "@Situate?")
    stream = await slack_client.chat_stream(
        channel=company.general.id,
        thread_ts=ts,
        recipient_team_id=slack.team_id,
        recipient_user_id=company.ana.id,
        buffer_size=1,
    )
    await stream.append(markdown_text="It was **closed** ")
    await stream.append(markdown_text="in May.")
    (message,) = slack.replies(company.general, ts)
    assert message.open
    await stream.stop()
    (message,) = slack.replies(company.general, ts)
    assert not message.open
    assert message.shown == "It was **closed** in May."
    assert [text for _, text in message.history] == ["It was **closed** ", "It was **closed** in May."]
