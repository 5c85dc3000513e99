"""Whatever goes wrong in Slack, at Claude or in the databases: everything arrives, once, or a sentence says why not."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from bot.slack.app import SlackBot
from bot.slack.directory import Directory
from tests.bot.slack.sending.test_splitting import letters, paragraphs
from tests.bot.slack.whole import QUESTION, QUOTE, Clocks, Writes, finished, outcome, said
from tests.claude_server import ClaudeServer
from tests.fixtures.bot import StartBot
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio

LONG = paragraphs(1_000)
SLOWLY: dict[str, Any] = {"piece": 60, "pause": 0.01}  # many appends


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


async def is_whole(slack: SlackServer, bot: SlackBot, company: Company, ts: str) -> list[Message]:
    """The answer stands there, all of it and once, with one footer; the messages."""
    messages = await finished(slack, bot, company.office, ts)
    answer = await outcome(bot, company.office, ts)
    assert letters("\n".join(said(message) for message in messages)) == letters(answer)
    assert sum("show_passages" in message.actions for message in messages) == 1
    assert "show_passages" in messages[-1].actions
    return messages


STREAM_FAULTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "refused: unknown method": [("chat.startStream", {"error": "unknown_method", "times": None})],
    "refused: this kind of channel": [("chat.startStream", {"error": "channel_type_not_supported", "times": None})],
    "refused: too often": [("chat.startStream", {"ratelimited": 30, "times": None})],
    "refused: a server error": [("chat.startStream", {"status": 503})],
    "start: cut before": [("chat.startStream", {"drop": "before"})],
    "start: cut after": [("chat.startStream", {"drop": "after"})],
    "append: cut before": [("chat.appendStream", {"drop": "before"})],
    "append: cut after": [("chat.appendStream", {"drop": "after"})],
    "append: cut after, three times": [("chat.appendStream", {"drop": "after", "times": 3})],
    "append: a server error": [("chat.appendStream", {"status": 500})],
    "append: hangs": [("chat.appendStream", {"hang": 60})],
    "append: too often": [("chat.appendStream", {"ratelimited": 1, "times": 2})],
    "append: much too often": [("chat.appendStream", {"ratelimited": 30, "times": None})],
    "append: too long": [("chat.appendStream", {"error": "msg_too_long"})],
    "stop: cut before": [("chat.stopStream", {"drop": "before"})],
    "stop: cut after": [("chat.stopStream", {"drop": "after"})],
    "stop: too often": [("chat.stopStream", {"ratelimited": 30, "times": 2})],
    "stop: refused": [("chat.stopStream", {"error": "invalid_blocks"})],
    "update: too often": [
        ("chat.startStream", {"error": "unknown_method", "times": None}),
        ("chat.update", {"ratelimited": 1, "times": 3}),
    ],
    "append: too long, update: a server error": [
        ("chat.appendStream", {"error": "msg_too_long", "times": None}),
        ("chat.update", {"status": 500, "times": 2}),
    ],
    "post: a server error, not posted": [
        ("chat.startStream", {"error": "unknown_method", "times": None}),
        ("chat.postMessage", {"status": 500, "times": 2}),
    ],
    "post: posted, the answer lost": [
        ("chat.startStream", {"error": "unknown_method", "times": None}),
        ("chat.postMessage", {"drop": "after"}),
    ],
    "post: too often": [
        ("chat.startStream", {"error": "unknown_method", "times": None}),
        ("chat.postMessage", {"ratelimited": 3, "times": 2}),
    ],
    "everything: cut after, now and then": [("chat.*", {"drop": "after", "times": 4})],
    "everything: a server error, now and then": [("chat.*", {"status": 502, "times": 4})],
    "the status": [
        ("assistant.threads.setStatus", {"error": "channel_type_not_supported", "times": None}),
        ("agents.sessions.setStatus", {"hang": 60, "times": None}),
    ],
}


@pytest.mark.parametrize("name", STREAM_FAULTS)
async def test_the_whole_answer_arrives_once(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, clocks: Clocks, name: str
) -> None:
    clocks.of_calls(0.5)
    claude.brain = Writes(LONG, **SLOWLY)
    for method, fault in STREAM_FAULTS[name]:
        slack.fail(method, **fault)
    began = time.monotonic()
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await is_whole(slack, answering, company, ts)
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("refuses_updates", [False, True])
async def test_a_stream_whose_time_is_over_goes_on_as_a_message(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, refuses_updates: bool
) -> None:
    slack.stream_seconds = 0.4
    slack.refuses_updates_of_streams = refuses_updates
    claude.brain = Writes(LONG, piece=60, pause=0.04)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await is_whole(slack, answering, company, ts)
    assert any((call.result or {}).get("error") == "message_not_in_streaming_state" for call in slack.calls)


async def test_a_stream_is_renewed_before_its_time_is_over(
    answering: SlackBot, slack: SlackServer, company: Company, claude: ClaudeServer, clocks: Clocks
) -> None:
    slack.stream_seconds = 0.8
    clocks.of_messages("renew_after", 0.3)
    claude.brain = Writes(LONG, piece=60, pause=0.04)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await is_whole(slack, answering, company, ts)
    assert not any((call.result or {}).get("error") for call in slack.calls)


async def test_what_slack_never_lets_us_post_is_told_nowhere_and_ends(
    answering: SlackBot, slack: SlackServer, company: Company
) -> None:
    for method in ("chat.startStream", "chat.postMessage"):
        slack.fail(method, error="restricted_action", times=None)
    ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await slack.until(lambda: slack.called("chat.postMessage"))
    async with asyncio.timeout(5):
        while await answering.parts.ledger.unfinished():  # noqa: ASYNC110 rows that another task changes
            await asyncio.sleep(0.02)
    assert slack.replies(company.office, ts) == []
    slack.recover()
    again = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
    await is_whole(slack, answering, company, again)


@pytest.mark.parametrize("ask", ["a mention", "a command"])
async def test_where_slack_does_not_tell_who_reads_the_answer_says_so_and_nothing_false(
    another_bot: StartBot, slack: SlackServer, company: Company, monkeypatch: pytest.MonkeyPatch, ask: str
) -> None:
    defaults = Directory.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "patience", 0.3)
    for methods in ("users.*", "conversations.*"):
        slack.fail(methods, ratelimited=60, times=None)
    async with another_bot() as bot:
        if ask == "a mention":
            ts = slack.says(company.ana, company.office, f"@Situate {QUESTION}")
            (message,) = await finished(slack, bot, company.office, ts)
        else:
            await slack.commands(company.ana, company.office, "/ask", QUESTION).arrives()
            await slack.until(lambda: len(slack.ephemerals(company.ana)) > 0 and "check" in shown_last(slack, company))
            message = slack.ephemerals(company.ana)[-1]
    assert "I cannot check right now who may read what." in message.shown
    assert "no documents" not in message.shown
    assert "try_again" in message.actions


def shown_last(slack: SlackServer, company: Company) -> str:
    return slack.ephemerals(company.ana)[-1].shown


async def test_a_command_is_answered_where_its_response_url_does_not_work(
    answering: SlackBot, slack: SlackServer, company: Company
) -> None:
    slack.fail("response_url", status=500, times=None)
    await slack.commands(company.ana, company.office, "/ask", QUESTION).arrives()
    await slack.until(lambda: slack.ephemerals(company.ana) and QUOTE in shown_last(slack, company))


async def test_many_long_answers_at_once_keep_to_slacks_rates(
    another_bot: StartBot, slack: SlackServer, company: Company, claude: ClaudeServer
) -> None:
    """The clocks of Slack's rates run fifty times as fast."""
    slack.clock_factor = 0.02
    slack.stream_seconds = 60 / slack.clock_factor
    slack.enforce_rates()
    claude.brain = Writes(paragraphs(12_000), pause=0.001)
    async with another_bot(answer_max_tokens=64_000) as bot:
        asked = [slack.says(company.ana, company.office, f"@Situate {QUESTION}") for _ in range(5)]
        for ts in asked:
            await is_whole(slack, bot, company, ts)
