"""What administrators are alerted to is seen in what really happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.ledger.alerts import Alert
from bot.slack.troubles import Connection, Contexts, Seen, Trouble, latest, look_back, of_indexing
from bot.texts import ENGLISH
from indexer.claude import _SENTENCES
from indexer.spending import Spending

TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)
KEY, CREDIT = ENGLISH.say("claude_key"), ENGLISH.say("claude_credit")
CAPPED = "The cap of $5 a day (DAY_CAP_USD) is reached; run 'retry' tomorrow, or raise it."


def at(minutes: float) -> datetime:
    return TEN + timedelta(minutes=minutes)


@dataclass(frozen=True)
class Row:
    id: str
    state: str
    updated_at: datetime | None
    chunks: int = 4
    failures: dict[str, str] = field(default_factory=dict)


def failed(*minutes: float) -> list[Row]:
    return [Row(f"f{n}.1", "failed", at(minute)) for n, minute in enumerate(minutes)]


def published(minute: float, *reasons: str, chunks: int = 4) -> Row:
    return Row(f"p{minute}.1", "published", at(minute), chunks, {str(n): why for n, why in enumerate(reasons)})


def lasting(minute: float) -> Alert:
    return Alert("indexing", 1, at(minute))


# -- Claude --------------------------------------------------------------------------------------------------------


def test_contexts_that_failed_say_why_in_the_words_that_are_looked_for() -> None:
    assert (_SENTENCES["key"], _SENTENCES["credit"]) == (KEY, CREDIT)


@pytest.mark.anyio
async def test_the_reason_of_the_cap_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spending, "_today", lambda self, workspace: _spent())
    reason = await Spending(None, 5.0).refusal("T1")  # type: ignore[arg-type]  # nothing is read of a database
    assert reason is not None
    assert not of_indexing([published(n, reason, reason, reason) for n in (-3, -2, -1)], TEN, None).is_bad


async def _spent() -> float:
    return 5.0


def test_a_context_that_was_refused_for_the_key_tells_of_the_key() -> None:
    contexts = Contexts()
    rows = [published(1, KEY), published(3, KEY, "Claude is overloaded."), published(2, CREDIT), published(9)]
    assert contexts.see(rows) == {Trouble.KEY: Seen(True, at(3)), Trouble.CREDIT: Seen(True, at(2))}
    assert contexts.see([published(9)]) == {}


def test_a_failure_is_as_old_as_when_it_was_first_seen() -> None:
    contexts = Contexts()
    contexts.see([Row("d.1", "running", at(1), failures={"0": KEY})])
    later = contexts.see([Row("d.1", "published", at(20), failures={"0": KEY})])
    assert later == {Trouble.KEY: Seen(True, at(1))}


def test_what_was_seen_last_counts() -> None:
    assert latest([Seen(True, at(1)), None, Seen(False, at(2))]) == Seen(False, at(2))
    assert latest([Seen(False, at(1)), Seen(True, at(2))]) == Seen(True, at(2))
    assert latest([None]) is None


# -- the connection ------------------------------------------------------------------------------------------------


def test_a_connection_is_bad_after_a_minute_without_it() -> None:
    connection = Connection()
    looks = [(0.0, False), (0.5, False), (1.0, False), (1.1, False), (1.4, True), (1.6, False), (2.5, False)]
    assert [connection.see(at(minute), is_up=up) for minute, up in looks] == [False] * 3 + [True] + [False] * 3


# -- indexing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "is_bad"),
    [
        (failed(-50, -20, -1), True),
        (failed(-20, -1), False),
        (failed(-70, -20, -1), False),
        ([*failed(-2), published(-1, "Claude is overloaded.", "Claude is overloaded."), *failed(-3)[:1]], True),
        ([published(n, "Claude refused to situate this passage.") for n in (-3, -2, -1)], False),
        ([published(n, *["Claude is overloaded."] * 3) for n in (-3, -2, -1)], True),
        ([published(n, *[KEY] * 4) for n in (-3, -2, -1)], False),
        ([published(n, *[CAPPED] * 4) for n in (-3, -2, -1)], False),
        ([Row(f"r{n}.1", "refused", at(-n)) for n in (1, 2, 3)], False),
        ([Row(f"r{n}.1", "removed", at(-n)) for n in (1, 2, 3)], False),
    ],
    ids=["three", "two", "one too old", "mixed", "one of four", "contexts", "the key", "the cap", "refused", "removed"],
)
def test_indexing_fails_where_three_documents_failed_in_an_hour(rows: list[Row], is_bad: bool) -> None:
    rows = [Row(f"{n}.1", row.state, row.updated_at, row.chunks, row.failures) for n, row in enumerate(rows)]
    assert of_indexing(rows, TEN, None).is_bad is is_bad


def test_what_was_told_before_does_not_count_again() -> None:
    over = Alert("indexing", 1, at(-50), at(-15), is_closed=True)
    assert not of_indexing(failed(-40, -30, -20, -2, -1), TEN, over).is_bad
    assert of_indexing(failed(-20, -3, -2, -1), TEN, over).is_bad


@pytest.mark.parametrize(
    ("rows", "is_bad"),
    [
        (failed(-200, -190, -180), True),
        ([*failed(-200, -190, -180), published(-185)], True),
        ([*failed(-200, -190, -180), published(-20)], False),
        ([*failed(-30, -20, -5), published(-1)], True),
        ([*failed(-30, -20), published(-1)], False),
        (failed(-30), True),
        ([*failed(-30, -20, -15), published(-1, *["Claude is overloaded."] * 4)], True),
    ],
    ids=["time alone", "success before", "success after", "too early", "tried again", "removed", "no success"],
)
def test_indexing_works_again_where_a_document_was_published_since(rows: list[Row], is_bad: bool) -> None:
    assert of_indexing(rows, TEN, lasting(-40)).is_bad is is_bad


def test_as_long_as_it_fails_all_is_looked_at_that_may_have_made_it_fail() -> None:
    assert look_back(TEN, None) == at(-60)
    assert look_back(TEN, Alert("indexing", 1, at(-90), at(-30))) == at(-60)
    assert look_back(TEN, lasting(-90)) == at(-150)
