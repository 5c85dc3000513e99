"""Who may add and remove, and whom they may let read: no further than where it comes from, unless an admin says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.settings import BotSettings
from bot.slack.directory import CannotCheck, Directory
from bot.slack.parts import Parts
from bot.slack.rights import Choice, Choices, choices, is_admin, may_add, may_remove
from indexer import EVERYONE, WORKSPACE, Audience, Document, DocumentId
from tests.bot.slack.test_audience import CHANNELS, PEOPLE, World, failures, worlds
from tests.bot.slack.workspace import ME, TEAM, FakeSlack

pytestmark = pytest.mark.anyio

ADA = Audience("user", "UADA")
PLANS, ALL = Audience("channel", "CPLANS"), Audience("channel", "CALL")


@dataclass(frozen=True)
class OfParts:
    """What is asked of the parts."""

    settings: BotSettings
    directory: Directory


def parts_of(directory: Directory, **fields: Any) -> Parts:
    return cast("Parts", OfParts(BotSettings(_env_file=None, **fields), directory))


@pytest.fixture
def fake() -> FakeSlack:
    """#all (public), #plans (private, Ada and Bo), #ext (private, with a guest), Ada's and Gus's conversations."""
    fake = FakeSlack()
    fake.person("UADA")
    fake.person("UBO", is_admin=True)
    fake.person("UGUS", is_restricted=True)
    fake.person("UEXT", team="T9", is_admin=True)
    fake.person(ME, is_bot=True)
    fake.channel("CALL", "UADA", "UBO")
    fake.channel("CPLANS", "UADA", "UBO", private=True)
    fake.channel("CEXT", "UADA", "UGUS", private=True)
    fake.channel("DADA", "UADA", is_im=True, user="UADA")
    fake.channel("DGUS", "UGUS", is_im=True, user="UGUS")
    return fake


@pytest.fixture
async def directory(fake: FakeSlack) -> AsyncIterator[Directory]:
    directory = Directory(fake, TEAM, me=ME, patience=2.0)
    yield directory
    await directory.close()


@pytest.fixture
def parts(directory: Directory) -> Parts:
    return parts_of(directory)


def options(told: Choices) -> list[Audience]:
    return [option.audience for option in told.options]


# -- administrators --------------------------------------------------------------------------------------------------


async def test_admins_are_those_of_the_workspace_and_never_of_another(parts: Parts, fake: FakeSlack) -> None:
    for sign in ("is_owner", "is_primary_owner"):
        signs: dict[str, Any] = {sign: True}
        fake.person(f"U{sign.upper()}", **signs)
        assert await is_admin(parts, f"U{sign.upper()}")
    assert await is_admin(parts, "UBO")
    assert not await is_admin(parts, "UBO", "T9")
    assert not await is_admin(parts, "UADA")
    assert not await is_admin(parts, "UEXT")
    assert not await is_admin(parts, "U404")


@pytest.mark.parametrize(
    "fields", [{"is_restricted": True}, {"deleted": True}, {"is_bot": True}, {"is_stranger": True}, {"team": "T2"}]
)
async def test_no_guest_stranger_or_app_is_an_admin(parts: Parts, fake: FakeSlack, fields: dict[str, Any]) -> None:
    fake.person("UX", **{"is_admin": True, "enterprise_user": {"enterprise_id": "E1", "teams": ["T2"]}, **fields})
    assert not await is_admin(parts, "UX")
    assert not await is_admin(parts_of(parts.directory, admin_users="UX"), "UX")


async def test_named_admins_are_exactly_those(directory: Directory) -> None:
    parts = parts_of(directory, admin_users="UADA, UGUS")
    assert [await is_admin(parts, user) for user in ("UADA", "UBO", "UGUS")] == [True, False, False]


async def test_who_cannot_be_looked_up_is_not_taken_for_anything(parts: Parts, fake: FakeSlack) -> None:
    fake.failing["users.info"] = "ratelimited"
    for asked in (is_admin(parts, "UBO"), may_add(parts, "UBO"), may_remove(parts, "UBO", document(WORKSPACE, "UBO"))):
        with pytest.raises(CannotCheck):
            await asked
    assert await choices(parts, "UBO", "CALL") == Choices(refused="cannot_check")


