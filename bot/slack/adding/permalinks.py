"""Slack's own links: what a link to a message, a thread or a file names, and the link of a message."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from bot.adding import Item, What
from bot.answering.visible import one_line

LONGEST_NAME = 150  # characters
_HOSTS: Final = ("slack.com", "slack-gov.com")  # as such or with subdomains; a workspace's own host besides
_MESSAGE = re.compile(r"/archives/([A-Z][A-Z0-9]{2,30})/p(\d{10,})/?")
_FILE = re.compile(r"/files/[A-Z0-9]{2,30}/(F[A-Z0-9]{2,30})(?:/([^/]*))?/?")
_TS = re.compile(r"\d{1,12}\.\d{6}")
_MICROSECONDS = 6  # the digits of a ts after its point


def item_of(url: str, host: str) -> Item | None:
    """What a link of Slack's names; None for any other address. ``host`` is the workspace's own (``Me.host``).

    A message that is, or may be, the root of a thread gives the thread; a reply gives that message alone.

    >>> item_of("https://x.slack.com/archives/C0123/p1700000000000100", "x.slack.com").ref
    'C0123:1700000000.000100'
    >>> item_of("https://x.slack.com/files/U0123/F0123/budget_2024.xlsx", "x.slack.com").name
    'budget_2024.xlsx'
    """
    try:
        parts = urlsplit(url.strip())
        if parts.scheme not in ("http", "https") or not _is_slack(parts.hostname or "", host):
            return None
    except ValueError:  # no address at all
        return None
    name = one_line(url.strip(), LONGEST_NAME)
    if message := _MESSAGE.fullmatch(parts.path):
        channel, digits = message.groups()
        ts = f"{digits[:-_MICROSECONDS]}.{digits[-_MICROSECONDS:]}"
        return Item(What.THREAD if _root(parts) in ("", ts) else What.MESSAGE, f"{channel}:{ts}", name)
    if file := _FILE.fullmatch(parts.path):
        id, called = file.groups()
        return Item(What.FILE, id, one_line(unquote(called or ""), LONGEST_NAME) or name)
    return None


def permalink(host: str, channel: str, ts: str, thread: str = "") -> str | None:
    """The address of a message; ``thread`` is its thread's root, if it is in one. None where the host is not known.

    >>> permalink("x.slack.com", "C0123", "1700000000.000200", "1700000000.000100")
    'https://x.slack.com/archives/C0123/p1700000000000200?thread_ts=1700000000.000100&cid=C0123'
    """
    if not host:
        return None
    place = f"https://{host}/archives/{channel}/p{ts.replace('.', '')}"
    return f"{place}?thread_ts={thread}&cid={channel}" if thread not in ("", ts) else place


def _is_slack(host: str, ours: str) -> bool:
    host, ours = host.lower(), ours.lower()
    return (bool(ours) and host == ours) or any(host == name or host.endswith(f".{name}") for name in _HOSTS)


def _root(parts: SplitResult) -> str:
    """The root of the thread that a link to a reply tells; "" where it tells none."""
    told = parse_qs(parts.query).get("thread_ts", [""])[-1]
    return told if _TS.fullmatch(told) else ""
