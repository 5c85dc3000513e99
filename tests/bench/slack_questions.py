"""Questions in the local Slack, and what it and Claude's stand-in noted of them: when what happened."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.bench.texts import question
from tests.claude_server import ClaudeServer, HonestAnswerer, Reply, Request
from tests.claude_server.brains import Found
from tests.slack_server import Channel, Delivery, Message, Person, SlackServer

CALLS_OF_STATUS = ("assistant.threads.setStatus", "agents.sessions.setStatus", "chat.startStream")
CLEAR_END = re.compile(r"\w{4}\.\s*\Z")  # no abbreviation: the sentence is over without a look at the next one


@dataclass(frozen=True, slots=True)
class Plan:
    """How many questions: one by one, ``load`` of them at ``rate`` a second, and ``limited`` of them at that
    rate where Slack's limits hold; and what Claude and Slack are like.

    Seconds: ``latency`` before each of Claude's two answers to a question, ``silence`` after each of four pieces, so
    that the first sentence stands alone for two of them, ``pause`` after each small piece under load, ``slow`` for each
    of Slack's calls where it is told how that counts.
    """

    single: int = 30
    load: int = 100
    rate: float = 10.0
    limited: int = 100
    documents: int = 4
    people: int = 10
    channels: int = 5
    latency: float = 0.3
    silence: float = 0.4
    pause: float = 0.05
    slow: float = 0.15


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in Slack; ``ts`` is its message and its thread."""

    text: str
    channel: Channel
    ts: str


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of one question. ``sentence``: from the end of Claude's first one to its being shown."""

    status: float
    sentence: float
    whole: float
    claude: float
    search: float

    @property
    def ours(self) -> float:
        return self.whole - self.claude - self.search


class Quoting(HonestAnswerer):
    """Searches for the question, then quotes two sentences, with a pause after each piece of what it writes."""

    def __init__(self, pause: float) -> None:
        super().__init__(2)
        self.piece, self.pause = 1_000, pause
        self.first: dict[str, str] = {}  # the first sentence of each answer, by question

    def choose(self, question: str, found: Iterable[Found]) -> list[Found]:
        """The first sentences that were found, of those that end clearly."""
        chosen = [each for each in found if CLEAR_END.search(each.text)][: self.sentences]
        self.first[question] = chosen[0].text.strip() if chosen else ""
        return chosen

    def answer(self, request: Request) -> Reply:
        return super().answer(request).but(piece=self.piece, pause=self.pause)


class Asking:
    """Asks, and reads what came of it. ``searches`` is what the bot's process tells, as ``slack_bot`` says."""

    def __init__(
        self, slack: SlackServer, claude: ClaudeServer, brain: Quoting, plan: Plan, searches: list[dict[str, Any]]
    ) -> None:
        self.slack, self.claude, self.brain, self.plan = slack, claude, brain, plan
        self._searches = searches
        self._people: list[Person] = [slack.person(f"Person{number}") for number in range(plan.people)]
        self._channels = [slack.channel(f"channel-{number}") for number in range(plan.channels)]
        self._rng = random.Random(3)  # noqa: S311  # no secrets here
        self._count = 0

    async def one(self) -> Asked:
        """Ask one question and wait for its answer."""
        asked = self._ask()
        await self._answered([asked])
        return asked

    async def load(self, count: int, rate: float) -> list[Asked]:
        """Ask ``rate`` questions a second and wait for all answers."""
        began, made = time.monotonic(), []
        for number in range(count):
            await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            made.append(self._ask())
        await self._answered(made)
        return made

    def _ask(self) -> Asked:
        """The next person asks in the next channel; every sixth question is a direct message."""
        number, self._count = self._count, self._count + 1
        text = question(self._rng)
        person = self._people[number % len(self._people)]
        if number % 6 == 5:
            channel = self.slack.direct(person)
            return Asked(text, channel, self.slack.says(person, channel, text))
        channel = self._channels[number % len(self._channels)]
        return Asked(text, channel, self.slack.says(person, channel, f"@Situate {text}"))

    async def _answered(self, questions: Sequence[Asked], seconds: float = 60.0) -> None:
        """Wait until there is nothing more to come, or so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                # No event tells of it.
                while not self.slack.on_loop(lambda: all(map(self._is_over, questions))):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
        await asyncio.sleep(0.2)  # for what is still done when the answer is there

    def _is_over(self, asked: Asked) -> bool:
        answers = self._answers(asked)
        return bool(answers) and not any(message.open for message in answers)

    def _answers(self, asked: Asked) -> list[Message]:
        thread = asked.channel.thread(asked.ts)
        return [message for message in thread if message.user == self.slack.bot.id and not message.deleted]

    def is_answered_once(self, asked: Asked) -> bool:
        """Whether there is one message in the thread, closed, with the answer to that question."""
        answers, sentence = self._answers(asked), self.brain.first.get(asked.text)
        return len(answers) == 1 and self._is_over(asked) and bool(sentence) and str(sentence) in answers[0].shown

    def times(self, asked: Asked) -> Times:
        """When what happened, of a question that was answered."""
        sent = min(delivery.made for delivery in self._deliveries(asked))
        calls = self._calls(asked)
        sentence = self.brain.first[asked.text]
        shown = min(at for method, args, at in calls if method.startswith("chat.") and sentence in str(args))
        requests = [request for request in self.claude.messages if asked.text in request.question]
        complete = next(at for name, at in requests[-1].sent if name == "content_block_stop")
        return Times(
            status=min(at for method, _, at in calls if method in CALLS_OF_STATUS) - sent,
            sentence=shown - complete,
            whole=max(at for method, _, at in calls if method.startswith("chat.")) - sent,
            claude=sum(request.sent[-1][1] - request.arrived for request in requests),
            search=sum(each["ended"] - each["began"] for each in self._searches if each["query"] == asked.text),
        )

    def slowest_ack(self, questions: Sequence[Asked]) -> float:
        """Seconds, of the events that told of these questions."""
        return max(each.ack_seconds or 0.0 for asked in questions for each in self._deliveries(asked))

    def processor(self, questions: Sequence[Asked]) -> float:
        """Seconds of processor time that the bot took for one of many questions, from the first search to the last."""
        texts = {asked.text for asked in questions}
        spent = [each["processor"] for each in self._searches if each["query"] in texts]
        return float(spent[-1] - spent[0]) / max(1, len(spent) - 1)

    def _deliveries(self, asked: Asked) -> list[Delivery]:
        return [each for each in self.slack.deliveries if each.payload.get("event", {}).get("ts") == asked.ts]

    def _calls(self, asked: Asked) -> list[tuple[str, dict[str, Any], float]]:
        """Method, arguments and time of arrival of the calls that are about a question's thread."""
        threads = {asked.ts, *(message.ts for message in self._answers(asked))}
        return [
            (call.method, call.args, call.at)
            for call in self.slack.calls
            if asked.channel.id in (call.args.get("channel"), call.args.get("channel_id"))
            and (call.args.get("thread_ts") in threads or call.args.get("ts") in threads)
        ]
