"""Adding documents: the form, the shortcuts, and the buttons of the message that tells how far it has come."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.adding.protocol import Additions
from bot.slack.desk import Desk
from bot.slack.parts import Parts


def register(app: AsyncApp, parts: Parts, desk: Desk, additions: Additions) -> None:
    """The form (also behind the button OPEN_ADDING), the shortcuts, and the buttons of the moving message."""


async def add_command(parts: Parts, additions: Additions, ack: AsyncAck, body: dict[str, Any], argument: str) -> None:
    """``/docs add`` opens the form; ``/docs add URL [title]`` adds a link for whom the channel's default names.

    Acknowledges by itself, once. ``body`` is the command's payload as it came, ``argument`` what follows ``add``, as
    Slack sent it (escaped).
    """
    await ack()
