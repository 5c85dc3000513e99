"""The server itself: one event loop in a thread of its own, so that tests and subprocesses alike can talk to it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.claude_server import sse
from tests.claude_server.brains import Auto, Brain
from tests.claude_server.composing import Composed, compose, new_id
from tests.claude_server.errors import JSON, ApiError, error_body
from tests.claude_server.models import MODELS, Model
from tests.claude_server.prompt_cache import PromptCache, prefixes
from tests.claude_server.replies import Fault, Hangup, HttpError, Midway, Reply
from tests.claude_server.request import Request
from tests.claude_server.validation import MAX_BODY_BYTES, check_headers, check_request, parse

NO_RETRY = {"x-should-retry": "false"}


class ClaudeServer:
    """A strict local Messages API. Start it with ``start()`` or as a context manager; see the package's docstring."""

    def __init__(
        self,
        brain: Brain | None = None,
        *,
        latency: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        keys: frozenset[str] | None = None,
        models: Mapping[str, Model] = MODELS,
    ) -> None:
        self.brain: Brain = brain or Auto()
        self.latency = latency  # seconds before the first byte of every answer
        self.keys = keys
        self.models = dict(models)
        self.thinking_tokens: int | None = None  # None: by effort
        self.pings = True
        self.chunk_bytes: int | None = None  # cuts what goes on the wire into chunks of so many bytes
        self.requests: list[Request] = []
        self.mistakes: list[BaseException] = []  # errors of brains and of the server itself
        self.cache = PromptCache(clock)
        self.expects_violations = False
        self._script: deque[Reply] = deque()
        self._faults: list[tuple[Fault, int | None]] = []
        self._clock = clock
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="claude-server", daemon=True)
        self._runner: web.AppRunner | None = None
        self._site: web.TCPSite | None = None
        self._port = 0

    # What tests say and ask

    @property
    def base_url(self) -> str:
        """What goes into ``ANTHROPIC_BASE_URL``."""
        return f"http://127.0.0.1:{self._port}"

    def script(self, *replies: Reply) -> None:
        """The next requests get these replies, in the order of their arrival; after them the brain answers again."""
        with self._lock:
            self._script.extend(replies)

    @property
    def unused(self) -> tuple[Reply, ...]:
        """Scripted replies that nobody came for."""
        return tuple(self._script)

    def fail(self, fault: Fault, times: int | None = 1) -> None:
        """The next ``times`` requests meet this fault (None: all, until ``recover()``); scripted replies stay."""
        with self._lock:
            self._faults.append((fault, times))

    def recover(self) -> None:
        """No faults any more."""
        with self._lock:
            self._faults.clear()

    def expect_violations(self) -> None:
        """This test sends what is refused on purpose: the fixture's teardown lets it pass."""
        self.expects_violations = True

    @property
    def violations(self) -> list[str]:
        """What was refused by validation: ``"POST /v1/messages: max_tokens: Field required"``."""
        return [f"{request.path}: {request.refusal}" for request in self.requests if request.refusal]

    @property
    def messages(self) -> list[Request]:
        """The requests for messages only, refused ones too."""
        return [request for request in self.requests if request.path == "/v1/messages"]

    # Start and stop

    def start(self, port: int = 0, host: str = "127.0.0.1") -> Self:
        """Listen (port 0: a free one) and return once connections are taken."""
        self._port = port
        self._thread.start()
        self._call(self._open(host))
        return self

    def stop(self) -> None:
        """Drop all connections, close the port, end the thread."""
        self._call(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def close_port(self) -> None:
        """From now on connections are refused, and those that are open are dropped; ``open_port()`` ends that."""
        self._call(self._close())

    def open_port(self) -> None:
        """Listen again, at the same address."""
        self._call(self._open("127.0.0.1"))

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _call(self, work: Any) -> None:
        future: Future[None] = asyncio.run_coroutine_threadsafe(work, self._loop)
        future.result(20)

    async def _open(self, host: str) -> None:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/v1/models/{id}", self._model)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.05, access_log=None)
        await self._runner.setup()
        self._site = web.TCPSite(self._runner, host, self._port, reuse_address=True)
        await self._site.start()
        self._port = self._runner.addresses[0][1]

    async def _close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # Requests

    async def _take(self, raw: web.Request) -> Request:
        """Record a request; its headers and body are checked. Raises ``ApiError``."""
        headers = {name.lower(): value for name, value in raw.headers.items()}
        request = Request(len(self.requests), raw.path, headers, {}, self._clock())
        self.requests.append(request)
        try:
            check_headers(headers, self.keys)
            try:
                data = await raw.read()
            except web.HTTPRequestEntityTooLarge:
                raise ApiError("Request exceeds the maximum size", status=413) from None
            if raw.method == "POST":
                request.body = parse(data)
        except ApiError as refusal:
            request.refusal = str(refusal)
            raise
        return request

    def _refused(self, error: ApiError, request: Request | None = None) -> web.Response:
        if request is not None:
            request.status = error.status
        request_id = new_id("req")
        return web.json_response(
            error_body(error.kind, str(error), request_id),
            status=error.status,
            headers={"request-id": request_id, **error.headers},
        )

    async def _messages(self, raw: web.Request) -> web.StreamResponse:
        request: Request | None = None
        try:
            request = await self._take(raw)
            try:
                model = check_request(request.body, self.models)
            except ApiError as refusal:
                request.refusal = str(refusal)
                raise
            return await self._answer(raw, request, model)
        except ApiError as error:
            return self._refused(error, request)
        except asyncio.CancelledError:
            if request is not None:
                request.disconnected = True
            raise
        except ConnectionError:
            if request is not None:
                request.disconnected = True
            raise
        except Exception as mistake:  # noqa: BLE001 - a brain's error must not look like the API's: it fails the test
            self.mistakes.append(mistake)
            return self._refused(ApiError(f"The stand-in failed: {mistake!r}", status=500, headers=NO_RETRY), request)

    def _next(self, request: Request) -> Reply:
        with self._lock:
            fault: Fault | None = None
            if self._faults:
                fault, times = self._faults[0]
                if times is not None:
                    self._faults[0] = (fault, times - 1)
                    if times <= 1:
                        del self._faults[0]
            if fault is None and self._script:
                return self._script.popleft()
            if fault is not None and self._script:
                return self._script[0].but(fault=fault)
        if fault is not None and not isinstance(fault, Midway):
            return Reply(fault=fault)
        reply = self.brain(request)
        return reply.but(fault=fault) if fault is not None else reply

    async def _answer(self, raw: web.Request, request: Request, model: Model) -> web.StreamResponse:
        plan = self.cache.plan(request.body, model)
        reply = self._next(request)
        await asyncio.sleep(self.latency + reply.latency)
        if reply.hold is not None:
            await reply.hold.wait()
        fault = reply.fault
        if isinstance(fault, HttpError):
            headers = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
            raise ApiError(fault.message, status=fault.status, headers=headers)
        if isinstance(fault, Hangup):
            raise _hang_up(raw)
        composed = compose(request, reply, model, plan, self.thinking_tokens)
        self.cache.begin(plan)
        request.usage = composed.message["usage"]
        request.stop_reason = composed.message["stop_reason"]
        request.status = 200
        if request.stream:
            response = await self._stream(raw, request, reply, composed)
        else:
            response = self._whole(raw, reply, composed)
        request.finished = True
        return response

    def _whole(self, raw: web.Request, reply: Reply, composed: Composed) -> web.StreamResponse:
        if isinstance(reply.fault, Midway):
            if reply.fault.how == "error":
                raise ApiError("Overloaded", status=529, kind=reply.fault.kind)
            raise _hang_up(raw)
        return web.json_response(composed.message, headers={"request-id": new_id("req")})

    async def _stream(self, raw: web.Request, request: Request, reply: Reply, composed: Composed) -> web.StreamResponse:
        request_id = new_id("req")
        response = web.StreamResponse(
            headers={
                "content-type": "text/event-stream; charset=utf-8",
                "cache-control": "no-cache",
                "request-id": request_id,
            }
        )
        await response.prepare(raw)
        deltas = 0
        for event in sse.events(composed, reply.piece, pings=self.pings):
            fault = reply.fault
            if isinstance(fault, Midway) and (deltas >= fault.after or event[0] == "message_delta"):
                return await self._break(raw, response, fault, request_id)
            await self._write(response, sse.encode(event))
            if event[0] == "message_start" and reply.first_token:
                await asyncio.sleep(reply.first_token)
            if sse.is_delta(event):
                deltas += 1
                if reply.pause:
                    await asyncio.sleep(reply.pause)
        await response.write_eof()
        return response

    async def _break(
        self, raw: web.Request, response: web.StreamResponse, fault: Midway, request_id: str
    ) -> web.StreamResponse:
        if fault.how == "error":
            await self._write(response, sse.encode(("error", error_body(fault.kind, "Overloaded", request_id))))
        if fault.how in ("error", "end"):
            await response.write_eof()
            return response
        if fault.how == "stall":
            await asyncio.sleep(fault.seconds)
        await asyncio.sleep(0.02)  # what was written is on its way
        raise _hang_up(raw, reset=fault.how == "reset")

    async def _write(self, response: web.StreamResponse, data: bytes) -> None:
        size = self.chunk_bytes or len(data)
        for at in range(0, len(data), size):
            await response.write(data[at : at + size])

    # The other endpoints

    async def _count(self, raw: web.Request) -> web.StreamResponse:
        request: Request | None = None
        try:
            request = await self._take(raw)
            check_request(request.body, self.models, counting=True)
        except ApiError as refusal:
            if request is not None:
                request.refusal = str(refusal)
            return self._refused(refusal, request)
        return web.json_response({"input_tokens": prefixes(request.body)[-1].tokens})

    async def _models(self, raw: web.Request) -> web.StreamResponse:
        try:
            await self._take(raw)
        except ApiError as refusal:
            return self._refused(refusal)
        data = [_info(model) for model in self.models.values()]
        return web.json_response(
            {"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]}
        )

    async def _model(self, raw: web.Request) -> web.StreamResponse:
        try:
            await self._take(raw)
            model = self.models.get(raw.match_info["id"])
            if model is None:
                raise ApiError(f"model: {raw.match_info['id']}", status=404)
        except ApiError as refusal:
            return self._refused(refusal)
        return web.json_response(_info(model))


def _hang_up(raw: web.Request, *, reset: bool = False) -> ConnectionResetError:
    if raw.transport is not None:
        if reset:
            raw.transport.abort()
        else:
            raw.transport.close()
    return ConnectionResetError("The stand-in hangs up.")


def _info(model: Model) -> JSON:
    return {
        "type": "model",
        "id": model.id,
        "display_name": model.display_name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "line": model.id.split("-")[1],
        "max_input_tokens": model.window,
        "max_tokens": model.max_output,
    }
