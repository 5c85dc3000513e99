"""The documents as one person may see them in lists: looked up anew each time, titles included."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal

from bot.slack import rights
from bot.slack.audience import of_reader
from bot.slack.directory import CannotCheck, Directory
from bot.slack.parts import Parts
from bot.slack.refusals import failure_of
from bot.texts import Texts
from indexer import Audience, Document, DocumentId, SituateError, Version, Viewer

State = Literal["ready", "renewing", "waiting", "reading", "indexing", "failed"]

AT_WORK: Final[tuple[State, ...]] = ("waiting", "reading", "indexing")
MOST_NAMED: Final = 60  # documents whose people and channels are looked up by name

_NEVER = datetime.min.replace(tzinfo=UTC)
_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
_ORDER: Final[dict[State, int]] = {"waiting": 0, "reading": 0, "indexing": 0, "failed": 1, "renewing": 2, "ready": 2}


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as somebody who may read it sees it.

    ``name`` is the file's. ``passages`` are those that answer; ``done`` of ``total`` are indexed while it is at work.
    ``error`` says why it, or a newer version of it, was not taken: for whoever added it, and for admins.
    ``channel_name`` and ``adder`` are names for people, "" where they are not known; ``mine``: the reader added it.
    ``cost_usd`` and ``failed_contexts`` are for admins, 0 for others.
    """

    id: DocumentId
    title: str
    audience: Audience
    state: State
    name: str = ""
    url: str | None = None
    added_by: str | None = None
    added_at: datetime | None = None
    passages: int = 0
    done: int = 0
    total: int = 0
    error: str = ""
    channel_name: str = ""
    adder: str = ""
    mine: bool = False
    may_remove: bool = False
    cost_usd: float = 0.0
    failed_contexts: int = 0


@dataclass(frozen=True, slots=True)
class Shelf:
    """What somebody may see right now: at work first, then what was not taken, then the newest first.

    ``unsure``: Slack did not tell all that they may read, so something may be missing.
    """

    documents: tuple[Listed, ...] = ()
    is_admin: bool = False
    unsure: bool = False

    @property
    def readable(self) -> tuple[Listed, ...]:
        """Those that answer."""
        return tuple(one for one in self.documents if one.state in ("ready", "renewing"))

    @property
    def removable(self) -> tuple[Listed, ...]:
        return tuple(one for one in self.documents if one.may_remove)

    def find(self, id: str) -> Listed | None:
        return next((one for one in self.documents if one.id == id), None)

    def with_words(self, words: str) -> Shelf:
        """Only what has all the words in its title, file name or address, whatever their case.

        >>> Shelf((budget_2024, travel_policy)).with_words("BUDGET 24").documents
        (budget_2024,)
        """
        wanted = words.casefold().split()
        return replace(self, documents=tuple(one for one in self.documents if _has(one, wanted)))


@dataclass(frozen=True, slots=True)
class Money:
    """What Claude has cost in the whole workspace, in US dollars: today (UTC) and in all, contexts and answers.

    ``cap`` is DAY_CAP_USD. ``documents`` are those that answer, whoever may read them, and ``failed_contexts`` their
    passages whose context could not be had.
    """

    today: float
    total: float
    cap: float | None = None
    documents: int = 0
    failed_contexts: int = 0


async def shelf(parts: Parts, user: str, user_team: str | None, texts: Texts, *, most_named: int = MOST_NAMED) -> Shelf:
    """What ``user`` may see of all documents, right now. ``texts`` are the language of the errors in it.

    What Slack does not tell is left out, and ``unsure`` says so. Raises CannotCheck where it tells nothing at all, and
    CatalogueUnavailable.
    """
    reading, is_admin = await asyncio.gather(
        of_reader(parts.directory, user, user_team), _is_admin(parts, user, user_team)
    )
    unsure = reading.left_out == "cannot_check"
    if unsure and not any(audience.kind != "everyone" for audience in reading.viewer.audiences):
        raise CannotCheck
    workspace = await parts.workspace.name()
    published, newest = await asyncio.gather(
        parts.library.documents(workspace, reading.viewer), parts.library.attempts(workspace)
    )
    listed = _listed(published, newest, _Reader(user, reading.viewer, is_admin, texts))
    named = await _named(parts.directory, listed[:most_named])
    return Shelf((*named, *listed[most_named:]), is_admin, unsure)


async def money(parts: Parts) -> Money:
    """What Claude has cost, for admins. Raises CatalogueUnavailable."""
    workspace = await parts.workspace.name()
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    spent, total, documents = await asyncio.gather(
        parts.library.spent_since(workspace, today),
        parts.library.spent_since(workspace, _BEGINNING),
        parts.library.documents(workspace, None),
    )
    there = [one for one in documents if not one.audience.is_passing]
    failed = sum(one.failed_contexts for one in there)
    return Money(spent, total, parts.settings.day_cap_usd, len(there), failed)


Removal = Literal["removed", "gone", "not_yours"]


