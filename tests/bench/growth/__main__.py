"""``python -m tests.bench.growth [--chunks 100000]``: a table of recall, times, memory and import rate."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from pathlib import Path
from time import perf_counter, strftime
from typing import Annotated

import typer
from rich.console import Console

from tests.bench.growth.running import Row, run
from tests.bench.growth.seeds import embedded, local_embedder

err = Console(stderr=True)


def growth(
    chunks: Annotated[
        list[int] | None, typer.Option(min=2_000, help="Chunks in the index; give it again for more runs.")
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Where to put the index; it goes away again.")] = None,
) -> None:
    """Fill an index with so many chunks and measure it. Default: 100,000, and for a million: --chunks 1000000."""
    logging.basicConfig(level=logging.ERROR)
    asyncio.run(_growth(chunks or [100_000], folder))


async def _growth(sizes: list[int], folder: Path | None) -> None:
    tables: list[list[Row]] = []
    async with local_embedder() as embedder:
        seeds = await embedded(embedder, _tell)
        for sentence in seeds.describe():
            _tell(sentence)
        for size in sizes:
            with tempfile.TemporaryDirectory(prefix="situate-bench-growth-", dir=folder) as place:
                tables.append(await run(Path(place), seeds, size, embedder, _tell))
    for line in table(tables):
        Console().print(line, soft_wrap=True, highlight=False, markup=False)


def table(columns: list[list[Row]]) -> list[str]:
    """Lines of Markdown: a row a figure, a column a run. The first row is the head."""
    lines = []
    for place, row in enumerate(columns[0]):
        lines.append(f"| {row.what} | {' | '.join(column[place].figure for column in columns)} |")
        if place == 0:
            lines.append(f"|{'---|' * (1 + len(columns))}")
    return lines


_started = perf_counter()


def _tell(line: str) -> None:
    err.print(f"{strftime('%H:%M:%S')} +{perf_counter() - _started:.0f}s {line}", style="dim", highlight=False)


if __name__ == "__main__":
    typer.run(growth)
