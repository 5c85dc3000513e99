"""The figures of a run, with their intervals, and all of it as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from indexer.evaluation.changes import AFTER, BEFORE, Change, changes
from indexer.evaluation.intervals import SEED, Bootstrap, Estimate
from indexer.evaluation.measures import MEASURES
from indexer.evaluation.running import Evaluation

TIMES = ("ms_p50", "ms_p95")
FIGURES = (*MEASURES, *TIMES)


@dataclass(frozen=True, slots=True)
class Figures:
    """By system: each measure with its interval, milliseconds, and what it gains over ``plain_hybrid``.

    ``gains`` has no entry for ``plain_hybrid`` itself, and none at all where that was not run.
    """

    measures: dict[str, dict[str, Estimate]]
    times: dict[str, dict[str, float]]
    gains: dict[str, dict[str, Estimate]]
    changes: list[Change]

    @property
    def values(self) -> dict[str, dict[str, float]]:
        """The bare figures: ``{"plain_vector": {"pass@5": 0.747, …, "ms_p50": 12.1, …}, …}``."""
        return {
            system: {name: estimate.mean for name, estimate in measures.items()} | self.times[system]
            for system, measures in self.measures.items()
        }


def figures_of(evaluation: Evaluation) -> Figures:
    """Work out all figures. CPU work, a second at most."""
    bootstrap = Bootstrap(len(evaluation.questions))
    measures, times, gains = {}, {}, {}
    base = evaluation.results.get(BEFORE)
    for name, result in evaluation.results.items():
        measures[name] = {measure: bootstrap.mean(result.values[measure]) for measure in MEASURES}
        middle, high = np.quantile(result.milliseconds, (0.5, 0.95))
        times[name] = {"ms_p50": float(middle), "ms_p95": float(high)}
        if base is not None and name != BEFORE:
            gains[name] = {
                measure: bootstrap.gain(result.values[measure], base.values[measure]) for measure in MEASURES
            }
    return Figures(measures, times, gains, changes(evaluation))


def as_json(evaluation: Evaluation, figures: Figures) -> dict[str, Any]:
    """What ``evaluate --json`` prints. Intervals are ``[low, high]``; a gain is ``[gain, low, high]``."""
    return {
        "systems": {
            system: {name: round(value, 2 if name in TIMES else 6) for name, value in values.items()}
            for system, values in figures.values.items()
        },
        "intervals": {
            system: {name: [round(each.low, 6), round(each.high, 6)] for name, each in measures.items()}
            for system, measures in figures.measures.items()
        },
        f"gains_over_{BEFORE}": {
            system: {
                name: [round(each.mean, 6), round(each.low, 6), round(each.high, 6)] for name, each in gains.items()
            }
            for system, gains in figures.gains.items()
        },
        "won": [_change_json(evaluation, each) for each in figures.changes if each.is_won],
        "lost": [_change_json(evaluation, each) for each in figures.changes if each.is_lost],
        "questions": len(evaluation.questions),
        "documents": len(evaluation.corpus.documents),
        "chunks": len(evaluation.corpus),
        "embedder": evaluation.embedder,
        "reranker": evaluation.reranker,
        "alpha": evaluation.alpha,
        "seed": SEED,
        "cost_usd": round(evaluation.cost_usd, 6),
        "failed_contexts": len(evaluation.failures),
    }


def _change_json(evaluation: Evaluation, change: Change) -> dict[str, Any]:
    question = evaluation.questions[change.index]
    return {
        "question": question.number,
        "query": question.query,
        "at": change.at,
        BEFORE: [entry.before for entry in change.entries],
        AFTER: [entry.after for entry in change.entries],
    }
