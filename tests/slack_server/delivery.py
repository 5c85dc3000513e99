"""What Slack sends to the app and how it learns that it arrived: by Socket Mode or by signed HTTP requests."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from tests.slack_server.core import Core
from tests.slack_server.deliveries import Delivery, Kind
from tests.slack_server.errors import JSON

RETRY_SECONDS = (0.0, 60.0, 300.0)  # how long after a failed attempt the next one comes
MOST_CONNECTIONS = 10
GRACE_SECONDS = 10.0  # a connection goes on so long after its warning


@dataclass(eq=False)
class Connection:
    """An open Socket Mode connection. ``silent``: open, but nothing comes through any more."""

    socket: web.WebSocketResponse
    request: web.Request
    closed: asyncio.Future[None]
    silent: bool = False


@dataclass(eq=False, repr=False)
class Transport(Core):
    """Deliveries, Socket Mode connections, and the HTTP request URL."""

    deliveries: list[Delivery] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    request_url: str | None = None
    connected: int = 0  # how many connections there ever were
    _tickets: set[str] = field(default_factory=set)
    _turn: int = 0
    _waiting: dict[str, tuple[Delivery, float, asyncio.Future[None]]] = field(default_factory=dict)
    _held: list[Delivery] | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    # What tests say

    def deliver_to(self, url: str | None) -> None:
        """From now on everything goes to this request URL by HTTP, signed (None: by Socket Mode)."""
        self.request_url = url

    def hold_events(self) -> None:
        """From now on nothing is delivered, until ``release_events()``."""
        self._held = []

    def release_events(self, *, reverse: bool = False) -> None:
        """Deliver what was held back, in this or in the other order."""

        def release() -> None:
            held, self._held = self._held or [], None
            for delivery in reversed(held) if reverse else held:
                self._begin(delivery)

        self.on_loop(release)

    def deliver_again(self, delivery: Delivery) -> Delivery:
        """The same event once more (same ``event_id``), as Slack does at times."""
        return self.send(delivery.kind, delivery.payload, delivery.name)

    def disconnect(self, reason: Literal["warning", "refresh_requested", "link_disabled"] = "warning") -> None:
        """Announce to all connections that they end; they are closed ten seconds later (times ``clock_factor``)."""

        async def announce(connection: Connection) -> None:
            await connection.socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {}})
            await asyncio.sleep(0 if reason == "link_disabled" else GRACE_SECONDS * self.clock_factor)
            await connection.socket.close()

        def start() -> None:
            for connection in self.connections:
                self.background(announce(connection))

        self.on_loop(start)

    def go_silent(self) -> None:
        """All connections stay open, but nothing comes through any more, pongs included."""

        def silence() -> None:
            for connection in self.connections:
                connection.silent = True

        self.on_loop(silence)

    def drop_connections(self) -> None:
        """Cut all Socket Mode connections without a word."""

        def cut() -> None:
            for connection in self.connections:
                if connection.request.transport is not None:
                    connection.request.transport.abort()

        self.on_loop(cut)

    @property
    def slowest_ack(self) -> float:
        """Seconds that the slowest acknowledgement took."""
        return max((delivery.ack_seconds or 0.0 for delivery in self.deliveries), default=0.0)

    # Deliveries

    def send(self, kind: Kind, payload: JSON, name: str, on_ack: Callable[[JSON], None] | None = None) -> Delivery:
        """Start a delivery. Does not wait."""
        delivery = Delivery(kind, payload, name, on_ack=on_ack)

        def start() -> None:
            self.deliveries.append(delivery)
            if self._held is not None:
                self._held.append(delivery)
            else:
                self._begin(delivery)

        self.on_loop(start)
        return delivery

    def background(self, work: object) -> None:
        """Run a coroutine on the server's loop; what goes wrong in it fails the test."""
        assert asyncio.iscoroutine(work)
        task: asyncio.Task[None] = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.mistakes.append(error)

    def _begin(self, delivery: Delivery) -> None:
        self.background(self._attempts(delivery))

    async def _attempts(self, delivery: Delivery) -> None:
        waits = RETRY_SECONDS if delivery.kind == "events_api" else ()
        for wait in (None, *waits):
            if wait:
                await asyncio.sleep(wait * self.clock_factor)
            if delivery.acked is not None or await self._attempt(delivery):
                return
        delivery.settle(None, None)

    async def _attempt(self, delivery: Delivery) -> bool:
        attempt, delivery.attempts = delivery.attempts, delivery.attempts + 1
        if self.request_url is not None:
            return await self._by_http(delivery, attempt, self.request_url)
        if not self.connections:
            return False
        self._turn += 1
        return await self._by_socket(delivery, attempt, self.connections[self._turn % len(self.connections)])

    def _late(self, delivery: Delivery) -> None:
        self.violation(f"late ack: {delivery.name} was not acknowledged within {self.ack_seconds:g} s")

    # Socket Mode

    async def _by_socket(self, delivery: Delivery, attempt: int, connection: Connection) -> bool:
        envelope = str(uuid.uuid4())
        body: JSON = {"envelope_id": envelope, "type": delivery.kind, "payload": delivery.payload}
        body["accepts_response_payload"] = delivery.kind != "events_api"
        if delivery.kind == "events_api":
            body |= {"retry_attempt": attempt, "retry_reason": "timeout" if attempt else ""}
        acked: asyncio.Future[None] = self._loop.create_future()
        self._waiting[envelope] = (delivery, time.monotonic(), acked)
        if not connection.silent:
            try:
                await connection.socket.send_json(body)
            except ConnectionError:
                return False  # it is just being closed
        waiting = {acked, connection.closed}
        await asyncio.wait(waiting, timeout=self.ack_seconds, return_when=asyncio.FIRST_COMPLETED)
        if not acked.done() and not connection.closed.done() and not connection.silent:
            self._late(delivery)
        return acked.done()

    def new_ticket(self) -> str:
        """The address of one more connection, good once."""
        ticket = uuid.uuid4().hex
        self._tickets.add(ticket)
        return f"ws://{self._host}:{self._port}/link/?ticket={ticket}&app_id={self.app_id}"

    async def link(self, request: web.Request) -> web.StreamResponse:
        """A Socket Mode connection, from its hello to its end."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=403, text="The address of a connection is good once.")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(autoping=False, max_msg_size=0)
        await socket.prepare(request)
        if len(self.connections) >= MOST_CONNECTIONS:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets", "debug_info": {}})
            await socket.close()
            return socket
        connection = Connection(socket, request, self._loop.create_future())
        self.connections.append(connection)
        self.connected += 1
        pings = self._loop.create_task(self._ping(connection))
        try:
            await socket.send_json(self._hello())
            async for message in socket:
                await self._received(connection, message)
        finally:
            pings.cancel()
            self.connections.remove(connection)
            connection.closed.set_result(None)
        return socket

    def _hello(self) -> JSON:
        debug = {"host": "applink", "build_number": 1, "approximate_connection_time": 18060}
        info = {"app_id": self.app_id}
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "debug_info": debug,
            "connection_info": info,
        }

    async def _ping(self, connection: Connection) -> None:
        while not connection.closed.done():
            await asyncio.sleep(self.ping_seconds)
            if not connection.silent:
                with contextlib.suppress(ConnectionError):
                    await connection.socket.ping(b"Ping from applink")

    async def _received(self, connection: Connection, message: aiohttp.WSMessage) -> None:
        if connection.silent:
            return
        if message.type is aiohttp.WSMsgType.PING:
            await connection.socket.pong(message.data)
        elif message.type is aiohttp.WSMsgType.TEXT:
            body = json.loads(message.data)
            known = self._waiting.get(body.get("envelope_id"))
            if known is None:
                self.violation(f"an acknowledgement of no envelope: {message.data[:200]}")
                return
            delivery, sent, acked = known
            delivery.settle(sent, body.get("payload"))
            if not acked.done():
                acked.set_result(None)

    # HTTP

    async def _by_http(self, delivery: Delivery, attempt: int, url: str) -> bool:
        data, headers = self.signed(delivery.kind, delivery.payload)
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": "http_timeout"}
        sent = time.monotonic()
        timeout = aiohttp.ClientTimeout(total=self.ack_seconds)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(url, data=data, headers=headers) as response,
            ):
                text = await response.text()
        except TimeoutError:
            self._late(delivery)
            return False
        except aiohttp.ClientError:
            return False
        if response.status == 200:
            is_json = text.startswith("{")
            delivery.settle(sent, json.loads(text) if is_json else ({"text": text} if text else None))
        return response.status == 200

    def signed(self, kind: Kind, payload: JSON) -> tuple[bytes, dict[str, str]]:
        """Body and headers of a request to the app, as Slack signs it."""
        if kind == "events_api":
            data, content_type = json.dumps(payload), "application/json"
        else:
            form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
            data, content_type = urlencode(form), "application/x-www-form-urlencoded"
        now = str(int(time.time()))
        digest = hmac.new(self.signing_secret.encode(), f"v0:{now}:{data}".encode(), hashlib.sha256).hexdigest()
        headers = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": f"v0={digest}", "Content-Type": content_type}
        return data.encode(), headers
