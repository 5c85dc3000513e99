"""What the bot knows of people and channels is what Slack told, not older than it may be, and never guessed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackRequestError

from bot.slack.directory import CHANNEL_SECONDS, FEW, PEOPLE_SECONDS, CannotCheck, Directory, Gone
from bot.slack.people import channel_of, person_of
from tests.bot.slack.workspace import ME, TEAM, FakeSlack

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def slack() -> FakeSlack:
    slack = FakeSlack()
    for id, name in (("U1", "Ada"), ("U2", "Bo"), ("U3", "Cy")):
        slack.person(id, name=name)
    slack.person(ME, name="Situate", is_bot=True)
    slack.channel("C1", "U1", "U2")
    return slack


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def directory(slack: FakeSlack, clock: Clock) -> AsyncIterator[Directory]:
    directory = Directory(slack, TEAM, me=ME, now=clock, patience=1.0)
    yield directory
    await directory.close()


async def test_a_person_is_looked_up_once_an_hour(slack: FakeSlack, directory: Directory, clock: Clock) -> None:
    assert (await directory.person("U1")).name == "Ada"
    slack.person("U1", name="Ada L.")
    clock.seconds = PEOPLE_SECONDS - 1
    assert (await directory.person("U1")).name == "Ada"
    clock.seconds = PEOPLE_SECONDS + 1
    assert (await directory.person("U1")).name == "Ada L."
    assert slack.count("users.info") == 2


async def test_channels_and_members_are_looked_up_again_after_five_minutes(
    slack: FakeSlack, directory: Directory, clock: Clock
) -> None:
    assert await directory.members("C1") == {"U1", "U2", ME}
    assert not (await directory.channel("C1")).is_archived
    slack.inside["C1"].add("U3")
    slack.channels["C1"]["is_archived"] = True
    assert await directory.members("C1") == {"U1", "U2", ME}
    clock.seconds = CHANNEL_SECONDS + 1
    assert await directory.members("C1") == {"U1", "U2", "U3", ME}
    assert (await directory.channel("C1")).is_archived


async def test_what_changed_is_looked_up_afresh(slack: FakeSlack, directory: Directory) -> None:
    await directory.person("U1")
    await directory.channel("C1")
    await directory.members("C1")
    slack.person("U1", is_restricted=True)
    slack.channels["C1"]["is_ext_shared"] = True
    slack.inside["C1"].add("U3")
    directory.forget_person("U1")
    directory.forget_member("C1", "U3")
    assert (await directory.person("U1")).is_guest
    assert "U3" in await directory.members("C1")
    assert not (await directory.channel("C1")).is_shared_outside
    directory.forget_channel("C1")
    assert (await directory.channel("C1")).is_shared_outside


async def test_many_who_ask_at_once_make_one_lookup(slack: FakeSlack, directory: Directory) -> None:
    await asyncio.gather(*(directory.person("U1") for _ in range(20)), *(directory.members("C1") for _ in range(20)))
    assert slack.count("users.info") == 1
    assert slack.count("conversations.members") == 1


async def test_what_changes_while_it_is_looked_up_is_not_kept(slack: FakeSlack, directory: Directory) -> None:
    """The event came between Slack's reading and our keeping; the late answer does not push out the newer one."""
    slack.limited["users.info"] = 0.05
    early = asyncio.create_task(directory.person("U1"))
    await asyncio.sleep(0.01)
    slack.person("U1", name="Ada L.")
    directory.forget_person("U1")
    slack.limited.clear()
    assert (await directory.person("U1")).name == "Ada L."
    assert (await early).name == "Ada"
    assert (await directory.person("U1")).name == "Ada L."
    assert slack.count("users.info") == 2


async def test_members_are_read_to_the_last_page(slack: FakeSlack, directory: Directory) -> None:
    slack.channel("C2", *(f"U{number}" for number in range(2_500)))
    assert len(await directory.members("C2")) == 2_501
    assert [given["limit"] for name, given in slack.calls if name == "conversations.members"] == [999] * 3


async def test_pages_without_an_end_are_not_read_for_ever(slack: FakeSlack, directory: Directory) -> None:
    slack.broken["conversations.members"] = {"members": ["U1"], "response_metadata": {"next_cursor": "same"}}
    with pytest.raises(CannotCheck):
        await directory.members("C1")


async def test_after_warming_a_large_channel_needs_no_single_lookup(slack: FakeSlack, directory: Directory) -> None:
    slack.page = 100
    ids = {slack.person(f"U{number}") for number in range(300)}
    await directory.warm()
    people = await directory.people(ids)
    assert people.keys() == ids
    assert slack.count("users.list") == 4
    assert slack.count("users.info") == 0


async def test_many_unknown_people_are_listed_instead_of_asked_for_one_by_one(
    slack: FakeSlack, directory: Directory
) -> None:
    ids = {slack.person(f"U{number}") for number in range(FEW + 1)} | {slack.person("U77", team="T2")}
    people = await directory.people(ids)
    assert people.keys() == ids
    assert people["U77"].is_outsider
    assert slack.count("users.list") == 1
    assert slack.count("users.info") == 1


