"""Tells administrators what breaks, once, and once that it is over: in ADMIN_CHANNEL, or in the log alone.

What is wrong is a row in the ledger, so that of many bots one tells it, and one that restarts knows what was told. What
cannot be said now, as Slack is away or the channel is archived, is said when it can be, unless it was short. Of what
comes and goes no more than one pair of messages an hour is told.
"""

from __future__ import annotations

import asyncio
import logging
import platform
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Literal

from bot import caps, health
from bot.ledger.alerts import Alert
from bot.slack import admin_channel
from bot.slack.background import in_peace, news_or
from bot.slack.parts import Parts
from bot.slack.sending.calls import Lost, Refused
from bot.slack.sending.posting import UNREACHABLE, NotPosted, Place
from bot.slack.showing.alerts import News, alert_message
from bot.slack.signs import now_utc
from bot.slack.troubles import CLAUDE, Contexts, Seen, Trouble, latest, look_back, of_indexing
from bot.texts import ENGLISH

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 20.0
SETTLED: Final = timedelta(seconds=60)  # so long it must have been over before that is told
PAIR: Final = timedelta(hours=1)
SHORT: Final = timedelta(minutes=10)  # what could not be told in so short a time is not told any more
OLD: Final = timedelta(days=1)  # nor what has been over for so long
LOST: Final = timedelta(minutes=3)  # a process or machine of which nothing was heard for so long is gone
AGAIN: Final = timedelta(seconds=30)  # before it is told again, where Slack was away
REFUSED: Final = timedelta(minutes=10)  # where Slack refused it: somebody has to do something first
TELL_SECONDS: Final = 240.0  # for all attempts to tell one thing; less than a process keeps it from the others
BACK_SECONDS: Final = 30.0  # after Slack was away: the connection may be back in a moment, too
ASK_AGAIN: Final = timedelta(minutes=5)  # whether a key that was refused is taken; asking costs nothing
ASK_SECONDS: Final = 15.0


def due(alert: Alert, now: datetime) -> News | Literal["nothing"] | None:
    """What is to be told of an alert now; ``nothing``: it is over and not worth a word; None: not now.

    Worked example: a connection goes at 10:00 and is told at 10:01. It is back at 10:05: told at 10:06. It goes again
    at 10:20 and stays away: told at 11:01, an hour after the first. Had it come back at 10:25: nothing.
    """
    if alert.is_closed:
        return None
    free = alert.told_at is None or now - alert.told_at >= PAIR
    if alert.ended_at is None:
        return "begun" if free and not alert.begun_told else None
    if now - alert.ended_at < SETTLED:
        return None
    if alert.begun_told:
        return "over"
    if alert.ended_at - alert.began_at < SHORT or now - alert.ended_at > OLD:
        return "nothing"
    return "missed" if free else None


