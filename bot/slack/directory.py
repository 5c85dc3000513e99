"""Who and what is in the workspace, as Slack tells it: people, channels, and who is in which.

Answers are kept for a while and dropped when an event says that they changed. What Slack does not tell in time is not
guessed: ``CannotCheck``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.lookups import CannotCheck, Lookups
from bot.slack.people import Channel, Person, channel_of, person_of
from indexer import SituateError

__all__ = ["CannotCheck", "Channel", "Directory", "Gone", "Person"]

log = logging.getLogger(__name__)

PEOPLE_SECONDS = 3_600.0
CHANNEL_SECONDS = 300.0
PATIENCE = 5.0  # seconds that a person is kept waiting for a lookup
PAGE = 999  # the most that Slack gives at once
MOST_PAGES = 200
FEW = 10  # people that are looked up one by one; for more the whole workspace is listed first
MOST_SINGLY = 50
AT_ONCE = 8
WARM_AGAIN = 2_400.0  # seconds: before what is known of people is too old
KINDS = "public_channel,private_channel,mpim"

_GONE = {"channel_not_found", "not_in_channel", "user_not_found", "users_not_found", "user_not_visible"}


class Gone(CannotCheck):
    """Slack shows the bot no such channel or person: deleted, or none of its business any more."""


# Is told of each change: the channel, None for any that the person is in; the person, None for all in the channel.
Watcher = Callable[[str | None, str | None], None]


class Directory:
    """The workspace ``team``; ``enterprise`` is the organisation that it belongs to, ``me`` the bot's user id."""

    def __init__(
        self,
        client: AsyncWebClient,
        team: str,
        *,
        enterprise: str | None = None,
        me: str | None = None,
        now: Callable[[], float] = time.monotonic,
        patience: float = PATIENCE,
    ) -> None:
        self._client = client
        self.team = team
        self.enterprise = enterprise
        self.me = me
        self._now = now
        self.patience = patience
        self.catch_up: Callable[[], Awaitable[None]] | None = None  # with what other processes heard
        self._people: Lookups[Person] = Lookups(PEOPLE_SECONDS, now)
        self._channels: Lookups[Channel] = Lookups(CHANNEL_SECONDS, now)
        self._members: Lookups[frozenset[str]] = Lookups(CHANNEL_SECONDS, now, most=2_000)
        self._own: Lookups[frozenset[str]] = Lookups(CHANNEL_SECONDS, now)
        self._warm: Lookups[int] = Lookups(60.0, now)
        self._watchers: list[Watcher] = []
        self._changed: set[str] = set()  # people that changed while the workspace was being listed
        self._at_once = asyncio.Semaphore(AT_ONCE)

    async def close(self) -> None:
        """End the lookups that nobody waits for any more."""
        lookups: tuple[Lookups[Any], ...] = (self._people, self._channels, self._members, self._own, self._warm)
        await asyncio.gather(*(one.close() for one in lookups))

    # -- asking ----------------------------------------------------------------------------------------------------

    async def person(self, id: str) -> Person:
        """Somebody by id. Raises ``Gone`` where Slack knows no such person, ``CannotCheck`` where it does not tell."""

        async def look() -> Person:
            async with self._at_once:
                told = await self._call(self._client.users_info, user=id, include_locale=True)
            return person_of(_part(told, "user"), self.team, self.enterprise)

        await self._caught_up()
        return await self._people.get(id, look, self.patience)

    async def people(self, ids: Collection[str]) -> dict[str, Person]:
        """These people by id; whom Slack does not know is not among them. Raises ``CannotCheck``."""
        await self._caught_up()
        if len(self._unknown(ids)) > FEW:
            with suppress(CannotCheck):  # then one by one, where they are not too many
                await self.warm()
        if len(self._unknown(ids)) > MOST_SINGLY:
            raise CannotCheck("too many people")
        people = self.known(ids)
        unknown = [id for id in ids if id not in people]
        found = await asyncio.gather(*(self.person(id) for id in unknown), return_exceptions=True)
        for id, one in zip(unknown, found, strict=True):
            if isinstance(one, Person):
                people[id] = one
            elif not isinstance(one, Gone):
                raise one
        return people

    def known(self, ids: Collection[str]) -> dict[str, Person]:
        """Of these people those that are known without asking Slack."""
        return {id: person for id in ids if (person := self._people.known(id)) is not None}

    async def channel(self, id: str) -> Channel:
        """A conversation by id. Raises ``Gone`` where the bot cannot see it, ``CannotCheck``."""

        async def look() -> Channel:
            told = await self._call(self._client.conversations_info, channel=id)
            return channel_of(_part(told, "channel"), self.team, self.enterprise)

        await self._caught_up()
        return await self._channels.get(id, look, self.patience)

    async def members(self, id: str) -> frozenset[str]:
        """Everybody in a conversation, apps among them. Raises ``Gone``, ``CannotCheck``."""

        async def look() -> frozenset[str]:
            return frozenset(await self._all(self._client.conversations_members, "members", channel=id))

        await self._caught_up()
        return await self._members.get(id, look, self.patience)

    async def channels_of(self, user: str) -> frozenset[str]:
        """The channels and group conversations that somebody and the bot are in right now: asked of Slack each time.

        Archived ones are not among them. Raises ``CannotCheck``.
        """

        async def look() -> frozenset[str]:
            listed = await self._all(self._client.users_conversations, "channels", user=user, **self._open_channels)
            return frozenset(_ids(listed))

        async def own() -> frozenset[str]:
            listed = await self._all(self._client.users_conversations, "channels", **self._open_channels)
            return frozenset(_ids(listed))

        await self._caught_up()
        try:
            async with asyncio.timeout(self.patience):
                theirs, ours = await asyncio.gather(look(), self._own.get("", own, self.patience))
        except TimeoutError as error:
            raise CannotCheck("timeout") from error
        return theirs & ours

    async def warm(self) -> None:
        """List everybody in the workspace, so that they need not be asked for one by one. Raises ``CannotCheck``."""

        async def look() -> int:
            self._changed.clear()
            count = 0
            pages = self._pages(self._client.users_list, "members", include_locale=True)
            async with aclosing(pages) as listed:
                async for page in listed:
                    for user in filter(_is_object, page):
                        person = person_of(user, self.team, self.enterprise)
                        count += 1
                        if person.id not in self._changed:
                            self._people.keep(person.id, person)
            return count

        await self._warm.get("", look, self.patience)

    async def stay_warm(self) -> None:
        """``warm`` again and again, until cancelled."""
        while True:
            with suppress(CannotCheck):  # logged; people are looked up one by one meanwhile
                await self.warm()
            await asyncio.sleep(WARM_AGAIN)

    # -- what events say -------------------------------------------------------------------------------------------

    @contextmanager
    def watched(self, watcher: Watcher) -> Iterator[None]:
        """``watcher`` is told at once of whatever events say that changed, as long as this lasts."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    def forget_person(self, id: str) -> None:
        """``user_change``, ``team_join``."""
        self._changed.add(id)
        self._people.forget(id)
        self._tell(None, id)

    def forget_channel(self, id: str) -> None:
        """A channel was renamed, archived, deleted, shared, made private, or the bot left it."""
        self.ask_again(id)
        self._tell(id, None)

    def forget_member(self, channel: str, user: str) -> None:
        """Somebody joined or left a channel."""
        self._members.forget(channel)
        if self.me in (user, None):
            self.ask_again(channel)
        self._tell(channel, user)

    def ask_again(self, channel: str) -> None:
        """Let Slack be asked for a channel and who is in it, without a word from Slack that this has changed."""
        self._channels.forget(channel)
        self._members.forget(channel)
        self._own.forget("")

    def may_be_in(self, channel: str, person: str) -> bool:
        """Whether somebody is in a channel, as far as that is known."""
        members = self._members.known(channel)
        return members is None or person in members

    # -- within ----------------------------------------------------------------------------------------------------

    def _tell(self, channel: str | None, person: str | None) -> None:
        for watcher in list(self._watchers):
            watcher(channel, person)

    async def _caught_up(self) -> None:
        """What is known here is what every process knows. Raises ``CannotCheck``."""
        if self.catch_up is not None:
            try:
                await self.catch_up()
            except SituateError as error:
                log.warning("what others heard of people and channels could not be read: %s", error)
                raise CannotCheck("ledger") from error

    @property
    def _open_channels(self) -> dict[str, Any]:
        return {"types": KINDS, "exclude_archived": True}

    def _unknown(self, ids: Collection[str]) -> list[str]:
        return [id for id in ids if self._people.known(id) is None]

    async def _call(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> Mapping[str, Any]:
        """What Slack answers. Raises ``Gone`` or ``CannotCheck`` for whatever goes wrong."""
        try:
            told = (await method(**arguments)).data
        except SlackApiError as error:
            code = error_code(error)
            if code in _GONE:
                raise Gone(code) from error
            log.warning("Slack did not tell: %s gave %s", method.__name__, code)
            raise CannotCheck(code) from error
        except (SlackClientError, aiohttp.ClientError, OSError, ValueError, AttributeError) as error:
            # ValueError, AttributeError: the SDK's, for an answer that is no JSON object
            log.warning("Slack did not tell: %s failed with %s", method.__name__, type(error).__name__)
            raise CannotCheck from error
        if not isinstance(told, dict):
            raise CannotCheck("no object")
        return told

    async def _pages(
        self, method: Callable[..., Awaitable[Any]], items: str, **arguments: Any
    ) -> AsyncGenerator[list[Any], None]:
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            told = await self._call(method, limit=PAGE, cursor=cursor, **arguments)
            page = told.get(items)
            if not isinstance(page, list):
                raise CannotCheck("no list")
            yield page
            cursor = (told.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return
        raise CannotCheck("too many pages")

    async def _all(self, method: Callable[..., Awaitable[Any]], items: str, **arguments: Any) -> list[Any]:
        async with aclosing(self._pages(method, items, **arguments)) as pages:
            return [item async for page in pages for item in page]


def error_code(error: SlackApiError) -> str:
    """Slack's word for what is wrong (``ratelimited``), or the HTTP status where there is none."""
    response = error.response
    data = getattr(response, "data", response)
    code = data.get("error") if isinstance(data, Mapping) else None
    return str(code or getattr(response, "status_code", None) or getattr(response, "status", "unknown"))


def _part(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = told.get(name)
    if not isinstance(part, dict):
        raise CannotCheck(f"no {name}")
    return part


def _is_object(told: Any) -> bool:
    return isinstance(told, dict)


def _ids(channels: list[Any]) -> list[str]:
    return [str(channel["id"]) for channel in filter(_is_object, channels) if channel.get("id")]
