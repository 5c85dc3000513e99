"""Answers longer than one of Slack's messages arrive whole, in order, with their sources last and once."""

from __future__ import annotations

import re

import pytest

from bot.slack.markup import safe_markdown
from tests.bot.slack.sending.test_splitting import letters, paragraphs, table
from tests.bot.slack.whole import QUESTION, Clocks, Writes, finished, outcome, said
from tests.claude_server import ClaudeServer, HonestAnswerer
from tests.fixtures.bot import StartBot, own_library
from tests.fixtures.indexer import added
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it

CODE = "\n".join(f"    line_{number} = {number}  # what follows from line {number}" for number in range(400))
LONG = {
    "3,001 characters": paragraphs(3_001),
    "13,500 characters": paragraphs(13_500),
    "60,000 characters": paragraphs(60_000),
    "one word": f"The key is {'x' * 9_000} as it is.",
    "a fence": f"Run this:\n\n```python\n{CODE}\n```\n\nThat is all.",
    "a table in a fence": f"As it was sent:\n\n```\n{table(200, 4)}\n```\n\nThat is all.",
    "a table": f"The figures:\n\n{table(150, 4)}\n\nThat is all.",
    "CJK": "証明書の有効期限が切れていました。" * 700,
}


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


def holds_together(messages: list[Message], answer: str) -> None:
    """All of the answer is there, once; sources and buttons stand at the end of the last message only."""
    whole = "\n\n".join(said(message) for message in messages)
    assert _heads_once(letters(whole)) == _heads_once(letters(safe_markdown(answer)))
    for message in messages:
        assert len(re.findall(r"^ {0,3}```", said(message), re.MULTILINE)) % 2 == 0
        assert not message.open
    assert [("show_passages" in message.actions) for message in messages] == [False] * (len(messages) - 1) + [True]


def _heads_once(text: str) -> str:
    """Without the heads of tables, which stand above each part of a table that is cut."""
    return re.sub(r"\|head0\|head1\|head2\|head3(?:\[notinyourdocuments\])?\|\|(?:---\|)+", "", text)


@pytest.mark.parametrize("name", LONG)
async def test_long_answers_arrive_whole_with_their_sources_last(
    another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer, name: str
) -> None:
    claude.brain = Writes(LONG[name])
    async with another_bot(answer_max_tokens=64_000) as bot:
        ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
        messages = await finished(slack, bot, company.office, ts)
        answer = await outcome(bot, company.office, ts)
    assert len(letters(answer)) >= len(letters(LONG[name]))
    holds_together(messages, answer)


async def test_an_answer_of_sixty_citations_shows_all_its_markers_and_five_sources(
    another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    claude.brain = HonestAnswerer(60)
    async with another_bot(answer_max_tokens=64_000) as bot:
        handbook = "# Allowances\n\n" + "\n".join(f"Allowance {n} for travel is {n * 10} euros." for n in range(1, 90))
        await added(bot.parts.library, slack.team_id, handbook, source="https://docs.example.com/allowances.md")
        ts = slack.says(company.ana, company.office, "@Situate What is each allowance for travel?")
        messages = await finished(slack, bot, company.office, ts)
        answer = await outcome(bot, company.office, ts)
    holds_together(messages, answer)
    whole = "".join(said(message) for message in messages)
    assert {f"[{n}]" for n in range(1, 61)} <= set(re.findall(r"\[\d+\]", whole))
    under = messages[-1].shown.rpartition("[60]")[2]
    assert "and 55 more" in under
