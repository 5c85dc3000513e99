"""One event, command or click on its way to the app."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.slack_server.errors import JSON

Kind = Literal["events_api", "slash_commands", "interactive"]


@dataclass(eq=False)
class Delivery:
    """One event, command or click on its way to the app, over all its attempts."""

    kind: Kind
    payload: JSON
    name: str
    made: float = field(default_factory=time.monotonic)
    attempts: int = 0
    acked: float | None = None  # when, in monotonic seconds
    ack_seconds: float | None = None  # from the attempt that was acknowledged
    response: JSON | None = None  # what came with the acknowledgement
    failed: bool = False  # no attempt is left
    on_ack: Callable[[JSON], None] | None = None
    _done: threading.Event = field(default_factory=threading.Event)

    def wait(self, seconds: float = 10.0) -> JSON:
        """Wait for the acknowledgement (not on the app's own loop); gives what came with it."""
        assert self._done.wait(seconds), f"{self.name} was not acknowledged within {seconds:g} s"
        assert not self.failed, f"{self.name} was not acknowledged"
        return self.response or {}

    async def arrives(self, seconds: float = 10.0) -> JSON:
        """The same for tests whose loop is also the app's."""
        await asyncio.to_thread(self._done.wait, seconds)
        return self.wait(0)

    def settle(self, sent: float | None, response: JSON | None) -> None:
        """It was acknowledged (or, without ``sent``, given up). On the server's loop only."""
        if sent is None:
            self.failed = self.acked is None
        elif self.acked is None:
            self.acked = time.monotonic()
            self.ack_seconds = self.acked - sent
            self.response = response or {}
            if self.on_ack is not None:
                self.on_ack(self.response)
        self._done.set()
