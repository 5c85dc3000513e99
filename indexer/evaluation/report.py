"""The report of a run: one HTML file with its plots in it, for light and dark, that fetches nothing."""

from __future__ import annotations

import html
from collections.abc import Iterator

from indexer.evaluation.changes import AFTER, BEFORE, Change
from indexer.evaluation.figures import Figures
from indexer.evaluation.intervals import Estimate
from indexer.evaluation.measures import CUTS, MEASURES
from indexer.evaluation.page import STYLE
from indexer.evaluation.plots import Row, interval_panels, time_bars
from indexer.evaluation.running import Evaluation
from indexer.evaluation.systems import DEEPEST
from indexer.evaluation.tables import HEADINGS, context_of, percent, points, rank_told, ranks_told, shortened
from indexer.reading.sanitising import visible

_PASSES = [f"pass@{cut}" for cut in CUTS]


def report_html(evaluation: Evaluation, figures: Figures) -> str:
    """The page. Whatever came from documents and questions is escaped, and shown without what nobody sees."""
    parts = [
        "<h1>How well searches find what the questions name</h1>",
        f"<p>{_asked(evaluation)}</p>",
        "<h2>Found among the first 5, 10, 20</h2>",
        "<p>Pass@k: the share of what a question wants that is among the first k results, as the mean over the "
        "questions. Dots are means, lines their 95 % intervals by bootstrap over the questions.</p>",
        _passes(evaluation, figures),
        _figures_table(evaluation, figures),
        *_gains(evaluation, figures),
        "<h2>How long a search takes</h2>",
        "<p>The question’s embedding included, one search at a time.</p>",
        _times(evaluation, figures),
        *_changes(evaluation, figures),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>Evaluation</title>\n<style>{STYLE}</style>\n'
        "</head>\n<body>\n<main>\n" + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"
    )


def _asked(evaluation: Evaluation) -> str:
    corpus = evaluation.corpus
    reranker = f", reranker {_text(evaluation.reranker)}" if evaluation.reranker else ""
    return (
        f"{len(evaluation.questions)} questions, {len(corpus.documents)} documents, {len(corpus)} chunks; embedder "
        f"{_text(evaluation.embedder)}{reranker}, α {evaluation.alpha:g}."
    )


def _passes(evaluation: Evaluation, figures: Figures) -> str:
    rows = [
        Row(system, _kind(evaluation, system), [measures[name] for name in _PASSES])
        for system, measures in figures.measures.items()
    ]
    return _plot(interval_panels(rows, [HEADINGS[name] for name in _PASSES], _share, title="Pass@5, 10 and 20"))


def _gains(evaluation: Evaluation, figures: Figures) -> Iterator[str]:
    if not figures.gains:
        return
    yield f"<h2>Gained over {BEFORE}</h2>"
    yield (
        "<p>In points, question by question on the same draws. Where the line does not touch zero, the choice of "
        "questions does not explain the gain.</p>"
    )
    rows = [
        Row(system, _kind(evaluation, system), [gains[name] for name in _PASSES])
        for system, gains in figures.gains.items()
    ]
    headings = [HEADINGS[name] for name in _PASSES]
    yield _plot(interval_panels(rows, headings, lambda gain: points(gain, 0), zero=True, title=f"Gain over {BEFORE}"))


def _times(evaluation: Evaluation, figures: Figures) -> str:
    rows = [
        (system, _kind(evaluation, system), times["ms_p50"], times["ms_p95"]) for system, times in figures.times.items()
    ]
    return _plot(time_bars(rows, title="Milliseconds a search"))


def _figures_table(evaluation: Evaluation, figures: Figures) -> str:
    heads = "".join(f"<th>{HEADINGS[name]}</th>" for name in MEASURES)
    rows = []
    for system, measures in figures.measures.items():
        cells = "".join(f"<td>{percent(each.mean)}<small>{_interval(each)}</small></td>" for each in measures.values())
        rows.append(f'<tr><th class="{_kind(evaluation, system)}">{_text(system)}</th>{cells}</tr>')
    return f'<div class="wide"><table><tr><th>System</th>{heads}</tr>{"".join(rows)}</table></div>'


def _changes(evaluation: Evaluation, figures: Figures) -> Iterator[str]:
    if not figures.changes:
        return
    won = [change for change in figures.changes if change.is_won]
    lost = [change for change in figures.changes if change.is_lost]
    yield "<h2>What contexts changed</h2>"
    yield (
        f"<p>{AFTER} against {BEFORE}: {len(won)} questions won, {len(lost)} lost, of {len(evaluation.questions)}. The "
        f"least of 5, 10 and 20 at which Pass@k differs decides. Ranks: before → after, – where it was not among the "
        f"first {DEEPEST}.</p>"
    )
    for heading, some, is_open in (
        (f"Won ({len(won)})", won, True),
        (f"Lost ({len(lost)})", lost, True),
        ("All others", [each for each in figures.changes if each.at is None], False),
    ):
        inside = "\n".join(_question(evaluation, change) for change in some)
        if is_open:
            yield f"<h3>{heading}</h3>\n{inside}"
        elif inside:
            yield f"<details><summary>{heading} ({len(some)})</summary>\n{inside}</details>"


def _question(evaluation: Evaluation, change: Change) -> str:
    question = evaluation.questions[change.index]
    kind = "won" if change.is_won else "lost" if change.is_lost else "same"
    entries = "".join(_entry(evaluation, change, number) for number in range(len(change.entries)))
    quotes = "".join(f"<blockquote>{_text(quote)}</blockquote>" for quote in question.quotes)
    return (
        f'<details class="question"><summary><span class="{kind}">{ranks_told(change)}</span> {_text(question.query)} '
        f"<small>line {question.number}</small></summary>{quotes}{entries}</details>"
    )


def _entry(evaluation: Evaluation, change: Change, number: int) -> str:
    entry = change.entries[number]
    document, position = evaluation.corpus.at(entry.chunk)
    context = context_of(evaluation, entry.chunk)
    situated = f'<p class="context">{_text(context)}</p>' if context else ""
    return (
        f"<p><b>{_text(document.shown)}</b> › {_text(document.ids[position])}<br>{BEFORE}: {rank_told(entry.before)}; "
        f"{AFTER}: {rank_told(entry.after)}</p>{situated}<pre>{_text(shortened(document.chunks[position].text))}</pre>"
    )


def _kind(evaluation: Evaluation, system: str) -> str:
    return evaluation.results[system].system.variant


def _plot(svg: str) -> str:
    return f'<div class="wide">{svg}</div>'


def _share(value: float) -> str:
    return f"{100 * value:.0f}"


def _interval(estimate: Estimate) -> str:
    return f"{_share(estimate.low)}–{_share(estimate.high)}"


def _text(text: str) -> str:
    return html.escape(visible(text))
