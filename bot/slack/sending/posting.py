"""Whole messages to Slack: posted once, whatever happens to Slack's answer, and readable, whatever Slack refuses."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.slack.markup import escape
from bot.slack.sending.calls import Lost, Refused, call, unrepeating
from bot.slack.sending.plainer import LONGEST_TEXT, Block, plainer, words

log = logging.getLogger(__name__)

Found = TypeVar("Found")

EVENT_TYPE: Final = "situate_part"
UNREACHABLE: Final = "unreachable"  # our name for what Slack cannot tell us itself
LOOK_AFTER = 0.3  # seconds: a message that Slack took is then in the thread
TRIES = 10  # of a call that is lost, over two minutes: so long an outage of Slack costs no answer
LONGEST_WAIT = 30.0  # seconds
_MOST_LOOKED_AT = 100
_LONGEST_ALONE = 39_000  # characters of a text without blocks; Slack cuts it at 40,000

# What Slack says of a message whose form it does not take; the words can still be said.
FORM = frozenset(
    {
        *("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "markdown_text_conflict"),
        *("invalid_arguments", "invalid_arg_name", "invalid_array_arg", "too_many_blocks", "no_text"),
    }
)


_CUT_ENTITY = re.compile(r"&[a-z]{0,3}$")


class NotPosted(Exception):
    """Slack does not take a message, in any form; its name for the reason is ``error``."""

    def __init__(self, error: str) -> None:
        super().__init__(f"Slack did not take the message ({error}). See that the app may write there, then try again.")
        self.error = error


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer goes: into ``thread`` (its root's ``ts``), for ``user`` of ``user_team`` (ours if unknown)."""

    team: str
    channel: str
    thread: str | None
    user: str
    user_team: str | None = None


