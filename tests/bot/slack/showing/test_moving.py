"""The message that moves while documents are added."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adding import Progress, State, Twin
from bot.slack.showing import actions
from bot.slack.showing.messages import Message
from bot.slack.showing.moving import dollars, moving_message
from bot.texts import ENGLISH, FRENCH, Texts
from tests.bot.slack.showing.limits import every_run, every_text, message_faults
from tests.bot.slack.showing.stored import HOSTILE, odd_text

FEBRUARY = datetime(2026, 2, 2, tzinfo=UTC)
TWIN = Twin("d1", "Budget 2024.xlsx", "name", "Ana", FEBRUARY, may_replace=True)


def moved(*items: Progress, texts: Texts = ENGLISH, **more: Any) -> Message:
    message = moving_message("Ab3", items, texts, **more)
    assert message_faults(message.blocks, message.text) == []
    return message


def told(message: Message) -> str:
    """What its first line says."""
    (section,) = message.blocks[0]["elements"]
    return "".join(run["text"] for run in section["elements"])


def grey(message: Message) -> list[str]:
    blocks = [block for block in message.blocks if block["type"] == "context"]
    return [element["text"] for block in blocks for element in block["elements"]]


def buttons(message: Message) -> list[tuple[str, str, str]]:
    found = every_run(message.blocks, "button")
    return [(button["text"]["text"], button["action_id"], button["value"]) for button in found]


def test_a_document_is_followed_from_reading_to_ready() -> None:
    budget = Progress("reading", "Budget 2024.xlsx")
    assert told(moved(budget)) == "Reading Budget 2024.xlsx …"
    indexing = Progress("indexing", "Budget 2024", done=18, total=42)
    assert told(moved(indexing)) == "Indexing “Budget 2024”: 18 of 42 passages"
    assert buttons(moved(indexing)) == []
    ready = moved(Progress("ready", "Budget 2024"))
    assert told(ready) == ready.text == "Ready. Ask me about “Budget 2024”."
    assert buttons(ready) == [("Try it", actions.TRY_IT, "Ab3:0"), ("Remove", actions.REMOVE_ADDED, "Ab3:0")]


def test_what_was_refused_is_named_where_the_reason_does_not() -> None:
    """Of two links that were refused alike it is seen which is which."""
    why = "127.0.0.1 is not a public address."
    assert told(moved(Progress("refused", "docs.example.org/guide", sentence=why))) == f"docs.example.org/guide: {why}"
    assert told(moved(Progress("refused", "127.0.0.1", sentence=why))) == why
    assert told(moved(Progress("refused", "", sentence=why))) == why


def test_what_was_refused_says_why_and_has_no_buttons() -> None:
    why = "I can't read Scan_0042.pdf: it is a scan. Attach a text PDF."
    refused = moved(Progress("refused", "Scan_0042.pdf", sentence=why))
    assert told(refused) == why
    assert grey(refused) == []
    assert buttons(refused) == []
    assert told(moved(Progress("refused", "Scan_0042.pdf"))) == "I could not add Scan_0042.pdf."


def test_a_document_of_the_same_name_may_be_replaced_or_kept() -> None:
    asks = moved(Progress("asks_twin", "Budget 2024.xlsx", twin=TWIN))
    assert told(asks) == "There is already a document Budget 2024.xlsx. It was added by @Ana on 2 Feb 2026."
    assert asks.text == told(asks)
    assert [action for _, action, _ in buttons(asks)] == [
        actions.REPLACE_TWIN,
        actions.KEEP_BOTH,
        actions.CANCEL_ADDING,
    ]


def test_a_document_of_nearly_the_same_text_is_named() -> None:
    twin = Twin("d1", "Old budget", "text", "", FEBRUARY, may_replace=True)
    asks = moved(Progress("asks_twin", "New budget", twin=twin))
    assert told(asks) == (
        "“New budget” says nearly the same as “Old budget”, which is there already. It was added on 2 Feb 2026."
    )


def test_who_may_not_replace_a_document_is_told_who_can() -> None:
    twin = Twin("d1", "Budget 2024.xlsx", "name", "Ana", None)
    asks = moved(Progress("asks_twin", "Budget 2024.xlsx", twin=twin))
    assert told(asks).endswith("added by @Ana. Only who added it, or an administrator, can replace it.")
    assert [action for _, action, _ in buttons(asks)] == [actions.KEEP_BOTH, actions.CANCEL_ADDING]


def test_who_added_a_document_is_told_and_not_called() -> None:
    asks = moved(Progress("asks_twin", "Budget", twin=Twin("d1", "Budget", "name", "channel", FEBRUARY)))
    assert list(every_run(asks.blocks, "user")) == []
    assert "@channel" not in asks.text
    assert "@\u2060channel" in asks.text


def test_what_costs_much_asks_with_the_estimate() -> None:
    asks = moved(Progress("asks_cost", "Handbook", estimate_usd=2.416))
    assert told(asks) == "Having Claude read “Handbook” will cost about $2.42. Shall I go on?"
    assert buttons(asks) == [("Go on", actions.GO_ON, "Ab3:0"), ("Cancel", actions.CANCEL_ADDING, "Ab3:0")]


@pytest.mark.parametrize(
    ("usd", "said"), [(3.456, "$3.46"), (0.0312, "$0.03"), (0.0004, "$0.0004"), (0.00001, "$0.0001"), (0.0, "$0.00")]
)
def test_an_amount_has_as_many_digits_as_mean_something(usd: float, said: str) -> None:
    assert dollars(usd, ENGLISH) == said
    assert dollars(usd, FRENCH) == f"{said[1:].replace('.', ',')} $"


def test_cost_and_failed_contexts_are_for_administrators() -> None:
    ready = Progress("ready", "Budget", cost_usd=0.031, failed_contexts=2)
    assert grey(moved(ready)) == []
    (below,) = grey(moved(ready, for_admin=True))
    assert below.startswith("Cost: $0.03\nThe contexts of 2 passages failed")


def test_what_is_worth_knowing_stands_under_a_document_and_who_it_is_for_at_the_end() -> None:
    ready = Progress("ready", "Budget", sentence="Two pages are pictures.")
    assert grey(moved(ready, audience_label="#finance, 12 members")) == [
        "Two pages are pictures.",
        "Who may get answers from this: #finance, 12 members",
    ]


def test_what_is_gone_or_never_came_is_for_nobody_and_not_remarked_upon() -> None:
    for state in ("removed", "cancelled"):
        over: State = state
        assert grey(moved(Progress(over, "A", sentence="It goes with its file."), audience_label="Only me")) == []
    assert grey(moved(Progress("refused", "A", sentence="Empty."), audience_label="Only me")) == []
    both = moved(Progress("refused", "A", sentence="Empty."), Progress("reading", "B"), audience_label="Only me")
    assert grey(both) == ["Who may get answers from this: Only me"]


def test_a_title_that_is_a_sentence_stands_apart_from_ours() -> None:
    assert told(moved(Progress("ready", "Who signs?"))) == "Ready. Ask me about “Who signs?”."
    assert told(moved(Progress("reading", "We all …"))) == "Reading “We all …” …"
    assert told(moved(Progress("cancelled", "We all sign."), texts=FRENCH)) == "« We all sign. » n'a pas été ajouté."


def test_a_title_is_not_said_twice_of_what_says_the_same() -> None:
    twin = Twin("d1", "Canteen", "text", "Ana", FEBRUARY)
    assert told(moved(Progress("asks_twin", "Canteen", twin=twin))).startswith(
        "“Canteen”: a document with this title and nearly the same text is there already. It was added by @Ana"
    )
    other = told(moved(Progress("asks_twin", "Lunch", twin=twin)))
    assert other.startswith("“Lunch” says nearly the same as “Canteen”, which is there already.")


def test_what_somebody_else_had_added_stays_theirs() -> None:
    for adder, said in (("Ana", "added by @Ana"), ("", "added by somebody else")):
        ready = moved(Progress("ready", "Canteen", adder=adder))
        assert told(ready) == f"“Canteen” is there already, {said}; I have read it again. Ask me about it."
        assert [action for _, action, _ in buttons(ready)] == [actions.TRY_IT]


def test_each_item_has_its_own_buttons() -> None:
    three = moved(Progress("ready", "A"), Progress("refused", "B", sentence="Empty."), Progress("ready", "C"))
    assert [value for _, action, value in buttons(three) if action == actions.TRY_IT] == ["Ab3:0", "Ab3:2"]
    assert three.text.splitlines() == ["Ready. Ask me about “A”.", "“B”: Empty.", "Ready. Ask me about “C”."]


def test_what_may_not_be_read_any_more_is_not_named() -> None:
    hidden = Progress("ready", "Salaries", "d1", sentence="Of the board.", twin=TWIN).without_title()
    message = moved(hidden)
    assert told(message) == "Ready. Ask me about the document."
    shown = " ".join(every_text(message.blocks)) + message.text
    assert not any(secret in shown for secret in ("Salaries", "board", "Budget"))


def test_in_french() -> None:
    assert told(moved(Progress("indexing", "Budget", done=1, total=42), texts=FRENCH)) == (
        "J'indexe « Budget » : passage 1 sur 42"
    )
    assert told(moved(Progress("removed", "Budget"), texts=FRENCH)) == "« Budget » n'est plus dans les documents."


def test_nothing_in_a_title_or_a_reason_is_read_as_markup() -> None:
    twin = Twin("d1", HOSTILE, "text", HOSTILE, FEBRUARY)
    message = moved(
        Progress("asks_twin", HOSTILE, twin=twin),
        Progress("refused", HOSTILE, sentence=HOSTILE),
        Progress("ready", HOSTILE, sentence=HOSTILE),
        audience_label=HOSTILE,
    )
    for kind in ("mrkdwn", "broadcast", "channel", "emoji", "markdown", "link", "user"):
        assert list(every_run(message.blocks, kind)) == []
    assert "<@" not in message.text


def test_a_request_of_nothing_yet_says_that_it_has_begun() -> None:
    message = moving_message("Ab3", [], ENGLISH)
    assert message.text == "I am on it …"
    assert message_faults(message.blocks, message.text) == []


odd_twins = st.builds(
    Twin,
    odd_text,
    odd_text,
    st.sampled_from(["name", "text"]),
    odd_text,
    st.one_of(st.none(), st.datetimes(timezones=st.just(UTC))),
    st.booleans(),
)
odd_progress = st.builds(
    Progress,
    st.sampled_from(get_args(State)),
    odd_text,
    done=st.integers(0, 10**9),
    total=st.integers(0, 10**9),
    sentence=odd_text,
    twin=st.one_of(st.none(), odd_twins),
    estimate_usd=st.floats(0, 1e6),
    cost_usd=st.floats(0, 1e6),
    adder=st.one_of(st.none(), odd_text),
    failed_contexts=st.integers(0, 10**6),
)


@settings(max_examples=150)
@given(st.lists(odd_progress, max_size=15), st.booleans(), odd_text, st.sampled_from([ENGLISH, FRENCH]))
def test_slack_takes_whatever_is_shown(items: list[Progress], for_admin: bool, label: str, texts: Texts) -> None:
    message = moving_message("a1b2c3d4e5f60718", items, texts, for_admin=for_admin, audience_label=label)
    assert message_faults(message.blocks, message.text) == []
