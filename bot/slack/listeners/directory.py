"""What changes who is who, who is where and what is there: what was known of it is dropped.

Home tabs that were shown are made anew, so that no title stays there for somebody who may not read it any more.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.slack.changes import Changes
from bot.slack.home import Homes
from bot.slack.parts import Parts
from indexer import CatalogueUnavailable, SituateError

log = logging.getLogger(__name__)

# Events that carry a channel, as its id or as an object, and change who reads there.
CHANNEL_EVENTS = (
    "channel_archive",
    "channel_unarchive",
    "channel_deleted",
    "channel_left",
    "channel_rename",
    "channel_shared",
    "channel_unshared",
    "group_archive",
    "group_unarchive",
    "group_deleted",
    "group_left",
    "group_rename",
)
# Messages of Slack's own: the channel was public and is private now, or the other way round.
CONVERSIONS = ("channel_convert_to_private", "channel_convert_to_public")
MEMBER_EVENTS = ("member_joined_channel", "member_left_channel")
PERSON_EVENTS = ("team_join", "user_change")


def register(app: AsyncApp, parts: Parts, homes: Homes, changes: Changes) -> None:
    """Bolt acknowledges an event before its listener runs, so noting happens in a middleware, ahead of that."""

    @app.middleware
    async def note(body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> BoltResponse | None:
        change = change_of(body.get("event")) if body.get("type") == "event_callback" else None
        if change is not None:
            try:
                await changes.heard(*change)
            except CatalogueUnavailable as error:
                log.warning("a change could not be noted for others; Slack will tell it again: %s", error)
                return BoltResponse(status=503)
        await next()
        return None

    async def changed(event: dict[str, Any]) -> None:
        change = change_of(event)
        if change is not None:
            await homes.refresh(changes.whose(*change))

    async def file_deleted(event: dict[str, Any]) -> None:
        if file := id_of(event.get("file_id")):
            for workspace in (parts.me.team, parts.settings.workspace):
                try:
                    await parts.attachments.forget_file(workspace, file)
                except SituateError as error:  # it is forgotten with the others, when it is old
                    log.warning("a deleted file could not be forgotten: %s", error)

    app.event("file_deleted")(file_deleted)
    for name in (*CHANNEL_EVENTS, *MEMBER_EVENTS, *PERSON_EVENTS):
        app.event(name)(changed)


def change_of(event: object) -> tuple[str | None, str | None] | None:
    """The channel and the person that an event tells a change of, as ``Changes.heard`` takes them; None for any other.

    >>> change_of({"type": "member_left_channel", "channel": "C1", "user": "U1"})
    ('C1', 'U1')
    >>> change_of({"type": "user_change", "user": {"id": "U1"}})
    (None, 'U1')
    >>> change_of({"type": "channel_archive", "channel": "C1"})
    ('C1', None)
    """
    if not isinstance(event, Mapping):
        return None
    kind, channel, person = event.get("type"), id_of(event.get("channel")), id_of(event.get("user"))
    if kind in PERSON_EVENTS and person:
        return None, person
    if kind in MEMBER_EVENTS and channel and person:
        return channel, person
    # What kind a channel is by now, is told by a message, which is somebody else's to listen to.
    converted = kind == "message" and event.get("subtype") in CONVERSIONS
    return (channel, None) if channel and (kind in CHANNEL_EVENTS or converted) else None


def id_of(value: object) -> str:
    """The id in a field that holds an id or an object with one; "" for anything else.

    >>> id_of("C1"), id_of({"id": "C1", "name": "finance"}), id_of(None)
    ('C1', 'C1', '')
    """
    if isinstance(value, dict):
        value = value.get("id")
    return value if isinstance(value, str) else ""
