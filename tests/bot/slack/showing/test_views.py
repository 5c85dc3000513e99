"""The forms: passages in full, and what was wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.showing import actions
from bot.slack.showing.views import comment_of, feedback, passages, passages_loading, sentence
from bot.texts import ENGLISH, FRENCH, Texts
from indexer import ContextKind
from tests.bot.slack.showing.limits import every_run, every_text, view_faults
from tests.bot.slack.showing.stored import HOSTILE, answer, hit, odd_answers, odd_text, passage, source
from tests.bot.whys import explained

CAUSE = "The root cause was an expired certificate on the gateway."
BEFORE = passage(0, "# Incidents\n\nThe year began quietly.")
HERE = passage(1, f"INC-2023-04-011 was opened. {CAUSE} It was closed on 12 May.\n", "An incident of April 2023.")
AFTER = passage(2, "Renewal was automated.", "Review › Engineering", ContextKind.STRUCTURAL)
NEAR = (BEFORE, HERE, AFTER)


def kinds(view: dict[str, Any]) -> list[str]:
    return [block["type"] for block in view["blocks"]]


def grey(view: dict[str, Any]) -> list[str]:
    return [element["text"] for block in view["blocks"] if block["type"] == "context" for element in block["elements"]]


def runs(view: dict[str, Any]) -> list[tuple[str, bool]]:
    """What the passages read, and whether it is set off."""
    return [
        (run["text"], run.get("style", {}).get("bold", False))
        for quote in every_run(view["blocks"], "rich_text_quote")
        for run in quote["elements"]
    ]


def test_a_source_is_shown_with_quote_neighbours_and_how_it_was_found() -> None:
    shown = answer(source(1), hits=(hit(2, vector=0.9), hit(1, vector=0.8, keyword=3.0)))
    view = passages(shown, {1: NEAR}, ENGLISH)
    assert list(every_text(view["blocks"]))[:3] == [
        "[1] ",
        "Annual Review 2023",
        " › Cybersecurity › Incidents, p. 14 · 30 Jan 2024",
    ]
    assert runs(view) == [
        ("INC-2023-04-011 was opened. ", False),
        (CAUSE, True),
        (" It was closed on 12 May.", False),
    ]
    assert grey(view) == [
        "# Incidents\nThe year began quietly.",
        "Renewal was automated.",
        "ⓘ Found by meaning (2nd) and by the words “INC-2023-04-011, root, cause” (1st).\n"
        "ⓘ Context, written by a program when it was indexed: An incident of April 2023.",
    ]
    assert kinds(view) == ["rich_text", "context", "rich_text", "context", "context"]
    assert view_faults(view) == []


def test_how_a_passage_is_found_now_is_told_in_place_of_what_was_kept() -> None:
    shown = answer(source(1), source(2), hits=(hit(2, vector=0.9), hit(1, vector=0.8, keyword=3.0)))
    found = explained(meaning=3, words=1, text=("certificate",))
    found = replace(found, why=replace(found.why, terms={"text": ("certificate",), "context": ("INC-7",)}))
    view = passages(shown, {1: NEAR, 2: NEAR}, ENGLISH, {"review.1#1": found})
    assert grey(view)[2] == (
        "ⓘ Found by meaning (3rd) and by the words “INC-7, certificate” (1st). Only its context has “INC-7”.\n"
        "ⓘ Context, written by a program when it was indexed: An incident of April 2023."
    )
    assert "ⓘ Found by meaning (1st)." in grey(view)[4]  # the other, from what was kept
    assert grey(view)[-1] == "Ranks are among the passages that you can read now."
    assert view_faults(view) == []


def test_what_a_reranker_gave_a_passage_for_the_answer_is_told() -> None:
    shown = answer(source(1), hits=(hit(2), hit(1, scores={"vector": 0.8, "rerank": 0.931})))
    view = passages(shown, {1: NEAR}, ENGLISH, {"review.1#1": explained(meaning=3)})
    assert (
        "Found by meaning (3rd). For the answer it was read once more beside the question, and got 0.93."
        in grey(view)[2]
    )


def test_of_a_passage_that_may_not_be_read_it_is_not_told_how_it_is_found() -> None:
    view = passages(answer(source(1)), {}, ENGLISH, {"review.1#1": explained(meaning=3, words=1, text=("raise",))})
    assert grey(view) == ["1 source is not shown: it was removed or replaced, or you may not read it."]


def test_a_context_from_headings_is_not_called_written() -> None:
    view = passages(answer(source(1, position=2, quote="Renewal was automated.")), {1: [AFTER]}, ENGLISH)
    assert grey(view) == ["ⓘ Context, from title and headings: Review › Engineering"]


def test_markers_of_one_passage_are_shown_together_once() -> None:
    second = source(2, position=1, quote="It was closed on 12 May.")
    third = source(3, position=2, quote="Renewal")
    view = passages(answer(source(1), second, third), {1: NEAR, 2: NEAR, 3: [HERE, AFTER]}, ENGLISH)
    assert [text for text in every_text(view["blocks"]) if text.startswith("[")] == ["[1][2] ", "[3] "]
    assert [text for text, bold in runs(view) if bold] == [CAUSE, "It was closed on 12 May.", "Renewal"]
    assert kinds(view).count("divider") == 1


def test_quotes_that_overlap_are_set_off_as_one() -> None:
    chunk = passage(1, "one two three four")
    both = answer(source(1, position=1, quote="one two three"), source(2, position=1, quote="three four"))
    assert runs(passages(both, {1: [chunk], 2: [chunk]}, ENGLISH)) == [("one two three four", True)]


def test_a_quote_that_is_not_there_is_not_made_up() -> None:
    view = passages(answer(source(1, quote="Something else.")), {1: [HERE]}, ENGLISH)
    assert runs(view) == [(HERE.chunk.text.strip(), False)]


def test_what_may_not_be_read_is_counted_and_not_named() -> None:
    secret = source(2, title="Salaries", location="Board", position=7, url="https://secret.example", quote="A raise.")
    view = passages(answer(source(1), secret, hits=(hit(7, title="Salaries"),)), {1: NEAR}, ENGLISH)
    told = " ".join(every_text(view["blocks"]))
    assert "1 source is not shown: it was removed or replaced, or you may not read it." in told
    for hidden in ("Salaries", "Board", "A raise", "secret", "[2]"):
        assert hidden not in told
    assert "secret.example" not in str(view)


def test_a_passage_that_is_not_the_sources_own_hides_it() -> None:
    view = passages(answer(source(1)), {1: [BEFORE, AFTER]}, ENGLISH)
    assert grey(view) == ["1 source is not shown: it was removed or replaced, or you may not read it."]


def test_a_very_long_passage_is_shown_around_its_quote() -> None:
    text = "x" * 9_000 + CAUSE + "y" * 9_000
    view = passages(answer(source(1)), {1: [passage(1, text)]}, ENGLISH)
    shown = runs(view)
    assert (CAUSE, True) in shown
    assert shown[0] == ("…", False)
    assert shown[-1] == ("…", False)
    assert sum(len(text) for text, _ in shown) < 3_000


def test_a_long_neighbour_is_cut_on_its_far_side() -> None:
    near = [passage(0, "a" * 900 + "END"), HERE, passage(2, "START" + "b" * 900)]
    before, after, _ = grey(passages(answer(source(1)), {1: near}, ENGLISH))
    assert before.startswith("…")
    assert before.endswith("END")
    assert after.startswith("START")
    assert after.endswith("…")


def test_as_many_sources_as_fit_are_shown_and_the_rest_is_counted() -> None:
    many = [source(n, position=n, quote="") for n in range(1, 41)]
    view = passages(answer(*many), {n: [passage(n, f"text {n}", "context")] for n in range(1, 41)}, ENGLISH)
    assert view_faults(view) == []
    shown = len(runs(view))
    assert shown >= 20
    assert f"{40 - shown} more sources do not fit here." in grey(view)


def test_nothing_in_a_passage_is_read_as_markup() -> None:
    view = passages(answer(source(1, quote="", title=HOSTILE)), {1: [passage(1, HOSTILE, HOSTILE)]}, ENGLISH)
    for kind in ("mrkdwn", "user", "broadcast", "channel", "emoji", "markdown"):
        assert list(every_run(view, kind)) == []
    assert {link["url"] for link in every_run(view, "link")} == {"https://docs.example.com/review"}


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH], ids=["en", "fr"])
def test_slack_takes_the_simple_forms(texts: Texts) -> None:
    assert view_faults(passages_loading(texts)) == []
    assert view_faults(sentence("The answer is no longer kept.", texts, reference="7F3K")) == []
    assert view_faults(sentence("", texts)) == []
    assert view_faults(feedback("Ab3-_xyz0123", texts)) == []
    assert view_faults(passages(answer(), {}, texts)) == []


def test_the_feedback_form_carries_the_answer_and_may_be_left_empty() -> None:
    view = feedback("Ab3", ENGLISH)
    assert view["private_metadata"] == "Ab3"
    (block,) = view["blocks"]
    assert block["optional"] is True
    assert block["element"]["multiline"] is True


@pytest.mark.parametrize(
    ("value", "comment"),
    [(" The date\nis wrong. ", "The date\nis wrong."), ("", None), (None, None), ("x" * 9_000, "x" * 3_000)],
)
def test_the_comment_is_read_from_the_form(value: str | None, comment: str | None) -> None:
    state = {"values": {actions.COMMENT_BLOCK: {actions.COMMENT_INPUT: {"value": value}}}}
    assert comment_of({"state": state}) == comment


@pytest.mark.parametrize("view", [{}, {"state": None}, {"state": {"values": {}}}, {"state": {"values": []}}])
def test_a_form_without_a_comment_has_none(view: dict[str, Any]) -> None:
    assert comment_of(view) is None


@settings(max_examples=60)
@given(
    odd_answers,
    st.lists(odd_text, min_size=5, max_size=5),
    odd_text,
    st.sets(st.integers(1, 99)),
    st.sampled_from([ENGLISH, FRENCH]),
)
def test_slack_takes_whatever_is_shown(
    shown: Any, chunks: list[str], context: str, hidden: set[int], texts: Texts
) -> None:
    near = [passage(number, text, context) for number, text in enumerate(chunks)]
    around = {one.marker: near for one in shown.sources if one.marker not in hidden}
    whys = {
        f"review.1#{n}": explained(text, meaning=n, words=2, several=True, text=(text,))
        for n, text in enumerate(chunks)
    }
    assert view_faults(passages(shown, around, texts, whys)) == []
