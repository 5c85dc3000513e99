"""``list``, ``show`` and ``status``: look, and change nothing."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import typer
from rich import box
from rich.table import Table

from ..documents import WORKSPACE, ContextKind, Document, Passage
from ..errors import NotFound
from ..library import Indexer
from ..rows import WAITING, Version
from .common import (
    DONE,
    JsonOption,
    WorkspaceOption,
    counted,
    err,
    out,
    print_json,
    run,
    said_of,
    shown,
    shown_line,
    viewer_of,
)
from .searching import place

app = typer.Typer()


@app.command("list")
def list_documents(
    viewer: list[str] = typer.Option([], "--viewer", help="Only what this audience holds; repeat it for several."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """List the documents that answer, with their state and cost."""
    who = viewer_of(viewer) if viewer else None

    async def work(indexer: Indexer) -> int:
        documents = await indexer.documents(workspace, who)
        if as_json:
            print_json([document_json(document) for document in documents])
        elif not documents:
            out.print("There are no documents yet. Add some with: python -m indexer add FILE…")
        else:
            out.print(_document_table(documents))
        return DONE

    run(work)


@app.command()
def show(
    document: str = typer.Argument(..., metavar="DOC", help="An id, the beginning of one, a source or a title."),
    chunks: bool = typer.Option(False, "--chunks", help="Also every chunk with its context."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """Show one document, and its chunks."""

    async def work(indexer: Indexer) -> int:
        found = await indexer.find(workspace, document)
        published = [d for d in await indexer.documents(workspace, None) if d.id == found]
        if not published:
            newest = next(v for v in await indexer.attempts(workspace) if v.document == found)
            raise NotFound(f"'{newest.title}' does not answer yet: {_state(newest)}.")
        shown = published[0]
        passages: list[Passage] = []
        if chunks and shown.version is not None:
            passages = await indexer.passages(workspace, shown.version)
        if as_json:
            fields = document_json(shown)
            print_json(fields | {"passages": [passage_json(p) for p in passages]} if chunks else fields)
        else:
            _print_document(shown, passages)
        return DONE

    run(work)


@app.command()
def status(workspace: str = WorkspaceOption, as_json: bool = JsonOption) -> None:
    """Tell what is indexed, what waits, what failed and why, and what it cost."""

    async def work(indexer: Indexer) -> int:
        documents = await indexer.documents(workspace, None)
        attempts = await indexer.attempts(workspace)
        in_all = await indexer.spent_since(workspace, datetime(2000, 1, 1, tzinfo=UTC))
        report = status_json(documents, attempts, await indexer.spent(workspace), in_all)
        if as_json:
            print_json(report)
        else:
            _print_status(report)
        return DONE

    run(work)


def document_json(document: Document) -> dict[str, Any]:
    """A document as the ``--json`` of ``list`` and ``show`` has it."""
    return {
        "document": document.id,
        "title": document.title,
        "source": document.source,
        "url": document.url,
        "audience": str(document.audience),
        "date": document.date.isoformat() if document.date else None,
        "language": document.language,
        "media_type": document.media_type,
        "added_at": document.added_at.isoformat() if document.added_at else None,
        "added_by": document.added_by,
        "chunks": document.chunks,
        "contexts": str(document.context_kind) if document.context_kind else None,
        "failed_contexts": document.failed_contexts,
        "usage": {
            "input_tokens": document.usage.input_tokens,
            "cache_write_tokens": document.usage.cache_write_tokens,
            "cache_read_tokens": document.usage.cache_read_tokens,
            "output_tokens": document.usage.output_tokens,
        },
        "cost_usd": round(document.usage.cost_usd, 6),
    }


def passage_json(passage: Passage) -> dict[str, Any]:
    """A passage as ``show --chunks --json`` has it."""
    chunk, context = passage.chunk, passage.context
    return {
        "position": chunk.position,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
        "context": context.text,
        "context_kind": str(context.kind),
        "context_failure": context.failure,
        "heading_path": list(chunk.heading_path),
        "pages": list(chunk.pages),
    }


def status_json(documents: list[Document], attempts: list[Version], spent: float, in_all: float) -> dict[str, Any]:
    """The status of a workspace: counts, what waits, what went wrong, what was paid.

    ``cost_usd`` is what contexts of documents cost (``spent``), ``all_cost_usd`` what was paid ``in_all``: for answers,
    evaluations and drafts, too.
    """
    cost = max(spent, sum(document.usage.cost_usd for document in documents))
    return {
        "documents": len(documents),
        "chunks": sum(document.chunks for document in documents),
        "structural": sum(document.context_kind is ContextKind.STRUCTURAL for document in documents),
        "failed_contexts": [
            {"document": v.document, "title": v.title, "contexts": dict(v.failures)}
            for v in attempts
            if v.failures and v.state == "published"
        ],
        "cache_misses": sum(version.cache_misses for version in attempts),
        "waiting": [
            {
                "document": v.document,
                "title": v.title,
                "state": v.state,
                "stage": v.stage,
                "done": v.done,
                "of": v.total,
            }
            for v in attempts
            if v.state in WAITING
        ],
        "failed": [
            {"document": v.document, "title": v.title, "state": v.state, "error": v.error}
            for v in attempts
            if v.state in ("failed", "refused")
        ],
        "cost_usd": round(cost, 6),
        "all_cost_usd": round(max(in_all, cost), 6),
    }


def _name(document: Document) -> str:
    """The last part of a document's source, to tell apart documents of the same title."""
    return shown_line(unquote(document.source.rstrip("/").rpartition("/")[2]))


