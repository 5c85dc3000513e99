"""What tests ask: what people see, what the app did, and waiting until something has come true."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.slack_server.clicking import Clicking
from tests.slack_server.messages import Message
from tests.slack_server.records import Call, Session, Status
from tests.slack_server.world import Channel, Person, View

STATUS_SECONDS = 120.0


@dataclass(eq=False, repr=False)
class Reading(Clicking):
    """Nothing here changes anything."""

    def thread(self, channel: Channel, ts: str) -> list[Message]:
        """Root and replies as they are now, oldest first, without what was deleted."""
        return self.on_loop(lambda: [m.snapshot() for m in channel.thread(ts) if not m.deleted])

    def replies(self, channel: Channel, ts: str) -> list[Message]:
        """The app's messages in a thread."""
        return [message for message in self.thread(channel, ts) if message.user == self.bot.id]

    def message(self, channel: Channel, ts: str) -> Message:
        """One message, also a deleted one."""
        return self.on_loop(channel.messages[ts].snapshot)

    def messages(self, channel: Channel) -> list[Message]:
        """Everything in a channel, threads included, by time."""
        return self.on_loop(lambda: [m.snapshot() for m in channel.messages.values() if not m.deleted])

    def shown(self, channel: Channel, thread: str) -> str:
        """The thread as a person reads it: ``Ana: …`` for each message."""
        return "\n".join(f"{self.name_of(m.user)}: {m.shown}" for m in self.thread(channel, thread))

    def ephemerals(self, person: Person) -> list[Message]:
        """What only this person sees, oldest first."""
        mine = [m for m in list(self.ephemeral) if m.ephemeral_to == person.id and not m.deleted]
        return self.on_loop(lambda: [message.snapshot() for message in mine])

    def view(self, person: Person) -> View | None:
        """The modal on top of this person's screen."""
        return next(reversed(self.views_of(person.id)), None)

    def home_of(self, person: Person) -> View | None:
        """What is on this person's Home tab (``shown``, ``blocks``, ``links``), None where nothing was published."""
        return self.homes.get(person.id)

    def status(self, channel: Channel, thread: str) -> str:
        """The status line under a thread now: it goes with the app's next message there, or after two minutes."""
        line = next((s for s in reversed(self._statuses_of(channel, thread)) if s.how == "status"), None)
        if line is None or time.monotonic() - line.at > STATUS_SECONDS * self.clock_factor:
            return ""
        answered = any(m.user == self.bot.id and m.at > line.at for m in channel.thread(thread))
        return "" if answered else line.text

    def session(self, channel: Channel, thread: str) -> Session | None:
        """State and title of the agent session in a thread."""
        return self.sessions.get((channel.id, thread))

    def _statuses_of(self, channel: Channel, thread: str) -> list[Status]:
        return [s for s in list(self.statuses) if s.channel == channel.id and s.thread == thread]

    @property
    def open_streams(self) -> list[Message]:
        """Streams that still take something."""
        return [message for message in self._everything() if message.open]

    @property
    def abandoned_streams(self) -> list[Message]:
        """Streams that nobody stopped, and that were not rewritten after their time either."""
        return [message for message in self._everything() if message.is_abandoned]

    def _everything(self) -> list[Message]:
        channels = list(self.channels.values())
        return self.on_loop(lambda: [m.snapshot() for channel in channels for m in channel.messages.values()])

    def called(self, method: str) -> list[Call]:
        """The calls of a method that have ended."""
        return [call for call in list(self.calls) if call.method == method]

    def wait_for(self, true: Callable[[], object], seconds: float = 10.0, what: str = "what was waited for") -> None:
        """Wait until something is true of this server. For tests whose thread is not the app's."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, self._report(what)
            time.sleep(0.005)

    async def until(self, true: Callable[[], object], seconds: float = 10.0, what: str = "what was waited for") -> None:
        """The same for tests that share their loop with the app."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, self._report(what)
            await asyncio.sleep(0.005)

    async def ready(self, connections: int = 1, seconds: float = 20.0) -> None:
        """Wait until the app has so many Socket Mode connections."""
        await self.until(lambda: len(self.connections) >= connections, seconds, "the app's connection")

    def _report(self, what: str) -> str:
        last = [f"{call.method} {(call.result or {}).get('error', 'ok')}" for call in self.calls[-8:]]
        return f"{what} did not happen; last calls: {last}; violations: {self.violations}; own errors: {self.mistakes}"
