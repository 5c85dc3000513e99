"""``python -m tests.bench [--only search|indexing|contexts|memory|slack]``: the figures, as a table."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tests.bench import contexts, indexing, memory, search, slack
from tests.bench.figures import Figure

PARTS = {
    "search": search.measure,
    "indexing": indexing.measure,
    "contexts": contexts.measure,
    "memory": memory.measure,
    "slack": slack.measure,
}

err = Console(stderr=True)


def bench(
    only: Annotated[list[str] | None, typer.Option(help=f"One part, or several: {', '.join(PARTS)}.")] = None,
) -> None:
    """Measure what we cost beside the bare libraries, and how quick the bot is. About 12 minutes on two idle cores."""
    if unknown := set(only or ()) - set(PARTS):
        raise typer.BadParameter(f"there is no part '{unknown.pop()}'; there are {', '.join(PARTS)}.")
    logging.basicConfig(level=logging.ERROR)
    figures: list[Figure] = []
    for name in only or PARTS:
        with tempfile.TemporaryDirectory(prefix=f"situate-bench-{name}-") as folder:
            figures += asyncio.run(PARTS[name](Path(folder), lambda line: err.print(line, style="dim")))
    Console().print(table(figures))


def table(figures: list[Figure]) -> Table:
    shown = Table("what", "figure", "target", "", "measured")
    shown.columns[1].justify = shown.columns[2].justify = "right"
    for figure in figures:
        digits = 2 if figure.unit == "×" else 0
        value = f"{figure.value:.{digits}f} {figure.unit}"
        target = "" if figure.target is None else f"≤ {figure.target:.{digits}f}"
        met = {True: "[green]met[/green]", False: "[red]not met[/red]", None: ""}[figure.is_met]
        shown.add_row(figure.what, value, target, met, figure.detail)
    return shown


if __name__ == "__main__":
    typer.run(bench)
