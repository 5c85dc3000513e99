"""The form that takes a document out, from the command, a list or the Home tab: what happens in it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from datetime import UTC, datetime

from bot.answering.trouble import logged
from bot.slack.clicks import Click, reason, say, try_to
from bot.slack.directory import CannotCheck
from bot.slack.documents import remove, shelf
from bot.slack.home import Homes
from bot.slack.parts import FORM_SECONDS, Parts
from bot.slack.showing.removing import (
    MOST_OPTIONS,
    removing_confirmation,
    removing_loading,
    removing_picker,
    removing_told,
)
from bot.slack.showing.sources import title_of
from bot.slack.showing.views import View
from bot.texts import Texts
from indexer import SituateError

log = logging.getLogger(__name__)


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
        try:
            opened = await parts.client.views_open(trigger_id=click.trigger, view=removing_loading(texts))
        except Exception as error:  # noqa: BLE001 too late, or Slack is away: the person can try again
            log.warning("a form could not be opened: %s", reason(error))
            if click.channel:
                await say(parts, click, "removing_not_opened")
            else:
                await self._homes.publish(click.user, click.user_team, notice=texts.say("removing_not_opened"))
            return
        view = self._which(click, words, texts) if not document else self.asked(click, document, texts)
        await self.fill(str(opened["view"]["id"]), view, texts)

    async def fill(self, view_id: str, view: Awaitable[View], texts: Texts) -> None:
        """Put what is worked out into an open form; whatever is wrong in here, the form says how it ended."""
        try:
            content = await view
        except Exception as error:  # noqa: BLE001 an open form must come to an end
            sentence = texts.of_error(error) if isinstance(error, SituateError) else texts.say("our_side")
            content = removing_told(sentence, texts, reference=logged(sentence, error))
        await try_to(self._parts.client.views_update(view_id=view_id, view=content))

    async def asked(self, click: Click, document: str, texts: Texts) -> View:
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

    async def done(self, click: Click, document: str, texts: Texts) -> View:
        """Remove it, and say what happened. Raises CannotCheck, Unavailable."""
        outcome, title = await remove(self._parts, click.user, click.user_team, document, texts)
        if outcome == "removed":
            sentence = texts.say("removing_done", title=title_of(title, texts))
        else:
            sentence = texts.say(f"removing_{outcome}")
        await self._homes.publish(click.user, click.user_team, notice=sentence)
        return removing_told(sentence, texts)

    async def _which(self, click: Click, words: str, texts: Texts) -> View:
        """The picker; where only one document has the words, whether that is meant."""
        parts = self._parts
        there = await shelf(parts, click.user, click.user_team, texts, most_named=MOST_OPTIONS)
        if words:
            there = there.with_words(words)
            if len(there.removable) == 1:
                return removing_confirmation(there.removable[0], texts, now=datetime.now(UTC))
        return removing_picker(there, texts, command=parts.settings.docs_command, asked=words)
