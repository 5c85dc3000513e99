"""What the server answers at each address."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from aiohttp import web

from tests.claude_server import delivery
from tests.claude_server.composing import compose, new_id, thinks
from tests.claude_server.errors import JSON, ApiError, error_body
from tests.claude_server.models import Model
from tests.claude_server.prompt_cache import prefixes
from tests.claude_server.request import Request
from tests.claude_server.validation import MAX_BODY_BYTES, check_headers, check_request, parse

if TYPE_CHECKING:
    from tests.claude_server.server import ClaudeServer

Handler = Callable[[web.Request, Request], Awaitable[web.StreamResponse]]
NO_RETRY = {"x-should-retry": "false"}


class Endpoints:
    """The web application of one server."""

    def __init__(self, server: ClaudeServer) -> None:
        self.server = server

    def application(self) -> web.Application:
        app = web.Application(client_max_size=4 * MAX_BODY_BYTES)  # more is read than taken, to answer in order
        app.router.add_post("/v1/messages", self._guarded(self.messages))
        app.router.add_post("/v1/messages/count_tokens", self._guarded(self.count))
        app.router.add_get("/v1/models", self._guarded(self.models))
        app.router.add_get("/v1/models/{id}", self._guarded(self.model))
        app.router.add_route("*", "/{path:.*}", self._guarded(self.nothing))
        return app

    def _guarded(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Record the request, check its headers and body, and turn what goes wrong into an error response."""

        async def answer(raw: web.Request) -> web.StreamResponse:
            headers = {name.lower(): value for name, value in raw.headers.items()}
            request = Request(len(self.server.requests), raw.path, headers, {}, self.server.now())
            self.server.requests.append(request)
            try:
                await self._read(raw, request)
                return await handler(raw, request)
            except ApiError as error:
                return refused(error, request)
            except (asyncio.CancelledError, ConnectionError):
                request.disconnected = True
                raise
            except Exception as mistake:  # noqa: BLE001 - a brain's error must fail the test, not look like the API's
                self.server.mistakes.append(mistake)
                return refused(ApiError(f"The stand-in failed: {mistake!r}", status=500, headers=NO_RETRY), request)

        return answer

    async def _read(self, raw: web.Request, request: Request) -> None:
        data = await raw.read()
        with violations_of(request):
            check_headers(request.headers, self.server.keys)
            if len(data) > MAX_BODY_BYTES:
                raise ApiError("Request exceeds the maximum size", status=413)
            if raw.method == "POST":
                request.body = parse(data)

    async def messages(self, raw: web.Request, request: Request) -> web.StreamResponse:
        """Create a message."""
        server = self.server
        server.in_flight += 1
        server.most_in_flight = max(server.most_in_flight, server.in_flight)
        try:
            return await self._create(raw, request)
        finally:
            server.in_flight -= 1

    async def _create(self, raw: web.Request, request: Request) -> web.StreamResponse:
        server = self.server
        with violations_of(request):
            model = check_request(request.body, server.models, paused=server.paused)
        plan = server.cache.plan(request.body, model)
        server.limit(plan)
        reply = server.next_reply(request)
        await asyncio.sleep(server.latency + reply.latency)
        if reply.hold is not None:
            await reply.hold.wait()
        delivery.before(raw, reply)
        composed = compose(request, reply, model, plan, server.thinking_tokens)
        server.cache.begin(plan)
        server.remember(composed.message)
        request.usage = composed.message["usage"]
        request.stop_reason = composed.message["stop_reason"]
        request.thought = thinks(request, model)
        request.status = 200
        if request.stream:
            response = await delivery.stream(
                raw,
                reply,
                composed,
                pings=server.pings,
                chunk_bytes=server.chunk_bytes,
                sent=lambda name: request.sent.append((name, server.now())),
            )
        else:
            response = delivery.whole(raw, reply, composed)
        request.finished = True
        return response

    async def count(self, raw: web.Request, request: Request) -> web.StreamResponse:
        """Count a prompt's tokens."""
        with violations_of(request):
            check_request(request.body, self.server.models, counting=True)
        return web.json_response({"input_tokens": prefixes(request.body)[-1].tokens})

    async def models(self, raw: web.Request, request: Request) -> web.StreamResponse:
        """All models."""
        data = [_info(model) for model in self.server.models.values()]
        return web.json_response(
            {"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]}
        )

    async def model(self, raw: web.Request, request: Request) -> web.StreamResponse:
        """One model."""
        name = raw.match_info["id"]
        with violations_of(request):
            if name not in self.server.models:
                raise ApiError(f"model: {name}", status=404)
        return web.json_response(_info(self.server.models[name]))

    async def nothing(self, raw: web.Request, request: Request) -> web.StreamResponse:
        """Any other address."""
        with violations_of(request):
            raise ApiError("Not found", status=404)


class violations_of:  # noqa: N801 - reads as a statement: "with violations_of(request):"
    """Whatever is refused inside is noted on the request as a violation."""

    def __init__(self, request: Request) -> None:
        self.request = request

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ApiError):
            self.request.refusal = str(error)


def refused(error: ApiError, request: Request) -> web.Response:
    """The error response, in the real one's shape."""
    request.status = error.status
    request_id = new_id("req")
    return web.json_response(
        error_body(error.kind, str(error), request_id),
        status=error.status,
        headers={"request-id": request_id, **error.headers},
    )


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
