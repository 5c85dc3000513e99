"""Which chunks count for a question: those that it names, or those that hold what it quotes.

Quotes are compared without white space, so that a line break in the middle of one does not matter. A quote that was cut
in two by the chunker is met by the chunk that holds most of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from indexer.errors import FileInvalid
from indexer.evaluation.corpus import Corpus, CorpusDocument
from indexer.evaluation.files import Question
from indexer.reading.sanitising import visible

Golden = tuple[frozenset[int], ...]  # for each entry the numbers of the chunks that meet it, at least one


def golden_chunks(questions: Sequence[Question], corpus: Corpus, file: str) -> list[Golden]:
    """For each question and each of its entries the chunks that meet it. Raises FileInvalid, which names the line.

    >>> # chunks 0 "It was closed.", 1 "It cost 41,000 euros.", 2 "It was closed."
    >>> # {"quotes": ["It was closed", "41,000"]}  →  ({0, 2}, {1})
    """
    finder = _Finder(corpus)
    result = []
    for question in questions:
        try:
            if question.golden:
                result.append(tuple(finder.named(entry) for entry in question.golden))
            else:
                result.append(tuple(finder.holding(quote, question.document) for quote in question.quotes))
        except LookupError as error:
            raise FileInvalid(f"{file}, line {question.number}: {error.args[0]}") from error
    return result


@dataclass(frozen=True, slots=True)
class _Squeezed:
    """A document without its white space, and where its chunks begin in that."""

    text: str
    starts: tuple[int, ...]
    first: int  # the number of its first chunk

    def spans(self) -> Iterator[tuple[int, int, int]]:
        for position, (start, end) in enumerate(zip(self.starts, self.starts[1:], strict=False)):
            yield self.first + position, start, end


class _Finder:
    def __init__(self, corpus: Corpus) -> None:
        self._by_id: dict[str, int] = {}
        self._documents: list[_Squeezed] = []
        self._by_name: dict[str, set[int]] = {}
        for index, document in enumerate(corpus.documents):
            first = corpus.starts[index]
            self._by_id |= {id: first + position for position, id in enumerate(document.ids)}
            self._documents.append(_squeezed(document, first))
            for name in document.names:
                self._by_name.setdefault(name, set()).add(index)

    def named(self, ids: Sequence[str]) -> frozenset[int]:
        """The chunks of these ids."""
        for id in ids:
            if id not in self._by_id:
                raise LookupError(f"there is no chunk '{id}' in the corpus.")
        return frozenset(self._by_id[id] for id in ids)

    def holding(self, quote: str, document: str | None) -> frozenset[int]:
        """The chunks that hold a quote; where none holds it whole, the one that holds most of it."""
        if document is not None and document not in self._by_name:
            raise LookupError(f"there is no document '{document}' in the corpus.")
        wanted = squeezed(quote)
        whole: set[int] = set()
        parts: list[tuple[int, int]] = []
        for index in sorted(self._by_name[document]) if document is not None else range(len(self._documents)):
            within = self._documents[index]
            for start in _found(wanted, within.text):
                end = start + len(wanted)
                for number, first, last in within.spans():
                    if first <= start and end <= last:
                        whole.add(number)
                    elif first < end and start < last:
                        parts.append((min(end, last) - max(start, first), -number))
        if whole:
            return frozenset(whole)
        if parts:
            return frozenset({-max(parts)[1]})
        where = f"the document '{document}'" if document is not None else "any document of the corpus"
        raise LookupError(f"'{_short(quote)}' does not stand in {where}; quotes must be verbatim.")


def squeezed(text: str) -> str:
    """Text without white space and without what nobody sees: ``"a\\n b\\u200b"`` → ``"ab"``."""
    return "".join(visible(text).split())


def _squeezed(document: CorpusDocument, first: int) -> _Squeezed:
    texts = [squeezed(chunk.text) for chunk in document.chunks]
    return _Squeezed("".join(texts), tuple(accumulate(map(len, texts), initial=0)), first)


def _found(wanted: str, text: str) -> Iterator[int]:
    start = text.find(wanted) if wanted else -1
    while start >= 0:
        yield start
        start = text.find(wanted, start + 1)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
