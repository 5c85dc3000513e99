"""What one bot heard is there for the others, in order, and for as long as anybody may remember otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.ledger import Ledger

pytestmark = pytest.mark.anyio


async def heard_by_others(ledger: Ledger, me: str, after: int = 0) -> list[tuple[str | None, str | None]]:
    return [(one.channel, one.person) for one in await ledger.changes_after(after, not_by=me)]


async def test_others_are_told_in_order_and_nobody_of_their_own(ledger: Ledger) -> None:
    assert await ledger.last_change() == 0
    await ledger.note_change("C1", "U1", "a")
    await ledger.note_change(None, "U2", "a")
    await ledger.note_change("C2", None, "b")
    assert await heard_by_others(ledger, "b") == [("C1", "U1"), (None, "U2")]
    assert await heard_by_others(ledger, "a") == [("C2", None)]
    assert await heard_by_others(ledger, "c", after=await ledger.last_change()) == []


async def test_numbers_grow_also_where_all_that_was_is_forgotten(ledger: Ledger) -> None:
    await ledger.note_change("C1", None, "a")
    last = await ledger.last_change()
    assert await ledger.forget_changes(datetime.now(UTC) + timedelta(seconds=5)) == 1
    await ledger.note_change("C2", None, "a")
    assert await heard_by_others(ledger, "b", after=last) == [("C2", None)]


async def test_what_is_new_is_not_forgotten(ledger: Ledger) -> None:
    await ledger.note_change("C1", None, "a")
    assert await ledger.forget_changes(datetime.now(UTC) - timedelta(seconds=5)) == 0
