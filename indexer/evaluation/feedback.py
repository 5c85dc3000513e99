"""Questions from what people thought of answers: 👍 with the sentences that it quoted, 👎 to be finished by hand.

A line of the file is one person's opinion: ``{"question": …, "quotes": [sentences quoted], "value": 1 or -1}``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from indexer.evaluation.files import Words, lines_of, parsed

BAD = "People were not content with the answer: write the sentence that answers it into 'quotes' and take this away."
GONE = "What was quoted does not stand in the documents any more: write what answers it by now, and take this away."


class Opinion(BaseModel):
    """What one person thought of one answer."""

    model_config = ConfigDict(frozen=True, strict=True)

    question: Words
    quotes: list[Words] = Field(default_factory=list)
    value: Literal[1, -1]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the opinions on all its answers: their sum, and what the good answers quoted."""

    query: str
    value: int
    quotes: tuple[str, ...]


def load_feedback(path: Path) -> list[Asked]:
    """The questions of a file, each once, in their order. Raises FileInvalid, which names the line."""
    opinions: dict[str, list[Opinion]] = {}
    for number, line in lines_of(path):
        opinion = parsed(path, number, Opinion, line)
        opinions.setdefault(" ".join(opinion.question.split()), []).append(opinion)
    return [Asked(query, sum(each.value for each in some), _quoted(some)) for query, some in opinions.items()]


async def lines_from(asked: list[Asked], stands: Callable[[str], Awaitable[bool]]) -> list[dict[str, Any]]:
    """Lines for a file of questions. ``stands`` tells whether a quote stands in the documents.

    Where opinions cancel out nothing is known, and there is no line.
    """
    result: list[dict[str, Any]] = []
    for each in asked:
        if each.value > 0:
            standing = [quote for quote in each.quotes if await stands(quote)]
            result.append({"query": each.query, "quotes": standing} | ({} if standing else {"draft": GONE}))
        elif each.value < 0:
            result.append({"query": each.query, "quotes": [], "draft": BAD})
    return result


def _quoted(opinions: list[Opinion]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(quote for each in opinions if each.value > 0 for quote in each.quotes))
