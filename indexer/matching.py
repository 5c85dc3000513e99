"""Which words of a question a text has, for telling people why: those by whose terms the index finds it.

Both are taken apart by ``terms``, as the index does, and what they share is told in the words of the question. A code
or an identifier of which the text has everything is told whole, else those of its parts that the text has.

Worked example: of "Why did INC-2023-04-011 need new certificates?" the text "inc 2023 04 011: a certificate expired"
has ``("INC-2023-04-011", "certificates")``: all parts of the code, and the last word's beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from indexer.terms import Word, codes, parts, simplified, telling_words, terms

LONGEST_QUESTION: Final = 2_000  # characters that are looked at
_TELLING: Final = 3  # characters; shorter parts of a code or an identifier tell nothing by themselves
_ONLY_HIRAGANA = re.compile("[\u3040-\u309f]+")


def shared(question: str, text: str) -> tuple[str, ...]:
    """The telling words of ``question`` that ``text`` has, as they were asked (NFKC), each once, in their order.

    >>> shared("Why did the gateway close?", "The gateways were closed.")
    ('gateway', 'close')
    >>> shared("Who closed INC-7 in getUserById?", "user inc 8")
    ('INC', 'User')
    """
    plain = simplified(question[:LONGEST_QUESTION])
    has = frozenset(terms(text))
    found: dict[str, str] = {}
    for word in _told(plain, has):
        found.setdefault(word.lower(), word)
    return tuple(found.values())


def _told(question: str, has: frozenset[str]) -> Iterator[str]:
    words = iter(telling_words(question))
    word = next(words, None)
    for code, start, end in [*codes(question), ("", len(question), len(question))]:
        while word is not None and word.start < start:
            yield from _of_word(word, has)
            word = next(words, None)
        inside: list[Word] = []
        while word is not None and word.start < end:
            inside.append(word)
            word = next(words, None)
        if code in has or (inside and all(has.issuperset(each.terms[-1:]) for each in inside)):
            yield question[start:end]
        else:
            yield from _long_enough(told for each in inside for told in _of_word(each, has))


def _of_word(word: Word, has: frozenset[str]) -> Iterable[str]:
    if word.unspaced:
        return _pieces(word, has)
    own = parts(word.text)
    if len(own) < 2:
        return [word.text] if has.intersection(word.terms) else []
    there = [part for part in own if has.intersection(terms(part))]
    if word.terms[0] in has or len(there) == len(own):
        return [word.text.strip("_")]
    return _long_enough(there)


def _long_enough(words: Iterable[str]) -> list[str]:
    return [word for word in words if len(word) >= _TELLING]


def _pieces(word: Word, has: frozenset[str]) -> list[str]:
    """The longest pieces of a word without spaces whose pairs the text has; endings in hiragana alone are not told.

    >>> from indexer.terms import telling_words
    >>> _pieces(telling_words("認証サーバーの障害は")[0], frozenset(terms("認証サーバーが止まった。障害だ")))
    ['認証サーバー', '障害']
    """
    found: list[str] = []
    start = 0
    for place in range(len(word.terms) + 1):
        if place < len(word.terms) and word.terms[place] in has:
            continue
        if place > start:
            found.append(word.text[start : place + 1])
        start = place + 1
    return [piece for piece in found if not _ONLY_HIRAGANA.fullmatch(piece)]
