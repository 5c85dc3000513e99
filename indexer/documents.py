"""The domain: what a document, a chunk, a context, a passage and a hit are. Imports nothing of ours.

All offsets are character offsets into the document's extracted text, ``start`` inclusive, ``end`` exclusive, so
``text[chunk.start:chunk.end] == chunk.text`` always holds.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, NewType

DocumentId = NewType("DocumentId", str)
VersionId = NewType("VersionId", str)

LOCAL_WORKSPACE = "local"
_NAMED: dict[str, Literal["channel", "user", "thread"]] = {"channel": "channel", "user": "user", "thread": "thread"}
_NAMESPACE = uuid.UUID("6e2a5f0c-3f63-5b0e-9a3c-51a7e0c0de01")


@dataclass(frozen=True, slots=True, order=True)
class Audience:
    """Who may read a document: the workspace's own people, everyone, one channel, one person, or one thread only.

    ``everyone`` is whoever is in the workspace: guests and people of other organisations too. A thread's id is its
    channel's and the time of its first message.

    >>> str(Audience.parse("channel:C123")), Audience.parse("thread:C123-1700000000.000100").id
    ('channel:C123', 'C123-1700000000.000100')
    """

    kind: Literal["workspace", "everyone", "channel", "user", "thread"]
    id: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}" if self.id else self.kind

    @property
    def is_passing(self) -> bool:
        """Whether its documents serve one conversation and go again: nothing is paid for their contexts."""
        return self.kind == "thread"

    @classmethod
    def parse(cls, text: str) -> Audience:
        """Read ``workspace``, ``everyone``, ``channel:ID``, ``user:ID``, ``thread:CHANNEL-TS``; else ``ValueError``."""
        kind, colon, name = text.strip().partition(":")
        if kind in ("workspace", "everyone") and not colon:
            return WORKSPACE if kind == "workspace" else EVERYONE
        if kind in _NAMED and name and not any(c.isspace() or c in ":," for c in name):
            return cls(_NAMED[kind], name)
        raise ValueError(f"'{text}' is not an audience; use workspace, everyone, channel:ID or user:ID.")


WORKSPACE = Audience("workspace")
EVERYONE = Audience("everyone")


@dataclass(frozen=True, slots=True)
class Viewer:
    """The audiences whose documents somebody may read. An empty viewer may read nothing.

    Worked out by code, never by the model; it goes into the search as a filter.
    """

    audiences: frozenset[Audience] = frozenset()

    def may_read(self, audience: Audience) -> bool:
        return audience in self.audiences


def document_id(workspace: str, audience: Audience, source: str) -> DocumentId:
    """The stable id of the document at (workspace, audience, source): the same key always gives the same id."""
    return DocumentId(uuid.uuid5(_NAMESPACE, "\x00".join((workspace, str(audience), source))).hex[:16])


def version_id(document: DocumentId, number: int) -> VersionId:
    """The id of a document's version: ``version_id("ab12", 3) == "ab12.3"``."""
    return VersionId(f"{document}.{number}")


