"""Who may add and remove documents, and whom somebody may let read what they add.

A document never reaches further than what it was made from: what stands in a private channel stays with those who are
in it, or with the person alone; an admin may say otherwise. What cannot be checked is not allowed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.slack.audience import channel_audience, is_foreign, of_reader
from bot.slack.directory import CannotCheck, Channel, Directory, Gone, Person
from bot.slack.parts import Parts
from indexer import WORKSPACE, Audience, Document

MOST_CHOICES = 8  # radio buttons hold ten


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to "who may get answers from this?". ``channel_name`` has no ``#`` and is "" for a conversation
    without a name (a group direct message); ``members`` is how many people are in it, our apps not counted.
    """

    audience: Audience
    channel_name: str = ""
    members: int = 0


@dataclass(frozen=True, slots=True)
class Choices:
    """What somebody may choose from, widest first; ``default`` is one of the options' audiences.

    ``limited``: something is left out because of where the document comes from; ``beyond``: an admin is offered more
    than that. ``refused`` is the text that says why there is nothing to choose (then no options, no default).
    """

    options: tuple[Choice, ...] = ()
    default: Audience | None = None
    limited: bool = False
    refused: str | None = None
    beyond: bool = False

    def allow(self, audience: Audience) -> bool:
        return any(option.audience == audience for option in self.options)


async def is_admin(parts: Parts, user: str, user_team: str | None = None) -> bool:
    """Whether somebody administers this app: ADMIN_USERS where it is set, else Slack's admins and owners of this
    workspace. Never a guest, or somebody of another organisation. Raises CannotCheck.
    """
    person = await _person(parts.directory, user)
    return person is not None and _administers(parts, person, user_team)


async def may_add(parts: Parts, user: str, user_team: str | None = None) -> bool:
    """Whether somebody may add documents, as WHO_MAY_ADD says. Raises CannotCheck."""
    person = await _person(parts.directory, user)
    return person is not None and _adds(parts, person, user_team)


async def may_remove(parts: Parts, user: str, document: Document, user_team: str | None = None) -> bool:
    """Whether somebody may remove a document: who added it and may still read it, or an admin. Raises CannotCheck.

    An admin may remove also what they may not read: show its title only where ``of_reader`` lets them read it.
    """
    if await is_admin(parts, user, user_team):
        return True
    if document.added_by != user:
        return False
    reading = await of_reader(parts.directory, user, user_team, among={document.audience})
    if reading.viewer.may_read(document.audience):
        return True
    if reading.left_out == "cannot_check":
        raise CannotCheck("readers")
    return False


