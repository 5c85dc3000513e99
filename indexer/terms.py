"""Text taken apart into the terms that keywords are searched by: the same for what is indexed and for what is asked.

No dictionary and no guess at the language. The first five letters of a word stand for its stem: truncation, one of the
ways that McNamee, Nicholas & Mayfield compare (*Addressing morphological variation in alphabetic languages*, SIGIR
2009). Scripts without spaces, and Korean, whose endings are written on, become pairs of characters, as by Lucene's
CJKAnalyzer. What was measured stands in docs/retrieval.md.

Worked example: ``terms("INC-2031-07-014: getUserById failed")`` →
``inc 2031 07 014 getuserbyid get user by id faile failed inc-2031-07-014``
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from indexer.function_words import FUNCTION_WORDS

PREFIX: Final = 5  # letters of a word that stand for all its forms
LONGEST_TERM: Final = 100  # characters; nobody asks for the rest of a longer one

# Kana, Chinese characters, Hangul; Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
    "\u0e01-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1780-\u17d3"
)
# Vowel signs and accents that are characters of their own belong to their word; `\w` does not know them.
_MARKS = "".join(char for char in map(chr, range(0x300, 0x1C00)) if unicodedata.category(char) in ("Mn", "Mc"))
_LETTERS = rf"[^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|[{_MARKS}])*+"
_RUN = re.compile(rf"[{_UNSPACED}]++|{_LETTERS}")  # an identifier keeps its underscores
_CODE = re.compile(rf"(?<![^\W{_UNSPACED}]){_LETTERS}(?:[-./:]{_LETTERS})++")  # INC-2031-07-014, 14.3
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_ELIDED: Final = frozenset("cdjlmnst")  # words of one letter before an apostrophe only: "plan C" keeps its C
_APOSTROPHES: Final = ("'", "\u2019")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it was written, where it begins, and its terms. What has no spaces is one word: 認証サーバー."""

    text: str
    start: int
    terms: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def unspaced(self) -> bool:
        """Whether it is of a script without spaces, so that its terms are pairs of characters."""
        return _IS_UNSPACED.match(self.text) is not None


def terms(text: str) -> list[str]:
    """The terms of a text, in its order, codes last; no term has a space in it. Never fails.

    >>> terms("Les congés payés: max_open_files=14.3")
    ['les', 'congé', 'congés', 'payés', 'max_open_files', 'max', 'open', 'files', '14', '3', '14.3']
    >>> terms("認証サーバー")
    ['認証', '証サ', 'サー', 'ーバ', 'バー']
    """
    plain = simplified(text)
    return [term for word in _words(plain) for term in word.terms] + [code for code, _, _ in codes(plain)]


def question_terms(question: str) -> list[str]:
    """The terms of a question without its function words; all of its terms where nothing else is in it.

    >>> question_terms("Quelle est la cause de l'incident INC-7?")
    ['cause', 'incid', 'incident', 'inc', '7', 'inc-7']
    >>> question_terms("Who is who?")
    ['who', 'is', 'who']
    """
    plain = simplified(question)
    telling = [term for word in telling_words(plain) for term in word.terms] + [code for code, _, _ in codes(plain)]
    return telling or terms(question)


def has_words(text: str) -> bool:
    """Whether there is anything to look for in a text: a word or a number, of any script; signs alone are none.

    >>> [has_words(text) for text in ("C++", "§ 5", "42", "猫", "แมว", "🎉", "*", "…", "__")]
    [True, True, True, True, True, False, False, False, False]
    """
    return any(word.terms for word in _words(simplified(text)))


def simplified(text: str) -> str:
    """The text with one spelling of each character (NFKC), for words and codes to be found in: ``ＡＢ１`` → ``AB1``."""
    return unicodedata.normalize("NFKC", text)


def telling_words(question: str) -> list[Word]:
    """The words of a ``simplified`` question without the function words of its language.

    That is the language that has most of them in the question; several that have equally many count together. A word
    that is one in another language only stays: the Dutch "die" in an English question.

    >>> [word.text for word in telling_words("What does plan C cover in Paris?")]
    ['plan', 'C', 'cover', 'Paris']
    """
    words = list(_words(question))
    lowered = [word.text.lower() for word in words]
    counts = {language: sum(word in known for word in lowered) for language, known in FUNCTION_WORDS.items()}
    most = max(counts.values())
    if not most:
        return words
    dropped = frozenset().union(*(FUNCTION_WORDS[language] for language, count in counts.items() if count == most))

    def stays(word: Word, lower: str) -> bool:
        a_name = lower in _ELIDED and word.text.isupper() and question[word.end : word.end + 1] not in _APOSTROPHES
        return a_name or lower not in dropped

    return [word for word, lower in zip(words, lowered, strict=True) if stays(word, lower)]


def codes(text: str) -> list[tuple[str, int, int]]:
    """The codes of a ``simplified`` text: words with a digit among them, joined by ``- . / :``; each with its place.

    >>> codes("See INC-2031-07-014 and read-only.")
    [('inc-2031-07-014', 4, 19)]
    """
    return [
        (match[0].lower()[:LONGEST_TERM], match.start(), match.end())
        for match in _CODE.finditer(text)
        if any(char.isdigit() for char in match[0])
    ]


def parts(word: str) -> list[str]:
    """An identifier's parts, of any alphabet: at underscores, at digits, and where capitals begin a word.

    >>> parts("HTTPServer_v2"), parts("entrée")
    (['HTTP', 'Server', 'v', '2'], ['entrée'])
    """
    kinds = [_kind(char) for char in word]
    found, start = [], 0
    for end in range(1, len(word) + 1):
        before, after = kinds[end - 1], kinds[end] if end < len(word) else "_"
        turns = before != after and (before, after) != ("A", "a")
        if not turns and before == after == "A":  # the S of HTTPServer
            turns = end + 1 < len(word) and kinds[end + 1] == "a"
        if turns or end == len(word):
            if kinds[start] != "_":
                found.append(word[start:end])
            start = end
    return found


def _words(text: str) -> Iterator[Word]:
    for match in _RUN.finditer(text):
        yield Word(match[0], match.start(), tuple(_terms_of(match[0])))


def _terms_of(word: str) -> list[str]:
    """``getUserById`` → ``getuserbyid get user by id``; ``failed`` → ``faile failed``; ``障害は`` → ``障害 害は``"""
    if _IS_UNSPACED.match(word):
        return [one + other for one, other in pairwise(word)] or [word]
    found, lowered = [], [part.lower() for part in parts(word)]
    if len(lowered) > 1:
        found.append(word.lower().strip("_")[:LONGEST_TERM])
    for part in lowered:
        found.append(part[:PREFIX])
        if len(part) > PREFIX:
            found.append(part[:LONGEST_TERM])
    return found


def _kind(char: str) -> str:
    if char == "_":
        return "_"
    if char.isdigit():
        return "0"
    return "A" if char.isupper() else "a"
