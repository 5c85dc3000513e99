"""In place of an answer: quotes that have the question's words, verbatim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.passages import MOST_PASSAGES, best_passages, terms
from tests.bot.shelf import Shelf


def quotes(question: str, *chunks: str) -> list[str]:
    shelf = Shelf()
    shelf.put("Report", *chunks)
    return [citation.quote for citation in best_passages(question, shelf.hits)]


@pytest.mark.parametrize(
    ("question", "chunk", "quote"),
    [
        (
            "When was the gateway closed?",
            "It failed at noon on the day. The gateway was closed for good on the 12th of June 2023. It was long.",
            "The gateway was closed for good on the 12th of June 2023.",
        ),
        (
            "What caused INC-2023-04-011?",
            "# Report on INC-2023-04-011\n\nNobody could work. The root cause of it all was an expired certificate on"
            " the login gateway. Nothing was lost.",
            "The root cause of it all was an expired certificate on the login gateway.",
        ),
        (
            "予算はいくらですか",
            "天気は良かった。予算は四万ユーロであり、それは去年と同じだった。",
            "予算は四万ユーロであり、それは去年と同じだった。",
        ),
    ],
)
def test_the_sentence_with_most_of_the_words_is_quoted(question: str, chunk: str, quote: str) -> None:
    assert quotes(question, chunk)[0].startswith(quote)


def test_a_short_sentence_is_quoted_with_the_next() -> None:
    assert quotes("Who failed?", "It failed. Bob mended it.") == ["It failed. Bob mended it."]


def test_passages_are_bounded_and_numbered() -> None:
    shelf = Shelf()
    shelf.put("Report", *(f"Part {number} is good." for number in range(9)))
    citations = best_passages("Which part is good?", shelf.hits)
    assert [citation.marker for citation in citations] == list(range(1, MOST_PASSAGES + 1))


@given(st.text(min_size=1, max_size=80), st.text(max_size=40))
def test_quotes_stand_verbatim_in_their_chunks(chunk: str, question: str) -> None:
    (quoted,) = quotes(question, chunk)
    assert quoted in chunk


def test_codes_are_one_term() -> None:
    assert terms("error TS-4711 in max_retry_2") == {"error", "ts-4711", "max_retry_2"}
