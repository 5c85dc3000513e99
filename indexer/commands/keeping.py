"""``remove`` and ``serve``: take documents out; work on the queue."""

from __future__ import annotations

import asyncio
import signal

import typer

from ..errors import NotFound
from ..library import Indexer
from .common import DONE, MISSING, JsonOption, WorkspaceOption, err, out, print_json, run, shown, tell, waiting_for

app = typer.Typer()


@app.command()
def remove(
    documents: list[str] = typer.Argument(..., metavar="DOC…", help="Ids, beginnings of ids, sources or titles."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """Take documents out. From then on nothing of them is found."""

    async def work(indexer: Indexer) -> int:
        removed, unknown = [], []
        for name in documents:
            try:
                document = await indexer.find(workspace, name)
            except NotFound as error:
                unknown.append(str(error))
                err.print(f"[red]{shown(str(error))}[/red]")
                continue
            async with waiting_for(f"Removing {shown(name)} …"):
                await indexer.remove(workspace, document)
            removed.append({"document": document, "status": "removed"})
            if not as_json:
                out.print(f"[green]✓[/green] {shown(name)}: removed")
        if as_json:
            print_json(removed)
        return MISSING if unknown else DONE

    run(work)


@app.command()
def serve() -> None:
    """Work on the queue until stopped (Ctrl-C or SIGTERM); what is in hand is finished first."""

    async def work(indexer: Indexer) -> int:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, stop.set)
        await indexer.work()
        tell("Waiting for documents. Stop with Ctrl-C.")
        await stop.wait()
        tell("Finishing what is in hand …")
        return DONE

    run(work)
