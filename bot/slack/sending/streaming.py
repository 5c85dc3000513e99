"""An answer's messages in Slack, while it is made and when it is there.

Events are taken without waiting; a ``Writer`` shows what they come to. A message is first a stream. Where that is
refused, dies, is lost or becomes too old, it goes on as a message that is updated; what is longer than a message goes
on in further ones, and what stands under the answer comes under the last.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from slack_sdk.web.async_client import AsyncWebClient

from bot.answering.events import Answer, Event, Found, Reset, Searching, Text
from bot.slack.sending.plainer import Block
from bot.slack.sending.posting import NotPosted, Place, Poster
from bot.slack.sending.status import Status
from bot.slack.sending.writing import End, Pace, Writer
from bot.texts import Texts

log = logging.getLogger(__name__)

RENEW_AFTER: Final = 270.0  # seconds: a stream lives for five minutes, appended to or not
UPDATE_EVERY: Final = 1.0  # seconds
ABANDON_SECONDS = 10.0  # for the call that is under way


class AnswerMessages:
    """The messages of one answer. ``take`` its events as they come, then ``finish``, ``stop`` or ``abandon``.

    ``key`` names the answer for ever. ``sent`` is told the ``ts`` of each message as soon as it is there. ``earlier``
    are messages that a process which crashed left behind: the first is used on, the others go. ``taken_over``: it may
    also have left some that it did not record.
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
        taken_over: bool = False,
        renew_after: float = RENEW_AFTER,
        update_every: float = UPDATE_EVERY,
    ) -> None:
        self.texts = texts
        self._status = Status(client, place)
        self._writer = Writer(
            poster, place, key, sent, Pace(renew_after, update_every), earlier, taken_over=taken_over or bool(earlier)
        )
        self._writing: asyncio.Task[None] | None = None
        if earlier:
            self._writer.meanwhile = texts.say("searching_again")

    @property
    def stopped(self) -> bool:
        """Whether somebody stopped the stream in Slack: nobody waits for more. Seen when more is to be shown."""
        return self._writer.streams.stopped

    def begin(self) -> None:
        """Show that the question is looked into."""
        self._begun()

    def status(self, sentence: str) -> None:
        """Say what is being done, under the thread."""
        self._begun()
        self._status.say(sentence)

    def take(self, event: Event) -> None:
        """Show an event soon; never waits."""
        self._begun()
        writer = self._writer
        if isinstance(event, Searching):
            writer.tasks.begin(event, self.texts)
            self._say("searching_for", query=event.query)
        elif isinstance(event, Found):
            writer.tasks.end(event, self.texts)
            if event.hits:
                self._say("reading_passages", passages=self.texts.say("passages", count=event.hits))
        elif isinstance(event, Text):
            writer.outgoing.add(event.text)
            self._say("writing")
        elif isinstance(event, Reset):
            writer.outgoing.clear()
            writer.meanwhile = event.reason
        writer.look()

    def pause(self) -> None:
        """Show nothing more until ``go_on``, or the end."""
        self._writer.pause()

    def go_on(self) -> None:
        """Show again what there is to show."""
        self._writer.go_on()

    async def finish(self, answer: Answer, footer: Sequence[Block], text: str) -> tuple[str, ...]:
        """Bring the messages to say the answer, ``footer`` under the last; their ``ts`` in order.

        ``text`` is the answer in plain words. May be called again, for another ending. Raises NotPosted where Slack
        takes no message there.
        """
        self._writer.outgoing.settle(answer.text)
        return await self._end(End(tuple(footer), text))

    async def stop(self, footer: Sequence[Block] = (), text: str = "") -> tuple[str, ...]:
        """Leave what was said so far, ``footer`` under it; the ``ts`` of the messages in order. Raises NotPosted."""
        self._writer.outgoing.close()
        return await self._end(End(tuple(footer), text))

    async def abandon(self, *, delete: bool = False) -> None:
        """Do no more: another process goes on with the messages, or, with ``delete``, nobody wants them."""
        self._writer.abandon()
        if self._writing is not None:
            with suppress(TimeoutError, NotPosted):
                await asyncio.wait_for(self._writing, ABANDON_SECONDS)
        if delete:
            await self._writer.remove_all()
            self._status.end(posted=None)

    # -- within ----------------------------------------------------------------------------------------------------

    def _begun(self) -> asyncio.Task[None]:
        if self._writing is None:
            self._status.begin(self.texts.say("at_work"))
            self._writing = asyncio.create_task(self._writer.run())
        return self._writing

    def _say(self, key: str, **values: object) -> None:
        """Say under the thread what goes on, where no message shows it."""
        if not self._writer.streams.possible() and not self._writer.written:
            self._status.say(self.texts.say(key, **values))

    async def _end(self, end: End) -> tuple[str, ...]:
        writing = self._begun()
        self._writer.end(end)
        try:
            try:
                await asyncio.shield(writing)  # who is told to stop meanwhile still ends it in order
            except Exception:  # whatever it was, it is tried once more without streams
                log.exception("an answer's messages could not be written; once more")
            self._writer.streams.off = True
            self._writing = asyncio.create_task(self._writer.run())
            await asyncio.shield(self._writing)
        finally:
            self._status.end(posted=max((written.began for written in self._writer.written), default=None))
        return self._writer.sent
