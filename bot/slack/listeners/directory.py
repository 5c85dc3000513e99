"""What changes who is who, who is where and what is there: what was known of it is dropped.

Home tabs that were shown are made anew, so that no title stays there for somebody who may not read it any more.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.slack.home import Homes
from bot.slack.parts import Parts
from indexer import SituateError

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


def register(app: AsyncApp, parts: Parts, homes: Homes) -> None:
    directory = parts.directory

    async def channel_changed(event: dict[str, Any]) -> None:
        if channel := id_of(event.get("channel")):
            directory.forget_channel(channel)
            await homes.refresh()

    @app.middleware
    async def converted(body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> None:
        """What kind a channel is by now, is told by a message, which is somebody else's to listen to."""
        event = body.get("event")
        if isinstance(event, dict) and event.get("type") == "message" and event.get("subtype") in CONVERSIONS:
            directory.forget_channel(id_of(event.get("channel")))
        await next()

    async def member_moved(event: dict[str, Any]) -> None:
        channel, user = id_of(event.get("channel")), id_of(event.get("user"))
        if channel:
            directory.forget_member(channel, user)
            await homes.refresh(None if user == parts.me.user_id else user)

    async def person_changed(event: dict[str, Any]) -> None:
        if user := id_of(event.get("user")):
            directory.forget_person(user)
            await homes.refresh(user)

    async def file_deleted(event: dict[str, Any]) -> None:
        if file := id_of(event.get("file_id")):
            for workspace in (parts.me.team, parts.settings.workspace):
                try:
                    await parts.attachments.forget_file(workspace, file)
                except SituateError as error:  # it is forgotten with the others, when it is old
                    log.warning("a deleted file could not be forgotten: %s", error)

    app.event("file_deleted")(file_deleted)
    for name in CHANNEL_EVENTS:
        app.event(name)(channel_changed)
    for name in MEMBER_EVENTS:
        app.event(name)(member_moved)
    for name in PERSON_EVENTS:
        app.event(name)(person_changed)


def id_of(value: object) -> str:
    """The id in a field that holds an id or an object with one; "" for anything else.

    >>> id_of("C1"), id_of({"id": "C1", "name": "finance"}), id_of(None)
    ('C1', 'C1', '')
    """
    if isinstance(value, dict):
        value = value.get("id")
    return value if isinstance(value, str) else ""
