"""What is shown to Claude as one passage, and what is only named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.merging import MOST_JOINED, joined, without_twins
from indexer import Hit
from tests.bot.shelf import Shelf

LONG = " ".join(f"On day {n} the pump of hall {n} was looked at and nothing was found." for n in range(5))


def chunks(title: str, *texts: str) -> list[Hit]:
    shelf = Shelf()
    shelf.put(title, *texts)
    return shelf.hits


def positions(passages: list[tuple[Hit, ...]]) -> list[tuple[int, ...]]:
    return [tuple(hit.chunk.position for hit in passage) for passage in passages]


def test_neighbours_are_one_passage_in_their_order_the_best_hit_s_first() -> None:
    hits = chunks("Report", *(f"Sentence {n}." for n in range(10)))
    assert positions(joined([hits[7], hits[2], hits[6], hits[9]])) == [(6, 7), (2,), (9,)]


def test_a_long_row_is_several_passages() -> None:
    hits = chunks("Report", *(f"Sentence {n}." for n in range(10)))
    found = positions(joined([hits[8], *hits[:8]]))
    assert found == [(8,), (0, 1, 2, 3), (4, 5, 6, 7)]
    assert all(len(passage) <= MOST_JOINED for passage in found)


def test_neighbours_of_two_documents_or_versions_are_none() -> None:
    first, second = chunks("One", "a. ", "b. ")[0], chunks("Two", "a. ", "b. ")[1]
    assert len(joined([first, second])) == 2
    older = chunks("One", "a. ", "b. ")[1]
    assert len(joined([first, replace(older, version=first.version[:-1] + "2")])) == 2  # type: ignore[arg-type]


def test_with_a_gap_between_them_they_are_two_passages() -> None:
    first, second = chunks("One", "a. ", "b. ")
    apart = replace(second, chunk=replace(second.chunk, start=second.chunk.start + 1))
    assert len(joined([first, apart])) == 2
    overlapping = replace(second, chunk=replace(second.chunk, start=second.chunk.start - 1))
    assert len(joined([first, overlapping])) == 1


@given(st.permutations(range(12)), st.integers(0, 12))
def test_every_hit_is_in_one_passage_and_no_other_is(order: list[int], count: int) -> None:
    hits = chunks("Report", *(f"Sentence {n}." for n in range(12)))
    wanted = [hits[n] for n in order[:count]]
    passages = joined(wanted)
    assert sorted(hit.key for passage in passages for hit in passage) == sorted(hit.key for hit in wanted)
    best = [min(wanted.index(hit) for hit in passage) for passage in passages]
    assert best == sorted(best)


@pytest.mark.parametrize(
    "copy",
    [LONG, LONG.upper(), LONG.replace(" ", "\n"), LONG.replace(".", ""), LONG[LONG.index("On day 1") :]],
    ids=["the same", "case", "line breaks", "punctuation", "a part"],
)
def test_the_same_text_in_another_document_is_a_twin(copy: str) -> None:
    (best,), (other,) = chunks("Report 2023", LONG), chunks("Report 2024", copy)
    kept, twins = without_twins([best, other], [])
    assert kept == [best]
    assert [(twin.hit, twin.shown) for twin in twins] == [(other, best)]
    kept, twins = without_twins([other], [best])
    assert kept == []
    assert twins[0].shown == best


@pytest.mark.parametrize(
    "other",
    [LONG.replace("nothing", "something"), LONG.replace("hall 3", "hall 9"), LONG + " It was closed."],
    ids=["another word", "another number", "more words"],
)
def test_what_says_another_thing_or_more_is_shown(other: str) -> None:
    (best,), (second,) = chunks("Report 2023", LONG), chunks("Report 2024", other)
    assert without_twins([best, second], []) == ([best, second], [])


def test_a_short_text_is_shown_wherever_it_stands() -> None:
    """ "At most 180 euros." means Paris in one document and London in the other."""
    (best,), (other,) = chunks("Paris", "At most 180 euros."), chunks("London", "At most 180 euros.")
    assert without_twins([best, other], []) == ([best, other], [])


def test_a_document_has_no_twin_in_itself() -> None:
    first, second = chunks("Report", LONG, LONG)
    assert without_twins([first, second], []) == ([first, second], [])


def test_words_are_compared_whole() -> None:
    (best,), (other,) = chunks("One", LONG + " end"), chunks("Two", LONG.removeprefix("O") + " en")
    assert without_twins([best, other], [])[1] == []
