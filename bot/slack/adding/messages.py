"""A message, or a thread to its last reply, as Slack has them now: all of it, or a reason why not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.adding.not_added import NotAdded
from bot.slack.directory import error_code
from bot.slack.threads import moment

log = logging.getLogger(__name__)

Message = Mapping[str, Any]

PAGE = 200
MOST_PAGES = 200
SECONDS = 120.0  # for all pages, with the pauses that Slack asks for
_GONE: Final = frozenset({"thread_not_found", "message_not_found"})
_OUT_OF_SIGHT: Final = frozenset({"channel_not_found", "not_in_channel", "no_permission"})
_NO_SCOPE: Final = frozenset({"missing_scope", "not_allowed_token_type"})


class _NotThere(Exception):
    """Slack knows no such thread."""


async def thread(client: AsyncWebClient, channel: str, ts: str, name: str) -> tuple[Message, ...]:
    """All messages of the thread that ``ts`` is in, oldest first; of a message without replies that one.

    ``name`` is what the thread is called in a refusal. Raises NotAdded, also where Slack gives only a part of it.
    """
    messages = await _answered(_replies(client, channel, ts), name)
    root = next((str(one["thread_ts"]) for one in messages if one.get("thread_ts")), ts)
    if root not in (ts, *(one.get("ts") for one in messages)):  # Slack gives a reply alone where it is asked for one
        messages = await _answered(_replies(client, channel, root), name)
    return messages


async def message(client: AsyncWebClient, channel: str, ts: str, name: str) -> Message:
    """One message, a reply or not. Raises NotAdded."""
    try:
        found = await _answered(_replies(client, channel, ts, oldest=ts, latest=ts), name)
    except NotAdded as error:
        if error.key != "message_gone":
            raise
        found = ()
    if not _has(found, ts):  # then it may be one that no thread hangs on
        found = await _answered(_history(client, channel, ts), name)
    if not _has(found, ts):
        raise NotAdded("message_gone", name=name)
    return next(one for one in found if one.get("ts") == ts)


def _has(messages: tuple[Message, ...], ts: str) -> bool:
    return any(one.get("ts") == ts for one in messages)


async def _answered(reading: Awaitable[tuple[Message, ...]], name: str) -> tuple[Message, ...]:
    """What Slack gives in time. Raises NotAdded."""
    try:
        async with asyncio.timeout(SECONDS):
            return await reading
    except _NotThere as error:
        raise NotAdded("message_gone", name=name) from error
    except SlackApiError as error:
        code = error_code(error)
        if code in _GONE:
            raise NotAdded("message_gone", name=name) from error
        if code in _OUT_OF_SIGHT:
            raise NotAdded("message_out_of_sight", name=name) from error
        if code in _NO_SCOPE:
            raise NotAdded("message_no_scope", name=name) from error
        log.warning("a conversation could not be read: %s", code)
        raise NotAdded("message_not_read", name=name) from error
    except (SlackClientError, aiohttp.ClientError, OSError, ValueError, AttributeError) as error:
        # TimeoutError is an OSError; the last two are the SDK's, for an answer that is no JSON object
        log.warning("a conversation could not be read: %s", type(error).__name__)
        raise NotAdded("message_not_read", name=name) from error


async def _replies(client: AsyncWebClient, channel: str, ts: str, **within: str) -> tuple[Message, ...]:
    return await _all(client.conversations_replies, channel=channel, ts=ts, inclusive=True, **within)


async def _history(client: AsyncWebClient, channel: str, ts: str) -> tuple[Message, ...]:
    return await _all(client.conversations_history, channel=channel, oldest=ts, latest=ts, inclusive=True)


async def _all(method: Callable[..., Awaitable[Any]], **arguments: Any) -> tuple[Message, ...]:
    """All pages, each message once and by its time. Raises ValueError where Slack holds something back."""
    messages: dict[str, Message] = {}  # by ts: the root may stand on each page
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        told = await method(limit=PAGE, cursor=cursor, **arguments)
        messages |= {str(one.get("ts")): one for one in told.get("messages") or () if isinstance(one, dict)}
        cursor = (told.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            break
    if cursor or told.get("has_more"):
        raise ValueError("more than was given")
    if not messages:
        raise _NotThere
    return tuple(messages[ts] for ts in sorted(messages, key=moment))
