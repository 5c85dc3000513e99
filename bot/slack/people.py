"""People and conversations as Slack describes them, read with care: what is not said is taken for the worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.answering.visible import one_line

LONGEST_NAME = 80
SLACKBOT = "USLACKBOT"
_ADMIN = ("is_admin", "is_owner", "is_primary_owner")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, or some app, in Slack. ``is_guest`` and ``is_outsider`` are True also where Slack does not tell.

    ``locale`` is like ``fr-FR``; ``team`` is the workspace they come from, ``teams`` those of our own organisation
    that they are in. ``is_admin``: of our own workspace, its owners among them; never who is a guest or an outsider.
    """

    id: str
    name: str
    locale: str | None = None
    team: str | None = None
    teams: tuple[str, ...] = ()
    is_guest: bool = False
    is_outsider: bool = False
    is_bot: bool = False
    is_deleted: bool = False
    is_admin: bool = False

    @property
    def is_employee(self) -> bool:
        """Whether they may read what everybody in the workspace may read."""
        return not (self.is_guest or self.is_outsider or self.is_bot or self.is_deleted)


@dataclass(frozen=True, slots=True)
class Channel:
    """A conversation. ``kind`` as in ``Question``: ``im``, ``mpim``, ``channel`` (public), ``group`` (private).

    ``is_shared_outside``: with another organisation, or about to be. ``is_member``: the bot is in it. ``user``: who
    the other one is in a direct conversation with the bot.
    """

    id: str
    name: str
    kind: str
    is_private: bool = False
    is_shared_outside: bool = False
    is_archived: bool = False
    is_member: bool = True
    user: str | None = None


def person_of(user: Mapping[str, Any], team: str, enterprise: str | None) -> Person:
    """A ``user`` object of Slack's, seen from the workspace ``team``.

    >>> person_of({"id": "U1", "team_id": "T2", "name": "ana", "is_restricted": False}, "T1", None).is_outsider
    True
    """
    profile = user.get("profile") or {}
    in_enterprise = user.get("enterprise_user") or {}
    colleague = enterprise is not None and in_enterprise.get("enterprise_id") == enterprise
    same = user.get("team_id") == team or colleague
    is_bot = bool(user.get("is_bot")) or user.get("id") == SLACKBOT
    # Slack says of guests that they are; where it says neither yes nor no, that is not to be trusted.
    restricted = user.get("is_restricted", False)
    is_guest = bool(restricted or user.get("is_ultra_restricted") or (restricted is None and not is_bot))
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    name = next((line for name in names if isinstance(name, str) and (line := one_line(name, LONGEST_NAME))), None)
    person = Person(
        id=str(user.get("id", "")),
        name=name or str(user.get("id", "")),
        locale=user.get("locale") or None,
        team=user.get("team_id"),
        teams=tuple(in_enterprise.get("teams") or ()) if colleague else (),
        is_guest=is_guest,
        is_outsider=bool(user.get("is_stranger")) or not same,
        is_bot=is_bot,
        is_deleted=bool(user.get("deleted")),
    )
    # An admin of another workspace has no say in ours, not even within one organisation.
    is_admin = person.is_employee and user.get("team_id") == team and any(user.get(sign) is True for sign in _ADMIN)
    return replace(person, is_admin=is_admin)


def channel_of(told: Mapping[str, Any], team: str, enterprise: str | None) -> Channel:
    """A conversation object of Slack's, seen from the workspace ``team``."""
    is_private = bool(told.get("is_private") or told.get("is_group"))
    kind = "im" if told.get("is_im") else "mpim" if told.get("is_mpim") else "group" if is_private else "channel"
    return Channel(
        id=str(told.get("id", "")),
        name=one_line(str(told.get("name") or ""), LONGEST_NAME),
        kind=kind,
        is_private=is_private or kind in ("im", "mpim"),
        is_shared_outside=kind != "im" and _shared_outside(told, {team, enterprise}),
        is_archived=bool(told.get("is_archived")),
        is_member=told.get("is_member") is not False,
        user=told.get("user") if kind == "im" else None,
    )


def _shared_outside(told: Mapping[str, Any], ours: set[str | None]) -> bool:
    """Whether people of another organisation are in a channel, or are invited, as far as the channel tells.

    Who is in it is looked at besides, one by one: a channel that tells nothing is not trusted for that.
    """
    pending = ("is_ext_shared", "is_pending_ext_shared", "pending_shared", "pending_connected_team_ids")
    if any(told.get(sign) for sign in pending):
        return True
    if told.get("is_org_shared"):
        return False
    if told.get("is_shared"):
        return True
    return bool({*(told.get("shared_team_ids") or ()), *(told.get("connected_team_ids") or ())} - ours)
