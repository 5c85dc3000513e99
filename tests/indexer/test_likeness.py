"""How alike two texts are, from their signatures."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.likeness import LONGEST, likeness, signature_of, words_of

WORDS = [f"word{number}" for number in range(3_000)]


def shingles(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}


def shares(one: list[str], other: list[str]) -> float:
    """The likeness that is estimated, worked out from all shingles."""
    return len(shingles(one) & shingles(other)) / len(shingles(one) | shingles(other))


def test_the_worked_example() -> None:
    one, other = signature_of("a b c d e f g"), signature_of("a b c d e f X")
    assert (len(one), len(other), likeness(one, other)) == (3, 3, 0.5)


@pytest.mark.parametrize("changed", [0, 1, 5, 20, 60, 400])
def test_the_estimate_is_near_the_share_of_common_shingles(changed: int) -> None:
    chance = random.Random(changed)  # noqa: S311 - the same texts each time, nothing secret
    words = [chance.choice(WORDS) for _ in range(4_000)]
    other = list(words)
    for at in chance.sample(range(len(words)), changed):
        other[at] = "changed"
    estimate = likeness(signature_of(" ".join(words)), signature_of(" ".join(other)))
    assert estimate == pytest.approx(shares(words, other), abs=0.12)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from("abcdefgh"), min_size=5, max_size=60), st.data())
def test_of_short_texts_the_likeness_is_exact(words: list[str], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=5, max_size=60))
    estimate = likeness(signature_of(" ".join(words)), signature_of(" ".join(other)))
    assert estimate == pytest.approx(shares(words, other))


@settings(deadline=None)
@given(st.text(), st.text())
def test_likeness_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    first, second = signature_of(one), signature_of(other)
    assert len(first) <= LONGEST
    assert list(first) == sorted(set(first))
    assert 0 <= likeness(first, second) <= 1
    assert likeness(first, second) == likeness(second, first)
    assert likeness(first, first) == (1 if first else 0)


def test_case_marks_and_spaces_do_not_matter() -> None:
    assert signature_of("Hotels cost at most 120 €.") == signature_of("hotels_COST,\n\nat   most (120)")


def test_one_number_of_a_page_leaves_it_nearly_the_same_and_another_page_is_another() -> None:
    chance = random.Random(7)  # noqa: S311 - the same texts each time, nothing secret
    page = " ".join(chance.choice(WORDS) for _ in range(400))
    assert likeness(signature_of(page + " 120 euros"), signature_of(page + " 150 euros")) > 0.9
    assert likeness(signature_of(page), signature_of(" ".join(chance.choice(WORDS) for _ in range(400)))) < 0.05


def test_scripts_without_spaces_are_compared_character_by_character() -> None:
    one = "出張の宿泊費は一泊あたり一万二千円までとします。領収書は月末までに経理部へ提出してください。"
    other = one.replace("一万二千円", "一万五千円")
    assert len(signature_of(one)) > 20
    assert 0.5 < likeness(signature_of(one), signature_of(other)) < 1
    assert (
        likeness(
            signature_of(one), signature_of("会議室の予約は総務部の予定表で行います。前日までに入力してください。")
        )
        < 0.1
    )


def test_of_fewer_words_than_a_shingle_has_all_are_one() -> None:
    assert len(signature_of("Closed on Monday")) == 1
    assert likeness(signature_of("Closed on Monday"), signature_of("closed on monday!")) == 1
    assert likeness(signature_of("Closed on Monday"), signature_of("Closed on Tuesday")) == 0


def test_a_text_without_words_is_like_nothing() -> None:
    assert signature_of(" … — \n") == ()
    assert likeness((), ()) == 0
    assert likeness((), signature_of("words")) == 0


def test_a_signature_is_the_same_in_every_process() -> None:
    """It is kept, and compared with those of years later."""
    assert signature_of("one two three four five") == (3843170776160851817,)


def test_words_are_the_same_whatever_their_case_and_what_stands_between() -> None:
    assert (
        words_of("Hotels: at most\n(120) EUROS.") == words_of("hotels at most 120 euros") == "hotels at most 120 euros"
    )
    assert words_of("障害 A1") == "障 害 a1"
    assert words_of(" — ") == ""
