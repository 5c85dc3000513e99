"""The form that takes a document out, from the command, a list or the Home tab: what happens in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from datetime import UTC, datetime
from typing import Any

from slack_bolt.async_app import AsyncAck

from bot.answering.trouble import logged
from bot.slack.adding.afterwards import tell_where_it_is_gone
from bot.slack.clicks import Click, fill_form, open_form, say
from bot.slack.directory import CannotCheck
from bot.slack.documents import remove, shelf
from bot.slack.home import Homes
from bot.slack.naming import called
from bot.slack.parts import FORM_SECONDS, Parts
from bot.slack.showing.forms import View
from bot.slack.showing.removing import (
    MOST_OPTIONS,
    removing_confirmation,
    removing_loading,
    removing_picker,
    removing_told,
    removing_working,
)
from bot.slack.showing.sources import title_of
from bot.texts import Texts

ACK_SECONDS = 1.5  # that a form that is sent in waits for the next; Slack waits three
AFTER_ACK_SECONDS = 0.3


class Removing:
    """Each step is checked anew: what somebody may not read (any more) has no title in it."""

    def __init__(self, parts: Parts, homes: Homes) -> None:
        self._parts = parts
        self._homes = homes

    async def open(self, click: Click, *, document: str = "", words: str = "") -> None:
        """Open the form: for one document it asks whether that is meant, else which one, of those with ``words``.

        Nothing may be awaited for long before it is open: Slack waits three seconds.
        """
        parts = self._parts
        texts = await parts.texts(click.user, seconds=FORM_SECONDS)
        form = await open_form(parts, click.trigger, removing_loading(texts))
        if form is None:
            if click.channel:
                await say(parts, click, "removing_not_opened")
            else:
                await self._homes.publish(click.user, click.user_team, notice=texts.say("removing_not_opened"))
            return
        work = self._which(click, words, texts) if not document else self._asked(click, document, texts)
        await fill_form(parts, form, await _in_the_end(work, texts))

    async def picked(self, click: Click, ack: AsyncAck, view_id: str, document: str) -> None:
        """The picker was sent in: ask whether that document is meant."""
        texts = await self._parts.texts(click.user, seconds=FORM_SECONDS)
        await self._next(ack, view_id, self._asked(click, document, texts), removing_loading(texts), texts)

    async def confirmed(self, click: Click, ack: AsyncAck, view_id: str, document: str) -> None:
        """It is meant: remove it, and say what happened."""
        texts = await self._parts.texts(click.user, seconds=FORM_SECONDS)
        await self._next(ack, view_id, self._done(click, document, texts), removing_working(texts), texts)
        await tell_where_it_is_gone(self._parts, document)
        await self._homes.publish(click.user, click.user_team)

    async def _next(
        self, ack: AsyncAck, view_id: str, work: Coroutine[Any, Any, View], meanwhile: View, texts: Texts
    ) -> None:
        """Acknowledge with the form that comes next; where that takes longer, with one that says so ``meanwhile``."""
        task = asyncio.create_task(_in_the_end(work, texts))
        done, _ = await asyncio.wait({task}, timeout=ACK_SECONDS)
        if done:
            await ack(response_action="update", view=task.result())
            return
        await ack(response_action="update", view=meanwhile)
        content = await task
        await asyncio.sleep(AFTER_ACK_SECONDS)  # else what is said meanwhile might come last
        await fill_form(self._parts, view_id, content)

    async def _asked(self, click: Click, document: str, texts: Texts) -> View:
        """Whether that document is meant; else why it cannot be removed. Raises CannotCheck."""
        there = await shelf(self._parts, click.user, click.user_team, texts)
        found = there.find(document)
        if found is None:
            if there.unsure:
                raise CannotCheck
            return removing_told(texts.say("removing_gone"), texts)
        if not found.may_remove:
            return removing_told(texts.say("removing_not_yours"), texts)
        return removing_confirmation(found, texts, now=datetime.now(UTC))

    async def _done(self, click: Click, document: str, texts: Texts) -> View:
        """Remove it, and say what happened. Raises CannotCheck, Unavailable."""
        outcome, title = await remove(self._parts, click.user, click.user_team, document, texts)
        if outcome == "removed":
            return removing_told(texts.say("removing_done", title=called(title_of(title, texts), texts)), texts)
        return removing_told(texts.say(f"removing_{outcome}"), texts)

    async def _which(self, click: Click, words: str, texts: Texts) -> View:
        """The picker; where only one document has the words, whether that is meant."""
        parts = self._parts
        there = await shelf(parts, click.user, click.user_team, texts, most_named=MOST_OPTIONS)
        if words:
            there = there.with_words(words)
            if len(there.removable) == 1:
                return removing_confirmation(there.removable[0], texts, now=datetime.now(UTC))
        return removing_picker(there, texts, command=parts.settings.docs_command, asked=words)


async def _in_the_end(work: Awaitable[View], texts: Texts) -> View:
    """What is worked out; whatever is wrong in here, the form says how it ended."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 an open form must come to an end
        sentence = texts.of_error(error)
        return removing_told(sentence, texts, reference=logged(sentence, error))
