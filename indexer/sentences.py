"""Text as quotable units: sentences of prose, and lines where lines are what people quote (tables, code, CSV, lists).

Worked example::

    sentences("# Pump\\n\\nIt failed. Dr. Ito closed it.\\n\\n| id | state |\\n|---|---|\\n| 7 | open |\\n", "en")
    → ["# Pump\\n\\n", "It failed. ", "Dr. Ito closed it.\\n\\n", "| id | state |\\n|---|---|\\n", "| 7 | open |\\n"]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sentencex

LONG_SENTENCE = 1_000  # characters; a longer "sentence" is an enumeration or lost punctuation: cut at its line breaks
_WINDOW = 4_000  # characters given to the segmenter at once
_WRAPPED_LINE = 40  # characters; prose that is wrapped by hand fills its lines at least so far
_WRAPPED_WIDE_LINE = 18  # the same for scripts without spaces, whose characters are twice as wide

_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦–]|\(?\w{1,3}[.)])\s")
_MARKER_ONLY = re.compile(r"\s*(?:>\s*)*(?:[-*+•‣◦–]|\(?\w{1,3}[.)])\s*\Z")
_STARTS_ANEW = re.compile(r"\s*(?:#|\||>|```|~~~)")
_CELLS = re.compile(r"(?<!\d)[,;]\"?\S|[,;]\"?[^\s\d]|\t\S")
_CODE = re.compile(r"[{}=<>\[\]\\]|\w\(|;\s*$|::|->|\w_\w")
_WORD = re.compile(r"\w")
_AFTER_MAY = re.compile(r"(?<=\d May\. )(?=[A-Z\"“(])")  # sentencex takes "12 May." for an abbreviation
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTERS = re.compile(r"[^\W\d_]|\s")


def sentences(text: str, language: str | None) -> list[str]:
    """Cut ``text`` into quotable units: ``"".join(result) == text`` and none is blank.

    ``language`` is an ISO 639-1 code; None or an unknown one falls back to rules that suit most languages. Headings,
    table rows, list items, lines of code and CSV rows are units of their own; prose is cut at sentence ends, also
    where it is wrapped by hand. White space and lines without any word (``|---|``, ``}``) stay with the unit before
    them. The one exception: blank text has no units and gives ``[]``.
    """
    pieces: list[str] = []
    for block, is_prose in _blocks(text):
        pieces.extend(_prose(block, language) if is_prose else [block])
    return _attached(pieces)


def lines(text: str) -> list[str]:
    """Cut ``text`` into its lines, for code and CSV: joined they are the text, blank ones stay with the line before."""
    return _attached(text.splitlines(keepends=True))


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Lines that belong together, and whether sentences are to be looked for in them."""
    fence: str | None = None
    held = ""  # prose lines that go on
    all_lines = text.splitlines(keepends=True)
    for i, line in enumerate(all_lines):
        mark = _FENCE.match(line)
        if fence or mark:
            if held:
                yield held, True
                held = ""
            if mark and fence is None:
                fence = mark.group(1)
            elif mark and mark.group(1) == fence:
                fence = None
            yield line, False
            continue
        if not held and (_STARTS_ANEW.match(line) or _is_row(line)):
            yield line, line.lstrip().startswith(">")
            continue
        held += line
        if not (i + 1 < len(all_lines) and _goes_on(line, all_lines[i + 1])):
            yield held, True
            held = ""
    if held:
        yield held, True


def _is_row(line: str) -> bool:
    """Whether a line is a row of cells or of code, to be kept whole."""
    if len(_CELLS.findall(line)) >= 2:
        return True
    marks = len(_CODE.findall(line))
    return marks >= 3 or (marks >= 1 and (line[:1] in " \t" or line.rstrip().endswith((";", "{", "}", "):", ")"))))


def _goes_on(line: str, following: str) -> bool:
    """Whether prose that is wrapped by hand runs from ``line`` into the ``following`` one."""
    stripped = line.strip()
    wide = bool(_WIDE.search(stripped))
    if len(stripped) < (_WRAPPED_WIDE_LINE if wide else _WRAPPED_LINE) or not following.strip():
        return False
    if _STARTS_ANEW.match(following) or _ITEM.match(following) or _is_row(line) or _is_row(following):
        return False
    return wide or len(_LETTERS.findall(stripped)) >= 0.75 * len(stripped)


def _prose(block: str, language: str | None) -> list[str]:
    result: list[str] = []
    marker = ""
    for piece in _segments(block, language or "en"):
        whole = marker + piece
        if _MARKER_ONLY.match(whole):  # "3." of a numbered list is no sentence
            marker = whole
            continue
        marker = ""
        result.extend(whole.splitlines(keepends=True) if len(whole) > LONG_SENTENCE else [whole])
    return [*result, marker] if marker else result


def _segments(block: str, language: str) -> Iterator[str]:
    """sentencex over windows: its time grows with the square of a paragraph's length."""
    position = 0
    while position < len(block):
        window = block[position : position + _WINDOW]
        pieces: list[str] = sentencex.segment(language, window)
        if "".join(pieces) != window:  # never seen; citations must not depend on it
            pieces = [window]
        if position + len(window) < len(block):  # the last piece may go on in the next window
            pieces = pieces[:-1] or [window[: window.rfind(" ") + 1] or window]
        for piece in pieces:
            yield from _AFTER_MAY.split(piece)
        position += sum(map(len, pieces))


def _attached(pieces: list[str]) -> list[str]:
    """Pieces without a word go to the piece before; at the beginning of the text, to the piece after."""
    result: list[str] = []
    before = ""
    for piece in pieces:
        if _WORD.search(piece):
            result.append(before + piece)
            before = ""
        elif result:
            result[-1] += piece
        else:
            before += piece
    if before and not before.isspace():
        result.append(before)
    return result
