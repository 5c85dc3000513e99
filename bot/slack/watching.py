"""Who reads along while an answer is being shown: once that may have changed, no word more is shown before it is looked
at again, and none of the answer where somebody may not read it by now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from bot.asking import Question
from bot.slack.audience import Reading, of_question
from bot.slack.directory import Directory
from bot.slack.sending.streaming import AnswerMessages


class Watch:
    """Watches the readers of an answer that is made under ``reading``, as long as it is entered.

    ``narrowed`` is called, once, as soon as somebody there may not read something that it may draw on; what was shown
    is held back from then on until ``messages`` are told how to go on.
    """

    def __init__(
        self,
        directory: Directory,
        question: Question,
        reading: Reading,
        messages: AnswerMessages,
        narrowed: Callable[[], None],
    ) -> None:
        self._directory = directory
        self._question = question
        self._reading = reading
        self._messages = messages
        self._narrowed = narrowed
        self._stack = ExitStack()
        self._news = False
        self._looking: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        self._stack.enter_context(self._directory.watched(self._changed))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if self._looking is not None:  # whoever ends the answer looks again, and until then nothing more is shown
            self._looking.cancel()

    def _changed(self, channel: str | None, person: str | None) -> None:
        if not self._concerns(channel, person):
            return
        self._messages.pause()
        self._news = True
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    def _concerns(self, channel: str | None, person: str | None) -> bool:
        question = self._question
        if question.is_direct:  # it may draw on what the asker's channels hold
            return person in (None, question.user)
        if channel is None:
            return person == question.user or self._directory.may_be_in(question.channel, person or "")
        return channel == question.channel

    async def _look(self) -> None:
        while self._news:
            self._news = False
            now = await of_question(self._directory, self._question)
            if not self._reading.viewer.audiences <= now.viewer.audiences:
                self._narrowed()
                return
        self._messages.go_on()
