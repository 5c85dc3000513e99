"""What is added from Slack: told in one message that moves, asked about where that is due, and never half there."""

from __future__ import annotations

from typing import Any

import pytest

from bot.adding import Item, Request, What
from bot.slack.adding import moving
from bot.slack.app import SlackBot
from indexer import Document
from tests.bot.slack.clicked import Slack
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import pdf
from tests.slack_server import File, Message, Person, SlackServer

pytestmark = pytest.mark.anyio

BUDGET = b"# Budget 2027\n\nThe Lisbon office gets 90,000 euros for its move to Rua Augusta.\n"
OTHER = b"# Canteen\n\nOn Fridays there is fish, and the canteen closes at three in the afternoon.\n"


class AddingByRequest(Slack):
    """A bot, and people for whom its desk takes requests, as a form or a button makes them."""

    count = 0

    async def adds(self, person: Person, *files: File, audience: str = "workspace", **more: Any) -> Message:
        """The message that tells of it, once nothing is in hand."""
        for file in files:
            file.submitted = True  # by a form
        items = tuple(Item(What.FILE, file.id, file.name) for file in files)
        return await self.asks_for(person, *items, audience=audience, **more)

    async def asks_for(self, person: Person, *items: Item, audience: str = "workspace", **more: Any) -> Message:
        AddingByRequest.count += 1
        direct = self.slack.direct(person)
        channel = more.pop("channel", direct.id)
        request = Request(
            f"add{AddingByRequest.count}", self.slack.team_id, person.id, items, audience, channel=channel, **more
        )
        before = set(direct.messages)
        assert await self.bot.adding.take(request)
        self.bot.adding.begin(request)
        await self.idle()
        (ts,) = [ts for ts in direct.messages if ts not in before]
        return direct.messages[ts]

    async def decides(self, message: Message, person: Person, action: str) -> Message:
        """The message after a click on one of its buttons."""
        direct = self.slack.direct(person)
        await self.clicks(person, direct, message.ts, action)
        return direct.messages[message.ts]

    async def added(self) -> list[Document]:
        """What is there beside what was there before, by title."""
        documents = await self.bot.parts.library.documents(self.slack.team_id, None)
        return [one for one in documents if one.source.startswith(("slack:", "text:"))]


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


