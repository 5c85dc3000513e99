"""The line under a thread that tells that the bot is at work. Nothing waits for it and nothing breaks with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, Literal

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.slack.markup import harmless
from bot.slack.sending.calls import Lost, Refused, call
from bot.slack.sending.posting import Place

log = logging.getLogger(__name__)

_LONGEST: Final = 120  # characters
SessionStatus = Literal["active", "processing"]


class Status:
    """What the thread says of the bot; the newest sentence wins."""

    def __init__(self, client: AsyncWebClient, place: Place) -> None:
        self._client = client
        self._place = place
        self._sentence: str | None = None  # to be said next
        self._session: SessionStatus | None = None  # to be set next
        self._newest = ""
        self._said = False  # whether a sentence is shown, if no message came since
        self._said_at = 0.0  # of the loop's clock
        self._refused: set[str] = set()  # methods that Slack does not let us use here
        self._task: asyncio.Task[None] | None = None

    def say(self, sentence: str) -> None:
        """Show a sentence soon."""
        shown = harmless(" ".join(sentence.split()))[:_LONGEST]
        if shown != self._newest:
            self._newest = self._sentence = shown
            self._set_off()

    def begin(self, sentence: str) -> None:
        """The bot is at work."""
        self._session = "processing"
        self._newest = ""
        self.say(sentence)

    def end(self, *, posted: float | None) -> None:
        """It is not any more. A message takes the sentence away: ``posted`` is when, of the loop's clock, one came."""
        self._session = "active"
        self._sentence = "" if self._said and (posted is None or posted < self._said_at) else None
        self._set_off()

    def _set_off(self) -> None:
        if self._place.thread is not None and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        place = self._place
        while self._sentence is not None or self._session is not None:
            if self._sentence is not None:
                sentence, self._sentence = self._sentence, None
                self._said = bool(sentence)
                arguments = {"channel_id": place.channel, "thread_ts": place.thread, "status": sentence}
                await self._try("status", self._client.assistant_threads_setStatus, arguments)
                self._said_at = asyncio.get_running_loop().time()
            if self._session is not None:
                session, self._session = self._session, None
                arguments = {"channel_id": place.channel, "thread_ts": place.thread, "status": session}
                await self._try("session", self._client.agents_sessions_setStatus, arguments)

    async def _try(
        self, name: str, method: Callable[..., Awaitable[AsyncSlackResponse]], arguments: dict[str, str | None]
    ) -> None:
        if name in self._refused:
            return
        try:
            await call(method, **arguments)
        except (Refused, Lost) as error:
            log.debug("the %s could not be set: %s", name, error)
            if isinstance(error, Refused) and error.wait is None:
                self._refused.add(name)
