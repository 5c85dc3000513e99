"""What costs more than CONFIRM_COST_USD asks first, with the estimate, and costs nothing until somebody says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from bot.adding import Item, What
from indexer import Indexer
from tests.bot.slack.documents.test_adding import AddingByRequest
from tests.claude_server import ClaudeServer
from tests.fixtures.bot import StartBot
from tests.fixtures.indexer import MakeSettings
from tests.fixtures.slack import Company
from tests.slack_server import File, SlackServer

pytestmark = pytest.mark.anyio

HANDBOOK = b"# Handbook\n\n" + b"\n\n".join(
    b"## Rule %d\n\n" % number + b"This rule says that step %d follows. " % number * 80 for number in range(9)
)


@pytest.fixture
async def library(make_settings: MakeSettings, claude: ClaudeServer) -> AsyncIterator[Indexer]:
    """A library of this test's own, with a key for Claude."""
    settings = make_settings(anthropic_api_key="key", anthropic_base_url=claude.base_url)
    opened: AbstractAsyncContextManager[Indexer] = Indexer.open(settings)
    async with opened as indexer:
        yield indexer
        for one in await indexer.documents(SlackServer.team_id, None):  # the server is everybody's
            await indexer.remove(SlackServer.team_id, one.id)


@pytest.fixture
def handbook(slack: SlackServer, company: Company) -> File:
    return slack.file("handbook.md", HANDBOOK, by=company.ana)


async def test_a_costly_document_asks_first_and_nothing_is_paid_meanwhile(
    another_bot: StartBot, company: Company, slack: SlackServer, claude: ClaudeServer, handbook: File
) -> None:
    async with another_bot(confirm_cost_usd=0.0001) as bot:
        people = AddingByRequest(slack, bot)
        message = await people.adds(company.ana, handbook)
        assert "will cost about $" in message.shown
        assert claude.requests == []
        assert await people.added() == []
        message = await people.decides(message, company.ana, "go_on")
        assert "Ready. Ask me about" in message.shown
        assert len(claude.requests) > 1
        assert "Cost" not in message.shown, "what it cost is for administrators"


async def test_what_it_costs_is_asked_without_the_title_of_what_they_may_lose_access_to(
    another_bot: StartBot, company: Company, slack: SlackServer
) -> None:
    """Under the name that the person knew it by when they asked for it."""
    async with another_bot(confirm_cost_usd=0.0) as bot:
        ts = slack.says(company.ana, company.office, "Secret Merger\n\n" + HANDBOOK.decode()[:9_000])
        item = Item(What.MESSAGE, f"{company.office.id}:{ts}", "a message in #office")
        message = await AddingByRequest(slack, bot).asks_for(company.ana, item)
        assert "will cost about $" in message.shown
        assert "a message in #office" in message.shown
        assert not any("Merger" in shown for _, shown in message.history)


async def test_what_costs_less_is_not_asked_about(
    another_bot: StartBot, company: Company, slack: SlackServer, claude: ClaudeServer, handbook: File
) -> None:
    async with another_bot(admin_users=company.ana.id) as bot:
        message = await AddingByRequest(slack, bot).adds(company.ana, handbook)
        assert "Ready. Ask me about" in message.shown
        assert "Cost: $" in message.shown


async def test_a_cancelled_document_costs_nothing(
    another_bot: StartBot, company: Company, slack: SlackServer, claude: ClaudeServer, handbook: File
) -> None:
    async with another_bot(confirm_cost_usd=0.0) as bot:
        people = AddingByRequest(slack, bot)
        message = await people.decides(await people.adds(company.ana, handbook), company.ana, "cancel_adding")
        assert "was not added" in message.shown
        assert claude.requests == []


async def test_the_estimate_is_close_to_what_is_paid(
    another_bot: StartBot, company: Company, slack: SlackServer, handbook: File
) -> None:
    """Within a factor of two: enough for a person to decide by."""
    async with another_bot(confirm_cost_usd=0.0) as bot:
        people = AddingByRequest(slack, bot)
        message = await people.adds(company.ana, handbook)
        (asks,) = await bot.adding.progress(f"add{AddingByRequest.count}")
        await people.decides(message, company.ana, "go_on")
        (ready,) = await bot.adding.progress(f"add{AddingByRequest.count}")
        assert ready.cost_usd / 2 < asks.estimate_usd < ready.cost_usd * 2
