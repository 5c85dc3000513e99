"""Which words of a question a text has, as the index takes both apart."""

from __future__ import annotations

import doctest
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indexer import matching
from indexer.matching import shared
from indexer.terms import question_terms, terms


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(matching).failed == 0


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("What caused INC-2023-04-011?", "inc-2023-04-011 failed", ("INC-2023-04-011",)),
        ("INC-2023-04-011", "inc 2023/04.011", ("INC-2023-04-011",)),
        ("INC-2023-04-011", "INC-2023-04-012 failed", ("INC", "2023")),
        ("Why did the gateway close?", "The login-gateway was closed.", ("gateway", "close")),
        ("new certificates", "a certificate", ("certificates",)),
        ("Zertifikatsfehler", "das Zertifikat lief ab", ("Zertifikatsfehler",)),
        ("renouvelé", "le renouvellement", ("renouvelé",)),
        ("the station", "the nation", ()),
        ("cat", "concatenate", ()),
        ("getUserById", "call getuserbyid(7)", ("getUserById",)),
        ("getUserById", "get the user", ("get", "User")),
        ("snake_case v1.2.3", "snake_case since v1.2.3.", ("snake_case", "v1.2.3")),
        ("services not covered", "not covered are services", ("services", "not", "covered")),
        ("What is the cause?", "what is the", ()),
        ("gateway GATEWAY", "gateway", ("gateway",)),
        ("IT", "of it", ()),
        ("認証サーバーの障害は何ですか", "認証サーバーが止まった", ("認証サーバー",)),
        ("Straße CONGÉ", "in der Straße, le congé", ("Straße", "CONGÉ")),
        ("ＩＮＣ－７", "INC-7", ("INC-7",)),
        ("", "anything", ()),
        ("anything", "", ()),
    ],
)
def test_words_that_the_text_has_are_told_as_they_were_asked(question: str, text: str, told: tuple[str, ...]) -> None:
    assert shared(question, text) == told


def test_of_a_very_long_question_the_beginning_is_looked_at() -> None:
    assert shared("gateway " * 300 + "certificate", "gateway certificate") == ("gateway",)


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_is_told_stands_in_the_question_and_is_what_the_index_finds(question: str, text: str) -> None:
    for word in shared(question, text):
        assert word in unicodedata.normalize("NFKC", question)
        assert set(terms(word)) & set(terms(text))


@given(
    st.lists(st.sampled_from(["gateway", "INC-2023-04-011", "getUserById", "認証サーバー", "v1.2", "closed", "congé"]))
)
def test_of_a_text_of_its_own_words_everything_is_told(words: list[str]) -> None:
    question = " ".join(words)
    assert shared(question, question) == tuple(dict.fromkeys(words))


@given(st.from_regex(r"[a-z]{5,12}", fullmatch=True), st.text(max_size=40), st.text(max_size=40))
def test_a_long_word_that_stands_in_the_text_is_found(word: str, before: str, after: str) -> None:
    assume(question_terms(word) == question_terms(f"{word} {word}")[: len(question_terms(word))])
    assume(shared(word, word))  # no function word
    assert shared(word, f"{before} {word} {after}") == (word,)
