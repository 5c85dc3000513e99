"""The slash command's answer: only its asker sees it, and may share it."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.answering.events import Answer, Done, Kind
from bot.answering.trouble import logged
from bot.ledger import new_answer_id, stored
from bot.slack.asking import Question
from bot.slack.audience import NOTHING, Reading, of_question
from bot.slack.blocks import Offers, Told
from bot.slack.desk import Outcome
from bot.slack.markup import safe_markdown
from bot.slack.messages import Message, command_answer
from bot.slack.parts import Parts
from bot.slack.splitting import split
from bot.slack.threads import asked
from bot.texts import Texts
from indexer import SituateError

log = logging.getLogger(__name__)

LONGEST_PART = 11_000  # characters of Markdown in one message
ATTEMPTS = 3
TROUBLE = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError)


class PrivateReplies:
    """Answers commands through their response URLs."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def answer(self, question: Question) -> Outcome:
        """Answer a command. Raises nothing but CancelledError."""
        parts = self._parts
        texts = await parts.texts(question.user)
        reading = NOTHING
        try:
            reading = await of_question(parts.directory, question)
            answer = await self._answered(question, reading, texts)
        except SituateError as error:
            sentence = texts.of_error(error)
            answer = Answer(sentence, Kind.TROUBLE, reference=logged(sentence, error))
        except Exception as error:  # noqa: BLE001 the asker gets a sentence, whatever is wrong in here
            sentence = texts.say("our_side")
            answer = Answer(sentence, Kind.TROUBLE, reference=logged(sentence, error))
        shown = await self._shown(question, answer, reading, texts)
        return "answered" if shown and answer.kind is not Kind.TROUBLE else "failed"

    async def _answered(self, question: Question, reading: Reading, texts: Texts) -> Answer:
        parts = self._parts
        text, _ = await asked(question, parts.directory, parts.me)
        events = parts.answerer.answer(text, reading.viewer, await parts.workspace.name(), texts=texts)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Done):
                    return event.answer
        raise RuntimeError("an answer always ends in Done")

    async def _shown(self, question: Question, answer: Answer, reading: Reading, texts: Texts) -> bool:
        kept = stored(
            answer,
            question,
            id=new_answer_id(),
            audiences=reading.viewer.audiences,
            messages=(),
            private=True,
        )
        try:
            await self._parts.ledger.keep(kept)
        except SituateError as error:  # its buttons will not work, but it can be read
            log.warning("a private answer could not be kept: %s", error)
        told = Told.of(answer, left_out=reading.left_out)
        # What was made for the asker's eyes, because who else reads there is not known, is not for sharing.
        offers = Offers(share=reading.shareable and answer.kind is Kind.ANSWER)
        text, _ = await asked(question, self._parts.directory, self._parts.me)
        parts = split(safe_markdown(answer.text), LONGEST_PART, len)
        messages = command_answer(kept, texts, parts, question=text, told=told, offers=offers)
        return all([await self._sent(question, message, first=not number) for number, message in enumerate(messages)])

    async def _sent(self, question: Question, message: Message, *, first: bool) -> bool:
        """Through the response URL; where that is used up or too old, as an ephemeral message."""
        body = {
            "response_type": "ephemeral",
            "replace_original": first,
            "text": message.text,
            "blocks": message.blocks,
            "unfurl_links": False,
            "unfurl_media": False,
        }
        if question.response_url and await self._responded(question.response_url, body):
            return True
        try:
            await self._parts.client.chat_postEphemeral(
                channel=question.channel, user=question.user, text=message.text, blocks=message.blocks
            )
        except TROUBLE as error:
            told = error.response.get("error") if isinstance(error, SlackApiError) else type(error).__name__
            log.warning("a private answer could not be shown: %s", told)
            return False
        return True

    async def _responded(self, url: str, body: dict[str, object]) -> bool:
        webhook = AsyncWebhookClient(url, timeout=10)
        for attempt in range(ATTEMPTS):
            try:
                response = await webhook.send_dict(body)
            except TROUBLE as error:  # never with the URL: who has it can write
                log.warning("a response URL does not answer: %s", type(error).__name__)
            else:
                if response.status_code == 200:
                    return True
                if response.status_code not in (429, 500, 502, 503, 504):
                    log.warning("a response URL refused an answer: status %s", response.status_code)
                    return False
            await asyncio.sleep(0.5 * 2**attempt)
        return False
