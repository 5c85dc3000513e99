"""The direct conversation with a person, where the app tells them what concerns them alone."""

from __future__ import annotations

import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.sending.calls import Lost, Refused, call

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
