"""A click on a button or a menu, as plain values, and how the person who clicked is told something."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.slack.intake import Me
from bot.slack.messages import Message
from bot.slack.parts import Parts

log = logging.getLogger(__name__)

TROUBLE = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError)


@dataclass(frozen=True, slots=True)
class Click:
    """Who clicked what where. ``value`` is the button's or the chosen option's. ``ephemeral``: on a message that only
    this person sees. ``thread`` is the root of the message's thread, "" where it is in none.
    """

    user: str
    team: str
    channel: str
    message: str
    thread: str
    value: str
    trigger: str
    response_url: str | None
    ephemeral: bool


def click_of(body: Mapping[str, Any], me: Me) -> Click:
    """The click in a ``block_actions`` payload; fields that are missing are ""."""

    def inner(*names: str) -> Any:
        found: Any = body
        for name in names:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found

    action = (body.get("actions") or [{}])[0]
    value = action.get("value") or (action.get("selected_option") or {}).get("value") or ""
    return Click(
        user=str(inner("user", "id") or ""),
        team=me.team,
        channel=str(inner("channel", "id") or inner("container", "channel_id") or ""),
        message=str(inner("container", "message_ts") or inner("message", "ts") or ""),
        thread=str(inner("message", "thread_ts") or inner("container", "thread_ts") or ""),
        value=str(value),
        trigger=str(body.get("trigger_id") or ""),
        response_url=body.get("response_url"),
        ephemeral=bool(inner("container", "is_ephemeral")),
    )


async def try_to(call: Awaitable[object]) -> bool:
    """Whether a call of Slack's worked; why it did not goes to the log."""
    try:
        await call
    except TROUBLE as error:
        told = error.response.get("error") if isinstance(error, SlackApiError) else type(error).__name__
        log.warning("Slack did not do what a click asks for: %s", told)
        return False
    return True


async def tell(parts: Parts, click: Click, message: Message) -> None:
    """Tell the person who clicked, and nobody else, beside the message; by the response URL where we may not post."""
    posted = await try_to(
        parts.client.chat_postEphemeral(
            channel=click.channel,
            user=click.user,
            text=message.text,
            blocks=message.blocks,
            thread_ts=click.thread or None,
        )
    )
    if not posted and click.response_url:
        await respond(
            click,
            {
                "response_type": "ephemeral",
                "replace_original": False,
                "text": message.text,
                "blocks": message.blocks,
            },
        )


async def respond(click: Click, body: dict[str, Any]) -> bool:
    """Write through a click's response URL; whether that worked."""
    if not click.response_url:
        return False
    try:
        response = await AsyncWebhookClient(click.response_url, timeout=10).send_dict(body)
    except TROUBLE as error:  # never with the URL: who has it can write
        log.warning("a response URL does not answer: %s", type(error).__name__)
        return False
    return response.status_code == 200
