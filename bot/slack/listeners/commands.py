"""Slash commands."""

from __future__ import annotations

import logging
import re
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.desk import Desk
from bot.slack.intake import command_question
from bot.slack.parts import Parts
from bot.slack.showing.messages import help_message
from indexer import CatalogueUnavailable

log = logging.getLogger(__name__)

LANGUAGE_SECONDS = 0.5  # the person sees nothing before the acknowledgement


def register(app: AsyncApp, parts: Parts, desk: Desk) -> None:
    command = parts.settings.ask_command

    async def ask(ack: AsyncAck, body: dict[str, Any]) -> None:
        texts = await parts.texts(str(body.get("user_id", "")), seconds=LANGUAGE_SECONDS)
        question = command_question(body, parts.me)
        if question is None or not question.text.strip():
            told = help_message(texts, command=command)
            await ack(response_type="ephemeral", text=told.text, blocks=told.blocks)
            return
        try:
            taken = await parts.ledger.take(question, desk.owner)
        except CatalogueUnavailable as error:
            log.warning("a command could not be stored: %s", error)
            await ack(response_type="ephemeral", text=texts.of_error(error))
            return
        await ack(response_type="ephemeral", text=texts.say("working_on_it"))
        if taken:
            desk.begin(question)

    async def unknown(ack: AsyncAck, body: dict[str, Any]) -> None:
        """A command that the manifest has and this version does not: said, where silence would look like a crash."""
        texts = await parts.texts(str(body.get("user_id", "")), seconds=LANGUAGE_SECONDS)
        await ack(response_type="ephemeral", text=texts.say("unknown_command", command=command))

    app.command(command)(ask)
    app.command(re.compile(".*"))(unknown)