def content_hash(data: bytes) -> str:
    """SHA-256 of an original, in hex: the name it is stored under."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Original:
    """Bytes as they came from a source, before anything is known about them.

    ``source`` is the stable key (a file's URI, a URL, ``text:<id>`` for pasted text). ``name`` is the file name or the
    last part of the URL, for people and as a hint of the type; what the bytes are decides. ``url`` is where a person
    can open it, if anywhere. ``date`` is the source's own date where the fetch told one (mtime, Last-Modified).
    ``declared_type`` is the media type that the sender claimed, if any.
    """

    source: str
    data: bytes
    name: str
    url: str | None = None
    date: datetime | None = None
    declared_type: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page (or slide, or sheet) of the original: its 1-based number and its span in the text."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level (1 is the highest), its title without markup, where its line starts in the text."""

    level: int
    title: str
    start: int


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """What extraction makes of an original. ``text`` is what chunks are slices of; never empty.

    ``media_type`` is what the bytes are, not what the name says. ``language`` is an ISO 639-1 code or None where it
    cannot be told. ``date`` is the document's own date, from its metadata. ``warnings`` are sentences for a person.
    """

    text: str
    media_type: str
    title: str | None = None
    pages: tuple[Page, ...] = ()
    headings: tuple[Heading, ...] = ()
    language: str | None = None
    date: datetime | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a document the text of a chunk stands, from ``offset`` (into the chunk) on to the next place."""

    offset: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A verbatim slice of a document's text. ``position`` counts from 0 without gaps.

    ``heading_path`` and ``pages`` are the chunk's as a whole; ``places`` are there where headings or pages change
    within it, so that a quotation is located by where it stands and not by where its chunk begins.
    """

    position: int
    start: int
    end: int
    text: str
    heading_path: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()

    def located(self, start: int, end: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The heading path and the pages of ``text[start:end]``.

        >>> places = (Place(0, ("A",), 1), Place(10, ("B",), 1), Place(20, ("B",), 2))
        >>> Chunk(0, 0, 30, "x" * 30, ("A",), (1, 2), places).located(12, 25)
        (('B',), (1, 2))
        """
        before = [place for place in self.places if place.offset <= start]
        within = [place for place in self.places if start < place.offset < end]
        if not before:
            return self.heading_path, self.pages
        pages = {place.page for place in (before[-1], *within) if place.page is not None}
        return before[-1].heading_path, tuple(sorted(pages))


class ContextKind(StrEnum):
    """How a context came to be."""

    GENERATED = "generated"  # Claude wrote it
    STRUCTURAL = "structural"  # title › heading path; nothing was paid


@dataclass(frozen=True, slots=True)
class Context:
    """The sentences that situate a chunk; never quoted, never citable.

    ``failure`` is the reason why a generated context could not be had, where that was tried: such a context is
    structural and ``retry`` pays for it again.
    """

    text: str
    kind: ContextKind
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """Context + chunk: what is embedded and stored."""

    chunk: Chunk
    context: Context

    @property
    def text(self) -> str:
        """What is embedded: ``context + "\\n" + chunk``."""
        return f"{self.context.text}\n{self.chunk.text}" if self.context.text else self.chunk.text

    @property
    def situation(self) -> str:
        """What the vector called ``context`` is of: the context that Claude wrote, else ``text`` once more.

        A structural context is that of a whole section: by it alone its chunks cannot be told apart.
        """
        return self.context.text if self.context.kind is ContextKind.GENERATED else self.text


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were paid for, by price class, and what they cost in US dollars."""

    input_tokens: int = 0  # uncached input only
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the catalogue knows it, with its published version (None until there is one).

    ``name`` is its file's name, or the last part of its URL.
    """

    id: DocumentId
    workspace: str
    audience: Audience
    source: str
    title: str
    version: VersionId | None = None
    url: str | None = None
    date: datetime | None = None
    language: str | None = None
    media_type: str | None = None
    added_by: str | None = None
    added_at: datetime | None = None
    chunks: int = 0
    failed_contexts: int = 0
    context_kind: ContextKind | None = None
    usage: Usage = Usage()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found. ``score`` is the fused score, higher is better; comparable within one search only.

    ``scores`` holds the sides it came from, by name (``vector``, ``keyword``), where the server told. ``rerank`` is the
    reranker's score, where one judged this hit; the hits that have one come first, in its order.
    """

    document: DocumentId
    version: VersionId
    title: str
    audience: Audience
    source: str
    chunk: Chunk
    context: Context
    score: float
    url: str | None = None
    date: datetime | None = None
    language: str | None = None
    scores: dict[str, float] = field(default_factory=dict)
    rerank: float | None = None

    @property
    def key(self) -> str:
        """Names this chunk of this version for ever: ``<version>#<position>``."""
        return f"{self.version}#{self.chunk.position}"
