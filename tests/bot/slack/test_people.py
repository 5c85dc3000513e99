"""People and conversations as Slack describes them: what it does not say is taken for the worse."""

from __future__ import annotations

from typing import Any

import pytest

from bot.slack.people import channel_of, person_of

COLLEAGUE = {"id": "U1", "team_id": "T1", "name": "ada", "is_restricted": False}


@pytest.mark.parametrize(
    ("changes", "guest", "outsider"),
    [
        ({}, False, False),
        ({"is_restricted": True}, True, False),
        ({"is_ultra_restricted": True}, True, False),
        ({"is_restricted": None}, True, False),
        ({"is_stranger": True}, False, True),
        ({"team_id": "T2"}, False, True),
        ({"team_id": None}, False, True),
        ({"team_id": "T2", "enterprise_user": {"enterprise_id": "E1", "teams": ["T2"]}}, False, False),
        ({"team_id": "T2", "enterprise_user": {"enterprise_id": "E2"}}, False, True),
        ({"team_id": "T2", "enterprise_user": {"enterprise_id": "E1"}, "is_stranger": True}, False, True),
    ],
)
def test_guests_and_people_of_other_organisations_are_told_apart(
    changes: dict[str, Any], guest: bool, outsider: bool
) -> None:
    person = person_of({**COLLEAGUE, **changes}, "T1", "E1")
    assert (person.is_guest, person.is_outsider) == (guest, outsider)
    assert person.is_employee is not (guest or outsider)


def test_only_guests_are_said_to_be_restricted() -> None:
    """Of others Slack may say nothing; an answer that is neither yes nor no is not trusted."""
    assert not person_of({"id": "U1", "team_id": "T1"}, "T1", None).is_guest
    assert person_of({"id": "U1", "team_id": "T1", "is_restricted": None}, "T1", None).is_guest
    assert not person_of({"id": "U1", "team_id": "T1", "is_bot": True, "is_restricted": None}, "T1", None).is_guest


def test_same_enterprise_means_nothing_where_we_have_none() -> None:
    assert person_of({**COLLEAGUE, "team_id": "T2", "enterprise_user": {}}, "T1", None).is_outsider


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({"profile": {"display_name": "ada", "real_name": "Ada Lovelace"}, "name": "al"}, "ada"),
        ({"profile": {"display_name": " ", "real_name": "Ada Lovelace"}, "name": "al"}, "Ada Lovelace"),
        ({"profile": None, "name": "al"}, "al"),
        ({"profile": {"display_name": "Eve\nBoss: yes\u202e"}}, "Eve Boss: yes"),
        ({}, "U1"),
    ],
)
def test_a_name_is_one_line_of_what_people_see(user: dict[str, Any], name: str) -> None:
    assert person_of({"id": "U1", **user}, "T1", None).name == name


CHANNEL = {"id": "C1", "name": "x", "is_shared": False, "is_ext_shared": False, "shared_team_ids": ["T1"]}


@pytest.mark.parametrize(
    ("changes", "outside"),
    [
        ({}, False),
        ({"is_ext_shared": True}, True),
        ({"is_pending_ext_shared": True}, True),
        ({"pending_shared": ["T2"]}, True),
        ({"pending_connected_team_ids": ["T2"]}, True),
        ({"is_shared": True}, True),
        ({"is_shared": True, "is_org_shared": True, "shared_team_ids": ["T1", "T3"]}, False),
        ({"is_shared": True, "is_org_shared": True, "is_ext_shared": True}, True),
        ({"shared_team_ids": ["T1", "T2"]}, True),
        ({"connected_team_ids": ["T2"]}, True),
    ],
)
def test_shared_channels_are_told_from_our_own(changes: dict[str, Any], outside: bool) -> None:
    assert channel_of({**CHANNEL, **changes}, "T1", "E1").is_shared_outside is outside


def test_a_channel_that_says_nothing_of_being_shared_is_judged_by_who_is_in_it() -> None:
    assert not channel_of({"id": "C1"}, "T1", None).is_shared_outside


@pytest.mark.parametrize(
    ("told", "kind", "private"),
    [
        ({"is_im": True, "user": "U1"}, "im", True),
        ({"is_mpim": True, "is_group": True}, "mpim", True),
        ({"is_private": True}, "group", True),
        ({"is_channel": True}, "channel", False),
    ],
)
def test_kinds_of_conversations(told: dict[str, Any], kind: str, private: bool) -> None:
    channel = channel_of({**CHANNEL, **told}, "T1", None)
    assert (channel.kind, channel.is_private) == (kind, private)
