"""What the bot knows of people and channels is what Slack told, not older than it may be, and never guessed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackRequestError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.directory import CHANNEL_SECONDS, FEW, PEOPLE_SECONDS, CannotCheck, Directory, Gone
from bot.texts import ENGLISH, FRENCH
from tests.bot.slack.workspace import ME, TEAM, FakeSlack
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def fake() -> FakeSlack:
    fake = FakeSlack()
    for id, name in (("U1", "Ada"), ("U2", "Bo"), ("U3", "Cy")):
        fake.person(id, name=name)
    fake.person(ME, name="Situate", is_bot=True)
    fake.channel("C1", "U1", "U2")
    return fake


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def directory(fake: FakeSlack, clock: Clock) -> AsyncIterator[Directory]:
    directory = Directory(fake, TEAM, me=ME, now=clock, patience=1.0)
    yield directory
    await directory.close()


async def test_a_person_is_looked_up_once_an_hour(fake: FakeSlack, directory: Directory, clock: Clock) -> None:
    assert (await directory.person("U1")).name == "Ada"
    fake.person("U1", name="Ada L.")
    clock.seconds = PEOPLE_SECONDS - 1
    assert (await directory.person("U1")).name == "Ada"
    clock.seconds = PEOPLE_SECONDS + 1
    assert (await directory.person("U1")).name == "Ada L."
    assert fake.count("users.info") == 2


async def test_channels_and_members_are_looked_up_again_after_five_minutes(
    fake: FakeSlack, directory: Directory, clock: Clock
) -> None:
    assert await directory.members("C1") == {"U1", "U2", ME}
    assert not (await directory.channel("C1")).is_archived
    fake.inside["C1"].add("U3")
    fake.channels["C1"]["is_archived"] = True
    assert await directory.members("C1") == {"U1", "U2", ME}
    clock.seconds = CHANNEL_SECONDS + 1
    assert await directory.members("C1") == {"U1", "U2", "U3", ME}
    assert (await directory.channel("C1")).is_archived


async def test_what_changed_is_looked_up_afresh(fake: FakeSlack, directory: Directory) -> None:
    await directory.person("U1")
    await directory.channel("C1")
    await directory.members("C1")
    fake.person("U1", is_restricted=True)
    fake.channels["C1"]["is_ext_shared"] = True
    fake.inside["C1"].add("U3")
    directory.forget_person("U1")
    directory.forget_member("C1", "U3")
    assert (await directory.person("U1")).is_guest
    assert "U3" in await directory.members("C1")
    assert not (await directory.channel("C1")).is_shared_outside
    directory.forget_channel("C1")
    assert (await directory.channel("C1")).is_shared_outside


async def test_many_who_ask_at_once_make_one_lookup(fake: FakeSlack, directory: Directory) -> None:
    await asyncio.gather(*(directory.person("U1") for _ in range(20)), *(directory.members("C1") for _ in range(20)))
    assert fake.count("users.info") == 1
    assert fake.count("conversations.members") == 1


async def test_what_changes_while_it_is_looked_up_is_not_kept(fake: FakeSlack, directory: Directory) -> None:
    """The event came between Slack's reading and our keeping; the late answer does not push out the newer one."""
    fake.limited["users.info"] = 0.05
    early = asyncio.create_task(directory.person("U1"))
    await asyncio.sleep(0.01)
    fake.person("U1", name="Ada L.")
    directory.forget_person("U1")
    fake.limited.clear()
    assert (await directory.person("U1")).name == "Ada L."
    assert (await early).name == "Ada"
    assert (await directory.person("U1")).name == "Ada L."
    assert fake.count("users.info") == 2


async def test_members_are_read_to_the_last_page(fake: FakeSlack, directory: Directory) -> None:
    fake.channel("C2", *(f"U{number}" for number in range(2_500)))
    assert len(await directory.members("C2")) == 2_501
    assert [given["limit"] for name, given in fake.calls if name == "conversations.members"] == [999] * 3


async def test_pages_without_an_end_are_not_read_for_ever(fake: FakeSlack, directory: Directory) -> None:
    fake.broken["conversations.members"] = {"members": ["U1"], "response_metadata": {"next_cursor": "same"}}
    with pytest.raises(CannotCheck):
        await directory.members("C1")


async def test_after_warming_a_large_channel_needs_no_single_lookup(fake: FakeSlack, directory: Directory) -> None:
    fake.page = 100
    ids = {fake.person(f"U{number}") for number in range(300)}
    await directory.warm()
    people = await directory.people(ids)
    assert people.keys() == ids
    assert fake.count("users.list") == 4
    assert fake.count("users.info") == 0


async def test_many_unknown_people_are_listed_instead_of_asked_for_one_by_one(
    fake: FakeSlack, directory: Directory
) -> None:
    ids = {fake.person(f"U{number}") for number in range(FEW + 1)} | {fake.person("U77", team="T2")}
    people = await directory.people(ids)
    assert people.keys() == ids
    assert people["U77"].is_outsider
    assert fake.count("users.list") == 1
    assert fake.count("users.info") == 1


async def test_too_many_people_that_no_list_names_are_not_asked_for_one_by_one(
    fake: FakeSlack, directory: Directory
) -> None:
    strangers = {fake.person(f"U{number}", team="T2") for number in range(200)}
    with pytest.raises(CannotCheck):
        await directory.people(strangers)
    assert fake.count("users.info") == 0


async def test_who_changed_while_everybody_was_listed_is_not_taken_from_the_list(
    fake: FakeSlack, directory: Directory
) -> None:
    fake.limited["users.list"] = 0.03
    warming = asyncio.create_task(directory.warm())
    await asyncio.sleep(0.01)
    directory.forget_person("U1")
    await warming
    assert set(directory.known(["U1", "U2"])) == {"U2"}


