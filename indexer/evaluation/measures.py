"""What the ranks of golden chunks are worth, by trec_eval's measures through ir-measures.

Identical chunks count as one: whichever comes first is the hit, and another copy of it is a result that does not count,
so that it takes up its rank. For that each result is given a name by the entries that it meets:

- Pass@k: each entry of a question is a topic of its own, whose only relevant name is ``met``; ``Success@k`` of it is 1
  where a result among the first k meets it. The question's Pass@k is the mean over its entries.
- MRR and nDCG@10: results that meet the same entries share a name, worth as many as there are entries.

Say a question has the entries A and B, chunk 4 meets A and its copy 7 too, chunk 9 meets B; found were 1, 7, 4, 9.
Named for A: ``-, met, -, -``; for B: ``-, -, -, met``; for the question: ``-, A, -, B``. Pass@5 is 1, its MRR 1/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.errors import SettingsInvalid
from indexer.evaluation.golden import Golden

CUTS = (5, 10, 20)
MEASURES = (*(f"pass@{cut}" for cut in CUTS), "mrr", "ndcg@10")

Values = NDArray[np.float64]  # one a question
Names = dict[str, dict[str, float]]  # topic → name → score
Relevant = dict[str, dict[str, int]]  # topic → name → worth

_NO_LIBRARY = (
    "Measuring needs the package ir-measures, which is not installed: there is no ready-made build of it for every "
    "machine; run 'evaluate' on x86-64 or on a Mac, or install it with a C compiler."
)


def measured(golden: Sequence[Golden], ranked: Sequence[Sequence[int]]) -> dict[str, Values]:
    """Each measure for each question. ``ranked`` are the chunks that were found, best first, none twice."""
    library = load_library()
    entries, found_by_entry = _by_entry(golden, ranked)
    passed = _calculated([library.Success @ cut for cut in CUTS], entries, found_by_entry)
    questions, found_by_question = _by_question(golden, ranked)
    whole = _calculated([library.RR, library.nDCG @ 10], questions, found_by_question)
    values = {
        name: np.array(
            [
                np.mean([passed[str(measure)][_entry(number, entry)] for entry in range(len(wanted))])
                for number, wanted in enumerate(golden)
            ]
        )
        for name, measure in zip(MEASURES, [library.Success @ cut for cut in CUTS], strict=False)
    }
    for name, measure in (("mrr", library.RR), ("ndcg@10", library.nDCG @ 10)):
        values[name] = np.array([whole[str(measure)][str(number)] for number in range(len(golden))])
    return values


def load_library() -> Any:
    """ir-measures, which takes a moment to load. Raises SettingsInvalid where it is not installed."""
    try:
        import ir_measures
    except ImportError as error:
        raise SettingsInvalid(_NO_LIBRARY) from error
    return ir_measures


def _by_entry(golden: Sequence[Golden], ranked: Sequence[Sequence[int]]) -> tuple[Relevant, Names]:
    relevant: Relevant = {}
    found: Names = {}
    for number, (wanted, results) in enumerate(zip(golden, ranked, strict=True)):
        for entry, meeting in enumerate(wanted):
            topic = _entry(number, entry)
            relevant[topic] = {"met": 1}
            found[topic] = _scored(["met" if chunk in meeting else "" for chunk in results])
    return relevant, found


def _by_question(golden: Sequence[Golden], ranked: Sequence[Sequence[int]]) -> tuple[Relevant, Names]:
    relevant: Relevant = {}
    found: Names = {}
    for number, (wanted, results) in enumerate(zip(golden, ranked, strict=True)):
        met: dict[int, list[str]] = {}
        for entry, meeting in enumerate(wanted):
            for chunk in meeting:
                met.setdefault(chunk, []).append(str(entry))
        relevant[str(number)] = {"+".join(entries): len(entries) for entries in met.values()}
        found[str(number)] = _scored(["+".join(met.get(chunk, ())) for chunk in results])
    return relevant, found


def _scored(names: Sequence[str]) -> dict[str, float]:
    """Results by name with falling scores; what has no name, or one that came before, is named by its rank."""
    scored: dict[str, float] = {}
    for rank, name in enumerate(names):
        scored[name if name and name not in scored else f"rank {rank}"] = -float(rank)
    return scored


def _entry(number: int, entry: int) -> str:
    return f"{number}.{entry}"


def _calculated(measures: Sequence[Any], relevant: Relevant, found: Names) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = {}
    for metric in load_library().iter_calc(list(measures), relevant, found):
        values.setdefault(str(metric.measure), {})[metric.query_id] = float(metric.value)
    return values
