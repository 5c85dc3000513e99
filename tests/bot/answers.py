"""Ask a question against the stand-in for Claude and see what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic_settings import SettingsConfigDict

from bot.answering.answerer import Answerer
from bot.answering.events import Answer, Citation, Done, Event, Reset, Text, Turn
from bot.settings import BotSettings
from indexer import Viewer, load_prices, open_claude
from tests.bot.shelf import EVERYBODY, Shelf
from tests.claude_server import ClaudeServer

MODEL = "claude-haiku-5-5"
TODAY = date(2024, 3, 1)


@dataclass(frozen=True)
class Seen:
    """All events of an answer, and what a front would show at the end of them."""

    events: tuple[Event, ...]

    @property
    def answer(self) -> Answer:
        last = self.events[-1]
        assert isinstance(last, Done)
        return last.answer

    @property
    def shown(self) -> str:
        """The text that stands once every event is played."""
        text = ""
        for event in self.events:
            if isinstance(event, Text):
                text += event.text
            elif isinstance(event, Reset):
                text = ""
        return text

    @property
    def citations(self) -> list[Citation]:
        return [event for event in self.events if isinstance(event, Citation)]


class _Settings(BotSettings):
    model_config = SettingsConfigDict(env_file=None)


def settings(**changes: Any) -> BotSettings:
    return _Settings.model_validate({"answer_model": MODEL, "answer_seconds": 20.0, **changes})


def answerer(claude: ClaudeServer, shelf: Shelf, *, timeout: float = 20.0, **changes: Any) -> Answerer:
    client = open_claude("test-key", claude.base_url, timeout, 0)
    return Answerer(shelf, client, settings(**changes), load_prices(None), backoff_seconds=0.001, today=lambda: TODAY)


async def ask(
    answerer: Answerer,
    question: str,
    viewer: Viewer = EVERYBODY,
    history: Sequence[Turn] = (),
    *,
    workspace: str = "local",
) -> Seen:
    """Every event of the answer; the text shown and the answer's text are the same in the end."""
    try:
        events = [event async for event in answerer.answer(question, viewer, workspace, history)]
    finally:
        if answerer.client is not None:
            await answerer.client.close()
    seen = Seen(tuple(events))
    assert sum(isinstance(event, Done) for event in events) == 1
    if seen.shown:
        assert seen.shown.strip() == seen.answer.text
    return seen