async def test_a_person_waits_no_longer_than_patience_and_the_lookup_goes_on(fake: FakeSlack) -> None:
    """Slack says Retry-After: 30 (here less); the SDK's handler waits it out, the person does not."""
    fake.limited["conversations.members"] = 0.3
    directory = Directory(fake, TEAM, me=ME, patience=0.05)
    began = time.monotonic()
    with pytest.raises(CannotCheck):
        await directory.members("C1")
    assert time.monotonic() - began < 0.25
    await asyncio.sleep(0.35)
    assert "U1" in await directory.members("C1")
    assert fake.count("conversations.members") == 1
    await directory.close()


async def test_closing_ends_lookups_that_are_under_way(fake: FakeSlack) -> None:
    fake.limited["conversations.members"] = 60.0
    directory = Directory(fake, TEAM, patience=0.01)
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
    fake: FakeSlack, directory: Directory, failure: str | Exception
) -> None:
    for method in ("users.info", "conversations.info", "conversations.members", "users.conversations", "users.list"):
        fake.failing[method] = failure
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
    fake.failing.clear()
    assert (await directory.person("U1")).name == "Ada"


@pytest.mark.parametrize("told", [{"user": None}, {"member": []}, {"members": "U1"}])
async def test_an_answer_without_what_was_asked_for_is_no_answer(
    fake: FakeSlack, directory: Directory, told: dict[str, Any]
) -> None:
    for method in ("users.info", "conversations.members"):
        fake.broken[method] = told
    with pytest.raises(CannotCheck):
        await directory.person("U1")
    with pytest.raises(CannotCheck):
        await directory.members("C1")


async def test_what_slack_does_not_show_is_gone(fake: FakeSlack, directory: Directory) -> None:
    fake.channel("C9", "U1", private=True, is_member=False)
    for lookup in (directory.channel("C9"), directory.members("C9"), directory.channel("C404")):
        with pytest.raises(Gone):
            await lookup
    with pytest.raises(Gone):
        await directory.person("U404")
    assert (await directory.people(["U1", "U404"])).keys() == {"U1"}


async def test_channels_of_a_person_are_those_that_the_bot_is_in_too(fake: FakeSlack, directory: Directory) -> None:
    fake.channel("C2", "U1", is_member=False)
    fake.channel("C3", "U1", private=True)
    fake.channel("C4", "U1", is_archived=True)
    fake.channel("C5", "U2")
    fake.channel("G6", "U1", private=True, is_mpim=True)
    assert await directory.channels_of("U1") == {"C1", "C3", "G6"}


async def test_channels_of_a_person_are_asked_for_each_time(fake: FakeSlack, directory: Directory) -> None:
    assert await directory.channels_of("U1") == {"C1"}
    fake.inside["C1"].discard("U1")
    assert await directory.channels_of("U1") == frozenset()
    asked = [given.get("user", ME) for name, given in fake.calls if name == "users.conversations"]
    assert asked.count("U1") == 2
    assert asked.count(ME) == 1


async def test_a_channel_that_the_bot_left_is_nobodys(fake: FakeSlack, directory: Directory) -> None:
    assert await directory.channels_of("U1") == {"C1"}
    fake.inside["C1"].discard(ME)
    directory.forget_member("C1", ME)
    assert await directory.channels_of("U1") == frozenset()
    assert not (await directory.channel("C1")).is_member


def test_that_nothing_can_be_checked_is_said_in_the_persons_language() -> None:
    assert ENGLISH.of_error(CannotCheck("ratelimited")) == ENGLISH.say("cannot_check")
    assert FRENCH.of_error(Gone("channel_not_found")) == FRENCH.say("cannot_check")


# -- on the local Slack ----------------------------------------------------------------------------------------------


async def test_people_and_channels_are_read_from_slack(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.page_size = 2
    directory = Directory(slack_client, slack.team_id, me=slack.bot.id, patience=30)
    everybody = {company.ana.id, company.ben.id, company.gus.id, slack.bot.id}
    assert await directory.members(company.general.id) == everybody
    await directory.warm()
    people = await directory.people(everybody)
    assert {person.name for person in people.values() if person.is_employee} == {"Ana", "Ben"}
    assert people[company.ben.id].locale == "fr-FR"
    assert people[company.gus.id].is_guest
    assert people[slack.bot.id].is_bot
    assert (await directory.person(company.olga.id)).is_outsider
    assert not slack.called("users.info")
    finance, shared = await directory.channel(company.finance.id), await directory.channel(company.shared.id)
    assert (finance.name, finance.kind, finance.is_shared_outside) == ("finance", "group", False)
    assert shared.is_shared_outside
    mine = await directory.channels_of(company.ana.id)
    assert mine == {one.id for one in (company.office, company.general, company.finance, company.shared)}
    await directory.close()


async def test_a_person_does_not_wait_out_what_slack_tells_the_sdk_to_wait(
    slack: SlackServer, company: Company
) -> None:
    """429 with Retry-After: 1; the SDK's handler is patient, the person need not be, and later it is known."""
    handlers: list[AsyncRetryHandler] = [AsyncRateLimitErrorRetryHandler(max_retry_count=2)]
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=handlers)
    slack.fail("conversations.members", ratelimited=1.0)
    directory = Directory(client, slack.team_id, patience=0.2)
    began = time.monotonic()
    with pytest.raises(CannotCheck):
        await directory.members(company.office.id)
    assert time.monotonic() - began < 0.9
    for _ in range(100):
        with suppress(CannotCheck):
            assert company.ana.id in await directory.members(company.office.id)
            break
    assert len(slack.called("conversations.members")) == 2
    await directory.close()
