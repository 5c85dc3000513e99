"""A library of a few documents in memory, that records what it was asked: stands in for the indexer's facade."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from indexer import (
    WORKSPACE,
    Audience,
    Chunk,
    Context,
    ContextKind,
    Document,
    DocumentId,
    Hit,
    Passage,
    Standing,
    VersionId,
    Viewer,
    Why,
)

EVERYBODY = Viewer(frozenset({WORKSPACE}))


@dataclass(frozen=True)
class Asked:
    """A search as it reached the library."""

    query: str
    viewer: Viewer
    documents: frozenset[DocumentId] | None


@dataclass
class Shelf:
    """Finds chunks by shared words, best first. ``failing`` decides, by query, what to raise instead."""

    hits: list[Hit] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    failing: Callable[[str], Exception | None] = lambda query: None
    limit: int = 10
    paid: list[tuple[str, str, float]] = field(default_factory=list)  # workspace, for what, US dollars
    reranked: int = 0  # explanations for which a reranker would be paid

    def put(
        self,
        title: str,
        *chunks: str,
        language: str | None = "en",
        date: datetime | None = datetime(2024, 1, 30, tzinfo=UTC),
        audience: Audience = WORKSPACE,
        version: int = 1,
        url: str | None = None,
        headings: tuple[str, ...] = (),
        context: str = "",
    ) -> DocumentId:
        """Put a document of these chunks on the shelf, in place of an older version."""
        document = DocumentId(re.sub(r"\W+", "-", title.lower()))
        self.remove(document)
        start = 0
        for position, text in enumerate(chunks):
            chunk = Chunk(position, start, start + len(text), text, headings, (position + 1,))
            start += len(text)
            self.hits.append(
                Hit(
                    document,
                    VersionId(f"{document}.{version}"),
                    title,
                    audience,
                    f"file:///{document}",
                    chunk,
                    Context(context or f"From {title}.", ContextKind.GENERATED),
                    1.0,
                    url,
                    date,
                    language,
                )
            )
        return document

    def remove(self, document: DocumentId) -> None:
        """Take a document off the shelf."""
        self.hits = [hit for hit in self.hits if hit.document != document]

    async def connect(self) -> None:
        """It is always there."""

    async def search(
        self,
        workspace: str,
        query: str,
        viewer: Viewer,
        *,
        limit: int | None = None,
        alpha: float | None = None,
        documents: frozenset[DocumentId] | None = None,
    ) -> list[Hit]:
        self.asked.append(Asked(query, viewer, documents))
        error = self.failing(query)
        if error is not None:
            raise error
        wanted = set(re.findall(r"\w+", query.lower()))
        scored = [
            replace(hit, score=float(len(wanted & set(re.findall(r"\w+", f"{hit.title} {hit.chunk.text}".lower())))))
            for hit in self.hits
            if self.may_see(viewer, hit.audience) and (documents is None or hit.document in documents)
        ]
        found = sorted((hit for hit in scored if hit.score), key=lambda hit: -hit.score)
        return found[: limit or self.limit]

    def may_see(self, viewer: Viewer, audience: Audience) -> bool:
        return viewer.may_read(audience)

    async def explain(self, workspace: str, query: str, viewer: Viewer, *, reranked: bool = True) -> list[Why]:
        """By words only: rank and score are the search's."""
        self.reranked += reranked
        wanted = re.findall(r"\w+", query)
        return [
            Why(
                hit,
                rank,
                None,
                Standing(rank, hit.score),
                {},
                {"text": Standing(rank, hit.score)},
                {"text": tuple(word for word in wanted if word.lower() in hit.chunk.text.lower())},
            )
            for rank, hit in enumerate(await self.search(workspace, query, viewer), 1)
        ]

    async def documents(self, workspace: str, viewer: Viewer) -> list[Document]:
        first = {hit.document: hit for hit in reversed(self.hits) if viewer.may_read(hit.audience)}
        return [
            Document(
                hit.document,
                workspace,
                hit.audience,
                hit.source,
                hit.title,
                hit.version,
                hit.url,
                hit.date,
                hit.language,
            )
            for hit in first.values()
        ]

    async def record_spent(self, workspace: str, what: str, cost_usd: float) -> None:
        self.paid.append((workspace, what, cost_usd))

    async def spent_since(self, workspace: str, moment: datetime) -> float:
        return sum(cost for whose, _, cost in self.paid if whose == workspace)

    async def passages(
        self, workspace: str, version: VersionId, start: int = 0, end: int | None = None
    ) -> list[Passage]:
        chunks = sorted((hit for hit in self.hits if hit.version == version), key=lambda hit: hit.chunk.position)
        return [Passage(hit.chunk, hit.context) for hit in chunks][start:end]


def annual_review(shelf: Shelf) -> DocumentId:
    """The document that most tests ask about."""
    return shelf.put(
        "Annual Review 2023",
        "# Incidents\n\nINC-2023-04-011 took the login down. The root cause was an expired certificate on the gateway."
        " It was closed on 12 May.",
        "Renewal of certificates was automated. Project Phoenix became stable in June.",
        headings=("Annual Review 2023", "Cybersecurity"),
        url="https://docs.example.com/review",
        context="The incident of April 2023 in the annual review.",
    )
