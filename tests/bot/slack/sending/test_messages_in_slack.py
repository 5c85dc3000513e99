"""An answer's messages in the strict local Slack: it refuses what Slack refuses, and nothing is refused."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.answering.events import Answer, Found, Reset, Searching, Text
from bot.slack.sending.posting import Place, Poster
from bot.slack.sending.streaming import AnswerMessages
from bot.texts import ENGLISH
from tests.bot.slack.sending.test_splitting import letters, paragraphs, table
from tests.fixtures.slack import Company
from tests.slack_server import Message, SlackServer

pytestmark = pytest.mark.anyio

FOOTER: list[dict[str, Any]] = [
    {"type": "context", "elements": [{"type": "plain_text", "text": "Sources: Annual Review"}]},
    {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "action_id": "show",
                "text": {"type": "plain_text", "text": "Show passages"},
                "value": "a",
            }
        ],
    },
]


class Scene:
    """A question in #finance, and the messages of its answer."""

    def __init__(self, slack: SlackServer, company: Company, client: AsyncWebClient, **options: Any) -> None:
        self.slack = slack
        self.channel = company.finance
        self.ts = slack.says(company.ana, company.finance, "@Situate, what is in the budget?")
        self.recorded: list[str] = []
        self.place = Place(slack.team_id, company.finance.id, self.ts, company.ana.id)
        self.client = client
        self.messages = self.other(**options)

    def other(self, **options: Any) -> AnswerMessages:
        """The messages as another process would have them."""

        async def sent(ts: str) -> None:
            self.recorded.append(ts)

        options = {"update_every": 0.05} | options
        poster = Poster(self.client)
        return AnswerMessages(self.client, poster, self.place, ENGLISH, "T1:C1:1.2:abc", sent=sent, **options)

    def replies(self) -> list[Message]:
        return self.slack.replies(self.channel, self.ts)

    def whole(self) -> str:
        return "\n\n".join(message.markdown or words_of(message) for message in self.replies())

    async def say(self, text: str, size: int = 400, pause: float = 0.0) -> None:
        for at in range(0, len(text), size):
            self.messages.take(Text(text[at : at + size]))
            await asyncio.sleep(pause)


def words_of(message: Message) -> str:
    return "\n\n".join(block["text"] for block in message.blocks if block["type"] == "markdown")


@pytest.fixture
def scene(slack: SlackServer, company: Company, slack_client: AsyncWebClient) -> Scene:
    return Scene(slack, company, slack_client)


async def test_an_answer_appears_while_it_is_made(slack: SlackServer, scene: Scene) -> None:
    began = time.monotonic()
    scene.messages.begin()
    await slack.until(lambda: slack.statuses)
    assert time.monotonic() - began < 0.3
    scene.messages.take(Searching("budget"))
    scene.messages.take(Found("budget", 8, 3, 8))
    await slack.until(scene.replies)
    said = time.monotonic()
    scene.messages.take(Text("Finance booked €41,000 for it. [1] "))
    await slack.until(lambda: "€41,000" in scene.replies()[0].shown)
    assert time.monotonic() - said < 0.3
    await scene.messages.finish(Answer("Finance booked €41,000 for it. [1] "), FOOTER, "Finance booked €41,000.")
    (message,) = scene.replies()
    assert "Searched “budget”" in message.shown
    assert "8 passages in 3 documents" in message.shown
    assert "Show passages" in message.shown


