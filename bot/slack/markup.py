"""Slack's two ways of writing: escaped text as it comes in, Markdown as it goes out.

What goes out was written by a model from documents that anybody may have written. Nothing in it may ping, point at a
channel, or hide where a link leads, and everything else is shown as it was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from bot.answering.visible import Filter

JOINER: Final = "\u2060"  # takes no room and breaks no line: what it stands in is no longer a command to Slack
_HAIR: Final = "\u200a"  # the thinnest white space: Slack takes bold for bold only beside white space or punctuation

_ANGLED = re.compile(r"<([@#!][^<>\n]*|[a-z][a-z0-9+.-]*:[^<>\n]*)>", re.IGNORECASE)
# Letters and signs of scripts that put no space between words.
_UNSPACED = (
    "\u0e00-\u0eff\u1100-\u11ff\u2e80-\u2fff\u3001-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff01-\uffee"
    "\U00020000-\U0003ffff"
)
_UNSPACED_LETTER = re.compile(f"[{_UNSPACED}]")
_BROADCAST = {"channel", "here", "everyone"}


def escape(text: str) -> str:
    """``text`` for a field that Slack reads as mrkdwn: it is shown as it stands.

    >>> escape("if a < b && <!channel>")
    'if a &lt; b &amp;&amp; &lt;!channel&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str, name: Callable[[str], str | None] = lambda user: None) -> str:
    """What a person wrote, from the text that Slack sent; ``name`` gives a person's name by id.

    >>> unescape("<@U1> is a &lt; b in <#C1|finance>? see <https://a.example|the page>", {"U1": "Ana"}.get)
    '@Ana is a < b in #finance? see the page (https://a.example)'
    """
    plain = _ANGLED.sub(lambda match: _meant(match[1], name), text)
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _meant(inner: str, name: Callable[[str], str | None]) -> str:
    """What stands between angle brackets in Slack's text, as a person reads it (still escaped)."""
    target, _, label = inner.partition("|")
    if target.startswith("@"):
        known = name(target[1:])
        return "@" + (escape(known) if known else label or target[1:])
    if target.startswith("#"):
        return "#" + (label or target[1:])
    if target.startswith("!date^"):
        return label or target.split("^")[-1]
    if target.startswith("!subteam^"):
        return "@" + (label.removeprefix("@") or target.removeprefix("!subteam^"))
    if target.startswith("!"):
        return "@" + (label.removeprefix("@") or target[1:])
    address = target.removeprefix("mailto:").removeprefix("tel:")
    if not label or label in (target, address):
        return address
    if re.sub(r"^https?://", "", address).rstrip("/") == label.rstrip("/"):  # Slack made the link itself
        return address
    return f"{label} ({address})"


def harmless(text: str) -> str:
    """``text`` with every command to Slack broken by a joiner, whatever Slack reads it as; it looks the same.

    >>> harmless("<!channel> and @here").replace(JOINER, "·")
    '<·!channel> and @·here'
    """
    text = re.sub(r"(<|&lt;|&#60;|&#x3c;)(?=[@#!])", lambda match: match[1] + JOINER, text, flags=re.IGNORECASE)
    text = re.sub(r"<(?=[a-z][a-z0-9+.-]*:[^<>\n]*\|)", "<" + JOINER, text, flags=re.IGNORECASE)
    return re.sub(r"(?<![\w.])@(?=(?:channel|here|everyone)\b)", "@" + JOINER, text, flags=re.IGNORECASE)


def safe_markdown(text: str) -> str:
    """Claude's Markdown as Slack's ``markdown_text``: nothing pings, no link hides its target, bold is bold.

    Code keeps its characters; a command to Slack in it is broken by a joiner. What is hidden in it (Unicode tags) goes.

    >>> safe_markdown("Tell <!channel> if a < b && c: <https://evil.example|https://good.example>")
    'Tell @\u2060channel if a < b && c: https://good.example (https://evil.example)'
    """
    safe = SafeMarkdown()
    return safe.feed(text) + safe.finish()


_FENCE_LINE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_UNDECIDED_LINE = re.compile(r"[ ]{0,3}(?:`*|~*)\Z")
_CONTROL = re.compile(r"<([@#!][^<>\n]*)>")
_LABELLED = re.compile(r"<([a-z][a-z0-9+.-]*:[^<>\n|]*\|[^<>\n]*)>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:lt|#60|#x3c);(?=[@#!])", re.IGNORECASE)
_STARS = re.compile(r"\*{1,3}|~~")
_WORD_AFTER_AT = re.compile(r"@(channel|here|everyone)\b", re.IGNORECASE)
# What would become a command by what follows: ``@`` and the beginning of one of the words.
_BEGINNINGS = "|".join(word[:length] for word in ("channel", "here", "everyone") for length in range(1, len(word)))
_COMMAND_BEGUN = re.compile(rf"@(?:{_BEGINNINGS})?\Z", re.IGNORECASE)
_PLAIN = re.compile(r"[^\n\\`<&@*~]+|\\[`*~]")
# What may go on into something that is judged as a whole.
_OPEN = re.compile(
    r"(?:<[^<>\n\s]{0,400}|<[@#!][^<>\n]{0,400}|<[a-z][a-z0-9+.-]*:[^<>\n]{0,400}|&[#a-z0-9]{0,4};?|@[a-z]{0,8})\Z",
    re.IGNORECASE,
)
_LONGEST_HELD = 4_000  # characters of an open code span that are waited for


