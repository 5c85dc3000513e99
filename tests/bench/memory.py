"""Peak memory of adding a 500-page PDF: the command and all the processes it starts, without the database server."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from contextlib import suppress
from pathlib import Path

from fpdf import FPDF

from indexer.weaviate_server import weaviate_server
from tests.bench.figures import Figure, Tell
from tests.bench.indexes import bench_settings
from tests.bench.texts import paragraph

PAGES = 500
EVERY_SECONDS = 0.05


async def measure(folder: Path, tell: Tell) -> list[Figure]:
    """The highest sum of resident memory, read from /proc twenty times a second; nothing where there is no /proc.

    Once as it is with the hashing embedder (full pages), once with the local one (a line a page: it is slow).
    """
    if not await asyncio.to_thread(Path("/proc/self/smaps_rollup").exists):
        tell("memory: this system has no /proc; not measured")
        return []
    figures = []
    for embedder, sentences in (("hashing", 40), ("local", 1)):
        where = folder / embedder
        where.mkdir(parents=True)
        path = where / "report.pdf"
        await asyncio.to_thread(_write_pdf, path, sentences)
        async with weaviate_server(bench_settings(where), notify=tell):  # started here: it is no child of the command
            peak, processes = await _peak_of_adding(path, where, embedder)
        size = path.stat().st_size / 1e6
        tell(f"memory: {embedder} embedder, {peak:.0f} MB in up to {processes} processes")
        detail = f"{PAGES} pages, {size:.1f} MB; up to {processes} processes"
        figures.append(Figure(f"memory of adding a PDF, {embedder} embedder", peak, "MB", None, detail))
    return figures


async def _peak_of_adding(path: Path, data_dir: Path, embedder: str) -> tuple[float, int]:
    environment = {**os.environ, "DATA_DIR": str(data_dir), "EMBEDDER": embedder, "ANTHROPIC_API_KEY": ""}
    command = [sys.executable, "-m", "indexer", "add", str(path), "--json"]
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    reading = asyncio.create_task(process.communicate())
    peak, most = 0.0, 0
    while not reading.done():
        family = await asyncio.to_thread(_family, process.pid)
        peak, most = max(peak, sum(family)), max(most, len(family))
        await asyncio.sleep(EVERY_SECONDS)
    out, err = await reading
    if process.returncode:
        raise RuntimeError(f"Adding the PDF failed: {out.decode()} {err.decode()[-2_000:]}")
    return peak, most


def _family(root: int) -> list[float]:
    """Proportional resident memory, in MB, of a process and all that descend from it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    family, grown = {root}, 0
    while len(family) != grown:
        grown = len(family)
        family |= {pid for pid, parent in parents.items() if parent in family}
    sizes = []
    for pid in family:
        with suppress(OSError):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            sizes += [int(line.split()[1]) / 1_000 for line in rollup.splitlines() if line.startswith("Pss:")]
    return sizes


def _write_pdf(path: Path, sentences: int) -> None:
    rng = random.Random(5)  # noqa: S311  # no secrets here
    pdf = FPDF()
    pdf.set_font("Helvetica", size=10)
    for number in range(1, PAGES + 1):
        pdf.add_page()
        pdf.multi_cell(0, 5, f"Page {number}. {paragraph(rng, sentences)}")
    pdf.output(str(path))