# -- who may add, and remove -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("employees", {"UADA", "UBO"}),
        ("admins", {"UBO"}),
        ("Everybody", {"UADA", "UBO", "UGUS", "UEXT"}),
        ("UADA, UGUS", {"UADA", "UGUS"}),
    ],
)
async def test_who_may_add_is_a_setting(directory: Directory, who: str, expected: set[str]) -> None:
    parts = parts_of(directory, who_may_add=who)
    everybody = ("UADA", "UBO", "UGUS", "UEXT", "U404", ME)
    assert {user for user in everybody if await may_add(parts, user)} == expected
    refused = [user for user in everybody if (await choices(parts, user, "CALL")).refused == "may_not_add"]
    assert set(refused) == set(everybody) - expected


@pytest.mark.parametrize("field", ["who_may_add", "admin_users"])
@pytest.mark.parametrize("wrong", ["everyone else", "U0123; U0456", "@ada", ",", "employees, U0123"])
def test_settings_that_name_nobody_are_refused_with_an_example(field: str, wrong: str) -> None:
    with pytest.raises(ValidationError, match=r"is not understood; use .*such as: U0123, U0456"):
        BotSettings(_env_file=None, **{field: wrong})  # type: ignore[arg-type]  # fields by name


def document(audience: Audience, added_by: str | None) -> Document:
    return Document(DocumentId("d1"), TEAM, audience, "text:1", "Plans", added_by=added_by)


async def test_who_added_a_document_removes_it_while_they_may_read_it_and_an_admin_always(
    parts: Parts, fake: FakeSlack
) -> None:
    assert await may_remove(parts, "UADA", document(WORKSPACE, "UADA"))
    assert await may_remove(parts, "UADA", document(PLANS, "UADA"))
    assert not await may_remove(parts, "UADA", document(PLANS, "UBO"))
    assert not await may_remove(parts, "UADA", document(WORKSPACE, None))
    assert await may_remove(parts, "UBO", document(Audience("channel", "CEXT"), "UADA"))
    fake.inside["CPLANS"].discard("UADA")
    assert not await may_remove(parts, "UADA", document(PLANS, "UADA"))
    assert not await may_remove(parts, "UGUS", document(WORKSPACE, "UGUS"))
    fake.failing["users.conversations"] = "ratelimited"
    with pytest.raises(CannotCheck):
        await may_remove(parts, "UADA", document(ALL, "UADA"))


# -- whom they may let read it ---------------------------------------------------------------------------------------


async def test_a_public_channel_offers_all_employees_the_channel_and_the_person_alone(parts: Parts) -> None:
    assert await choices(parts, "UADA", "CALL") == Choices(
        (Choice(WORKSPACE), Choice(ALL, "call", 2), Choice(ADA)), default=WORKSPACE
    )


async def test_private_conversations_and_channels_with_others_default_to_themselves(
    parts: Parts, fake: FakeSlack
) -> None:
    fake.channel("GM", "UADA", "UBO", private=True, is_mpim=True)
    fake.channel("CSHARED", "UADA", "UEXT", is_ext_shared=True)
    for channel in ("CPLANS", "GM", "CSHARED"):
        told = await choices(parts, "UADA", channel)
        assert options(told) == [WORKSPACE, Audience("channel", channel), ADA]
        assert told.default == Audience("channel", channel)
    assert (await choices(parts, "UADA", "GM")).options[1].channel_name == ""


@pytest.mark.parametrize("channel", ["", "DADA", "D404"])
async def test_a_direct_message_and_the_home_tab_offer_all_employees_and_the_person_alone(
    parts: Parts, channel: str
) -> None:
    assert await choices(parts, "UADA", channel) == Choices((Choice(WORKSPACE), Choice(ADA)), default=WORKSPACE)


