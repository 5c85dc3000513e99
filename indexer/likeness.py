"""How alike two texts are, told from a small signature of each: min-wise hashing of shingles (Broder 1997).

A shingle is five words in a row, whatever their case and whatever stands between them; of scripts written without
spaces each character counts as a word. How alike two texts are is the share of the shingles of both that either has
(Jaccard). The signature is the 128 smallest of the shingles' hashes: of two signatures the 128 smallest are a random
sample of what either text has, and the share of those that stand in both estimates the likeness, give or take 0.04.
A text of at most 128 different shingles is its whole signature, and the likeness is exact then.

Worked example: ``"a b c d e f g"`` has the shingles ``abcde bcdef cdefg`` and ``"a b c d e f X"`` has ``abcde bcdef
cdefX``. Two are common, four there are in all: likeness 0.5.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

import numpy as np
from numpy.typing import NDArray

Signature = tuple[int, ...]  # ascending, each of 64 bits without sign; at most LONGEST of them, none for no words

LONGEST = 128
ALIKE = 0.8  # of texts with this likeness or more it is asked whether one replaces the other
_WORDS = 5
# Scripts written without spaces, character by character (CJK, kana, Thai, Lao, Burmese, Khmer); else words.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f"
_UNSPACED += "\u1780-\u17ff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_STEP = 100_000  # characters that are taken apart at once: other threads wait that long


def signature_of(text: str) -> Signature:
    """The signature of a text; the same in every process. Blocking: half a second for a long book.

    >>> signature_of("Hotels cost at most 120 euros.") == signature_of("hotels COST,\\nat most (120) euros")
    True
    >>> len(signature_of("a b c d e f g")), signature_of(" - ")
    (3, ())
    """
    codes = _codes(text)
    if not len(codes):
        return ()
    rows = max(len(codes) - _WORDS + 1, 1)  # of fewer words than a shingle has, all of them are one
    mixed = np.zeros(rows, dtype=np.uint64)
    for place in range(min(_WORDS, len(codes))):
        mixed = _scrambled(mixed + codes[place : place + rows])
    return tuple(int(value) for value in np.unique(mixed)[:LONGEST])


def likeness(one: Signature, other: Signature) -> float:
    """The estimated share of shingles that two texts have in common: 0 (nothing) to 1 (the same words).

    >>> likeness(signature_of("a b c d e f g"), signature_of("a b c d e f X"))
    0.5
    """
    sample = sorted({*one, *other})[:LONGEST]
    if not one or not other:
        return 0.0
    return len(set(sample) & set(one) & set(other)) / len(sample)


def words_of(text: str) -> str:
    """The words of a text with a space between them, whatever their case and whatever stands between them.

    >>> words_of("Hotels: at most\n120 EUROS.")
    'hotels at most 120 euros'
    """
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _codes(text: str) -> NDArray[np.uint64]:
    """A number for each word, in the order of the text."""
    known: dict[str, int] = {}
    pieces = [np.empty(0, dtype=np.uint64)]
    for start in range(0, len(text), _STEP):  # a word that is cut between two steps counts as two: one of thousands
        piece = unicodedata.normalize("NFKC", text[start : start + _STEP]).casefold()
        words = _WORD.findall(piece)
        known |= {word: _code(word) for word in set(words).difference(known)}
        pieces.append(np.array([known[word] for word in words], dtype=np.uint64))
    return np.concatenate(pieces)


def _code(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def _scrambled(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number as another one that looks random; different ones stay different (the finish of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
