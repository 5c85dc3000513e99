"""The channel that ADMIN_CHANNEL names: found where the bot is in it, and looked at by the doctor."""

from __future__ import annotations

import re
from typing import Any, Final

from slack_sdk.web.async_client import AsyncWebClient

from bot.health import Check
from bot.slack.sending.calls import Lost, Refused, call

SETTING: Final = "ADMIN_CHANNEL"
INVITE: Final = "Invite the app into it (/invite @Situate), or set ADMIN_CHANNEL to another channel's id or #name."
_ID: Final = re.compile(r"[CG][A-Z0-9]{5,}")
_PAGE: Final = 200
_MOST_PAGES: Final = 100


async def find(client: AsyncWebClient, named: str) -> str | None:
    """The id of a channel by its id or #name; None where the bot is in none of that name. Archived ones are none.

    Raises Refused and Lost.

    >>> await find(client, "#ops"), await find(client, "ops"), await find(client, "C0123456")  # doctest: +SKIP
    ('C0456789', 'C0456789', 'C0123456')
    """
    name = named.strip().removeprefix("#")
    if _ID.fullmatch(name):
        told = await call(client.conversations_info, channel=name)
        channel: dict[str, Any] = told.get("channel") or {}
        fits = channel.get("is_member") is not False and not channel.get("is_archived")
        return name if fits else None
    arguments: dict[str, Any] = {
        "types": "public_channel,private_channel",
        "exclude_archived": True,
        "limit": _PAGE,
    }
    for _ in range(_MOST_PAGES):
        page = await call(client.users_conversations, **arguments)
        for channel in page.get("channels") or []:
            if channel.get("name") == name.lower():
                return str(channel.get("id"))
        cursor = (page.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return None
        arguments["cursor"] = cursor
    return None


async def looked_at(client: AsyncWebClient, named: str | None) -> list[Check]:
    """Whether alerts reach the channel that is set; nothing is posted."""
    if named is None:
        return []
    try:
        channel = await find(client, named)
    except Refused as error:
        if error.error not in ("channel_not_found", "not_in_channel"):
            return [Check(SETTING, False, f"Slack does not tell about it ({error.error}).", "Try again in a minute.")]
        channel = None
    except Lost:
        return [Check(SETTING, False, "Slack does not tell about it.", "Try again in a minute.")]
    if channel is None:
        return [Check(SETTING, False, "The app is in no such channel, or it is archived.", INVITE)]
    return [Check(SETTING, True, "The app is in it.")]
