"""Quotable units: joined they are the text, none is blank, and each is what a person would quote."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.sentences import LONG_SENTENCE, lines, sentences

PIECES = st.sampled_from(
    [
        "Dr. Ito came. ",
        "It failed",
        ".",
        "!",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        " ",
        "\t",
        "\f",
        "# Title\n",
        "- item one\n",
        "1. ",
        "| a | b |\n",
        "|---|---|\n",
        "```\n",
        "x = f(1);\n",
        " return y\n",
        "a,b,c\n",
        "日本語です。",
        "次の文。",
        "👩‍👩‍👧",
        "🏴",
        "é",
        "\u200b",
        "\u2028",
        "“Stop.” ",
        "</document>",
        "{}",
        "%s",
        "word " * 30,
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@settings(deadline=None)  # the machine may be busy
@given(TEXTS, st.sampled_from([None, "en", "fr", "ja", "xx", "", "tlh"]))
def test_joined_units_are_the_text_and_none_is_blank(text: str, language: str | None) -> None:
    units = sentences(text, language)
    assert all(unit.strip() for unit in units)
    if text.strip():
        assert "".join(units) == text
    else:
        assert units == []


@settings(deadline=None)  # the machine may be busy
@given(TEXTS)
def test_joined_lines_are_the_text_and_none_is_blank(text: str) -> None:
    assert all(line.strip() for line in lines(text))
    assert "".join(lines(text)) == (text if text.strip() else "")


@pytest.mark.parametrize(
    ("text", "language", "units"),
    [
        ("Dr. Smith went to Bonn. He stayed.", "en", ["Dr. Smith went to Bonn. ", "He stayed."]),
        ("M. Durand est venu. Il est reparti.", "fr", ["M. Durand est venu. ", "Il est reparti."]),
        ("日本語です。次の文。", "ja", ["日本語です。", "次の文。"]),
        ("# Pump\n\nIt failed. It was closed.\n", "en", ["# Pump\n\n", "It failed. ", "It was closed.\n"]),
        ("Title\n=====\ntext", "en", ["Title\n=====\n", "text"]),
        ("1. First. More.\n2. Second\n", "en", ["1. First. ", "More.\n", "2. Second\n"]),
        ("| a | b |\n|---|---|\n| 1. x | 2 |\n", "en", ["| a | b |\n|---|---|\n", "| 1. x | 2 |\n"]),
        ("name,age,city\nAlice,3,Paris. Bonn\n", None, ["name,age,city\n", "Alice,3,Paris. Bonn\n"]),
        ("```py\ndef f(x):\n    return x. y\n}\n```\n", None, ["```py\n", "def f(x):\n", "    return x. y\n}\n```\n"]),
        ("def f(a, b):\n    return g(a).h. I\n", None, ["def f(a, b):\n", "    return g(a).h. I\n"]),
        ("\n\n  Hello.\n", "en", ["\n\n  Hello.\n"]),
    ],
)
def test_units_are_what_people_quote(text: str, language: str | None, units: list[str]) -> None:
    assert sentences(text, language) == units


def test_prose_wrapped_by_hand_is_cut_at_sentences_not_at_lines() -> None:
    text = "This is a text which was wrapped by hand at some column, and it\ngoes on to the next line. Then it ends.\n"
    assert sentences(text, "en") == [
        "This is a text which was wrapped by hand at some column, and it\ngoes on to the next line. ",
        "Then it ends.\n",
    ]


def test_a_very_long_sentence_is_cut_at_its_line_breaks() -> None:
    line = "a long enumeration of things that goes on and on without any end of it,\n"
    units = sentences(line * 30, "en")
    assert len(units) == 30
    assert max(map(len, units)) < LONG_SENTENCE


def test_ten_hits_are_cut_in_milliseconds() -> None:
    hit = ("Dr. Ito closed INC-2023-04-011 in May, after the pump had failed. " * 3 + "\n\n| 7 | open |\n") * 7
    best = min(_seconds(hit[:1_500]) for _ in range(5))
    assert best < 0.05  # 5 ms on a machine of its own


def _seconds(hit: str) -> float:
    begin = time.perf_counter()
    for _ in range(10):
        sentences(hit, "en")
    return time.perf_counter() - begin


def test_a_long_paragraph_takes_time_in_proportion() -> None:
    """The segmenter's own time grows with the square: 400,000 characters in one paragraph took 26 s."""
    text = "これは日本語の文章です。次の文もあります。" * 5_000
    begin = time.perf_counter()
    assert len(sentences(text, None)) == 10_000
    assert time.perf_counter() - begin < 3
