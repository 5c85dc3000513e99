"""The best passages in place of an answer, for when Claude cannot be had: quotes that match the question's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.answering.events import Citation
from indexer import Hit, sentences

MOST_PASSAGES = 5
_SHORT_QUOTE = 60  # characters; a shorter quote gets the next sentence, too
_LONG_QUOTE = 400
_WORD = re.compile(r"[^\W_]{2,}")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]{2,}")


def best_passages(question: str, hits: Sequence[Hit]) -> tuple[Citation, ...]:
    """At most five numbered quotes, one a hit, in the order of the hits; each stands verbatim in its chunk."""
    return tuple(Citation(number, hit, quote(question, hit)) for number, hit in enumerate(hits[:MOST_PASSAGES], 1))


def quote(question: str, hit: Hit) -> str:
    """The sentence of a hit that shares most words with the question; of equals the first.

    For "When was the gateway closed?" and the chunk ``"It failed. The gateway was closed on 12 May."`` that is
    ``"The gateway was closed on 12 May."``
    """
    wanted = _terms(question)
    pieces = sentences(hit.chunk.text, hit.language)
    if not pieces:
        return hit.chunk.text.strip()
    best = max(range(len(pieces)), key=lambda i: (len(wanted & _terms(pieces[i])), -i))
    text = pieces[best].strip()
    if len(text) < _SHORT_QUOTE and best + 1 < len(pieces):
        longer = "".join(pieces[best : best + 2]).strip()
        text = longer if len(longer) <= _LONG_QUOTE else text
    return text


def _terms(text: str) -> set[str]:
    terms = {word for word in _WORD.findall(text.casefold()) if len(word) > 3 or any(c.isdigit() for c in word)}
    for run in _UNSPACED.findall(text):
        terms.update(run[i : i + 2] for i in range(len(run) - 1))
    return terms
