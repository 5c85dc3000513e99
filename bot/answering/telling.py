"""What of a passage can be quoted: the lines that say something, without headings, front matter and mail headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from indexer import Hit, sentences

_FRONT_MATTER = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\n(?:[^\n]*\n){0,60}?\1[ \t]*(?:\n|\Z)")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{3,})\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_MAIL = re.compile(
    r"\s*>?\s*\**(?:from|to|cc|bcc|subject|date|sent|reply-to|message-id|in-reply-to|mime-version|content-[\w-]+"
    r"|de|à|objet|envoyé|cci|von|an|betreff|datum|gesendet|para|asunto|enviado|fecha|da|oggetto|inviato|assunto|van|aan"
    r"|onderwerp|verzonden|差出人|宛先|件名|日時|送信日時|发件人|收件人|主题|日期)\**\s?[:：]\s",
    re.IGNORECASE,
)
_ORIGINAL_MESSAGE = re.compile(r"\s*-{3,}.{3,40}-{3,}\s*$")
_CELLS = re.compile(r"\s\|\s|^\s*\||\|\s*$|\t")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•–]|\(?\w{1,2}[.)])\s+\S")
_ENDS = re.compile(r"[.!?。！？…;][\"'”’»)\]*_]*\s*\Z")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a row or a fragment of a chunk: ``chunk.text[start:end]``; ``block`` is the run that it stands in."""

    start: int
    end: int
    block: int
    whole: bool  # a sentence, a row or a list's item; not a line that ends in nothing
    prose: bool  # a sentence or a line that ends in nothing, that its neighbours may go with


def units(hit: Hit) -> list[Unit]:
    """The quotable units of a hit, in order; where nothing is, the whole text as one fragment.

    Worked example: ``"# Log\\n\\nIt failed. It ran.\\n"`` → the units ``"It failed. "`` and ``"It ran.\\n"``.
    """
    text = hit.chunk.text
    found: list[Unit] = []
    for block, (start, end) in enumerate(_runs(hit)):
        at = start
        for piece in sentences(text[start:end], hit.language):
            if _WORD.search(piece):
                entry = bool(_CELLS.search(piece.strip("\n")) or _LIST_ITEM.match(piece))
                found.append(Unit(at, at + len(piece), block, entry or bool(_ENDS.search(piece)), not entry))
            at += len(piece)
    return found or [Unit(0, len(text), 0, whole=False, prose=True)]


def _runs(hit: Hit) -> Iterator[tuple[int, int]]:
    """Spans of lines that may be quoted, each between two that may not."""
    text = hit.chunk.text
    front = _FRONT_MATTER.match(text) if hit.chunk.position == 0 else None
    start = at = front.end() if front else 0
    lines = text[at:].splitlines(keepends=True)
    barred = _barred(lines, hit)
    for number, line in enumerate(lines):
        if barred[number]:
            if at > start:
                yield start, at
            start = at + len(line)
        at += len(line)
    if at > start:
        yield start, at


def _barred(lines: list[str], hit: Hit) -> list[bool]:
    titles = {_folded(one) for one in (hit.title, *hit.chunk.heading_path)}
    titles.update(_folded(heading) for place in hit.chunk.places for heading in place.heading_path)
    mail = [bool(_MAIL.match(line)) for line in lines]

    def near(number: int, flags: list[bool]) -> bool:
        return any(flags[max(0, number - 1) : number]) or any(flags[number + 1 : number + 2])

    barred: list[bool] = []
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        underlined = bool(_UNDERLINE.match(following)) and not _CELLS.search(line) and bool(line.strip())
        barred.append(
            bool(_HEADING.match(line) or _UNDERLINE.match(line) or _FENCE.match(line) or _ORIGINAL_MESSAGE.match(line))
            or (underlined and len(line) <= 120)
            or _folded(line) in titles
            or (mail[number] and near(number, mail))
            or _is_header_row(number, lines, continued=hit.chunk.position > 0)
            or (_is_row(line) and not any(c.isalnum() for c in line))
        )
    return barred


def _is_header_row(number: int, lines: list[str], *, continued: bool) -> bool:
    """Whether a line is the first of a table's rows. A chunk may begin in the middle of a table (``continued``)."""
    line, following = lines[number], lines[number + 1] if number + 1 < len(lines) else ""
    if continued and not any(before.strip() for before in lines[:number]):
        return _is_row(following) and not any(c.isalnum() for c in following)
    if _is_row(line):
        return _is_row(following) and not (number and _is_row(lines[number - 1]))
    return number == 0 and any(
        line.count(mark) >= 2 and line.count(mark) == following.count(mark) and f"{mark} " not in line
        for mark in (",", ";")
    )


def _is_row(line: str) -> bool:
    return bool(_CELLS.search(line.rstrip("\n")))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold() or "\0"
