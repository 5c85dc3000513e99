"""An answer while Claude writes it: text goes in as it streams, whole checked sentences come out.

Citations belong to blocks of text. A sentence is released once every block that it touches is closed, so that all its
citations are there and checked; a marker never waits for its check, and text without any support is marked as such.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from bot.answering.citations import Fault, Location, Quote, ShownSources, check
from bot.answering.clauses import says_more
from bot.answering.cleaning import Cleaned, cleaned, unfinished
from bot.answering.events import Citation, Source, Statement
from bot.answering.languages import NO_LINK, UNBACKED, in_language
from bot.answering.markers import assembled, with_mark
from bot.answering.statements import is_absence_line, is_statement, says_nothing_was_found
from bot.answering.visible import Filter
from indexer import sentences

LOOK_AHEAD = 8  # characters of the next sentence that must be there: an end may turn out to be an abbreviation's
CONTEXT = 40  # characters of text that may still grow that are looked at beside what is closed
LONG_WAIT = 2_000  # characters without an end; from there on they are looked through again only when they have grown

# An end that needs no look ahead: not that of "Dr.", "e.g." or "am 12.", not "!" that may begin an image.
_FINAL = re.compile(r"[.?。！？؟…][\"'”’»)】」』*_]*\s?\Z|!\s\Z")
_ABBREVIATED = re.compile(
    r"(?:\b\w{1,2}|\b\d{3}|\b(?:Mrs|Prof|Nos|etc|approx|Fig|bzw|usw|Abs|Art|Inc|Ltd|Corp|Sra|Mme|Jan|Feb|Mar|Apr|Jun|Jul|Aug"
    r"|Sept?|Oct|Nov|Dec))\.\W*\Z"
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A released sentence: ``text`` with its markers and the white space around it, and what is new in it."""

    text: str
    statement: Statement
    new_citations: tuple[Citation, ...] = ()
    cites: bool = False
    unbacked: bool = False

    @property
    def tells(self) -> bool:
        """Whether it says something, be it one word: no question, and not that nothing was found."""
        text = self.statement.text.rstrip("\"'”’»)*_ ")
        said = any(c.isalnum() for c in text) and not text.endswith(("?", "？", "؟", ":", "："))
        return self.unbacked or (said and not says_nothing_was_found(text))