async def choices(
    parts: Parts,
    user: str,
    channel: str,
    *,
    user_team: str | None = None,
    origins: frozenset[str] = frozenset(),
    made_from: frozenset[Audience] = frozenset(),
) -> Choices:
    """Whom somebody may let read what they add in ``channel`` ("" for nowhere, as in the Home tab).

    ``origins`` are the conversations that it stands in, none for the person's own; ``made_from`` are the audiences of
    the documents that it quotes. Raises nothing of Slack's: what cannot be checked refuses.

    An employee in the private channel C1, of three members, with a text of their own, and with a message from there:

    >>> [str(option.audience) for option in (await choices(parts, "U1", "C1")).options]
    ['workspace', 'channel:C1', 'user:U1']
    >>> await choices(parts, "U1", "C1", origins=frozenset({"C1"}))
    Choices(options=(Choice(Audience("channel", "C1"), "plans", 3), Choice(Audience("user", "U1"))),
            default=Audience("channel", "C1"), limited=True)
    """
    try:
        async with asyncio.timeout(parts.directory.patience * 2):
            person = await _person(parts.directory, user)
            if person is None or not _adds(parts, person, user_team):
                return Choices(refused="may_not_add")
            return await _choices(parts, _Asked(person, user_team, channel, origins, made_from))
    except (CannotCheck, TimeoutError):
        return Choices(refused="cannot_check")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who adds what where."""

    person: Person
    team: str | None
    channel: str
    origins: frozenset[str]
    made_from: frozenset[Audience]

    @property
    def places(self) -> tuple[str, ...]:
        """Where it is added, and the conversations that it comes from."""
        quoted = {_place_of(audience) for audience in self.made_from if audience.kind in ("channel", "thread")}
        return self.channel, *sorted((self.origins | quoted) - {self.channel})


async def _choices(parts: Parts, asked: _Asked) -> Choices:
    """What is offered, in its order, less what reaches further than where it comes from."""
    directory, person = parts.directory, asked.person
    here, *there = await asyncio.gather(*(_seen(directory, id) for id in asked.places))
    within = _ceiling(asked, [place for place in (here, *there) if place is not None])
    places = [here] if within is None or WORKSPACE in within else [here, *there]
    found = await asyncio.gather(*(_channel_choice(directory, place, person.id) for place in places))
    channels = [choice for choice in found if choice is not None]
    offered = channels
    if person.is_employee and not is_foreign(directory, asked.team, person):
        offered = [Choice(WORKSPACE), *channels[: MOST_CHOICES - 2], Choice(Audience("user", person.id))]
    allowed = [choice for choice in offered if within is None or choice.audience in within]
    limited = len(allowed) < len(offered)
    beyond = limited and _administers(parts, person, asked.team)
    options = offered if beyond else allowed
    if not options:
        return Choices(refused="reaches_nobody" if offered else "add_in_channel")
    default = _default(allowed or options[-1:], asked.channel, here)
    return Choices(tuple(options), default, limited=limited and not beyond, beyond=beyond)


def _default(allowed: list[Choice], channel: str, here: Channel | None) -> Audience:
    """The channel where it is private or shared with others, else the widest; of an unknown place the least."""
    by_audience = {choice.audience: choice for choice in allowed}
    if here is not None and (here.kind in ("group", "mpim") or here.is_shared_outside):
        wanted = channel_audience(here.id)
        return wanted if wanted in by_audience else allowed[-1].audience
    unknown = here is None and channel and not channel.startswith("D")
    return allowed[-1 if unknown else 0].audience


def _ceiling(asked: _Asked, places: list[Channel]) -> frozenset[Audience] | None:
    """The audiences that reach no further than where the document comes from; None where all do: it is their own."""
    mine = Audience("user", asked.person.id)
    seen = {place.id: place for place in places}
    stands_in = frozenset(channel_audience(id) for id in asked.origins)
    limits: list[frozenset[Audience]] = []
    origins = [id for id in asked.origins if not _is_own(seen.get(id), asked.person.id)]
    if origins:
        public = any(id in seen and seen[id].kind == "channel" for id in origins)
        limits.append(stands_in | {mine} | ({WORKSPACE} if public else set()))
    for audience in asked.made_from:
        if audience.kind == "workspace":
            limits.append(stands_in | {mine, WORKSPACE})  # in another channel there may be guests
        elif audience.kind in ("channel", "thread"):
            limits.append(frozenset({mine, channel_audience(_place_of(audience))}))
        elif audience.kind == "user":
            limits.append(frozenset({mine} & {audience}))
    return frozenset.intersection(*limits) if limits else None


def _is_own(place: Channel | None, user: str) -> bool:
    """Whether a conversation is somebody's own with the bot."""
    return place is not None and place.kind == "im" and place.user == user


def _place_of(audience: Audience) -> str:
    return audience.id.split("-")[0]


async def _seen(directory: Directory, id: str) -> Channel | None:
    """A conversation; None where the bot sees none. Raises CannotCheck."""
    try:
        return await directory.channel(id) if id else None
    except Gone:
        return None


async def choice_of(directory: Directory, audience: Audience, user: str) -> Choice | None:
    """An audience as it is offered to somebody; None for a channel that they are not in (any more).

    Raises CannotCheck.
    """
    if audience.kind != "channel":
        return Choice(audience)
    return await _channel_choice(directory, await _seen(directory, audience.id), user)


async def _channel_choice(directory: Directory, place: Channel | None, user: str) -> Choice | None:
    """A conversation whose documents the bot serves and that somebody is in; None for others. Raises CannotCheck."""
    if place is None or place.kind == "im" or place.is_archived or not place.is_member:
        return None
    try:
        members = await directory.members(place.id)
        if user not in members:  # they may have joined a moment ago
            directory.ask_again(place.id)
            members = await directory.members(place.id)
    except Gone:
        return None
    if user not in members:
        return None
    known = directory.known(members)
    people = [id for id in members if id != directory.me and not (id in known and known[id].is_bot)]
    return Choice(channel_audience(place.id), "" if place.kind == "mpim" else place.name, len(people))


async def _person(directory: Directory, user: str) -> Person | None:
    """Somebody who is there, and no app; None for others. Raises CannotCheck."""
    try:
        person = await directory.person(user)
    except Gone:
        return None
    return None if person.is_bot or person.is_deleted else person


def _administers(parts: Parts, person: Person, team: str | None) -> bool:
    if not person.is_employee or is_foreign(parts.directory, team, person):
        return False
    named = parts.settings.admins
    return person.is_admin if named is None else person.id in named


def _adds(parts: Parts, person: Person, team: str | None) -> bool:
    match parts.settings.adders:
        case "everybody":
            return True
        case "employees":
            return person.is_employee and not is_foreign(parts.directory, team, person)
        case "admins":
            return _administers(parts, person, team)
        case named:
            return person.id in named
