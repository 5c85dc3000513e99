"""Slack's own links: what a link to a message, a thread or a file names, and the link of a message."""

from __future__ import annotations

from bot.adding import Item


def item_of(url: str, host: str) -> Item | None:
    """What a link of Slack's names; None for any other address. ``host`` is the workspace's own (``Me.host``).

    A message that is, or may be, the root of a thread gives the thread; a reply gives that message alone.

    >>> item_of("https://x.slack.com/archives/C1/p1700000000000100", "x.slack.com").ref
    'C1:1700000000.000100'
    """
    raise NotImplementedError


def permalink(host: str, channel: str, ts: str, thread: str = "") -> str | None:
    """The address of a message; None where the host is not known."""
    raise NotImplementedError
