"""How long a server asks to wait before the next try."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds that ``retry-after-ms`` or ``retry-after`` (seconds or a date) ask to wait; None without any."""
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * factor
        except (KeyError, ValueError):
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after"))
    return None if date is None else email.utils.mktime_tz(date) - time.time()


def later(wait: float | None) -> str:
    """When to try again, in words: ``later(300)`` → ``"in 5 minutes"``."""
    if wait is None or not 60 < wait < 86_400:
        return "in a minute"
    return f"in {round(wait / 60)} minutes" if wait < 5_400 else f"in {round(wait / 3_600)} hours"
