"""What the bot notices of troubles while it works: what answers say of Claude, and whether events can come in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

from bot.answering.events import Answer, Kind
from bot.ledger.alerts import Alert
from bot.slack.troubles import CLAUDE, Connection, Seen, Trouble


def now_utc() -> datetime:
    return datetime.now(UTC)


class Signs:
    """Those who answer and connect say what they see; ``Alerts`` looks at it. ``now`` is a clock of UTC.

    ``heard`` is the latest of each kind. ``known`` is what was wrong when it was last looked, by kind; ``news`` is set
    once something is heard that says otherwise.
    """

    def __init__(self, *, now: Callable[[], datetime] = now_utc) -> None:
        self._now = now
        self._connection = Connection()
        self._is_up: Callable[[], Awaitable[bool]] | None = None
        self.heard: dict[Trouble, Seen] = {}
        self.known: Mapping[str, Alert] = {}
        self.news = asyncio.Event()

    def hear(self, kind: Trouble, ok: bool) -> None:
        """It was just seen that something is wrong, or is fine. What changes what is known is told at once."""
        self.heard[kind] = Seen(not ok, self._now())
        known = self.known.get(kind)
        if ok == (known is not None and known.ended_at is None):
            self.news.set()

    def answered(self, answer: Answer) -> None:
        """What an answer says of Claude: one that Claude gave says that there is a key, and credit."""
        if answer.kind is Kind.ANSWER and answer.usage.output_tokens:
            for kind in CLAUDE:
                self.hear(kind, True)
        elif answer.failure in CLAUDE:
            self.hear(Trouble(answer.failure), False)

    def connected_by(self, is_up: Callable[[], Awaitable[bool]] | None) -> None:
        """How to ask whether events can come in; None: they come in otherwise, or the bot is ending."""
        self._is_up, self._connection = is_up, Connection()

    async def is_cut_off(self) -> bool:
        """Whether events have not been able to come in for over a minute, as often as it was asked."""
        is_up = self._is_up is None or await self._is_up()
        return self._connection.see(self._now(), is_up=is_up)
