"""How an answer reaches the client: whole or as events, and where it breaks off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web

from tests.claude_server import sse
from tests.claude_server.composing import Composed, new_id
from tests.claude_server.errors import ApiError, error_body
from tests.claude_server.replies import Hangup, HttpError, Midway, Reply

FLUSH_SECONDS = 0.02  # what was written is on its way before the connection is closed


def before(raw: web.Request, reply: Reply) -> None:
    """Raise what comes instead of an answer, if anything."""
    fault = reply.fault
    if isinstance(fault, HttpError):
        headers = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
        raise ApiError(fault.message, status=fault.status, headers=headers)
    if isinstance(fault, Hangup):
        raise hang_up(raw)


def whole(raw: web.Request, reply: Reply, composed: Composed) -> web.StreamResponse:
    """The message as one JSON body."""
    if isinstance(reply.fault, Midway):
        if reply.fault.how == "error":
            raise ApiError("Overloaded", status=529, kind=reply.fault.kind)
        raise hang_up(raw)
    return web.json_response(composed.message, headers={"request-id": new_id("req")})


async def stream(
    raw: web.Request,
    reply: Reply,
    composed: Composed,
    *,
    pings: bool,
    chunk_bytes: int | None,
    sent: Callable[[str], None],
) -> web.StreamResponse:
    """The message as events, with the reply's pauses and its fault. ``sent`` is told the name of each event."""
    request_id = new_id("req")
    headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
    response = web.StreamResponse(headers={**headers, "request-id": request_id})
    await response.prepare(raw)
    fault = reply.fault if isinstance(reply.fault, Midway) else None
    deltas = 0
    for event in sse.events(composed, reply.piece, pings=pings):
        if fault is not None and (deltas >= fault.after or event[0] == "message_delta"):
            return await _break_off(raw, response, fault, request_id)
        await _write(response, sse.encode(event), chunk_bytes)
        sent(event[0])
        if event[0] == "message_start" and reply.first_token:
            await asyncio.sleep(reply.first_token)
        if sse.is_delta(event):
            deltas += 1
            if reply.pause:
                await asyncio.sleep(reply.pause)
    await response.write_eof()
    return response


async def _break_off(
    raw: web.Request, response: web.StreamResponse, fault: Midway, request_id: str
) -> web.StreamResponse:
    if fault.how == "error":
        message = "Overloaded" if fault.kind == "overloaded_error" else "Internal server error"
        await _write(response, sse.encode(("error", error_body(fault.kind, message, request_id))), None)
    if fault.how in ("error", "end"):
        await response.write_eof()
        return response
    if fault.how == "stall":
        await asyncio.sleep(fault.seconds)
    await asyncio.sleep(FLUSH_SECONDS)
    raise hang_up(raw, reset=fault.how == "reset")


async def _write(response: web.StreamResponse, data: bytes, chunk_bytes: int | None) -> None:
    size = chunk_bytes or len(data)
    for at in range(0, len(data), size):
        await response.write(data[at : at + size])
        if chunk_bytes:
            await asyncio.sleep(0)


def hang_up(raw: web.Request, *, reset: bool = False) -> ConnectionResetError:
    """Close the client's connection (or reset it); the error ends the handler."""
    if raw.transport is not None:
        if reset:
            raw.transport.abort()
        else:
            raw.transport.close()
    return ConnectionResetError("The stand-in hangs up.")
