"""Where a text may be cut: behind a paragraph, else a line, a sentence, a word, at last between any two characters.

Never inside a marker (``[12]``), a link or a character that is made of several.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from enum import IntEnum

_FENCE = re.compile(r"[ ]{0,3}(`{3,10}|~{3,10})[ \t]*([^\n`]*)(?:\n|\Z)")
_MARKERS = r"(?:\s?\[\d+\])*"
_SENTENCE_END = re.compile(
    rf"(?:[.!?…]+[\"'’”»)*_]*{_MARKERS}(?=\s)|[。！？]+[」』”’）*_]*{_MARKERS})[ \t]*(?![ \t]*\[\d|[」』”’）*_])"
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SPACE = re.compile(r"[ \t]+(?!\[\d|[ \t])")
_WHOLE = re.compile(r"!?\[[^\[\]\n]*\]\([^()\n]*\)|\[\d+\]|`[^`\n]+`")
_MARKER_BEGINS = re.compile(r"\[\d*\Z")
_LONGEST_CHARACTER = 64  # code points of one visible character that are kept together


class Rank(IntEnum):
    """How good a place for a cut is."""

    ANYWHERE = 0
    WORD = 1
    CODE_LINE = 2
    CODE_PARAGRAPH = 3
    SENTENCE = 4
    LINE = 5
    PARAGRAPH = 6


Fence = tuple[str, str]  # what opens and closes it, and its language


def lines(text: str) -> list[str]:
    """Lines with their line feeds; nothing else ends a line."""
    return _LINE.findall(text)


def fence_after(text: str, fence: Fence | None, line_open: bool) -> Fence | None:
    """The fence that is open behind ``text``, given the one before; ``line_open``: ``text`` begins within a line."""
    for number, line in enumerate(lines(text)):
        if number or not line_open:
            fence = _next_fence(line, fence)
    return fence


def closes(line: str, fence: Fence) -> bool:
    """Whether ``line`` is the end of the fence."""
    match = _FENCE.match(line)
    return match is not None and match[1].startswith(fence[0]) and not match[2].strip()


def _next_fence(line: str, fence: Fence | None) -> Fence | None:
    if fence is not None:
        return None if closes(line, fence) else fence
    match = _FENCE.match(line)
    return (match[1], match[2].strip()) if match else None


def fitting(text: str, room: int, measure: Callable[[str], int]) -> int:
    """How many characters of ``text`` fit into ``room``."""
    low, high = 0, min(len(text), max(room, 0))  # a character measures 1 at least
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def best(text: str, least: int, most: int, *, fence: Fence | None, line_open: bool, begun: bool) -> int:
    """The best place to cut ``text``, at most ``most`` characters from its beginning and if possible ``least``.

    ``fence`` is open before it; ``line_open``: it begins within a line; ``begun``: the message has text already, so
    that 0, all into the next message, may be the best.

    >>> best("One two. [1] Three four.", 0, 20, fence=None, line_open=False, begun=False)
    13
    """
    places = [(rank, at) for rank, at in _places(text, most, fence, line_open) if at or begun]
    far = max(((rank, at) for rank, at in places if at >= least), default=None)
    if far is not None and far[0] > Rank.ANYWHERE:
        return far[1]
    near = max((at for rank, at in places if rank > Rank.ANYWHERE), default=0)
    if near or (begun and most < len(text) and places and (Rank.ANYWHERE, 0) not in places):
        return near
    return _between_characters(text, most, begun)


def _places(text: str, most: int, fence: Fence | None, line_open: bool) -> Iterator[tuple[Rank, int]]:
    if line_open and text[:1] and not text[0].isspace():
        yield (Rank.CODE_LINE if fence else Rank.SENTENCE) if _ends_sentence(text) else Rank.ANYWHERE, 0
    else:
        yield (Rank.CODE_LINE if fence else Rank.SENTENCE), 0
    at = 0
    for number, line in enumerate(lines(text)):
        before = fence
        if number or not line_open:
            fence = _next_fence(line, fence)
        if before is None and fence is None:
            yield from _within(line, at, most)
        else:
            yield from ((Rank.WORD, at + match.end()) for match in _SPACE.finditer(line) if at + match.end() <= most)
        at += len(line)
        if at > most:
            return
        opened = before is None and fence is not None
        if line.endswith("\n") and not opened:
            blank = not line.strip() or text.startswith("\n", at)
            if fence is None:
                yield (Rank.PARAGRAPH if blank else Rank.LINE), at
            else:
                yield (Rank.CODE_PARAGRAPH if blank else Rank.CODE_LINE), at


def _ends_sentence(text: str) -> bool:
    """What went out before came as whole sentences, so that a text that goes on in the line begins one, if no word."""
    return not (text[0].isalnum() or text[0] in ".,;:!?)]}'\"*_`[")


def _within(line: str, at: int, most: int) -> Iterator[tuple[Rank, int]]:
    """Places between the sentences and words of a line."""
    wholes = [match.span() for match in _WHOLE.finditer(line)]
    for rank, pattern in ((Rank.SENTENCE, _SENTENCE_END), (Rank.WORD, _SPACE)):
        for match in pattern.finditer(line):
            end = match.end()
            if at + end <= most and not any(start < end < stop for start, stop in wholes):
                yield rank, at + end


def _between_characters(text: str, most: int, begun: bool) -> int:
    """The last place up to ``most`` that divides neither a marker nor a character."""
    at = most
    marker = _MARKER_BEGINS.search(text, max(0, at - 8), at)
    if marker and (marker.start() or begun) and re.match(r"\d*\]", text[at:]):
        at = marker.start()
    for place in range(at, max(0 if begun else 1, at - _LONGEST_CHARACTER) - 1, -1):
        if 0 < place < len(text) and not _joined(text, place):
            return place
    return at or (0 if begun else 1)


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and after ``at`` are one to the eye."""
    before, after = text[at - 1], text[at]
    code = ord(after)
    if unicodedata.category(after).startswith("M") or after in "\u200d\ufe0e\ufe0f" or 0x1F3FB <= code <= 0x1F3FF:
        return True
    if (
        0xE0020 <= code <= 0xE007F
        or before == "\u200d"
        or (0xD800 <= ord(before) <= 0xDBFF and 0xDC00 <= code <= 0xDFFF)
    ):
        return True
    if 0x1F1E6 <= code <= 0x1F1FF:  # flags are pairs
        run = at
        while run and 0x1F1E6 <= ord(text[run - 1]) <= 0x1F1FF:
            run -= 1
        return (at - run) % 2 == 1
    return before in "\u2060<@\\" or after == "\u2060"
