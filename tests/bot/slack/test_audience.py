"""Nobody is shown what they may not read, whoever is there, whatever changes, and whatever Slack does not tell."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.web.async_client import AsyncWebClient

from bot.asking import How, Question
from bot.ledger import StoredAnswer
from bot.slack.audience import NOTHING, Reading, of_person, of_place, of_question, of_reader
from bot.slack.directory import CannotCheck, Directory
from indexer import EVERYONE, WORKSPACE, Audience
from tests.bot.slack.workspace import ME, TEAM, FakeSlack
from tests.fixtures.slack import Company
from tests.slack_server import Channel, Person, SlackServer

pytestmark = pytest.mark.anyio

TS = "1700000000.000100"


def question(channel: str, user: str, how: How = How.MENTION, **fields: Any) -> Question:
    return Question(TEAM, channel, TS, TS, user, f"<@{ME}> what?", how, **fields)


def answer(channel: str, asker: str, reading: Reading) -> StoredAnswer:
    return StoredAnswer(
        id="a1",
        question_key="k",
        team=TEAM,
        channel=channel,
        thread=TS,
        question_ts=TS,
        asker=asker,
        question="what?",
        kind="answer",
        text="That.",
        statements=(),
        sources=(),
        hits=(),
        searches=(),
        audiences=reading.audiences,
        messages=(),
        cost_usd=0.0,
        private=False,
        replaced_by=None,
        created_at=datetime(2024, 1, 1, tzinfo=UTC),
    )


@pytest.fixture
def fake() -> FakeSlack:
    """#all with two employees, #ext with a guest, a direct conversation of Ada's with the bot."""
    fake = FakeSlack()
    for id in ("UADA", "UBO"):
        fake.person(id)
    fake.person("UGUEST", is_restricted=True)
    fake.person(ME, is_bot=True)
    fake.channel("CALL", "UADA", "UBO")
    fake.channel("CEXT", "UADA", "UGUEST")
    fake.channel("DADA", "UADA", is_im=True, user="UADA")
    return fake


@pytest.fixture
async def directory(fake: FakeSlack) -> AsyncIterator[Directory]:
    directory = Directory(fake, TEAM, me=ME, patience=1.0)
    yield directory
    await directory.close()


async def test_a_channel_of_employees_reads_the_workspace_and_its_own(directory: Directory) -> None:
    reading = await of_question(directory, question("CALL", "UADA"))
    assert reading.audiences == ("channel:CALL", "everyone", f"thread:CALL-{TS}", "workspace")
    assert (reading.left_out, reading.channel_name, reading.shareable) == (None, "call", True)


async def test_a_guest_in_a_channel_leaves_its_own_documents_only_and_it_is_said(directory: Directory) -> None:
    reading = await of_question(directory, question("CEXT", "UADA"))
    assert reading.audiences == ("channel:CEXT", "everyone", f"thread:CEXT-{TS}")
    assert reading.left_out == "outsiders"
    assert reading.channel_documents_only


async def test_a_group_conversation_is_a_channel_of_its_members(fake: FakeSlack, directory: Directory) -> None:
    fake.channel("GM", "UADA", "UBO", private=True, is_mpim=True)
    fake.channel("GX", "UADA", "UGUEST", private=True, is_mpim=True)
    assert WORKSPACE in (await of_question(directory, question("GM", "UADA"))).viewer.audiences
    assert (await of_question(directory, question("GX", "UADA"))).left_out == "outsiders"


async def test_a_direct_message_reads_also_the_askers_own_and_their_channels(directory: Directory) -> None:
    reading = await of_question(directory, question("DADA", "UADA", How.DIRECT, kind="im"))
    assert set(reading.audiences) == {
        "workspace",
        "everyone",
        "user:UADA",
        "channel:CALL",
        "channel:CEXT",
        f"thread:DADA-{TS}",
    }


async def test_a_guests_direct_message_reads_their_channels_only(directory: Directory) -> None:
    reading = await of_question(directory, question("DG", "UGUEST", How.DIRECT, kind="im"))
    assert reading.audiences == ("channel:CEXT", "everyone", f"thread:DG-{TS}")


async def test_a_channel_that_was_left_is_not_read_in_direct_messages_from_that_moment(
    fake: FakeSlack, directory: Directory
) -> None:
    """No event came."""
    direct = question("DADA", "UADA", How.DIRECT, kind="im")
    assert "channel:CALL" in (await of_question(directory, direct)).audiences
    fake.inside["CALL"].discard("UADA")
    assert "channel:CALL" not in (await of_question(directory, direct)).audiences


