"""Whether a sentence that is cited in part says more than its citations cover.

Claude's text comes in pieces, cited and not. What leads into a cited piece ("The cause was ") and what only links
("In short, ", "according to the review") claims nothing alone; a clause of its own does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby

from bot.answering.statements import says_nothing_was_found

CLAUSE = 4  # words of a clause that says something
LONGEST_LEAD = 10  # words that lead into a cited piece: "The annual budget of the project for this year was "

_BORDER = re.compile(r"([,;:](?=\s|$)|[—|、，；：])")
_JOINS = r"and|but|or|so|because|while|et|mais|ou|car|und|aber|oder|weil|y|e|o|pero|porque|ma|perché|mas|en|maar|want"
_STARTS = re.compile(rf"\W*(?:(?:{_JOINS})\b\W*)+", re.IGNORECASE)
_ENDS = re.compile(rf"\b(?:{_JOINS})\W*$", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"\b(?:who|which|whose|because|after|dont|parce|nachdem|weil|porque|perché|omdat)\b", re.IGNORECASE
)
_INTRODUCES = re.compile(
    r"\W*(?:according to|as per|selon|d['’]après|laut|gemäß|nach angaben|según|secondo|segundo|volgens"
    r"|as .{0,60}\b(?:says?|states?|notes?|reports?|mentions?|shows?|explains?|described?|stated|noted|reported|said)$"
    r"|comme .{0,60}\b(?:indique|précise|dit|explique|note)|wie .{0,60}\b(?:sagt|steht|berichtet|erklärt))",
    re.IGNORECASE,
)
_LINKS = re.compile(
    r"\W*(?:in|on|for|as an?|by|with|at|at the|dans|pour|en|par|sur|avec|im|auf|für|mit|por|para|con|per|in)\b",
    re.IGNORECASE,
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")


def says_more(pieces: Sequence[tuple[str, bool]], known: Callable[[str], bool]) -> bool:
    """Whether uncited text of a sentence states something. A piece is ``(text, whether it is cited)``; ``known`` tells
    whether a number or a name stands in what the sentence cites.

    >>> lie = ("Aliens attacked the gateway and killed nine people, and ", False)
    >>> [says_more([start, ("it had expired", True)], lambda word: False) for start in (lie, ("In short, ", False))]
    [True, False]
    """
    worded = [(text, cited) for text, cited in pieces if any(c.isalnum() for c in text)]
    groups = [
        (cited, "".join(text for text, _ in group)) for cited, group in groupby(worded, key=lambda piece: piece[1])
    ]
    for number, (cited, text) in enumerate(groups):
        if not cited and _states(text, known, leads=number + 1 < len(groups), first=number == 0):
            return True
    return False


def _states(text: str, known: Callable[[str], bool], *, leads: bool, first: bool) -> bool:
    parts = _BORDER.split(text)
    clauses = [(parts[i], parts[i + 1] if i + 1 < len(parts) else "") for i in range(0, len(parts), 2)]
    for number, (clause, border) in enumerate(clauses):
        if not any(c.isalnum() for c in clause):
            continue
        begins = first and number == 0
        is_lead = leads and not _ENDS.search(clause) and (number == len(clauses) - 1 or border in (":", "："))
        bare = _STARTS.sub("", clause, count=1) if _STARTS.match(clause) else clause
        if says_nothing_was_found(bare):
            continue
        if any(not known(figure) for figure in _NUMBER.findall(_without_list_mark(bare) if begins else bare)):
            return True
        words = _length(bare)
        if is_lead:
            if words > LONGEST_LEAD or (words >= CLAUSE and _SUBORDINATE.search(bare)):
                return True
        elif _INTRODUCES.match(bare.strip()) or (_LINKS.match(bare) and words < CLAUSE + 2 and border and begins):
            continue
        elif words >= CLAUSE or (words == CLAUSE - 1 and _names(bare, known)):
            return True
    return False


def _without_list_mark(text: str) -> str:
    return re.sub(r"^\s*\(?\d{1,3}[.)]\s", "", text)


def _length(text: str) -> int:
    """In words; where no spaces are put, two characters count as one."""
    unspaced = len(_UNSPACED.findall(text))
    return unspaced // 2 + len(_WORD.findall(_UNSPACED.sub(" ", text)))


def _names(text: str, known: Callable[[str], bool]) -> bool:
    return any(word[0].isupper() and not known(word) for word in _WORD.findall(text)[1:])
