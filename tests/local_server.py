"""A server on a loopback port, with its event loop in a thread of its own.

The thread lets synchronous tests and subprocesses talk to it, and keeps it answering while the code under test does
not let go of its own loop.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from aiohttp import web

CALL_SECONDS = 20.0

T = TypeVar("T")


class LocalServer(ABC):
    """Start it with ``start()`` or as a context manager. It cannot be started again once it was stopped."""

    def __init__(self, name: str) -> None:
        self._host, self._port = "127.0.0.1", 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._runner: web.AppRunner | None = None

    @abstractmethod
    def application(self) -> web.Application:
        """What answers, made anew each time the port is opened."""

    @property
    def url(self) -> str:
        return f"http://{self._host}:{self._port}"

    def start(self, port: int = 0, host: str = "127.0.0.1") -> Self:
        """Listen (port 0: a free one) and return once connections are taken."""
        self._host, self._port = host, port
        self._thread.start()
        self._call(self._open())
        return self

    def stop(self) -> None:
        """Drop all connections, close the port, end the thread."""
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_SECONDS)
        self._loop.close()

    def close_port(self) -> None:
        """From now on connections are refused, and those that are open are dropped, until ``open_port()``."""
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

    def on_loop(self, work: Callable[[], T]) -> T:
        """Do something on the server's loop, and wait for it; so that state changes in one thread only."""
        if not self._thread.is_alive() or threading.current_thread() is self._thread:
            return work()
        done: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it is raised where it was asked for
                done.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return done.result(CALL_SECONDS)

    def _call(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(CALL_SECONDS)

    async def _open(self) -> None:
        app = self.application()
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.05, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port, reuse_address=True).start()
        self._port = self._runner.addresses[0][1]

    async def _shut(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _end(self) -> None:
        await self._shut()