async def test_an_event_from_another_organisation_is_believed(directory: Directory) -> None:
    asked = question("CALL", "UADA", user_team="T9")
    assert (await of_question(directory, asked)).left_out == "outsiders"
    direct = question("DADA", "UADA", How.DIRECT, kind="im", user_team="T9")
    assert not {"workspace", "user:UADA"} & set((await of_question(directory, direct)).audiences)


async def test_a_command_where_the_bot_is_not_reads_the_workspace_without_that_channel(
    fake: FakeSlack, directory: Directory
) -> None:
    fake.channel("CPUB", "UADA", "UBO", is_member=False)
    reading = await of_question(directory, question("CPUB", "UADA", How.COMMAND))
    assert reading.audiences == ("everyone", "workspace")
    assert reading.shareable


async def test_a_command_where_the_bot_can_see_nobody_is_for_the_askers_eyes(
    fake: FakeSlack, directory: Directory
) -> None:
    """A private channel without the bot, or a direct conversation between two people."""
    fake.channel("CPRIV", "UADA", "UGUEST", private=True, is_member=False)
    for channel in ("CPRIV", "DTWO"):
        reading = await of_question(directory, question(channel, "UADA", How.COMMAND))
        assert {"workspace", "user:UADA"} <= set(reading.audiences)
        assert f"channel:{channel}" not in reading.audiences
        assert not reading.shareable
        assert await of_place(directory, channel) == replace(NOTHING, left_out="cannot_check")


async def test_a_command_in_somebody_elses_direct_conversation_reads_nothing(directory: Directory) -> None:
    assert await of_question(directory, question("DADA", "UBO", How.COMMAND)) == NOTHING


async def test_a_command_in_the_askers_direct_conversation_reads_what_a_message_there_does(
    directory: Directory,
) -> None:
    by_command = await of_question(directory, question("DADA", "UADA", How.COMMAND))
    direct = await of_question(directory, question("DADA", "UADA", How.DIRECT, kind="im"))
    assert {*by_command.audiences, f"thread:DADA-{TS}"} == set(direct.audiences)
    assert by_command == await of_place(directory, "DADA")


async def test_what_is_answered_privately_is_what_the_asker_may_read_themself(directory: Directory) -> None:
    mine = await of_question(directory, question("CEXT", "UADA", How.COMMAND, private=True))
    thread = "thread:CEXT-1700000000.000100"  # whoever reads the channel reads the thread
    assert set(mine.audiences) == {"workspace", "everyone", "user:UADA", "channel:CALL", "channel:CEXT", thread}
    assert not mine.shareable
    theirs = await of_question(directory, question("CEXT", "UGUEST", How.COMMAND, private=True))
    assert theirs.audiences == ("channel:CEXT", "everyone", thread)


async def test_an_archived_channel_reads_nothing(fake: FakeSlack, directory: Directory) -> None:
    fake.channels["CALL"]["is_archived"] = True
    assert (await of_question(directory, question("CALL", "UADA"))).audiences == ()


async def test_who_joined_a_moment_ago_is_found(fake: FakeSlack, directory: Directory) -> None:
    """The members are known from before, and the event is still on its way."""
    await of_question(directory, question("CALL", "UADA"))
    fake.person("UNEW", is_restricted=True)
    fake.inside["CALL"].add("UNEW")
    reading = await of_question(directory, question("CALL", "UNEW"))
    assert reading.audiences == ("channel:CALL", "everyone", f"thread:CALL-{TS}")
    assert reading.left_out == "outsiders"


async def test_who_asks_from_outside_a_channel_is_not_given_its_documents(
    fake: FakeSlack, directory: Directory
) -> None:
    fake.person("UPASSER")
    reading = await of_question(directory, question("CALL", "UPASSER", How.COMMAND))
    assert reading.audiences == ("everyone", "workspace")


async def test_a_member_that_slack_does_not_know_may_be_an_outsider(fake: FakeSlack, directory: Directory) -> None:
    fake.inside["CALL"].add("W404")
    assert (await of_question(directory, question("CALL", "UADA"))).left_out == "outsiders"


async def test_a_channel_of_nobody_cannot_be_checked(fake: FakeSlack, directory: Directory) -> None:
    fake.broken["conversations.members"] = {"members": []}
    reading = await of_place(directory, "CALL")
    assert (reading.audiences, reading.left_out) == (("channel:CALL", "everyone"), "cannot_check")


