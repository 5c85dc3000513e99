"""Explanations of hits, for whatever shows them."""

from __future__ import annotations

from typing import Any

from bot.why import Explained
from indexer import WORKSPACE, Chunk, Context, ContextKind, DocumentId, Hit, Standing, VersionId, Why

HIT = Hit(
    DocumentId("review"),
    VersionId("review.1"),
    "Annual Review 2023",
    WORKSPACE,
    "file:///review",
    Chunk(1, 0, 40, "The root cause was an expired certificate."),
    Context("On incident INC-2023-04-011.", ContextKind.GENERATED),
    0.9,
)


def why(
    meaning: int | None = None,
    words: int | None = None,
    *,
    context: int | None = None,
    hit: Hit = HIT,
    **terms: tuple[str, ...],
) -> Why:
    """With these ranks, and by property these words; ``context`` is the rank of the context's vector."""
    vectors = {"passage": meaning, "context": context}
    return Why(
        hit,
        1,
        Standing(meaning, 0.8) if meaning else None,
        Standing(words, 7.5) if words else None,
        {name: Standing(place, 0.8) for name, place in vectors.items() if place},
        {name: Standing(1, 7.5) for name in terms},
        terms,
    )


def explained(query: str = "INC-2023-04-011 root cause", *, several: bool = False, **options: Any) -> Explained:
    return Explained(query, why(**options), several)
