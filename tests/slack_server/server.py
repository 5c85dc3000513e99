"""The server: start and stop, faults on order."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self

from aiohttp import web

from tests.slack_server.core import CALL_SECONDS
from tests.slack_server.faults import Fault, Rates
from tests.slack_server.reading import Reading
from tests.slack_server.web_api import Endpoints


@dataclass(eq=False, repr=False)
class SlackServer(Reading):
    """A strict local Slack on a free loopback port: ``with SlackServer() as slack``; see the package's docstring."""

    _runner: web.AppRunner | None = None

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

    def start(self, port: int = 0, host: str = "127.0.0.1") -> Self:
        """Listen (port 0: a free one) and return once connections are taken."""
        self._host, self._port = host, port
        self._thread.start()
        self._call(self._open())
        return self

    def stop(self) -> None:
        """Drop all connections, close the port, end the thread."""
        self._call(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_SECONDS)
        self._loop.close()

    def close_port(self) -> None:
        """Slack is away: connections are cut and refused, until ``open_port()``."""
        self._call(self._shut())

    def open_port(self) -> None:
        """Listen again, at the same address."""
        self._call(self._open())

    def __enter__(self) -> Self:
        return self if self._thread.is_alive() else self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _call(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(CALL_SECONDS)

    async def _open(self) -> None:
        app = Endpoints(self).application()
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.05, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port, reuse_address=True).start()
        self._port = self._runner.addresses[0][1]

    async def _shut(self) -> None:
        if self._runner is not None:
            for connection in list(self.connections):
                await connection.socket.close()
            await self._runner.cleanup()
            self._runner = None

    async def _close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await self._shut()
        await asyncio.sleep(0)