async def test_deleted_people_and_own_apps_are_no_readers(fake: FakeSlack, directory: Directory) -> None:
    fake.person("UOLD", is_restricted=True, deleted=True)
    fake.person("UAPP", is_bot=True, is_restricted=None)
    fake.inside["CALL"] |= {"UOLD", "UAPP"}
    assert (await of_question(directory, question("CALL", "UADA"))).left_out is None


@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
async def test_where_readers_cannot_be_checked_the_channels_own_is_left_and_it_is_said(
    fake: FakeSlack, directory: Directory, method: str
) -> None:
    fake.failing[method] = "ratelimited"
    reading = await of_question(directory, question("CALL", "UADA"))
    assert reading.audiences == ("channel:CALL", "everyone", f"thread:CALL-{TS}")
    assert reading.left_out == "cannot_check"


async def test_where_a_persons_channels_cannot_be_checked_they_are_left_out_and_it_is_said(
    fake: FakeSlack, directory: Directory
) -> None:
    fake.failing["users.conversations"] = "ratelimited"
    reading = await of_question(directory, question("DADA", "UADA", How.DIRECT, kind="im"))
    assert set(reading.audiences) == {"workspace", "everyone", "user:UADA", f"thread:DADA-{TS}"}
    assert reading.left_out == "cannot_check"


async def test_a_cold_start_with_many_members_and_a_slow_slack_is_answered_in_time_and_rightly_later(
    fake: FakeSlack,
) -> None:
    fake.page = 100
    fake.limited["users.list"] = 0.1
    fake.channel("CBIG", *(fake.person(f"U{number}") for number in range(300)))
    directory = Directory(fake, TEAM, me=ME, patience=0.1)
    began = time.monotonic()
    early = await of_question(directory, question("CBIG", "U1"))
    assert time.monotonic() - began < 0.3
    assert early.left_out == "cannot_check"
    assert early.audiences == ("channel:CBIG", "everyone", f"thread:CBIG-{TS}")
    await asyncio.sleep(0.6)
    late = await of_question(directory, question("CBIG", "U1"))
    assert late.left_out is None
    assert "workspace" in late.audiences
    assert fake.count("users.info") == 0
    await directory.close()


async def test_who_clicks_is_shown_only_what_they_may_read_themself(directory: Directory) -> None:
    reading = await of_question(directory, question("CALL", "UADA"))
    given = answer("CALL", "UADA", reading)
    assert (await of_person(directory, "UBO", given)).audiences == reading.viewer.audiences
    assert (await of_person(directory, "UGUEST", given)).audiences == {EVERYONE}
    assert (await of_person(directory, "W404", given)).audiences == frozenset()


async def test_a_click_that_cannot_be_checked_shows_nothing_and_says_so(fake: FakeSlack, directory: Directory) -> None:
    given = answer("CALL", "UADA", await of_question(directory, question("CALL", "UADA")))
    fake.failing["users.conversations"] = "ratelimited"
    with pytest.raises(CannotCheck):
        await of_person(directory, "UBO", given)
    workspace_only = replace(given, audiences=("workspace",))
    assert (await of_person(directory, "UBO", workspace_only)).audiences == {WORKSPACE}


async def test_where_nobody_reads_along_people_read_what_is_theirs(directory: Directory) -> None:
    ada = await of_reader(directory, "UADA")
    assert set(ada.audiences) == {"workspace", "everyone", "user:UADA", "channel:CALL", "channel:CEXT"}
    assert (ada.left_out, ada.shareable) == (None, False)
    assert (await of_reader(directory, "UGUEST")).audiences == ("channel:CEXT", "everyone")
    assert (await of_reader(directory, "UADA", "T9")).audiences == ("channel:CALL", "channel:CEXT", "everyone")
    assert (await of_reader(directory, ME)).audiences == ()


async def test_slack_is_asked_for_a_reader_s_channels_only_where_a_document_is_a_channel_s(
    fake: FakeSlack, directory: Directory
) -> None:
    def asked() -> int:
        return sum(method == "users.conversations" for method, _ in fake.calls)

    reading = await of_reader(directory, "UADA", among={WORKSPACE, EVERYONE, Audience("user", "UADA")})
    assert (set(reading.audiences), asked()) == ({"workspace", "everyone", "user:UADA"}, 0)
    assert (await of_reader(directory, "UGUEST", among=[])).audiences == ("everyone",)
    for count in (1, 2):  # each time: they may have left
        before = asked()
        reading = await of_reader(directory, "UADA", among={WORKSPACE, Audience("channel", "CALL")})
        assert "channel:CALL" in reading.audiences
        assert asked() > before, count


