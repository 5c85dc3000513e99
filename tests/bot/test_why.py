"""Why a source was found, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.texts import ENGLISH, FRENCH
from bot.why import explained as explained_now
from bot.why import ordinal, telling, why_told
from indexer import WORKSPACE, Audience, Context, ContextKind, Viewer, WeaviateUnavailable
from tests.bot.shelf import EVERYBODY, Shelf, annual_review
from tests.bot.whys import HIT, explained

pytestmark = pytest.mark.anyio

BOTH = explained(meaning=3, words=1, text=("root", "cause"), context=None)


def test_both_sides_are_told_with_their_ranks_and_the_words() -> None:
    assert why_told(BOTH, ENGLISH) == ["Found by meaning (3rd) and by the words “root, cause” (1st)."]
    assert why_told(BOTH, FRENCH) == ["Trouvé par le sens (3e) et par les mots « root, cause » (1er)."]


def test_a_side_that_had_no_part_is_not_told() -> None:
    assert why_told(explained(meaning=2), ENGLISH) == ["Found by meaning (2nd)."]
    assert why_told(explained(words=2, text=("root",)), ENGLISH) == ["Found by the words “root” (2nd)."]
    assert why_told(explained(words=2), ENGLISH) == ["Found by its words (2nd)."]
    assert why_told(explained(), ENGLISH) == []


def test_of_several_searches_it_is_told_which() -> None:
    told = why_told(explained("root cause", meaning=1, words=2, text=("root",), several=True), ENGLISH)
    assert told == ["Found for “root cause” by meaning (1st) and by the words “root” (2nd)."]
    told = why_told(explained("cause\n{racine}", meaning=1, several=True), FRENCH)
    assert told == ["Trouvé pour « cause {racine} » par le sens (1er)."]


def test_words_that_only_the_context_has_are_told() -> None:
    terms = {"text": ("cause",), "title": ("Review", "INC-7"), "context": ("INC-7", "cause")}
    one = explained(words=1)
    one = replace(one, why=replace(one.why, terms=terms))
    assert why_told(one, ENGLISH) == [
        "Found by the words “INC-7, cause, Review” (1st).",
        "Only its context has “INC-7”.",
        "Only the title has “Review”.",
    ]


def test_a_context_of_headings_is_not_told_apart_from_them() -> None:
    hit = replace(HIT, context=Context("Review › Incidents", ContextKind.STRUCTURAL))
    one = explained(meaning=9, words=1, hit=hit, title=("Review",))
    one = replace(one, why=replace(one.why, terms={"title": ("Review",), "context": ("Review", "Incidents")}))
    assert why_told(one, ENGLISH)[1:] == ["Only title and headings have “Review, Incidents”."]
    assert why_told(one, FRENCH)[1:] == ["Seuls le titre et les intertitres contiennent « Review, Incidents »."]


def test_a_context_far_ahead_of_the_whole_is_told() -> None:
    nearer = "By the meaning of its context alone it would be 1st."
    assert why_told(explained(meaning=6, context=1), ENGLISH)[1:] == [nearer]
    assert why_told(explained(meaning=6, context=4), ENGLISH)[1:] == []
    structural = replace(HIT, context=Context("Review", ContextKind.STRUCTURAL))
    assert why_told(explained(meaning=6, context=1, hit=structural), ENGLISH)[1:] == []


def test_where_a_reranker_judged_it_for_the_answer_its_score_is_told() -> None:
    told = why_told(explained(meaning=6), ENGLISH, 0.934)
    assert told[1:] == ["For the answer it was read once more beside the question, and got 0.93."]


def test_telling_words_are_six_at_most_identifiers_first() -> None:
    words = ["the", "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "E-4711", "getUser"]
    assert telling(words) == ("E-4711", "getUser", "alpha", "beta", "gamma", "delta")


def test_nothing_in_a_query_or_a_word_reaches_a_terminal_as_an_order() -> None:
    (told,) = why_told(explained("\x1b[31mred", words=1, several=True, text=("a\x1b[2Jb1",)), ENGLISH)
    assert "\x1b" not in told


def test_ordinals() -> None:
    assert [ordinal(n, ENGLISH) for n in (1, 2, 3, 11, 21)] == ["1st", "2nd", "3rd", "11th", "21st"]
    assert [ordinal(n, FRENCH) for n in (1, 2)] == ["1er", "2e"]


async def test_a_passage_is_explained_by_the_search_where_it_stands_highest() -> None:
    shelf = Shelf()
    annual_review(shelf)
    found = await explained_now(
        shelf, "local", EVERYBODY, ["certificates gateway", "Project Phoenix", "Project Phoenix", " "]
    )
    second = found["annual-review-2023.1#1"]
    assert (second.query, second.why.rank, second.several) == ("Project Phoenix", 1, True)
    assert found["annual-review-2023.1#0"].query == "certificates gateway"
    assert [asked.query for asked in shelf.asked] == ["certificates gateway", "Project Phoenix"]
    assert shelf.reranked == 0, "whoever looks pays for no reranker"


async def test_what_the_viewer_may_not_read_is_not_explained() -> None:
    """Even if the library gave it."""
    shelf = Shelf()
    shelf.put("Salaries", "Everybody earns 1.", audience=Audience("channel", "C1"))

    class Leaky(Shelf):
        def may_see(self, viewer: Viewer, audience: Audience) -> bool:
            return True

    leaky = Leaky(hits=shelf.hits)
    assert await explained_now(leaky, "local", Viewer(frozenset({WORKSPACE})), ["salaries"]) == {}


async def test_trouble_is_the_callers_to_tell() -> None:
    shelf = Shelf()
    shelf.failing = lambda query: WeaviateUnavailable("The database does not answer.")
    with pytest.raises(WeaviateUnavailable):
        await explained_now(shelf, "local", EVERYBODY, ["salaries"])
