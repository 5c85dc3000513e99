"""``evaluate``: how well searches find what questions say they should."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from ..errors import FileInvalid, SettingsInvalid, SituateError
from ..library import Indexer
from .common import (
    DONE,
    INCOMPLETE,
    JsonOption,
    WorkspaceOption,
    counted,
    err,
    fail,
    out,
    print_json,
    read_settings,
    run,
    shown,
    steady_lines,
    tell,
)

if TYPE_CHECKING:  # numpy and the database's client take a moment to load, and `--help` needs neither
    from ..evaluation.corpus import Corpus
    from ..evaluation.figures import Figures
    from ..evaluation.files import GivenDocument, Questions
    from ..evaluation.gates import Gate
    from ..evaluation.running import Evaluation
    from ..evaluation.running import Progress as Telling
    from ..evaluation.systems import Reranker, System

app = typer.Typer()


@dataclass(frozen=True, slots=True)
class Plan:
    """What was asked for, read and found to be right. ``given`` None: the workspace's own documents."""

    given: tuple[GivenDocument, ...] | None
    questions: Questions
    systems: tuple[System, ...]
    gates: tuple[Gate, ...]
    reranker: Reranker | None


@app.command()
def evaluate(
    questions: Path = typer.Option(..., "--questions", help="JSON lines: query, and golden or quotes."),
    corpus: Path | None = typer.Option(
        None, "--corpus", help="JSON lines: document, and chunks or text. Default: the workspace's documents."
    ),
    systems: list[str] = typer.Option([], "--systems", help="Only these, with commas; default: all."),
    report: Path | None = typer.Option(None, "--report", help="Also write a report with plots: one HTML file."),
    gate: list[str] = typer.Option([], "--gate", help="SYSTEM.FIGURE>=NUMBER; exit code 1 where it fails. Repeat it."),
    show: list[int] = typer.Option([], "--show", help="Open this question, by its line; repeat it for several."),
    yes: bool = typer.Option(False, "--yes", help="Pay for missing contexts without asking."),
    workspace: str = WorkspaceOption,
    as_json: bool = JsonOption,
) -> None:
    """Measure how well searches find what the questions name, with contexts and without."""
    try:
        plan = _planned(questions, corpus, systems, gate, show, report)
    except SituateError as error:
        fail(error)

    async def work(indexer: Indexer) -> int:
        from ..evaluation.figures import as_json as figures_json
        from ..evaluation.figures import figures_of

        with progress_bars() as progress:
            evaluation = await _evaluated(indexer, plan, questions.name, workspace, yes, progress)
            figures = await asyncio.to_thread(figures_of, evaluation)
        if as_json:
            print_json(figures_json(evaluation, figures))
        else:
            _print(evaluation, figures, show)
        if report is not None:
            await asyncio.to_thread(_write_report, report, evaluation, figures)
        values = figures.values
        failures = [failure for each in plan.gates if (failure := each.failure(values))]
        if plan.gates and evaluation.failures:
            failures.append("Contexts are missing, so what the gates judge is not what they name. Evaluate again.")
        for failure in failures:
            err.print(f"[red]{shown(failure)}[/red]")
        return INCOMPLETE if failures else DONE

    run(work)


def _planned(
    questions: Path,
    corpus: Path | None,
    systems: Sequence[str],
    gates: Sequence[str],
    show: Sequence[int],
    report: Path | None,
) -> Plan:
    """Read everything that was named before anything is opened. Raises FileInvalid and SettingsInvalid."""
    from ..evaluation.changes import AFTER, BEFORE
    from ..evaluation.files import load_corpus, load_questions
    from ..evaluation.gates import parse_gate
    from ..evaluation.measures import load_library
    from ..evaluation.reranking import open_reranker
    from ..evaluation.systems import known_systems

    reranker = open_reranker(read_settings())
    known = known_systems(reranker)
    names = list(dict.fromkeys(name.strip() for each in systems for name in each.split(",") if name.strip()))
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"there is no system '{name}'; there are {', '.join(known)}.")
    chosen = tuple(known[name] for name in names or known)
    try:
        parsed = tuple(parse_gate(each, [system.name for system in chosen]) for each in gates)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if show and not {BEFORE, AFTER} <= {system.name for system in chosen}:
        raise typer.BadParameter(f"--show compares {BEFORE} with {AFTER}: name both in --systems.")
    load_library()
    loaded = load_questions(questions)
    unknown = sorted(set(show) - {each.number for each in loaded.questions})
    if unknown:
        raise typer.BadParameter(f"line {unknown[0]} of {questions.name} has no question to show.")
    if report is not None and (report.is_dir() or not report.absolute().parent.is_dir()):
        raise FileInvalid(f"'{report}' cannot be written; name a file in a folder that is there.")
    return Plan(load_corpus(corpus) if corpus is not None else None, loaded, chosen, parsed, reranker)


