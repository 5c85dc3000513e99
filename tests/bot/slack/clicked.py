"""What tests of buttons and forms do again and again: have something answered, and documents for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.ledger import StoredAnswer
from bot.slack.app import SlackBot
from indexer import WORKSPACE, Audience, DocumentId, Indexer, Original
from tests.bot.slack.whole import finished
from tests.fixtures.indexer import followed
from tests.slack_server import Channel, Message, Person, SlackServer, View


@dataclass
class Slack:
    """A bot in the local Slack, and people who ask it and click."""

    slack: SlackServer
    bot: SlackBot

    async def asks(self, person: Person, channel: Channel, text: str, **more: Any) -> Message:
        """The last message of the answer to what a person says; in a channel they mention the bot."""
        mention = "" if channel.kind == "im" else "@Situate "
        thread = more.get("thread")
        before = len(self.slack.replies(channel, thread)) if thread else 0
        ts = self.slack.says(person, channel, f"{mention}{text}", **more)
        await self.slack.until(lambda: len(self.slack.replies(channel, thread or ts)) > before, what="an answer")
        return (await finished(self.slack, self.bot, channel, thread or ts))[-1]

    async def commands(self, person: Person, channel: Channel, text: str, *, name: str = "/ask") -> list[Message]:
        """What a person alone sees once their command is answered, the word that it was heard left out."""
        before = len(self.slack.ephemerals(person))
        await self.slack.commands(person, channel, name, text).arrives()
        await self.idle()
        return self.slack.ephemerals(person)[before + 1 :]

    async def clicks(self, person: Person, channel: Channel, ts: str, action: str, **more: Any) -> None:
        """Somebody clicks, and all that comes of it has happened."""
        await self.slack.clicks(person, channel, ts, action, **more).arrives()
        await self.idle()

    async def idle(self) -> None:
        """Nothing is in hand any more: no listener runs, no question is open, nothing is to be added or forgotten."""
        runner = self.bot.app.listener_runner  # Bolt's listeners run in tasks that only the loop knows
        assert runner is not None
        quiet = 0
        while quiet < 3:
            await asyncio.sleep(0.02)
            await self.bot.desk.idle()
            await self.bot.adding.idle()
            quiet = 0 if _listeners() or await self._work() else quiet + 1

    def listening(self) -> bool:
        """Whether a listener of Bolt's runs."""
        return bool(_listeners())

    async def _work(self) -> bool:
        """Whether the ledger holds work that is not done."""
        ledger = self.bot.parts.ledger
        return bool(await ledger.unfinished() or await ledger.unfinished_additions() or await ledger.to_forget())

    async def form(self, person: Person, *, without: str = "Fetching") -> View:
        """The form that a person has open, once it does not say any more that it is fetching."""
        await self.slack.until(lambda: (view := self.slack.view(person)) and without not in view.shown, what="a form")
        view = self.slack.view(person)
        assert view is not None
        return view

    async def answer(self, message: Message) -> StoredAnswer:
        """What is kept of the answer that a message shows."""
        found = await self.bot.parts.ledger.answer_of_message(self.slack.team_id, message.channel, message.ts)
        assert found is not None
        return found

    def told(self, person: Person) -> str:
        """The last thing that only this person sees."""
        messages = self.slack.ephemerals(person)
        return messages[-1].shown if messages else ""


def _listeners() -> list[asyncio.Task[Any]]:
    """Bolt's tasks: a listener, or a delivery on its way to one."""
    names = ("run_ack_function_asynchronously", "run_message_listeners")
    return [task for task in asyncio.all_tasks() if any(name in _name(task) for name in names)]


def _name(task: asyncio.Task[Any]) -> str:
    return str(getattr(task.get_coro(), "__qualname__", ""))


@asynccontextmanager
async def document(
    library: Indexer,
    workspace: str,
    text: str,
    *,
    name: str = "more.md",
    audience: Audience = WORKSPACE,
    by: Person | None = None,
) -> AsyncIterator[DocumentId]:
    """A document, for a while."""
    address = f"https://docs.example.com/{name}"
    original = Original(address, text.encode(), name, address)
    added = await library.add(original, workspace=workspace, audience=audience, added_by=by.id if by else None)
    row = await followed(library, added.version)
    assert row.state == "published", row.error
    yield added.document
    await library.remove(workspace, added.document)