class Alerts:
    """Looks at the signs and around, and tells. ``owner`` is this process; ``now`` is a clock of UTC."""

    def __init__(self, parts: Parts, owner: str, *, now: Callable[[], datetime] = now_utc) -> None:
        self._parts = parts
        self.signs = parts.signs
        self._team = parts.me.team
        self._owner = owner
        self._now = now
        self._contexts = Contexts()
        self._asked_at: datetime | None = None
        self._telling: asyncio.Task[None] | None = None

    # -- looking ---------------------------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Look and tell, until cancelled."""
        try:
            while True:
                self.signs.news.clear()
                await news_or(self.signs.news, LOOK_SECONDS)
                await in_peace(self.look, "what breaks could not be looked for")
                if self._telling is None or self._telling.done():  # it may take minutes; meanwhile it is looked on
                    self._telling = asyncio.create_task(in_peace(self.tell, "what breaks could not be told"))
        finally:
            if self._telling is not None:
                self._telling.cancel()
                await asyncio.gather(self._telling, return_exceptions=True)

    async def look(self) -> None:
        """See how it stands with everything, and write down what changed. Raises CatalogueUnavailable."""
        ledger, signs = self._parts.ledger, self.signs
        signs.known = await ledger.alerts(self._team)
        for kind, seen in (await self._seen()).items():
            known = signs.known.get(kind)
            if seen.is_bad and (known is None or (known.ended_at is not None and seen.at > known.ended_at)):
                await ledger.alert_begins(self._team, kind, seen.at, seen.detail)
            elif not seen.is_bad and known is not None and known.ended_at is None and seen.at >= known.began_at:
                await ledger.alert_ends(self._team, kind, seen.at)
        signs.known = await ledger.alerts(self._team)

    async def _seen(self) -> dict[Trouble, Seen]:
        parts, now = self._parts, self._now()
        workspace = await parts.workspace.name()
        known = self.signs.known.get(Trouble.INDEXING)
        attempts = await parts.library.attempts(workspace, since=look_back(now, known))
        seen = await self._of_claude(workspace, self._contexts.see(attempts))
        indexing = of_indexing(attempts, now, known)
        seen[Trouble.INDEXING] = Seen(indexing.is_bad, now, indexing.detail | {"workspace": workspace})
        seen[Trouble.CAP] = await self._of_cap(workspace, now)
        seen[Trouble.DISK] = await self._of_disk(now)
        seen[Trouble.SOCKET] = await self._of_connection(now)
        return seen

    async def _of_claude(self, workspace: str, of_contexts: dict[Trouble, Seen]) -> dict[Trouble, Seen]:
        """The latest that is known of key and credit: what was paid for says that there are both."""
        await self._ask_claude()
        paid = await self._parts.library.last_spent(workspace)
        fine = Seen(False, paid) if paid is not None else None
        found: dict[Trouble, Seen] = {}
        for kind in CLAUDE:
            seen = latest((self.signs.heard.get(kind), of_contexts.get(kind), fine))
            if seen is not None:
                found[kind] = Seen(seen.is_bad, seen.at, {"workspace": workspace})
        return found

    async def _ask_claude(self) -> None:
        """While the key is refused, ask now and then whether it still is: nobody may ask a question for hours."""
        signs, now, claude = self.signs, self._now(), self._parts.answerer.client
        known = signs.known.get(Trouble.KEY)
        if known is None or known.ended_at is not None or claude is None:
            return
        if now - (self._asked_at or known.began_at) < ASK_AGAIN:
            return
        self._asked_at = now
        try:
            async with asyncio.timeout(ASK_SECONDS):
                await claude.models.retrieve(self._parts.settings.answer_model)
        except Exception as error:  # noqa: BLE001 - whatever is wrong, it is no sign that the key is taken
            log.info("Claude was asked whether it takes the key again: %s", type(error).__name__)
        else:
            signs.heard[Trouble.KEY] = Seen(False, self._now())

    async def _of_cap(self, workspace: str, now: datetime) -> Seen:
        settings = self._parts.settings
        cap = settings.day_cap_usd
        reached = await caps.day_cap(self._parts.library, settings, workspace) is not None
        return Seen(reached, now, {"cap": f"{cap or 0:g}", "workspace": workspace})

    async def _of_disk(self, now: datetime) -> Seen:
        check = await asyncio.to_thread(health.disk, self._parts.library.settings)
        host = platform.node() or "this machine"
        is_bad = await self._anywhere(Trouble.DISK, host, now, is_bad=check.ok is not True)
        return Seen(is_bad, now, {"host": host, "found": check.found, "advice": check.advice})

    async def _of_connection(self, now: datetime) -> Seen:
        is_bad = await self.signs.is_cut_off()
        return Seen(await self._anywhere(Trouble.SOCKET, self._owner, now, is_bad=is_bad), now)

    async def _anywhere(self, kind: Trouble, place: str, now: datetime, *, is_bad: bool) -> bool:
        """Whether it is bad here or at any other place that has been heard of lately."""
        known = self.signs.known.get(kind)
        if not is_bad and (known is None or known.ended_at is not None):
            return False
        ledger = self._parts.ledger
        return await ledger.sighted(self._team, kind, place, now, is_bad=is_bad, not_before=now - LOST)

    # -- telling ---------------------------------------------------------------------------------------------------

    async def tell(self) -> None:
        """Tell what is to be told now. Raises CatalogueUnavailable."""
        ledger = self._parts.ledger
        for alert in (await ledger.alerts(self._team)).values():
            now = self._now()
            news = due(alert, now)
            if news is None:
                continue
            telling = await ledger.take_alert(self._team, alert, now)
            if telling is None:
                continue
            later = None if news == "nothing" else await self._told(alert, news, now, again=telling == "again")
            if later is not None:
                await ledger.put_alert_off(self._team, alert, self._now() + later)
                continue
            first = news in ("begun", "missed")
            await ledger.alert_told(self._team, alert, self._now(), closed=news != "begun", first=first)

    async def _told(self, alert: Alert, news: News, now: datetime, *, again: bool) -> timedelta | None:
        """None where it was told; else after how long it is to be tried again."""
        message = alert_message(alert, news, now, ENGLISH)
        if not again:
            (log.info if news == "over" else log.error)("alert: %s", message.text)
        poster, named = self._parts.poster, self._parts.settings.admin_channel
        if named is None:
            return None
        try:
            async with asyncio.timeout(TELL_SECONDS):
                channel = await admin_channel.find(self._parts.client, named)
                if channel is None:
                    raise Refused("not_in_channel")
                place = Place(self._team, channel, None, "")
                if not await self._still(alert, news):
                    return AGAIN
                key = f"alert:{alert.kind}:{alert.number}:{news}"
                if not (again and key in await poster.posted(place, {key})):
                    await poster.post(place, blocks=message.blocks, text=message.text, key=key)
        except (Lost, TimeoutError):
            return AGAIN
        except (Refused, NotPosted) as error:
            if error.error == UNREACHABLE or getattr(error, "wait", None) is not None:
                return AGAIN
            log.error("ADMIN_CHANNEL cannot be told (%s). %s", error.error, admin_channel.INVITE)
            return REFUSED
        return None

    async def _still(self, alert: Alert, news: News) -> bool:
        """Whether it is still to be told, now that Slack can be reached: the connection may be back soon, too."""
        if alert.kind != Trouble.SOCKET or news != "begun":
            return True
        await asyncio.sleep(BACK_SECONDS)
        found = (await self._parts.ledger.alerts(self._team)).get(alert.kind)
        return found is not None and found.number == alert.number and due(found, self._now()) == news
