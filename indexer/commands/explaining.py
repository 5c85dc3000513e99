"""Why something was found, in words: what ``search --explain`` says under each hit."""

from __future__ import annotations

from typing import Any

from ..documents import ContextKind
from ..explaining import Standing, Why

MOST_WORDS = 8
_VECTORS = {"passage": "context and text", "context": "context alone"}


def why_lines(why: Why) -> list[str]:
    """How a hit was found, and on a line for each side where it had it from.

    Worked example: a hit that is third by vectors and first by keywords →
    ``["Found by meaning (3rd) and by words (1st): INC-2023-04-011, certificate.",
    "  meaning  context and text 3rd (0.871), context alone 1st (0.902)",
    "  words    context 1st (8.1): INC-2023-04-011; text 2nd (5.2): certificate"]``
    """
    ways = [f"by meaning ({ordinal(why.vector.rank)})"] if why.vector else []
    ways += [f"by words ({ordinal(why.keyword.rank)})"] if why.keyword else []
    words = f": {', '.join(why.matched[:MOST_WORDS])}" if why.keyword and why.matched else ""
    lines = [f"Found {' and '.join(ways)}{words}."] if ways else []
    if why.vectors:
        by_itself = why.hit.context.kind is ContextKind.GENERATED  # of others there is no vector of their own
        names = [name for name in why.vectors if by_itself or name != "context" or len(why.vectors) == 1]
        told = [f"{_VECTORS.get(name, name)} {_stands(why.vectors[name], 3)}" for name in names]
        lines.append(f"  meaning  {', '.join(told)}")
    if why.properties:
        told = []
        for name, one in why.properties.items():
            terms = why.terms.get(name, ())[:MOST_WORDS]
            told.append(f"{name} {_stands(one, 1)}" + (f": {', '.join(terms)}" if terms else ""))
        lines.append(f"  words    {'; '.join(told)}")
    if why.rerank is not None:
        lines.append(f"  reranked {ordinal(why.rank)} ({why.rerank:.3f})")
    return lines


def why_json(why: Why) -> dict[str, Any]:
    """The same as ``search --explain --json`` has it, in the field ``why`` of each hit."""
    return {
        "rank": why.rank,
        "vector": _json(why.vector),
        "keyword": _json(why.keyword),
        "vectors": {name: _json(one) for name, one in why.vectors.items()},
        "properties": {
            name: {**(_json(one) or {}), "terms": list(why.terms.get(name, ()))} for name, one in why.properties.items()
        },
        "terms": list(why.matched),
        "rerank": why.rerank,
    }


def ordinal(number: int) -> str:
    """``1st, 2nd, 3rd, 11th``."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _stands(standing: Standing, digits: int) -> str:
    return f"{ordinal(standing.rank)} ({standing.score:.{digits}f})"


def _json(standing: Standing | None) -> dict[str, Any] | None:
    return {"rank": standing.rank, "score": standing.score} if standing else None
