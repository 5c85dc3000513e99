"""A run that was not run: what each system is said to have found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from indexer.documents import Chunk, Context, ContextKind, ExtractedText
from indexer.evaluation.corpus import Corpus, CorpusDocument
from indexer.evaluation.files import Question
from indexer.evaluation.golden import Golden
from indexer.evaluation.measures import measured
from indexer.evaluation.running import Evaluation, Result
from indexer.evaluation.systems import known_systems


def evaluation_of(
    found: Mapping[str, Sequence[Sequence[int]]],
    golden: Sequence[Golden],
    *,
    query: str = "What was it?",
    title: str = "Review",
    text: str = "Chunk",
    context: str = "Context",
    chunks: int = 30,
) -> Evaluation:
    """A run over one document in which the systems found these chunks; question n stands on line n + 1."""
    pieces = tuple(Chunk(number, 0, 1, f"{text} {number}") for number in range(chunks))
    ids = tuple(f"c{number}" for number in range(chunks))
    document = CorpusDocument(("d",), title, ExtractedText(text, "text/plain"), pieces, ids, None)
    asked = (Question(query=f"{query} {n}", golden=[["c0"]], number=n + 1) for n in range(len(golden)))
    results = {
        name: Result(
            known_systems(None)[name],
            measured(golden, ranked),
            np.linspace(10, 20, len(golden)),
            tuple(tuple(each) for each in ranked),
        )
        for name, ranked in found.items()
    }
    return Evaluation(
        corpus=Corpus((document,)),
        questions=tuple(asked),
        golden=tuple(golden),
        contexts=[tuple(Context(f"{context} {n}", ContextKind.GENERATED) for n in range(chunks))],
        results=results,
        embedder="hashing-384",
        alpha=0.5,
    )


def wanting(*entries: Sequence[int]) -> Golden:
    """Entries, each by the chunks that meet it."""
    return tuple(frozenset(entry) for entry in entries)
