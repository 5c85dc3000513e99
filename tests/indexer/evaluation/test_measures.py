"""Measures and their intervals, against figures that were worked out another way."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from indexer.errors import SettingsInvalid
from indexer.evaluation.golden import Golden
from indexer.evaluation.intervals import Bootstrap
from indexer.evaluation.measures import MEASURES, measured


def entry(*chunks: int) -> frozenset[int]:
    return frozenset(chunks)


def chosen(chance: np.random.Generator, least: int, most: int) -> list[int]:
    """Some of forty chunks, in some order."""
    return [int(each) for each in chance.permutation(40)[: chance.integers(least, most + 1)]]


def passed(wanted: Golden, found: list[int], cut: int) -> float:
    """Pass@k as it is defined: the share of entries with a chunk among the first k."""
    return sum(bool(each & set(found[:cut])) for each in wanted) / len(wanted)


def test_the_worked_example_comes_out() -> None:
    """A is met by chunks 4 and 7, B by 9; found were 1, 7, 4, 9."""
    values = measured([(entry(4, 7), entry(9))], [[1, 7, 4, 9]])
    assert {name: each.tolist() for name, each in values.items() if name != "ndcg@10"} == {
        "pass@5": [1.0],
        "pass@10": [1.0],
        "pass@20": [1.0],
        "mrr": [0.5],
    }
    ideal = 1 + 1 / math.log2(3)
    assert values["ndcg@10"][0] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


def test_identical_chunks_count_once_and_take_up_their_ranks() -> None:
    five_copies = [(entry(0, 1, 2, 3, 4), entry(9))]
    values = measured(five_copies, [[0, 1, 2, 3, 4, 9]])
    assert values["pass@5"][0] == 0.5
    assert values["pass@10"][0] == 1.0


def test_one_chunk_may_meet_several_entries_at_once() -> None:
    values = measured([(entry(3), entry(3), entry(5))], [[3, 8]])
    assert values["pass@5"][0] == pytest.approx(2 / 3)
    assert values["mrr"][0] == 1.0
    assert 0 < values["ndcg@10"][0] < 1


def test_nothing_found_is_zero_and_everything_first_is_one() -> None:
    values = measured([(entry(1),), (entry(2), entry(3))], [[], [3, 2]])
    assert set(values) == set(MEASURES)
    for each in values.values():
        assert each.tolist() == [0.0, 1.0]


def test_pass_at_k_is_the_share_of_entries_met_in_random_cases() -> None:
    chance = np.random.default_rng(7)
    golden: list[Golden] = []
    ranked = []
    for _ in range(200):
        golden.append(tuple(entry(*chosen(chance, 1, 3)) for _ in range(int(chance.integers(1, 5)))))
        ranked.append(chosen(chance, 0, 20))
    values = measured(golden, ranked)
    for cut in (5, 10, 20):
        wanted = [passed(*each, cut) for each in zip(golden, ranked, strict=True)]
        assert values[f"pass@{cut}"].tolist() == pytest.approx(wanted)
    firsts = [
        next((1 / rank for rank, chunk in enumerate(found, 1) if any(chunk in each for each in wanted)), 0.0)
        for wanted, found in zip(golden, ranked, strict=True)
    ]
    assert values["mrr"].tolist() == pytest.approx(firsts)


def test_a_machine_without_the_library_is_told_so_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(SettingsInvalid, match="ir-measures"):
        measured([(entry(1),)], [[1]])


def test_an_interval_is_as_wide_as_theory_says_and_the_same_again() -> None:
    values = np.array([1.0] * 80 + [0.0] * 20)
    estimate = Bootstrap(100).mean(values)
    assert estimate.mean == pytest.approx(0.8)
    assert (estimate.low, estimate.high) == pytest.approx((0.8 - 0.0784, 0.8 + 0.0784), abs=0.01)
    assert Bootstrap(100).mean(values) == estimate


def test_a_gain_is_paired_so_that_small_steady_gains_exclude_zero() -> None:
    chance = np.random.default_rng(1)
    before = chance.random(60)
    gain = Bootstrap(60).gain(before + 0.01, before)
    assert (gain.mean, gain.low, gain.high) == pytest.approx((0.01, 0.01, 0.01), abs=1e-5)
    assert gain.excludes_zero
    assert not Bootstrap(60).gain(before[::-1], before).excludes_zero


def test_one_question_has_an_interval_too() -> None:
    estimate = Bootstrap(1).mean([0.5])
    assert (estimate.low, estimate.high) == (0.5, 0.5)
