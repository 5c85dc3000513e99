"""How a passage looks as an object of the database, and back: names of properties, nothing of the client."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from indexer.documents import (
    Audience,
    Chunk,
    Context,
    ContextKind,
    Document,
    DocumentId,
    Hit,
    Passage,
    Place,
    VersionId,
)
from indexer.store.query import Scored
from indexer.terms import terms

_CHUNK = ("position", "start", "end", "text", "heading_path", "pages", "places")
PASSAGE_PROPERTIES = [*_CHUNK, "context", "context_kind", "failure"]
_DOCUMENT = ("document", "version", "title", "audience", "source", "url", "date", "language")
HIT_PROPERTIES = [*PASSAGE_PROPERTIES, *_DOCUMENT]
_SIDE = re.compile(r"Hybrid \(Result Set (\w+)[^)]*\) Document \S+?:? (?:original score|contributed) ([-+.\deE]+)")


def stored(document: Document, version: VersionId, passage: Passage) -> dict[str, Any]:
    """The properties of a passage's object. What is not known is left out.

    Texts are kept as they are; what is searched by words is their terms: ``"text": "It failed."`` has beside it
    ``"text_terms": "it faile failed"``.
    """
    chunk, context = passage.chunk, passage.context
    properties = {
        "document": document.id,
        "version": version,
        "audience": str(document.audience),
        "source": document.source,
        "title": document.title,
        "url": document.url,
        "date": _aware(document.date),
        "added_at": _aware(document.added_at),
        "language": document.language,
        "position": chunk.position,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "heading_path": list(chunk.heading_path),
        "pages": list(chunk.pages),
        "places": json.dumps([[p.offset, list(p.heading_path), p.page] for p in chunk.places])
        if chunk.places
        else None,
        "context": context.text,
        "context_kind": context.kind.value,
        "failure": context.failure,
        "title_terms": " ".join(terms(document.title)),
        "context_terms": " ".join(terms(context.text)),
        "text_terms": " ".join(terms(chunk.text)),
    }
    return {name: value for name, value in properties.items() if value is not None and value != []}


def _aware(date: datetime | None) -> datetime | None:
    return date.replace(tzinfo=UTC) if date is not None and date.tzinfo is None else date


def stored_passage(properties: Mapping[str, Any]) -> Passage:
    """The passage that these properties hold."""
    chunk = Chunk(
        position=int(properties["position"]),
        start=int(properties["start"]),
        end=int(properties["end"]),
        text=properties["text"],
        heading_path=tuple(properties.get("heading_path") or ()),
        pages=tuple(int(page) for page in properties.get("pages") or ()),
        places=tuple(
            Place(offset, tuple(path), page) for offset, path, page in json.loads(properties.get("places") or "[]")
        ),
    )
    kind, failure = ContextKind(properties["context_kind"]), properties.get("failure")
    return Passage(chunk, Context(properties.get("context") or "", kind, failure))


def stored_hit(properties: Mapping[str, Any], score: float, explained: str | None) -> Hit:
    """The hit that these properties and the server\'s scores make."""
    passage = stored_passage(properties)
    return Hit(
        document=DocumentId(properties["document"]),
        version=VersionId(properties["version"]),
        title=properties["title"],
        audience=Audience.parse(properties["audience"]),
        source=properties["source"],
        chunk=passage.chunk,
        context=passage.context,
        score=score,
        url=properties.get("url"),
        date=properties.get("date"),
        language=properties.get("language"),
        scores=sides(explained or ""),
    )


def scored(properties: Mapping[str, Any], score: float) -> Scored:
    """Whose passage these properties (``SCORED_PROPERTIES``) are of, with a score."""
    return Scored(
        DocumentId(properties["document"]),
        VersionId(properties["version"]),
        int(properties["position"]),
        Audience.parse(properties["audience"]),
        score,
    )


def sides(explained: str) -> dict[str, float]:
    """The score of each side, from the server's explanation of the fused one.

    With relative scores that is the side's own score, with ranked fusion what it contributed.

    >>> sides("Hybrid (Result Set keyword,bm25) Document 1a: original score 3.5, normalized score: 0.5")
    {'keyword': 3.5}
    """
    return {side: float(score) for side, score in _SIDE.findall(explained)}
