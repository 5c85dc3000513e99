"""The direct conversation with a person, where the app tells them what concerns them alone."""

from __future__ import annotations

import logging

from bot.slack.parts import Parts
from bot.slack.sending.posting import UNREACHABLE, NotPosted, Place
from bot.slack.showing.messages import Message

log = logging.getLogger(__name__)


async def tell_directly(
    parts: Parts, user: str, message: Message, *, key: str, user_team: str | None = None, again: bool = False
) -> bool:
    """Post a message, named by ``key``, in that conversation, if there is one; False: Slack cannot be reached.

    ``again``: somebody may have posted it without being able to say so.
    """
    try:
        channel = await parts.poster.conversation_with(user)
        if channel is None:
            return True
        place = Place(parts.me.team, channel, None, user, user_team)
        if not again or await parts.poster.found(place, key) is None:
            await parts.poster.post(place, blocks=message.blocks, text=message.text, key=key)
    except NotPosted as error:
        log.warning("a person could not be told: %s", error.error)
        return error.error != UNREACHABLE
    return True
