"""The seeds with their vectors: real ones, made once by the local embedder and kept in the user's cache."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sqlalchemy as sa

from indexer.database import Database
from indexer.embedding import Embedder, open_embedder
from indexer.kept import EmbeddingRows
from tests.bench.figures import Tell
from tests.bench.growth.texts import Seed, make_seeds, own
from tests.bench.growth.vectors import Noise, Vectors, nearest_cosine, random_cosine
from tests.bench.indexes import bench_settings

SEEDS = 2_000


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seeds, and by the vector's name the vector of each and the noise for more of its kind."""

    seeds: list[Seed]
    vectors: dict[str, Vectors]
    noise: dict[str, Noise]

    def describe(self) -> list[str]:
        """A sentence on each named vector: how near to each other real ones are, and their repetitions."""
        rng, said = np.random.default_rng(0), []
        for name, vectors in self.vectors.items():
            one, other = self.noise[name].repeated(vectors, rng), self.noise[name].repeated(vectors, rng)
            copies = float(np.median(np.sum(one * other, axis=1)))
            said.append(
                f"{name} vectors, median cosines: two real ones {random_cosine(vectors):.2f}, a real one and the "
                f"nearest other {nearest_cosine(vectors):.2f}, two repetitions of one {copies:.2f}"
            )
        return said


async def embedded(embedder: Embedder, tell: Tell) -> Seeds:
    """The seeds with their vectors. The first time takes a quarter of an hour on two cores."""
    seeds = make_seeds(SEEDS)
    texts = {
        "context": [own(seed.context, number) for number, seed in enumerate(seeds)],
        "passage": [seed.passage(number) for number, seed in enumerate(seeds)],
    }
    vectors, noise = {}, {}
    for name, of in texts.items():
        vectors[name] = await embedder.passages(of, progress=_Told(name, len(of), tell))
        noise[name] = Noise.shaped_like(vectors[name], nearest_cosine(vectors[name]))
    return Seeds(seeds, vectors, noise)


@asynccontextmanager
async def local_embedder() -> AsyncIterator[Embedder]:
    """The product's local embedder; what it makes is kept in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "situate"
    cache.mkdir(parents=True, exist_ok=True)
    database = await Database.open(sa.URL.create("sqlite", database=str(cache / "bench.db")))
    embedder = open_embedder(bench_settings(cache, embedder="local"), EmbeddingRows(database))
    try:
        yield embedder
    finally:
        await embedder.close()
        await database.close()


class _Told:
    """Tells of progress every hundred."""

    def __init__(self, name: str, of: int, tell: Tell) -> None:
        self._name, self._of, self._tell, self._next = name, of, tell, 0

    def __call__(self, done: int) -> None:
        if done >= self._next:
            self._next = done + 100
            self._tell(f"seeds: {done:,} of {self._of:,} {self._name} vectors")