def _state(version: Version) -> str:
    if version.error:
        return f"{version.state}, {version.error}"
    return f"{version.stage or version.state} ({version.done} of {version.total})" if version.total else version.state


def _document_table(documents: list[Document]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("Id", no_wrap=True)
    table.add_column("Title", overflow="fold", ratio=1)
    everybody = all(document.audience == WORKSPACE for document in documents)
    if not everybody:
        table.add_column("For", overflow="fold")
    table.add_column("Date", no_wrap=True)
    for name in ("Passages", "Cost"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Contexts", no_wrap=True)
    twins = Counter(document.title for document in documents)
    for document in documents:
        contexts = "generated" if document.context_kind is ContextKind.GENERATED else "structural"
        if document.failed_contexts:
            contexts = f"[yellow]{document.failed_contexts} failed[/yellow]"
        cells = [
            document.id[:8],
            shown_line(document.title)
            + (f" [dim]({shown_line(_name(document))})[/dim]" if twins[document.title] > 1 else ""),
            *([] if everybody else [shown(str(document.audience))]),
            f"{document.date:%Y-%m-%d}" if document.date else "",
            str(document.chunks),
            f"${document.usage.cost_usd:.4f}" if document.usage.cost_usd else "–",
            contexts,
        ]
        table.add_row(*cells)
    return table


def _print_document(document: Document, passages: list[Passage]) -> None:
    out.print(f"[bold]{shown(document.title)}[/bold]")
    for name, value in document_json(document).items():
        if value is not None and name not in ("title", "usage"):
            out.print(f"[dim]{name:>16}[/dim]  {shown(str(value))}")
    for passage in passages:
        where = place(document.title, passage.chunk.heading_path, passage.chunk.pages)
        out.print(f"\n[bold]#{passage.chunk.position}[/bold] [dim]{shown(where)}[/dim]")
        if passage.context.text:
            out.print(f"[italic dim]Context ({passage.context.kind}): {shown(passage.context.text)}[/italic dim]")
        if passage.context.failure:
            out.print(f"[yellow]{shown(passage.context.failure)}[/yellow]")
        out.print(shown(passage.chunk.text.strip("\n")))


def _print_status(report: dict[str, Any]) -> None:
    paid = f"${report['cost_usd']:.4f} paid for contexts"
    if report["all_cost_usd"] > report["cost_usd"]:
        paid += f", ${report['all_cost_usd']:.4f} with answers, evaluations and drafts"
    out.print(f"{counted(report['documents'], 'document')}, {counted(report['chunks'], 'passage')}, {paid}.")
    if report["structural"]:
        out.print(f"With structural contexts: {report['structural']} (one passage only, or no ANTHROPIC_API_KEY).")
    if report["cache_misses"]:
        missed = counted(report["cache_misses"], "call")
        out.print(f"[yellow]{missed} missed Claude's cache: contexts cost more than planned.[/yellow]")
    for item in report["waiting"]:
        done = f" {item['done']} of {item['of']}" if item["of"] else ""
        out.print(f"[cyan]…[/cyan] {shown_line(item['title'])}: {item['stage']}{done}")
    for item in report["failed_contexts"]:
        reasons = shown("; ".join(sorted(set(item["contexts"].values()))))
        failed = counted(len(item["contexts"]), "context")
        out.print(f"[yellow]![/yellow] {shown_line(item['title'])}: {failed} failed ({reasons})")
    for item in report["failed"]:
        out.print(f"[red]✗[/red] {said_of(item['title'], item['error'] or item['state'])}")
    if report["failed"] or report["failed_contexts"]:
        err.print("[dim]'retry' tries again what failed. What was refused needs another file, or 'remove'.[/dim]")