async def remove(parts: Parts, user: str, user_team: str | None, id: str, texts: Texts) -> tuple[Removal, str]:
    """Remove a document for somebody: what became of it, and its title where they may read it, else "".

    ``gone`` is said of what is not there (any more) and of what they may not read alike. What is removed twice is
    removed once. Raises CannotCheck, and Unavailable where it still answers.
    """
    there = await shelf(parts, user, user_team, texts, most_named=0)
    found = there.find(id)
    if found is None:
        if there.unsure:
            raise CannotCheck
        return "gone", ""
    workspace = await parts.workspace.name()
    if not await rights.may_remove(parts, user, _as_document(found, workspace), user_team):
        return "not_yours", found.title
    try:
        await parts.library.remove(workspace, found.id)
    except SituateError:
        if (await shelf(parts, user, user_team, texts, most_named=0)).find(id) is not None:
            raise
        # It answers nothing any more; what is left of it in the index is deleted later.
    with suppress(SituateError):  # what is not forgotten now is once something of it is deleted in Slack
        await parts.ledger.forgotten(found.id)
    return "removed", found.title


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who looks."""

    user: str
    viewer: Viewer
    is_admin: bool
    texts: Texts


def _listed(published: Iterable[Document], newest: Iterable[Version], reader: _Reader) -> list[Listed]:
    """What the reader may read of it, in its order."""
    rows = {row.document: row for row in newest if _may_read(reader, row.audience)}
    found = [_published(one, rows.get(one.id), reader) for one in published if _may_read(reader, one.audience)]
    there = {one.id for one in found}
    found += [one for id, row in rows.items() if id not in there and (one := _unpublished(row, reader)) is not None]
    return sorted(found, key=lambda one: (_ORDER[one.state], -(one.added_at or _NEVER).timestamp(), one.title))


def _may_read(reader: _Reader, audience: Audience) -> bool:
    return not audience.is_passing and reader.viewer.may_read(audience)


def _published(document: Document, newest: Version | None, reader: _Reader) -> Listed:
    """One that answers, and what became of a newer version."""
    mine = document.added_by == reader.user
    is_newer = newest is not None and newest.id != document.version
    state: State = "renewing" if newest is not None and is_newer and newest.state in ("queued", "running") else "ready"
    failed = newest is not None and is_newer and newest.state in ("refused", "failed")
    theirs = newest is not None and newest.added_by == reader.user
    return Listed(
        id=document.id,
        title=document.title,
        audience=document.audience,
        state=state,
        name=newest.name if newest is not None else "",
        url=document.url,
        added_by=document.added_by,
        added_at=document.added_at,
        passages=document.chunks,
        error=_reason(newest, reader) if newest is not None and failed and (theirs or reader.is_admin) else "",
        mine=mine,
        may_remove=mine or reader.is_admin,
        cost_usd=document.usage.cost_usd if reader.is_admin else 0.0,
        failed_contexts=document.failed_contexts if reader.is_admin else 0,
    )


def _unpublished(row: Version, reader: _Reader) -> Listed | None:
    """One that does not answer yet, or never will: that it was not taken is for its adder and for admins."""
    mine = row.added_by == reader.user
    state: State
    if row.state == "queued":
        state = "waiting"
    elif row.state == "running":
        state = "indexing" if row.total else "reading"
    elif row.state in ("refused", "failed") and (mine or reader.is_admin):
        state = "failed"
    else:
        return None
    return Listed(
        id=row.document,
        title=row.title,
        audience=row.audience,
        state=state,
        name=row.name,
        url=row.url,
        added_by=row.added_by,
        added_at=row.created_at,
        done=row.done,
        total=row.total,
        error=_reason(row, reader) if state == "failed" else "",
        mine=mine,
        may_remove=mine or reader.is_admin,
        cost_usd=row.usage.cost_usd if reader.is_admin else 0.0,
    )


def _reason(row: Version, reader: _Reader) -> str:
    """Why a version was not taken. What is wrong with a service is for admins to know in detail."""
    if row.state == "failed" and reader.is_admin:
        return row.error or ""
    return failure_of(row, row.title, reader.texts)


def _has(one: Listed, wanted: Sequence[str]) -> bool:
    within = f"{one.title}\n{one.name}\n{one.url or ''}".casefold()
    return all(word in within for word in wanted)


def _as_document(one: Listed, workspace: str) -> Document:
    return Document(one.id, workspace, one.audience, "", one.title, added_by=one.added_by)


async def _is_admin(parts: Parts, user: str, user_team: str | None) -> bool:
    """Whether more may be shown: what cannot be checked is not."""
    try:
        return await rights.is_admin(parts, user, user_team)
    except CannotCheck:
        return False


async def _named(directory: Directory, listed: Sequence[Listed]) -> list[Listed]:
    """The same with the names of channels and people, as far as Slack tells them."""
    channels, people = await asyncio.gather(
        _channel_names(directory, {one.audience.id for one in listed if one.audience.kind == "channel"}),
        _person_names(directory, {one.added_by for one in listed if one.added_by and not one.mine}),
    )
    return [
        replace(one, channel_name=channels.get(one.audience.id, ""), adder=people.get(one.added_by or "", ""))
        for one in listed
    ]


async def _channel_names(directory: Directory, ids: Collection[str]) -> dict[str, str]:
    """By id; a group direct message has none."""

    async def name(id: str) -> str:
        try:
            channel = await directory.channel(id)
        except CannotCheck:
            return ""
        return "" if channel.kind == "mpim" else channel.name

    return dict(zip(ids, await asyncio.gather(*(name(id) for id in ids)), strict=True))


async def _person_names(directory: Directory, ids: Collection[str]) -> Mapping[str, str]:
    try:
        return {id: person.name for id, person in (await directory.people(ids)).items()}
    except CannotCheck:
        return {id: person.name for id, person in directory.known(ids).items()}
