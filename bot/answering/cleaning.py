"""What an answer must not carry: leaked markup, markers that Claude made up, links that are not a source's.

Works on text that is still growing, so every edit keeps, for each character that stays, where it stood before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Every pattern takes linear time: what it skips over it skips once (possessive "++"), and it starts where a run starts.

# Tags that are markup of ours or can do harm; the words of the second row are ordinary ones in technical text, where
# they are tags that the text speaks of, unless something hangs on them.
_LEAKS = (
    r"cite|citations?|search_results?|thinking|antml:\w+|function_\w+|tool_\w+|invoke|parameter"
    r"|a|img|iframe|script|object|embed|form"
)
_WORDS = r"sources?|documents?|results?|context|passages?|quote|answer|index|style|link|svg|meta|base|video|audio"
_TAG = re.compile(
    rf"</?\s*(?:{_LEAKS})(?:\s[^<>]*|/)?>|<\s*(?:{_WORDS})\s[^<>=]*=[^<>]*>|</?\s*cite(?:\s[^<>]*)?(?=<)", re.IGNORECASE
)
_BROKEN_TAG = re.compile(rf"</?\s*(?:{_LEAKS}|{_WORDS})(?:\s[^<>]*|/)?\Z", re.IGNORECASE)
_OPEN_TAG = re.compile(r"</?\s*[a-z][\w:]*(?:\s[^<>]{0,500})?\Z|</?\Z", re.IGNORECASE)
_OPEN_LINK = re.compile(
    r"!?\[[^\[\]\n]{0,300}(?:\]\([^()\n]{0,1000})?\Z|<[a-z][a-z0-9+.-]*:[^<>\s]{0,1000}\Z", re.IGNORECASE
)

_FENCE = r"^[ \t]*(?P<fence>```|~~~)[^\n]*(?:\n(?![ \t]*(?P=fence))[^\n]*)*+(?:\n[ \t]*(?P=fence)[^\n]*|\Z)"
_INLINE = r"(?<!`)(?:``(?!`)(?:[^`\n]|`(?!`))++``|`(?!`)[^`\n]++`)(?!`)"
_CODE = re.compile(rf"(?:{_FENCE})|{_INLINE}", re.MULTILINE)

_TARGET = r"[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+"
_LINK = re.compile(rf"!?\[([^\[\]]*+)\]\(\s*+(?:<([^<>\n]*+)>|({_TARGET}))(?:\s++(?:\"[^\"]*\"|'[^']*'))?\s*+\)")
_DEFINITION = re.compile(
    r"^[ \t]{0,3}\[[^\[\]\n]+\]:[ \t]*+(?:[^\s][^\n]*|\n[ \t]*+[^\s:/]*+[:/][^\s]*+[ \t]*+)(?:\n|\Z)", re.MULTILINE
)
_ANGLED = re.compile(r"<([a-z][a-z0-9+.-]*:[^<>\s|]*)(?:\|([^<>]*))?>", re.IGNORECASE)
_REFERENCE = re.compile(r"(?<![\w\]])!?\[([^\[\]\n]+)\]\[[^\[\]\n]*\]")
_INDEXED = r"[A-Za-z_]\d{0,2}(?:\[\s*\d+\s*\])++"  # "arr[1][2]" is code, "It broke [1]" a marker
_MARKER = re.compile(
    rf"(?P<code>{_INDEXED})"
    r"|(?<![ \t])[ \t]*+(?:\[\s*\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*\]|【[^】\n]{0,40}】|［\d{1,3}］)"
)
_REST = r"[^\s<>\"“”«»|]*"
_HOST = r"(?<![\w.@/+-])(?:[\w-]++\.)++[^\W\d_]{2,}+(?![\w-])(?::\d+)?"
_NUMBERS = r"(?<![\w.@/+-])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?=/[^\s\d])"
_MAIL = r"(?<![\w.+-])[\w.+-]++@(?:[\w-]++\.)++[^\W\d_]{2,}+"
_ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.-]{{1,20}}://{_REST}|\bwww\.{_REST}"
    rf"|\b(?:https?|hxxps?|ftp):[/\\]*[^\s<>\"“”«»|:/\\]{_REST}|\b(?:javascript|vbscript|blob):\S{_REST}"
    rf"|\bdata:[a-z]+/[a-z0-9.+-]+[;,]{_REST}|\b(?:tel|sms):\+?\d{_REST}"
    rf"|(?<![:\w/\\])[/\\]{{2}}(?:[\w-]++\.)++[^\W\d_]{{2,}}+{_REST}"
    rf"|{_HOST}(?:/[^\s<>?]*)?\?[^\s<>=]*=[^\s<>]*|{_HOST}/[^\s<>/]{_REST}|{_NUMBERS}{_REST}"
    rf"|(?P<mail>(?:\bmailto:)?(?P<box>{_MAIL})(?:\?{_REST})?)|\bmailto:\S{_REST}",
    re.IGNORECASE,
)
_AFTER_ADDRESS = ".,;:!?)]}'’*_`。、"
# "node.js/express" is no address: these end file names, and no domain has them.
_FILE = re.compile(
    r"[^/?]*\.(?:js|jsx|ts|tsx|mjs|java|cpp|php|rb|json|toml|yaml|yml|txt|csv|pdf|docx|xlsx|pptx|html?|xml|css|log|sql"
    r"|cfg|ini|png|jpe?g|svg)(?:/[^?]*)?",
    re.IGNORECASE,
)

Piece = tuple[int, int] | str  # a span that stays, or text put in


@dataclass(frozen=True, slots=True)
class Cleaned:
    """``text`` after the edits; ``origin[i]`` is where its i-th character stood, or where it was put in.

    ``wholes`` are the spans, where they stood, of code and of links of which the words were kept: not to be cut in two.
    They are in order and apart.
    """

    text: str
    origin: Sequence[int]
    wholes: tuple[tuple[int, int], ...] = ()

    def may_cut(self, at: int) -> bool:
        """Whether the text can be divided before its ``at``-th character, and what follows be cleaned again later."""
        if not 0 < at < len(self.text):
            return True
        stood = self.origin[at]
        before = bisect_right(self.wholes, (stood, -1)) - 1  # the last that starts before it, as they are apart
        return before < 0 or stood >= self.wholes[before][1]

    def stood_until(self, at: int) -> int:
        """Where, in the text before the edits, what makes up the first ``at`` characters ends."""
        if at < len(self.text):
            return self.origin[at]
        end = self.origin[at - 1] + 1 if at else 0
        return max([end, *(stop for start, stop in self.wholes if start < end)])


def cleaned(
    raw: str, urls: frozenset[str], no_link: str, *, whole: bool, shows: Callable[[str], bool] = lambda text: False
) -> Cleaned:
    """``raw`` without leaked markup, made-up markers and foreign links.

    ``urls`` are the addresses that may stand; ``no_link`` is put for others. ``whole`` says that no more text comes,
    so that a tag without its end is one that was cut off. ``shows`` tells whether a text stands in a shown source: a
    tag or mail address that does is what the answer speaks of. Tags and numbers in code stay; addresses do not.

    >>> cleaned("<cite>It broke</cite> [1], see [details](http://evil/?q=S).", frozenset(), "-", whole=True).text
    'It broke, see details.'
    """

    def tag(match: re.Match[str]) -> list[Piece]:
        return [match.span()] if shows(match[0]) else []

    def marker(match: re.Match[str]) -> list[Piece]:
        return [match.span()] if match["code"] else []

    def link(match: re.Match[str]) -> list[Piece]:
        if (match[2] or match[3]) in urls and not match[0].startswith("!"):
            return [match.span()]
        return [] if match[1].strip().isdigit() else [match.span(1)]

    def angled(match: re.Match[str]) -> list[Piece]:
        if match[1] in urls:
            return [match.span(1)]
        return [match.span(2)] if match[2] else [no_link]

    def address(match: re.Match[str]) -> list[Piece]:
        if match["mail"] and shows(match["box"]):
            return [match.span("box")]
        target = match[0].rstrip(_AFTER_ADDRESS)
        end = match.start() + len(target)
        return [match.span()] if target in urls or _FILE.fullmatch(target) else [no_link, (end, match.end())]

    result = Cleaned(raw, range(len(raw)))
    nothing: Callable[[re.Match[str]], list[Piece]] = lambda match: []  # noqa: E731 a value among functions
    # What an edit joins may be markup again ("<ci<cite>te>"): the removals run until nothing is left to remove.
    for _ in range(8):
        before = result.text
        result = _edit(result, _TAG, tag, code=False)
        if whole:
            result = _edit(result, _BROKEN_TAG, nothing, code=False)
        result = _edit(result, _DEFINITION, nothing, code=False)
        for _ in range(3):  # an image in a link, and so on
            result = _edit(result, _LINK, link)
        result = _edit(result, _ANGLED, angled)
        result = _edit(result, _MARKER, marker, code=False)
        result = _edit(result, _REFERENCE, lambda match: [match.span(1)], code=False)
        result = _edit(result, _ADDRESS, address)
        if result.text == before:
            break
    codes = [(result.origin[a], result.origin[b - 1] + 1) for a, b in _code(result.text)]
    return Cleaned(result.text, result.origin, _apart([*result.wholes, *codes]))


def unfinished(raw: str) -> int:
    """From which character on ``raw`` may still turn out to be a tag, a link or code: text before it can be judged."""
    starts = [match.start() for pattern in (_OPEN_TAG, _OPEN_LINK) if (match := pattern.search(raw))]
    codes = _code(raw)
    line = max(raw.rfind("\n") + 1, codes[-1][1] if codes else 0)
    if codes and codes[-1][1] == len(raw):
        starts.append(codes[-1][0])  # a fence, perhaps not at its end
    elif (tick := raw.find("`", line)) >= 0:
        starts.append(tick)
    return min(starts, default=len(raw))


def _code(text: str) -> list[tuple[int, int]]:
    """The spans of code: fenced blocks and what stands in back-ticks."""
    return [match.span() for match in _CODE.finditer(text)] if "`" in text or "~~~" in text else []


def _apart(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans in order, those that overlap as one."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return tuple(apart)


def _edit(
    before: Cleaned, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], list[Piece]], *, code: bool = True
) -> Cleaned:
    """``code``: whether code is edited, too."""
    text: list[str] = []
    origin: list[int] = []
    wholes = list(before.wholes)
    spared = [] if code else _code(before.text)
    spare = 0
    at = 0
    for match in pattern.finditer(before.text):
        while spare < len(spared) and spared[spare][1] <= match.start():
            spare += 1
        if spare < len(spared) and spared[spare][0] <= match.start() and match.end() <= spared[spare][1]:
            continue
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