@pytest.mark.parametrize("change", [{"is_archived": True}, {"is_member": False}, {"without": True}])
async def test_a_channel_that_cannot_be_served_is_not_offered(
    parts: Parts, fake: FakeSlack, change: dict[str, bool]
) -> None:
    people = ("UBO",) if change.pop("without", False) else ("UADA", "UBO")
    fake.channel("CX", *people, **change)
    assert options(await choices(parts, "UADA", "CX")) == [WORKSPACE, ADA]


async def test_in_a_place_that_nobody_sees_the_least_is_proposed(parts: Parts) -> None:
    told = await choices(parts, "UADA", "C404")
    assert (options(told), told.default) == ([WORKSPACE, ADA], ADA)


async def test_who_joined_a_moment_ago_is_offered_the_channel(parts: Parts, fake: FakeSlack) -> None:
    await choices(parts, "UADA", "CALL")
    fake.person("UNEW")
    fake.inside["CALL"].add("UNEW")
    assert ALL in options(await choices(parts, "UNEW", "CALL"))


async def test_guests_add_for_their_channel_only(directory: Directory) -> None:
    parts = parts_of(directory, who_may_add="everybody")
    ext = Audience("channel", "CEXT")
    assert await choices(parts, "UGUS", "CEXT") == Choices((Choice(ext, "cext", 2),), default=ext)
    assert await choices(parts, "UADA", "CEXT", user_team="T9") == Choices((Choice(ext, "cext", 2),), default=ext)
    for elsewhere in ("", "DGUS", "CALL", "C404"):
        assert await choices(parts, "UGUS", elsewhere) == Choices(refused="add_in_channel")


async def test_what_comes_from_a_private_channel_stays_there_or_with_the_person(parts: Parts) -> None:
    for asked_in in ("CPLANS", "CALL", "DADA", ""):
        told = await choices(parts, "UADA", asked_in, origins=frozenset({"CPLANS"}))
        assert options(told) == [PLANS, ADA]
        assert (told.default, told.limited, told.beyond) == (PLANS, True, False)


async def test_what_comes_from_where_nobody_sees_stays_with_the_person(parts: Parts) -> None:
    told = await choices(parts, "UADA", "CPLANS", origins=frozenset({"C404"}))
    assert (options(told), told.default, told.limited) == ([ADA], ADA, True)


async def test_what_stands_in_a_public_channel_too_is_for_all_employees_but_for_no_other_channel(parts: Parts) -> None:
    told = await choices(parts, "UADA", "CALL", origins=frozenset({"CPLANS", "CALL"}))
    assert (options(told), told.limited) == ([WORKSPACE, ALL, ADA], False)
    told = await choices(parts, "UADA", "CEXT", origins=frozenset({"CALL"}))
    assert (options(told), told.limited) == ([WORKSPACE, ADA], True)


async def test_what_comes_from_the_persons_own_conversation_is_their_own(parts: Parts) -> None:
    assert options(await choices(parts, "UADA", "CALL", origins=frozenset({"DADA"}))) == [WORKSPACE, ALL, ADA]
    assert options(await choices(parts, "UADA", "CALL", origins=frozenset({"DGUS"}))) == [ADA]


@pytest.mark.parametrize(
    ("made_from", "expected"),
    [
        ({EVERYONE}, [WORKSPACE, ALL, ADA]),
        ({WORKSPACE}, [WORKSPACE, ADA]),
        ({PLANS}, [PLANS, ADA]),
        ({PLANS, WORKSPACE}, [ADA]),
        ({Audience("thread", "CPLANS-1.2")}, [PLANS, ADA]),
        ({Audience("thread", "DADA-1.2")}, [ADA]),
        ({ADA}, [ADA]),
        ({PLANS, ALL}, [ADA]),
    ],
)
async def test_an_answer_reaches_no_further_than_what_it_was_made_from(
    parts: Parts, made_from: set[Audience], expected: list[Audience]
) -> None:
    assert options(await choices(parts, "UADA", "CALL", made_from=frozenset(made_from))) == expected


async def test_an_answer_for_all_employees_may_stay_in_the_channel_where_it_stands(parts: Parts) -> None:
    told = await choices(parts, "UADA", "CALL", origins=frozenset({"CALL"}), made_from=frozenset({WORKSPACE}))
    assert options(told) == [WORKSPACE, ALL, ADA]


