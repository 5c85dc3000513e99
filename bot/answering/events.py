"""What happens while a question is answered, as a stream of events, and the answer that stands at its end.

Any front renders the same stream. For one question the order is::

    (Searching Found)*  (Citation* Text)*  [Reset …from the start]  Done

``Text`` pieces, joined, are the answer's text; a ``Citation`` comes before the first text that carries its marker.
``Reset`` takes back every ``Text`` and ``Citation`` since the beginning: a front clears them. ``Done`` is always the
last event, and there is always one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from indexer import DocumentId, Hit, Usage, VersionId

NOTHING_PAID = Usage()


@dataclass(frozen=True, slots=True)
class Searching:
    """A search has begun."""

    query: str


@dataclass(frozen=True, slots=True)
class Found:
    """A search has ended: ``hits`` passages in ``documents`` documents, ``new`` of them not shown to Claude before.

    ``failure`` is a sentence where the search could not be made; the counts are then 0.
    """

    query: str
    hits: int
    documents: int
    new: int
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered pointer from the answer to the sentences of one chunk that it rests on, checked verbatim.

    ``quote`` stands in ``hit.chunk.text`` as it is here. ``marker`` counts from 1 in the order of first release.
    """

    marker: int
    hit: Hit
    quote: str

    @property
    def document(self) -> DocumentId:
        return self.hit.document

    @property
    def title(self) -> str:
        return self.hit.title

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings that the quotation stands under, the highest first."""
        return self._located[0]

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages that the quotation is on."""
        return self._located[1]

    @property
    def _located(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        chunk = self.hit.chunk
        start = max(0, chunk.text.find(self.quote))
        return chunk.located(start, start + len(self.quote))

    @property
    def url(self) -> str | None:
        return self.hit.url

    @property
    def date(self) -> datetime | None:
        return self.hit.date

    @property
    def location(self) -> str:
        """Where in the document, for a person: ``Cybersecurity › Incidents, p. 14``; empty where nothing is known."""
        headings = list(self.heading_path)
        if headings and headings[0].casefold() == self.title.casefold():
            headings = headings[1:]
        pages = self.pages
        page = "" if not pages else f"p. {pages[0]}" if len(pages) == 1 else f"pp. {pages[0]}–{pages[-1]}"
        return ", ".join(part for part in (" › ".join(headings), page) if part)


@dataclass(frozen=True, slots=True)
class Text:
    """One released sentence with its markers, and the white space after it."""

    text: str


@dataclass(frozen=True, slots=True)
class Reset:
    """What was said so far is taken back; ``reason`` is a short sentence for a person."""

    reason: str


class Kind(StrEnum):
    """What an answer is."""

    ANSWER = "answer"  # Claude's, its citations checked
    PASSAGES = "passages"  # Claude could not answer: the best passages, quoted
    HELP = "help"  # nothing was asked
    TROUBLE = "trouble"  # neither an answer nor passages could be had


@dataclass(frozen=True, slots=True)
class Source:
    """The version of a document that a statement rests on."""

    document: DocumentId
    version: VersionId


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer, without markers, and what it rests on (nothing: it is not to be said again)."""

    text: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    ``backed`` is True only where there is a checked citation, no citation had to be dropped, and no statement is
    without one. So it is False for "I found nothing", for small talk, and for passages shown in place of an answer.
    ``unbacked`` are the statements without a checked citation, as they are marked in the text. ``dropped`` counts
    citations that did not hold. ``hits`` are all passages that Claude was shown, or that were found in its place, best
    first; ``readable`` counts the documents that could be searched for the asker; ``nothing_found``: the answer is that
    the documents say nothing about it. ``notice`` is a sentence about how the answer came to be (Claude is away, it was
    cut), ``reference`` names the trouble in the log. ``failure`` is the ``kind`` of ClaudeUnavailable where a call of
    Claude's failed for good.
    """

    text: str
    kind: Kind = Kind.ANSWER
    citations: tuple[Citation, ...] = ()
    searches: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    unbacked: tuple[str, ...] = ()
    dropped: int = 0
    backed: bool = False
    hits: tuple[Hit, ...] = ()
    readable: int = 0
    nothing_found: bool = False
    usage: Usage = NOTHING_PAID
    notice: str | None = None
    reference: str | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The last event."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier stretch of the same conversation: what people said since the answer before, and what was answered.

    ``question`` has several lines where several things were said ("Ada: When was it?"). ``answered`` is False where no
    answer followed, which only the last turn can be. ``shown`` is everything that the answer was made from, cited or
    not: a statement without a source is repeated only while all of it may still be read.
    """

    question: str
    statements: tuple[Statement, ...] = ()
    answered: bool = True
    shown: tuple[Source, ...] = ()


Event = Searching | Found | Citation | Text | Reset | Done
