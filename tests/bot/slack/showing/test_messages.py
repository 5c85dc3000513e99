"""Messages beside a streamed answer."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.slack.showing import actions
from bot.slack.showing.blocks import Offers, Told
from bot.slack.showing.messages import (
    asked_person_message,
    command_answer,
    help_message,
    muted_message,
    sentence_message,
    shared_answer,
    trouble_message,
)
from bot.texts import ENGLISH, FRENCH
from tests.bot.slack.showing.limits import every_run, every_text, message_faults
from tests.bot.slack.showing.stored import HOSTILE, answer, odd_answers, odd_text, source


def kinds(blocks: list[dict[str, Any]]) -> list[str]:
    """The kinds of blocks in order; several of one kind in a row (a source each) count once."""
    return [kind for kind, _ in groupby(block["type"] for block in blocks)]


def test_a_command_is_answered_under_its_question_and_can_be_shared() -> None:
    shown = answer(source(), private=True)
    (message,) = command_answer(
        shown, ENGLISH, ["It was a certificate. [1]"], question="What caused it?", offers=Offers(share=True)
    )
    assert kinds(message.blocks) == ["context", "markdown", "rich_text", "actions"]
    assert message.blocks[0]["elements"][0]["text"] == "“What caused it?”"
    assert actions.SHARE in [button["action_id"] for button in every_run(message.blocks, "button")]
    assert message.text.startswith("It was a certificate. [1]")
    assert message_faults(message.blocks, message.text) == []


def test_a_shared_answer_tells_who_asked_what_and_is_not_shared_again() -> None:
    (message,) = shared_answer(answer(source()), ENGLISH, ["It was a certificate. [1]"], question="Why?")
    assert kinds(message.blocks) == ["rich_text", "markdown", "rich_text", "actions"]
    assert [user["user_id"] for user in every_run(message.blocks, "user")] == ["U1ASKER"]
    assert list(every_text(message.blocks))[:2] == [" asks:", "Why?"]
    assert actions.SHARE not in [button["action_id"] for button in every_run(message.blocks, "button")]


def test_a_footer_that_does_not_fit_is_one_more_message() -> None:
    sources = [source(n, quote="q" * 200, title="t" * 90) for n in range(1, 6)]
    parts = ["a " * 5_700, "b " * 5_700]
    messages = command_answer(answer(*sources), ENGLISH, parts, question="Why?")
    assert [kinds(message.blocks) for message in messages] == [
        ["context", "markdown"],
        ["markdown"],
        ["rich_text", "actions"],
    ]
    assert [message_faults(message.blocks, message.text) for message in messages] == [[], [], []]
    assert messages[2].text.startswith("Sources")


def test_an_answer_of_no_words_still_has_its_sources() -> None:
    (message,) = command_answer(answer(source(), text=""), ENGLISH, [" ", ""], question="Why?")
    assert kinds(message.blocks) == ["context", "rich_text", "actions"]
    assert message_faults(message.blocks, message.text) == []


def test_a_mention_alone_is_told_how_to_ask() -> None:
    message = help_message(ENGLISH, command="/ask")
    assert "use /ask" in message.text
    assert message_faults(message.blocks, message.text) == []


def test_trouble_is_one_sentence_with_its_reference() -> None:
    message = trouble_message("Weaviate is away.", ENGLISH, reference="7F3K", retry="Ab3")
    assert message.text == "Weaviate is away. (ref 7F3K)"
    assert [button["value"] for button in every_run(message.blocks, "button")] == ["Ab3"]
    assert kinds(trouble_message("It failed.", ENGLISH).blocks) == ["rich_text"]


def test_whoever_added_the_closest_document_is_called() -> None:
    message = asked_person_message(ENGLISH, asker="U1", question="How much?", adder="U2", title="Travel Policy")
    assert [user["user_id"] for user in every_run(message.blocks, "user")] == ["U2", "U1"]
    assert "because you added “Travel Policy”" in message.text
    assert message.text.startswith("<@U2> – <@U1> asks you")
    untitled = asked_person_message(FRENCH, asker="U1", question="Combien ?", adder="U2")
    assert "vous le demande. Je n'ai rien trouvé" in untitled.text


def test_the_channel_is_asked_without_calling_everybody() -> None:
    message = asked_person_message(ENGLISH, asker="U1", question=HOSTILE)
    assert [user["user_id"] for user in every_run(message.blocks, "user")] == ["U1"]
    assert list(every_run(message.blocks, "broadcast")) == []
    assert message_faults(message.blocks, message.text) == []
    assert message.text.replace("<@U1>", "").count("<") == 0


def test_a_muted_thread_can_be_followed_again() -> None:
    message = muted_message(ENGLISH, "Ab3")
    (button,) = every_run(message.blocks, "button")
    assert (button["action_id"], button["value"]) == (actions.UNMUTE, "Ab3")


@given(odd_answers, st.lists(odd_text.map(lambda text: text[:11_500]), max_size=4), odd_text)
def test_slack_takes_every_answer(shown: Any, parts: list[str], question: str) -> None:
    said = Told(question, "7F3K", nothing_found=True, readable=3)
    for make in (command_answer, shared_answer):
        messages = make(shown, ENGLISH, parts, question=question, told=said, offers=Offers(share=True))
        for message in messages:
            assert message_faults(message.blocks, message.text) == []
        markdown = [block["text"] for one in messages for block in one.blocks if block["type"] == "markdown"]
        assert markdown == [part for part in parts if part.strip()]


@given(odd_text, odd_text)
def test_slack_takes_every_sentence(text: str, title: str) -> None:
    for message in (
        asked_person_message(FRENCH, asker="U1", question=text, adder="U2", title=title),
        trouble_message(text, FRENCH, reference="7F3K", retry="Ab3"),
        sentence_message(text),
        muted_message(FRENCH, "Ab3"),
        help_message(FRENCH, command="/ask"),
    ):
        assert message_faults(message.blocks, message.text) == []
