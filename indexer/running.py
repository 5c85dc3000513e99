"""What both programs do around their work: end in order when told to stop, and log into a file."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from .errors import SettingsInvalid

log = logging.getLogger(__name__)

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


def unexpected(error: Exception, file: str) -> str:
    """Log what should not have happened; the sentence to show, which tells only where in DATA_DIR that is found."""
    reference = secrets.token_hex(3).upper()
    log.error("unexpected error, reference %s", reference, exc_info=error)
    return f"Something unexpected went wrong (reference {reference}); {file} in DATA_DIR says more."


def log_to(file: Path) -> None:
    """Log into a file: the screen is for results, and the references of unexpected errors are found there.

    Raises SettingsInvalid where the folder, which is ``DATA_DIR``, cannot be written.
    """
    logging.raiseExceptions = False  # a log that cannot be written, on a full disk, must not fill the screen
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        logging.basicConfig(
            level=logging.WARNING,
            filename=file,
            encoding="utf-8",
            format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        )
    except OSError as error:
        raise SettingsInvalid(
            f"DATA_DIR ({file.parent}) cannot be written; make it writable or name another."
        ) from error
