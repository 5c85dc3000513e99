"""How the next round is asked for: how long it may be, how Claude thinks, how often a broken one is tried again."""

from __future__ import annotations

import asyncio
import logging
import random

from anthropic.types import ThinkingConfigParam

from bot.answering.rounds import Broken, Round
from bot.settings import BotSettings

log = logging.getLogger(__name__)

RETRIES = 2  # of broken rounds, for a whole question


class Tries:
    """What changes from round to round of one question."""

    def __init__(self, settings: BotSettings, backoff_seconds: float) -> None:
        self.max_tokens = settings.answer_max_tokens
        self.thinking = _thinking(settings)
        self._model = settings.answer_model
        self._backoff_seconds = backoff_seconds
        self._retries = 0

    async def before_another(self, attempt: Round, broken: Broken) -> None:
        """Wait before a broken round is tried again from the state before it; raise where it is not to be."""
        if attempt.thinking_refused:
            log.warning("%s does not take ANSWER_THINKING; going on without", self._model)
            self.thinking = None
            return
        if not broken.retry or self._retries >= RETRIES:
            raise broken
        if broken.longer:
            self.max_tokens *= 2
        pause = self._backoff_seconds * 2**self._retries
        self._retries += 1
        await asyncio.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311 spreads load, guards nothing


def _thinking(settings: BotSettings) -> ThinkingConfigParam | None:
    match settings.answer_thinking:
        case "default":
            return None
        case "adaptive":
            return {"type": "adaptive"}
        case "between_tools":
            return {"type": "between_tools"}
        case "disabled":
            return {"type": "disabled"}
