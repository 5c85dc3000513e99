"""Faults on order, and the rate limits of the Web API."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

TIERS = {1: 1, 2: 20, 3: 50, 4: 100, 5: 600}  # calls a minute; the last one stands for "special"
POSTS_PER_SECOND = 1.0
BURST = 3  # so many posts may come at once


@dataclass
class Fault:
    """What befalls the next calls of a method (``chat.*`` means all of a family). One of the fields is set."""

    method: str
    error: str | None = None
    status: int | None = None
    ratelimited: float | None = None
    hang: float | None = None
    drop: Literal["before", "after"] | None = None
    times: int | None = 1


@dataclass
class Faults:
    """Faults in the order in which they were ordered, and methods that are slow."""

    ordered: list[Fault] = field(default_factory=list)
    slow: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, fault: Fault) -> None:
        with self._lock:
            self.ordered.append(fault)

    def clear(self) -> None:
        with self._lock:
            self.ordered.clear()
            self.slow.clear()

    def due(self, method: str) -> Fault | None:
        """The fault of this call, if one is due; it is used up by that."""
        with self._lock:
            for at, fault in enumerate(self.ordered):
                if fnmatchcase(method, fault.method):
                    if fault.times is not None:
                        fault.times -= 1
                        if fault.times <= 0:
                            del self.ordered[at]
                    return fault
        return None

    def delay(self, method: str) -> float:
        """Seconds before the method does anything."""
        return max((s for pattern, s in self.slow.items() if fnmatchcase(method, pattern)), default=0.0)


@dataclass
class Rates:
    """Calls a minute by method, posts a second by channel. ``minute``: how long a minute is, in seconds."""

    minute: float = 60.0
    _calls: dict[str, deque[float]] = field(default_factory=dict)

    def wait(self, method: str, tier: int | None, channel: str | None) -> float:
        """Seconds until the call may come again; 0: it may pass, and is counted."""
        now = time.monotonic()
        limits: list[tuple[str, int, float]] = []
        if tier is not None:
            limits.append((method, TIERS[tier], self.minute))
        elif channel is not None:
            limits.append((f"{method} {channel}", BURST, BURST / POSTS_PER_SECOND * self.minute / 60))
        for key, most, seconds in limits:
            calls = self._calls.setdefault(key, deque())
            while calls and calls[0] <= now - seconds:
                calls.popleft()
            if len(calls) >= most:
                return calls[0] + seconds - now
            calls.append(now)
        return 0.0
