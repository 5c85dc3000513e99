"""An answer while Claude writes it: text goes in as it streams, whole checked sentences come out.

Citations belong to blocks of text. A sentence is released once every block that it touches is closed, so that all its
citations are there and checked; a marker never waits for its check, and text without any support is marked as such.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from bot.answering.citations import Fault, Location, Quote, ShownSources, check
from bot.answering.cleaning import Cleaned, cleaned, unfinished
from bot.answering.events import Citation, Source, Statement
from bot.answering.languages import NO_LINK, UNBACKED, in_language
from bot.answering.statements import is_absence_line, is_statement
from bot.answering.visible import Filter
from indexer import sentences

LOOK_AHEAD = 8  # characters of the next sentence that must be there: an end may turn out to be an abbreviation's

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A released sentence: ``text`` with its markers and the white space around it, and what is new in it."""

    text: str
    statement: Statement
    new_citations: tuple[Citation, ...] = ()
    cites: bool = False
    unbacked: bool = False


@dataclass(slots=True)
class _Block:
    """A text block of Claude's: its citations that held, and how many came."""

    quotes: list[Quote] = field(default_factory=list)
    came: int = 0
    closed: bool = False
    filter: Filter = field(default_factory=Filter)


class Draft:
    """One attempt at the answer's text. Another attempt begins with another draft, and counts markers from 1 again."""

    def __init__(self, shown: ShownSources, language: str) -> None:
        self._shown = shown
        self._urls = shown.urls()
        self._mark = in_language(UNBACKED, language)
        self._no_link = in_language(NO_LINK, language)
        self._raw = ""
        self._owners: list[int] = []  # for each character of _raw its block
        self._blocks: dict[int, _Block] = {}
        self._markers: dict[tuple[str, int, int], Citation] = {}
        self._held: list[Sentence] = []
        self._cites = False
        self._begun = False
        self._starts_line = True
        self._casual = False
        self._in_absence_line = False
        self.dropped = 0

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of what was released so far, in the order of their markers."""
        return tuple(self._markers.values())

    @property
    def pending(self) -> str:
        """What Claude wrote and was not looked at yet, as it came."""
        return self._raw

    @property
    def blank(self) -> bool:
        """Whether Claude has written nothing to read yet."""
        return not self._begun and not self._raw.strip()

    def write(self, block: int, text: str) -> None:
        """Take text of the block with this number."""
        owner = self._blocks.setdefault(block, _Block())
        self._append(block, owner.filter.take(text))

    def cite(self, block: int, location: Location) -> None:
        """Take a citation of that block, if it holds."""
        owner = self._blocks.setdefault(block, _Block())
        owner.came += 1
        result = check(location, self._shown)
        if isinstance(result, Fault):
            self.dropped += 1
            log.warning("a citation was dropped: %s", result.reason)
        else:
            owner.quotes.append(result)

    def close(self, block: int) -> None:
        """No more comes for that block."""
        owner = self._blocks.setdefault(block, _Block())
        self._append(block, owner.filter.close())
        owner.closed = True

    def _append(self, block: int, text: str) -> None:
        self._raw += text
        self._owners.extend([block] * len(text))

    def ready(self) -> list[Sentence]:
        """The sentences that are complete now. Nothing comes before the first that cites: what Claude says on its way
        to a search is never seen then, as nothing of it is cited."""
        if not self._owners or not self._blocks[self._owners[0]].closed:
            return []  # looking through a long open block at every piece of it would take its square
        return self._passed_on(list(self._complete(whole=False)), whole=False)

    def finish(self, *, cut: bool = False, casual: bool = False) -> list[Sentence]:
        """The rest. ``cut``: the text broke off, so its last sentence may be a half one and is left out.
        ``casual``: it is small talk, which needs no sources."""
        self._casual = casual
        for block in self._blocks:
            self.close(block)
        complete = list(self._complete(whole=not cut))
        self._raw, self._owners = "", []
        return self._passed_on(complete, whole=True)

    def _passed_on(self, complete: list[Sentence], *, whole: bool) -> list[Sentence]:
        self._held.extend(complete)
        self._cites = self._cites or any(sentence.cites for sentence in complete)
        if not (self._cites or whole):
            return []
        passed, self._held = self._held, []
        return passed

    def _complete(self, *, whole: bool) -> Iterator[Sentence]:
        clean = cleaned(self._raw, self._urls, self._no_link, whole=whole)
        safe = len(self._raw) if whole else unfinished(self._raw)
        spans = _spans(clean)
        done = 0
        for number, (start, end) in enumerate(spans):
            last = number == len(spans) - 1
            if not whole and (last or len(clean.text) - end < LOOK_AHEAD or not self._may_go(clean, start, end, safe)):
                break
            yield self._released(clean, start, end)
            done = end
        cut = clean.origin[done] if done < len(clean.text) else len(self._raw)
        if done:
            self._raw, self._owners = self._raw[cut:], self._owners[cut:]

    def _may_go(self, clean: Cleaned, start: int, end: int, safe: int) -> bool:
        if clean.origin[end - 1] >= safe:
            return False
        return all(self._blocks[self._owners[clean.origin[i]]].closed for i in range(start, end))

    def _released(self, clean: Cleaned, start: int, end: int) -> Sentence:
        text = clean.text[start:end]
        if not self._begun:
            text = text.lstrip()
            start = end - len(text)
        if self._starts_line or text.startswith("\n"):
            self._in_absence_line = is_absence_line(text.strip())
        self._starts_line = text.endswith("\n")
        self._begun = True

        new: list[Citation] = []
        quotes: list[Quote] = []
        parts: list[tuple[str, list[int]]] = []
        marked: set[int] = set()
        lost = False
        at = start
        for owner, group in groupby(range(start, end), key=lambda i: self._owners[clean.origin[i]]):
            span = list(group)
            piece = clean.text[at : at + len(span)]
            at += len(span)
            block = self._blocks[owner]
            if block.came and any(c.isalnum() for c in piece):
                lost = lost or not block.quotes
                markers = [self._marker(quote, new) for quote in block.quotes]
                parts.append((piece, [marker for marker in dict.fromkeys(markers) if marker not in marked]))
                marked.update(markers)
                quotes.extend(block.quotes)
            else:
                parts.append((piece, []))
        needs_source = not self._casual and not self._in_absence_line and is_statement(text)
        unbacked = lost or (not quotes and needs_source)
        body = _assembled(parts)
        if unbacked:
            body = f"{body.rstrip()} {self._mark}{body[len(body.rstrip()) :]}"
        sources = dict.fromkeys(Source(quote.hit.document, quote.hit.version) for quote in quotes)
        statement = Statement(text.strip(), () if unbacked else tuple(sources))
        return Sentence(body, statement, tuple(new), cites=bool(quotes), unbacked=unbacked)

    def _marker(self, quote: Quote, new: list[Citation]) -> int:
        citation = self._markers.get(quote.key)
        if citation is None:
            citation = Citation(len(self._markers) + 1, quote.hit, quote.text)
            self._markers[quote.key] = citation
            new.append(citation)
        return citation.marker


def _spans(clean: Cleaned) -> list[tuple[int, int]]:
    """The sentences; those that a link runs over are one."""
    spans: list[tuple[int, int]] = []
    start = at = 0
    for sentence in sentences(clean.text, None):
        at += len(sentence)
        if clean.may_cut(at):
            spans.append((start, at))
            start = at
    return spans


def _assembled(parts: list[tuple[str, list[int]]]) -> str:
    """Markers behind the full stop where only that follows, else behind the words: ``renewal [2], and … it. [3]``."""
    out = ""
    late: list[int] = []
    for number, (piece, markers) in enumerate(parts):
        if markers and not any(c.isalnum() for following, _ in parts[number + 1 :] for c in following):
            late.extend(markers)
            out += piece
        elif markers:
            body = piece.rstrip()
            out += f"{body} {_shown(markers)}{piece[len(body) :]}"
        else:
            out += piece
    body = out.rstrip()
    return f"{body} {_shown(late)}{out[len(body) :]}" if late else out


def _shown(markers: list[int]) -> str:
    return "".join(f"[{marker}]" for marker in markers)
