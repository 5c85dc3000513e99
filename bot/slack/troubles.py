"""What administrators are alerted to, and how it is seen: in what really happens, without asking or paying for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Protocol

from bot.ledger.alerts import Alert
from bot.texts import ENGLISH

HOUR: Final = timedelta(hours=1)
DOWN: Final = timedelta(seconds=60)  # so long a connection may be away without anybody being told
QUIET: Final = timedelta(minutes=10)  # without a failure, before indexing works again
FEW: Final = 3  # documents that fail in an hour without anybody being told


class Trouble(StrEnum):
    """A kind of trouble."""

    KEY = "key"  # Claude refuses it
    CREDIT = "credit"  # there is none left
    SOCKET = "socket"  # the connection that Slack's events come by stays down
    DISK = "disk"  # it fills, or is full
    INDEXING = "indexing"  # documents fail, one after the other
    CAP = "cap"  # the day's, in dollars


CLAUDE: Final = (Trouble.KEY, Trouble.CREDIT)
_TOLD: Final = {kind: ENGLISH.say(f"claude_{kind}") for kind in CLAUDE}  # as contexts that failed say it
_CAPPED: Final = "DAY_CAP_USD"


@dataclass(frozen=True, slots=True)
class Seen:
    """How it stood with one kind of trouble at a moment. ``detail`` has plain values for what is told."""

    is_bad: bool
    at: datetime
    detail: dict[str, Any] = field(default_factory=dict)


class Attempt(Protocol):
    """The newest version of a document, as far as it is looked at: see ``indexer.Version``."""

    @property
    def id(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def chunks(self) -> int: ...
    @property
    def updated_at(self) -> datetime | None: ...
    @property
    def failures(self) -> Any: ...  # the reason, by the chunk's position


def latest(seen: Iterable[Seen | None]) -> Seen | None:
    """What was seen last; of what was seen at the same moment, the good."""
    return max((one for one in seen if one is not None), key=lambda one: (one.at, not one.is_bad), default=None)


class Contexts:
    """Whether Claude refused to write contexts, by the reasons that documents keep.

    The moment that counts is when a failure was first seen: a document goes on changing after its contexts failed.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[str, Trouble], datetime] = {}

    def see(self, attempts: Sequence[Attempt]) -> dict[Trouble, Seen]:
        """By kind, the latest failure for that reason; kinds without one are left out."""
        first = {
            (str(row.id), kind): self._first.get((str(row.id), kind), row.updated_at)
            for row in attempts
            if row.updated_at is not None
            for kind, reason in _TOLD.items()
            if reason in row.failures.values()
        }
        self._first = first
        found: dict[Trouble, Seen] = {}
        for kind in CLAUDE:
            moments = [moment for (_, one), moment in first.items() if one is kind]
            if moments:
                found[kind] = Seen(True, max(moments))
        return found


class Connection:
    """How long the connection to Slack has been down."""

    def __init__(self) -> None:
        self._down_since: datetime | None = None

    def see(self, now: datetime, *, is_up: bool) -> bool:
        """Whether it is bad: down at every look for over a minute."""
        self._down_since = None if is_up else self._down_since or now
        return self._down_since is not None and now - self._down_since > DOWN


def of_indexing(attempts: Sequence[Attempt], now: datetime, alert: Alert | None) -> Seen:
    """Whether documents fail repeatedly. What was refused, or lacks a key, credit or a new day, is another matter.

    It begins with three that failed within an hour. It is over when a document was published after the last failure,
    and fewer than three are left that failed (they were tried again, or removed) or ten minutes passed without another.
    Time alone does not end it.

    Worked example: failures at 10:00, 10:10 and 10:20 → it begins at 10:20. One is published at 10:25, nothing fails →
    it is over at 10:30. A failure at 10:40 is the first of what may begin again.
    """
    failed = [moment for row in attempts if (moment := row.updated_at) is not None and _failed(row)]
    if alert is None or alert.ended_at is not None:
        since = now - HOUR if alert is None or alert.ended_at is None else max(now - HOUR, alert.ended_at)
        count = sum(moment > since for moment in failed)
        return Seen(count >= FEW, now, {"count": count})
    last = max(failed, default=alert.began_at)
    works = any(
        row.state == "published" and not _failed(row) and row.updated_at is not None and row.updated_at > last
        for row in attempts
    )
    over = works and (len(failed) < FEW or now - last >= QUIET)
    return Seen(not over, now, {"count": len(failed)})


def look_back(now: datetime, alert: Alert | None) -> datetime:
    """Since when attempts are looked at for ``of_indexing``."""
    lasts = alert is not None and alert.ended_at is None
    return min(now, alert.began_at) - HOUR if alert is not None and lasts else now - HOUR


def _failed(row: Attempt) -> bool:
    """Whether a document failed for a reason of its own: as a whole, or half of its contexts."""
    if row.state == "failed":
        return True
    reasons = [reason for reason in row.failures.values() if reason not in _TOLD.values() and _CAPPED not in reason]
    return row.state == "published" and bool(reasons) and 2 * len(reasons) >= row.chunks
