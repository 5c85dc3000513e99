"""Generated texts: the same for the same seed, with words as uneven as in prose."""

from __future__ import annotations

import random

_ONSETS = ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "pr", "tr", "gr", "pl"]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
_ENDS = ["", "", "n", "r", "s", "t", "l", "nd", "ck"]
_COMMON = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "for",
    "was",
    "on",
    "are",
    "with",
    "as",
    "by",
    "at",
    "from",
    "this",
    "be",
    "it",
]


def vocabulary(size: int = 4_000) -> list[str]:
    """Words of one to three syllables, no two alike."""
    rng = random.Random(1)  # noqa: S311  # no secrets here
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = rng.choice((1, 2, 2, 3))
        words["".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_ENDS) for _ in range(syllables))] = None
    return list(words)


_WORDS = vocabulary()
_WEIGHTS = [1 / (rank + 10) for rank in range(len(_WORDS))]


def sentence(rng: random.Random) -> str:
    """Eight to twenty words, two in five of them common ones."""
    length = rng.randint(8, 20)
    rare = rng.choices(_WORDS, _WEIGHTS, k=length)
    words = [rng.choice(_COMMON) if rng.random() < 0.4 else word for word in rare]
    return " ".join(words).capitalize() + "."


def paragraph(rng: random.Random, sentences: int) -> str:
    return " ".join(sentence(rng) for _ in range(sentences))


def markdown(seed: int, *, sections: int, paragraphs: int, sentences: int = 5) -> str:
    """A report: a title, sections with headings, paragraphs in them."""
    rng = random.Random(seed)  # noqa: S311  # no secrets here
    parts = [f"# Report {seed}: {' '.join(rng.choices(_WORDS, k=4))}"]
    for number in range(1, sections + 1):
        parts.append(f"## {number} {' '.join(rng.choices(_WORDS, k=3)).capitalize()}")
        parts += [paragraph(rng, sentences) for _ in range(paragraphs)]
    return "\n\n".join(parts) + "\n"


def question(rng: random.Random) -> str:
    return f"What about {' '.join(rng.choices(_WORDS, _WEIGHTS, k=rng.randint(3, 8)))}?"