def marked_where_nothing_is(rest: list[Sentence], said: Sequence[Sentence], language: str) -> list[Sentence]:
    """The ``rest`` of an answer without citations, its last telling sentence marked where none of all is.

    An answer of a few words ("Marie Curie.") is no statement by its shape, but it is the answer.
    """
    telling = [number for number, sentence in enumerate(rest) if sentence.tells]
    if not telling or any(sentence.unbacked for sentence in [*said, *rest]):
        return rest
    last = rest[telling[-1]]
    marked = replace(last, text=with_mark(last.text, in_language(UNBACKED, language)), unbacked=True)
    return [*rest[: telling[-1]], marked, *rest[telling[-1] + 1 :]]


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
        self._casual = False
        self._finished = False
        self._under_label = ""  # the label, where the items of a list are to follow it
        self._closed = 0  # how many characters of _raw are of blocks that came to their end
        self._looked = (0, False)
        self._look_again_at = 0
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
            owner.quotes.extend(result)

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
        while self._closed < len(self._owners) and self._blocks[self._owners[self._closed]].closed:
            self._closed += 1
        # What is released depends on closed blocks: looking again at each piece of an open one would take its square.
        look = (self._closed, len(self._raw) - self._closed >= LOOK_AHEAD)
        if not self._closed or look == self._looked or self._closed < self._look_again_at:
            return []
        released = list(self._complete(whole=False))
        self._looked = (self._closed, look[1])
        self._look_again_at = self._closed * 3 // 2 if self._closed > LONG_WAIT else 0
        return self._passed_on(released, whole=False)

    def finish(self, *, cut: bool = False, casual: bool = False) -> list[Sentence]:
        """The rest. ``cut``: the text broke off, so its last sentence may be a half one and is left out.
        ``casual``: it is small talk, which needs no sources."""
        self._casual = casual
        self._finished = True
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
        raw = self._raw if whole or self._finished else self._raw[: self._closed + CONTEXT]
        clean = cleaned(raw, self._urls, self._no_link, whole=whole, shows=self._shows)
        safe = len(raw) if whole else unfinished(raw)
        done = 0
        for start, end in _spans(clean):
            if not whole and not (self._may_go(clean, start, end, safe) and self._is_end(clean, start, end)):
                break
            yield self._released(clean, start, end)
            done = end
        if done:
            cut = clean.stood_until(done)
            self._raw, self._owners = self._raw[cut:], self._owners[cut:]
            self._closed = max(0, self._closed - cut)

    def _is_end(self, clean: Cleaned, start: int, end: int) -> bool:
        if len(clean.text) - end >= LOOK_AHEAD:
            return True
        text = clean.text[start:end]
        return not self._finished and bool(_FINAL.search(text)) and not _ABBREVIATED.search(text)

    def _shows(self, text: str) -> bool:
        return any(text in hit.chunk.text for hit in self._shown.hits)

    def _may_go(self, clean: Cleaned, start: int, end: int, safe: int) -> bool:
        if clean.origin[end - 1] >= safe:
            return False
        return all(self._blocks[self._owners[clean.origin[i]]].closed for i in range(start, end))

    def _released(self, clean: Cleaned, start: int, end: int) -> Sentence:
        text = clean.text[start:end]
        if not self._begun:
            text = text.lstrip()
            start = end - len(text)
        self._begun = True

        new: list[Citation] = []
        quotes: list[Quote] = []
        parts: list[tuple[str, list[int]]] = []
        pieces: list[tuple[str, bool]] = []
        marked: set[int] = set()
        lost = False
        at = start
        for owner, group in groupby(range(start, end), key=lambda i: self._owners[clean.origin[i]]):
            span = list(group)
            piece = clean.text[at : at + len(span)]
            at += len(span)
            block = self._blocks[owner]
            pieces.append((piece, bool(block.quotes)))
            if block.came and any(c.isalnum() for c in piece):
                lost = lost or not block.quotes
                markers = [self._marker(quote, new) for quote in block.quotes]
                parts.append((piece, [marker for marker in dict.fromkeys(markers) if marker not in marked]))
                marked.update(markers)
                quotes.extend(block.quotes)
            else:
                parts.append((piece, []))
        if quotes:
            unbacked = not self._casual and says_more(pieces, lambda word: _holds(quotes, word))
        else:
            unbacked = lost or (self._needs_source(text) and not self._casual)
        body = assembled(parts)
        if unbacked:
            body = with_mark(body, self._mark)
        sources = dict.fromkeys(Source(quote.hit.document, quote.hit.version) for quote in quotes)
        statement = Statement(text.strip(), () if unbacked else tuple(sources))
        return Sentence(body, statement, tuple(new), cites=bool(quotes), unbacked=unbacked)

    def _needs_source(self, text: str) -> bool:
        """Items under a label that stands alone on its line name what is missing, as the rest of its line would."""
        line = text.strip()
        if is_absence_line(line) and line.rstrip("*_ ").endswith((":", "：")):
            self._under_label = line
        elif self._under_label and line[:1] in "-*•–+":
            return is_statement(f"{self._under_label} {line[1:].strip()}")
        else:
            self._under_label = ""
        return is_statement(text)

    def _marker(self, quote: Quote, new: list[Citation]) -> int:
        citation = self._markers.get(quote.key)
        if citation is None:
            citation = Citation(len(self._markers) + 1, quote.hit, quote.text)
            self._markers[quote.key] = citation
            new.append(citation)
        return citation.marker


def _holds(quotes: list[Quote], word: str) -> bool:
    """Whether a number or a name stands in what is cited, or in what tells where it is from."""
    return any(
        word in text
        for quote in quotes
        for text in (quote.hit.chunk.text, quote.hit.title, *quote.hit.chunk.heading_path, str(quote.hit.date or ""))
    )


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
