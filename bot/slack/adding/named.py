"""What people call a message or a file that they gave a link of: no address, and nothing that they may not know."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

from bot.adding import Item, What
from bot.slack.adding.permalinks import item_of
from bot.slack.directory import CannotCheck
from bot.slack.parts import Parts
from bot.slack.people import Channel
from bot.slack.showing.sources import short_date
from bot.slack.threads import moment
from bot.texts import Texts

NAME_SECONDS = 0.2  # for a channel's name, which is known as a rule: who may read there was just looked up


async def named(parts: Parts, item: Item, user: str, texts: Texts) -> Item:
    """``item`` under a name; one that has a name of its own as it is. Raises nothing.

    The link of a message in #office, where ``user`` is → ``Message of 30 Jan 2024 in #office``; where they are not,
    or Slack does not tell in time, ``Message of 30 Jan 2024``.
    """
    if item_of(item.name, parts.me.host) is None:  # then the name is no link of Slack's
        return item
    if item.what is What.FILE:
        return replace(item, name=texts.say("linked_file"))
    place, _, ts = item.ref.partition(":")
    date = short_date(datetime.fromtimestamp(moment(ts)[0], UTC), texts)
    channel = await _channel(parts, place, user)
    if channel is None or channel.kind in ("im", "mpim") or not channel.name:
        return replace(item, name=texts.say("linked_message", date=date))
    return replace(item, name=texts.say("linked_message_in", date=date, channel=channel.name))


async def _channel(parts: Parts, id: str, user: str) -> Channel | None:
    """A channel that somebody is in; None for any other, and where that is not known in time."""
    try:
        async with asyncio.timeout(NAME_SECONDS):
            is_in = user in await parts.directory.members(id)
            return await parts.directory.channel(id) if is_in else None
    except (CannotCheck, TimeoutError):
        return None
