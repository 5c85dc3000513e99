"""``questions``: drafts a file of questions from a workspace's documents, and from what people thought of answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from ..documents import Document, Passage, Viewer
from ..errors import FileInvalid, SettingsInvalid, SituateError
from ..library import Indexer
from .common import DONE, INCOMPLETE, JsonOption, WorkspaceOption, counted, err, fail, out, print_json, run, shown
from .evaluating import agreed_to, progress_bars

if TYPE_CHECKING:  # Claude's client takes seconds to load
    from ..evaluation.drafting import Outcome
    from ..evaluation.feedback import Asked

app = typer.Typer()

USUAL_COUNT = 20


@app.command()
def questions(
    to: Path = typer.Option(..., "--out", help="The file to write; it must not be there yet."),
    documents: list[str] = typer.Option([], "--documents", help="Only about this document; repeat it for several."),
    count: int | None = typer.Option(None, "--count", min=0, help="How many; default: 20, or 0 with --feedback."),
    feedback: Path | None = typer.Option(None, "--feedback", help="JSON lines: question, quotes, value (1 or -1)."),
    yes: bool = typer.Option(False, "--yes", help="Pay for it without asking."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """Draft questions for evaluate, with the words that answer them. Read them before you trust them."""
    from ..evaluation.feedback import load_feedback

    wanted = count if count is not None else 0 if feedback is not None else USUAL_COUNT
    if not wanted and feedback is None:
        raise typer.BadParameter("--count 0 goes with --feedback only.")
    try:
        asked = load_feedback(feedback) if feedback is not None else []
        if to.exists():
            raise FileInvalid(f"'{to}' is there already; name a new file.")
        if not to.absolute().parent.is_dir():
            raise FileInvalid(f"'{to}' cannot be written; name a file in a folder that is there.")
    except SituateError as error:
        fail(error)

    async def work(indexer: Indexer) -> int:
        everything = [each for each in await indexer.documents(workspace, None) if not each.audience.is_passing]
        some = everything
        if documents:
            named = {await indexer.find(workspace, name) for name in documents}
            some = [each for each in everything if each.id in named]
        if wanted and indexer.settings.anthropic_api_key is None:
            raise SettingsInvalid("Claude drafts the questions: set ANTHROPIC_API_KEY, or give --feedback alone.")
        if not some:
            raise FileInvalid(f"The workspace '{workspace}' has no documents to ask about; add some.")
        lines = await _from_feedback(indexer, workspace, everything, asked)
        try:
            outcome = await _drafted(indexer, workspace, some, wanted, to, lines, yes)
        finally:
            _drop_if_empty(to)
        return _told(to, lines, outcome, as_json)

    run(work)


async def _from_feedback(
    indexer: Indexer, workspace: str, documents: Sequence[Document], asked: list[Asked]
) -> list[dict[str, Any]]:
    from ..evaluation.feedback import lines_from
    from ..evaluation.golden import squeezed

    viewer = Viewer(frozenset(each.audience for each in documents))

    async def stands(quote: str) -> bool:
        hits = await indexer.search(workspace, quote, viewer, limit=20)
        return any(squeezed(quote) in squeezed(hit.chunk.text) for hit in hits)

    return await lines_from(asked, stands)


async def _drafted(
    indexer: Indexer,
    workspace: str,
    documents: Sequence[Document],
    count: int,
    to: Path,
    lines: Sequence[dict[str, Any]],
    yes: bool,
) -> Outcome:
    """Write the file: the lines there are, and then, as they come, those that Claude drafts."""
    from ..evaluation.drafting import Outcome, chosen, draft, drafting_cost

    if not count:
        await asyncio.to_thread(_write_all, to, lines)
        return Outcome()
    from ..claude import open_claude
    from ..prices import load_prices

    settings, prices = indexer.settings, load_prices(indexer.settings.prices_file)
    spread = documents[:: max(1, len(documents) // count)][:count]
    materials = chosen([(each, await _passages(indexer, workspace, each)) for each in spread], count)
    embedder = await indexer.parts.embedder()
    cost = await asyncio.to_thread(drafting_cost, materials, settings, prices, embedder.count)
    known = prices.knows(settings.context_model)
    await agreed_to(cost if known else None, f"Drafting {counted(len(materials), 'question')}", yes)
    await asyncio.to_thread(_write_all, to, lines)
    assert settings.anthropic_api_key is not None  # noqa: S101 - looked at before; this tells the type checker
    async with AsyncExitStack() as stack:
        client = open_claude(
            settings.anthropic_api_key.get_secret_value(), settings.anthropic_base_url, settings.claude_timeout_seconds
        )
        stack.push_async_callback(client.close)
        progress = stack.enter_context(progress_bars())
        file = stack.enter_context(to.open("a", encoding="utf-8"))
        return await draft(
            client,
            materials,
            settings,
            prices,
            indexer.parts.spending,
            workspace,
            write=lambda line: _write(file, line),
            progress=lambda done: progress("Drafting", done, len(materials)),
        )


async def _passages(indexer: Indexer, workspace: str, document: Document) -> list[Passage]:
    return await indexer.passages(workspace, document.version) if document.version is not None else []


def _write_all(to: Path, lines: Sequence[dict[str, Any]]) -> None:
    try:
        with to.open("x", encoding="utf-8") as file:
            for line in lines:
                _write(file, line)
    except OSError as error:
        raise FileInvalid(f"'{to}' cannot be written: {error.strerror}.") from error


def _drop_if_empty(to: Path) -> None:
    """Nothing came of it: the next try may have the name."""
    if to.exists() and not to.stat().st_size:
        to.unlink()


def _write(file: TextIO, line: dict[str, Any]) -> None:
    """One line, on the disk at once: what was paid for is kept, however this ends."""
    file.write(json.dumps(line, ensure_ascii=False) + "\n")
    file.flush()


def _told(to: Path, lines: Sequence[dict[str, Any]], outcome: Outcome, as_json: bool) -> int:
    drafts = sum("draft" in line for line in lines)
    if as_json:
        print_json(
            {
                "from_feedback": len(lines) - drafts,
                "to_finish": drafts,
                "drafted": outcome.written,
                "unusable": outcome.unusable,
                "cost_usd": round(outcome.cost_usd, 6),
                "stopped": outcome.stopped,
            }
        )
    else:
        written = [counted(outcome.written, "question") + " drafted"] if outcome.asked else []
        written += [f"{len(lines) - drafts} from feedback", f"{drafts} to finish by hand"] if lines else []
        written += [f"{outcome.unusable} unusable"] if outcome.unusable else []
        written += [f"${outcome.cost_usd:.4f} paid"] if outcome.cost_usd else []
        out.print(f"{', '.join(written) or 'No questions'}: {shown(str(to))}")
    if outcome.stopped is not None:
        err.print(f"[red]{shown(outcome.stopped)}[/red]")
        return INCOMPLETE
    return DONE
