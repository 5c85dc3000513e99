"""The same thing added twice at the same moment: one document, or a clear question; and whoever adds it is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.slack.app import SlackBot
from indexer.store import Store
from tests.bot.slack.documents.test_adding import BUDGET, AddingByRequest
from tests.bot.slack.documents.test_adding_whatever_fails import READY, request_of, told
from tests.bot.slack.whole import Clocks
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import File, Message, Person, SlackServer

pytestmark = pytest.mark.anyio

THERE = "There is already a document"


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    Clocks(monkeypatch)


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


async def add_at_once(people: list[AddingByRequest], name: str, *added: tuple[Person, File]) -> None:
    """Each adds a file, all at the same moment, at the bots in turn."""
    slack = people[0].slack
    desks = [people[number % len(people)].bot.adding for number in range(len(added))]
    requests = [request_of(slack, person, file, id=f"{name}{number}") for number, (person, file) in enumerate(added)]
    assert all(await asyncio.gather(*(desk.take(one) for desk, one in zip(desks, requests, strict=True))))
    for desk, request in zip(desks, requests, strict=True):
        desk.begin(request)
    await asyncio.gather(*(one.idle() for one in people))


async def test_one_file_by_one_person_is_one_document(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await add_at_once([people], "same", (company.ana, file), (company.ana, file))
    assert [READY in message.shown for message in told(slack, company.ana)] == [True, True]
    assert len(await people.added()) == 1


async def test_one_file_by_two_people_is_one_document(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    slack.says(company.ana, company.office, "Have a look", files=[file])
    await add_at_once([people], "shared", (company.ana, file), (company.ben, file))
    (ana,), (ben,) = told(slack, company.ana), told(slack, company.ben)
    assert (end_of(ana), end_of(ben)) == ("ready", "ready")
    assert len(await people.added()) == 1


async def test_a_file_uploaded_twice_by_one_person_asks_once(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """Slack takes it for two files."""
    files = [slack.file("budget.md", BUDGET, by=company.ana) for _ in range(2)]
    await add_at_once([people], "twice", *((company.ana, file) for file in files))
    assert sorted(end_of(message) for message in told(slack, company.ana)) == ["asks", "ready"]
    assert len(await people.added()) == 1
    (asks,) = [message for message in told(slack, company.ana) if THERE in message.shown]
    await people.decides(asks, company.ana, "cancel_adding")
    assert len(await people.added()) == 1


async def test_a_file_uploaded_by_two_people_asks_one_of_them(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    ana, ben = (slack.file("budget.md", BUDGET, by=person) for person in (company.ana, company.ben))
    await add_at_once([people], "each", (company.ana, ana), (company.ben, ben))
    (hers,), (his,) = told(slack, company.ana), told(slack, company.ben)
    assert sorted((end_of(hers), end_of(his))) == ["asks", "ready"]
    assert len(await people.added()) == 1


async def test_one_file_added_at_two_bots_is_one_document(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    slack.says(company.ana, company.office, "Have a look", files=[file])
    async with another_bot() as one, another_bot() as other:
        bots = [AddingByRequest(slack, one), AddingByRequest(slack, other)]
        await add_at_once(bots, "bots", (company.ana, file), (company.ben, file))
        assert len(await bots[0].added()) == 1
    (hers,), (his,) = told(slack, company.ana), told(slack, company.ben)
    assert (end_of(hers), end_of(his)) == ("ready", "ready")


async def test_a_twin_that_is_still_on_its_way_is_replaced_too(
    people: AddingByRequest, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one takes longer than the second, which was to replace it."""
    put, held, goes_on = Store.put, asyncio.Event(), asyncio.Event()

    async def waits(*args: Any, **values: Any) -> None:
        if not held.is_set():
            held.set()
            await goes_on.wait()
        await put(*args, **values)

    monkeypatch.setattr(Store, "put", waits)
    old, new = (slack.file("budget.md", BUDGET + more, by=company.ana) for more in (b"", b"By June.\n"))
    for number, file in enumerate((old, new)):
        request = request_of(slack, company.ana, file, id=f"replaced{number}")
        assert await people.bot.adding.take(request)
        people.bot.adding.begin(request)
        await held.wait()
    await slack.until(lambda: any(THERE in message.shown for message in told(slack, company.ana)), what="a question")
    first, second = told(slack, company.ana)
    await slack.clicks(company.ana, slack.direct(company.ana), second.ts, "replace_twin").arrives()
    await slack.until(lambda: READY in told(slack, company.ana)[1].shown, what="the second one's end")
    goes_on.set()
    await people.idle()
    assert [one.source for one in await people.added()] == [f"slack:file:{new.id}"]
    first, second = told(slack, company.ana)
    assert "is no longer in the documents" in first.shown
    assert READY in second.shown


def end_of(message: Message) -> str:
    """How a message ended, in whatever language."""
    ends = {"try_it": "ready", "keep_both": "asks"}
    return next((end for action, end in ends.items() if action in message.actions), message.shown)
