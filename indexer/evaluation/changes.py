"""What contexts changed: the questions for which they find more than the chunks alone, and those for which less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexer.evaluation.golden import Golden
from indexer.evaluation.measures import CUTS
from indexer.evaluation.running import Evaluation

BEFORE, AFTER = "plain_hybrid", "contextual_hybrid"


@dataclass(frozen=True, slots=True)
class EntryRanks:
    """A golden entry: the chunk that stands for it, and at which rank each system has it; None: not at all."""

    chunk: int
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """A question before and after. ``at`` is the least cut at which Pass@k differs (None: at none), with its values.

    With A and B wanted, A found at 3 and B at 12 before, A at 1 and B at 6 after: ``at`` 10, before ½, after 1.
    """

    index: int
    at: int | None
    before: float
    after: float
    entries: tuple[EntryRanks, ...]

    @property
    def is_won(self) -> bool:
        return self.at is not None and self.after > self.before

    @property
    def is_lost(self) -> bool:
        return self.at is not None and self.after < self.before


def changes(evaluation: Evaluation) -> list[Change]:
    """Every question, in order; none where the two systems were not both asked."""
    if BEFORE not in evaluation.results or AFTER not in evaluation.results:
        return []
    before, after = evaluation.results[BEFORE].ranked, evaluation.results[AFTER].ranked
    found = []
    for index, golden in enumerate(evaluation.golden):
        entries = tuple(_ranks(meeting, before[index], after[index]) for meeting in golden)
        found.append(_change(index, entries))
    return found


def ranks(golden: Golden, ranked: Sequence[int]) -> list[int | None]:
    """The rank of each entry, from 1: that of the first chunk that meets it."""
    return [next((rank for rank, chunk in enumerate(ranked, 1) if chunk in meeting), None) for meeting in golden]


def _ranks(meeting: frozenset[int], before: Sequence[int], after: Sequence[int]) -> EntryRanks:
    ((was,), (now,)) = ranks((meeting,), before), ranks((meeting,), after)
    shown = after[now - 1] if now is not None else before[was - 1] if was is not None else min(meeting)
    return EntryRanks(shown, was, now)


def _change(index: int, entries: tuple[EntryRanks, ...]) -> Change:
    for cut in CUTS:
        was = sum(each.before is not None and each.before <= cut for each in entries) / len(entries)
        now = sum(each.after is not None and each.after <= cut for each in entries) / len(entries)
        if was != now:
            return Change(index, cut, was, now, entries)
    return Change(index, None, was, now, entries)
