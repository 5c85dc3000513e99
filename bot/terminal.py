"""The terminal's keyboard: lines that a person types, while everything else runs on, and Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

from rich.console import Console
from rich.text import Text

PROMPT = "› "
TWICE_SECONDS = 2.0  # a second Ctrl-C within this time leaves


class Keyboard:
    """What a person types, and where they press Ctrl-C: the moments stand in ``interrupts``, in seconds."""

    def __init__(self, console: Console, interrupts: asyncio.Queue[float]) -> None:
        self._console = console
        self._interrupts = interrupts
        self._lines = _Lines()

    async def line(self) -> str | None:
        """The next line, or None where the person leaves: Ctrl-D, or Ctrl-C twice."""
        last = -TWICE_SECONDS
        while True:
            line = asyncio.ensure_future(self._lines.next())
            interrupt = asyncio.ensure_future(self._interrupts.get())
            done, pending = await asyncio.wait({line, interrupt}, return_when=asyncio.FIRST_COMPLETED)
            for task in pending:
                task.cancel()
            if line in done:
                return line.result()
            at = interrupt.result()
            if at - last < TWICE_SECONDS:
                self._console.print()
                return None
            last = at
            self._console.print("\nCtrl-C again, Ctrl-D or /quit leaves.", style="dim")
            self._console.print(f"{PROMPT}{self._lines.typed()}", end="", markup=False, highlight=False)

    async def stoppable(self, work: Coroutine[None, None, None]) -> None:
        """Do the work, or stop it at a Ctrl-C and say so."""
        while not self._interrupts.empty():
            self._interrupts.get_nowait()
        task = asyncio.ensure_future(work)
        interrupt = asyncio.ensure_future(self._interrupts.get())
        done, _ = await asyncio.wait({task, interrupt}, return_when=asyncio.FIRST_COMPLETED)
        if task in done:
            interrupt.cancel()
            await task
            return
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        self._console.print(Text("Stopped.", "dim"))
        self._console.print()


@contextlib.asynccontextmanager
async def open_keyboard(console: Console) -> AsyncIterator[Keyboard]:
    """The keyboard, where Ctrl-C does not end everything; the terminal is as it was afterwards, however it is left."""
    interrupts: asyncio.Queue[float] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    with _terminal_restored():
        try:
            loop.add_signal_handler(signal.SIGINT, lambda: interrupts.put_nowait(time.monotonic()))
        except (NotImplementedError, RuntimeError):  # no such thing on this platform: Ctrl-C leaves
            yield Keyboard(console, interrupts)
            return
        try:
            yield Keyboard(console, interrupts)
        finally:
            loop.remove_signal_handler(signal.SIGINT)


class _Lines:
    """Reads lines from the terminal in a thread, so that the loop runs on (leases, searches) while a person thinks.

    One thread reads at a time; a line that is still being typed when the wait for it is given up is the next one.
    """

    def __init__(self) -> None:
        self.typed: Callable[[], str] = lambda: ""  # what stands in the line that is not finished
        with contextlib.suppress(ImportError):
            import readline  # makes input() editable, where the platform has it

            self.typed = readline.get_line_buffer
        self._pending: asyncio.Future[str | None] | None = None

    async def next(self) -> str | None:
        """The next line, without its end; None at the end of input."""
        if self._pending is None or self._pending.done():
            self._pending = self._read()
        return await asyncio.shield(self._pending)

    def _read(self) -> asyncio.Future[str | None]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str | None] = loop.create_future()

        def settle(line: str | None) -> None:
            if not future.done():
                future.set_result(line)

        def read() -> None:
            try:
                line: str | None = input(PROMPT)
            except (EOFError, OSError, ValueError):
                line = None
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(settle, line)

        threading.Thread(target=read, name="console-input", daemon=True).start()
        return future


@contextlib.contextmanager
def _terminal_restored() -> Iterator[None]:
    try:
        import termios

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
    except (ImportError, OSError, ValueError):
        yield
        return
    except Exception:  # noqa: BLE001 termios.error has no common base: standard input is no terminal
        yield
        return
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