class Poster:
    """Posts, updates and deletes messages. ``text`` is what notifications and screen readers say, escaped."""

    def __init__(self, client: AsyncWebClient, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.client = unrepeating(client)
        self.begun: deque[str] = deque(maxlen=200)  # the streams that were begun, by ``ts``, as far as that was told
        self._sleep = sleep
        self._held: dict[str, float] = {}  # until when, of the loop's clock, Slack wants no more calls of a kind

    def hold(self, kind: str, seconds: float) -> None:
        """Slack wants no calls of a kind for so long; all answers share what it allows."""
        self._held[kind] = max(self._held.get(kind, 0.0), asyncio.get_running_loop().time() + seconds)

    def held_for(self, kind: str) -> float:
        """Seconds until calls of a kind are welcome again; 0 where they are."""
        return max(0.0, self._held.get(kind, 0.0) - asyncio.get_running_loop().time())

    async def post(self, place: Place, *, blocks: Sequence[Block], text: str, key: str) -> str:
        """Post a message once; its ``ts``. Where Slack's answer is lost, the thread tells whether it is there.

        ``key`` names the message for ever, and everybody who reads the message can read it. Raises NotPosted.
        """
        metadata = {"event_type": EVENT_TYPE, "event_payload": {"key": key}}

        async def once(form: dict[str, Any]) -> str:
            answer = await self._certainly(
                self.client.chat_postMessage,
                {
                    "channel": place.channel,
                    "thread_ts": place.thread,
                    "metadata": metadata,
                    "unfurl_links": False,
                    "unfurl_media": False,
                }
                | form,
                done=lambda: self._posted(place, key),
            )
            return str(answer.get("ts", ""))

        return await self._in_some_form(once, blocks, text, whole=True)

    async def update(self, channel: str, ts: str, blocks: Sequence[Block], text: str, *, patient: bool = True) -> bool:
        """Put other blocks and text into a message. Raises NotPosted.

        False where it was not done, as Slack wants to be asked less often, and the update is not ``patient``.
        """

        async def once(form: dict[str, Any]) -> str:
            arguments = {"channel": channel, "ts": ts, "blocks": []} | form
            try:
                await (self._certainly if patient else _once)(self.client.chat_update, arguments)
            except Refused as error:
                if error.wait is None:
                    raise
                self.hold("update", error.wait)
                return ""
            except Lost:
                self.hold("update", LOOK_AFTER)
                return ""
            return ts

        return bool(await self._in_some_form(once, blocks, text))

    async def ephemeral(self, place: Place, *, blocks: Sequence[Block], text: str) -> None:
        """Show a message to the person alone. Raises NotPosted."""

        async def once(form: dict[str, Any]) -> str:
            arguments = {"channel": place.channel, "user": place.user, "thread_ts": place.thread} | form
            return str((await self._certainly(self.client.chat_postEphemeral, arguments)).get("message_ts", ""))

        await self._in_some_form(once, blocks, text)

    async def conversation_with(self, user: str) -> str | None:
        """The id of the direct conversation with somebody; None where Slack opens none (a person of another
        organisation, one who has left). Raises NotPosted where Slack cannot be reached."""
        try:
            told = await self._certainly(self.client.conversations_open, {"users": user})
        except Refused as error:
            log.warning("no direct conversation could be opened: %s", error.error)
            return None
        channel = (told.get("channel") or {}).get("id")
        return str(channel) if channel else None

    async def found(self, place: Place, key: str) -> str | None:
        """The ``ts`` of the message with this key; None also where Slack does not let us look.

        Raises NotPosted where Slack cannot be reached.
        """
        return await self.looked(lambda: self._posted(place, key))

    async def delete(self, channel: str, ts: str) -> None:
        """Take a message away; one that is gone already is none of our trouble."""
        try:
            await self._certainly(self.client.chat_delete, {"channel": channel, "ts": ts})
        except NotPosted as error:
            log.warning("a message could not be deleted: %s", error.error)
        except Refused as error:
            if error.error != "message_not_found":
                log.warning("a message could not be deleted: %s", error.error)

    async def posted(self, place: Place, keys: Collection[str]) -> dict[str, str]:
        """Of messages with one of ``keys`` in the place, the ``ts`` by key. Raises Refused or Lost."""
        found: dict[str, str] = {}
        for message in await self.messages(place):
            metadata = message.get("metadata") or {}
            key = (metadata.get("event_payload") or {}).get("key")
            if metadata.get("event_type") == EVENT_TYPE and key in keys:
                found.setdefault(str(key), str(message.get("ts")))
        return found

    async def messages(self, place: Place) -> list[dict[str, Any]]:
        """The newest messages of the thread, or of the conversation. Raises Refused or Lost."""
        arguments: dict[str, Any] = {"channel": place.channel, "limit": _MOST_LOOKED_AT, "include_all_metadata": True}
        if place.thread is None:
            return list((await call(self.client.conversations_history, **arguments)).get("messages") or [])
        seen: list[dict[str, Any]] = []
        for _ in range(10):  # pages come oldest first
            page = await call(self.client.conversations_replies, ts=place.thread, **arguments)
            seen.extend(page.get("messages") or [])
            cursor = (page.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                break
            arguments["cursor"] = cursor
        return seen

    # -- within ----------------------------------------------------------------------------------------------------

    async def _posted(self, place: Place, key: str) -> str | None:
        return (await self.posted(place, {key})).get(key)

    async def _in_some_form(
        self,
        once: Callable[[dict[str, Any]], Awaitable[str]],
        blocks: Sequence[Block],
        text: str,
        *,
        whole: bool = False,
    ) -> str:
        """As it was meant; else in plainer blocks; else as text: people get the words.

        The text alone may be long only where a message is new (``whole``).
        """
        said = words(blocks)
        beside = clipped(text) if text else short(said)
        alone = short(said, _LONGEST_ALONE) if said else clipped(text, _LONGEST_ALONE)
        forms: list[dict[str, Any]] = [{"blocks": list(blocks), "text": beside}] if blocks else []
        if blocks:
            forms.append({"blocks": plainer(blocks), "text": beside})
        if whole or len(alone) <= LONGEST_TEXT:
            forms.append({"text": alone})
        refused = "no_text"
        for number, form in enumerate(forms):
            try:
                return await once(form)
            except Refused as error:
                refused = error.error
                if refused not in FORM:
                    break
                log.warning("Slack refused form %d of a message: %s", number + 1, refused)
        raise NotPosted(refused)

    async def _certainly(
        self,
        method: Callable[..., Awaitable[AsyncSlackResponse]],
        arguments: dict[str, Any],
        *,
        done: Callable[[], Awaitable[str | None]] | None = None,
    ) -> dict[str, Any]:
        """Call until Slack has answered, waiting where it says so. ``done`` tells whether a lost call was heard: what
        is harmless to repeat has none. Raises Refused, or NotPosted where Slack cannot be reached."""
        for attempt in range(TRIES):
            try:
                return await call(method, **arguments)
            except Refused as error:
                if error.wait is None:
                    raise
                await self._sleep(min(error.wait, LONGEST_WAIT))
            except Lost:
                await self._sleep(pause(attempt))
                if done is not None and (ts := await self.looked(done)) is not None:
                    return {"ts": ts}
        raise NotPosted(UNREACHABLE)

    async def looked(self, find: Callable[[], Awaitable[Found | None]]) -> Found | None:
        """What ``find`` finds, asked until it can be told; None also where Slack does not let us look.

        Raises NotPosted where Slack cannot be reached.
        """
        for attempt in range(TRIES):
            try:
                return await find()
            except Refused as error:
                if error.wait is None:
                    log.warning("could not look whether a message was posted: %s", error.error)
                    return None
                await self._sleep(min(error.wait, LONGEST_WAIT))
            except Lost:
                await self._sleep(pause(attempt))
        raise NotPosted(UNREACHABLE)


def pause(attempt: int) -> float:
    """Seconds before a call that was lost is made again."""
    return min(LOOK_AFTER * float(1 << attempt), LONGEST_WAIT)


async def _once(method: Callable[..., Awaitable[AsyncSlackResponse]], arguments: dict[str, Any]) -> dict[str, Any]:
    return await call(method, **arguments)


def clipped(text: str, longest: int = LONGEST_TEXT) -> str:
    """An escaped text, at most ``longest`` characters of it, no entity cut."""
    return text if len(text) <= longest else _CUT_ENTITY.sub("", text[: longest - 1]) + "…"


def short(text: str, longest: int = LONGEST_TEXT) -> str:
    """A plain text for a message's ``text``: escaped, at most ``longest`` characters."""
    whole = escape(text)
    if len(whole) <= longest:
        return whole
    kept = len(text)
    while len(cut := escape(text[:kept])) >= longest:
        kept -= max(1, (len(cut) - longest) // 5)
    return cut + "…"
