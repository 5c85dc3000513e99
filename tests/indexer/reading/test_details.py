"""Title, date and language, where they can be believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from indexer.documents import Heading
from indexer.reading.details import first_heading, language_of, sensible_date, sensible_title


@pytest.mark.parametrize(
    "title",
    ["", "Microsoft Word - x.doc", "Untitled", "untitled-3", "Document1", "report.docx", "Presentation1", "Sans titre",
     "PowerPoint Presentation", "…", "scan", "x" * 400, None],
)  # fmt: skip
def test_a_title_that_says_nothing_is_none(title: str | None) -> None:
    assert sensible_title(title) is None


@pytest.mark.parametrize("title", ["Annual Review 2023", "Document control procedure", "会議の記録", "The Title Page"])
def test_a_real_title_is_kept(title: str) -> None:
    assert sensible_title(f"  {title} ") == title


def test_the_first_main_heading_can_be_a_title_but_not_every_section() -> None:
    assert first_heading([Heading(2, "Part", 0), Heading(1, "Review", 9)]) == "Review"
    assert first_heading([Heading(1, "1. Introduction", 0)]) is None


@pytest.mark.parametrize("title", ["Title", "Document 1", "Template", "README.md"])
def test_a_main_heading_is_what_people_see_even_where_programs_write_such_titles(title: str) -> None:
    assert first_heading([Heading(1, title, 0)]) == title
    assert first_heading([Heading(1, "Untitled", 0)]) is None


def test_of_a_very_long_main_heading_the_first_words_are_the_title() -> None:
    title = first_heading([Heading(1, "wörds and more, " * 40, 0)])
    assert title is not None
    assert title.endswith(("wörds…", "and…", "more…"))
    assert 130 < len(title) <= 151
    assert first_heading([Heading(1, "字" * 400, 0)]) == "字" * 150 + "…"


def test_dates_of_all_kinds_are_read() -> None:
    assert sensible_date("D:20240131120000+01'00'") == datetime(2024, 1, 31, 12, tzinfo=UTC)
    assert sensible_date("Tue, 04 May 2021 10:00:00 +0200") == datetime(2021, 5, 4, 8, tzinfo=UTC)
    assert sensible_date("2010-02-03") == datetime(2010, 2, 3, tzinfo=UTC)


def test_dates_of_broken_clocks_and_templates_are_none() -> None:
    future = (datetime.now(UTC) + timedelta(days=40)).isoformat()
    assert sensible_date("1970-01-01T00:00:00Z", "1980-01-01", future, "2013-12-23T23:15:00Z", "soon", None) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The office in Lyon reported the incident at once, and the engineer was informed.", "en"),
        ("La réunion est déplacée au lundi suivant, merci de prévenir vos collègues.", "fr"),
        ("会議は月曜日に延期されました。", "ja"),
        ("1 | 2 | 3\n4 | 5 | 6", None),
        ("hello", None),
    ],
)
def test_language_is_told_or_not_guessed(text: str, code: str | None) -> None:
    assert language_of(text) == code


def test_what_the_document_declares_counts_where_the_text_is_too_short() -> None:
    assert language_of("ok", "fr-CH") == "fr"
    assert language_of("La réunion est déplacée au lundi suivant, merci de prévenir vos collègues.", "en") == "fr"
