"""The writer of an answer's messages: compares what they are to say with what they show, and calls Slack.

It makes one call at a time, the one that brings what is shown nearer, then looks again. So what comes during a call
goes out together with the next one, and after a fault the comparison starts from what is certain.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from bot.slack.markup import escape
from bot.slack.sending.footing import fits, markdown
from bot.slack.sending.outgoing import Outgoing, Tasks
from bot.slack.sending.plainer import Block
from bot.slack.sending.posting import UNREACHABLE, NotPosted, Place, Poster
from bot.slack.sending.streams import Streams, Written

log = logging.getLogger(__name__)

_STILL_OPEN = "streaming_state_conflict"


@dataclass(frozen=True, slots=True)
class End:
    """How the last message ends; ``text`` is the answer in plain words, escaped."""

    footer: tuple[Block, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: after which age a stream goes on as an updated message, and between two updates of one."""

    renew_after: float
    update_every: float


class Writer:
    """Writes what ``outgoing`` and ``tasks`` are to say, until an ``end`` is there and written."""

    def __init__(
        self,
        poster: Poster,
        place: Place,
        key: str,
        sent: Callable[[str], Awaitable[None]],
        pace: Pace,
        earlier: tuple[str, ...],
        *,
        taken_over: bool,
    ) -> None:
        self.outgoing = Outgoing()
        self.tasks = Tasks(key)
        self.streams = Streams(poster, place)
        self.written: list[Written] = []  # in order
        self.meanwhile = ""  # what a message says whose text was taken back
        self._end: End | None = None
        self._apart: tuple[Block, ...] = ()  # a footer that does not fit under the text
        self._alone: Written | None = None  # the message that holds it
        self._poster = poster
        self._place = place
        self._key = key
        self._sent = sent
        self._pace = pace
        self._earlier = earlier
        self._taken_over = taken_over
        self._long_parts = False  # whether the text is split for messages that are no streams
        self._abandoned = False
        self._paused = False
        self._wake = asyncio.Event()

    @property
    def sent(self) -> tuple[str, ...]:
        """The ``ts`` of the messages, in order."""
        return tuple(written.ts for written in (*self.written, self._alone) if written is not None)

    def look(self) -> None:
        """There is something new to be said."""
        self._wake.set()

    def pause(self) -> None:
        """Begin no more calls until ``go_on``, or the end; one that is under way is not called back."""
        self._paused = True

    def go_on(self) -> None:
        """Write again."""
        self._paused = False
        self.look()

    def end(self, end: End) -> None:
        """This is all; it is to end so."""
        self._paused = False
        self.tasks.close()
        self._end = end
        for written in (*self.written, self._alone):
            if written is not None:
                written.ended = False
        self.look()

    def abandon(self) -> None:
        """Write no more."""
        self._abandoned = True
        self.look()

    async def run(self) -> None:
        """Write until all is written. Raises NotPosted where Slack takes no message."""
        await self._take_over()
        while not self._abandoned:
            if not self._paused:
                if await self._step():
                    continue
                if self._end is not None:
                    return
            self._wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), None if self._paused else self._until_due())

    async def remove_all(self) -> None:
        """Take all messages away."""
        for written in (*self.written, self._alone):
            if written is not None:
                await self._remove(written)
        self.written, self._alone = [], None

    # -- within ----------------------------------------------------------------------------------------------------

    async def _take_over(self) -> None:
        """Go on with the messages that a process which crashed left behind: the first is used on, the others go."""
        earlier, self._earlier = self._earlier, ()
        if self._taken_over:
            self._taken_over = False
            earlier += await self.streams.unrecorded(self._key, self.tasks.mark, earlier)
        if not earlier:
            return
        first = Written(earlier[0], streaming=True, text=None)
        self.written.append(first)
        await self.streams.close(first)
        for ts in earlier[1:]:
            await self._remove(Written(ts, streaming=True, text=None))

    def _until_due(self) -> float | None:
        """Seconds after which there may be something to do though nothing new is to be said."""
        due = [held for kind in ("append", "update") if (held := self._poster.held_for(kind)) > 0]
        due += [written.began + self._pace.renew_after - _now() for written in self.written if written.streaming]
        return max(0.01, min(due)) if due else None

    async def _step(self) -> bool:
        """Make the next call that brings what is shown nearer to what is to be said; False: there is none."""
        parts = self.outgoing.parts or [""]
        if len(self.written) > len(parts):
            await self._remove(self.written.pop())
            return True
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            end = self._end if last else None
            if number == len(self.written):
                return await self._open(number, part, whole=not last, end=end)
            if await self._bring(number, part, whole=not last, end=end):
                return True
        return await self._footer_alone()

    async def _open(self, number: int, part: str, *, whole: bool, end: End | None) -> bool:
        """Begin a message: as a stream where its text still grows."""
        if not whole and end is None:
            if not part and not (self.tasks and number == 0 and self.streams.possible()):
                return False
            if self.streams.possible():
                tasks = self.tasks if number == 0 else None
                await self._opened(await self.streams.start(part, tasks, self.sent))
                return True
            if self.streams.too_many:  # few calls now: the message is posted when its text is whole
                return False
        if self._end is not None and not self.written and self.outgoing.parts and not self._long_parts:
            self._long_parts = True
            self.outgoing.for_posting()
            return True
        footer = self._under(part, end, streamed=False)
        text = end.text if end and end.text else escape(part)
        if not part and not footer and not text:
            return False
        blocks = [*markdown(part), *footer]
        ts = await self._poster.post(self._place, blocks=blocks, text=text, key=f"{self._key}:{number}")
        await self._opened(Written(ts, streaming=False, text=part, ended=end is not None, updated=_now()))
        return True

    async def _bring(self, number: int, part: str, *, whole: bool, end: End | None) -> bool:
        """Bring a message nearer to what it is to say."""
        written = self.written[number]
        tasks = self.tasks if number == 0 else None
        if not written.streaming:
            return await self._update(number, written, part, end)
        if written.text is None or not part.startswith(written.text):
            await self.streams.close(written)
            return True
        if whole or end is not None or _now() - written.began > self._pace.renew_after:
            footer = self._under(part, end, streamed=True)
            certain = await self.streams.stop(written, part, tasks, footer, f"{self._key}:{number}")
            written.ended = end is not None and certain
            return True
        if (part != written.text or tasks) and self._poster.held_for("append") <= 0:
            await self.streams.append(written, part, tasks)
            return True
        return False

    async def _update(self, number: int, written: Written, part: str, end: End | None) -> bool:
        """Update a message that is no stream (any more)."""
        shown = part or ("" if end else self.meanwhile)
        if (written.text == shown or (not shown and end is None)) and (end is None or written.ended):
            return False
        if self._end is None and self._poster.held_for("update") > 0:
            return False
        wait = written.updated + self._pace.update_every - _now()
        if wait > 0:
            await asyncio.sleep(wait)
            return True
        footer = self._under(part, end, streamed=False)
        blocks = [*markdown(shown), *footer]
        text = end.text if end and end.text else escape(shown)
        if not blocks and not text:
            await self._remove(self.written.pop(number))
            return True
        try:
            if not await self._poster.update(
                self._place.channel, written.ts, blocks, text, patient=self._end is not None
            ):
                return True
        except NotPosted as error:  # it is gone, or was a stream and may not be changed
            if error.error == UNREACHABLE:
                raise
            if error.error == _STILL_OPEN and not written.closed_again:  # it goes on though we were told otherwise
                written.closed_again = True
                await self.streams.close(written)
                return True
            await self._replace(written, blocks, text, number)
        written.text, written.ended, written.updated = shown, end is not None, _now()
        return True

    async def _replace(self, written: Written, blocks: list[Block], text: str, number: int) -> None:
        """Post a message anew, and take away what stood in its place and after it."""
        before = written.ts
        key = f"{self._key}:{number}:{before}"
        written.ts = await self._poster.post(self._place, blocks=blocks, text=text, key=key)
        await self._record(written.ts)
        await self._poster.delete(self._place.channel, before)
        while len(self.written) > number + 1:
            await self._remove(self.written.pop())

    def _under(self, part: str, end: End | None, *, streamed: bool) -> tuple[Block, ...]:
        """The footer, where it fits under the text; else it is kept for a message of its own."""
        if end is None:
            return ()
        together = fits(part, end.footer, streamed=streamed)
        self._apart = () if together else end.footer
        return end.footer if together else ()

    async def _footer_alone(self) -> bool:
        """Post a footer that does not fit under the text."""
        if self._end is None or (self._alone is None and not self._apart):
            return False
        if self._alone is None:
            key = f"{self._key}:footer"
            ts = await self._poster.post(self._place, blocks=self._apart, text=self._end.text, key=key)
            self._alone = Written(ts, streaming=False, text="", ended=True)
            await self._record(ts)
        elif not self._apart:
            await self._remove(self._alone)
            self._alone = None
        elif not self._alone.ended:
            await self._poster.update(self._place.channel, self._alone.ts, self._apart, self._end.text)
            self._alone.ended = True
        else:
            return False
        return True

    async def _opened(self, written: Written | None) -> None:
        if written is not None:
            self.written.append(written)
            await self._record(written.ts)

    async def _record(self, ts: str) -> None:
        try:
            await self._sent(ts)
        except Exception:  # the words are on their way; only a crash right now would leave this message behind
            log.exception("a message could not be recorded")

    async def _remove(self, written: Written) -> None:
        if written.streaming:
            await self.streams.close(written)
        await self._poster.delete(self._place.channel, written.ts)


def _now() -> float:
    return asyncio.get_running_loop().time()
