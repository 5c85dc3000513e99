"""``search``: the passages that are found, and why, without Claude."""

from __future__ import annotations

from typing import Any

import typer

from ..documents import Hit
from ..explaining import Why
from ..library import Indexer
from ..terms import has_words
from .common import (
    DONE,
    JsonOption,
    WorkspaceOption,
    counted,
    out,
    print_json,
    run,
    shown,
    tell,
    viewer_of,
    waiting_for,
)
from .explaining import why_json, why_lines

app = typer.Typer()


@app.command()
def search(
    query: str = typer.Argument(..., help="What to look for."),
    limit: int | None = typer.Option(None, "--limit", min=1, max=100, help="How many passages."),
    alpha: float | None = typer.Option(None, "--alpha", min=0, max=1, help="0 keywords only … 1 meaning only."),
    viewer: list[str] = typer.Option([], "--viewer", help="Who looks: workspace, everyone, channel:ID, user:ID …"),
    explain: bool = typer.Option(False, "--explain", help="Also why each passage was found: ranks, scores, words."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """Search the passages, without Claude."""
    if not has_words(query):
        raise typer.BadParameter("there is no word to look for in this query; give one, or a number.")
    who = viewer_of(viewer)

    async def work(indexer: Indexer) -> int:
        async with waiting_for("Searching …"):
            told = await indexer.explain(workspace, query, who, limit=limit, alpha=alpha) if explain else []
            hits = [why.hit for why in told] or await indexer.search(workspace, query, who, limit=limit, alpha=alpha)
            missing = await indexer.missing_passages(workspace)
        if missing:
            lack = f"The index lacks {counted(missing, 'passage')} (yet), so not everything is found"
            tell(f"{lack}: 'status' tells what waits, 'retry' makes the rest anew.")
        whys = {why.hit.key: why for why in told}
        if as_json:
            print_json([hit_json(hit, whys.get(hit.key)) for hit in hits])
        elif not hits:
            out.print("Nothing found.")
        else:
            for number, hit in enumerate(hits, 1):
                _print_hit(number, hit, whys.get(hit.key))
        return DONE

    run(work)


def hit_json(hit: Hit, why: Why | None = None) -> dict[str, Any]:
    """A hit as ``search --json`` has it."""
    fields: dict[str, Any] = {
        "document": hit.document,
        "title": hit.title,
        "position": hit.chunk.position,
        "text": hit.chunk.text,
        "context": hit.context.text,
        "heading_path": list(hit.chunk.heading_path),
        "pages": list(hit.chunk.pages),
        "score": hit.score,
        "rerank": hit.rerank,
        "source": hit.source,
        "url": hit.url,
        "audience": str(hit.audience),
        "date": hit.date.isoformat() if hit.date else None,
    }
    return fields | ({"why": why_json(why)} if why else {})


def place(title: str, heading_path: tuple[str, ...], pages: tuple[int, ...]) -> str:
    """Where a chunk stands in its document, for a person; the title is not said again.

    >>> place("Review 2023", ("Review 2023", "Cybersecurity", "Incidents"), (14, 15))
    'Cybersecurity › Incidents, p. 14–15'
    """
    told = " › ".join(heading for heading in heading_path if heading != title)
    if pages:
        first, last = min(pages), max(pages)
        told += (", " if told else "") + (f"p. {first}" if first == last else f"p. {first}–{last}")
    return told


def _print_hit(number: int, hit: Hit, why: Why | None) -> None:
    where = place(hit.title, hit.chunk.heading_path, hit.chunk.pages)
    date = f" · {hit.date:%Y-%m-%d}" if hit.date else ""
    where = f" › {where}" if where else ""
    out.print(f"[bold]{number}  {shown(hit.title)}[/bold][dim]{shown(where)}{date} · {hit.score:.3f}[/dim]")
    for line in why_lines(why) if why else ():
        out.print(f"[cyan]{shown(line)}[/cyan]")
    out.print(f"[italic dim]{shown(hit.context.text)}[/italic dim]")
    out.print(shown(hit.chunk.text.strip("\n")) + "\n")
