"""What needs a source is told by its shape, in any language; so is small talk."""

from __future__ import annotations

import pytest

from bot.answering.languages import ABSENT, UNBACKED, guess
from bot.answering.statements import is_absence_line, is_small_talk, is_statement


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
        "I found nothing on that in the documents.",
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
    ("question", "reply"),
    [
        ("Hello", "Hello! I answer questions from your documents."),
        ("thanks a lot!", "You are welcome, ask me anything."),
        ("Merci beaucoup", "Avec plaisir !"),
        ("ありがとうございます", "どういたしまして。またいつでも質問してください。"),
        ("Sziasztok", "Szia! Miben segíthetek?"),
    ],
)
def test_greetings_and_thanks_are_small_talk_in_any_language(question: str, reply: str) -> None:
    assert is_small_talk(question, reply)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("travel policy", "You may always fly business class."),
        ("hello, what is the travel policy?", "Hello!"),
        ("thanks 2024", "You are welcome!"),
        ("hi", "Hi! The budget of 2024 is 41,000."),
        ("history of the project", "It began as an experiment in the research group."),
        ("日当はいくら", "日当は五千円と決められています。"),
        ("please tell me about the travel policy", "Sure!"),
    ],
)
def test_what_may_ask_for_facts_is_not(question: str, reply: str) -> None:
    assert not is_small_talk(question, reply)


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
