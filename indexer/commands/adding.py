"""``add`` and ``retry``: put documents in, and watch them on their way."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.table import Column

from ..adding import Added
from ..documents import Audience, DocumentId, VersionId
from ..errors import Refused
from ..library import Indexer
from ..rows import WAITING, Version
from ..sources import Rejected, open_source
from .common import (
    DONE,
    INCOMPLETE,
    JsonOption,
    WorkspaceOption,
    audience_of,
    counted,
    err,
    out,
    print_json,
    run,
    said_of,
    shown,
    shown_line,
    steady_lines,
    waiting_for,
)

app = typer.Typer()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one source, for a person or as JSON."""

    title: str
    status: str  # published | unchanged | refused | failed | replaced | removed
    document: DocumentId | None = None
    chunks: int = 0
    failed_contexts: int = 0
    cost_usd: float = 0.0
    error: str | None = None
    warnings: tuple[str, ...] = ()
    name: str = ""  # of the file, where it tells more than the title

    def as_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "document": self.document,
            "title": self.title,
            "status": self.status,
            "chunks": self.chunks,
            "failed_contexts": self.failed_contexts,
            "cost_usd": round(self.cost_usd, 6),
        }
        if self.warnings:
            fields["warnings"] = list(self.warnings)
        return fields | ({"error": self.error} if self.error else {})

    def line(self) -> str:
        """One line for a person, in rich's markup."""
        title = shown_line(self.title)
        if self.name and PurePath(self.name).stem != self.title:
            title += f" [dim]({shown_line(self.name)})[/dim]"
        if self.error:
            return f"[red]✗[/red] {said_of(self.title, self.error, self.name)}"
        if self.status == "unchanged":
            return f"[dim]=[/dim] {title}: unchanged"
        if self.status == "replaced":
            return f"[dim]=[/dim] {title}: a newer version was added meanwhile"
        said = [counted(self.chunks, "passage")]
        if self.failed_contexts:
            failed = counted(self.failed_contexts, "context")
            said.append(f"[yellow]{failed} failed, 'retry' tries again[/yellow]")
        if self.cost_usd:
            said.append(f"${self.cost_usd:.4f}")
        said += [f"[yellow]{shown(warning)}[/yellow]" for warning in self.warnings]
        return f"[green]✓[/green] {title}: {', '.join(said)}"


def outcome_of(version: Version, *, unchanged: bool = False) -> Outcome:
    """What became of a version that is done. One that a newer version overtook counts as ``replaced``."""
    if version.state in ("withdrawn", "removed") and not unchanged:
        return removed_meanwhile(version.title, version.document, version.usage.cost_usd)
    return Outcome(
        title=version.title,
        name=version.name,
        status="unchanged" if unchanged else version.state,
        document=version.document,
        chunks=version.chunks if version.state == "published" else 0,
        failed_contexts=len(version.failures),
        cost_usd=0.0 if unchanged else version.usage.cost_usd,
        error=version.error,
        warnings=() if unchanged else version.warnings,
    )


def removed_meanwhile(title: str, document: DocumentId, cost_usd: float = 0.0) -> Outcome:
    """What becomes of a document that somebody removes while it is indexed."""
    return Outcome(title, "removed", document, cost_usd=cost_usd, error="It was removed while it was being indexed.")


