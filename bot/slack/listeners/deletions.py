"""Messages and files that are deleted in Slack: noted before Slack is told that the event arrived."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.slack.adding.forgetting import Forgetting
from bot.slack.listeners.directory import id_of
from indexer import CatalogueUnavailable

log = logging.getLogger(__name__)


def register(app: AsyncApp, forgetting: Forgetting) -> None:
    """Bolt acknowledges an event before its listener runs, so noting happens in a middleware, ahead of that."""

    @app.middleware
    async def note(body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> BoltResponse | None:
        part = deleted_part(body.get("event")) if body.get("type") == "event_callback" else None
        if part is not None:
            try:
                await forgetting.gone(part)
            except CatalogueUnavailable as error:
                log.warning("a deletion could not be noted; Slack will send it again: %s", error)
                return BoltResponse(status=503)
        await next()
        return None


def deleted_part(event: object) -> str | None:
    """What an event says is gone: a file's id, or a message's channel and ``ts``; None for any other event.

    The first message of a thread that has replies is not deleted but made a tombstone.

    >>> deleted_part({"type": "message", "subtype": "message_deleted", "channel": "C1", "deleted_ts": "1.2"})
    'C1:1.2'
    """
    if not isinstance(event, Mapping):
        return None
    if event.get("type") == "file_deleted":
        return id_of(event.get("file_id")) or id_of(event.get("file")) or None
    if event.get("type") != "message":
        return None
    channel = id_of(event.get("channel"))
    message = event.get("message")
    ts: object = None
    if event.get("subtype") == "message_deleted":
        ts = event.get("deleted_ts")
    elif isinstance(message, Mapping) and message.get("subtype") == "tombstone":
        ts = message.get("ts")
    return f"{channel}:{ts}" if channel and isinstance(ts, str) and ts else None
