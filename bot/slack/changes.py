"""What one bot hears of people and channels, all bots on the same database act on: Slack tells each event to one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from bot.ledger import Ledger
from bot.slack.background import every, in_peace
from bot.slack.directory import Directory

LOOK_SECONDS = 0.5  # between two looks while nobody asks anything
# Of two changes that are noted at once the later number may be there first: so far back is looked again.
_OVERLAP: Final = 50


class Changes:
    """``heard`` what Slack says here; ``catch_up`` with what it said elsewhere."""

    def __init__(
        self, ledger: Ledger, directory: Directory, owner: str, *, changed: Callable[[str | None], Awaitable[None]]
    ) -> None:
        """``owner`` is this process's executor. ``changed`` is told, by their id, who may read other things now; None:
        everybody in some channel."""
        self._ledger = ledger
        self._directory = directory
        self._owner = owner
        self._changed = changed
        self._first = self._last = 0
        self._seen: deque[int] = deque(maxlen=4 * _OVERLAP)
        self._looked = float("-inf")
        self._looking = asyncio.Lock()
        self._telling: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """From now on: what was before, this process has not asked Slack for. Raises CatalogueUnavailable."""
        self._first = self._last = await self._ledger.last_change()
        self._directory.catch_up = self.catch_up

    async def heard(self, channel: str | None, person: str | None) -> None:
        """Slack says that something changed about a channel, a person, or a person in a channel.

        Known here at once, also where CatalogueUnavailable is raised.
        """
        self._apply(channel, person)
        await self._ledger.note_change(channel, person, self._owner)

    async def catch_up(self) -> None:
        """What others heard until now is known here. Raises CatalogueUnavailable."""
        loop = asyncio.get_running_loop()
        asked = loop.time()
        async with self._looking:
            if self._looked >= asked:  # somebody looked while this one waited
                return
            began = loop.time()
            changes = await self._ledger.changes_after(self._last - _OVERLAP, not_by=self._owner)
            self._looked = began
            new = [one for one in changes if one.number > self._first and one.number not in self._seen]
            for change in new:
                self._seen.append(change.number)
                self._apply(change.channel, change.person)
            self._last = max([self._last, *(change.number for change in changes)])
        if new:
            self._tell({self.whose(change.channel, change.person) for change in new})

    async def keep_up(self) -> None:
        """``catch_up`` again and again, until cancelled: an answer that is being shown does not wait to be asked."""
        await every(LOOK_SECONDS, self.catch_up, "what others heard of people and channels could not be read")

    def whose(self, channel: str | None, person: str | None) -> str | None:
        """Who may read other things after a change; None: many."""
        return person if channel is None or person != self._directory.me else None

    # -- within --------------------------------------------------------------------------------------------------------

    def _apply(self, channel: str | None, person: str | None) -> None:
        directory = self._directory
        if channel is None:
            directory.forget_person(person or "")
        elif person is None:
            directory.forget_channel(channel)
        else:
            directory.forget_member(channel, person)

    def _tell(self, people: set[str | None]) -> None:
        """Without waiting: whoever asks who may read what waits for this."""
        task = asyncio.create_task(self._told({None} if None in people else people))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _told(self, people: set[str | None]) -> None:
        for person in people:
            await in_peace(partial(self._changed, person), "what people see could not be brought up to date")
