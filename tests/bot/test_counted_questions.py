"""Which questions count against their asker's cap of an hour."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.asking import How, Question
from bot.ledger import Ledger, questions
from bot.ledger.records import Outcome

pytestmark = pytest.mark.anyio

TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)
FIRST = Question("T1", "C1", "1.0", "1.0", "U1", "What is new?", How.MENTION, "channel")


class Asks:
    """Takes questions at moments of its own."""

    def __init__(self, ledger: Ledger, patch: pytest.MonkeyPatch) -> None:
        self._ledger = ledger
        self._patch = patch
        self._asked = 0

    async def __call__(self, minute: int, outcome: Outcome | None = None, **changes: Any) -> Question:
        """A question of U1's at so many minutes past ten."""
        self._asked += 1
        question = replace(FIRST, **{"ts": f"{self._asked}.0", **changes})
        moment = (TEN + timedelta(minutes=minute)).replace(tzinfo=None)
        self._patch.setattr(questions, "now", lambda: moment)
        assert await self._ledger.take(question, "me")
        if outcome is not None:
            assert await self._ledger.close(question.key, "me", outcome)
        return question

    async def before(self, question: Question, since: datetime = TEN) -> list[int]:
        """Minutes past ten of what counts before a question."""
        counted = await self._ledger.counted_before(question.key, since)
        return [round((moment - TEN).total_seconds() / 60) for moment in counted]


@pytest.fixture
def asks(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Asks:
    return Asks(ledger, monkeypatch)


async def test_what_the_same_person_asked_before_counts_however_it_was_asked(asks: Asks) -> None:
    await asks(1, "answered")
    await asks(2, "answered", how=How.COMMAND, channel="C2")
    await asks(3)
    last = await asks(4)
    await asks(5, "answered")
    assert await asks.before(last) == [1, 2, 3]


async def test_what_others_asked_does_not_count(asks: Asks) -> None:
    await asks(1, "answered", user="U2")
    await asks(2, "answered", team="T2")
    assert await asks.before(await asks(3)) == []


async def test_what_was_asked_earlier_than_an_hour_ago_does_not_count(asks: Asks) -> None:
    await asks(10, "answered")
    await asks(40, "answered")
    last = await asks(75)
    assert await asks.before(last, TEN + timedelta(minutes=15)) == [40]


async def test_what_was_stopped_or_deleted_counts_and_what_failed_on_our_side_does_not(asks: Asks) -> None:
    await asks(1, "stopped")
    await asks(2, "dropped")
    await asks(3, "failed")
    assert await asks.before(await asks(4)) == [1, 2]


async def test_what_was_capped_does_not_count_so_nobody_stays_capped_by_asking_on(asks: Asks, ledger: Ledger) -> None:
    await asks(1, "answered")
    for minute in (2, 3):
        capped = await asks(minute, "answered")
        await ledger.capped(capped.key)
        await ledger.capped(capped.key)
    assert await asks.before(await asks(4)) == [1]


async def test_of_many_asked_at_once_each_has_a_place_of_its_own(asks: Asks) -> None:
    together = [await asks(1, channel=f"C{number}") for number in range(5)]
    assert sorted([len(await asks.before(question)) for question in together]) == [0, 1, 2, 3, 4]


async def test_a_question_that_was_never_taken_has_nothing_before_it(ledger: Ledger) -> None:
    assert await ledger.counted_before("unknown", TEN) == []
