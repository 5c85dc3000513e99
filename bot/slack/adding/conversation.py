"""The direct conversation with a person, where the app tells them what concerns them alone."""

from __future__ import annotations

import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.clicks import try_to
from bot.slack.parts import Parts
from bot.slack.sending.calls import Lost, Refused, call
from bot.slack.sending.posting import Place
from bot.slack.showing.messages import Message

log = logging.getLogger(__name__)


async def conversation_with(client: AsyncWebClient, user: str) -> str | None:
    """Its channel's id; None where Slack opens none (a person of another organisation, one who has left)."""
    try:
        told = await call(client.conversations_open, users=user)
    except (Refused, Lost) as error:
        log.warning("no direct conversation could be opened: %s", error)
        return None
    channel = (told.get("channel") or {}).get("id")
    return str(channel) if channel else None


async def tell_directly(parts: Parts, user: str, message: Message, *, key: str, user_team: str | None = None) -> None:
    """Post a message, named by ``key``, in that conversation, if there is one."""
    channel = await conversation_with(parts.client, user)
    if channel is not None:
        place = Place(parts.me.team, channel, None, user, user_team)
        await try_to(parts.poster.post(place, blocks=message.blocks, text=message.text, key=key))
