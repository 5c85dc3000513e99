"""Markers stand behind words, and leave code and tables what they are."""

from __future__ import annotations

import pytest

from bot.answering.markers import assembled, with_mark, without_marks


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("It failed. ", "It failed. [1] "),
        ("| a | b |\n|---|---|\n", "| a | b [1] |\n|---|---|\n"),
        ("  | a | b |", "  | a | b [1] |"),
        ("```sh\nrun\n```", "```sh\nrun\n```\n[1]"),
        ("```sh\nrun\n```\n", "```sh\nrun\n```\n[1]\n\n"),
        ("~~~\nrun", "~~~\nrun\n~~~\n[1]"),
        ("It is `a`.", "It is `a`. [1]"),
    ],
)
def test_a_marker_leaves_markdown_valid(text: str, marked: str) -> None:
    assert with_mark(text, "[1]") == marked


def test_a_marker_never_stands_within_code() -> None:
    assert assembled([("Run `a ", [1]), ("b` now", []), (" or later.", [])]) == "Run `a b` now [1] or later."
    assert assembled([("```\na\n", [1]), ("b\n```\n", [2])]) == "```\na\nb\n```\n[1][2]\n\n"


def test_a_marker_of_a_cell_stands_in_it() -> None:
    assert assembled([("| a |", [1]), (" b |\n", [2])]) == "| a [1] | b [2] |\n"


@pytest.mark.parametrize(
    "text",
    [
        "It failed.",
        "| a | b |\n|---|---|",
        "```sh\na [1]\n```",
        "~~~\nrun [1]\n~~~",
        "It is `a [1]`.",
        "事故は解決。",
        "",
    ],
)
def test_what_markers_were_put_to_is_itself_again_without_them(text: str) -> None:
    assert without_marks(with_mark(text, "[1][12]"), {1, 12}) == text
    assert without_marks(f"{text} [3]".strip(), {1, 12}) == f"{text} [3]".strip()