class SafeMarkdown:
    """``safe_markdown`` for text that comes in pieces: the pieces joined give the same as the whole at once."""

    def __init__(self) -> None:
        self._visible = Filter()
        self._held = ""
        self._last = "\n"  # the last character that went out
        self._fence: str | None = None  # what opened the fence that we are in
        self._open: list[str] = []  # marks of emphasis that are open on this line
        self._closing = False  # what is judged now closes an emphasis
        self._closed = False  # what went out last closed one

    def feed(self, piece: str) -> str:
        """What of the text so far can go out now."""
        return self._scan(self._visible.take(_sendable(piece)), whole=False)

    def finish(self) -> str:
        """The rest: no more comes."""
        return self._scan(self._visible.close(), whole=True)

    def _scan(self, piece: str, *, whole: bool) -> str:
        text, self._held = self._held + piece, ""
        out: list[str] = []
        at = 0
        while at < len(text):
            taken, shown = self._next(text, at, whole)
            if not taken:
                self._held = text[at:]
                break
            if shown:
                if self._closed and _UNSPACED_LETTER.match(shown):
                    shown = _HAIR + shown
                self._closed = False
                self._last = shown[-1]
                out.append(shown)
            if self._closing:
                self._closed, self._closing = True, False
            at += taken
        return "".join(out)

    def _next(self, text: str, at: int, whole: bool) -> tuple[int, str]:
        """How many characters from ``at`` on are judged, and what is shown for them; 0: it cannot be told yet."""
        if self._last == "\n" and (line := self._line_start(text, at, whole)) is not None:
            return line
        if self._fence is not None:
            end = text.find("\n", at) + 1
            if not end and not whole:
                return (0, "") if _OPEN.search(text, at) else (len(text) - at, self._harmless(text[at:]))
            return (end or len(text)) - at, self._harmless(text[at : end or len(text)])
        if plain := _PLAIN.match(text, at):
            return len(plain[0]), plain[0]
        return self._special(text, at, whole)

    def _line_start(self, text: str, at: int, whole: bool) -> tuple[int, str] | None:
        """A line that opens or closes a fence, as a whole; None where it is another."""
        if text[at] == "\n":
            self._open = []  # emphasis ends with its paragraph
        if not whole and _UNDECIDED_LINE.match(text, at):
            return 0, ""
        fence = _FENCE_LINE.match(text, at)
        if fence is None:
            return None
        end = text.find("\n", at) + 1
        if not end and not whole:
            return 0, ""
        line = text[at : end or len(text)]
        if self._fence is None:
            if fence[1][0] == "`" and "`" in line[fence.end() - at :]:
                return None  # code on one line
            self._fence = fence[1]
        elif fence[1].startswith(self._fence) and not line[fence.end() - at :].strip():
            self._fence = None
        return len(line), harmless(line)

    def _harmless(self, text: str) -> str:
        return harmless(self._last + text)[1:]

    def _special(self, text: str, at: int, whole: bool) -> tuple[int, str]:
        char = text[at]
        if char == "`":
            return self._code(text, at, whole)
        if not whole and _OPEN.match(text, at):
            return 0, ""
        if char == "\\":
            return (0, "") if at + 1 == len(text) and not whole else (1, char)
        if char in "*~":
            return self._emphasis(text, at, whole)
        if char == "<":
            meant = _CONTROL.match(text, at) or _LABELLED.match(text, at)
            if meant:
                shown = harmless(_meant(meant[1], lambda user: None))
                return len(meant[0]), shown + JOINER if _COMMAND_BEGUN.search(shown) else shown
            return 1, "<" + (JOINER if text[at + 1 : at + 2] in ("@", "#", "!") else "")
        if char == "@":
            word = _WORD_AFTER_AT.match(text, at)
            alone = not (self._last.isalnum() or self._last in "_.")
            return 1, "@" + JOINER if word and alone else "@"
        if entity := _ENTITY.match(text, at):
            return len(entity[0]), entity[0] + JOINER
        return 1, char

    def _code(self, text: str, at: int, whole: bool) -> tuple[int, str]:
        """Code in a line: to the same number of back-ticks."""
        ticks = len(text[at:]) - len(text[at:].lstrip("`"))
        if at + ticks == len(text) and not whole:
            return 0, ""
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)]
        close = re.search(rf"(?<!`)`{{{ticks}}}(?!`)", line[ticks:])
        if close:
            length = ticks + close.end()
            if at + length == len(text) and not whole:
                return 0, ""  # one more back-tick would make it another end
            return length, harmless(line[:length])
        if end < 0 and not whole and len(line) < _LONGEST_HELD:
            return 0, ""
        return ticks, "`" * ticks

    def _emphasis(self, text: str, at: int, whole: bool) -> tuple[int, str]:
        """A mark of emphasis; beside a script without spaces a hair space makes it one."""
        mark = _STARS.match(text, at)
        if mark is None:
            return (0, "") if at + 1 == len(text) and not whole else (1, text[at])
        end = mark.end()
        if end == len(text) and not whole:
            return 0, ""
        follows = text[end : end + 1]
        if mark[0] in self._open and not self._last.isspace():
            self._open.remove(mark[0])
            self._closing = True
            return len(mark[0]), mark[0]
        if follows and not follows.isspace():
            self._open.append(mark[0])
            return len(mark[0]), (_HAIR if _UNSPACED_LETTER.match(self._last) else "") + mark[0]
        return len(mark[0]), mark[0]


def _sendable(text: str) -> str:
    """Half a character pair cannot be sent as UTF-8; it is shown as what is missing."""
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
