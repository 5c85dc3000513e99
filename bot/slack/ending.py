"""The end of an answer: its sources and buttons, what is kept of it, and the answer that it stands in place of."""

from __future__ import annotations

import logging
from dataclasses import replace

from bot.answering.events import Answer
from bot.asking import Question
from bot.ledger import StoredAnswer, new_answer_id, stored
from bot.slack.audience import NOTHING, Reading
from bot.slack.files import Attached
from bot.slack.helpers import whom_to_ask
from bot.slack.keeping import to_add
from bot.slack.parts import Parts
from bot.slack.sending.posting import NotPosted
from bot.slack.sending.streaming import AnswerMessages
from bot.slack.showing import blocks
from bot.slack.showing.blocks import Offers, Told
from indexer import SituateError

log = logging.getLogger(__name__)

NONE_ATTACHED = Attached()


class Ending:
    """Brings the messages of one answer to their end. The ledger has it before anybody can click, and again with them.

    Where the ledger is away the answer stands all the same. Raises what ``AnswerMessages.finish`` and ``stop`` do.
    """

    def __init__(self, parts: Parts, question: Question, messages: AnswerMessages) -> None:
        self._parts = parts
        self._question = question
        self._messages = messages
        self._id = new_answer_id()

    async def show(
        self, answer: Answer, reading: Reading, remarks: tuple[str, ...] = (), attached: Attached = NONE_ATTACHED
    ) -> None:
        """The whole answer, in place of the one before it to the same message.

        ``reading`` is what it was made under; ``remarks`` are sentences that stand under it; ``attached`` is what was
        read with the question, which may be offered to be added.
        """
        parts, question, texts = self._parts, self._question, self._messages.texts
        before = await self._before()
        kept = self._stored(answer, reading)
        await self._keep(kept)
        shown = blocks.notice_first(answer)
        told = Told.of(shown, left_out=reading.left_out, remarks=remarks)
        if reading.left_out == "outsiders":
            told = replace(told, left_out_said=await self._said_before())
        helper = await whom_to_ask(parts, kept) if answer.nothing_found else None
        offers = Offers(
            mute=not question.is_direct,
            privately=reading.left_out == "outsiders",
            ask=helper.name if helper else None,
            ask_about=helper.title if helper else None,
            attached=await to_add(parts, question, attached),
        )
        under = blocks.footer(kept, texts, told=told, offers=offers)
        text = blocks.fallback(replace(kept, text=shown.text), texts, told=told)
        sent = await self._messages.finish(shown, under, text)
        await self._keep(replace(kept, messages=sent))
        if before is not None and before.id != kept.id and before.replaced_by is None:
            try:
                await self._replace(before, sent)
            except (SituateError, NotPosted) as error:  # the answer that counts is there
                log.warning("an earlier answer could not be marked as replaced: %s", error)

    async def show_only(self, answer: Answer) -> None:
        """What went wrong, where nothing but Slack may be there: nothing is looked up or kept."""
        texts, told = self._messages.texts, Told.of(answer)
        kept = self._stored(answer, NOTHING)
        under = blocks.footer(kept, texts, told=told)
        await self._messages.finish(answer, under, blocks.fallback(kept, texts, told=told))

    async def stop(self, answer: Answer, reading: Reading) -> None:
        """What was said until somebody stopped it, with its sources and a note that it goes no further."""
        texts = self._messages.texts
        kept = self._stored(answer, reading)
        under = [blocks.stopped(texts)]
        if answer.citations:
            under += blocks.footer(kept, texts, offers=Offers(mute=not self._question.is_direct))
        await self._keep(kept)
        sent = await self._messages.stop(under, blocks.fallback(kept, texts) if answer.text else "")
        await self._keep(replace(kept, messages=sent))

    # -- within ----------------------------------------------------------------------------------------------------

    def _stored(self, answer: Answer, reading: Reading) -> StoredAnswer:
        kept = stored(
            answer, self._question, id=self._id, audiences=reading.viewer.audiences, messages=(), private=False
        )
        return replace(kept, left_out=reading.left_out)

    async def _keep(self, answer: StoredAnswer) -> None:
        """Keep it where the ledger lets us: without it the buttons do not work, but the answer can be read."""
        try:
            await self._parts.ledger.keep(answer)
        except SituateError as error:
            log.warning("an answer could not be kept: %s", error)

    async def _said_before(self) -> bool:
        """Whether an answer in this thread has said already that documents are left out because of who is there."""
        question = self._question
        try:
            earlier = await self._parts.ledger.answers_in(question.team, question.channel, question.thread)
        except SituateError:
            return False
        return any(
            one.left_out == "outsiders" and one.messages and not one.private and one.question_ts != question.ts
            for one in earlier
        )

    async def _before(self) -> StoredAnswer | None:
        """The answer to the same message before this one."""
        question = self._question
        try:
            return await self._parts.ledger.latest_answer(question.team, question.channel, question.ts)
        except SituateError as error:
            log.warning("an earlier answer could not be looked up: %s", error)
            return None

    async def _replace(self, before: StoredAnswer, sent: tuple[str, ...]) -> None:
        """Mark the answer to an earlier wording as replaced by this one.

        One that was tried again is replaced in its own messages.
        """
        await self._parts.ledger.replaced(before.id, self._id)
        if before.id == self._question.answer_before:
            return
        mine = {*sent, *await self._parts.ledger.messages(self._question.key)}
        old = [ts for ts in before.messages if ts not in mine]
        note = [blocks.replaced(self._messages.texts)]
        for number, ts in enumerate(old):
            if number == 0:
                text = self._messages.texts.say("answer_replaced")
                await self._parts.poster.update(before.channel, ts, blocks=note, text=text)
            else:
                await self._parts.poster.delete(before.channel, ts)
