"""Who may read what, worked out from where an answer will be read. Neither people nor the model have a say in it.

A channel's answer may use what everybody there may read: the documents of the workspace and of that channel; where
somebody there is, or may be, a guest or of another organisation, that channel's only. A direct message may use also
the asker's own documents and those of the channels that they are in at this moment. Documents for everyone are read by
whoever we can tell who they are. What cannot be found out is never taken for a yes: the least audience is left, and the
reading says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

from bot.asking import How, Question
from bot.ledger import StoredAnswer
from bot.slack.directory import CannotCheck, Directory, Gone
from bot.slack.people import Channel, Person
from indexer import EVERYONE, WORKSPACE, Audience, Viewer

NOBODY: Final = Viewer()

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer may use, and what was left out of it.

    ``left_out``: ``outsiders`` where documents of the workspace are left out because of who is there; ``cannot_check``
    where Slack did not tell enough; None where nothing is. ``channel_name`` is "" where it is not known. ``shareable``
    is False for what was worked out for the asker's eyes alone: it must not be posted where it was asked.
    """

    viewer: Viewer
    left_out: Literal["outsiders", "cannot_check"] | None = None
    channel_name: str = ""
    shareable: bool = True

    @property
    def channel_documents_only(self) -> bool:
        """Whether the documents of the workspace are left out."""
        return WORKSPACE not in self.viewer.audiences

    @property
    def audiences(self) -> tuple[str, ...]:
        """The audiences as text, sorted: ``("channel:C1", "workspace")``."""
        return tuple(sorted(str(audience) for audience in self.viewer.audiences))


NOTHING: Final = Reading(NOBODY)


def channel_audience(channel: str) -> Audience:
    return Audience("channel", channel)


def thread_audience(channel: str, thread: str) -> Audience:
    """Who reads along in one thread: the audience of the files that are attached to a question there."""
    return Audience("thread", f"{channel}-{thread}")


async def of_question(directory: Directory, question: Question) -> Reading:
    """What the answer to ``question`` may use. Raises nothing of Slack's: what cannot be checked is left out.

    Takes ``directory.patience`` seconds at most; twice that for a command where the bot is not.

    >>> (await of_question(directory, question_in_finance)).audiences
    ('channel:CFINANCE', 'everyone', 'thread:CFINANCE-1700000000.000100', 'workspace')
    """
    here = _here(question.channel, question.thread)
    if question.private:
        return await _for_their_eyes(directory, question)
    if question.is_direct:
        return await _in_private(directory, question.user, question.user_team, here)
    if question.how is not How.COMMAND:
        # Whoever writes in a channel is in it, and so are we.
        try:
            return await _in_place(directory, _Asked.of(question), Viewer(here | {EVERYONE}))
        except Gone:
            return replace(NOTHING, left_out="cannot_check")
    try:
        return await _in_place(directory, _Asked.of(question), NOBODY)
    except Gone:  # we are not there and cannot tell who is
        return await _for_their_eyes(directory, question)


async def of_place(directory: Directory, channel: str, thread: str = "") -> Reading:
    """What may be posted in a conversation: what everybody there may read."""
    try:
        return await _in_place(directory, _Asked(channel, thread), NOBODY)
    except Gone:
        return replace(NOTHING, left_out="cannot_check")


async def of_reader(
    directory: Directory, user: str, user_team: str | None = None, *, among: Collection[Audience] | None = None
) -> Reading:
    """What somebody may read themself, right now, where nobody else reads along: in lists, search, status and Home.

    ``among``: only whether they may read these is asked. Slack is asked for their channels, each time, where one of
    them is a channel's; else the reading has no channels.
    Raises nothing of Slack's: what cannot be checked is left out, and ``left_out`` is ``cannot_check``: say so.
    """
    with_channels = among is None or any(audience.kind in ("channel", "thread") for audience in among)
    own = await _in_private(directory, user, user_team, frozenset(), with_channels=with_channels)
    return replace(own, shareable=False)


async def of_person(directory: Directory, user: str, answer: StoredAnswer) -> Viewer:
    """Of the audiences that ``answer`` was made under those that somebody who clicks may read themself, right now.

    Raises ``CannotCheck`` where Slack does not tell: say so, and show nothing.
    """
    person, channels = await _person_and_channels(directory, user)
    if isinstance(person, Gone):
        return NOBODY
    asked = [Audience.parse(audience) for audience in answer.audiences]
    if isinstance(person, CannotCheck):
        raise person
    if person.is_deleted or person.is_bot:
        return NOBODY
    mine: set[Audience] = set()
    for audience in asked:
        place = audience.id.split("-")[0] if audience.kind == "thread" else audience.id
        if audience == EVERYONE:
            may = True
        elif audience.kind in ("workspace", "user"):
            may = person.is_employee and audience in (WORKSPACE, Audience("user", user))
        elif place.startswith("D"):
            may = user == answer.asker  # nobody else is in a direct conversation with the bot
        elif isinstance(channels, CannotCheck):
            raise channels
        else:
            may = place in channels
        if may:
            mine.add(audience)
    return Viewer(frozenset(mine))


