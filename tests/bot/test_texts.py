"""The texts of the app: two languages that say the same with the same fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from bot import texts
from bot.texts import ENGLISH, FRENCH, TEXTS, TO_EVERYBODY, texts_for
from indexer import WeaviateUnavailable

SOURCE = Path(texts.__file__).parent.parent


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


def said() -> Iterator[tuple[str, str, set[str]]]:
    """Every ``texts.say("key", field=…)`` and ``say(parts, click, "key", field=…)`` of the source: where, the key, the
    fields given."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            by_name = isinstance(node.func, ast.Name) and node.func.id == "say" and len(node.args) == 3
            if not by_name and not (isinstance(node.func, ast.Attribute) and node.func.attr == "say"):
                continue
            key = node.args[-1] if node.args else None
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                given = {keyword.arg for keyword in node.keywords if keyword.arg is not None}
                yield f"{path.relative_to(SOURCE).as_posix()}:{node.lineno}", key.value, given


def test_every_text_that_is_said_exists() -> None:
    calls = list(said())
    assert calls
    assert [(where, key) for where, key, _ in calls if key not in TEXTS] == []


def test_every_text_gets_its_fields() -> None:
    calls = [(where, key, given) for where, key, given in said() if key in TEXTS]
    wrong = [(where, key) for where, key, given in calls if given != fields(TEXTS[key][0]) | fields(TEXTS[key][1])]
    assert wrong == []


def test_a_count_chooses_the_form_of_its_language() -> None:
    assert [ENGLISH.say("documents", count=n) for n in (0, 1, 2)] == ["0 documents", "1 document", "2 documents"]
    assert [FRENCH.say("documents", count=n) for n in (0, 1, 2)] == ["0 document", "1 document", "2 documents"]


def test_what_is_filled_in_is_not_read_again() -> None:
    assert ENGLISH.say("reference", reference="{count}|{x}") == "ref {count}|{x}"


@pytest.mark.parametrize(
    ("locale", "chosen"),
    [("fr-FR", FRENCH), ("fr", FRENCH), ("en-US", TO_EVERYBODY), ("ja-JP", TO_EVERYBODY), (None, TO_EVERYBODY)],
)
def test_the_locale_chooses_the_language(locale: str | None, chosen: texts.Texts) -> None:
    assert texts_for(locale) == chosen


def test_people_in_slack_are_not_told_where_servers_stand() -> None:
    error = WeaviateUnavailable("Weaviate at 10.0.0.7:8080 does not answer; start it.")
    assert ENGLISH.of_error(error) == str(error)
    assert TO_EVERYBODY.of_error(error) == TO_EVERYBODY.say("index_away")
    assert "10.0.0.7" not in FRENCH.of_error(error)
