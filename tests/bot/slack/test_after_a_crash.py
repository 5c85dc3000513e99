"""A process that dies leaves its questions to the next one: one answer, in the same messages."""

from __future__ import annotations

import asyncio
import platform
import signal
import subprocess
from collections.abc import AsyncIterator

import pytest

from bot.ledger.schema import questions
from bot.slack.app import SlackBot
from indexer import Indexer
from indexer.weaviate_server import Endpoint
from tests.bot.slack.sending.test_splitting import letters, paragraphs
from tests.bot.slack.whole import QUESTION, ByQuestion, Clocks, Writes, finished, outcome, said
from tests.claude_server import ClaudeServer, Hold
from tests.fixtures.bot import StartBot, bot_process
from tests.fixtures.command_line import settings_on
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


@pytest.fixture
async def process(
    slack: SlackServer, claude: ClaudeServer, library: Indexer, weaviate: Endpoint
) -> AsyncIterator[subprocess.Popen[bytes]]:
    """``python -m bot`` on ``library``, connected."""
    async with bot_process(slack, settings_on(weaviate, library.settings.data_dir), claude) as running:
        yield running


async def is_answered_once(slack: SlackServer, bot: SlackBot, company: Company, ts: str, first: str) -> None:
    """One message, the one that was there (``first``), with the whole answer."""
    (message,) = await finished(slack, bot, company.office, ts)
    assert letters(said(message)) == letters(await outcome(bot, company.office, ts))
    assert message.actions.count("show_passages") == 1
    assert message.ts == first
    assert not message.open


async def test_killed_at_any_moment_a_process_leaves_its_questions_to_the_next(
    process: subprocess.Popen[bytes], another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    hold = Hold()
    claude.brain = ByQuestion(
        early=Writes(paragraphs(500), hold=hold),
        middle=Writes(paragraphs(2_000), piece=60, pause=0.1),
        late=Writes(paragraphs(500)),
    )
    early, middle = (slack.says(company.ana, company.office, f"@Situate {n}: {QUESTION}") for n in ("early", "middle"))
    await slack.until(lambda: any("Statement 2" in reply.shown for reply in slack.replies(company.office, middle)), 20)
    await slack.until(lambda: slack.replies(company.office, early))
    slack.fail("chat.stopStream", drop="after")  # Slack has all of the late one, and the process does not know yet
    late = slack.says(company.ana, company.office, f"@Situate late: {QUESTION}")
    await slack.until(lambda: any("show_passages" in reply.actions for reply in slack.replies(company.office, late)))
    process.kill()
    process.wait()
    hold.release()
    claude.brain = Writes(paragraphs(1_000))
    firsts = {ts: slack.replies(company.office, ts)[0].ts for ts in (early, middle, late)}
    async with another_bot() as successor:
        for ts, first in firsts.items():
            await is_answered_once(slack, successor, company, ts, first)


async def test_of_two_processes_the_living_one_takes_over(
    process: subprocess.Popen[bytes], another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    claude.brain = Writes(paragraphs(2_000), piece=60, pause=0.2)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: any("Statement 2" in reply.shown for reply in slack.replies(company.office, ts)), 20)
    async with another_bot() as other:
        await slack.ready(2)
        claude.brain = Writes(paragraphs(1_000))
        process.kill()
        process.wait()
        await is_answered_once(slack, other, company, ts, slack.replies(company.office, ts)[0].ts)


async def test_told_to_end_it_ends_what_takes_a_moment_and_leaves_the_rest_to_the_next(
    process: subprocess.Popen[bytes], another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    hold = Hold()
    claude.brain = ByQuestion(
        held=Writes(paragraphs(500), hold=hold), quick=Writes(paragraphs(1_000), piece=60, pause=0.05)
    )
    held, quick = (slack.says(company.ana, company.office, f"@Situate {n}: {QUESTION}") for n in ("held", "quick"))
    await slack.until(lambda: any("Statement 2" in reply.shown for reply in slack.replies(company.office, quick)), 20)
    await slack.until(lambda: slack.replies(company.office, held))
    process.send_signal(signal.SIGTERM)
    await slack.until(lambda: not slack.connections)  # nothing new is taken from here on
    async with asyncio.timeout(12):
        assert await asyncio.to_thread(process.wait) == 143
    (message,) = slack.replies(company.office, quick)
    assert "show_passages" in message.actions
    hold.release()
    claude.brain = Writes(paragraphs(1_000))
    async with another_bot() as successor:
        await is_answered_once(slack, successor, company, held, slack.replies(company.office, held)[0].ts)


async def test_what_was_answered_to_its_end_is_not_answered_again(
    another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer, library: Indexer
) -> None:
    """The process died between keeping the answer and closing the question."""
    async with another_bot() as bot:
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        (message,) = await finished(slack, bot, company.office, ts)
    dead = f"{platform.node()}|999999|long ago|x"
    reopened = questions.update().where(questions.c.ts == ts).values(state="open", owner=dead)
    await library.database.write(lambda connection: connection.execute(reopened))
    calls = len(claude.messages)
    async with another_bot() as successor:
        (same,) = await finished(slack, successor, company.office, ts)
    assert same.shown == message.shown
    assert not same.edited
    assert len(claude.messages) == calls


async def test_a_command_that_a_dead_process_left_is_answered_for_its_asker_only(
    another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer, library: Indexer
) -> None:
    hold = Hold()
    claude.brain = Writes(paragraphs(200), hold=hold)
    async with another_bot() as bot:
        await slack.commands(company.ana, company.office, "/ask", QUESTION).arrives()
        await claude.arrived(2)
        ((question, _),) = await bot.parts.ledger.unfinished()
    dead = f"{platform.node()}|999999|long ago|x"
    left = questions.update().where(questions.c.key == question.key).values(owner=dead)
    await library.database.write(lambda connection: connection.execute(left))
    hold.release()
    async with another_bot() as successor:
        await slack.until(lambda: any("Statement 2" in message.shown for message in slack.ephemerals(company.ana)))
        await successor.desk.idle()
    assert sum("show_passages" in message.actions for message in slack.ephemerals(company.ana)) == 1
    assert [message for message in slack.messages(company.office) if message.user == slack.bot.id] == []