async def _for_their_eyes(directory: Directory, question: Question) -> Reading:
    """What the asker may read themself, for an answer that they alone see: the files of the thread, too, in a channel
    that they are in."""
    own = await _in_private(directory, question.user, question.user_team, frozenset())
    if question.thread and channel_audience(question.channel) in own.viewer.audiences:
        files = thread_audience(question.channel, question.thread)
        own = replace(own, viewer=Viewer(own.viewer.audiences | {files}))
    return replace(own, shareable=False)


async def _in_private(
    directory: Directory, user: str, user_team: str | None, here: frozenset[Audience], *, with_channels: bool = True
) -> Reading:
    """What one person may read where nobody else reads along; the documents of channels only where that is wanted."""
    person, channels = await _person_and_channels(directory, user, with_channels=with_channels)
    if isinstance(person, Person) and (person.is_deleted or person.is_bot):
        return NOTHING
    mine = set(here)
    if isinstance(channels, frozenset) and isinstance(person, Person):  # who is not known may have left the company
        mine.update(channel_audience(channel) for channel in channels)
    if isinstance(person, Person):
        mine.add(EVERYONE)
        if person.is_employee and not is_foreign(directory, user_team, person):
            mine |= {WORKSPACE, Audience("user", user)}
    unknown = isinstance(channels, CannotCheck) or isinstance(person, CannotCheck)
    return Reading(Viewer(frozenset(mine)), "cannot_check" if unknown else None)


async def _person_and_channels(
    directory: Directory, user: str, *, with_channels: bool = True
) -> tuple[Person | CannotCheck, frozenset[str] | CannotCheck]:
    """Both at once; in place of what Slack does not tell, the error. No channels where they are not wanted."""

    async def told(lookup: Awaitable[T]) -> T | CannotCheck:
        try:
            return await lookup
        except CannotCheck as error:
            return error

    if not with_channels:
        return await told(directory.person(user)), frozenset()
    return await asyncio.gather(told(directory.person(user)), told(directory.channels_of(user)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """Where something is to be read, and who asked for it there, if somebody did."""

    channel: str
    thread: str
    user: str | None = None
    team: str | None = None

    @classmethod
    def of(cls, question: Question) -> _Asked:
        thread = "" if question.how is How.COMMAND else question.thread  # a command stands in none
        return cls(question.channel, thread, question.user, question.user_team)


async def _in_place(directory: Directory, asked: _Asked, least: Viewer) -> Reading:
    """What everybody may read in a conversation; ``least`` where not even that is known which one it is.

    Raises ``Gone`` where the bot cannot see the conversation.
    """
    here = Viewer(_here(asked.channel, asked.thread))
    reading = Reading(least, "cannot_check")
    try:
        async with asyncio.timeout(directory.patience):
            channel = await directory.channel(asked.channel)
            if channel.kind == "im":
                if channel.user is None or asked.user not in (None, channel.user):
                    return NOTHING
                return await _in_private(directory, channel.user, asked.team, here.audiences)
            if channel.is_archived:
                return Reading(NOBODY, None, channel.name)
            # A channel that the bot is not in: nobody reads its documents until it is back.
            here = Viewer(here.audiences | {EVERYONE}) if channel.is_member else Viewer(frozenset({EVERYONE}))
            reading = Reading(here, "cannot_check", channel.name)
            outsiders, least = await _outsiders(directory, channel, asked, reading.viewer)
    except Gone:
        raise
    except (CannotCheck, TimeoutError):
        return reading
    if outsiders:
        return Reading(least, "outsiders", channel.name)
    return Reading(Viewer(least.audiences | {WORKSPACE}), None, channel.name)


async def _outsiders(directory: Directory, channel: Channel, asked: _Asked, least: Viewer) -> tuple[bool, Viewer]:
    """Whether somebody in a channel may not read the workspace's documents, and what all of them may read if so."""
    if channel.is_shared_outside:
        return True, least
    members = await directory.members(channel.id)
    if asked.user is not None and asked.user not in members:  # they may have joined a moment ago
        directory.ask_again(channel.id)
        members = await directory.members(channel.id)
    if not members:
        raise CannotCheck("nobody")  # somebody reads there, or we would not be asked
    readers = members if asked.user is None else members | {asked.user}
    if len(readers) > len(members):
        least = Viewer(frozenset({EVERYONE}))
    if any(_is_outside(person) for person in directory.known(readers).values()):
        return True, least
    people = await directory.people(readers)
    asker = people.get(asked.user or "")
    return (
        len(people) < len(readers)  # Slack does not know somebody who is there
        or any(_is_outside(person) for person in people.values())
        or (asker is not None and (not asker.is_employee or is_foreign(directory, asked.team, asker))),
        least,
    )


def _is_outside(person: Person) -> bool:
    """Whether somebody in a channel may not read what the whole workspace may; our own apps are no readers."""
    return not person.is_deleted and (person.is_outsider or (person.is_guest and not person.is_bot))


def is_foreign(directory: Directory, team: str | None, person: Person) -> bool:
    """Whether an event came from another organisation, whatever the directory says of its sender."""
    return team not in (None, "", directory.team, directory.enterprise, person.team, *person.teams)


def _here(channel: str, thread: str) -> frozenset[Audience]:
    """What belongs to the place itself: the channel's documents, and the files of the thread."""
    own = set() if channel.startswith("D") else {channel_audience(channel)}
    return frozenset(own | {thread_audience(channel, thread)} if thread else own)
