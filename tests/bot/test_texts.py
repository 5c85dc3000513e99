"""The texts of the app: two languages that say the same with the same fields."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from bot import texts
from bot.texts import ENGLISH, FRENCH, TEXTS, texts_for

SOURCE = Path(texts.__file__).parent
_SAID = re.compile(r"""\bsay\(\s*["'](\w+)["']""")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_have_the_same_fields(key: str) -> None:
    english, french = TEXTS[key]
    assert fields(english) == fields(french)
    assert all(name.isidentifier() for name in fields(english))
    assert english.strip()
    assert french.strip()


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_with_two_forms_is_chosen_by_its_count(key: str) -> None:
    for text in TEXTS[key]:
        if "|" in text:
            assert text.count("|") == 1
            assert "count" in fields(text)
    assert len({"|" in text for text in TEXTS[key]}) == 1


def test_every_text_that_is_said_exists() -> None:
    said = {
        (path.relative_to(SOURCE).as_posix(), key)
        for path in SOURCE.rglob("*.py")
        for key in _SAID.findall(path.read_text(encoding="utf-8"))
    }
    assert said
    assert sorted((path, key) for path, key in said if key not in TEXTS) == []


def test_a_count_chooses_the_form_of_its_language() -> None:
    assert [ENGLISH.say("documents", count=n) for n in (0, 1, 2)] == ["0 documents", "1 document", "2 documents"]
    assert [FRENCH.say("documents", count=n) for n in (0, 1, 2)] == ["0 document", "1 document", "2 documents"]


def test_what_is_filled_in_is_not_read_again() -> None:
    assert ENGLISH.say("reference", reference="{count}|{x}") == "ref {count}|{x}"


@pytest.mark.parametrize(
    ("locale", "chosen"), [("fr-FR", FRENCH), ("fr", FRENCH), ("en-US", ENGLISH), ("ja-JP", ENGLISH), (None, ENGLISH)]
)
def test_the_locale_chooses_the_language(locale: str | None, chosen: texts.Texts) -> None:
    assert texts_for(locale) == chosen