@pytest.mark.parametrize(
    "text",
    [
        paragraphs(3_001),
        paragraphs(13_500),
        paragraphs(60_000),
        "x" * 9_000,
        "これは重要な文です。" * 1_200,
        "```python\n" + "\n".join(f"line_{n} = {n}" for n in range(1_500)) + "\n```\n\nDone.",
        f"Before.\n\n{table(250)}\n\nAfter.",
        f"Before.\n\n```\n{table(20)}\n```\n\nAfter.",
        " ".join(f"Statement {number} stands. [{number}]" for number in range(1, 61)),
        "if a < b && c: <https://a|b> docs > setup, **重要**です",
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
async def test_slack_takes_answers_of_every_length(text: str, streamed: bool, scene: Scene) -> None:
    if streamed:
        await scene.say(text, size=2_000)
    sent = await scene.messages.finish(Answer(text), FOOTER, "In plain words")
    replies = scene.replies()
    assert [message.ts for message in replies] == list(sent)
    assert "Show passages" in replies[-1].shown
    assert not any("Show passages" in message.shown for message in replies[:-1])
    if len(text) > 1_000:
        assert len(letters(scene.whole())) >= len(letters(text))


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("chat.startStream", {"error": "unknown_method"}),
        ("chat.startStream", {"ratelimited": 30}),
        ("chat.startStream", {"drop": "before"}),
        ("chat.startStream", {"drop": "after"}),
        ("chat.appendStream", {"drop": "before"}),
        ("chat.appendStream", {"drop": "after"}),
        ("chat.appendStream", {"status": 503}),
        ("chat.appendStream", {"ratelimited": 60}),
        ("chat.appendStream", {"error": "msg_too_long"}),
        ("chat.stopStream", {"drop": "before"}),
        ("chat.stopStream", {"drop": "after"}),
        ("chat.stopStream", {"error": "invalid_blocks"}),
        ("assistant.threads.setStatus", {"error": "missing_scope"}),
        ("agents.sessions.setStatus", {"status": 500}),
    ],
)
async def test_whatever_fails_everything_arrives_once(
    method: str, fault: dict[str, Any], slack: SlackServer, scene: Scene
) -> None:
    slack.fail(method, **fault)
    text = paragraphs(12_000)
    scene.messages.take(Searching("budget"))
    scene.messages.take(Found("budget", 8, 3, 8))
    await scene.say(text, pause=0.01)
    sent = await scene.messages.finish(Answer(text), FOOTER, "In plain words")
    replies = scene.replies()
    assert [message.ts for message in replies] == list(sent)
    assert letters(scene.whole()) == letters(text)
    assert "Show passages" in replies[-1].shown


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_post_whose_answer_is_lost_is_there_once(when: str, slack: SlackServer, scene: Scene) -> None:
    slack.fail("chat.postMessage", drop=when)  # type: ignore[arg-type]  # of two values
    await scene.messages.finish(Answer("I found nothing."), FOOTER, "I found nothing.")
    assert len(scene.replies()) == 1


@pytest.mark.parametrize("fixed", [False, True])
async def test_a_stream_whose_minutes_are_over_goes_on(fixed: bool, slack: SlackServer, scene: Scene) -> None:
    slack.refuses_updates_of_streams = fixed
    slack.stream_seconds = 0.2
    await scene.say("The first part. [1] ")
    await asyncio.sleep(0.4)
    await scene.say("The second part. [2] ")
    sent = await scene.messages.finish(Answer("The first part. [1] The second part. [2] "), FOOTER, "Both parts.")
    (message,) = scene.replies()
    assert (message.ts,) == sent
    assert scene.whole() == "The first part. [1] The second part. [2]"


async def test_stop_is_noticed_and_what_was_said_stays(slack: SlackServer, company: Company, scene: Scene) -> None:
    await scene.say("The first part. [1] ")
    await slack.until(scene.replies)
    slack.presses_stop(company.ana, company.finance, scene.ts)
    await scene.say("The second part. [2] ")
    await slack.until(lambda: scene.messages.stopped)
    await scene.messages.stop(FOOTER, "Stopped.")
    (message,) = scene.replies()
    assert "The first part. [1]" in message.shown
    assert "Show passages" in message.shown


async def test_what_is_taken_back_does_not_stay(slack: SlackServer, scene: Scene) -> None:
    await scene.say("Half of it, and")
    await slack.until(lambda: scene.replies() and "Half" in scene.whole())
    scene.messages.take(Reset("Searching again."))
    await slack.until(lambda: scene.whole() == "Searching again.")
    await scene.say("All of it. [1] ")
    await scene.messages.finish(Answer("All of it. [1] "), FOOTER, "All of it.")
    assert scene.whole() == "All of it. [1]"


async def test_another_process_takes_over_what_was_left(slack: SlackServer, scene: Scene) -> None:
    await scene.say(paragraphs(20_000), pause=0.01)
    await slack.until(lambda: len(scene.recorded) == 3)
    await scene.messages.abandon()
    left = tuple(scene.recorded)
    again = scene.other(earlier=left)
    again.take(Text("Said at last. [1] "))
    assert await again.finish(Answer("Said at last. [1] "), FOOTER, "Said at last.") == left[:1]
    assert scene.whole() == "Said at last. [1]"


async def test_nothing_pings(slack: SlackServer, scene: Scene) -> None:
    text = "Tell <!channel>, <@U0000001> and @here, `<!everyone>` and\n```\n<@U0000001>\n``` "
    scene.messages.take(Searching("<!channel>"))
    scene.messages.take(Found("<!channel>", 0, 0, 0, failure="<!here> failed"))
    await scene.say(text, size=3)
    await scene.messages.finish(Answer(text), FOOTER, text)
    assert len(scene.replies()) == 1
