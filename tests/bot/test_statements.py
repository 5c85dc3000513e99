"""What needs a source is told by its shape, in any language."""

from __future__ import annotations

import pytest

from bot.answering.languages import ABSENT, UNBACKED, guess
from bot.answering.statements import is_absence_line, is_statement, says_nothing_was_found


@pytest.mark.parametrize(
    "sentence",
    [
        "It was closed on 12 May.",
        "The root cause was an expired certificate.",
        "- Finance booked 41,000 euros",
        "It cost 3.",
        "La cause était un certificat expiré.",
        "原因は証明書の期限切れでした。",
        "# Findings The root cause was an expired certificate on the gateway of the whole login system.",
        "As far as I remember, it was a Tuesday.",
        "The documents do not mention it, but it is usually 5 percent.",
        "The CEO resigned.",
        "Hackers did it.",
        "Marie Curie.",
        "社長は辞任した。",
        "- aliens",
        "1. first thing",
        "# The incident was caused by hackers from Mars in 1999",
        "**Everybody was fired on the spot by Ines**",
        "Did you know that hackers caused it?",
        "Is the incident of the gateway not the work of hackers from Mars?",
        "The budget is overspent: by Mars;",
        "Not in your documents: the moon is made of cheese and it weighs 5 tons.",
        "Not in your documents: the price, but it is usually high.",
    ],
)
def test_statements_need_a_source(sentence: str) -> None:
    assert is_statement(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "---",
        "Yes.",
        "Hello there!",
        "What would you like to know?",
        "何を知りたいですか？",
        "# Findings",
        "**Findings**",
        "There are three causes:",
        "Not in your documents: whether the gateway is still in use.",
        "Absent de vos documents : le prix de 2025.",
        "Not in your documents: how many people were there in 2025.",
        "Not in your documents: the price of 2025.",
        "I found nothing on that in the documents.",
        "I could not look that up.",
        "I cannot answer that.",
        "Je n'ai pas pu chercher cela.",
        "Das konnte ich nicht finden.",
        "No pude buscar eso.",
        "Non ho potuto cercare questo.",
        "Não consegui procurar isso.",
        "Dat kon ik niet vinden.",
        "調べることができませんでした。",
        "我无法查到。",
        "You are welcome.",
        "In short.",
        "Avec plaisir.",
        "はい、そうです。",
        "Would you like me to look for the price of 2025 in the other documents, too?",
        "# Incident of 12 April 2023",
        "Είναι αυτό όλο;",
        "I could not find the price of 2025.",
        "The documents do not mention the price of 2025.",
        "Je n'ai rien trouvé sur ce sujet.",
        "Ich habe dazu nichts gefunden.",
        "見つかりませんでした。",
    ],
)
def test_what_states_nothing_needs_none(sentence: str) -> None:
    assert not is_statement(sentence)


def test_the_line_about_what_is_missing_is_known_in_every_language_of_the_table() -> None:
    assert set(ABSENT) == set(UNBACKED)
    for label in ABSENT.values():
        assert is_absence_line(f"{label} the price")
        assert is_absence_line(f"- **{label}** the price")
    assert not is_absence_line("Not in May.")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the budget?", "en"),
        ("Quel est le budget de 2024 ?", "fr"),
        ("Wie hoch ist das Budget?", "de"),
        ("¿Cuál es el presupuesto?", "es"),
        ("予算はいくらですか", "ja"),
        ("预算是多少", "zh"),
        ("INC-2023-04-011", "en"),
    ],
)
def test_the_language_of_a_question_is_guessed(text: str, language: str) -> None:
    assert guess(text) == language


def test_that_nothing_was_found_is_told_from_an_answer_of_few_words() -> None:
    assert says_nothing_was_found("I found nothing about this in the documents.")
    assert says_nothing_was_found("見つかりませんでした。")
    assert not says_nothing_was_found("Marie Curie.")
    assert not says_nothing_was_found("I found nothing, but it is usually 5 percent.")
