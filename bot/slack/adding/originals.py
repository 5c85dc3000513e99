"""What somebody wants added, fetched from where it is: a file, a message or thread of Slack's, a link, pasted text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bot.adding import Item, What
from bot.answering.visible import one_line
from bot.slack.adding.messages import message, thread
from bot.slack.adding.not_added import NotAdded
from bot.slack.adding.permalinks import item_of, permalink
from bot.slack.adding.transcript import LONGEST_TITLE, transcript
from bot.slack.directory import CannotCheck, Gone
from bot.slack.parts import Parts
from bot.slack.threads import moment
from indexer import Audience, Original, fetch_link

__all__ = ["Fetched", "NotAdded", "original_of", "see_that_it_is_theirs"]


@dataclass(frozen=True, slots=True)
class Fetched:
    """An original, and what decides how far its audience may reach.

    ``title`` is what the document is to be called; None: as it names itself (a file, a page). ``origins`` are the
    channels and group conversations that it comes from, empty for what is the person's own. ``made_of`` names what it
    goes with when that is deleted in Slack: ``("C1:1700000000.000100", …)`` for each message in it, ``("F1",)`` for a
    file. ``made_from`` are the audiences of the documents that the bot's answers in it were made from.
    """

    original: Original
    title: str | None
    origins: frozenset[str] = frozenset()
    made_of: tuple[str, ...] = ()
    made_from: frozenset[Audience] = frozenset()


async def original_of(parts: Parts, item: Item, *, user: str, user_team: str | None) -> Fetched:
    """The bytes of ``item``, as far as ``user`` may read it themself right now.

    A link of Slack's is what it names. Nothing is told of what the person may not read, not even its name.

    Raises NotAdded with the reason and what to do; Refused (its sentence is for ``refusal_of``) for a link that cannot
    be taken; CatalogueUnavailable.
    """
    if item.what is What.LINK:
        item = item_of(item.ref, parts.me.host) or item
    try:
        match item.what:
            case What.FILE:
                return await _file(parts, item, user)
            case What.MESSAGE | What.THREAD:
                return await _conversation(parts, item, user)
            case What.LINK:
                return Fetched(await fetch_link(item.ref, parts.library.settings), item.title)
            case What.TEXT:
                return _text(item)
    except CannotCheck as error:
        raise NotAdded("slack_did_not_tell", name=item.name) from error


async def see_that_it_is_theirs(parts: Parts, item: Item, *, user: str) -> None:
    """Raises NotAdded where ``user`` may not read ``item`` themself (any more), as ``original_of`` does."""
    if item.what is What.LINK:
        item = item_of(item.ref, parts.me.host) or item
    try:
        if item.what is What.FILE:
            await _file_told(parts, item, user)
        elif item.what in (What.MESSAGE, What.THREAD):
            await _see_channel(parts, item, user)
    except CannotCheck as error:
        raise NotAdded("slack_did_not_tell", name=item.name) from error


def _text(item: Item) -> Fetched:
    lines = (one_line(line.lstrip("# "), LONGEST_TITLE) for line in item.text.splitlines())
    title = item.title or next(filter(None, lines), item.name)
    data = item.text.encode("utf-8", "replace")
    return Fetched(Original(item.source, data, f"{title}.md", declared_type="text/markdown"), title)


# -- files -----------------------------------------------------------------------------------------------------------


async def _file(parts: Parts, item: Item, user: str) -> Fetched:
    """A file of the person's own, or of a conversation that they and the bot are in. Raises NotAdded, CannotCheck."""
    told = await _file_told(parts, item, user)
    original = await parts.attachments.files.fetched({**told, "id": item.ref})
    origins = frozenset(place for place in _shared_in(told) if not _is_direct(place))
    return Fetched(original, item.title, origins, (item.ref,))


async def _file_told(parts: Parts, item: Item, user: str) -> Mapping[str, Any]:
    """What Slack tells of a file that the person may read. Raises NotAdded, CannotCheck."""
    told = await parts.attachments.files.looked_up(item.ref, item.name)
    if told.get("user") != user and not await both_are_in(parts, _shared_in(told), user):
        raise NotAdded("file_not_yours", name=item.name)
    return told


def _shared_in(file: Mapping[str, Any]) -> frozenset[str]:
    """The conversations that a file is shared in, as far as Slack shows them to the bot."""
    shares = file.get("shares")
    listed: list[Iterable[Any]] = [file.get(kind) or () for kind in ("channels", "groups", "ims")]
    if isinstance(shares, dict):
        listed += [places for places in shares.values() if isinstance(places, dict)]
    return frozenset(str(place) for places in listed for place in places)


# -- messages --------------------------------------------------------------------------------------------------------


async def _conversation(parts: Parts, item: Item, user: str) -> Fetched:
    """A message or a thread of a conversation that the person and the bot are in. Raises NotAdded, CannotCheck."""
    channel, ts = await _see_channel(parts, item, user)
    if item.what is What.THREAD:
        messages = await thread(parts.client, channel, ts, item.name)
    else:
        messages = (await message(parts.client, channel, ts, item.name),)
    texts = await parts.texts(user)
    told = await transcript(parts, channel, messages, user=user, texts=texts, name=item.name)
    title = item.title or told.title
    # A message to which nobody replied is the same, whether its link or its menu named it.
    keyed = replace(item, what=What.MESSAGE) if len(messages) == 1 else item
    original = Original(
        source=keyed.source,
        data=told.text.encode("utf-8", "replace"),
        name=f"{title}.{'md' if told.is_answer else 'txt'}",
        url=permalink(parts.me.host, channel, ts, str(messages[0].get("thread_ts") or "")),
        date=datetime.fromtimestamp(moment(str(messages[0].get("ts")))[0], UTC),
        declared_type="text/markdown" if told.is_answer else "text/plain",
    )
    origins = frozenset() if _is_direct(channel) else frozenset({channel})
    return Fetched(original, title, origins, tuple(f"{channel}:{one}" for one in told.made_of), told.made_from)


async def _see_channel(parts: Parts, item: Item, user: str) -> tuple[str, str]:
    """The conversation and the ``ts`` of a message that the person may read. Raises NotAdded, CannotCheck."""
    channel, _, ts = item.ref.partition(":")
    if not await both_are_in(parts, frozenset({channel}), user):
        raise NotAdded("message_out_of_sight", name=item.name)
    return channel, ts


async def both_are_in(parts: Parts, places: frozenset[str], user: str) -> bool:
    """Whether somebody is, now, in one of these conversations, and the bot with them. Raises CannotCheck.

    Their direct conversation with the bot is one; nobody else's is.
    """
    for place in sorted(filter(_is_direct, places)):
        try:
            if (await parts.directory.channel(place)).user == user:
                return True
        except Gone:  # between others
            continue
    others = frozenset(place for place in places if not _is_direct(place))
    try:
        return bool(others and others & await parts.directory.channels_of(user))
    except Gone:
        return False


def _is_direct(place: str) -> bool:
    return place.startswith("D")
