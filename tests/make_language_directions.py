"""Makes ``indexer/language_directions.npy`` anew: ``python -m tests.make_language_directions``, a few seconds.

The file is committed; this is where it comes from: the local embedder's vectors of ``PARALLEL``, as questions. With
other sentences, or another engine, the embedder must get another name (``language.LanguageNeutral``).
"""

from __future__ import annotations

import asyncio
import sys

import numpy as np

from indexer.language import FILE, Vectors, main_directions
from indexer.local_embedding import LocalEmbedder
from tests.parallel_sentences import PARALLEL


async def make_language_directions() -> Vectors:
    """The directions of the sentences, ``(5, 384)``; on another machine the same but for rounding and signs."""
    embedder = LocalEmbedder()
    try:
        by_language = [
            np.stack([await embedder.query(sentence) for sentence in sentences]) for sentences in PARALLEL.values()
        ]
    finally:
        await embedder.close()
    return main_directions(by_language)


if __name__ == "__main__":
    np.save(FILE, asyncio.run(make_language_directions()), allow_pickle=False)
    sys.stdout.write(f"{FILE.name} is written.\n")
