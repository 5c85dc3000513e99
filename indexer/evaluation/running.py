"""A run from the corpus to the figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from indexer.documents import WORKSPACE, VersionId
from indexer.embedding import Embedder
from indexer.evaluation.corpus import Corpus
from indexer.evaluation.files import Question
from indexer.evaluation.golden import Golden
from indexer.evaluation.indexing import (
    Account,
    Contexts,
    contexts_of,
    index,
    lacking,
    number_of,
    situated,
)
from indexer.evaluation.measures import Values, load_library, measured
from indexer.evaluation.systems import Found, Reranker, Searcher, System
from indexer.evaluation.tenants import temporary_workspaces
from indexer.examining import contexts_cost
from indexer.kept import PaidAnswerRows
from indexer.opening import contextualizers
from indexer.parts import Parts
from indexer.prices import load_prices
from indexer.settings import IndexerSettings
from indexer.structural import StructuralContextualizer

if TYPE_CHECKING:
    from indexer.contextualizer import Contextualizer


class Progress(Protocol):
    """Told what a run does, and how far it is."""

    def __call__(self, doing: str, done: int, of: int, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Result:
    """What one system came to: each measure and the milliseconds by question, and the chunks found, best first."""

    system: System
    values: dict[str, Values]
    milliseconds: Values
    ranked: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A run: what was asked of what, and what each system came to. ``contexts`` are those of contextual systems.

    ``reranker`` is the model that judged for one of the systems; None where none had one.
    """

    corpus: Corpus
    questions: tuple[Question, ...]
    golden: tuple[Golden, ...]
    contexts: Contexts
    results: dict[str, Result]
    embedder: str
    alpha: float
    cost_usd: float = 0.0
    failures: tuple[str, ...] = ()  # a reason for each context that could not be had
    cut_passages: int = 0
    reranker: str | None = None


async def estimate(parts: Parts, corpus: Corpus) -> float | None:
    """US dollars that the contexts may cost which the corpus came without; None where the price is not known.

    0.0 without a key.
    """
    settings = parts.settings
    if settings.anthropic_api_key is None or not lacking(corpus):
        return 0.0
    if not load_prices(settings.prices_file).knows(settings.context_model):
        return None
    paid, count = PaidAnswerRows(parts.database, VersionId("")), (await parts.embedder()).count
    cost = 0.0
    for each in lacking(corpus):
        cost += await contexts_cost(each.title, each.extracted, each.chunks, paid, settings, count)
    return cost


async def evaluate(
    parts: Parts,
    corpus: Corpus,
    questions: Sequence[Question],
    golden: Sequence[Golden],
    systems: Sequence[System],
    *,
    workspace: str,
    reranker: Reranker | None = None,
    progress: Progress,
) -> Evaluation:
    """Index the corpus as the systems need it, ask each of them every question, and measure.

    Contexts that have to be paid are paid on the account of ``workspace``. The index is in workspaces of its own, which
    are dropped however this ends. Raises Unavailable, StoreFailed and SettingsInvalid.
    """
    load_library()  # said before anything is done
    settings, embedder = parts.settings, await parts.embedder()
    store = (await parts.connect()).store
    variants = list(dict.fromkeys(system.variant for system in systems))
    contexts: Contexts = []
    cost, cut = 0.0, 0
    failures: tuple[str, ...] = ()
    if "contextual" in variants:
        async with AsyncExitStack() as stack:
            contextualizer = _contextualizer(parts, settings, embedder, workspace, stack)
            made = await situated(corpus, contextualizer, lambda done: progress("Situating", done, len(corpus)))
        contexts, cost, failures = made.contexts, made.usage.cost_usd, made.failures
    async with temporary_workspaces(store, settings.data_dir / "evaluation") as names:
        for variant in variants:
            of = len(corpus) * (1 if variant == "plain" else 2)
            cut += await index(
                variant,
                corpus,
                contexts_of(variant, corpus, contexts, settings.context_max_tokens, embedder),
                store,
                embedder,
                names(variant),
                _telling(progress, f"Embedding ({variant})", of),
            )
        searcher = Searcher(store, embedder, settings, names, reranker)
        results = {}
        for system in systems:
            found = await _asked(searcher, system, questions, progress)
            results[system.name] = _result(system, corpus, golden, found)
    return Evaluation(
        corpus=corpus,
        questions=tuple(questions),
        golden=tuple(golden),
        contexts=contexts,
        results=results,
        embedder=embedder.name,
        alpha=settings.search_alpha,
        cost_usd=cost,
        failures=failures,
        cut_passages=cut,
        reranker=reranker.name if reranker is not None and any(system.reranked for system in systems) else None,
    )


def _telling(progress: Progress, doing: str, of: int) -> Callable[[int], None]:
    return lambda done: progress(doing, done, of)


def _contextualizer(
    parts: Parts, settings: IndexerSettings, embedder: Embedder, workspace: str, stack: AsyncExitStack
) -> StructuralContextualizer | Contextualizer:
    account = Account(PaidAnswerRows(parts.database, VersionId("")), parts.spending, workspace)
    return contextualizers(settings, embedder.count, stack)(account, WORKSPACE)


async def _asked(searcher: Searcher, system: System, questions: Sequence[Question], progress: Progress) -> list[Found]:
    """What a system finds for each question, one after the other; a first search warms it up and is not timed."""
    await searcher.search(system, questions[0].query)
    found = []
    for number, question in enumerate(questions, 1):
        found.append(await searcher.search(system, question.query))
        progress(f"Asking {system.name}", number, len(questions))
    return found


def _result(system: System, corpus: Corpus, golden: Sequence[Golden], found: Sequence[Found]) -> Result:
    ranked = tuple(
        tuple(corpus.number(number_of(document), position) for document, position in each.keys) for each in found
    )
    times = np.array([each.milliseconds for each in found])
    return Result(system, measured(golden, ranked), times, ranked)
