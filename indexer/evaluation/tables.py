"""The figures on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.markup import escape
from rich.table import Table

from indexer.evaluation.changes import AFTER, BEFORE, Change
from indexer.evaluation.figures import Figures
from indexer.evaluation.intervals import Estimate
from indexer.evaluation.measures import MEASURES
from indexer.evaluation.running import Evaluation
from indexer.evaluation.systems import DEEPEST
from indexer.reading.sanitising import visible

HEADINGS = {"pass@5": "Pass@5", "pass@10": "Pass@10", "pass@20": "Pass@20", "mrr": "MRR", "ndcg@10": "nDCG@10"}
_MOST_LISTED = 12
_SHOWN_CHARACTERS = 1_200


def figures_table(figures: Figures) -> Table:
    """Each system's figures in per cent with their intervals, and the milliseconds of a search, p50 over p95."""
    table = _table("System", *(HEADINGS[name] for name in MEASURES), "ms")
    for system, measures in figures.measures.items():
        best = {name for name in MEASURES if _is_best(figures, system, name)}
        cells = [_bold(percent(each.mean), name in best) + _interval(each) for name, each in measures.items()]
        times = figures.times[system]
        table.add_row(escape(system), *cells, f"{times['ms_p50']:.0f}\n[dim]{times['ms_p95']:.0f}[/dim]")
    return table


def gains_table(figures: Figures) -> Table:
    """What each system gains over ``plain_hybrid``, in points; in bold where the interval excludes zero."""
    table = _table("Gain in points", *(HEADINGS[name] for name in MEASURES))
    for system, gains in figures.gains.items():
        cells = [_bold(points(each.mean), each.excludes_zero) + _interval(each, signed=True) for each in gains.values()]
        table.add_row(escape(system), *cells)
    return table


def changes_lines(evaluation: Evaluation, figures: Figures) -> Iterator[str]:
    """The questions that contexts won and lost, with the ranks before and after; in rich's markup."""
    for what, found in (
        ("won", [change for change in figures.changes if change.is_won]),
        ("lost", [change for change in figures.changes if change.is_lost]),
    ):
        colour = "green" if what == "won" else "red"
        yield f"\n[bold {colour}]{len(found)} of {len(evaluation.questions)} questions {what}[/bold {colour}]"
        for change in found[:_MOST_LISTED]:
            question = evaluation.questions[change.index]
            yield f"{question.number:>5}  {ranks_told(change)}  {_line(question.query, 70)}"
        if len(found) > _MOST_LISTED:
            yield f"       … and {len(found) - _MOST_LISTED} more: see --report or --json"


def question_lines(evaluation: Evaluation, change: Change) -> Iterator[str]:
    """One question opened: what it wants, at which ranks that was found, and the context that made the difference."""
    question = evaluation.questions[change.index]
    yield f"\n[bold]{question.number}  {_line(question.query, 2_000)}[/bold]"
    for entry in change.entries:
        document, position = evaluation.corpus.at(entry.chunk)
        yield (
            f"[dim]{_line(document.shown, 100)} › {_line(document.ids[position], 60)}: "
            f"{BEFORE} {rank_told(entry.before)}, {AFTER} {rank_told(entry.after)}[/dim]"
        )
        context = context_of(evaluation, entry.chunk)
        if context:
            yield f"[italic dim]{_line(context, 2_000)}[/italic dim]"
        yield escape(shortened(visible(document.chunks[position].text).strip("\n")))


def context_of(evaluation: Evaluation, chunk: int) -> str:
    """The context of a chunk, as contextual systems had it."""
    if not evaluation.contexts:
        return ""
    document, position = evaluation.corpus.place(chunk)
    return evaluation.contexts[document][position].text


def ranks_told(change: Change) -> str:
    """The ranks of all entries before and after: ``"12 → 3, – → 1"``."""
    return ", ".join(f"{entry.before or '–'} → {entry.after or '–'}" for entry in change.entries)


def rank_told(rank: int | None) -> str:
    """A rank in words."""
    return f"rank {rank}" if rank is not None else f"not among the first {DEEPEST}"


def percent(share: float) -> str:
    """``0.7471`` → ``"74.7"``."""
    return f"{100 * share:.1f}"


def points(gain: float, decimals: int = 1) -> str:
    """``0.0512`` → ``"+5.1"``; nothing gained has no sign."""
    told = f"{100 * gain:+.{decimals}f}"
    return told.replace("-", "−") if told.strip("+-0.") else told[1:]


def shortened(text: str) -> str:
    """A text that is not too long to be looked at."""
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]} …"


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column(headings[0], no_wrap=True)
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _is_best(figures: Figures, system: str, name: str) -> bool:
    best = max(round(measures[name].mean, 3) for measures in figures.measures.values())
    return round(figures.measures[system][name].mean, 3) == best


def _bold(text: str, is_bold: bool) -> str:
    return f"[bold]{text}[/bold]" if is_bold else text


def _interval(estimate: Estimate, *, signed: bool = False) -> str:
    if signed:
        return f"\n[dim]{points(estimate.low, 0)} {points(estimate.high, 0)}[/dim]"
    return f"\n[dim]{100 * estimate.low:.0f}–{100 * estimate.high:.0f}[/dim]"


def _line(text: str, most: int) -> str:
    line = " ".join(visible(text).split())
    return escape(line if len(line) <= most else line[: most - 1] + "…")
