"""Moments as the ledger's columns hold them: UTC, without a zone."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    return naive(datetime.now(UTC))


def naive(moment: datetime) -> datetime:
    """A moment as it is stored.

    >>> naive(datetime.fromisoformat("2026-11-30T10:00:00+02:00"))
    datetime.datetime(2026, 11, 30, 8, 0)
    """
    return moment.astimezone(UTC).replace(tzinfo=None)


def aware(stored: datetime) -> datetime:
    """What ``naive`` made of a moment, as that moment again."""
    return stored.replace(tzinfo=UTC)
