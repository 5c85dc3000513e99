"""What the server answers at each address: the Web API, response URLs, file downloads, the Socket Mode link."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.slack_server import methods_agent, methods_chat, methods_reading, methods_streams
from tests.slack_server.clicking import Clicking
from tests.slack_server.errors import JSON, Refused
from tests.slack_server.faults import Fault
from tests.slack_server.records import Call
from tests.slack_server.signatures import KINDS, METHODS, PREFIX, check_arguments

Method = Callable[[Clicking, JSON], JSON]
IMPLEMENTED: dict[str, Method] = {
    **methods_agent.METHODS,
    **methods_chat.METHODS,
    **methods_reading.METHODS,
    **methods_streams.METHODS,
}
LOGIN_PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in to your workspace</body></html>"
RESPONSE_USES, RESPONSE_SECONDS = 5, 1800.0
_LIST_KINDS = {"public_channel": "channel", "private_channel": "group", "mpim": "mpim", "im": "im"}


class Endpoints:
    """The web application of one server."""

    def __init__(self, slack: Clicking) -> None:
        self.slack = slack

    def application(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_route("*", "/api/{method}", self.api)
        app.router.add_get("/link/", self.slack.link)
        app.router.add_post("/response/{team}/{key}", self.response_url)
        app.router.add_get("/files-pri/{file}/download/{name}", self.download)
        app.router.add_get("/files-pri/{file}/{name}", self.download)
        return app

    async def api(self, request: web.Request) -> web.StreamResponse:
        """One call of the Web API, with whatever was ordered to go wrong."""
        slack, method, began = self.slack, request.match_info["method"], time.monotonic()
        args = await _arguments(request)
        token = _token(request, args)
        result: JSON | None = None
        try:
            await asyncio.sleep(slack.faults.delay(method))
            fault = slack.faults.due(method) or Fault(method)
            early = await _before(request, fault)
            if early is not None:
                return early
            status, result, headers = self._answer(method, token, args, fault)
            if fault.drop == "after":
                result = None
                return hang_up(request)
            return web.json_response(result, status=status, headers=headers)
        finally:
            slack.calls.append(Call(method, args, began, result, time.monotonic() - began))

    def _answer(self, method: str, token: str, args: JSON, fault: Fault) -> tuple[int, JSON, dict[str, str]]:
        """Status, body and headers."""
        slack = self.slack
        headers = {"x-oauth-scopes": ",".join(sorted(slack.scopes)), "x-slack-req-id": slack.new_id("q")}
        try:
            if fault.error is not None:
                _end_stream(slack, args, fault.error)
                raise Refused(fault.error, blameless=True)
            self._check(method, token)
            wait = self._rate(method, args)
            if wait:
                return 429, {"ok": False, "error": "ratelimited"}, headers | {"Retry-After": f"{math.ceil(wait)}"}
            checked = check_arguments(method, args)
            self._check_kind(method, checked)
            return 200, {"ok": True, **IMPLEMENTED[method](slack, checked)}, headers
        except Refused as refused:
            if not refused.blameless:
                slack.violation(f"{method}: {refused}")
            return 200, refused.answer(), headers
        except Exception as mistake:  # noqa: BLE001 - it must fail the test, not look like Slack's
            slack.mistakes.append(mistake)
            return 500, {"ok": False, "error": "fatal_error"}, headers

    def _check(self, method: str, token: str) -> None:
        """The method is known, the token is a good one of the right kind and has the scopes."""
        slack, signature = self.slack, METHODS.get(method)
        if signature is None:
            raise Refused("unknown_method", method)
        if signature.token == "none":
            return
        if not token:
            raise Refused("not_authed")
        if token not in (slack.bot_token, slack.app_token):
            raise Refused("invalid_auth")
        if (token == slack.app_token) != (signature.token == "app"):
            raise Refused("not_allowed_token_type")
        if signature.token == "bot":
            for scope in signature.scopes:
                self._need(scope)

    def _check_kind(self, method: str, args: JSON) -> None:
        """Scopes that depend on the kind of conversation: ``channels:history``, ``im:history`` …"""
        what = KINDS.get(method)
        if what is None:
            return
        if args.get("channel"):
            kinds = [self.slack.readable(args["channel"]).kind]
        elif method == "conversations.open":
            kinds = ["mpim" if "," in str(args.get("users")) else "im"]
        else:
            types = str(args.get("types") or "public_channel").split(",")
            kinds = [_LIST_KINDS[name] for name in types if name in _LIST_KINDS]  # type: ignore[misc]
        for kind in kinds:
            self._need(f"{PREFIX[kind]}:{what}")

    def _need(self, scope: str) -> None:
        if scope not in self.slack.scopes:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(self.slack.scopes)))

    def _rate(self, method: str, args: JSON) -> float:
        rates = self.slack.rates
        return 0.0 if rates is None else rates.wait(method, METHODS[method].tier, args.get("channel"))

    async def response_url(self, request: web.Request) -> web.StreamResponse:
        """An answer to a command or a click."""
        slack, began = self.slack, time.monotonic()
        early = await _before(request, slack.faults.due("response_url") or Fault("response_url"))
        if early is not None:
            return early
        body = json.loads(await request.text())
        known = slack.response_urls.get(request.match_info["key"])
        try:
            if known is None or began - known.at > RESPONSE_SECONDS * slack.clock_factor:
                raise Refused("expired_url")
            if known.uses >= RESPONSE_USES:
                raise Refused("used_url")
            known.uses += 1
            original = _original(slack, known.channel, known.user, known.message_ts)
            slack.respond(known.channel, known.user, body, original)
            result: JSON = {"ok": True}
        except Refused as refused:
            if not refused.blameless:
                slack.violation(f"response_url: {refused}")
            result = refused.answer()
        slack.calls.append(Call("response_url", body, began, result, time.monotonic() - began))
        return web.json_response(result, status=200 if result["ok"] else 404)

    async def download(self, request: web.Request) -> web.StreamResponse:
        """A file's bytes. Without a good token and the scope: the login page, with status 200."""
        slack = self.slack
        file = slack.files.get(request.match_info["file"].rpartition("-")[2])
        allowed = _token(request, {}) == slack.bot_token and "files:read" in slack.scopes
        if not allowed:
            return web.Response(text=LOGIN_PAGE, content_type="text/html")
        if file is None or file.deleted:
            return web.Response(status=404, text=LOGIN_PAGE, content_type="text/html")
        if not slack.sees_file(file):
            return web.Response(text=LOGIN_PAGE, content_type="text/html")
        if file.redirect is not None:
            raise web.HTTPFound(file.redirect)
        return web.Response(body=file.data, content_type=file.mimetype)


