"""Only greetings, thanks and farewells are answered without a search, and only where nothing is stated."""

from __future__ import annotations

import pytest

from bot.answering.small_talk import is_small_talk


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Hello", "Hello! I answer questions from your documents."),
        ("Hi Situate 👋", "Hi! How can I help you today?"),
        ("thanks a lot!", "You're welcome, ask me anything."),
        ("Thank you so much, Situate!", "You are welcome."),
        ("Merci beaucoup !", "Avec plaisir !"),
        ("Vielen Dank", "Gern geschehen!"),
        ("Buenos días a todos", "¡Hola! ¿En qué puedo ayudarle?"),
        ("ありがとうございます", "どういたしまして。またいつでも質問してください。"),
        ("你好！", "您好！有什么可以帮您？"),
        ("नमस्ते", "नमस्ते!"),
        ("❤️ thanks", "You are welcome!"),
    ],
)
def test_greetings_and_thanks_are_small_talk(question: str, reply: str) -> None:
    assert is_small_talk(question, reply)


@pytest.mark.parametrize(
    "question",
    [
        "Who leads security",
        "capital of France",
        "ok why",
        "hello budget",
        "thanks director",
        "merci budget",
        "hi who",
        "history",
        "hello, what is the travel policy?",
        "thanks 2024",
        "Situate",
        "team",
        "日当はいくら",
        "こんにちは予算",
        "Sziasztok",
        "hi hi hi hi hi",
    ],
)
@pytest.mark.parametrize("reply", ["Marie Curie.", "Sure!", "What would you like to know?", "Hello!"])
def test_a_word_that_may_ask_for_facts_is_no_small_talk_whatever_is_replied(question: str, reply: str) -> None:
    assert not is_small_talk(question, reply)


@pytest.mark.parametrize(
    "reply",
    [
        "Hi! The budget of 2024 is 41,000.",
        "Hello! The director stole the money and the institute has been insolvent since spring.",
        "You are welcome. Nobody in your team is paid at all.",
    ],
)
def test_a_greeting_is_no_cover_for_a_statement(reply: str) -> None:
    assert not is_small_talk("hello", reply)
