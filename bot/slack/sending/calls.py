"""One call to Slack's Web API, and what became of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

# What a call to Slack may raise: its refusal, or the connection's (RuntimeError: it was closed, as we are ending).
FAULTS = (SlackClientError, aiohttp.ClientError, OSError, TimeoutError, json.JSONDecodeError, RuntimeError)

CALL_SECONDS = 10.0  # Slack answers such calls in a second; somebody is waiting for the words


class Lost(Exception):
    """Whether Slack did what was asked is not known: its answer did not come, or was a server error."""


class Refused(Exception):
    """Slack did not do what was asked. ``error`` is its name for the reason, ``wait`` the seconds after which to ask
    again, where it was too often."""

    def __init__(self, error: str, wait: float | None = None) -> None:
        super().__init__(error)
        self.error = error
        self.wait = wait


def unrepeating(client: AsyncWebClient) -> AsyncWebClient:
    """A client like ``client`` that makes each call once: what a lost answer means is for the caller to find out."""
    if not client.retry_handlers:
        return client
    once = AsyncWebClient(
        token=client.token,
        base_url=client.base_url,
        timeout=client.timeout,
        ssl=client.ssl,
        proxy=client.proxy,
        session=client.session,
        trust_env_in_session=client.trust_env_in_session,
        logger=client.logger,
        retry_handlers=[],
    )
    once.headers.update(client.headers)
    once.default_params.update(client.default_params)
    return once


async def call(method: Callable[..., Awaitable[AsyncSlackResponse]], **arguments: Any) -> dict[str, Any]:
    """What Slack answered to a method of its client, within CALL_SECONDS. Raises Refused or Lost."""
    try:
        async with asyncio.timeout(CALL_SECONDS):
            response = await method(**arguments)
    except SlackApiError as error:
        raise _told(error) from error
    except FAULTS as error:
        raise Lost(type(error).__name__) from error
    return response.data if isinstance(response.data, dict) else {}


def _told(error: SlackApiError) -> Refused | Lost:
    """Of Slack's answer, or the HTTP response where there was none to read."""
    status = int(getattr(error.response, "status_code", None) or getattr(error.response, "status", None) or 200)
    headers = getattr(error.response, "headers", None) or {}
    data = getattr(error.response, "data", None)
    reason = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == 429 or reason in ("ratelimited", "rate_limited"):
        after = {str(name).lower(): value for name, value in headers.items()}.get("retry-after", "1")
        return Refused("ratelimited", float(after) if str(after).isdigit() else 1.0)
    if status >= 500 or not reason or reason in ("internal_error", "fatal_error", "service_unavailable"):
        return Lost(f"HTTP {status}")
    return Refused(reason)