async def test_one_message_moves_from_reading_to_ready(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """Only the adder sees it, in their direct conversation, and it is updated, not posted again."""
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    assert "Ready. Ask me about" in message.shown
    assert {"try_it", "remove_added"} <= set(message.actions)
    (document,) = await people.added()
    assert (str(document.audience), document.added_by) == ("workspace", company.ana.id)
    answer = await people.asks(company.ben, company.office, "What does the Lisbon office get for its move?")
    assert "90,000" in answer.shown


async def test_several_files_share_one_message_and_a_bad_one_does_not_hold_up_the_others(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    good = slack.file("budget.md", BUDGET, by=company.ana)
    empty = slack.file("empty.md", b"", by=company.ana)
    broken = slack.file("broken.pdf", b"%PDF-1.7\n broken", by=company.ana)
    message = await people.adds(company.ana, good, empty, broken)
    for told in ("Ready. Ask me about", "empty.md is empty", "broken.pdf is damaged"):
        assert told in message.shown
    assert [one.audience.kind for one in await people.added()] == ["workspace"]


async def test_a_login_page_in_the_place_of_a_file_is_refused_with_the_missing_scope(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    slack.scopes = slack.scopes - {"files:read"}
    slack.expect_violations("files.info: missing_scope")
    file = slack.file("report.pdf", pdf("Report\nA report"), by=company.ana)
    message = await people.adds(company.ana, file)
    assert "files:read" in message.shown
    assert await people.added() == []


async def test_a_file_of_the_same_name_asks_and_replacing_takes_the_old_one_out(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    newer = BUDGET.replace(b"90,000", b"95,000").replace(b"Lisbon office", b"whole Porto and Lisbon staff, all of it,")
    message = await people.adds(company.ana, slack.file("Budget.md", newer, by=company.ana))
    assert "There is already a" in message.shown
    assert [one.chunks for one in await people.added()] == [1], "nothing is added before somebody says so"
    message = await people.decides(message, company.ana, "replace_twin")
    assert "Ready. Ask me about" in message.shown
    (document,) = await people.added()
    (passage,) = await people.bot.parts.library.passages(slack.team_id, document.version or pytest.fail("no version"))
    assert "95,000" in passage.chunk.text


async def test_slack_is_asked_once_which_channels_somebody_is_in_for_what_all_employees_may_read(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    asked = [call for call in slack.calls if call.method == "users.conversations" and "user" in call.args]
    assert len(asked) == 1  # whether it is there already; not for each step that the message tells of


async def test_keeping_both_keeps_both(people: AddingByRequest, company: Company, slack: SlackServer) -> None:
    await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    message = await people.adds(company.ana, slack.file("budget.md", OTHER, by=company.ana))
    message = await people.decides(message, company.ana, "keep_both")
    assert "Ready. Ask me about" in message.shown
    assert len(await people.added()) == 2


async def test_who_may_not_remove_the_other_document_is_not_offered_to_replace_it(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    message = await people.adds(company.ben, slack.file("budget.md", OTHER, by=company.ben))
    assert "keep_both" in message.actions
    assert "replace_twin" not in message.actions


async def test_a_twin_that_the_adder_may_not_read_is_not_told_of(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """That there is a document of this name is as secret as what it says."""
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await people.adds(company.ana, file, audience=f"user:{company.ana.id}")
    message = await people.adds(company.ben, slack.file("budget.md", BUDGET, by=company.ben))
    assert "C'est prêt" in message.shown


async def test_nearly_the_same_text_under_another_name_asks(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    long = b"# Handbook\n\n" + b" ".join(
        b"Rule %d says that step %d follows step %d." % (n, n + 1, n) for n in range(60)
    )
    await people.adds(company.ana, slack.file("handbook.md", long, by=company.ana))
    message = await people.adds(
        company.ana, slack.file("copy.md", long.replace(b"# Handbook", b"# Rules"), by=company.ana)
    )
    assert "nearly the same" in message.shown
    message = await people.decides(message, company.ana, "cancel_adding")
    assert "was not added" in message.shown
    assert len(await people.added()) == 1


async def test_the_same_file_again_is_ready_at_once_and_asks_nothing(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await people.adds(company.ana, file)
    message = await people.adds(company.ana, file)
    assert "Ready. Ask me about" in message.shown
    assert len(await people.added()) == 1


async def test_somebody_else_s_click_decides_nothing(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    await people.adds(company.ana, slack.file("budget.md", OTHER, by=company.ana))
    assert not await people.bot.adding.decide(f"add{AddingByRequest.count}", 0, "replace", company.ben.id)
    assert len(await people.added()) == 1


async def test_a_file_deleted_in_slack_is_forgotten_and_its_adder_is_told(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await people.adds(company.ana, file)
    await slack.deletes_file(file).arrives()
    await people.idle()
    assert await people.added() == []
    direct = slack.direct(company.ana)
    await slack.until(lambda: any("I have forgotten" in one.shown for one in direct.messages.values()))
    answer = await people.asks(company.ben, company.office, "What does the Lisbon office get for its move?")
    assert "90,000" not in answer.shown


async def test_what_is_deleted_is_not_used_any_more_in_the_thread_that_spoke_of_it(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """Neither is it searched nor is what was answered from it shown to Claude again."""
    asked = "What does the Lisbon office get for its move?"
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await people.adds(company.ana, file)
    answer = await people.asks(company.ben, company.office, asked)
    assert "90,000" in answer.shown
    await slack.deletes_file(file).arrives()
    await people.idle()
    assert "90,000" not in (await people.asks(company.ben, company.office, asked, thread=answer.root)).shown


async def test_remove_under_the_message_takes_it_out_and_says_so(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    message = await people.adds(company.ana, slack.file("budget.md", BUDGET, by=company.ana))
    message = await people.decides(message, company.ana, "remove_added")
    assert "no longer in the documents" in message.shown
    assert await people.added() == []


async def test_an_audience_that_is_not_theirs_is_refused_before_anything_is_stored(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """Ben is in #finance; the guest Gus may add nothing at all; nobody adds for somebody else."""
    file = slack.file("budget.md", BUDGET, by=company.ben)
    message = await people.adds(company.ben, file, audience=f"user:{company.ana.id}")
    assert "choisissez" in message.shown
    message = await people.adds(company.gus, slack.file("budget.md", BUDGET, by=company.gus))
    assert "Ready" not in message.shown
    assert await people.added() == []


async def test_what_a_dead_process_began_is_finished_in_the_same_message(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    """The request was durable when Slack was told: a crash costs no word, and no second message."""
    file = slack.file("budget.md", BUDGET, by=company.ana)
    file.submitted = True
    request = Request(
        "crash",
        slack.team_id,
        company.ana.id,
        (Item(What.FILE, file.id, "budget.md"),),
        "workspace",
        channel=company.office.id,
    )
    async with another_bot() as bot:
        assert await bot.adding.take(request)
    async with another_bot() as bot:
        people = AddingByRequest(slack, bot)
        await people.idle()
        (message,) = slack.direct(company.ana).messages.values()
        assert "Ready. Ask me about" in message.shown


async def test_who_left_the_channel_sees_no_title_any_more(
    people: AddingByRequest, company: Company, slack: SlackServer
) -> None:
    """Neither of what they added nor of what it looked like: the message says what it can without."""
    finance = company.finance
    channel = {"audience": f"channel:{finance.id}", "channel": finance.id}
    await people.adds(company.ana, slack.file("secret plan.md", BUDGET, by=company.ana), **channel)
    message = await people.adds(company.ana, slack.file("secret plan.md", OTHER, by=company.ana), **channel)
    assert "There is already a document" in message.shown
    await slack.leaves(company.ana, finance).arrives()
    await people.idle()
    request = await people.bot.adding.request(f"add{AddingByRequest.count}")
    assert request is not None
    await moving.Moving(people.bot.parts, request).show()
    message = slack.direct(company.ana).messages[message.ts]
    assert "Budget 2027" not in message.shown
    message = await people.decides(message, company.ana, "keep_both")
    assert "Ready" not in message.shown
    assert len(await people.added()) == 1
