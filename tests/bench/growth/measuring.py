"""What is measured in a full index: whether it finds the nearest, and how long the product's searches take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from indexer.documents import LOCAL_WORKSPACE, Viewer
from indexer.embedding import Progress
from indexer.retrieval import Retrieval
from indexer.store import HybridQuery, Store
from tests.bench.figures import percentile, timed
from tests.bench.growth.corpus import EVERYTHING, ONE_CHANNEL
from tests.bench.growth.filling import KEEP, Filled
from tests.bench.growth.vectors import Exact, Vectors, recall

AT = 20
MIX = {"passage": 0.8, "context": 0.2}  # SEARCH_PASSAGE_WEIGHT and SEARCH_CONTEXT_WEIGHT
WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions with their vectors: they are embedded once, since that takes as long in any index."""

    texts: Sequence[str]
    vectors: Vectors


class Known:
    """An embedder that knows the vectors of the questions, and nothing else."""

    def __init__(self, asked: Asked, name: str) -> None:
        self._rows = {text: row for row, text in enumerate(asked.texts)}
        self._vectors = asked.vectors
        self.name = name
        self.dimensions = asked.vectors.shape[1]
        self.window = 512

    def count(self, text: str) -> int:
        return len(text.split())

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        raise NotImplementedError

    async def query(self, text: str) -> Vectors:
        vector: Vectors = self._vectors[self._rows[text]]
        return vector

    async def close(self) -> None:
        return


async def recalls(store: Store, asked: Asked, filled: Filled, viewer: Viewer, exact: Exact) -> dict[str, float]:
    """The mean recall@20 of each vector alone, asked for 20, and of both mixed, asked for 100 as a search does.

    ``mixed`` is the share of the 20 nearest among these 100, ``ordered`` that among the first 20 of them.
    """
    sums = dict.fromkeys((*MIX, "mixed", "ordered"), 0.0)
    for number in range(len(asked.texts)):
        for name in MIX:
            found = await _nearest(store, asked, number, viewer, filled, {name: 1.0}, AT)
            sums[name] += recall(found, exact.nearest(name, number, AT))
        found = await _nearest(store, asked, number, viewer, filled, MIX, KEEP)
        right = exact.mixed(MIX, number, AT)
        sums["mixed"] += recall(found, right)
        sums["ordered"] += recall(found[:AT], right)
    return {name: total / len(asked.texts) for name, total in sums.items()}


async def _nearest(
    store: Store, asked: Asked, number: int, viewer: Viewer, filled: Filled, weights: dict[str, float], limit: int
) -> list[int]:
    query = query_of(asked, number, viewer, limit, weights)
    return [filled.first[one.version] + one.position for one in await store.nearest(query)]


def query_of(
    asked: Asked, number: int, viewer: Viewer, limit: int = KEEP, weights: dict[str, float] | None = None
) -> HybridQuery:
    """A question as a side of a search is asked it."""
    return HybridQuery(
        LOCAL_WORKSPACE,
        asked.texts[number],
        asked.vectors[number],
        viewer.audiences,
        limit,
        weights=weights or MIX,
    )


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of searches, and of the server's processors for one of them."""

    p50: float
    p95: float
    server: float = 0.0

    def __str__(self) -> str:
        work = f"; {self.server:.1f} ms of a processor" if self.server else ""
        return f"{self.p50:.0f} / {self.p95:.0f} ms{work}"


async def times(
    retrieval: Retrieval, store: Store, asked: Asked, worked: Callable[[], Awaitable[float]]
) -> dict[str, Times]:
    """Whole searches as the product does them, of everything and of one channel, and what each side takes alone.

    ``worked`` tells how many seconds of processor time the server has used.
    """
    taken: dict[str, Times] = {}

    async def series(what: str, ask: Callable[[int], Awaitable[Sequence[object]]]) -> None:
        for number in range(min(WARM_UP, len(asked.texts))):
            await ask(number)
        before, ms = await worked(), []
        for number in range(len(asked.texts)):
            seconds, found = await timed(ask(number))
            if not found:
                raise RuntimeError(f"A search found nothing: {what}.")
            ms.append(1e3 * seconds)
        work = 1e3 * (await worked() - before) / len(ms)
        taken[what] = Times(percentile(ms, 0.5), percentile(ms, 0.95), work)

    for what, viewer in (("everything", EVERYTHING), ("channel", ONE_CHANNEL)):
        queries = [query_of(asked, number, viewer) for number in range(len(asked.texts))]
        await series(what, lambda number: retrieval.search(LOCAL_WORKSPACE, asked.texts[number], viewer))  # noqa: B023
        await series(f"{what}, vectors", lambda number: store.nearest(queries[number]))  # noqa: B023
        await series(f"{what}, words", lambda number: store.keywords(queries[number]))  # noqa: B023
    return taken
