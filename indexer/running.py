"""Runs a program's coroutine so that being told to stop (SIGTERM) is a normal end: what is open is closed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

STOPPED = 143  # what shells show for a process that SIGTERM ended


def run_to_end(work: Coroutine[Any, Any, int]) -> int:
    """Run ``work`` on a loop of its own; its result, or ``STOPPED`` after SIGTERM. Ctrl-C raises KeyboardInterrupt.

    An embedded database server that nobody stops would go on running, so no way out may skip the closing of things.
    """

    async def call() -> int:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine that runs is in a task; this tells the type checker
        stopped = False

        def stop() -> None:
            nonlocal stopped
            stopped = True
            task.cancel()

        with suppress(NotImplementedError):  # Windows has no such handlers
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        try:
            return await work
        except asyncio.CancelledError:
            if not stopped:
                raise
            return STOPPED

    return asyncio.run(call())
