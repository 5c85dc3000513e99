"""What somebody wants added, fetched from where it is: a file, a message or thread of Slack's, a link, pasted text."""

from __future__ import annotations

from dataclasses import dataclass

from bot.adding import Item
from bot.slack.adding.not_added import NotAdded
from bot.slack.parts import Parts
from indexer import Audience, Original

__all__ = ["Fetched", "NotAdded", "original_of"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """An original, and what decides how far its audience may reach.

    ``title`` is what the document is to be called; None: as it calls itself (a web page). ``origins`` are the channels
    and group conversations that it comes from, empty for what is the person's own. ``made_of`` names what it goes with
    when that is deleted in Slack: ``("C1:1700000000.000100", …)`` for each message in it, ``("F1",)`` for a file.
    ``made_from`` are the audiences of the documents that the bot's answers in it were made from.
    """

    original: Original
    title: str | None
    origins: frozenset[str] = frozenset()
    made_of: tuple[str, ...] = ()
    made_from: frozenset[Audience] = frozenset()


async def original_of(parts: Parts, item: Item, *, user: str, user_team: str | None) -> Fetched:
    """The bytes of ``item``, as far as ``user`` may read it themself right now.

    Raises NotAdded with the reason and what to do; Refused (its sentence is for ``refusal_of``) for a link that cannot
    be taken; Unavailable where the catalogue is away.
    """
    raise NotImplementedError
