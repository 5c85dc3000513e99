"""What was deleted in Slack is forgotten here: the documents that were made of it go, and who added them is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot.ledger import Forgotten
from bot.slack.adding.afterwards import tell_where_it_is_gone
from bot.slack.adding.conversation import tell_directly
from bot.slack.background import in_peace, news_or
from bot.slack.fetching import source_of
from bot.slack.naming import called
from bot.slack.parts import Parts
from bot.slack.showing.messages import sentence_message
from bot.slack.showing.sources import title_of
from indexer import DocumentId

LOOK_SECONDS = 30.0  # between two looks for what another process could not finish


class Forgetting:
    """Marks what is gone at once, so that nothing is lost in a crash, and forgets it in the background."""

    def __init__(self, parts: Parts, *, settled: Callable[[], Awaitable[None]] | None = None) -> None:
        """``settled`` is told that documents have gone."""
        self._parts = parts
        self._settled = settled
        self._news = asyncio.Event()

    async def gone(self, part: str) -> None:
        """A message (``C1:1700000000.000100``) or a file (``F1``) was deleted. Raises CatalogueUnavailable."""
        parts = self._parts
        for workspace in () if ":" in part else {parts.me.team, parts.settings.workspace}:
            for row in await parts.library.attempts(workspace, source=source_of(part)):
                if not row.audience.is_passing:  # a thread's files are the attachments' to forget
                    await parts.ledger.holds(row.document, workspace, part, row.added_by or "")
        if await parts.ledger.part_gone(part):
            self._news.set()

    async def go_on(self) -> None:
        """Forget what is marked, again and again, until cancelled."""
        while True:
            self._news.clear()
            await in_peace(self.sweep, "what was deleted in Slack could not be forgotten yet")
            await news_or(self._news, LOOK_SECONDS)

    async def sweep(self) -> None:
        """Forget all that is marked, and tell who added it. Raises SituateError."""
        to_forget = await self._parts.ledger.to_forget()
        known = {
            row.document: row
            for workspace in {made.workspace for made in to_forget}
            for row in await self._parts.library.attempts(workspace)
        }
        for made in to_forget:
            row = known.get(DocumentId(made.document))
            if row is not None:
                await self._parts.ledger.will_tell(made.document, Forgotten(row.id, made.user, row.title))
                await self._parts.library.remove(made.workspace, row.document)
            await tell_where_it_is_gone(self._parts, made.document)  # also where one that died had removed it
            await self._parts.ledger.forgotten(made.document)
            if row is not None and self._settled is not None:
                await self._settled()
        await self._tell_all()

    async def _tell_all(self) -> None:
        """Each once, however many bots there are, and after a crash the one who may have told is looked after."""
        ledger = self._parts.ledger
        for forgotten in await ledger.to_tell():
            key = f"{forgotten.version}:forgotten"
            turn = await ledger.begin_errand(key)
            if turn == "yours":
                told = await self._tell(forgotten, key)
                await ledger.end_errand(key, done=told)
                turn = "done" if told else "busy"
            if turn == "done":
                await ledger.told(forgotten.version)

    async def _tell(self, forgotten: Forgotten, key: str) -> bool:
        """The adder, in their direct conversation: they know what they added. False: Slack cannot be reached."""
        if not forgotten.user:
            return True
        texts = await self._parts.texts(forgotten.user)
        title = called(title_of(forgotten.title, texts), texts)
        told = sentence_message(texts.say("source_deleted", title=title))
        return await tell_directly(self._parts, forgotten.user, told, key=key, again=True)
