"""What an answer must not carry: leaked markup, markers that Claude made up, links that are not a source's.

Works on text that is still growing, so every edit keeps, for each character that stays, where it stood before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_NAMES = (
    r"cite|citations?|search_results?|sources?|documents?|results?|context|passages?|quote|thinking|answer|index"
    r"|antml:\w+|function_\w+|tool_\w+|invoke|parameter|a|img|iframe|script|style|link|svg|object|embed|form|meta|base|video|audio"
)
_TAG = re.compile(rf"</?\s*(?:{_NAMES})(?:\s[^<>]*|/)?>|</?\s*cite(?:\s[^<>]*)?(?=<)", re.IGNORECASE)
_BROKEN_TAG = re.compile(rf"</?\s*(?:{_NAMES})(?:\s[^<>]*|/)?\Z", re.IGNORECASE)
_OPEN_TAG = re.compile(r"</?\s*[a-z][\w:]*(?:\s[^<>]{0,500})?\Z|</?\Z", re.IGNORECASE)
_OPEN_LINK = re.compile(
    r"!?\[[^\[\]\n]{0,300}(?:\]\([^()\n]{0,1000})?\Z|<[a-z][a-z0-9+.-]*:[^<>\s]{0,1000}\Z", re.IGNORECASE
)

_TARGET = r"[^()\s]*(?:\([^()\s]*\)[^()\s]*)*"
_LINK = re.compile(rf"!?\[([^\[\]]*)\]\(\s*<?({_TARGET}?)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\[\]\n]+\]:[ \t]*\S[^\n]*(?:\n|\Z)", re.MULTILINE)
_ANGLED = re.compile(r"<([a-z][a-z0-9+.-]*:[^<>\s|]*)(?:\|([^<>]*))?>", re.IGNORECASE)
_REFERENCE = re.compile(r"!?\[([^\[\]\n]+)\]\[[^\[\]\n]*\]")
_MARKER = re.compile(r"[ \t]*(?:\[\s*\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*\]|【[^】\n]{0,40}】|［\d{1,3}］)")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|\bwww\.)[^\s<>\"“”«»|]*"
    r"|\b(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:/[^\s<>?]*)?\?[^\s<>=]*=[^\s<>]*",
    re.IGNORECASE,
)
_AFTER_ADDRESS = ".,;:!?)]}'’*_`。、"

Piece = tuple[int, int] | str  # a span that stays, or text put in


@dataclass(frozen=True, slots=True)
class Cleaned:
    """``text`` after the edits; ``origin[i]`` is where its i-th character stood, or where it was put in.

    ``wholes`` are the spans, where they stood, of links of which the words were kept: not to be cut in two.
    """

    text: str
    origin: Sequence[int]
    wholes: tuple[tuple[int, int], ...] = ()

    def may_cut(self, at: int) -> bool:
        """Whether the text can be divided before its ``at``-th character, and what follows be cleaned again later."""
        if not 0 < at < len(self.text):
            return True
        return not any(start < self.origin[at] < end for start, end in self.wholes)


def cleaned(raw: str, urls: frozenset[str], no_link: str, *, whole: bool) -> Cleaned:
    """``raw`` without leaked markup, made-up markers and foreign links.

    ``urls`` are the addresses that may stand; ``no_link`` is put for others. ``whole`` says that no more text comes,
    so that a tag without its end is one that was cut off.

    >>> cleaned("<cite>It broke</cite> [1], see [details](http://evil/?q=S).", frozenset(), "-", whole=True).text
    'It broke, see details.'
    """

    def link(match: re.Match[str]) -> list[Piece]:
        if match[2] in urls and not match[0].startswith("!"):
            return [match.span()]
        return [] if match[1].strip().isdigit() else [match.span(1)]

    def angled(match: re.Match[str]) -> list[Piece]:
        if match[1] in urls:
            return [match.span(1)]
        return [match.span(2)] if match[2] else [no_link]

    def address(match: re.Match[str]) -> list[Piece]:
        target = match[0].rstrip(_AFTER_ADDRESS)
        end = match.start() + len(target)
        return [(match.start(), match.end())] if target in urls else [no_link, (end, match.end())]

    result = Cleaned(raw, range(len(raw)))
    nothing: Callable[[re.Match[str]], list[Piece]] = lambda match: []  # noqa: E731 a value among functions
    # What an edit joins may be markup again ("<ci<cite>te>"): the removals run until nothing is left to remove.
    for _ in range(8):
        before = result.text
        result = _edit(result, _TAG, nothing)
        if whole:
            result = _edit(result, _BROKEN_TAG, nothing)
        result = _edit(result, _DEFINITION, nothing)
        for _ in range(3):  # an image in a link, and so on
            result = _edit(result, _LINK, link)
        result = _edit(result, _ANGLED, angled)
        result = _edit(result, _MARKER, nothing)
        result = _edit(result, _REFERENCE, lambda match: [match.span(1)])
        result = _edit(result, _ADDRESS, address)
        if result.text == before:
            break
    return result


def unfinished(raw: str) -> int:
    """From which character on ``raw`` may still turn out to be a tag or a link: text before it can be judged."""
    starts = [match.start() for pattern in (_OPEN_TAG, _OPEN_LINK) if (match := pattern.search(raw))]
    return min(starts, default=len(raw))


def _edit(before: Cleaned, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], list[Piece]]) -> Cleaned:
    text: list[str] = []
    origin: list[int] = []
    wholes = list(before.wholes)
    at = 0
    for match in pattern.finditer(before.text):
        kept = replace(match)
        if kept and match.end() > match.start():
            wholes.append((before.origin[match.start()], before.origin[match.end() - 1] + 1))
        pieces = [(at, match.start()), *kept]
        at = match.end()
        for piece in pieces:
            if isinstance(piece, str):
                text.append(piece)
                origin.extend([before.origin[match.start()]] * len(piece))
            else:
                text.append(before.text[slice(*piece)])
                origin.extend(before.origin[slice(*piece)])
    if not at:
        return before
    text.append(before.text[at:])
    origin.extend(before.origin[at:])
    return Cleaned("".join(text), origin, tuple(wholes))