async def test_an_answer_from_somebody_elses_documents_goes_nowhere(parts: Parts) -> None:
    told = await choices(parts, "UADA", "CALL", made_from=frozenset({Audience("user", "UBO")}))
    assert told == Choices(refused="reaches_nobody")


async def test_an_admin_may_say_otherwise_and_the_least_is_still_proposed(parts: Parts) -> None:
    told = await choices(parts, "UBO", "CPLANS", origins=frozenset({"CPLANS"}))
    assert options(told) == [WORKSPACE, PLANS, Audience("user", "UBO")]
    assert (told.default, told.limited, told.beyond) == (PLANS, False, True)
    unbound = await choices(parts, "UBO", "CPLANS")
    assert (unbound.limited, unbound.beyond) == (False, False)


@pytest.mark.parametrize("method", ["users.info", "conversations.info", "conversations.members"])
async def test_what_cannot_be_checked_is_refused(parts: Parts, fake: FakeSlack, method: str) -> None:
    fake.failing[method] = "ratelimited"
    told = await choices(parts, "UADA", "CPLANS", origins=frozenset({"CPLANS"}))
    assert told == Choices(refused="cannot_check")


# -- any workspace ---------------------------------------------------------------------------------------------------


def may_see(world: World, user: str, origin: str) -> bool:
    """Whether somebody can open a conversation in Slack itself."""
    if origin.startswith("D"):
        return origin == "D" + user
    place = world.places[origin]
    return user in place.members or (not place.private and not place.group and world.works_here(user))


quoted = st.sets(
    st.sampled_from(
        [
            EVERYONE,
            WORKSPACE,
            *(Audience("channel", id) for id in CHANNELS),
            *(Audience("user", id) for id in PEOPLE[:3]),
        ]
    ),
    max_size=2,
)


@settings(max_examples=500)
@given(
    world=worlds,
    user=st.sampled_from(PEOPLE),
    where=st.sampled_from([*CHANNELS, "", "D"]),
    origins=st.sets(st.sampled_from([*CHANNELS, "D"]), max_size=3),
    made_from=quoted,
    who=st.sampled_from(["employees", "everybody", "admins", "U0,U1"]),
    admin=st.booleans(),
    fails=failures,
)
def test_in_any_workspace_a_document_reaches_no_further_than_where_it_comes_from(
    world: World,
    user: str,
    where: str,
    origins: set[str],
    made_from: set[Audience],
    who: str,
    admin: bool,
    fails: list[str],
) -> None:
    for id in PEOPLE:
        world.mirror.channel("D" + id, id, is_im=True, user=id)
    stands_in = {"D" + user if origin == "D" else origin for origin in origins}

    async def ask() -> Choices:
        world.mirror.failing = dict.fromkeys(fails, "ratelimited")
        directory = Directory(world.mirror, TEAM, enterprise="E1", me=ME)
        parts = parts_of(directory, who_may_add=who, admin_users=user if admin else None)
        told = await choices(
            parts,
            user,
            "D" + user if where == "D" else where,
            origins=frozenset(stands_in),
            made_from=frozenset(made_from),
        )
        await directory.close()
        return told

    told = asyncio.run(ask())
    if told.refused is not None:
        assert (told.options, told.default) == ((), None)
        assert told.refused != "cannot_check" or fails
        return
    assert told.default in options(told)
    assert world.roles[user] not in ("app", "deleted")
    assert not told.beyond or (admin and world.works_here(user))
    shared = {origin for origin in stands_in if not origin.startswith("D")}
    for audience in options(told):
        assert world.may_read(user, audience), "who adds it may read it"
        if audience.kind == "user" or (told.beyond and audience != told.default):
            continue
        there = [one for one in PEOPLE if world.roles[one] not in ("app", "deleted")]
        for reader in (one for one in there if world.may_read(one, audience)):
            assert not shared or any(may_see(world, reader, origin) for origin in stands_in)
            for source in made_from:
                assert world.may_read(reader, source) or any(may_see(world, reader, origin) for origin in shared)
