"""In what terms a passage matched."""

from __future__ import annotations

import pytest

from bot.slack.showing.found_by import found_by, rank, shared_words
from bot.texts import ENGLISH, FRENCH
from tests.bot.slack.showing.stored import hit

HITS = (hit(1, vector=0.7, keyword=2.0), hit(2, vector=0.9), hit(3, keyword=1.0), hit(4))


def test_the_rank_is_counted_among_all_hits_of_that_side() -> None:
    assert [rank(HITS, one, "vector") for one in HITS] == [2, 1, None, None]
    assert [rank(HITS, one, "keyword") for one in HITS] == [1, None, 2, None]


def test_equal_scores_have_equal_ranks() -> None:
    hits = (hit(1, vector=0.9), hit(2, vector=0.7), hit(3, vector=0.7))
    assert [rank(hits, one, "vector") for one in hits] == [1, 2, 2]


def test_a_hit_of_both_sides_tells_both_with_its_words() -> None:
    told = found_by(HITS, HITS[0], ["When was the gateway closed?"], "The gateway was closed.", ENGLISH)
    assert told == "Found by meaning (2nd) and by the words “gateway, closed” (1st)."


def test_a_hit_of_one_side_tells_that_side_only() -> None:
    assert found_by(HITS, HITS[1], ["gateway"], "gateway", ENGLISH) == "Found by meaning (1st)."
    assert found_by(HITS, HITS[2], ["gateway"], "gateway", ENGLISH) == "Found by the words “gateway” (2nd)."
    assert found_by(HITS, HITS[2], ["gateway"], "gateways", ENGLISH) == "Found by its words (2nd)."


def test_a_hit_without_scores_tells_nothing() -> None:
    assert found_by(HITS, HITS[3], ["gateway"], "gateway", ENGLISH) is None


def test_french_readers_are_told_in_french() -> None:
    told = found_by(HITS, HITS[0], ["When was the gateway closed?"], "gateway", FRENCH)
    assert told == "Trouvé par le sens (2e) et par les mots « gateway » (1er)."


def test_braces_in_a_word_are_words() -> None:
    asked = ["What is snake_case {0} {rank}?"]
    assert found_by(HITS, HITS[2], asked, "snake_case", ENGLISH) == "Found by the words “snake_case” (2nd)."


@pytest.mark.parametrize(
    ("asked", "passage", "shared"),
    [
        ("What caused INC-2023-04-011?", "inc-2023-04-011 failed", ("INC-2023-04-011",)),
        ("What caused INC-2023-04-011?", "2023-04 was bad, inc. too", ()),
        ("the budget of 2024", "The Budget of 2024", ("2024", "budget")),
        ("What is the cause?", "the is what", ()),
        ("<@U0BOT> why &amp; when did <#C1|gateway> fail?", "the gateway amp fails, U1", ("gateway",)),
        ("Straße", "STRASSE", ("Straße",)),
        ("parse_url in v1.2.3", "call parse_url since v1.2.3.", ("parse_url", "v1.2.3")),
        ("Quelle est la cause de l'incident ?", "L’incident avait une cause.", ("cause", "incident")),
        ("サーバー予算はいくらですか", "今年の予算は", ("予算は",)),
        ("gateway gateway GATEWAY", "gateway", ("gateway",)),
        ("", "anything", ()),
    ],
)
def test_words_are_whole_and_common_ones_are_left_out(asked: str, passage: str, shared: tuple[str, ...]) -> None:
    assert shared_words([asked], passage) == shared


def test_six_words_are_enough() -> None:
    asked = "alpha beta gamma delta epsilon zeta eta theta R2-D2"
    assert shared_words([asked], asked) == ("R2-D2", "alpha", "beta", "gamma", "delta", "epsilon")
