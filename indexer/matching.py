"""Which words of a question a text has, by the same taking apart as the index does: for telling people why.

The index knows trigrams: letters and digits only, lower-cased, three in a row, across spaces and punctuation. A word of
the question counts as found where all its trigrams stand in a row in the text, and a longer word also where most of
them do, from a word's beginning on. Another way of indexing brings another ``Analyzer``; ``ANALYZER`` is in use.

Worked example: of "Why did INC-2023-04-011 need new certificates?" the text "inc 2023 04 011: a certificate expired"
has ``("INC-2023-04-011", "certificates")``: all of the code, and eleven letters of twelve of the last word.
"""

from __future__ import annotations

import math
import re
from typing import Final, Protocol

LONGEST_QUESTION = 2_000  # characters that are looked at, as many as a search takes
_SHORT = 5  # letters; a shorter word counts only where a word of the text begins with it
_MOST = 0.55  # of the letters of a longer word must be there
_TRIGRAM = 3
# Scripts without spaces (kana, Chinese characters, Thai) make words of their own; codes stay whole: v1.2, snake_case
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:[^\W{_UNSPACED}]|(?<=\w)[-.](?=\w))+")
_ONLY_HIRAGANA = re.compile("[\u3040-\u309f]+")
# They are in every text, so they tell nothing. No negations: "not covered" is another question than "covered".
_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about and are by can could did do does for from had has have how in into is it its of on or our should that"
        " the their there this to was were what when where which who whose why will with would you your au aux avec ce"
        " ces cette combien comment dans de des du elle en est et il la le les leur où par pour pourquoi quand que quel"
        " quelle quelles quels qui sont sur un une am an auf aus bei das dem den der die ein eine einem einen einer für"
        " hat im ist mit sind und von wann warum was wer wie wieviel wo zu zum zur",
    )
)


class Analyzer(Protocol):
    """How an index takes text apart."""

    def shared(self, question: str, text: str) -> tuple[str, ...]:
        """The telling words of ``question`` that ``text`` has, as they were asked, each once, in their order."""


class Trigrams:
    """The analyzer of an index of trigrams."""

    def shared(self, question: str, text: str) -> tuple[str, ...]:
        """See ``Analyzer``.

        >>> Trigrams().shared("Why did the gateway close?", "The login-gateway was closed.")
        ('gateway', 'close')
        """
        letters, begins = _letters(text)
        found: dict[str, str] = {}
        for match in _WORD.finditer(question[:LONGEST_QUESTION]):
            word = match[0]
            if word.casefold() in _FUNCTION_WORDS:
                continue
            if re.match(f"[{_UNSPACED}]", word):
                found |= {piece: piece for piece in _common_runs(word, letters)}
            elif _has(letters, begins, word):
                found.setdefault(word.casefold(), word)
        return tuple(found.values())


ANALYZER: Final[Analyzer] = Trigrams()


def _letters(text: str) -> tuple[str, frozenset[int]]:
    """The letters and digits of a text, lower-cased, and where among them words begin.

    >>> _letters("A cat-flap")
    ('acatflap', frozenset({0, 1, 4}))
    """
    letters: list[str] = []
    begins = []
    before = ""
    for char in text:
        if char.isalnum():
            if not before.isalnum():
                begins.append(len(letters))
            letters.append(char.lower()[:1])
        before = char
    return "".join(letters), frozenset(begins)


def _has(letters: str, begins: frozenset[int], word: str) -> bool:
    """Whether a text has the word, or most of it from a word's beginning on; a code with digits only as a whole."""
    own, _ = _letters(word)
    if len(own) < _TRIGRAM:
        return False
    if len(own) >= _SHORT and own in letters:
        return True
    whole_only = len(own) < _SHORT or any(char.isdigit() for char in own)
    length = len(own) if whole_only else max(_SHORT, math.ceil(_MOST * len(own)))
    return any(_begins(own[start : start + length], letters, begins) for start in range(len(own) - length + 1))


def _begins(run: str, letters: str, begins: frozenset[int]) -> bool:
    """Whether a word of the text begins with the run."""
    place = letters.find(run)
    while place >= 0 and place not in begins:
        place = letters.find(run, place + 1)
    return place >= 0


def _common_runs(run: str, letters: str) -> list[str]:
    """The longest pieces of a run without spaces that the text has, of three characters or more; endings alone not."""
    found, start = [], 0
    while start <= len(run) - _TRIGRAM:
        end = start + _TRIGRAM
        if run[start:end] not in letters:
            start += 1
            continue
        while end < len(run) and run[start : end + 1] in letters:
            end += 1
        if not _ONLY_HIRAGANA.fullmatch(run[start:end]):
            found.append(run[start:end])
        start = end
    return found