@app.command()
def add(
    sources: list[str] = typer.Argument(..., metavar="SOURCE…", help="Files, folders, URLs, or - for standard input."),
    title: str | None = typer.Option(None, "--title", help="Title; default: the document's own."),
    audience: str = typer.Option("workspace", "--audience", help="workspace, everyone, channel:ID or user:ID."),
    key: str | None = typer.Option(None, "--key", help="With - : a name that makes the next text replace this one."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """Add documents. The same source again replaces its document; what is unchanged costs nothing."""
    readers = audience_of(audience)
    if title and len(sources) > 1:
        raise typer.BadParameter("--title goes with one source only.")
    if key and sources != ["-"]:
        raise typer.BadParameter("--key goes with - only; files and URLs have keys of their own.")

    async def work(indexer: Indexer) -> int:
        slots: list[Outcome | Added] = []
        for source in sources:
            slots += await _add_source(indexer, source, workspace, readers, title, key)
        return await ending(indexer, workspace, await _follow(indexer, slots), as_json)

    run(work)


@app.command()
def retry(
    documents: list[str] = typer.Argument(None, metavar="[DOC…]", help="Only these; default: all that failed."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """Try again what failed. Only the contexts that are missing are paid for."""

    async def work(indexer: Indexer) -> int:
        only = frozenset([await indexer.find(workspace, name) for name in documents or []])
        again = await indexer.retry(workspace, only or None)
        if not again and not as_json:
            out.print("Nothing to try again: no document and no context failed.")
            return DONE
        return await ending(indexer, workspace, await _follow(indexer, list(again)), as_json)

    run(work)


async def _add_source(
    indexer: Indexer, source: str, workspace: str, readers: Audience, title: str | None, key: str | None
) -> list[Outcome | Added]:
    stdin = await asyncio.to_thread(sys.stdin.buffer.read) if source == "-" else b""
    slots: list[Outcome | Added] = []
    try:
        async with waiting_for(f"Taking in {shown_line(source)} …") as update:
            async for item in open_source(source, indexer.settings, stdin=stdin, key=key):
                if isinstance(item, Rejected):
                    slots.append(Outcome(item.name, "refused", error=str(item.error)))
                else:
                    slots.append(await indexer.add(item, workspace=workspace, audience=readers, title=title))
                update(f"Taking in {shown_line(source)} … {counted(len(slots), 'document')}")
    except Refused as error:
        slots.append(Outcome(title or source, "refused", error=str(error)))
    return slots


async def ending(indexer: Indexer, workspace: str, outcomes: list[Outcome], as_json: bool) -> int:
    """Show what became of all, and say what another process put into the index of another embedder. The exit code."""
    code = _show(outcomes, as_json)
    published = {outcome.document for outcome in outcomes if outcome.status == "published"}
    if not published:
        return code
    elsewhere = [row for row in await indexer.unindexed(workspace) if row.document in published]
    if not elsewhere:
        return code
    err.print(
        f"[yellow]{counted(len(elsewhere), 'document')} cannot be found here: another process of Situate, with another"
        " EMBEDDER, worked on them. Restart it with the settings of now, then run 'retry'.[/yellow]"
    )
    return INCOMPLETE


async def _follow(indexer: Indexer, slots: Sequence[Outcome | Added]) -> list[Outcome]:
    """Wait until all that was queued is done; what became of each, in the order given."""
    waiting = {slot.version: slot for slot in slots if isinstance(slot, Added)}
    rows: dict[VersionId, Version] = {}
    with _bars() as bars:
        tasks: dict[VersionId, TaskID] = {}
        quiet = steady_lines()
        total = bars.add_task("Documents", total=len(waiting), visible=len(waiting) > 1, count="")
        async for row in indexer.follow(waiting):
            rows[row.id] = row
            _move(bars, tasks, row)
            done = sum(row.state not in WAITING for row in rows.values())
            bars.update(total, completed=done, count=f"{done}/{len(waiting)}")
            quiet(f"{done} of {counted(len(waiting), 'document')} done; {row.stage or row.state}: {row.title}")
    outcomes = []
    for slot in slots:
        if isinstance(slot, Outcome):
            outcomes.append(slot)
        elif slot.version not in rows:
            outcomes.append(removed_meanwhile(slot.title, slot.document))
        else:
            outcomes.append(outcome_of(rows[slot.version], unchanged=slot.status == "unchanged"))
    return outcomes


def _bars() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[count]}"),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


def _move(bars: Progress, tasks: dict[VersionId, TaskID], row: Version) -> None:
    """Show a document's stage while it runs, and nothing once it is done."""
    if row.state != "running":
        if row.id in tasks and row.state not in WAITING:
            bars.remove_task(tasks.pop(row.id))
        return
    if row.id not in tasks:
        tasks[row.id] = bars.add_task("", total=None, count="")
    stage = row.stage.capitalize() or "Reading"
    count = f"{row.done}/{row.total}" if row.total else ""
    description = f"{stage} {shown_line(row.title)}"
    bars.update(tasks[row.id], description=description, completed=row.done, total=row.total or None, count=count)


def _show(outcomes: Sequence[Outcome], as_json: bool) -> int:
    if as_json:
        print_json([outcome.as_json() for outcome in outcomes])
    else:
        for outcome in outcomes:
            out.print(outcome.line())
        if len(outcomes) > 1:
            out.print(_summary(outcomes))
    return INCOMPLETE if any(outcome.error for outcome in outcomes) else DONE


def _summary(outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.status for outcome in outcomes)
    cost = sum(outcome.cost_usd for outcome in outcomes)
    parts = [f"{number} {status}" for status, number in counts.items()]
    return ", ".join(parts) + (f"; ${cost:.4f} paid for contexts" if cost else "")
