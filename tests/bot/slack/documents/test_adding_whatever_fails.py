"""Adding while things fail: Slack, a process, or many people at once. One message, one document, nothing half there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.adding import Item, Request, What
from bot.slack.app import SlackBot
from indexer import Examined, Indexer
from tests.bot.slack.documents.test_adding import BUDGET, OTHER, AddingByRequest
from tests.bot.slack.whole import Clocks
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import pdf
from tests.slack_server import File, Message, Person, SlackServer

pytestmark = pytest.mark.anyio

READY = "Ready. Ask me about"


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    Clocks(monkeypatch)


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


def request_of(slack: SlackServer, person: Person, *files: File, id: str = "one", **more: str) -> Request:
    """What a form with these files makes."""
    for file in files:
        file.submitted = True
    items = tuple(Item(What.FILE, file.id, file.name) for file in files)
    return Request(id, slack.team_id, person.id, items, "workspace", channel=slack.direct(person).id, **more)


def told(slack: SlackServer, person: Person) -> list[Message]:
    """What stands in a person's direct conversation."""
    return [one for one in slack.direct(person).messages.values() if not one.deleted]


async def test_long_files_of_many_people_are_acknowledged_at_once_and_ready_in_the_end(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """Two hundred pages, and every worker busy with others: what somebody else asks meanwhile is heard at once."""
    long = pdf(*(f"Chapter {page}\nOn page {page} the canteen opens at {page % 12} and closes." for page in range(200)))
    for number, person in enumerate((company.ana, company.ben)):
        for count in range(2):
            name = f"long {number}-{count}.pdf"
            file = slack.file(name, long, by=person)
            request = request_of(slack, person, file, id=f"long{number}{count}")
            assert await people.bot.adding.take(request)
            people.bot.adding.begin(request)
    await slack.commands(company.ana, company.office, "/docs", "add").arrives()
    await slack.commands(company.ben, company.office, "/docs", "status").arrives()
    await people.idle()
    assert slack.slowest_ack < slack.ack_seconds
    states = [item.state for n in ("00", "01", "10", "11") for item in await people.bot.adding.progress(f"long{n}")]
    assert set(states) <= {"ready", "asks_twin"}, "all of them say the same, so some are asked about"
    assert "ready" in states
    assert any(
        "Indexing" in shown or "J'indexe" in shown for one in told(slack, company.ana) for _, shown in one.history
    )


async def test_twenty_requests_at_once_are_twenty_messages_and_documents(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    requests = []
    for number in range(20):
        text = f"# Rule {number}\n\n" + " ".join(f"Word{number}x{count} counts." for count in range(30))
        file = slack.file(f"rule-{number}.md", text.encode(), by=company.ana)
        requests.append(request_of(slack, company.ana, file, id=f"many{number}"))
    assert all(await asyncio.gather(*(people.bot.adding.take(one) for one in requests)))
    for one in requests:
        people.bot.adding.begin(one)
    await people.idle()
    messages = told(slack, company.ana)
    assert [READY in one.shown for one in messages] == [True] * 20
    assert len(await people.added()) == 20


async def test_an_answer_that_is_lost_posts_no_second_message(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    slack.fail("chat.postMessage", drop="after")
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert READY in message.shown
    assert len(told(slack, company.ana)) == 1


@pytest.mark.parametrize("fault", [{"status": 500}, {"ratelimited": 0.1}, {"error": "internal_error"}])
async def test_updates_that_fail_leave_the_right_end(
    people: AddingByRequest, company: Company, slack: SlackServer, fault: dict[str, object]
) -> None:
    slack.expect_violations("ratelimited|rate")
    slack.fail("chat.update", times=2, **fault)  # type: ignore[arg-type]  # each a keyword of its own type
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert READY in message.shown


async def test_where_no_conversation_can_be_opened_the_end_is_told_where_it_was_asked_for(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    slack.fail("conversations.open", error="missing_scope", times=None)
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await slack.commands(company.ana, company.office, "/docs", "add").arrives()
    await people.form(company.ana, without="One moment")
    await slack.submits(company.ana, {"adding_files": [file], "adding_audience": "workspace"}).arrives()
    await people.idle()
    assert any(READY in one.shown for one in slack.ephemerals(company.ana))
    assert len(await people.added()) == 1


async def test_what_a_process_leaves_half_done_the_next_one_finishes_in_the_same_message(
    another_bot: StartBot, company: Company, slack: SlackServer, library: Indexer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    request = request_of(slack, company.ana, file)
    async with another_bot() as first:
        assert await first.adding.take(request)
        first.adding.begin(request)
        await slack.until(lambda: bool(told(slack, company.ana)), what="the message")
    async with another_bot() as second:
        people = AddingByRequest(slack, second)
        await people.idle()
        (message,) = told(slack, company.ana)
        assert READY in message.shown
        assert len(await people.added()) == 1


async def test_a_question_is_answered_in_another_process_than_it_was_asked_in(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    async with another_bot() as first:
        people = AddingByRequest(slack, first)
        await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
        message = await people.adds(company.ana, slack.file("budget.md", OTHER, by=company.ana))
        assert "There is already a document" in message.shown
    async with another_bot() as second:
        people = AddingByRequest(slack, second)
        message = await people.decides(message, company.ana, "replace_twin")
        assert READY in message.shown
        assert len(await people.added()) == 1
        assert len(told(slack, company.ana)) == 2


async def test_buttons_pressed_twice_do_it_once(people: AddingByRequest, company: Company, slack: SlackServer) -> None:
    await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    message = await people.adds(company.ana, slack.file("budget.md", OTHER, by=company.ana))
    direct = slack.direct(company.ana)
    clicks = [slack.clicks(company.ana, direct, message.ts, "keep_both") for _ in range(3)]
    for click in clicks:
        await click.arrives()
    await people.idle()
    assert len(await people.added()) == 2
    clicks = [slack.clicks(company.ana, direct, message.ts, "remove_added") for _ in range(2)]
    for click in clicks:
        await click.arrives()
    await people.idle()
    assert len(await people.added()) == 1
    assert "no longer in the documents" in direct.messages[message.ts].shown


async def test_a_deletion_that_is_told_twice_is_said_once(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await people.adds(company.ana, file)
    for _ in range(2):
        await slack.raw_event({"type": "file_deleted", "file_id": file.id}).arrives()
    await people.idle()
    assert await people.added() == []
    await slack.until(lambda: any("I have forgotten" in one.shown for one in told(slack, company.ana)))
    await people.idle()
    assert sum("I have forgotten" in one.shown for one in told(slack, company.ana)) == 1


async def test_what_is_deleted_before_it_is_read_is_refused_and_not_kept(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    request = request_of(slack, company.ana, file, id="gone")
    assert await people.bot.adding.take(request)
    await slack.deletes_file(file).arrives()
    people.bot.adding.begin(request)
    await people.idle()
    (message,) = told(slack, company.ana)
    assert READY not in message.shown
    assert await people.added() == []


async def test_what_is_deleted_while_it_is_looked_at_is_not_kept(
    people: AddingByRequest, company: Company, slack: SlackServer, library: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event comes when nobody knows yet what the document is made of."""
    ts = slack.says(company.ana, company.office, "The canteen closes at three on Fridays.")
    file = slack.file("budget.md", BUDGET, by=company.ana)
    examine = library.examine

    async def slowly(*args: Any, **options: Any) -> Examined:
        examined = await examine(*args, **options)
        if not file.deleted:
            await slack.deletes_file(file).arrives()
            await slack.deletes(company.ana, company.office, ts).arrives()
        return examined

    monkeypatch.setattr(library, "examine", slowly)
    for message in (
        await people.adds(company.ana, file),
        await people.asks_for(company.ana, Item(What.MESSAGE, f"{company.office.id}:{ts}", "Canteen")),
    ):
        assert READY not in message.shown
    assert await people.added() == []
