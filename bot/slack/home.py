"""People's Home tabs: what each may see of the documents, worked out anew whenever it is shown."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from datetime import UTC, datetime

from bot.answering.trouble import logged
from bot.slack import rights
from bot.slack.clicks import try_to
from bot.slack.directory import CannotCheck
from bot.slack.documents import money, shelf
from bot.slack.parts import Parts
from bot.slack.showing.forms import View
from bot.slack.showing.home import MOST_DOCUMENTS, home, home_trouble
from bot.texts import Texts


class Homes:
    """Publishes them. Of one person's one after the other, so that the newest stands in the end."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._teams: dict[str, str | None] = {}  # of those who have looked at theirs, since this process began

    async def publish(self, user: str, user_team: str | None = None, *, notice: str = "") -> None:
        """Show somebody their Home tab as it is now; ``notice`` tells what came of what they did. Raises nothing."""
        if not user:
            return
        self._teams[user] = user_team or self._teams.get(user)
        async with self._turns[user]:
            view = await self._view(user, user_team, notice)
            await try_to(self._parts.client.views_publish(user_id=user, view=view))

    async def refresh(self, user: str | None = None) -> None:
        """What somebody may read has changed, or everybody: no tab that was shown keeps what its owner may not read."""
        for one in list(self._teams) if user is None else [user]:
            if one in self._teams:
                await self.publish(one, self._teams[one])

    async def _view(self, user: str, user_team: str | None, notice: str) -> View:
        parts = self._parts
        texts = await parts.texts(user)
        try:
            return await self._filled(user, user_team, texts, notice)
        except Exception as error:  # noqa: BLE001 a tab that stays as it was would show what is not so any more
            sentence = texts.of_error(error)
            return home_trouble(sentence, texts, reference=logged(sentence, error))

    async def _filled(self, user: str, user_team: str | None, texts: Texts, notice: str) -> View:
        parts = self._parts
        there = await shelf(parts, user, user_team, texts, most_named=MOST_DOCUMENTS)
        may_add = False
        with suppress(CannotCheck):
            may_add = await rights.may_add(parts, user, user_team)
        return home(
            there,
            texts,
            now=datetime.now(UTC),
            command=parts.settings.docs_command,
            ask_command=parts.settings.ask_command,
            may_add=may_add,
            money=await money(parts) if there.is_admin else None,
            notice=notice,
        )
