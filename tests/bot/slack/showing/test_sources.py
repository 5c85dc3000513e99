"""How a source's place and date are written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.slack.showing.sources import closest_titles, place, short_date
from bot.texts import ENGLISH, FRENCH
from tests.bot.slack.showing.stored import answer, hit, source


def test_dates_are_written_as_people_write_them() -> None:
    first = datetime(2024, 8, 1, tzinfo=UTC)
    assert (short_date(first, ENGLISH), short_date(first, FRENCH)) == ("1 Aug 2024", "1er août 2024")


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"location": "p. 3"}, ", p. 3 · 30 Jan 2024"),
        ({"location": "pp. 3–4", "date": None}, ", pp. 3–4"),
        ({"location": ""}, " · 30 Jan 2024"),
        ({"location": "", "date": None}, ""),
    ],
)
def test_a_place_tells_what_is_known(changes: dict[str, Any], where: str) -> None:
    assert place(source(**changes), ENGLISH) == where


def test_the_closest_titles_are_told_once_each_best_first() -> None:
    titles = ["B", "A", "B", " ", "C"]
    found = answer(hits=tuple(hit(n, title=title) for n, title in enumerate(titles)))
    assert closest_titles(found, ENGLISH) == ["B", "A", "Untitled"]
