"""What a thread said before is shown to Claude only as far as it may still be said."""

from __future__ import annotations

from bot.answering.events import Source, Statement, Turn
from bot.answering.memory import LEFT_OUT, LONGEST_MEMORY, remembered
from indexer import DocumentId, VersionId

A, B = DocumentId("a"), DocumentId("b")
A1, A2, B1 = VersionId("a.1"), VersionId("a.2"), VersionId("b.1")


def said(text: str, *sources: tuple[DocumentId, VersionId]) -> Statement:
    return Statement(text, tuple(Source(*source) for source in sources))


HISTORY = [
    Turn("When?", (said("It was in May.", (A, A1)), said("It cost 41,000.", (B, B1)), said("It went well."))),
]


def answers(published: dict[DocumentId, VersionId | None]) -> list[object]:
    return [message["content"] for message in remembered(HISTORY, published) if message["role"] == "assistant"]


def test_sentences_are_kept_whose_sources_are_still_there() -> None:
    assert answers({A: A1, B: B1}) == ["It was in May. It cost 41,000."]


def test_what_rests_on_a_deleted_document_is_left_out() -> None:
    assert answers({B: B1}) == ["It cost 41,000."]


def test_what_rests_on_a_replaced_version_is_left_out() -> None:
    assert answers({A: A2, B: B1}) == ["It cost 41,000."]


def test_an_answer_of_which_nothing_is_left_is_no_empty_turn() -> None:
    assert answers({}) == [LEFT_OUT]


def test_a_sentence_that_rests_on_two_documents_needs_both() -> None:
    history = [Turn("When?", (said("In May it cost 41,000.", (A, A1), (B, B1)),))]
    assert remembered(history, {A: A1})[1]["content"] == LEFT_OUT


def test_turns_alternate_and_none_is_blank() -> None:
    history = [Turn("  "), *HISTORY, Turn("Why?"), Turn("\U000e0041")]
    messages = remembered(history, {A: A1})
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
    assert all(str(message["content"]).strip() for message in messages)


def test_memory_is_bounded() -> None:
    assert len(remembered(HISTORY * 50, {A: A1})) == 2 * LONGEST_MEMORY
