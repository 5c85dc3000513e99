"""Moments in the ledger's columns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.ledger.moments import aware, naive, now

TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)


@pytest.mark.parametrize("hours", [-8, 0, 2, 14])
def test_a_moment_is_stored_as_utc_whatever_its_zone(hours: int) -> None:
    assert naive(TEN.astimezone(timezone(timedelta(hours=hours)))) == datetime(2026, 11, 30, 10)  # noqa: DTZ001 as stored


def test_what_was_stored_is_that_moment_again() -> None:
    there = TEN.astimezone(timezone(timedelta(hours=2)))
    assert aware(naive(there)) == there


def test_now_is_stored_as_utc() -> None:
    before = datetime.now(UTC)
    assert before <= aware(now()) <= datetime.now(UTC)
