"""The best passages in place of an answer, for when Claude cannot be had: quotes that match the question's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bot.answering.events import Citation
from bot.answering.languages import is_common
from indexer import Hit, sentences

MOST_PASSAGES = 5
_SHORT_QUOTE = 60  # characters; a shorter quote gets the next sentence, too
_LONG_QUOTE = 400
_STEM = 5  # letters: enough to find "cause" by "caused" in most languages
_CODE = re.compile(r"\w*\d[\w-]*\w|\w+(?:[-_]\w+)*[-_]\w*\d\w*(?:[-_]\w+)*|\d")
_WORD = re.compile(r"[^\W\d_]{3,}")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]{2,}")
_ENDS = re.compile(r"[.!?。！？|;:][\"'”’»)\]]*\s*\Z")


def best_passages(question: str, hits: Sequence[Hit]) -> tuple[Citation, ...]:
    """At most five numbered quotes, one a hit, in the order of the hits; each stands verbatim in its chunk."""
    best = hits[:MOST_PASSAGES]
    wanted = terms(question)
    seen = Counter(term for hit in best for term in terms(hit.chunk.text) & wanted)
    weights = {term: 1 / (1 + seen[term]) for term in wanted}  # what every passage has tells them apart least
    return tuple(Citation(number, hit, quote(weights, hit)) for number, hit in enumerate(best, 1))


def quote(weights: Mapping[str, float], hit: Hit) -> str:
    """The sentence of a hit that has most of the wanted terms; of equals the first. Headings count less.

    For the terms of "When was the gateway closed?" and the chunk ``"It failed. The gateway was closed on 12 June."``
    that is ``"The gateway was closed on 12 June."``
    """
    pieces = sentences(hit.chunk.text, hit.language)
    if not pieces:
        return hit.chunk.text.strip()

    def score(number: int) -> float:
        found = sum(weights.get(term, 0.0) for term in terms(pieces[number]))
        return found if _ENDS.search(pieces[number]) else found * 0.3

    best = max(range(len(pieces)), key=lambda number: (score(number), -number))
    text = pieces[best].strip()
    if len(text) < _SHORT_QUOTE and best + 1 < len(pieces):
        longer = "".join(pieces[best : best + 2]).strip()
        text = longer if len(longer) <= _LONG_QUOTE else text
    return text


def terms(text: str) -> set[str]:
    """What a text can be found by: codes whole, words by their beginning, scripts without spaces by pairs.

    >>> sorted(terms("What caused INC-2023-04-011?"))
    ['cause', 'inc-2023-04-011']
    """
    folded = text.casefold()
    found = set(_CODE.findall(folded))
    found.update(word[:_STEM] for word in _WORD.findall(_CODE.sub(" ", folded)) if not is_common(word))
    for run in _UNSPACED.findall(text):
        found.update(run[at : at + 2] for at in range(len(run) - 1))
    return found