async def _evaluated(
    indexer: Indexer, plan: Plan, file: str, workspace: str, yes: bool, progress: Telling
) -> Evaluation:
    from ..evaluation import running
    from ..evaluation.golden import golden_chunks

    corpus = await _corpus(indexer, plan, workspace, progress)
    if plan.questions.drafts:
        tell(f"{counted(plan.questions.drafts, 'draft')} left out: finish them in {file}.")
    golden = golden_chunks(plan.questions.questions, corpus, file)
    if any(system.variant == "contextual" for system in plan.systems):
        await agreed_to(await running.estimate(indexer.parts, corpus), "The contexts of this corpus", yes)
    evaluation = await running.evaluate(
        indexer.parts,
        corpus,
        plan.questions.questions,
        golden,
        plan.systems,
        workspace=workspace,
        reranker=plan.reranker,
        progress=progress,
    )
    if evaluation.failures:
        failed = counted(len(evaluation.failures), "context")
        tell(f"{failed} could not be had; structural ones stood in for them. {evaluation.failures[0]}")
    if evaluation.cut_passages:
        tell(f"{counted(evaluation.cut_passages, 'passage')} too long for the embedder, which read their beginning.")
    return evaluation


async def _corpus(indexer: Indexer, plan: Plan, workspace: str, progress: Telling) -> Corpus:
    from ..evaluation.corpus import Corpus, read_corpus, stored_document

    if plan.given is not None:
        given, embedder = plan.given, await indexer.parts.embedder()
        return await read_corpus(given, indexer.settings, embedder, lambda done: progress("Reading", done, len(given)))
    documents = [each for each in await indexer.documents(workspace, None) if not each.audience.is_passing]
    read = []
    for number, each in enumerate(documents, 1):
        if each.version is not None:
            passages = await indexer.passages(workspace, each.version)
            if passages:
                read.append(stored_document(each, passages))
        progress("Reading", number, len(documents))
    if not read:
        raise FileInvalid(f"The workspace '{workspace}' has no documents; add some, or name a --corpus.")
    return Corpus(tuple(read))


async def agreed_to(cost_usd: float | None, what: str, yes: bool) -> None:
    """Ask a person before something is paid; None: how much is not known.

    Raises SettingsInvalid where nobody is there, or they say no.
    """
    if cost_usd == 0 or yes:
        return
    amount = f"may cost up to ${cost_usd:.4f}" if cost_usd is not None else "costs what PRICES_FILE does not say"
    sentence = f"{what} {amount}."
    if not (sys.stdin.isatty() and err.is_terminal):
        raise SettingsInvalid(f"{sentence} Say --yes to pay that.")
    err.print(f"{shown(sentence)} Go on? (y/n) ", end="")
    if (await _typed_line()).strip().lower() not in ("y", "yes"):
        raise SettingsInvalid("Nothing was paid.")


async def _typed_line() -> str:
    """What a person types. Waits without a thread: one that reads could not be interrupted."""
    ready = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()


@contextmanager
def progress_bars() -> Iterator[Telling]:
    """Bars on a terminal, else a line every few seconds; on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}
        quiet = steady_lines()

        def progress(doing: str, done: int, of: int) -> None:
            if doing not in tasks:
                tasks[doing] = bars.add_task(doing, total=of)
            bars.update(tasks[doing], completed=done)
            quiet(f"{doing}: {done} of {of}")

        yield progress


def _print(evaluation: Evaluation, figures: Figures, show: Sequence[int]) -> None:
    from ..evaluation import tables

    documents = counted(len(evaluation.corpus.documents), "document")
    chunks, asked = counted(len(evaluation.corpus), "chunk"), counted(len(evaluation.questions), "question")
    out.print(f"{asked} to {documents}, {chunks}. In per cent, 95 % intervals below; ms: p50, p95 below.\n")
    out.print(tables.figures_table(figures))
    if figures.gains:
        out.print("Over plain_hybrid, in bold where the interval excludes zero:\n")
        out.print(tables.gains_table(figures))
    if figures.changes:
        for line in tables.changes_lines(evaluation, figures):
            out.print(line)
    if evaluation.cost_usd:
        out.print(f"\n${evaluation.cost_usd:.4f} paid for contexts.")
    by_line = {evaluation.questions[each.index].number: each for each in figures.changes}
    for number in show:
        for line in tables.question_lines(evaluation, by_line[number]):
            out.print(line)


def _write_report(path: Path, evaluation: Evaluation, figures: Figures) -> None:
    from ..evaluation.report import report_html

    try:
        path.write_text(report_html(evaluation, figures), "utf-8")
    except OSError as error:
        raise FileInvalid(f"'{path}' cannot be written: {error.strerror}.") from error
    tell(f"The report is in {path}.")
