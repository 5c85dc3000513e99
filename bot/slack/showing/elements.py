"""The few pieces of Block Kit that messages and forms are made of.

What comes from documents or people goes into rich text or plain text only: neither reads markup, so nothing in it can
ping anyone, make a link or change how it looks.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlsplit

from bot.answering.visible import one_line
from bot.slack.markup import escape, harmless

Block = dict[str, Any]
Element = dict[str, Any]

LONGEST_ADDRESS = 2_000
LONGEST_LABEL = 75  # of a button
LONGEST_PLAIN = 2_000
_CLIPPED_ENTITY = re.compile(r"&[a-z]{0,3}$")


def web_address(url: str | None) -> str | None:
    """``url`` where a browser opens it and Slack takes it, what is not ASCII escaped; None for anything else.

    >>> web_address("https://example.com/a b|é"), web_address("file:///etc/passwd"), web_address(None)
    ('https://example.com/a%20b%7C%C3%A9', None, None)
    """
    if not url or any(ord(c) < 32 for c in url):
        return None
    escaped = quote(url, safe="%!#$&'()*+,/:;=?@[]~")
    try:
        parts = urlsplit(escaped)
        host = parts.hostname
    except ValueError:  # "https://[broken"
        return None
    fits = parts.scheme.lower() in ("http", "https") and host and "%" not in parts.netloc
    return escaped if fits and len(escaped) <= LONGEST_ADDRESS else None


def words(text: str, *styles: str) -> Element:
    """A run of rich text as it is; ``styles``: ``bold``, ``italic``."""
    run: Element = {"type": "text", "text": text}
    return run | ({"style": dict.fromkeys(styles, True)} if styles else {})


def link(text: str, url: str | None, *styles: str) -> Element:
    """A run that leads to ``url``; without a link where that is nothing for a browser."""
    address = web_address(url)
    return words(text, *styles) if address is None else {**words(text, *styles), "type": "link", "url": address}


def person(user: str) -> Element:
    """A mention: it tells that person."""
    return {"type": "user", "user_id": user}


def line(*runs: Element) -> Element:
    return {"type": "rich_text_section", "elements": list(runs)}


def quoted(*runs: Element) -> Element:
    """Set off by a bar at its side."""
    return {"type": "rich_text_quote", "elements": list(runs)}


def rich(*parts: Element) -> Block:
    return {"type": "rich_text", "elements": list(parts)}


def markdown(text: str) -> Block:
    """Standard Markdown; the only place for Claude's words, made safe before."""
    return {"type": "markdown", "text": text}


def plain(text: str, limit: int = LONGEST_PLAIN) -> Element:
    """Text that is never read as markup, cut to ``limit`` characters and never empty."""
    text = harmless(text)
    fitting = text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
    return {"type": "plain_text", "text": fitting if fitting.strip() else "…", "emoji": False}


def grey(text: str) -> Block:
    """A small grey line or paragraph."""
    return {"type": "context", "elements": [plain(text)]}


def button(label: str, action: str, value: str, *, spoken: str | None = None) -> Element:
    """A button; ``spoken`` is what a screen reader says in place of a label that is a picture."""
    element = {
        "type": "button",
        "text": plain(one_line(label), LONGEST_LABEL) | {"emoji": spoken is not None},
        "action_id": action,
        "value": value,
    }
    return element | ({"accessibility_label": one_line(spoken, LONGEST_LABEL)} if spoken else {})


def row(*elements: Element) -> Block:
    return {"type": "actions", "elements": list(elements)}


def divider() -> Block:
    return {"type": "divider"}


def text_size(blocks: object) -> int:
    """How many characters of text blocks hold together, labels included and addresses not: what Slack limits.

    >>> text_size([rich(line(words("Sources"), link(" a", "https://x.org")))])
    9
    """
    if isinstance(blocks, dict):
        own = blocks.get("text")
        inner = [value for value in blocks.values() if isinstance(value, dict | list)]
        return (len(own) if isinstance(own, str) else 0) + sum(text_size(value) for value in inner)
    return sum(text_size(value) for value in blocks) if isinstance(blocks, list) else 0


def escaped(text: str, limit: int) -> str:
    """``text`` for a ``text`` field of Slack's: ``& < >`` escaped, nothing in it pings; at most ``limit`` long.

    >>> escaped("a & b", 40), escaped("a & b", 5)
    ('a &amp; b', 'a …')
    """
    safe = escape(harmless(text))
    return safe if len(safe) <= limit else _CLIPPED_ENTITY.sub("", safe[: limit - 1]) + "…"
