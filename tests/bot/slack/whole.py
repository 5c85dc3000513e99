"""What tests of the whole bot do again and again: ask, wait for the end, and read what stands there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bot.slack import app, desk
from bot.slack.app import SlackBot
from bot.slack.sending import calls, posting, streams
from bot.slack.sending.streaming import AnswerMessages
from tests.claude_server import Brain, HonestAnswerer, Reply, Request, Text, ToolUse
from tests.claude_server.brains import asked, found_in, query_field, search_tool
from tests.slack_server import Channel, Message, SlackServer

QUESTION = "What was the root cause of INC-2023-04-011?"
QUOTE = "The root cause was an expired certificate on the login gateway."


class Clocks:
    """The bot's clocks, quick: what waits for seconds in Slack waits for hundredths here."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        for name in ("LOOK_SECONDS", "BEAT_SECONDS", "TAKE_OVER_SECONDS"):
            patch.setattr(desk, name, 0.05)
        patch.setattr(desk, "LATER_SECONDS", 0.2)
        patch.setattr(desk, "PATIENCE_SECONDS", 2.0)
        for module in (posting, streams):
            patch.setattr(module, "LOOK_AFTER", 0.05)
            patch.setattr(module, "LONGEST_WAIT", 0.5)
        self.of_messages("update_every", 0.05)

    def of_messages(self, name: str, seconds: float) -> None:
        """``update_every`` or ``renew_after`` of the messages of answers."""
        defaults = AnswerMessages.__init__.__kwdefaults__
        assert defaults is not None
        self._patch.setitem(defaults, name, seconds)

    def pings(self, seconds: float) -> None:
        """How often a socket is tried; it is given up once nothing has come for one and a half of that."""
        self._patch.setattr(app, "PING_SECONDS", seconds)

    def tries(self, count: int) -> None:
        """How often a lost call is made."""
        for module in (posting, streams):
            self._patch.setattr(module, "TRIES", count)

    def of_calls(self, seconds: float) -> None:
        """How long one call of Slack may take."""
        self._patch.setattr(calls, "CALL_SECONDS", seconds)


async def finished(
    slack: SlackServer, bot: SlackBot, channel: Channel, ts: str, *, seconds: float = 20.0
) -> list[Message]:
    """The messages in a thread once everything there is answered."""
    await slack.until(lambda: slack.replies(channel, ts), seconds, "a message in the thread")
    async with asyncio.timeout(seconds):
        while any(question.thread == ts for question, _ in await bot.parts.ledger.unfinished()):  # noqa: ASYNC110 rows
            await asyncio.sleep(0.02)
        await bot.desk.idle()
    return slack.replies(channel, ts)


async def outcome(bot: SlackBot, channel: Channel, ts: str) -> str:
    """What is kept of the answer to the newest question in a thread: its text."""
    (*_, last) = await bot.parts.ledger.answers_in(bot.parts.me.team, channel.id, ts)
    return last.text


def said(message: Message) -> str:
    """What a message says in Markdown, whether it was streamed or posted."""
    blocks = [str(block["text"]) for block in message.blocks if block["type"] == "markdown"]
    return message.markdown + "".join(blocks)


def texts_of(message: Message) -> Iterator[str]:
    """Everything in a message that a person or a program may read: what is shown, its links, its fallback."""
    yield message.shown
    yield message.text
    for label, url in message.links:
        yield label
        yield url


class Writes:
    """Searches first; then quotes the best passage and writes ``text`` behind it, a block a paragraph.

    ``fields`` are those of a ``Reply``.
    """

    def __init__(self, text: str = "", **fields: Any) -> None:
        self.text = text
        self.fields = fields

    def __call__(self, request: Request) -> Reply:
        if request.may_use_tools and not request.tool_results:
            tool = search_tool(request)
            return Reply((ToolUse(tool["name"], {query_field(tool): asked(request)}),))
        best = HonestAnswerer(1).choose(asked(request), found_in(request))
        quoted = [Text(found.text.strip(), (found.cite(),)) for found in best]
        said = [Text(part) for part in re.split(r"(?=\n\n)", f"\n\n{self.text}") if part.strip()]
        return Reply((*quoted, *said)).but(**({"piece": 400} | self.fields))


class ByQuestion:
    """A brain for each question, by words that stand in it."""

    def __init__(self, **brains: Brain) -> None:
        self.brains = brains

    def __call__(self, request: Request) -> Reply:
        (brain,) = [brain for word, brain in self.brains.items() if word in asked(request)]
        return brain(request)
