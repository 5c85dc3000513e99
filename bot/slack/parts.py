"""What those who handle events and answer questions work with: one of each, for as long as the bot runs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from slack_sdk.web.async_client import AsyncWebClient

from bot.answering.answerer import Answerer
from bot.ledger import Ledger
from bot.settings import BotSettings
from bot.slack.directory import CannotCheck, Directory, Gone
from bot.slack.files import Attachments
from bot.slack.intake import Me
from bot.slack.sending.posting import Poster
from bot.slack.signs import Signs
from bot.slack.workspace import Workspace
from bot.texts import TO_EVERYBODY, Texts, texts_for
from indexer import Indexer

LOCALE_SECONDS = 1.5  # a person's language is worth waiting for, but not long
FORM_SECONDS = 0.5  # for the language of a form, which must open within three seconds


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that is open while the bot runs."""

    settings: BotSettings
    me: Me
    client: AsyncWebClient
    library: Indexer
    ledger: Ledger
    answerer: Answerer
    workspace: Workspace
    directory: Directory
    attachments: Attachments
    poster: Poster
    signs: Signs = field(default_factory=Signs)

    async def texts(self, user: str, *, seconds: float = LOCALE_SECONDS) -> Texts:
        """What the app says to a person, in their language; English where it cannot be had in time."""
        try:
            async with asyncio.timeout(seconds):
                return texts_for((await self.directory.person(user)).locale)
        except (TimeoutError, CannotCheck, Gone):
            return TO_EVERYBODY