async def test_what_a_reader_may_read_and_cannot_be_checked_is_left_out_and_it_is_said(
    fake: FakeSlack, directory: Directory
) -> None:
    fake.failing["users.conversations"] = "ratelimited"
    reading = await of_reader(directory, "UGUEST")
    assert (reading.audiences, reading.left_out) == (("everyone",), "cannot_check")
    fake.failing["users.info"] = "ratelimited"
    reading = await of_reader(directory, "UADA")
    assert (reading.audiences, reading.left_out) == ((), "cannot_check")


# -- on the local Slack ----------------------------------------------------------------------------------------------


async def test_in_a_real_company_each_place_reads_its_own(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    """Over real sockets, two to a page: #general has a guest, #shared is with another organisation."""
    slack.page_size = 2
    directory = Directory(slack_client, slack.team_id, me=slack.bot.id, patience=30)

    async def read_in(channel: Channel, person: Person, how: How = How.MENTION) -> tuple[set[str], str | None]:
        reading = await of_question(
            directory, Question(slack.team_id, channel.id, TS, TS, person.id, "?", how, kind=channel.kind)
        )
        assert f"thread:{channel.id}-{TS}" in reading.audiences
        assert "everyone" in reading.audiences
        return set(reading.audiences) - {"everyone", f"thread:{channel.id}-{TS}"}, reading.left_out

    office, general, finance, shared = (
        f"channel:{one.id}" for one in (company.office, company.general, company.finance, company.shared)
    )
    assert await read_in(company.office, company.ana) == ({office, "workspace"}, None)
    assert await read_in(company.finance, company.ben) == ({finance, "workspace"}, None)
    assert await read_in(company.general, company.ana) == ({general}, "outsiders")
    assert await read_in(company.shared, company.ana) == ({shared}, "outsiders")
    group = slack.group(company.ana, company.ben)
    assert await read_in(group, company.ana) == ({f"channel:{group.id}", "workspace"}, None)
    with_group = {office, general, finance, shared, f"channel:{group.id}"}
    ana, gus = slack.direct(company.ana), slack.direct(company.gus)
    assert await read_in(ana, company.ana, How.DIRECT) == ({*with_group, "workspace", f"user:{company.ana.id}"}, None)
    assert await read_in(gus, company.gus, How.DIRECT) == ({general}, None)
    await directory.close()


# -- any workspace ---------------------------------------------------------------------------------------------------

ROLES = ("employee", "colleague", "guest", "single_guest", "outsider", "stranger", "deleted", "app")
FLAGS: dict[str, dict[str, Any]] = {
    "employee": {},
    "colleague": {"team": "T2", "enterprise_user": {"enterprise_id": "E1", "teams": ["T2"]}},
    "guest": {"is_restricted": True},
    "single_guest": {"is_restricted": True, "is_ultra_restricted": True},
    "outsider": {"team": "T9"},
    "stranger": {"is_stranger": True},
    "deleted": {"deleted": True},
    "app": {"is_bot": True},
}
SHARES: dict[str, dict[str, Any]] = {
    "own": {},
    "organisation": {"is_shared": True, "is_org_shared": True, "shared_team_ids": [TEAM, "T2"]},
    "outside": {"is_shared": True, "is_ext_shared": True},
    "invited": {"is_pending_ext_shared": True},
}


@dataclass
class Place:
    """A conversation as it truly is."""

    members: set[str]
    private: bool
    group: bool
    share: str
    archived: bool
    with_bot: bool


@dataclass
class World:
    """A workspace as it truly is: who is what, and who is where. ``mirror`` is what Slack says of it."""

    roles: dict[str, str]
    places: dict[str, Place]
    mirror: FakeSlack = field(default_factory=FakeSlack)

    def __post_init__(self) -> None:
        self.mirror.person(ME, is_bot=True)
        for id in self.roles:
            self.tell_person(id)
        for id in self.places:
            self.tell_place(id)

    def tell_person(self, id: str) -> None:
        self.mirror.person(id, **FLAGS[self.roles[id]])

    def tell_place(self, id: str) -> None:
        place = self.places[id]
        told = {"is_archived": place.archived, "is_mpim": place.group, "is_member": place.with_bot}
        self.mirror.channel(id, *place.members, private=place.private, **SHARES[place.share], **told)

    # -- the oracle: who may truly read what -----------------------------------------------------------------------

    def works_here(self, user: str) -> bool:
        return self.roles[user] in ("employee", "colleague")

    def is_read_in(self, id: str) -> bool:
        return id in self.places and self.places[id].with_bot and not self.places[id].archived

    def may_read(self, user: str, audience: Audience) -> bool:
        """Whether this person may read documents of this audience, wherever they are shown."""
        match audience.kind:
            case "workspace":
                return self.works_here(user)
            case "everyone":
                return self.roles[user] not in ("app", "deleted")
            case "user":
                return user == audience.id and self.works_here(user)
            case "channel":
                return self.is_read_in(audience.id) and user in self.places[audience.id].members
            case _:
                channel = audience.id.split("-")[0]
                if channel.startswith("D"):
                    return channel == "D" + user
                return self.is_read_in(channel) and user in self.places[channel].members

    def readers(self, id: str) -> set[str]:
        """The people who read along in a conversation; apps and deleted people do not."""
        return {user for user in self.places[id].members if self.roles[user] not in ("app", "deleted")}

    def strangers_in(self, id: str) -> bool:
        """Whether somebody whom we cannot see may read along."""
        return self.places[id].share in ("outside", "invited")


PEOPLE = [f"U{number}" for number in range(6)]
CHANNELS = [f"C{number}" for number in range(4)]

places = st.builds(
    Place,
    members=st.sets(st.sampled_from(PEOPLE), min_size=1),
    private=st.booleans(),
    group=st.booleans(),
    share=st.sampled_from(["own", "own", "own", *SHARES]),
    archived=st.sampled_from([False, False, False, True]),
    with_bot=st.sampled_from([True, True, True, False]),
)
roles = st.sampled_from(["employee"] * 6 + list(ROLES))
worlds = st.builds(
    World,
    roles=st.fixed_dictionaries(dict.fromkeys(PEOPLE, roles)),
    places=st.fixed_dictionaries(dict.fromkeys(CHANNELS, places)),
)
METHODS = ["users.info", "users.list", "users.conversations", "conversations.info", "conversations.members"]
failures: st.SearchStrategy[list[str]] = st.one_of(st.just([]), st.lists(st.sampled_from(METHODS), max_size=3))
changes = st.lists(
    st.tuples(
        st.sampled_from(["join", "leave", "role", "share", "archive", "bot"]),
        st.sampled_from(PEOPLE),
        st.sampled_from(CHANNELS),
        roles,
        st.sampled_from(list(SHARES)),
    ),
    max_size=5,
)


def change(world: World, directory: Directory, what: tuple[str, str, str, str, str]) -> None:
    """Something changes, Slack knows it, and its event arrives."""
    kind, user, channel, role, share = what
    place = world.places[channel]
    match kind:
        case "join":
            place.members.add(user)
        case "leave" if len(place.members) > 1:
            place.members.discard(user)
        case "role":
            world.roles[user] = role
        case "share":
            place.share = share
        case "archive":
            place.archived = not place.archived
        case "bot":
            place.with_bot = not place.with_bot
    world.tell_person(user)
    world.tell_place(channel)
    if kind == "role":
        directory.forget_person(user)
    elif kind in ("join", "leave"):
        directory.forget_member(channel, user)
    elif kind == "bot":
        directory.forget_member(channel, ME)
    else:
        directory.forget_channel(channel)


def asked_in(world: World, user: str, where: str, how: How) -> Question | None:
    """A question as Slack lets this person ask it there; None where it does not."""
    if world.roles[user] in ("app", "deleted"):
        return None
    if where == "D":
        return question("D" + user, user, How.DIRECT, kind="im")
    place = world.places[where]
    if user not in place.members or (how is How.MENTION and not world.is_read_in(where)):
        return None
    return question(where, user, how)


def check_reading(world: World, asked: Question, reading: Reading, *, told: bool) -> None:
    """No reader of the answer is shown what they may not read; and nothing is held back where Slack told all."""
    audiences = reading.viewer.audiences
    seen_by = {asked.user} if asked.is_direct or not reading.shareable else world.readers(asked.channel)
    for reader in seen_by:
        for audience in audiences:
            assert world.may_read(reader, audience), f"{reader} is shown {audience}"
    if asked.is_direct or not reading.shareable:
        mine = [WORKSPACE, EVERYONE, Audience("user", asked.user), *(Audience("channel", id) for id in CHANNELS)]
        if asked.is_direct:
            mine.append(Audience("thread", f"{asked.channel}-{TS}"))
        expected = {audience for audience in mine if world.may_read(asked.user, audience)}
    else:
        if world.strangers_in(asked.channel):
            assert WORKSPACE not in audiences
        open_to_all = not world.strangers_in(asked.channel) and all(map(world.works_here, seen_by))
        expected = set() if world.places[asked.channel].archived else {EVERYONE}
        if open_to_all and expected:
            expected.add(WORKSPACE)
        if world.is_read_in(asked.channel):
            expected.add(Audience("channel", asked.channel))
            if asked.how is not How.COMMAND:  # which stands in no thread
                expected.add(Audience("thread", f"{asked.channel}-{TS}"))
    if told:
        assert audiences == expected
        assert reading.left_out != "cannot_check"
    elif not audiences >= expected:
        assert reading.left_out is not None


async def check_click(
    world: World, directory: Directory, user: str, asked: Question, reading: Reading, *, told: bool
) -> None:
    """Who clicks sees, of what the answer was made under, all that they may read themself, and nothing else."""
    try:
        viewer = await of_person(directory, user, answer(asked.channel, asked.user, reading))
    except CannotCheck:
        assert not told
        return
    assert viewer.audiences <= reading.viewer.audiences
    may = {a for a in reading.viewer.audiences if world.may_read(user, a) and world.roles[user] != "deleted"}
    if asked.is_direct and user != asked.user:
        may = {a for a in may if a.kind != "thread"}
    assert viewer.audiences <= may
    if told and world.roles[user] != "app":
        assert viewer.audiences == may


async def check_reader(world: World, directory: Directory, user: str, *, told: bool) -> None:
    """Whoever looks at a list sees all that they may read themself, and nothing else."""
    reading = await of_reader(directory, user)
    every = [
        WORKSPACE,
        EVERYONE,
        *(Audience("user", id) for id in PEOPLE),
        *(Audience("channel", id) for id in CHANNELS),
    ]
    may = {audience for audience in every if world.may_read(user, audience) and world.roles[user] != "deleted"}
    assert reading.viewer.audiences <= may
    if told and world.roles[user] != "app":
        assert reading.viewer.audiences == may
        assert reading.left_out is None
    elif reading.viewer.audiences != may and world.roles[user] != "app":
        assert reading.left_out == "cannot_check"
    for audience in every:
        alone = await of_reader(directory, user, among={audience})
        assert alone.viewer.audiences <= may
        if told:
            assert alone.viewer.may_read(audience) == reading.viewer.may_read(audience)


@settings(max_examples=500)
@given(
    world=worlds,
    user=st.sampled_from(PEOPLE),
    where=st.sampled_from([*CHANNELS, "D"]),
    how=st.sampled_from([How.MENTION, How.COMMAND]),
    fails=failures,
    happens=changes,
    clicks=st.sampled_from(PEOPLE),
    warm=st.booleans(),
)
def test_in_any_workspace_nobody_is_shown_what_they_may_not_read(
    world: World,
    user: str,
    where: str,
    how: How,
    fails: list[str],
    happens: list[tuple[str, str, str, str, str]],
    clicks: str,
    warm: bool,
) -> None:
    async def ask(directory: Directory, *, told: bool) -> None:
        await check_reader(world, directory, clicks, told=told)
        asked = asked_in(world, user, where, how)
        if asked is None:
            return
        reading = await of_question(directory, asked)
        check_reading(world, asked, reading, told=told)
        await check_click(world, directory, clicks, asked, reading, told=told)
        if not asked.is_direct:
            place = await of_place(directory, asked.channel, "" if asked.how is How.COMMAND else TS)
            assert place.shareable
            check_reading(world, asked, replace(place), told=False)

    async def live() -> None:
        directory = Directory(world.mirror, TEAM, enterprise="E1", me=ME)
        if warm:
            await directory.warm()
            await ask(directory, told=True)
        world.mirror.failing = dict.fromkeys(fails, "ratelimited")
        await ask(directory, told=not fails)
        for what in happens:
            change(world, directory, what)
            await ask(directory, told=not fails)
        await directory.close()

    asyncio.run(live())
