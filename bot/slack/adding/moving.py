"""The one message that moves while documents are added, in the direct conversation with whoever adds them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from bot.adding import Progress, Request
from bot.slack.audience import NOTHING, of_reader
from bot.slack.clicks import respond_alone
from bot.slack.directory import CannotCheck
from bot.slack.parts import Parts
from bot.slack.rights import choice_of, is_admin
from bot.slack.sending.posting import UNREACHABLE, NotPosted, Place
from bot.slack.showing.adding_form import audience_option
from bot.slack.showing.messages import Message
from bot.slack.showing.moving import moving_message
from bot.texts import TO_EVERYBODY, Texts
from indexer import Audience, CatalogueUnavailable, SituateError, Version, VersionId, Viewer

log = logging.getLogger(__name__)

UPDATE_SECONDS = 1.0  # between two updates; Slack takes about fifty a minute


class Moving:
    """Shows how far a request has come: posted once, then updated, and right at the end whatever was lost between."""

    def __init__(self, parts: Parts, request: Request, *, again: bool = False) -> None:
        """``again``: another process began, and may have posted the message without saying where."""
        self._parts = parts
        self._request = request
        self._again = again
        self._texts: Texts = TO_EVERYBODY
        self._for_admin = False
        self._for_whom = ""
        self._news = asyncio.Event()
        self._over = asyncio.Event()
        self._shown: Message | None = None
        self._nowhere = False  # there is no conversation with this person: the response URL is what is left
        self.is_behind = False  # what was to be shown last could not be, as Slack or the ledger is away

    def changed(self) -> None:
        """There is something new to show."""
        self._news.set()

    @asynccontextmanager
    async def kept_up(self) -> AsyncIterator[None]:
        """The message is there, and follows what happens, until the end."""
        await self._know_the_person()
        self._over.clear()
        writer = asyncio.create_task(self._keep_up())
        try:
            yield
            self._over.set()
            self._news.set()
            await writer  # what it is posting is posted once
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
        await self._show(at_last=True)

    async def show(self) -> None:
        """Bring the message up to date."""
        await self._know_the_person()
        await self._show(at_last=True)

    # -- within --------------------------------------------------------------------------------------------------------

    async def _keep_up(self) -> None:
        while not self._over.is_set():
            self._news.clear()
            await self._show()
            with suppress(TimeoutError):  # a pause, which the end cuts short
                async with asyncio.timeout(UPDATE_SECONDS):
                    await self._over.wait()
            await self._news.wait()

    async def _know_the_person(self) -> None:
        self._texts = await self._parts.texts(self._request.user)
        try:
            self._for_admin = await is_admin(self._parts, self._request.user, self._request.user_team)
            self._for_whom = await self._readers()
        except CannotCheck:
            self._for_admin = False

    async def _readers(self) -> str:
        """Who will get answers from it, as the form names them; "" where that is not known yet. Raises CannotCheck."""
        if not self._request.audience:
            return ""
        audience = await self._now_for() or Audience.parse(self._request.audience)
        choice = await choice_of(self._parts.directory, audience, self._request.user)
        return audience_option(choice, self._texts) if choice is not None else ""

    async def _now_for(self) -> Audience | None:
        """Who may read what came of it, where that is the same of all of it: an administrator may have changed it."""
        try:
            items = await self._parts.ledger.progress_of(self._request.id)
            ids = [VersionId(item.version) for item in items if item.version is not None and item.state == "ready"]
            audiences = {row.audience for row in (await self._parts.library.versions(ids)).values()} if ids else set()
        except CatalogueUnavailable:
            return None
        return audiences.pop() if len(audiences) == 1 else None

    async def _show(self, *, at_last: bool = False) -> None:
        """Post or update, unless nothing is new. What Slack does not take is logged: the work goes on."""
        self.is_behind = False
        try:
            message = await self._message()
            if message == self._shown:
                return
            if await self._said(message, at_last=at_last):
                self._shown = message
        except NotPosted as error:
            log.warning("how far documents have come could not be shown: %s", error.error)
            self.is_behind = error.error == UNREACHABLE
        except SituateError as error:
            log.warning("how far documents have come could not be looked up: %s", error)
            self.is_behind = True

    async def _message(self) -> Message:
        items = await self._readable(await self._parts.ledger.progress_of(self._request.id))
        return moving_message(
            self._request.id, items, self._texts, for_admin=self._for_admin, audience_label=self._for_whom
        )

    async def _readable(self, items: tuple[Progress, ...]) -> tuple[Progress, ...]:
        """The items as the person may see them now: of a document that they may not read no title is shown."""
        if all(item.document is None and item.twin is None for item in items):
            return items  # they gave it these names themselves
        try:
            ids = [VersionId(item.version) for item in items if item.version is not None]
            known = await self._parts.library.versions(ids)
            asked = [audience for item in items for audience in _audiences(item, known, self._request) if audience]
            user, team = self._request.user, self._request.user_team
            reading = await of_reader(self._parts.directory, user, team, among=asked)
        except SituateError:
            reading, known = NOTHING, {}
        return tuple(_shown(item, known, self._request, reading.viewer) for item in items)

    async def _said(self, message: Message, *, at_last: bool) -> bool:
        known = await self._parts.ledger.message_of(self._request.id)
        if known is not None:
            return await self._parts.poster.update(*known, message.blocks, message.text, patient=at_last)
        channel = None if self._nowhere else await self._parts.poster.conversation_with(self._request.user)
        if channel is None:
            self._nowhere = True
            # Where it begins, and where it ends: a response URL takes five messages.
            return (at_last or self._shown is None) and await respond_alone(self._request.response_url, message)
        request = self._request
        place = Place(request.team, channel, None, request.user, request.user_team)
        key = f"{request.id}:adding"
        found = await self._parts.poster.found(place, key) if self._again else None
        self._again = True  # it is there from now on, also where that cannot be written down
        ts = found or await self._parts.poster.post(place, blocks=message.blocks, text=message.text, key=key)
        await self._parts.ledger.told_at(request.id, channel, ts)
        return found is None or await self._parts.poster.update(
            channel, ts, message.blocks, message.text, patient=at_last
        )


def _audiences(
    item: Progress, known: Mapping[VersionId, Version], request: Request
) -> tuple[Audience | None, Audience | None]:
    """Who may read an item's document (one that is gone: whom it was for), and who its twin; None is not known."""
    row = known.get(VersionId(item.version or ""))
    own = str(row.audience) if row is not None else request.audience
    twin = item.twin.audience if item.twin is not None else ""
    return Audience.parse(own) if own else None, Audience.parse(twin) if twin else None


def _shown(item: Progress, known: Mapping[VersionId, Version], request: Request, viewer: Viewer) -> Progress:
    """An item as somebody may see it who reads as ``viewer`` does."""
    own, twin = _audiences(item, known, request)
    if item.twin is not None and not (twin and viewer.may_read(twin)):
        item = replace(item, twin=None)
    if item.document is None or (own and viewer.may_read(own)):
        return item
    return item.without_title()
