"""What a thread said before is shown to Claude only as far as it may still be said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.events import Source, Statement, Turn
from bot.answering.memory import BYTES_A_TOKEN, LEFT_OUT, LONGEST_MEMORY, remembered
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


def test_newest_turns_are_kept_within_the_budget() -> None:
    history = [Turn(f"Question {number}?", (said(f"Answer {number} " + "x" * 280, (A, A1)),)) for number in range(20)]
    kept = remembered(history, {A: A1}, budget_tokens=320)
    assert [message["content"] for message in kept[::2]] == ["Question 17?", "Question 18?", "Question 19?"]
    assert remembered(history, {A: A1}, budget_tokens=0) == []


def test_newest_turn_is_cut_where_it_alone_is_over_the_budget() -> None:
    history = [Turn("Old?"), Turn("q" * 600 + " what?", (said("Begin " + "x" * 9_000 + " end.", (A, A1)),))]
    question, answer = (str(message["content"]) for message in remembered(history, {A: A1}, budget_tokens=500))
    assert question.endswith("what?")
    assert answer.startswith("Begin ")
    assert answer.endswith(" end.")
    assert len(question) + len(answer) <= 500 * BYTES_A_TOKEN


def test_uncited_sentence_is_kept_while_all_that_the_answer_was_made_from_may_be_read() -> None:
    history = [Turn("Well?", (said("It went well."),), shown=(Source(A, A1), Source(B, B1)))]
    assert remembered(history, {A: A1, B: B1})[1]["content"] == "It went well."
    assert remembered(history, {A: A1})[1]["content"] == LEFT_OUT
    assert remembered(history, {A: A2, B: B1})[1]["content"] == LEFT_OUT


@pytest.mark.parametrize(
    "earlier",
    [
        Turn("First?", (said("Secret.", (B, B1)),)),
        Turn("First?", (said("Nothing known."),), shown=(Source(B, B1),)),
    ],
)
def test_uncited_sentence_may_also_rest_on_the_answers_before_it(earlier: Turn) -> None:
    """Claude was shown the first answer when it gave the second."""
    history = [earlier, Turn("Sum up?", (said("In short: secret."), said("In May.", (A, A1))), shown=(Source(A, A1),))]
    assert remembered(history, {A: A1, B: B1})[3]["content"] == "In short: secret. In May."
    assert remembered(history, {A: A1})[3]["content"] == "In May."


def test_what_was_said_after_the_last_answer_ends_the_memory_as_a_users_message() -> None:
    history = [*HISTORY, Turn("Ada: And who paid?\nGrace: We did.", answered=False)]
    messages = remembered(history, {A: A1})
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[-1]["content"] == "Ada: And who paid?\nGrace: We did."


def test_an_answer_whose_question_is_gone_goes_on_with_the_one_before() -> None:
    history = [*HISTORY, Turn("", (said("It was late.", (A, A1)),))]
    assert [message["content"] for message in remembered(history, {A: A1})] == ["When?", "It was in May.\nIt was late."]
    assert remembered(history[1:], {A: A1}) == []


sources = st.lists(st.sampled_from([Source(A, A1), Source(A, A2), Source(B, B1)]), max_size=3).map(tuple)
words = st.text(alphabet="ab é日\U000e0041\n", max_size=60)
turns = st.builds(
    Turn,
    question=words,
    statements=st.lists(st.builds(Statement, words, sources), max_size=4).map(tuple),
    answered=st.booleans(),
    shown=sources,
)


@given(st.lists(turns, max_size=12), st.integers(0, 200), st.sampled_from([A1, A2, None]), st.sampled_from([B1, None]))
def test_any_history_gives_alternating_messages_within_the_budget(
    history: list[Turn], budget: int, a: VersionId | None, b: VersionId | None
) -> None:
    messages = remembered(history, {A: a, B: b}, budget)
    roles = [message["role"] for message in messages]
    assert roles == ["user" if number % 2 == 0 else "assistant" for number in range(len(roles))]
    contents = [str(message["content"]) for message in messages]
    assert all(content.strip() for content in contents)
    joints = sum(content.count("\n") for content in contents)
    assert sum(len(content.encode()) for content in contents) <= budget * BYTES_A_TOKEN + joints