async def test_too_many_people_that_no_list_names_are_not_asked_for_one_by_one(
    slack: FakeSlack, directory: Directory
) -> None:
    strangers = {slack.person(f"U{number}", team="T2") for number in range(200)}
    with pytest.raises(CannotCheck):
        await directory.people(strangers)
    assert slack.count("users.info") == 0


async def test_who_changed_while_everybody_was_listed_is_not_taken_from_the_list(
    slack: FakeSlack, directory: Directory
) -> None:
    slack.limited["users.list"] = 0.03
    warming = asyncio.create_task(directory.warm())
    await asyncio.sleep(0.01)
    directory.forget_person("U1")
    await warming
    assert set(directory.known(["U1", "U2"])) == {"U2"}


async def test_a_person_waits_no_longer_than_patience_and_the_lookup_goes_on(slack: FakeSlack) -> None:
    """Slack says Retry-After: 30 (here less); the SDK's handler waits it out, the person does not."""
    slack.limited["conversations.members"] = 0.3
    directory = Directory(slack, TEAM, me=ME, patience=0.05)
    began = time.monotonic()
    with pytest.raises(CannotCheck):
        await directory.members("C1")
    assert time.monotonic() - began < 0.25
    await asyncio.sleep(0.35)
    assert "U1" in await directory.members("C1")
    assert slack.count("conversations.members") == 1
    await directory.close()


async def test_closing_ends_lookups_that_are_under_way(slack: FakeSlack) -> None:
    slack.limited["conversations.members"] = 60.0
    directory = Directory(slack, TEAM, patience=0.01)
    with pytest.raises(CannotCheck):
        await directory.members("C1")
    began = time.monotonic()
    await directory.close()
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "failure",
    [
        "ratelimited",
        "missing_scope",
        "internal_error",
        aiohttp.ClientConnectionError("away"),
        SlackRequestError("bad"),
        TimeoutError(),
        ConnectionResetError(),
        AttributeError("'str' object has no attribute 'get'"),
    ],
)
async def test_a_failed_lookup_cannot_be_checked(
    slack: FakeSlack, directory: Directory, failure: str | Exception
) -> None:
    for method in ("users.info", "conversations.info", "conversations.members", "users.conversations", "users.list"):
        slack.failing[method] = failure
    lookups = (
        directory.person("U1"),
        directory.channel("C1"),
        directory.members("C1"),
        directory.channels_of("U1"),
        directory.warm(),
        directory.people(["U1"]),
    )
    for lookup in lookups:
        with pytest.raises(CannotCheck) as caught:
            await lookup
        assert not isinstance(caught.value, Gone)
    slack.failing.clear()
    assert (await directory.person("U1")).name == "Ada"


@pytest.mark.parametrize("told", [{"user": None}, {"member": []}, {"members": "U1"}])
async def test_an_answer_without_what_was_asked_for_is_no_answer(
    slack: FakeSlack, directory: Directory, told: dict[str, Any]
) -> None:
    for method in ("users.info", "conversations.members"):
        slack.broken[method] = told
    with pytest.raises(CannotCheck):
        await directory.person("U1")
    with pytest.raises(CannotCheck):
        await directory.members("C1")


async def test_what_slack_does_not_show_is_gone(slack: FakeSlack, directory: Directory) -> None:
    slack.channel("C9", "U1", private=True, is_member=False)
    for lookup in (directory.channel("C9"), directory.members("C9"), directory.channel("C404")):
        with pytest.raises(Gone):
            await lookup
    with pytest.raises(Gone):
        await directory.person("U404")
    assert (await directory.people(["U1", "U404"])).keys() == {"U1"}


async def test_channels_of_a_person_are_those_that_the_bot_is_in_too(slack: FakeSlack, directory: Directory) -> None:
    slack.channel("C2", "U1", is_member=False)
    slack.channel("C3", "U1", private=True)
    slack.channel("C4", "U1", is_archived=True)
    slack.channel("C5", "U2")
    slack.channel("G6", "U1", private=True, is_mpim=True)
    assert await directory.channels_of("U1") == {"C1", "C3", "G6"}


async def test_channels_of_a_person_are_asked_for_each_time(slack: FakeSlack, directory: Directory) -> None:
    assert await directory.channels_of("U1") == {"C1"}
    slack.inside["C1"].discard("U1")
    assert await directory.channels_of("U1") == frozenset()
    asked = [given.get("user", ME) for name, given in slack.calls if name == "users.conversations"]
    assert asked.count("U1") == 2
    assert asked.count(ME) == 1


async def test_a_channel_that_the_bot_left_is_nobodys(slack: FakeSlack, directory: Directory) -> None:
    assert await directory.channels_of("U1") == {"C1"}
    slack.inside["C1"].discard(ME)
    directory.forget_member("C1", ME)
    assert await directory.channels_of("U1") == frozenset()
    assert not (await directory.channel("C1")).is_member


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


def test_who_does_not_say_whether_they_are_restricted_is_taken_for_a_guest() -> None:
    assert person_of({"id": "U1", "team_id": "T1"}, "T1", None).is_guest
    assert not person_of({"id": "U1", "team_id": "T1", "is_bot": True}, "T1", None).is_guest


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


def test_a_channel_that_says_nothing_of_being_shared_is_taken_for_shared() -> None:
    assert channel_of({"id": "C1"}, "T1", None).is_shared_outside


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
