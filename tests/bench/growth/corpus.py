"""The documents of a bench: 20 chunks each, a hundred of them one channel's, the rest for the whole workspace."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.documents import (
    LOCAL_WORKSPACE,
    WORKSPACE,
    Audience,
    Chunk,
    Context,
    ContextKind,
    Document,
    Passage,
    VersionId,
    Viewer,
    document_id,
    version_id,
)
from tests.bench.growth.seeds import Seeds
from tests.bench.growth.texts import incident, own, tails
from tests.bench.growth.vectors import Vectors

PER_DOCUMENT = 20
CHANNEL = Audience("channel", "C0GROWTH")
CHANNELS_DOCUMENTS = 100
EVERYTHING = Viewer(frozenset({WORKSPACE, CHANNEL}))  # as somebody in that channel
ONE_CHANNEL = Viewer(frozenset({CHANNEL}))  # as a guest of that channel
_BLOCK = 500  # documents


@dataclass(frozen=True, slots=True)
class Entry:
    """A document with its only version and all that is in it. ``first`` is the number of its first chunk."""

    document: Document
    version: VersionId
    first: int
    passages: list[Passage]
    vectors: dict[str, Vectors]


@dataclass(frozen=True, slots=True)
class Block:
    """Some documents, and all their chunks' numbers and vectors together; ``channels`` are rows of the channel."""

    entries: list[Entry]
    numbers: NDArray[np.int64]
    vectors: dict[str, Vectors]
    channels: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Corpus:
    """``chunks`` chunks made after the seeds: the same each time."""

    seeds: Seeds
    chunks: int

    @property
    def documents(self) -> int:
        return self.chunks // PER_DOCUMENT

    def is_channels(self, index: int) -> bool:
        """Whether a document is the channel's: a hundred of them, evenly spread."""
        step = self.documents // CHANNELS_DOCUMENTS
        return index % step == 0 and index // step < CHANNELS_DOCUMENTS

    def blocks(self) -> Iterator[Block]:
        """All documents, some hundreds at a time."""
        for start in range(0, self.documents, _BLOCK):
            yield self._block(start, min(start + _BLOCK, self.documents))

    def questions(self, count: int) -> list[str]:
        """Questions about what is in it; every second one names the incident of one chunk."""
        rng = random.Random(count)  # noqa: S311  # no secrets here
        asked = [seed.question for seed in rng.sample(self.seeds.seeds, count)]
        return [
            f"{text[:-1]}, as in {incident(rng.randrange(self.chunks))}?" if place % 2 else text
            for place, text in enumerate(asked)
        ]

    def _block(self, start: int, end: int) -> Block:
        rng = np.random.default_rng((self.chunks, start))
        numbers = np.arange(start * PER_DOCUMENT, end * PER_DOCUMENT)
        chosen = rng.integers(len(self.seeds.seeds), size=len(numbers))
        vectors = {
            name: self.seeds.noise[name].repeated(of[chosen], rng) for name, of in sorted(self.seeds.vectors.items())
        }
        ends = tails(rng, len(numbers))
        entries = []
        for index in range(start, end):
            rows = range((index - start) * PER_DOCUMENT, (index - start + 1) * PER_DOCUMENT)
            audience = CHANNEL if self.is_channels(index) else WORKSPACE
            source = f"file:///growth/{index}.md"
            title = f"{self.seeds.seeds[chosen[rows.start]].title}, report {index}"
            document = Document(
                document_id(LOCAL_WORKSPACE, audience, source), LOCAL_WORKSPACE, audience, source, title
            )
            texts = [f"{own(self.seeds.seeds[chosen[r]].text, int(numbers[r]))} {ends[r]}\n" for r in rows]
            contexts = [own(self.seeds.seeds[chosen[r]].context, int(numbers[r])) for r in rows]
            entries.append(
                Entry(
                    document,
                    version_id(document.id, 1),
                    int(numbers[rows.start]),
                    _passages(texts, contexts),
                    {name: of[rows.start : rows.stop] for name, of in vectors.items()},
                )
            )
        channels = np.repeat([self.is_channels(index) for index in range(start, end)], PER_DOCUMENT)
        return Block(entries, numbers, vectors, channels)


def _passages(texts: list[str], contexts: list[str]) -> list[Passage]:
    found, start = [], 0
    for position, (text, context) in enumerate(zip(texts, contexts, strict=True)):
        chunk = Chunk(position, start, start + len(text), text)
        found.append(Passage(chunk, Context(context, ContextKind.GENERATED)))
        start += len(text)
    return found
