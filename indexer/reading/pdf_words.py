"""Words of a PDF, set right by its own characters.

The engine gives a PDF twice: as characters page by page, and as paragraphs, headings and tables. The second reads well
but guesses at letters: to mend fonts without a proper encoding it makes ``tt`` of a star between letters, ``fi`` of an
exclamation mark, and one word of "of its". Here a word that the characters do not have is put back as they have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from indexer.reading.sanitising import visible

_GUESSES = {"*": "tt", "!": "fi", "#": "fi", '"': "ffi"}
_GUESSED = re.compile(r"(?<=[^\W\d_])[*!#\"](?=[^\W\d_])")
_BROKEN_FONT = re.compile(r"[a-z][!#\"][a-z]")
_STAND_ALONE = frozenset({"of", "if", "auf", "half", "self"})
_MARKER = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|\d{1,3}(?:\.\d{1,3})+\.?")
_LED = 40  # characters of an item that are looked for on the page
_EDGES = re.compile(r"^\W+|\W+$")


class Words:
    """What the characters of a PDF's pages say about its words.

    >>> Words(["a text of its own, a*b\\n4-\\nlevel"]).correct("a text ofits own, attb 4level")
    'a text of its own, a*b 4-level'
    """

    def __init__(self, pages: Iterable[str]) -> None:
        self._known: set[str] = set()
        self._instead: dict[str, str] = {}
        pairs: set[tuple[str, str]] = set()
        broken: list[tuple[str, str]] = []
        read = []
        for page in pages:
            page = visible(page)
            self._read(page, pairs, broken)
            read.append(" ".join(page.split()))
        self._text = " ".join(read)
        self._guesses()
        alone = {_EDGES.sub("", word).lower() for word in self._known}
        followed = {first for first, second in pairs if not second.startswith(("i", "l"))}
        led = {second for first, second in pairs if not first.endswith("f")}
        for first, second in pairs:
            if first.endswith("f") and second.startswith(("i", "l")) and first + second not in self._known:
                bare = _EDGES.sub("", first).lower()
                if bare in _STAND_ALONE or (first in followed and second in led):
                    self._instead[first + second] = f"{first} {second}"
        for first, second in broken:
            hyphenated = f"{first}-{second}"
            if first[-1:].isdigit() or _EDGES.sub("", hyphenated).lower() in alone:
                self._instead[first + second] = hyphenated

    def _read(self, page: str, pairs: set[tuple[str, str]], broken: list[tuple[str, str]]) -> None:
        waiting = ""  # the first half of a word that a hyphen breaks at the end of its line
        for line in page.split("\n"):
            words = line.split()
            if not words:
                continue
            self._known.update(words)
            pairs.update(pairwise(words))
            if waiting:
                broken.append((waiting, words[0]))
            last = words[-1]
            waiting = last[:-1] if len(last) > 1 and last[-1] in "-\u2010" and last[-2].isalnum() else ""

    def _guesses(self) -> None:
        """What was guessed from symbols between letters, unless the document shows that its font needs it."""
        suspects = [word for word in self._known if _BROKEN_FONT.search(word)]
        font_is_broken = len(suspects) >= 5 and len(suspects) * 300 > len(self._known)
        for word in self._known:
            if font_is_broken and "*" not in word:
                continue
            guess = _GUESSED.sub(lambda match: _GUESSES[match[0]], word)
            if guess != word and guess not in self._known:
                self._instead[guess] = word

    def correct(self, text: str) -> str:
        """``text`` with the words put back that the pages have otherwise."""
        if not self._instead:
            return text
        return re.sub(r"\S+", lambda match: self._word(match[0]), text)

    def marker(self, item: str) -> str:
        """What stands before an item of a list on its page, as ``3. `` or ``- ``; the engine does not say."""
        found = self._text.find(" ".join(item.split())[:_LED])
        before = self._text[:found].rsplit(" ", 2)[-2:] if found > 0 else []
        own = next((word for word in reversed(before) if word), "")
        return f"{own} " if _MARKER.fullmatch(own) else "- "

    def _word(self, word: str) -> str:
        return word if word in self._known else self._instead.get(word, word)
