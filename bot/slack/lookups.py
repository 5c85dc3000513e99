"""Lookups that are kept for a while: one at a time for a key, waited for as long as a person would wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from bot.texts import ENGLISH
from indexer import Unavailable

LONGEST_LOOKUP = 300.0  # seconds; a large workspace is listed over many pages, with Slack's pauses between them
MOST_KEPT = 100_000

T = TypeVar("T")


class CannotCheck(Unavailable):
    """Slack did not tell, or not in time: who may read what is not known. ``code`` is Slack's word for it, if any."""

    text_key = "cannot_check"

    def __init__(self, code: str = "") -> None:
        super().__init__(ENGLISH.say(self.text_key))
        self.code = code


class Lookups(Generic[T]):
    """Values by key, for ``seconds``.

    A lookup goes on after those who wait for it have given up: the next one to ask finds what it brought. What was
    forgotten while it was looked up is not kept.
    """

    def __init__(self, seconds: float, now: Callable[[], float], most: int = MOST_KEPT) -> None:
        self._seconds = seconds
        self._now = now
        self._most = most
        self._kept: dict[str, tuple[float, T]] = {}
        self._flying: dict[str, asyncio.Task[T]] = {}
        self._tasks: set[asyncio.Task[T]] = set()

    def known(self, key: str) -> T | None:
        """What is known without asking anybody."""
        until, value = self._kept.get(key, (0.0, None))
        return value if value is not None and self._now() < until else None

    def keep(self, key: str, value: T) -> None:
        self._kept.pop(key, None)
        self._kept[key] = (self._now() + self._seconds, value)
        while len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]

    def forget(self, key: str) -> None:
        """It may have changed: it is looked up afresh, whatever is under way."""
        self._kept.pop(key, None)
        self._flying.pop(key, None)

    async def get(self, key: str, look: Callable[[], Awaitable[T]], patience: float) -> T:
        """The value, looked up if need be; CannotCheck after ``patience`` seconds."""
        value = self.known(key)
        if value is not None:
            return value
        task = self._flying.get(key)
        if task is None:
            task = asyncio.create_task(self._look(key, look))
            self._flying[key] = task
            self._tasks.add(task)
            task.add_done_callback(self._landed)
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(task)
        except TimeoutError as error:
            raise CannotCheck("timeout") from error

    async def close(self) -> None:
        """End what is under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self, key: str, look: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(LONGEST_LOOKUP):
                value = await look()
        except TimeoutError as error:
            raise CannotCheck("timeout") from error
        finally:
            current = self._flying.get(key) is asyncio.current_task()
            if current:
                del self._flying[key]
        if current:
            self.keep(key, value)
        return value

    def _landed(self, task: asyncio.Task[T]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # seen: nobody may be waiting for it any more
