"""Titles stand in quotation marks within our sentences; names of files and addresses stand as they are."""

from __future__ import annotations

import pytest

from bot.slack.adding.not_added import NotAdded
from bot.slack.naming import called
from bot.slack.refusals import refusal_of
from bot.texts import ENGLISH, FRENCH


@pytest.mark.parametrize("title", ["Travel Policy 2025", "Minutes", "When does it close?", "Version 2.0", "a/b", "We."])
def test_a_title_is_quoted_in_both_languages(title: str) -> None:
    assert called(title, ENGLISH) == f"“{title}”"
    assert called(title, FRENCH) == f"« {title} »"


@pytest.mark.parametrize(
    "name",
    [
        "plan.md",
        "Travel Policy 2025.pdf",
        "Résumé (1).docx",
        "archive.7z",
        "docs.example.com",
        "docs.example.com/guide?page=2",
        "https://example.com/a",
        "",
    ],
)
def test_the_name_of_a_file_and_an_address_are_not(name: str) -> None:
    assert called(name, ENGLISH) == called(name, FRENCH) == name


def test_refusals_quote_titles() -> None:
    locked = "Travel Policy 2025 is protected with a password; add it without."
    assert refusal_of(locked, "Travel Policy 2025", ENGLISH).startswith("“Travel Policy 2025” is protected")
    assert refusal_of(locked, "Travel Policy 2025", FRENCH).startswith("« Travel Policy 2025 » est protégé")
    assert NotAdded("message_gone", name="Who signs?").sentence(ENGLISH).startswith("“Who signs?” is not there")
    assert NotAdded("file_gone", name="plan.md").sentence(FRENCH).startswith("plan.md n'est plus")
