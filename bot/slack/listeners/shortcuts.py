"""The shortcut on a message: what somebody asked there, answered for whoever uses it."""

from __future__ import annotations

import logging
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.clicks import click_of, tell
from bot.slack.desk import Desk
from bot.slack.intake import shortcut_question
from bot.slack.parts import Parts
from bot.slack.showing import actions
from bot.slack.showing.messages import sentence_message
from indexer import CatalogueUnavailable

log = logging.getLogger(__name__)


def register(app: AsyncApp, parts: Parts, desk: Desk) -> None:
    async def ask(ack: AsyncAck, body: dict[str, Any]) -> None:
        question = shortcut_question(body, parts.me)
        taken, error = False, None
        try:
            taken = question is not None and await parts.ledger.take(question, desk.owner)
        except CatalogueUnavailable as away:
            log.warning("a shortcut could not be stored: %s", away)
            error = away
        await ack()
        if question is not None and taken:
            desk.begin(question)
        if taken or error is not None:
            click = click_of(body, parts.me)
            texts = await parts.texts(click.user)
            await tell(parts, click, sentence_message(texts.of_error(error) if error else texts.say("working_on_it")))

    app.shortcut(actions.ASK_ABOUT_MESSAGE)(ask)
