"""The best passages in place of an answer, for when Claude cannot be had: the sentences that tell most."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bot.answering.cleaning import cleaned
from bot.answering.events import Citation
from bot.answering.languages import NO_LINK, in_language, is_common
from bot.answering.telling import Unit, units
from indexer import Hit

MOST_PASSAGES = 5
FAR_BELOW = 0.35  # of the best score: a passage below that needs a word of the question to be shown
_SHORT_QUOTE = 60  # characters; a shorter quote gets the next sentence, too
_LONG_QUOTE = 400
_STEM = 5  # letters: enough to find "cause" by "caused" in most languages
_TITLE = 0.5  # what a term is worth that stands only in the title or the headings of a passage
_CODE = re.compile(r"\w*\d[\w-]*\w|\w+(?:[-_]\w+)*[-_]\w*\d\w*(?:[-_]\w+)*|\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]{2,}")
_PARTICLES = re.compile("[\u3040-\u309f]+|.?[はがをにのでもとへや].?")  # endings and particles: every sentence has them
_UNITS = {"km": "kilom", "kg": "kilog"}  # as the beginnings of their names in most languages
_SMALL = frozenset(
    re.findall(  # beside the words of the table of languages
        r"\w+",
        "am an as at be by en er es et go he if it je ma me my ne no ob on or ou sa se so ta te tu up us we zu da du"
        " im ab ja wo si il un al di lo ou té já ik je much many most own any has had have not from this that they them"
        " will would could about tell please faut peut hat hatte haben darf kann viel viele",
    )
)
_ASKS_A_NUMBER = re.compile(
    r"\bhow (?:much|many|long|often|high|old|far)\b|\bwhen\b|\bwhat (?:date|time|year|number)\b|\bcombien\b|\bquand\b"
    r"|\bplafond\b|\bwie ?(?:viele?|lange|hoch|oft|teuer)\b|\bwann\b|\bcuánt\w*|\bcuándo\b|\bquant[oaie]\b|\bquando\b"
    r"|\bhoeveel\b|\bwanneer\b|いくら|いくつ|何[名人円年月日時回個件]|いつ|多少|几[个人年月天]|什么时候",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[\d〇一二三四五六七八九十百千万]")
_COUNTER = re.compile("[何几]([名人円元年月日天時回個个件分])")


def best_passages(question: str, hits: Sequence[Hit]) -> tuple[Citation, ...]:
    """One to five numbered quotes, one a hit, the most relevant first; each stands verbatim in its chunk.

    Relevance is the search's own score and the share of the question's terms that a passage has, each up to one. For
    hits that a reranker judged its order counts instead of the score: of four, 1, ¾, ½ and ¼. Where some passages have
    terms of the question, those that have none and score far below the best are left out.
    """
    weights = term_weights(question, hits)
    highest = max((hit.score for hit in hits), default=0.0)
    total = sum(weights.values())

    def share(hit: Hit) -> float:
        within = terms(hit.chunk.text)
        above = terms(" ".join((hit.title, *hit.chunk.heading_path))) - within
        found = sum(weights.get(term, 0.0) for term in within) + _TITLE * sum(weights.get(term, 0.0) for term in above)
        return found / total if total else 0.0

    shares = {hit.key: share(hit) for hit in hits}
    fused = {hit.key: hit.score / highest if highest > 0 else 0.0 for hit in hits} | _places(hits)
    some = any(shares.values())
    kept = [hit for hit in hits if not some or shares[hit.key] or fused[hit.key] >= FAR_BELOW]
    kept.sort(key=lambda hit: -(shares[hit.key] + fused[hit.key]))
    best = kept[:MOST_PASSAGES]
    number = _wanted_number(question)
    return tuple(Citation(n, hit, quote(weights, hit, number)) for n, hit in enumerate(best, 1))


def _places(hits: Sequence[Hit]) -> dict[str, float]:
    """What a reranker's order is worth, of the hits that it judged: from 1 down in equal steps, none at 0."""
    judged = sorted((hit for hit in hits if hit.rerank is not None), key=lambda hit: -(hit.rerank or 0.0))
    return {hit.key: 1 - place / len(judged) for place, hit in enumerate(judged)}


