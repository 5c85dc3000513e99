"""Slack's own markup: what a person types becomes entities, and entities become what a person sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_ENTITY = re.compile(r"<([@#!]?)([^<>|\n]+)(?:\|([^<>\n]*))?>")
_TYPED = re.compile(
    r"(?P<entity><@[UW]\w+(?:\|[^<>]*)?>|<#C\w+(?:\|[^<>]*)?>|<![\w^-]+(?:\|[^<>]*)?>)"
    r"|(?P<url>https?://[^\s<>|]+)"
    r"|(?P<all>@(?:here|channel|everyone)\b)"
    r"|(?P<name>[@#][\w.\-]+)"
)
_PING = re.compile(r"<!(?:channel|here|everyone|subteam\^)[^<>]*>|<@[UW]\w+(?:\|[^<>]*)?>")
_MARKDOWN_LINK = re.compile(r"\[([^\]\n]*)\]\(\s*<?([a-z][\w+.-]*:[^\s)>]+)>?[^)\n]*\)", re.IGNORECASE)
_BARE_LINK = re.compile(r"https?://[^\s<>|)\]\"']+", re.IGNORECASE)


def escape(text: str) -> str:
    """``a < b & c`` → ``a &lt; b &amp; c``."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """``a &lt; b &amp;&amp; c`` → ``a < b && c``."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def typed(text: str, names: Mapping[str, str]) -> str:
    """What Slack makes of what a person types. ``names``: ``@Ana`` and ``#finance`` with their entities.

    >>> typed("@Ana: is 1 < 2 in https://a.example?", {"@Ana": "<@U1>"})
    '<@U1>: is 1 &lt; 2 in <https://a.example?>'
    """
    out, at = [], 0
    for found in _TYPED.finditer(text):
        out.append(escape(text[at : found.start()]))
        at = found.end()
        word = found.group()
        if found.lastgroup == "url":
            out.append(f"<{word.replace('&', '&amp;')}>")
        elif found.lastgroup == "all":
            out.append(f"<!{word[1:]}>")
        elif found.lastgroup == "name":
            out.append(names.get(word, escape(word)))
        else:
            out.append(word)
    out.append(escape(text[at:]))
    return "".join(out)


def seen(text: str, name_of: Callable[[str], str]) -> str:
    """What a person sees of a ``text`` or mrkdwn: entities resolved (``name_of("U1")`` → ``Ana``), escapes undone.

    >>> seen("&lt;@U1&gt; and <https://a.example|that>", lambda id: "Ana")
    '<@U1> and that'
    """

    def shown(found: re.Match[str]) -> str:
        kind, target, label = found.groups()
        if kind == "@":
            return f"@{name_of(target)}"
        if kind == "#":
            return f"#{label or name_of(target)}"
        if kind == "!":
            return label if label and not target.startswith(("here", "channel", "everyone")) else f"@{target}"
        return label or target

    return unescape(_ENTITY.sub(shown, text))


def pings(text: str) -> list[str]:
    """The entities in a text that would notify somebody: ``<!channel>``, ``<@U1>`` …"""
    return _PING.findall(text)


def links_in(text: str) -> list[tuple[str, str]]:
    """(label, URL) of every link in Markdown, mrkdwn or plain text.

    >>> links_in("see [the plan](https://a.example/x) or <https://b.example|b>")
    [('the plan', 'https://a.example/x'), ('b', 'https://b.example')]
    """
    found = [(m.start(), m.group(1), m.group(2)) for m in _MARKDOWN_LINK.finditer(text)]
    spans = [(m.start(), m.end()) for m in _MARKDOWN_LINK.finditer(text)]
    for m in _ENTITY.finditer(text):
        if not m.group(1) and re.match(r"[a-z][\w+.-]*:", m.group(2), re.IGNORECASE):
            found.append((m.start(), m.group(3) or m.group(2), m.group(2)))
            spans.append((m.start(), m.end()))
    bare = (m for m in _BARE_LINK.finditer(text) if not any(start <= m.start() < end for start, end in spans))
    found.extend((m.start(), m.group(), m.group()) for m in bare)
    return [(label, url) for _, label, url in sorted(found)]
