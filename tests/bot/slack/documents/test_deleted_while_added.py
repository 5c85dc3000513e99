"""What is deleted in Slack while it is being added is not found in the end, and its adder is told of it once."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.adding import Item, Request, What
from bot.slack.app import SlackBot
from bot.slack.fetching import Files
from indexer import Indexer
from indexer.store import Store
from tests.bot.slack.clicked import Slack
from tests.bot.slack.documents.test_adding import BUDGET, AddingByRequest
from tests.bot.slack.documents.test_adding_whatever_fails import READY, told
from tests.bot.slack.whole import Clocks
from tests.fixtures.bot import StartBot
from tests.fixtures.indexer import EVERYBODY
from tests.fixtures.slack import Company
from tests.slack_server import Delivery, SlackServer

pytestmark = pytest.mark.anyio

FORGOTTEN = "I have forgotten"
NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    Clocks(monkeypatch)


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


class Gate:
    """A step of adding that waits, once somebody has come to it, until it is opened."""

    def __init__(self, patch: pytest.MonkeyPatch, step: str) -> None:
        self.reached = asyncio.Event()
        self._opened = asyncio.Event()
        where, name, after = STEPS[step]
        self.waits_for_the_worker = where is Store
        works = getattr(where, name)

        async def waits(*args: Any, **values: Any) -> Any:
            result = await works(*args, **values) if after else None
            self.reached.set()
            await self._opened.wait()
            return result if after else await works(*args, **values)

        patch.setattr(where, name, waits)

    def open(self) -> None:
        self._opened.set()


# Of each step what waits, and whether it has been done by then.
STEPS: dict[str, tuple[type, str, bool]] = {
    "fetched": (Files, "fetched", True),
    "looked at": (Indexer, "examine", True),
    "put on the queue": (Indexer, "add", True),
    "about to be stored": (Store, "put", False),
    "stored": (Store, "put", True),
}


@pytest.fixture(params=list(STEPS))
def gate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Gate:
    return Gate(monkeypatch, request.param)


async def begins(people: AddingByRequest, company: Company, item: Item) -> None:
    """Ana adds something; nobody waits for it."""
    slack = people.slack
    office = company.office.id
    request = Request(f"deleted{next(NUMBERS)}", slack.team_id, company.ana.id, (item,), "workspace", channel=office)
    assert await people.bot.adding.take(request)
    people.bot.adding.begin(request)


async def rows(library: Indexer) -> list[str]:
    """What the catalogue knows of it, whatever became of it."""
    return [row.title for row in await library.attempts(SlackServer.team_id) if row.source.startswith("slack:")]


async def nothing_is_left(people: AddingByRequest, company: Company, gate: Gate) -> None:
    """Neither in the catalogue nor in the index; and that is told once."""
    await people.idle()
    library, slack = people.bot.parts.library, people.slack
    assert await people.added() == []
    async with asyncio.timeout(10):
        while await rows(library):  # noqa: ASYNC110 the worker lets go of it some time after
            await asyncio.sleep(0.05)
    hits = await library.search(slack.team_id, "The Lisbon office gets 90,000 euros for its move", EVERYBODY)
    assert not any("90,000" in hit.chunk.text for hit in hits)
    moving, *others = told(slack, company.ana)
    if gate.waits_for_the_worker:  # it had been added: that it goes is told as of any document
        assert "is no longer in the documents." in moving.shown
        assert [FORGOTTEN in one.shown for one in others] == [True]
    else:
        assert any(words in moving.shown for words in ("is no longer in Slack", "is not there any more"))
        assert others == []


async def test_a_file(people: AddingByRequest, company: Company, slack: SlackServer, gate: Gate) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    file.submitted = True
    await begins(people, company, Item(What.FILE, file.id, file.name))
    await gate.reached.wait()
    await slack.deletes_file(file).arrives()
    gate.open()
    await nothing_is_left(people, company, gate)


@pytest.mark.parametrize("gate", ["looked at", "put on the queue", "stored"], indirect=True)
async def test_a_reply_of_a_thread(people: AddingByRequest, company: Company, slack: SlackServer, gate: Gate) -> None:
    root = slack.says(company.ben, company.office, "What does Lisbon get?")
    reply = slack.says(company.ben, company.office, BUDGET.decode(), thread=root)
    await begins(people, company, Item(What.THREAD, f"{company.office.id}:{root}", "Budget"))
    await gate.reached.wait()
    await slack.deletes(company.ben, company.office, reply).arrives()
    gate.open()
    await nothing_is_left(people, company, gate)


# -- told once ---------------------------------------------------------------------------------------------------------


@pytest.fixture
async def two(another_bot: StartBot, slack: SlackServer) -> AsyncIterator[tuple[AddingByRequest, Slack]]:
    """Two bots on one library; Slack gives its events to each in turn."""
    async with another_bot() as one, another_bot() as other:
        await slack.ready(2)
        yield AddingByRequest(slack, one), Slack(slack, other)


async def test_a_message_whose_deletion_two_bots_hear_is_told_of_once(
    two: tuple[AddingByRequest, Slack], company: Company, slack: SlackServer
) -> None:
    people, others = two
    ts = slack.says(company.ana, company.office, BUDGET.decode())
    message = await people.asks_for(company.ana, Item(What.MESSAGE, f"{company.office.id}:{ts}", "Budget"))
    assert READY in message.shown
    await is_heard_by_both(slack, lambda: slack.deletes(company.ana, company.office, ts))
    await asyncio.gather(people.idle(), others.idle())
    assert await people.added() == []
    assert sum(FORGOTTEN in one.shown for one in told(slack, company.ana)) == 1


async def test_a_file_whose_deletion_two_bots_hear_is_told_of_once(
    two: tuple[AddingByRequest, Slack], company: Company, slack: SlackServer
) -> None:
    people, others = two
    file = slack.file("budget.md", BUDGET, by=company.ana)
    assert READY in (await people.adds(company.ana, file)).shown
    await is_heard_by_both(slack, lambda: slack.deletes_file(file))
    await asyncio.gather(people.idle(), others.idle())
    assert await people.added() == []
    assert sum(FORGOTTEN in one.shown for one in told(slack, company.ana)) == 1


async def is_heard_by_both(slack: SlackServer, happens: Callable[[], Delivery]) -> None:
    """An event, delivered four times at once."""
    event = happens()
    for delivery in (event, *(slack.deliver_again(event) for _ in range(3))):
        await delivery.arrives()
