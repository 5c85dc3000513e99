"""What administrators were told is known to all bots: a trouble begins once, ends once, and one bot tells it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.ledger import Ledger
from bot.ledger.alerts import BUSY_SECONDS, Alert

pytestmark = pytest.mark.anyio

TEAM = "T1"
TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return TEN + timedelta(minutes=minutes)


async def the_alert(ledger: Ledger) -> Alert:
    (alert,) = (await ledger.alerts(TEAM)).values()
    return alert


async def test_what_many_see_begins_once(ledger: Ledger) -> None:
    await asyncio.gather(*(ledger.alert_begins(TEAM, "key", at(n), {"seen": n}) for n in range(10)))
    alert = await the_alert(ledger)
    assert (alert.kind, alert.number, alert.ended_at, alert.begun_told) == ("key", 1, None, False)
    assert alert.detail == {"seen": (alert.began_at - TEN) // timedelta(minutes=1)}
    assert await ledger.alerts("T2") == {}


async def test_what_ended_before_it_was_told_whole_goes_on_where_it_comes_back(ledger: Ledger) -> None:
    await ledger.alert_begins(TEAM, "key", at(0), {})
    await ledger.alert_ends(TEAM, "key", at(5))
    assert (await the_alert(ledger)).ended_at == at(5)
    await ledger.alert_begins(TEAM, "key", at(6), {})
    alert = await the_alert(ledger)
    assert (alert.number, alert.began_at, alert.ended_at) == (1, at(0), None)


async def test_what_was_told_whole_and_comes_back_is_another(ledger: Ledger) -> None:
    await ledger.alert_begins(TEAM, "key", at(0), {"seen": 1})
    await ledger.alert_told(TEAM, await the_alert(ledger), at(1), closed=False, first=True)
    await ledger.alert_ends(TEAM, "key", at(5))
    await ledger.alert_told(TEAM, await the_alert(ledger), at(6), closed=True, first=False)
    alert = await the_alert(ledger)
    assert (alert.is_closed, alert.begun_told, alert.told_at) == (True, True, at(1))
    await ledger.alert_begins(TEAM, "key", at(9), {"seen": 2})
    alert = await the_alert(ledger)
    assert alert == Alert("key", 2, at(9), told_at=at(1), detail={"seen": 2})


async def test_what_comes_back_while_its_end_is_told_is_another(ledger: Ledger) -> None:
    await ledger.alert_begins(TEAM, "key", at(0), {})
    await ledger.alert_ends(TEAM, "key", at(5))
    ended = await the_alert(ledger)
    await ledger.alert_begins(TEAM, "key", at(6), {})
    await ledger.alert_told(TEAM, ended, at(7), closed=True, first=False)
    alert = await the_alert(ledger)
    assert (alert.number, alert.began_at, alert.ended_at, alert.is_closed) == (2, at(7), None, False)


async def test_what_was_seen_earlier_changes_nothing(ledger: Ledger) -> None:
    await ledger.alert_begins(TEAM, "key", at(5), {})
    await ledger.alert_ends(TEAM, "key", at(4))
    assert (await the_alert(ledger)).ended_at is None
    await ledger.alert_ends(TEAM, "key", at(8))
    await ledger.alert_begins(TEAM, "key", at(7), {})
    assert (await the_alert(ledger)).ended_at == at(8)


async def test_of_many_who_would_tell_one_does(ledger: Ledger) -> None:
    await ledger.alert_begins(TEAM, "key", at(0), {})
    alert = await the_alert(ledger)
    turns = await asyncio.gather(*(ledger.take_alert(TEAM, alert, at(1)) for _ in range(10)))
    assert [turn for turn in turns if turn is not None] == ["first"]
    await ledger.alert_told(TEAM, alert, at(1), closed=False, first=True)
    assert await ledger.take_alert(TEAM, alert, at(2)) is None  # who saw it before it was told
    assert await ledger.take_alert(TEAM, await the_alert(ledger), at(2)) == "first"


async def test_what_a_dead_process_was_telling_is_told_again_after_a_while(ledger: Ledger) -> None:
    await ledger.alert_begins(TEAM, "key", at(0), {})
    alert = await the_alert(ledger)
    assert await ledger.take_alert(TEAM, alert, at(1)) == "first"
    assert await ledger.take_alert(TEAM, alert, at(2)) is None
    assert await ledger.take_alert(TEAM, alert, at(1) + timedelta(seconds=BUSY_SECONDS + 1)) == "again"


async def test_what_could_not_be_told_is_put_off(ledger: Ledger) -> None:
    await ledger.alert_begins(TEAM, "key", at(0), {})
    alert = await the_alert(ledger)
    await ledger.take_alert(TEAM, alert, at(1))
    await ledger.put_alert_off(TEAM, alert, at(3))
    assert await ledger.take_alert(TEAM, alert, at(2)) is None
    assert await ledger.take_alert(TEAM, alert, at(4)) == "again"


async def test_it_is_bad_while_it_is_bad_anywhere(ledger: Ledger) -> None:
    async def seen(place: str, minute: float, *, is_bad: bool) -> bool:
        return await ledger.sighted(TEAM, "disk", place, at(minute), is_bad=is_bad, not_before=at(minute - 3))

    assert await seen("one", 0, is_bad=True)
    assert await seen("two", 0, is_bad=True)
    assert await seen("one", 1, is_bad=False)  # it is, at the other
    assert not await seen("two", 2, is_bad=False)
    assert await seen("one", 3, is_bad=True)
    assert not await seen("two", 7, is_bad=False)  # of the first nothing was heard any more
