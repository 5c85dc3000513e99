"""Which words of a question a text has, as an index of trigrams takes both apart."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indexer.matching import ANALYZER


@pytest.mark.parametrize(
    ("question", "text", "shared"),
    [
        ("What caused INC-2023-04-011?", "inc-2023-04-011 failed", ("INC-2023-04-011",)),
        ("INC-2023-04-011", "inc 2023/04.011", ("INC-2023-04-011",)),
        ("INC-2023-04-011", "INC-2023-04-012 failed", ()),
        ("Why did the gateway close?", "The Login-Gateway was closed.", ("gateway", "close")),
        ("new certificates", "a certificate", ("certificates",)),
        ("Zertifikatsfehler", "das Zertifikat lief ab", ("Zertifikatsfehler",)),
        ("gateway", "Logingateway", ("gateway",)),
        ("renouvelé", "le renouvellement", ("renouvelé",)),
        ("the station", "the nation", ()),
        ("cat", "concatenate", ()),
        ("cat", "two cats", ("cat",)),
        ("getUserById", "call getuserbyid(7)", ("getUserById",)),
        ("snake_case v1.2.3", "snake_case since v1.2.3.", ("snake_case", "v1.2.3")),
        ("services not covered", "not covered are services", ("services", "not", "covered")),
        ("What is the cause?", "what is the", ()),
        ("gateway GATEWAY", "gateway", ("gateway",)),
        ("IT", "it", ()),
        ("認証サーバーの障害は何ですか", "認証サーバーが止まった", ("認証サーバー",)),
        ("Straße ÉTÉ", "in der Straße, l'été", ("Straße", "ÉTÉ")),
        ("", "anything", ()),
        ("anything", "", ()),
    ],
)
def test_words_that_the_text_has_are_told_as_they_were_asked(question: str, text: str, shared: tuple[str, ...]) -> None:
    assert ANALYZER.shared(question, text) == shared


def test_of_a_very_long_question_the_beginning_is_looked_at() -> None:
    assert ANALYZER.shared("gateway " * 300 + "certificate", "gateway certificate") == ("gateway",)


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_is_told_stands_in_the_question(question: str, text: str) -> None:
    for word in ANALYZER.shared(question, text):
        assert word in question


@given(st.from_regex(r"[a-z]{5,12}", fullmatch=True), st.text(max_size=40), st.text(max_size=40))
def test_a_long_word_that_stands_in_the_text_is_found(word: str, before: str, after: str) -> None:
    assume(ANALYZER.shared(word, word))  # no function word
    assert ANALYZER.shared(word, f"{before} {word} {after}") == (word,)
