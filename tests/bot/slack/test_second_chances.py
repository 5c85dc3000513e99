"""What could not be answered, or not in time, is offered again, and then answered in its place."""

from __future__ import annotations

import pytest

from bot.asking import How, Question
from bot.slack.app import SlackBot
from tests.bot.slack.clicked import Slack
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, finished
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


async def test_trouble_of_ours_has_a_reference_and_can_be_tried_again(
    people: Slack, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object, **more: object) -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(people.bot.parts.answerer, "answer", broken)
        before = await people.asks(company.ana, company.office, QUESTION)
    assert "Something went wrong on our side." in before.shown
    assert "ref " in before.shown
    assert before.actions == ["try_again"]
    await people.clicks(company.ana, company.office, before.ts, "try_again")
    (after,) = slack.replies(company.office, before.root)
    assert after.ts == before.ts
    assert QUOTE in after.shown
    assert "ref " not in after.shown


async def test_a_question_that_waited_too_long_is_answered_when_somebody_says_so(
    another_bot: StartBot, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clocks(monkeypatch)
    monkeypatch.setattr("bot.slack.reply.STALE_SECONDS", -1.0)
    monkeypatch.setattr("indexer.leases.DEAD_AFTER_SECONDS", 0.2)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}", deliver=())
    text = f"{slack.bot.mention} {QUESTION}"
    question = Question(slack.team_id, company.office.id, ts, ts, company.ana.id, text, How.MENTION, "channel")
    async with another_bot() as bot:
        people = Slack(slack, bot)
        await bot.parts.ledger.take(question, "a process that is dead")
        (offered,) = await finished(slack, bot, company.office, ts)
        assert "I was away when you asked this. Shall I answer now?" in offered.shown
        await people.clicks(company.ben, company.office, offered.ts, "try_again")
        (after,) = slack.replies(company.office, ts)
        assert QUOTE in after.shown
        assert "I was away" not in after.shown
