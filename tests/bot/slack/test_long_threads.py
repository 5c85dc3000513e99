"""A long thread is read over pages; where Slack does not give all of it in time, the answer comes and says so."""

from __future__ import annotations

import time

import pytest

from bot.slack import threads
from bot.slack.app import SlackBot
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, finished
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

INCOMPLETE = "Slack did not show me all of this thread"


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch, slack: SlackServer) -> Clocks:
    slack.page_size = 15
    defaults = threads.history.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "seconds", 0.5)
    return Clocks(monkeypatch)


def talk(slack: SlackServer, company: Company) -> str:
    """A thread of forty messages among people; its root."""
    ts = slack.says(company.ben, company.office, "Line 1 of our talk.", deliver=())
    for number in range(2, 41):
        slack.says(company.ben, company.office, f"Line {number} of our talk.", thread=ts, deliver=())
    return ts


async def test_all_pages_of_a_thread_are_read(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    ts = talk(slack, company)
    slack.says(company.ana, company.office, f"@Situate {QUESTION}", thread=ts)
    (message,) = await finished(slack, answering, company.office, ts)
    told = str(claude.messages[0].turns)
    assert all(f"Ben: Line {number} of our talk." in told for number in range(1, 41))
    assert INCOMPLETE not in message.shown
    assert len(slack.called("conversations.replies")) == 3


@pytest.mark.parametrize("pages", [0, 1])
async def test_where_slack_gives_no_more_pages_the_answer_comes_and_says_so(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, pages: int
) -> None:
    ts = talk(slack, company)
    if pages:
        slack.slow("conversations.replies", 0.1)
    else:
        slack.fail("conversations.replies", ratelimited=60, times=None)
    began = time.monotonic()
    slack.says(company.ana, company.office, f"@Situate {QUESTION}", thread=ts)
    if pages:
        await slack.until(lambda: slack.called("conversations.replies"))
        slack.fail("conversations.replies", ratelimited=60, times=None)
    (message,) = await finished(slack, answering, company.office, ts)
    assert time.monotonic() - began < 3
    assert QUOTE in message.shown
    assert INCOMPLETE in message.shown
    told = str(claude.messages[0].turns)
    assert ("Ben: Line 1 of our talk." in told) is bool(pages)
    assert "Line 40 of our talk." not in told
