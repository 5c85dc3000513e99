"""The server: faults on order, and how it ends."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from aiohttp import web

from tests.slack_server.faults import Fault, Rates
from tests.slack_server.reading import Reading
from tests.slack_server.web_api import Endpoints


@dataclass(eq=False, repr=False)
class SlackServer(Reading):
    """A strict local Slack on a free loopback port: ``with SlackServer() as slack``; see the package's docstring."""

    # Faults

    def fail(
        self,
        method: str,
        *,
        error: str | None = None,
        status: int | None = None,
        ratelimited: float | None = None,
        hang: float | None = None,
        drop: Literal["before", "after"] | None = None,
        times: int | None = 1,
    ) -> None:
        """The next ``times`` calls of a method (``chat.*``: of a family; ``response_url``: of any) go wrong, in one
        of these ways:

        ``error``: answered with this error, nothing done. ``status``: an HTTP error without JSON. ``ratelimited``:
        429 with so many seconds in ``Retry-After``. ``hang``: no answer for so many seconds, then the connection is
        cut, nothing done. ``drop``: the connection is cut before, or after, the thing was done. ``times=None``: until
        ``recover()``.
        """
        self.faults.add(Fault(method, error, status, ratelimited, hang, drop, times))

    def slow(self, method: str, seconds: float) -> None:
        """Let a method (``*``: all) take so long, until ``recover()``."""
        self.faults.slow[method] = seconds

    def recover(self) -> None:
        """No faults, nothing slow any more."""
        self.faults.clear()

    def enforce_rates(self) -> None:
        """From now on the tiers of the Web API hold, with minutes of 60 seconds times ``clock_factor``."""
        self.rates = Rates(60.0 * self.clock_factor)

    def expire_streams(self) -> None:
        """Slack ends all open streams, as it does after five minutes."""

        def expire() -> None:
            for message in (message for channel in self.channels.values() for message in channel.messages.values()):
                if message.stream is not None:
                    message.stream.ends = 0.0

        self.on_loop(expire)

    # Start and stop

    def application(self) -> web.Application:
        return Endpoints(self).application()

    async def _shut(self) -> None:
        for connection in list(self.connections):
            await connection.socket.close()
        await super()._shut()

    async def _end(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await super()._end()
        await asyncio.sleep(0)
