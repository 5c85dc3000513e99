"""The bot comes up in a large workspace and Slack lets it look up little: the right answer, or that it cannot check."""

from __future__ import annotations

from contextlib import suppress

import pytest

from bot.slack import directory
from bot.slack.app import SlackBot
from bot.slack.directory import CannotCheck
from bot.texts import ENGLISH
from indexer import Audience, Indexer
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks
from tests.fixtures.bot import StartBot, own_library
from tests.slack_server import Channel, Person, SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it

MEMBERS = 300
LOOKUPS = ("users.list", "users.info", "users.conversations", "conversations.members", "conversations.info")
NOTHING = [ENGLISH.say(key) for key in ("no_documents", "none_for_all", "docs_none", "no_passage")]
CANNOT = ENGLISH.say("cannot_check")


@pytest.fixture
def crowd(slack: SlackServer, monkeypatch: pytest.MonkeyPatch) -> list[Person]:
    """Three hundred employees; nobody waits longer than a quarter of a second for a lookup."""
    Clocks(monkeypatch)
    monkeypatch.setattr(directory.Directory.__init__, "__kwdefaults__", _impatient())
    slack.page_size = 100
    return [slack.person(f"Person {number}") for number in range(MEMBERS)]


def _impatient() -> dict[str, object]:
    return {**(directory.Directory.__init__.__kwdefaults__ or {}), "patience": 0.25}


@pytest.fixture
def hall(slack: SlackServer, crowd: list[Person]) -> Channel:
    return slack.channel("hall", members=crowd)


def limit(slack: SlackServer, *methods: str) -> None:
    for method in methods or LOOKUPS:
        slack.fail(method, ratelimited=1, times=None)


def is_honest(told: str) -> bool:
    """It is answered, or said that it cannot be checked; and not that there is nothing."""
    return (QUOTE in told or CANNOT in told) and not any(nothing in told for nothing in NOTHING)


@pytest.mark.parametrize("method", ["all", *LOOKUPS])
async def test_in_a_channel_of_hundreds_it_is_answered_rightly_or_said_that_it_cannot_be_checked(
    slack: SlackServer, crowd: list[Person], hall: Channel, another_bot: StartBot, method: str
) -> None:
    limit(slack, *(() if method == "all" else (method,)))
    async with another_bot() as bot:
        people = Slack(slack, bot)
        answer = await people.asks(crowd[0], hall, QUESTION)
        assert is_honest(answer.shown)
        slack.recover()
        await _known(bot, hall)
        later = await people.asks(crowd[0], hall, QUESTION)
        assert QUOTE in later.shown
        assert CANNOT not in later.shown


async def _known(bot: SlackBot, hall: Channel) -> None:
    """Slack tells again: what waited for it goes on, and everybody is listed."""
    looked = bot.parts.directory
    looked.patience = 20.0
    for _ in range(3):
        with suppress(CannotCheck):  # a lookup that was refused too often before
            await looked.people(await looked.members(hall.id))
            return


@pytest.mark.parametrize("method", ["all", "users.info", "users.conversations"])
async def test_in_private_and_in_lists_it_is_never_said_that_there_is_nothing(
    slack: SlackServer, crowd: list[Person], hall: Channel, another_bot: StartBot, library: Indexer, method: str
) -> None:
    ana, direct = crowd[0], slack.direct(crowd[0])
    limit(slack, *(() if method == "all" else (method,)))
    secret = "# Stairs\n\nThe stairs of the hall are painted in mauve.\n"
    async with (
        document(library, slack.team_id, secret, name="stairs.md", audience=Audience("channel", hall.id)),
        another_bot() as bot,
    ):
        people = Slack(slack, bot)
        assert is_honest((await people.asks(ana, direct, QUESTION)).shown)
        for channel in (direct, hall):
            (asked,) = await people.commands(ana, channel, QUESTION)
            assert is_honest(asked.shown)
        for words in ("list", "list stairs", "search root cause of the incident", "status"):
            await slack.commands(ana, direct, "/docs", words).arrives()
            await people.idle()
            told = people.told(ana)
            assert told
            assert not any(nothing in told for nothing in NOTHING)
            assert (
                CANNOT in told
                or ENGLISH.say("docs_unsure") in told
                or any(right in told for right in ("Stairs", "Review", "3 documents"))
            )
        await slack.opens_home_tab(ana).arrives()
        await people.idle()
        home = slack.home_of(ana)
        assert home is not None
        assert not any(nothing in home.shown for nothing in NOTHING)


async def test_an_outsider_among_hundreds_is_found_or_it_cannot_be_checked(
    slack: SlackServer, crowd: list[Person], hall: Channel, another_bot: StartBot
) -> None:
    """Whatever Slack tells when: what guests may not read is not there."""
    guest = slack.person("Gus", guest="multi")
    hall.members.add(guest.id)
    for methods in ((), ("users.list",), ("users.info",), ("conversations.members",)):
        slack.recover()
        limit(slack, *methods)
        async with another_bot() as bot:
            people = Slack(slack, bot)
            answer = await people.asks(crowd[0], hall, QUESTION)
            assert QUOTE not in answer.shown
            assert "Annual" not in answer.shown
    slack.recover()
