"""What the ledger keeps of an answer, as plain values that are stored as JSON."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from bot.answering.events import Answer, Citation, Source, Statement
from bot.asking import Question
from indexer import DocumentId, Hit, VersionId

Outcome = Literal["answered", "stopped", "dropped", "failed"]
Value = Literal[1, -1]
Means = Literal["button", "reaction"]


@dataclass(frozen=True, slots=True)
class StoredSource:
    """One citation of an answer: its marker in the text, the chunk it points at, and the sentences it quotes.

    ``title``, ``location`` (headings and pages, for a person), ``url`` and ``date`` are as they were when it was
    answered. ``position`` is the chunk's in its version.
    """

    marker: int
    document: DocumentId
    version: VersionId
    position: int
    title: str
    location: str
    url: str | None
    date: datetime | None
    quote: str


@dataclass(frozen=True, slots=True)
class StoredHit:
    """A chunk that Claude was shown for an answer, with its scores (see ``Hit``) and, where one judged it, a reranker's
    (``rerank``); its text is in the index only.
    """

    document: DocumentId
    version: VersionId
    position: int
    title: str
    score: float
    scores: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it was given.

    ``thread`` and ``question_ts`` are the question's; ``thread`` is "" for a command's answer. ``kind`` is one of
    ``Kind``. ``hits`` are all that Claude was shown, best first. ``audiences`` are those it was made under, as text
    (``channel:C1``). ``messages`` are the ``ts`` of the messages that show it, in order. ``private``: only the asker
    sees it. ``replaced_by`` is the id of the answer to an edited wording of the same question. ``left_out`` is why
    documents were left out that some of its readers may read (see ``Reading``), and that was said.
    """

    id: str
    question_key: str
    team: str
    channel: str
    thread: str
    question_ts: str
    asker: str
    question: str
    kind: str
    text: str
    statements: tuple[Statement, ...]
    sources: tuple[StoredSource, ...]
    hits: tuple[StoredHit, ...]
    searches: tuple[str, ...]
    audiences: tuple[str, ...]
    messages: tuple[str, ...]
    cost_usd: float
    private: bool
    replaced_by: str | None
    created_at: datetime
    left_out: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain values; ``of_json`` reads them back to an equal answer."""
        plain = asdict(self)
        plain["created_at"] = self.created_at.isoformat()
        for source in plain["sources"]:
            source["date"] = source["date"].isoformat() if source["date"] else None
        return plain

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> StoredAnswer:
        read: dict[str, Any] = {
            "statements": tuple(_statement(one) for one in stored["statements"]),
            "sources": tuple(_source(one) for one in stored["sources"]),
            "hits": tuple(StoredHit(**one) for one in stored["hits"]),
            "created_at": datetime.fromisoformat(stored["created_at"]),
        }
        names = {name: tuple(stored[name]) for name in ("searches", "audiences", "messages")}
        return cls(**{**stored, **read, **names})


@dataclass(frozen=True, slots=True)
class Feedback:
    """What one person thinks of one answer: 1 is good, -1 is bad."""

    answer: str
    user: str
    value: Value
    how: Means
    comment: str | None
    given_at: datetime


def new_answer_id() -> str:
    """Twelve characters that may stand in a URL, never given twice."""
    return secrets.token_urlsafe(9)


def stored(
    answer: Answer,
    question: Question,
    *,
    id: str,
    audiences: Iterable[object],
    messages: Iterable[str],
    private: bool,
) -> StoredAnswer:
    """What is kept of ``answer``; ``audiences`` are those of the viewer it was made for, in any form that prints."""
    return StoredAnswer(
        id=id,
        question_key=question.key,
        team=question.team,
        channel=question.channel,
        thread=question.thread,
        question_ts=question.ts,
        asker=question.user,
        question=question.text,
        kind=str(answer.kind),
        text=answer.text,
        statements=answer.statements,
        sources=tuple(_cited(citation) for citation in answer.citations),
        hits=tuple(_shown(hit) for hit in answer.hits),
        searches=answer.searches,
        audiences=tuple(sorted(str(audience) for audience in audiences)),
        messages=tuple(messages),
        cost_usd=answer.usage.cost_usd,
        private=private,
        replaced_by=None,
        created_at=datetime.now(UTC),
    )


def _cited(citation: Citation) -> StoredSource:
    return StoredSource(
        marker=citation.marker,
        document=citation.document,
        version=citation.hit.version,
        position=citation.hit.chunk.position,
        title=citation.title,
        location=citation.location,
        url=citation.url,
        date=citation.date,
        quote=citation.quote,
    )


def _shown(hit: Hit) -> StoredHit:
    judged = {} if hit.rerank is None else {"rerank": hit.rerank}
    scores = {side: _number(score) for side, score in (hit.scores | judged).items()}
    return StoredHit(hit.document, hit.version, hit.chunk.position, hit.title, _number(hit.score), scores)


def _number(score: float) -> float:
    """JSON knows neither infinity nor NaN."""
    return score if math.isfinite(score) else 0.0


def _source(stored: dict[str, Any]) -> StoredSource:
    date = stored["date"]
    return StoredSource(**{**stored, "date": datetime.fromisoformat(date) if date else None})


def _statement(stored: dict[str, Any]) -> Statement:
    sources = tuple(Source(**source) for source in stored["sources"])
    return Statement(**{**stored, "sources": sources})
