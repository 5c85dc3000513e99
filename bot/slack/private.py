"""Answers that their asker alone sees: the slash command's, which they may share, and those asked for privately."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.answering.events import Answer, Done, Kind
from bot.answering.trouble import logged
from bot.asking import Question
from bot.ledger import new_answer_id, stored
from bot.slack.audience import NOTHING, Reading, channel_audience, of_question
from bot.slack.caps import cap_for
from bot.slack.clicks import TROUBLE, reason, try_to
from bot.slack.desk import Outcome
from bot.slack.markup import safe_markdown
from bot.slack.no_documents import truly
from bot.slack.parts import Parts
from bot.slack.sending.posting import Place
from bot.slack.sending.splitting import split
from bot.slack.showing.blocks import Offers, Told, notice_first
from bot.slack.showing.messages import Message, command_answer
from bot.slack.threads import History, asked, history
from bot.texts import Texts
from indexer import SituateError

log = logging.getLogger(__name__)

LONGEST_PART = 11_000  # characters of Markdown in one message
ATTEMPTS = 3
TRIES = 2  # where who may read what changes while an answer is made
RESPONSE_USES = 5  # of a response URL, says Slack; what comes after that takes another way


class PrivateReplies:
    """Answers commands, and whoever asks for an answer of their own."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def answer(self, question: Question) -> Outcome:
        """Answer a command. Raises nothing but CancelledError."""
        parts = self._parts
        texts = await parts.texts(question.user)
        reading = NOTHING
        try:
            for _ in range(TRIES):
                reading = await of_question(parts.directory, question)
                answer = await self._answered(question, reading, texts)
                now = await of_question(parts.directory, question)
                if reading.viewer.audiences <= now.viewer.audiences:
                    break
            else:  # who may read what changes all the time
                answer, reading = Answer(texts.say("readers_changed"), Kind.TROUBLE), NOTHING
        except Exception as error:  # noqa: BLE001 the asker gets a sentence, whatever is wrong in here
            sentence = texts.of_error(error)
            answer = Answer(sentence, Kind.TROUBLE, reference=logged(sentence, error))
        shown = await self._shown(question, answer, reading, texts)
        return "answered" if shown and answer.kind is not Kind.TROUBLE else "failed"

    async def _answered(self, question: Question, reading: Reading, texts: Texts) -> Answer:
        parts = self._parts
        (text, name), past, cap = await asyncio.gather(
            asked(question, parts.directory, parts.me),
            self._said_before(question, reading, texts),
            cap_for(parts, question),
        )
        workspace = await parts.workspace.name()
        asker, capped = name if past.several else None, cap.told(texts) if cap else None
        events = parts.answerer.answer(
            text, reading.viewer, workspace, past.turns, texts=texts, asker=asker, capped=capped
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Done):
                    parts.signs.answered(event.answer)
                    return truly(event.answer, reading, texts)
        raise RuntimeError("an answer always ends in Done")

    async def _said_before(self, question: Question, reading: Reading, texts: Texts) -> History:
        """The thread before it, for who reads along there at this moment; nothing of it for anybody else."""
        if channel_audience(question.channel) not in reading.viewer.audiences:
            return History()
        parts = self._parts
        budget = parts.settings.thread_tokens
        return await history(parts.client, question, parts.directory, parts.ledger, texts, budget_tokens=budget)

    async def _shown(self, question: Question, answer: Answer, reading: Reading, texts: Texts) -> bool:
        audiences = reading.viewer.audiences
        kept = stored(answer, question, id=new_answer_id(), audiences=audiences, messages=(), private=True)
        try:
            await self._parts.ledger.keep(kept)
            await self._replace(question.answer_before, kept.id)
        except SituateError as error:  # its buttons will not work, but it can be read
            log.warning("a private answer could not be kept: %s", error)
        seen = notice_first(answer)
        remarks = (texts.say("files_not_read"),) if question.files else ()
        told = Told.of(seen, left_out=reading.left_out, remarks=remarks)
        # What was made for the asker's eyes, because who else reads there is not known, is not for sharing; and a
        # direct conversation has nobody to share it with.
        shareable = reading.shareable and answer.kind is Kind.ANSWER and not question.channel.startswith("D")
        text, _ = await asked(question, self._parts.directory, self._parts.me)
        parts = split(safe_markdown(seen.text), LONGEST_PART, len)
        offers = Offers(share=shareable)
        shown = replace(kept, text=seen.text)
        return await self._sent(question, command_answer(shown, texts, parts, question=text, told=told, offers=offers))

    async def _replace(self, before: str | None, by: str) -> None:
        """Mark a private answer that was tried again; one for everybody, from under which this was asked, stays."""
        answer = await self._parts.ledger.answer(before) if before is not None else None
        if answer is not None and answer.private:
            await self._parts.ledger.replaced(answer.id, by)

    async def _sent(self, question: Question, messages: Sequence[Message]) -> bool:
        """Each message by the best way that is left: the response URL, an ephemeral message, a direct message.

        Beside a thread, where the response URL of a button would write into the channel, the first two change places.
        """
        sent = []
        for number, message in enumerate(messages):
            ways = [self._in_response, self._beside]
            if number >= RESPONSE_USES:
                ways.remove(self._in_response)
            if question.private:
                ways.reverse()
            ways.append(self._directly)
            sent.append(False)
            for way in ways:
                if await way(question, message, number):
                    sent[-1] = True
                    break
        return all(sent)

    async def _in_response(self, question: Question, message: Message, number: int) -> bool:
        if not question.response_url:
            return False
        body = {
            "response_type": "ephemeral",
            # The word that a command was heard makes room. What a button stands on may be there for everybody.
            "replace_original": number == 0 and not question.private,
            "text": message.text,
            "blocks": message.blocks,
            "unfurl_links": False,
            "unfurl_media": False,
        }
        webhook = AsyncWebhookClient(question.response_url, timeout=10)
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(0.5 * 2 ** (attempt - 1) if attempt else 0)
            try:
                response = await webhook.send_dict(body)
            except TROUBLE as error:
                log.warning("a response URL does not answer: %s", reason(error))
            else:
                if response.status_code == 200:
                    return True
                if response.status_code not in (429, 500, 502, 503, 504):
                    log.warning("a response URL refused an answer: status %s", response.status_code)
                    return False
        return False

    async def _beside(self, question: Question, message: Message, number: int) -> bool:
        thread = question.thread or None
        place = Place(question.team, question.channel, thread, question.user, question.user_team)
        return await try_to(self._parts.poster.ephemeral(place, blocks=message.blocks, text=message.text))

    async def _directly(self, question: Question, message: Message, number: int) -> bool:
        """In the asker's own conversation with the bot, which nobody else reads."""
        place = Place(question.team, question.user, None, question.user, question.user_team)
        key = f"{question.key}:{number}"
        return await try_to(self._parts.poster.post(place, blocks=message.blocks, text=message.text, key=key))
