"""How events reach the app from the stand-in for Slack: Socket Mode, retries, broken connections, signed HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio
Connect = Callable[[], AbstractAsyncContextManager[list[dict[str, Any]]]]


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows."""
    slack.allow_all()


@pytest.fixture
def connect(slack: SlackServer, slack_client: AsyncWebClient) -> Connect:
    """Connects real Bolt; gives the bodies that arrive, in order."""

    @asynccontextmanager
    async def connected() -> AsyncIterator[list[dict[str, Any]]]:
        bodies: list[dict[str, Any]] = []
        app = AsyncApp(client=slack_client)

        async def take(body: dict[str, Any], ack: Any) -> None:
            bodies.append(body)
            await ack()

        app.event("message")(take)
        app.event("app_mention")(take)
        app.command("/ask")(take)
        before = len(slack.connections)
        handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=0.1)
        await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt has no types there
        await slack.ready(before + 1)
        yield bodies
        await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt has no types there

    return connected


class Deaf:
    """A Socket Mode client by hand, which acknowledges only what it is told to."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def next(self) -> dict[str, Any]:
        """The next envelope."""
        while True:
            body: dict[str, Any] = await self.socket.receive_json(timeout=5)
            if body["type"] != "hello":
                return body

    async def ack(self, envelope: dict[str, Any]) -> None:
        await self.socket.send_json({"envelope_id": envelope["envelope_id"]})


@pytest.fixture
async def deaf(slack: SlackServer, slack_client: AsyncWebClient) -> AsyncIterator[Deaf]:
    opened = await slack_client.apps_connections_open(app_token=slack.app_token)
    async with aiohttp.ClientSession() as session, session.ws_connect(opened["url"]) as socket:
        yield Deaf(socket)


async def test_envelopes_carry_what_slack_sends(slack: SlackServer, company: Company, deaf: Deaf) -> None:
    slack.says(company.olga, company.shared, "@Situate?", deliver=("message",))
    envelope = await deaf.next()
    assert envelope["type"] == "events_api"
    assert envelope["accepts_response_payload"] is False
    assert envelope["retry_attempt"] == 0
    body = envelope["payload"]
    assert body["type"] == "event_callback"
    assert body["team_id"] == slack.team_id
    assert body["is_ext_shared_channel"] is True
    assert body["authorizations"][0]["user_id"] == slack.bot.id
    assert body["event"]["user_team"] == company.olga.team
    assert body["event"]["channel_type"] == "channel"
    await deaf.ack(envelope)


async def test_what_is_not_acknowledged_comes_again_and_is_a_violation(
    slack: SlackServer, company: Company, deaf: Deaf
) -> None:
    slack.expect_violations("late ack*")
    slack.ack_seconds, slack.clock_factor = 0.05, 0.001
    slack.says(company.ana, company.general, "Hello", deliver=("message",))
    envelopes = [await deaf.next() for _ in range(4)]
    assert [envelope["retry_attempt"] for envelope in envelopes] == [0, 1, 2, 3]
    assert len({envelope["payload"]["event_id"] for envelope in envelopes}) == 1
    assert len({envelope["envelope_id"] for envelope in envelopes}) == 4
    assert slack.violations[0] == "late ack: message was not acknowledged within 0.05 s"
    await slack.until(lambda: slack.deliveries[0].failed)


async def test_an_acknowledged_retry_ends_the_retries(slack: SlackServer, company: Company, deaf: Deaf) -> None:
    slack.expect_violations("late ack*")
    slack.ack_seconds, slack.clock_factor = 0.05, 0.001
    slack.says(company.ana, company.general, "Hello", deliver=("message",))
    await deaf.next()
    await deaf.ack(await deaf.next())
    await slack.until(lambda: slack.deliveries[0].acked)
    assert slack.deliveries[0].attempts == 2


async def test_commands_are_not_sent_again(slack: SlackServer, company: Company, deaf: Deaf) -> None:
    slack.expect_violations("late ack*")
    slack.ack_seconds = 0.05
    delivery = slack.commands(company.ana, company.general, "/ask", "Why?")
    envelope = await deaf.next()
    assert envelope["type"] == "slash_commands"
    assert envelope["accepts_response_payload"] is True
    await slack.until(lambda: delivery.failed)
    assert delivery.attempts == 1


async def test_an_acknowledgement_of_nothing_is_a_violation(slack: SlackServer, deaf: Deaf) -> None:
    slack.expect_violations("an acknowledgement of no envelope*")
    await deaf.ack({"envelope_id": "made-up"})
    await slack.until(lambda: slack.violations)
    assert "made-up" in slack.violations[0]


async def test_the_address_of_a_connection_is_good_once(slack: SlackServer, slack_client: AsyncWebClient) -> None:
    opened = await slack_client.apps_connections_open(app_token=slack.app_token)
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(opened["url"]) as socket:
            assert (await socket.receive_json())["type"] == "hello"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(opened["url"])


async def test_each_event_goes_to_one_of_several_connections(
    slack: SlackServer, company: Company, connect: Connect
) -> None:
    async with connect() as first, connect() as second:
        for number in range(6):
            slack.says(company.ana, company.general, f"{number}")
        await slack.until(lambda: len(first) + len(second) == 6)
        assert len(first) == len(second) == 3


async def test_order_and_duplicates_are_the_tests_choice(
    slack: SlackServer, company: Company, connect: Connect
) -> None:
    async with connect() as bodies:
        slack.says(company.ana, company.general, "@Situate", deliver=("message", "app_mention", "message"))
        await slack.until(lambda: len(bodies) == 3)
        assert sorted(body["event"]["type"] for body in bodies) == ["app_mention", "message", "message"]
        messages = [body["event_id"] for body in bodies if body["event"]["type"] == "message"]
        assert len(set(messages)) == 1


async def test_held_events_come_in_the_other_order(slack: SlackServer, company: Company, connect: Connect) -> None:
    async with connect() as bodies:
        slack.hold_events()
        for text in ("first", "second", "third"):
            slack.says(company.ana, company.general, text)
        slack.release_events(reverse=True)
        await slack.until(lambda: len(bodies) == 3)
        assert [body["event"]["text"] for body in bodies] == ["third", "second", "first"]


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "link_disabled"])
async def test_events_flow_after_a_disconnect(
    slack: SlackServer, company: Company, connect: Connect, reason: Any
) -> None:
    slack.clock_factor = 0.001
    async with connect() as bodies:
        slack.disconnect(reason)
        await slack.until(lambda: slack.connected >= 2 and len(slack.connections) == 1)
        slack.says(company.ana, company.general, "Still there?")
        await slack.until(lambda: bodies)


async def test_events_flow_after_silence_and_none_is_lost(
    slack: SlackServer, company: Company, connect: Connect
) -> None:
    slack.clock_factor, slack.ack_seconds = 0.01, 0.2
    async with connect() as bodies:
        slack.go_silent()
        slack.says(company.ana, company.general, "Into the void")
        await slack.until(lambda: bodies)
        assert bodies[0]["event"]["text"] == "Into the void"
        assert slack.violations == []


async def test_events_of_a_cut_connection_come_again(slack: SlackServer, company: Company, connect: Connect) -> None:
    slack.clock_factor = 0.01
    async with connect() as bodies:
        slack.drop_connections()
        slack.says(company.ana, company.general, "Hello?")
        await slack.until(lambda: bodies)


async def test_events_before_the_app_is_there_come_when_slack_tries_again(
    slack: SlackServer, company: Company, connect: Connect
) -> None:
    slack.clock_factor = 0.01
    slack.says(company.ana, company.general, "Anybody?")
    async with connect() as bodies:
        await slack.until(lambda: bodies)


async def test_only_subscribed_events_of_the_apps_channels_are_sent(
    slack: SlackServer, company: Company, connect: Connect
) -> None:
    slack.events = {"message.channels"}
    alone = slack.channel("alone", with_bot=False)
    async with connect() as bodies:
        slack.says(company.ana, alone, "@Situate")
        slack.says(company.ana, slack.direct(company.ana), "Hello")
        slack.reacts(company.ana, company.general, slack.says(company.ana, company.general, "Last"), "+1")
        await slack.until(lambda: bodies)
        await asyncio.sleep(0.05)
        assert [body["event"]["text"] for body in bodies] == ["Last"]


async def test_the_app_hears_of_its_own_messages_and_bolt_ignores_them(
    slack: SlackServer, company: Company, connect: Connect, slack_client: AsyncWebClient
) -> None:
    async with connect() as bodies:
        posted = await slack_client.chat_postMessage(channel=company.general.id, text="Hello")
        await slack_client.chat_update(channel=company.general.id, ts=posted["ts"], text="Hello!")
        await slack.until(lambda: len(slack.deliveries) == 2 and all(d.acked for d in slack.deliveries))
        assert bodies == []


@pytest.fixture
async def request_url(slack: SlackServer, slack_client: AsyncWebClient) -> AsyncIterator[tuple[str, list[Any]]]:
    """Real Bolt behind a request URL, checking signatures; what arrived comes with it."""
    bodies: list[Any] = []
    app = AsyncApp(client=slack_client, signing_secret=slack.signing_secret)

    async def take(body: dict[str, Any], ack: Any, request: Any) -> None:
        bodies.append((body, request.headers))
        await ack("At once" if "command" in body else None)

    app.event("message")(take)
    app.command("/ask")(take)
    runner = web.AppRunner(app.server(port=0, path="/slack/events").web_app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events", bodies
    await runner.cleanup()


async def test_events_and_commands_come_by_signed_requests(
    slack: SlackServer, company: Company, request_url: tuple[str, list[Any]]
) -> None:
    url, bodies = request_url
    slack.deliver_to(url)
    slack.says(company.ana, company.general, "Hello & good morning")
    await slack.until(lambda: bodies)
    assert bodies[0][0]["event"]["text"] == "Hello &amp; good morning"
    assert await slack.commands(company.ana, company.general, "/ask", "Why?").arrives() == {"text": "At once"}
    assert [message.shown for message in slack.ephemerals(company.ana)] == ["At once"]


async def test_retries_by_http_say_so(slack: SlackServer, company: Company, request_url: tuple[str, list[Any]]) -> None:
    url, bodies = request_url
    slack.clock_factor = 0.01  # the last attempts come after 0.6 and 3 seconds more
    slack.deliver_to(url.replace("events", "nothing"))
    slack.says(company.ana, company.general, "Hello")
    await slack.until(lambda: slack.deliveries[0].attempts >= 1)
    slack.deliver_to(url)
    await slack.until(lambda: bodies)
    assert int(bodies[0][1]["x-slack-retry-num"][0]) >= 1


async def test_wrongly_signed_requests_are_refused_by_bolt(
    slack: SlackServer, company: Company, request_url: tuple[str, list[Any]]
) -> None:
    url, bodies = request_url
    slack.clock_factor, slack.signing_secret = 0.0, "0" * 32
    slack.deliver_to(url)
    slack.says(company.ana, company.general, "Hello")
    await slack.until(lambda: slack.deliveries[0].failed)
    assert bodies == []