def term_weights(question: str, hits: Sequence[Hit]) -> dict[str, float]:
    """What each term of a question is worth: the rarer it is among the sentences found, the more; never nothing."""
    counts: Counter[str] = Counter()
    every = 0
    wanted = terms(question)
    for hit in hits:
        for unit in units(hit):
            every += 1
            counts.update(terms(hit.chunk.text[unit.start : unit.end]) & wanted)
    return {term: math.log(1 + (1 + every) / (1 + counts[term])) for term in wanted}


def _wanted_number(question: str) -> re.Pattern[str] | None:
    """What a question for a number is answered by: any, or one with the same counter (何名 → 十二名)."""
    if counter := _COUNTER.search(question):
        return re.compile(_NUMBER.pattern + counter[1])
    return _NUMBER if _ASKS_A_NUMBER.search(question) else None


def quote(weights: Mapping[str, float], hit: Hit, number: re.Pattern[str] | None = None) -> str:
    """The sentence or row of a hit whose terms weigh most; of equals a sentence before a fragment, then the first.

    For the terms of "When was the gateway closed?" and the chunk ``"It failed. The gateway was closed on 12 June."``
    that is ``"The gateway was closed on 12 June."``. Where no term is there, it is the first real sentence. A sentence
    with the ``number`` that was asked for counts half as much again; one with the right counter is a find of its own.
    """
    text = hit.chunk.text
    candidates = units(hit)

    def score(unit: Unit) -> tuple[float, bool]:
        piece = text[unit.start : unit.end]
        found = sum(weights.get(term, 0.0) for term in terms(piece))
        if number is not None and number.search(piece):
            found = found * 1.5 if number is _NUMBER else found + 2 * max(weights.values(), default=1.0)
        return round(found if unit.whole else found * 0.6, 6), unit.whole

    best = max(range(len(candidates)), key=lambda number: (*score(candidates[number]), -number))
    unit = candidates[best]
    end = unit.end
    if unit.prose and len(text[unit.start : unit.end].strip()) < _SHORT_QUOTE and best + 1 < len(candidates):
        following = candidates[best + 1]
        if following.block == unit.block and following.start == end and following.end - unit.start <= _LONG_QUOTE:
            end = following.end
    return text[unit.start : end].strip()


def quoted_lines(citations: Sequence[Citation], language: str) -> list[str]:
    """Each quote on a line with its marker. What a document says is shown, but it makes no links, but to sources.

    >>> quoted_lines([citation_of("see [details](http://evil/?q=S)")], "en")
    ['“see details” [1]']
    """
    urls = frozenset(citation.url for citation in citations if citation.url)
    no_link = in_language(NO_LINK, language)
    lines = []
    for citation in citations:
        clean = cleaned(citation.quote, urls, no_link, whole=True, shows=lambda text: True).text
        quote = " ".join(clean.split())
        lines.append((f"« {quote} »" if language == "fr" else f"“{quote}”") + f" [{citation.marker}]")
    return lines


def terms(text: str) -> set[str]:
    """What a text can be found by: codes whole, words by their beginning, scripts without spaces by pairs.

    >>> sorted(terms("What caused INC-2023-04-011?"))
    ['cause', 'inc-2023-04-011']
    """
    folded = text.casefold()
    found = set(_CODE.findall(folded))
    words = (word for word in _WORD.findall(_CODE.sub(" ", folded)) if not is_common(word) and word not in _SMALL)
    found.update(_UNITS.get(word) or _stem(word) for word in words if not _UNSPACED.search(word))
    for run in _UNSPACED.findall(text):
        pairs = (run[at : at + 2] for at in range(len(run) - 1))
        found.update(pair for pair in pairs if not _PARTICLES.fullmatch(pair))
    return found


def _stem(word: str) -> str:
    stem = word[:_STEM]
    return stem[:-1] if len(stem) > 3 and len(word) <= _STEM and stem.endswith("s") else stem