def _original(slack: Clicking, channel: str, user: str, ts: str | None) -> Any:
    for message in slack.ephemeral:
        if message.ts == ts and message.ephemeral_to == user:
            return message
    return slack.channels[channel].messages.get(ts or "")


async def _arguments(request: web.Request) -> JSON:
    """What came in the query, as a form, or as JSON."""
    args: JSON = dict(request.query)
    if request.content_type == "application/json":
        body = json.loads(await request.text() or "{}")
        args |= body if isinstance(body, dict) else {}
    elif request.method == "POST":
        args |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    return {name: value for name, value in args.items() if value is not None}


def _token(request: web.Request, args: JSON) -> str:
    in_arguments = str(args.pop("token", ""))
    return request.headers.get("Authorization", "").removeprefix("Bearer ").strip() or in_arguments


async def _before(request: web.Request, fault: Fault) -> web.StreamResponse | None:
    """The fault that comes instead of an answer, if there is one."""
    if fault.hang is not None:
        await asyncio.sleep(fault.hang)
        return hang_up(request)
    if fault.drop == "before":
        return hang_up(request)
    if fault.status is not None:
        return web.Response(status=fault.status, text="<html>Server error</html>", content_type="text/html")
    if fault.ratelimited is not None:
        headers = {"Retry-After": f"{math.ceil(fault.ratelimited)}"}  # Slack sends whole seconds
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
    return None


def _end_stream(slack: Clicking, args: JSON, error: str) -> None:
    """An error on order that says that a stream is over ends it."""
    if error not in ("message_not_in_streaming_state", "stopped_by_user") or args.get("channel") not in slack.channels:
        return
    message = slack.channels[args["channel"]].messages.get(str(args.get("ts")))
    if message is not None and message.stream is not None:
        message.stream.ends = 0.0
        message.stream.ended = "stopped_by_user" if error == "stopped_by_user" else message.stream.ended


def hang_up(request: web.Request) -> web.Response:
    """Cut the client's connection; the answer goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
