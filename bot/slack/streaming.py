"""An answer's messages in Slack, while it is made and when it is there.

What the messages are to say (``Outgoing``) grows as events come; one writer compares it with what they show and makes
the one call that brings them nearer, then looks again. So nothing waits for Slack, what comes during a call goes out
together with the next one, and after any fault the comparison starts from what is certain.

A message is first a stream. Where that is refused, dies or becomes too old, it goes on as a message that is updated.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.answering.events import Answer, Event, Found, Reset, Searching, Text
from bot.slack.footing import fits, markdown
from bot.slack.outgoing import Outgoing, Tasks
from bot.slack.plainer import Block
from bot.slack.posting import NotPosted, Place, Poster
from bot.slack.status import Status
from bot.slack.streams import Streams, Written
from bot.texts import Texts

log = logging.getLogger(__name__)

RENEW_AFTER = 270.0  # seconds: a stream lives for five minutes, appended to or not
UPDATE_EVERY = 1.0  # seconds
ABANDON_SECONDS = 10.0
# What Slack says of a message that is there no more, or may not be changed (reported of messages that were streams).
FIXED = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "block_mismatch"})


@dataclass(frozen=True, slots=True)
class _End:
    """How the last message ends."""

    footer: tuple[Block, ...]
    text: str


class AnswerMessages:
    """The messages of one answer. ``take`` its events as they come, then ``finish``, ``stop`` or ``abandon``.

    ``sent`` is told the ``ts`` of each message as soon as it is there. ``earlier`` are messages that a process which
    crashed left behind: the first is used on, the others go.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        poster: Poster,
        place: Place,
        texts: Texts,
        key: str,
        *,
        sent: Callable[[str], Awaitable[None]],
        earlier: tuple[str, ...] = (),
        renew_after: float = RENEW_AFTER,
        update_every: float = UPDATE_EVERY,
    ) -> None:
        self.texts = texts
        self._poster = poster
        self._place = place
        self._key = key
        self._sent = sent
        self._earlier = earlier
        self._renew_after = renew_after
        self._update_every = update_every
        self._status = Status(client, place)
        self._streams = Streams(poster, place)
        self._outgoing = Outgoing()
        self._tasks = Tasks()
        self._written: list[Written] = []  # in order
        self._apart: tuple[Block, ...] = ()  # a footer that does not fit under the text
        self._alone: str | None = None  # the message that holds it
        self._long_parts = False  # whether the text is split for messages that are no streams
        self._meanwhile = ""  # what a message says whose text was taken back
        self._end: _End | None = None
        self._abandoned = False
        self._wake = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None

    @property
    def stopped(self) -> bool:
        """Whether somebody stopped the stream in Slack: nobody waits for more."""
        return self._streams.stopped

    def begin(self) -> None:
        """Show that the question is looked into."""
        self._running()

    def _running(self) -> asyncio.Task[None]:
        if self._writer is None:
            self._status.begin(self.texts.say("at_work"))
            self._writer = asyncio.create_task(self._write())
        return self._writer

    def status(self, sentence: str) -> None:
        """Say what is being done, under the thread."""
        self.begin()
        self._status.say(sentence)

    def take(self, event: Event) -> None:
        """Show an event soon; never waits."""
        self.begin()
        if isinstance(event, Searching):
            self._tasks.begin(event, self.texts)
            self._say("searching_for", query=event.query)
        elif isinstance(event, Found):
            self._tasks.end(event, self.texts)
            if event.hits:
                passages = self.texts.say("passages", count=event.hits)
                self._say("reading_passages", passages=passages)
        elif isinstance(event, Text):
            self._outgoing.add(event.text)
        elif isinstance(event, Reset):
            self._outgoing.clear()
            self._meanwhile = event.reason
        self._wake.set()

    def _say(self, key: str, **values: object) -> None:
        """Say under the thread what goes on, where no stream shows it."""
        if not self._streams.possible():
            self._status.say(self.texts.say(key, **values))

    async def finish(self, answer: Answer, footer: Sequence[Block], text: str) -> tuple[str, ...]:
        """Bring the messages to say the answer, ``footer`` under the last; their ``ts`` in order.

        ``text`` is the answer in plain words. Raises NotPosted where Slack takes no message there.
        """
        self._outgoing.settle(answer.text)
        return await self._ended(_End(tuple(footer), text))

    async def stop(self, footer: Sequence[Block] = (), text: str = "") -> tuple[str, ...]:
        """Leave what was said so far, ``footer`` under it; the ``ts`` of the messages in order. Raises NotPosted."""
        self._outgoing.close()
        return await self._ended(_End(tuple(footer), text))

    async def abandon(self, *, delete: bool = False) -> None:
        """Do no more: another process goes on with the messages, or, to be deleted, they are of no use."""
        self._abandoned = True
        self._wake.set()
        if self._writer is not None:
            with suppress(TimeoutError, NotPosted):
                await asyncio.wait_for(self._writer, ABANDON_SECONDS)
        if delete:
            for written in self._written:
                await self._remove(written)
            self._status.end(posted=None)

    # -- the writer ------------------------------------------------------------------------------------------------

    async def _ended(self, end: _End) -> tuple[str, ...]:
        writer = self._running()
        self._tasks.close()
        self._end = end
        for written in self._written:
            written.ended = False
        self._wake.set()
        try:
            try:
                await writer
            except Exception:  # whatever it was, it is tried once more without streams
                log.exception("an answer's messages could not be written; once more")
            self._streams.off = True
            self._writer = asyncio.create_task(self._write())
            await self._writer
        finally:
            self._status.end(posted=max((written.began for written in self._written), default=None))
        return tuple(ts for ts in (*(written.ts for written in self._written), self._alone) if ts)

    async def _write(self) -> None:
        await self._take_over()
        while not self._abandoned:
            if await self._step():
                continue
            if self._end is not None:
                return
            self._wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._until_renewal())

    async def _take_over(self) -> None:
        """Go on with the messages that a process which crashed left behind."""
        earlier, self._earlier = self._earlier, ()
        if not earlier:
            return
        self._meanwhile = self._meanwhile or self.texts.say("searching_again")
        first = Written(earlier[0], streaming=True, text=None)
        self._written.append(first)
        await self._streams.close(first)
        for ts in earlier[1:]:
            await self._remove(Written(ts, streaming=True, text=None))

    def _until_renewal(self) -> float | None:
        began = [written.began for written in self._written if written.streaming]
        return max(0.0, max(began) + self._renew_after - _now()) if began else None

    async def _step(self) -> bool:
        """Make the next call that brings what is shown nearer to what is to be said; False: there is none."""
        parts = self._outgoing.parts or [""]
        if len(self._written) > len(parts):
            await self._remove(self._written.pop())
            return True
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            end = self._end if last else None
            if number == len(self._written):
                return await self._open(number, part, whole=not last, end=end)
            if await self._bring(number, part, whole=not last, end=end):
                return True
        return await self._footer_alone()

    async def _open(self, number: int, part: str, *, whole: bool, end: _End | None) -> bool:
        """Begin a message: as a stream where its text still grows."""
        if not whole and end is None and self._streams.possible():
            if not part and not (self._tasks and number == 0):
                return False
            written = await self._streams.start(part, self._tasks if number == 0 else None, self._known())
            if written is not None:
                await self._opened(written)
            return True
        if end is not None and not self._written and self._outgoing.parts and not self._long_parts:
            self._outgoing.for_posting()
            self._long_parts = True
            return True
        footer = self._under(part, end, streamed=False)
        if not part and not footer and not (end and end.text and not end.footer):
            return False
        blocks = [*markdown(part), *footer]
        text = end.text if end and end.text else part
        ts = await self._poster.post(self._place, blocks=blocks, text=text, key=f"{self._key}:{number}")
        await self._opened(Written(ts, streaming=False, text=part, ended=end is not None, updated=_now()))
        return True

    async def _bring(self, number: int, part: str, *, whole: bool, end: _End | None) -> bool:
        """Bring a message nearer to what it is to say."""
        written = self._written[number]
        if not written.streaming:
            return await self._update(number, written, part, end)
        if written.text is None or not part.startswith(written.text):
            await self._streams.close(written)
            return True
        if whole or end is not None or _now() - written.began > self._renew_after:
            footer = self._under(part, end, streamed=True)
            tasks = self._tasks if number == 0 else None
            certain = await self._streams.stop(written, part, tasks, footer, f"{self._key}:{number}")
            written.ended = end is not None and certain
            return True
        if part != written.text or (number == 0 and self._tasks):
            await self._streams.append(written, part, self._tasks if number == 0 else None)
            return True
        return False

    async def _update(self, number: int, written: Written, part: str, end: _End | None) -> bool:
        """Update a message that is no stream (any more)."""
        shown = part or ("" if end else self._meanwhile)
        if (written.text == shown or (not shown and end is None)) and (end is None or written.ended):
            return False
        wait = written.updated + self._update_every - _now()
        if wait > 0:
            await asyncio.sleep(wait)
            return True
        footer = self._under(part, end, streamed=False)
        blocks = [*markdown(shown), *footer]
        text = end.text if end and end.text else shown
        if not blocks and not text:
            self._written.pop(number)
            await self._remove(written)
            return True
        try:
            await self._poster.update(self._place.channel, written.ts, blocks, text)
        except NotPosted as error:
            if error.error not in FIXED:
                raise
            before = written.ts
            key = f"{self._key}:{number}:{before}"
            written.ts = await self._poster.post(self._place, blocks=blocks, text=text, key=key)
            await self._record(written.ts)
            await self._poster.delete(self._place.channel, before)
        written.text, written.ended, written.updated = shown, end is not None, _now()
        return True

    def _under(self, part: str, end: _End | None, *, streamed: bool) -> tuple[Block, ...]:
        """The footer, where it fits under the text; else it is kept for a message of its own."""
        if end is None:
            return ()
        together = fits(part, end.footer, streamed=streamed)
        self._apart = () if together else end.footer
        return end.footer if together else ()

    async def _footer_alone(self) -> bool:
        """Post a footer that does not fit under the text."""
        if self._end is None or not self._apart or self._alone is not None:
            return False
        self._alone = await self._poster.post(
            self._place, blocks=self._apart, text=self._end.text, key=f"{self._key}:footer"
        )
        await self._record(self._alone)
        return True

    # -- within ----------------------------------------------------------------------------------------------------

    def _known(self) -> frozenset[str]:
        return frozenset(written.ts for written in self._written)

    async def _opened(self, written: Written) -> None:
        self._written.append(written)
        await self._record(written.ts)

    async def _record(self, ts: str) -> None:
        try:
            await self._sent(ts)
        except Exception:  # the words are on their way; only a crash right now would leave this message behind
            log.exception("a message could not be recorded")

    async def _remove(self, written: Written) -> None:
        if written.streaming:
            await self._streams.close(written)
        await self._poster.delete(self._place.channel, written.ts)


def _now() -> float:
    return asyncio.get_running_loop().time()
