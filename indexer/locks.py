"""A lock on a file that the kernel lets go of when its holder dies, so that nobody has to clean up after a crash."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_POLL_SECONDS = 0.05


class FileLock:
    """An ``flock`` on one open file: shared by many, or held by one. Two locks in one process are two holders."""

    def __init__(self, path: Path) -> None:
        """Open ``path``, made if missing. ``OSError`` where that is impossible."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def share(self) -> bool:
        """Hold it together with others. False if somebody holds it alone."""
        return self._take(fcntl.LOCK_SH)

    def own(self) -> bool:
        """Hold it alone. False if anybody else holds it."""
        return self._take(fcntl.LOCK_EX)

    def own_within(self, seconds: float) -> bool:
        """Hold it alone, waiting for others up to ``seconds``. Blocks: for threads only."""
        give_up = time.monotonic() + seconds
        while not self.own():
            if time.monotonic() > give_up:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def close(self) -> None:
        """Let go. Calling it again does nothing."""
        if self._file >= 0:
            fcntl.flock(self._file, fcntl.LOCK_UN)  # closing alone would leave it with a forked child's copy
            os.close(self._file)
            self._file = -1

    def _take(self, kind: int) -> bool:
        try:
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@asynccontextmanager
async def owned(path: Path, *, waiting: Callable[[], None]) -> AsyncIterator[None]:
    """Hold ``path`` alone for the block. ``waiting`` is called once if somebody else has held it for two seconds.

    The holder may be busy for minutes and dies with its lock, so there is no limit to the wait; it can be cancelled.
    """
    lock = FileLock(path)
    try:
        since, told = time.monotonic(), False
        while not lock.own():
            if not told and time.monotonic() - since > 2:
                waiting()
                told = True
            await asyncio.sleep(_POLL_SECONDS)
        yield
    finally:
        lock.close()
