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
        return replace(item, name=name_out_of_sight(item, texts))
    channel = await _channel(parts, item.ref.partition(":")[0], user)
    if channel is None or channel.kind in ("im", "mpim") or not channel.name:
        return replace(item, name=name_out_of_sight(item, texts))
    return replace(item, name=texts.say("linked_message_in", date=_date(item, texts), channel=channel.name))


def name_out_of_sight(item: Item, texts: Texts) -> str:
    """What a message or a file of Slack's is called before somebody who may not see it.

    >>> name_out_of_sight(Item(What.MESSAGE, "C1:1706572800.000100", "The code is 4711"), ENGLISH)
    'Message of 30 Jan 2024'
    """
    if item.what is What.FILE:
        return texts.say("linked_file")
    return texts.say("linked_message", date=_date(item, texts))


def _date(item: Item, texts: Texts) -> str:
    ts = item.ref.partition(":")[2]
    return short_date(datetime.fromtimestamp(moment(ts)[0], UTC), texts)


async def _channel(parts: Parts, id: str, user: str) -> Channel | None:
    """A channel that somebody is in; None for any other, and where that is not known in time."""
    try:
        async with asyncio.timeout(NAME_SECONDS):
            is_in = user in await parts.directory.members(id)
            return await parts.directory.channel(id) if is_in else None
    except (CannotCheck, TimeoutError):
        return None
