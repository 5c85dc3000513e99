"""Answers as the ledger keeps them, for the builders of blocks and forms, and odd content to try them with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from bot.ledger.records import StoredAnswer, StoredHit, StoredSource
from indexer import Chunk, Context, ContextKind, DocumentId, Passage, VersionId

JANUARY = datetime(2024, 1, 30, tzinfo=UTC)
HOSTILE = "<!channel> <@U666> @here <https://evil.example|docs> [x](https://evil.example) *b* `c` & < > :smile: "


def source(marker: int = 1, **changes: Any) -> StoredSource:
    values: dict[str, Any] = {
        "marker": marker,
        "document": DocumentId("review"),
        "version": VersionId("review.1"),
        "position": marker,
        "title": "Annual Review 2023",
        "location": "Cybersecurity › Incidents, p. 14",
        "url": "https://docs.example.com/review",
        "date": JANUARY,
        "quote": "The root cause was an expired certificate on the gateway.",
    }
    return StoredSource(**(values | changes))


def hit(position: int = 1, vector: float | None = None, keyword: float | None = None, **changes: Any) -> StoredHit:
    scores = {side: score for side, score in (("vector", vector), ("keyword", keyword)) if score is not None}
    values: dict[str, Any] = {
        "document": DocumentId("review"),
        "version": VersionId("review.1"),
        "position": position,
        "title": "Annual Review 2023",
        "score": 0.5,
        "scores": scores,
    }
    return StoredHit(**(values | changes))


def answer(*sources: StoredSource, **changes: Any) -> StoredAnswer:
    values: dict[str, Any] = {
        "id": "Ab3-_xyz0123",
        "question_key": "T1:C1:1.0:abc",
        "team": "T1",
        "channel": "C1",
        "thread": "1.0",
        "question_ts": "1.0",
        "asker": "U1ASKER",
        "question": "<@U0BOT> What caused INC-2023-04-011?",
        "kind": "answer",
        "text": "It was a **certificate**. [1]",
        "statements": (),
        "sources": sources,
        "hits": (),
        "searches": ("INC-2023-04-011 root cause",),
        "audiences": ("workspace",),
        "messages": (),
        "cost_usd": 0.01,
        "private": False,
        "replaced_by": None,
        "created_at": JANUARY,
    }
    return StoredAnswer(**(values | changes))


def passage(position: int, text: str, context: str = "", kind: ContextKind = ContextKind.GENERATED) -> Passage:
    return Passage(Chunk(position, 0, len(text), text), Context(context, kind))


# Text as documents, people and models may bring it: any characters, markup of Slack's, nothing at all, far too long.
odd_text = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["", " ", "\n\n", "\u200b", HOSTILE, HOSTILE * 60, "語" * 3_000, "w" * 9_000, "&amp;&lt;" * 900]),
    st.text(alphabet="ab <>&|@#!\n\x1b[🏴\U000e0041é語", max_size=300),
)
odd_url = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "https://docs.example.com/a b|c<d>",
            "http://[broken",
            "https://é.example/x",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://x.example/" + "a" * 5_000,
            "https://",
            "slack:file:F1",
            "https://user:pw@x.example:99999/",
        ]
    ),
    st.text(max_size=30).map(lambda text: "https://x.example/" + text),
)
odd_sources = st.lists(
    st.builds(
        source,
        st.integers(1, 99),
        title=odd_text,
        location=odd_text,
        url=odd_url,
        quote=odd_text,
        position=st.integers(0, 4),
        date=st.one_of(st.none(), st.datetimes(timezones=st.just(UTC))),
    ),
    max_size=70,
)
odd_answers = st.builds(
    lambda sources, **changes: answer(*sources, **changes),
    odd_sources,
    text=odd_text,
    question=odd_text,
    kind=st.sampled_from(["answer", "passages", "help", "trouble"]),
    searches=st.lists(odd_text, max_size=3).map(tuple),
    hits=st.lists(
        st.builds(
            hit,
            st.integers(0, 4),
            vector=st.one_of(st.none(), st.floats(0, 1)),
            keyword=st.one_of(st.none(), st.floats(0, 1)),
            title=odd_text,
        ),
        max_size=8,
    ).map(tuple),
)
