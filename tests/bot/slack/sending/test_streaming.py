"""An answer's messages: everything arrives, nothing twice, whatever becomes of Slack's streams."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from bot.answering.events import Answer, Event, Found, Reset, Searching, Text
from bot.slack.markup import safe_markdown
from bot.slack.sending.posting import Place, Poster
from bot.slack.sending.streaming import AnswerMessages
from bot.texts import ENGLISH
from tests.bot.slack.fake_client import DOWN, TOO_OFTEN, FakeSlack, refusal
from tests.bot.slack.sending.test_splitting import letters, paragraphs, table

pytestmark = pytest.mark.anyio

PLACE = Place("T1", "C1", "1700000000.000000", "U1")
FOOTER: list[dict[str, Any]] = [{"type": "context", "elements": [{"type": "plain_text", "text": "Sources"}]}]
LOST = aiohttp.ServerDisconnectedError()
LATER = refusal("ratelimited", 429, retry_after="99")


class Scene:
    """An answer's messages in a Slack of memory."""

    def __init__(self, slack: FakeSlack, place: Place = PLACE, **options: Any) -> None:
        self.slack = slack
        self.recorded: list[str] = []
        options = {"update_every": 0.01} | options
        self.poster = options.pop("poster", None) or Poster(slack.client, sleep=self._nap)
        self.messages = AnswerMessages(
            slack.client,
            self.poster,
            place,
            ENGLISH,
            "T1:C1:1.2:abc",
            sent=self._sent,
            **options,
        )

    async def _sent(self, ts: str) -> None:
        self.recorded.append(ts)

    async def _nap(self, seconds: float) -> None:
        await asyncio.sleep(0)

    async def take(self, *events: Event) -> None:
        """Give the events one by one, each shown before the next comes."""
        for event in events:
            self.messages.take(event)
            await self.settle()

    async def settle(self) -> None:
        """Wait until the writer has nothing more to do."""
        for _ in range(400):
            before = len(self.slack.calls)
            await asyncio.sleep(0.005)
            if len(self.slack.calls) == before:
                return

    async def finish(self, text: str, footer: list[dict[str, Any]] | None = None) -> tuple[str, ...]:
        return await self.messages.finish(Answer(text), FOOTER if footer is None else footer, "In plain words")

    def whole(self) -> str:
        return "\n\n".join(self.slack.shown())


@pytest.fixture
def slack() -> FakeSlack:
    return FakeSlack()


@pytest.fixture
def scene(slack: FakeSlack) -> Scene:
    return Scene(slack)


def sentences(count: int) -> list[str]:
    return [f"Statement {number} stands. [{number}] " for number in range(1, count + 1)]


async def test_an_answer_is_streamed_with_its_searches_and_sources(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Searching("root cause"), Found("root cause", 8, 3, 8), *map(Text, sentences(3)))
    sent = await scene.finish("".join(sentences(3)))
    (message,) = slack.messages.values()
    assert sent == tuple(scene.recorded) == (message.ts,)
    assert message.markdown == "".join(sentences(3)).strip()
    assert message.blocks == FOOTER
    assert not message.streaming
    assert [(task["title"], task["status"], task.get("output")) for task in message.tasks.values()] == [
        ("Searched “root cause”", "complete", "8 passages in 3 documents")
    ]
    assert message.metadata == {"event_type": "situate_part", "event_payload": {"key": "T1:C1:1.2:abc:0"}}
    (start,) = slack.named("chat_startStream")
    assert (start["recipient_user_id"], start["recipient_team_id"]) == ("U1", "T1")


async def test_a_sentence_is_shown_at_once_and_those_that_come_meanwhile_together(
    slack: FakeSlack, scene: Scene
) -> None:
    await scene.take(Text("One. "))
    slack.latency = 0.05
    began = time.monotonic()
    scene.messages.take(Text("Two. "))
    await asyncio.sleep(0.01)
    assert len(slack.named("chat_appendStream")) == 1
    for number in range(20):
        scene.messages.take(Text(f"More {number}. "))
    await asyncio.sleep(0.12)
    assert len(slack.named("chat_appendStream")) == 2
    assert slack.shown() == ["One. Two. " + "".join(f"More {n}. " for n in range(20)).strip()]
    assert time.monotonic() - began < 0.3
    await scene.finish(slack.shown()[0])


@pytest.mark.parametrize("characters", [3_001, 13_500, 60_000])
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_long_answer_goes_on_in_further_messages(
    characters: int, streamed: bool, slack: FakeSlack, scene: Scene
) -> None:
    text = paragraphs(characters)
    if streamed:
        for at in range(0, len(text), 70):
            scene.messages.take(Text(text[at : at + 70]))
            await asyncio.sleep(0)
            if at % 2_100 == 0:
                await scene.settle()
    sent = await scene.finish(text)
    assert list(slack.messages) == list(sent) == scene.recorded
    assert letters(scene.whole()) == letters(text)
    assert [bool(message.blocks) for message in slack.messages.values()] == [False] * (len(sent) - 1) + [True]
    assert not any(message.streaming for message in slack.messages.values())
    assert len(slack.named("chat_startStream")) == (len(sent) if streamed and characters > 3_001 else int(streamed))


@pytest.mark.parametrize(
    "text",
    [
        "x" * 9_000,
        "```python\n" + "\n".join(f"line_{n} = {n}" for n in range(2_000)) + "\n```\n\nDone.",
        "これは重要な文です。" * 2_000,
        f"Before.\n\n```\n{table(20)}\n```\n\nAfter.",
        f"Before.\n\n{table(60)}\n\nBetween.\n\n{table(60, cell='other')}\n\nAfter.",
        "if a < b && c: docs > setup",
    ],
)
async def test_what_is_hard_to_cut_arrives_whole(text: str, slack: FakeSlack) -> None:
    for pieces in (1, 7, 10_000):
        slack = FakeSlack()
        scene = Scene(slack)
        size = len(text) // pieces + 1
        for at in range(0, len(text), size):
            scene.messages.take(Text(text[at : at + size]))
            if pieces < 100:
                await scene.settle()
        await scene.finish(text)
        assert letters(scene.whole()) == letters(text)
        assert all(message.count("```") % 2 == 0 for message in slack.shown())


async def test_nothing_that_is_said_pings(slack: FakeSlack, scene: Scene) -> None:
    text = "Tell <!channel> and <@U123>, @here. "
    await scene.take(Searching("<!channel> @here"), Found("<!channel> @here", 0, 0, 0), Text(text))
    await scene.finish(text, [])
    assert slack.shown() == [safe_markdown(text).strip()]
    assert "<!channel>" not in str(slack.calls)
    assert "@here" not in str(slack.calls).replace("\\u2060", "\u2060").replace("@\u2060here", "")


FAULTS: dict[str, Callable[[FakeSlack], None]] = {
    "refused at the start": lambda slack: slack.fail("chat_startStream", refusal("not_allowed_token_type"), times=9),
    "unknown method": lambda slack: slack.fail("chat_startStream", refusal("unknown_method"), times=9),
    "too often at the start": lambda slack: slack.fail("chat_startStream", TOO_OFTEN, times=9),
    "start lost, not heard": lambda slack: slack.fail("chat_startStream", LOST),
    "start lost, but heard": lambda slack: slack.fail("chat_startStream", LOST, "after"),
    "down at the start": lambda slack: slack.fail("chat_startStream", DOWN, "after"),
    "dies at an append": lambda slack: close(slack, "chat_appendStream", "message_not_in_streaming_state"),
    "dies at its end": lambda slack: close(slack, "chat_stopStream", "message_not_in_streaming_state"),
    "append lost, not heard": lambda slack: slack.fail("chat_appendStream", LOST),
    "append lost, but heard": lambda slack: slack.fail("chat_appendStream", DOWN, "after"),
    "append too often": lambda slack: slack.fail("chat_appendStream", refusal("ratelimited", 429, retry_after="0")),
    "append far too often": lambda slack: slack.fail(
        "chat_appendStream", refusal("ratelimited", 429, retry_after="99")
    ),
    "too long": lambda slack: slack.fail("chat_appendStream", refusal("msg_too_long")),
    "stop lost, not heard": lambda slack: slack.fail("chat_stopStream", LOST),
    "stop lost, but heard": lambda slack: slack.fail("chat_stopStream", LOST, "after"),
    "stop too often": lambda slack: slack.fail("chat_stopStream", refusal("ratelimited", 429, retry_after="0")),
    "footer refused": lambda slack: slack.fail("chat_stopStream", refusal("invalid_blocks")),
    "status refused": lambda slack: slack.fail("assistant_threads_setStatus", refusal("missing_scope"), times=9),
    "sessions down": lambda slack: slack.fail("agents_sessions_setStatus", LOST, times=9),
    "update too often": lambda slack: close(slack, "chat_appendStream", then=("chat_update", TOO_OFTEN)),
    "update down": lambda slack: close(slack, "chat_appendStream", then=("chat_update", DOWN)),
    "post lost": lambda slack: post_lost(slack),
}


def post_lost(slack: FakeSlack) -> None:
    slack.fail("chat_startStream", refusal("unknown_method"), times=9)
    slack.fail("chat_postMessage", LOST, "after")


def close(
    slack: FakeSlack,
    method: str,
    error: str = "message_not_in_streaming_state",
    then: tuple[str, Exception] | None = None,
) -> None:
    """Slack closes the stream before the next call of ``method``; ``then`` is what fails next."""
    if then is not None:
        slack.fail(*then)

    def closing() -> None:
        for message in slack.messages.values():
            message.streaming, message.closed = False, error

    slack.before[method] = closing


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("characters", [150, 20_000])
async def test_whatever_becomes_of_a_stream_everything_arrives_once(
    fault: str, characters: int, slack: FakeSlack, scene: Scene
) -> None:
    text = paragraphs(characters)
    FAULTS[fault](slack)
    await scene.take(Searching("it"), Found("it", 1, 1, 1))
    third = len(text) // 3
    for at in (0, third, 2 * third):
        await scene.take(Text(text[at : at + third + (len(text) % 3 if at == 2 * third else 0)]))
    sent = await scene.finish(text)
    assert letters(scene.whole()) == letters(text)
    assert list(slack.messages) == list(sent)
    assert set(sent) <= set(scene.recorded)
    assert [bool(message.blocks) for message in slack.messages.values()] == [False] * (len(sent) - 1) + [True]
    assert not any(message.streaming for message in slack.messages.values())


async def test_too_often_at_the_start_is_not_waited_for(slack: FakeSlack, scene: Scene) -> None:
    slack.fail("chat_startStream", refusal("ratelimited", 429, retry_after="30"))
    began = time.monotonic()
    await scene.take(*map(Text, sentences(2)))
    assert time.monotonic() - began < 1
    other = Scene(slack, poster=scene.poster)
    await other.take(Text("Said. "))
    await other.finish("Said. ")
    await scene.finish("".join(sentences(2)))
    assert [name for name, _ in slack.calls if name.startswith("chat")] == ["chat_startStream"] + [
        "chat_postMessage"
    ] * 2
    assert slack.shown() == ["Said.", "".join(sentences(2)).strip()]


async def test_a_stream_is_ended_before_it_is_too_old(slack: FakeSlack) -> None:
    scene = Scene(slack, renew_after=0.05)
    await scene.take(Searching("it"), Text("First. "))
    await asyncio.sleep(0.1)
    (message,) = slack.messages.values()
    assert not message.streaming
    await scene.take(Text("Second. "))
    await scene.finish("First. Second. ")
    assert slack.shown() == ["First. Second."]
    assert {call["ts"] for call in slack.named("chat_update")} == set(scene.recorded)


async def test_what_is_taken_back_does_not_stay(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Text("Half sa"), Reset("Searching again."))
    assert slack.shown() == ["Searching again."]
    await scene.take(Text("All of it. "), Text("Said. "))
    assert slack.shown() == ["All of it. Said."]
    await scene.finish("All of it. Said. ")
    assert slack.shown() == ["All of it. Said."]
    assert len(slack.messages) == 1
    assert slack.messages[scene.recorded[0]].blocks == FOOTER


async def test_taking_back_before_anything_is_said_costs_nothing(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Searching("it"), Reset("Searching again."), Text("Said. "))
    await scene.finish("Said. ")
    assert slack.shown() == ["Said."]
    assert slack.named("chat_update") == []


async def test_further_messages_go_when_their_text_is_taken_back(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(*(Text(paragraphs(5_000) + "\n\n") for _ in range(4)))
    assert len(slack.messages) > 1
    await scene.take(Reset("Searching again."))
    assert slack.shown() == ["Searching again."]
    sent = await scene.finish("Short.")
    assert slack.shown() == ["Short."]
    assert list(slack.messages) == list(sent)


async def test_an_answer_other_than_what_was_streamed_wins(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Text("Something. "), Text("Else"))
    await scene.finish("The answer. [1]")
    assert slack.shown() == ["The answer. [1]"]


async def test_an_answer_that_was_not_streamed_is_posted(slack: FakeSlack, scene: Scene) -> None:
    (ts,) = await scene.finish("I found nothing.")
    (call,) = slack.named("chat_postMessage")
    assert call["blocks"] == [{"type": "markdown", "text": "I found nothing."}, *FOOTER]
    assert call["text"] == "In plain words"
    assert scene.recorded == [ts]
    assert slack.named("chat_startStream") == []


async def test_an_answer_without_text_is_its_footer_or_its_plain_words(slack: FakeSlack) -> None:
    first, second = Scene(slack), Scene(slack)
    await first.finish("")
    await second.finish("", [])
    assert [(message.blocks, message.text) for message in slack.messages.values()] == [
        (FOOTER, "In plain words"),
        ([], "In plain words"),
    ]


async def test_without_a_thread_nothing_is_streamed(slack: FakeSlack) -> None:
    scene = Scene(slack, Place("T1", "D1", None, "U1"))
    await scene.take(Searching("it"), Text("One. "), Text("Two. "))
    await scene.finish("One. Two. ")
    assert slack.shown() == ["One. Two."]
    assert {name for name, _ in slack.calls} == {"chat_postMessage", "chat_update"}


async def test_a_footer_that_does_not_fit_comes_in_a_message_of_its_own(slack: FakeSlack) -> None:
    big = [{"type": "section", "text": {"type": "plain_text", "text": "x" * 2_500}}]
    for streamed in (True, False):
        slack = FakeSlack()
        scene = Scene(slack)
        text = paragraphs(8_500 if streamed else 11_000)
        if streamed:
            await scene.take(Text(text))
        sent = await scene.finish(text, big)
        assert list(slack.messages) == list(sent) == scene.recorded
        assert [bool(message.blocks) for message in slack.messages.values()] == [False, True]
        assert slack.messages[sent[-1]].text == "In plain words"


async def test_a_second_ending_changes_the_footer_of_its_own_message(slack: FakeSlack, scene: Scene) -> None:
    text = paragraphs(11_000)
    for size, messages in ((2_500, 2), (2_600, 2), (100, 1)):
        footer = [{"type": "section", "text": {"type": "plain_text", "text": "x" * size}}]
        sent = await scene.finish(text, footer)
        assert list(slack.messages) == list(sent)
        assert len(sent) == messages
        assert slack.messages[sent[-1]].blocks == footer
    assert letters(scene.whole()) == letters(text)


async def test_appends_that_are_too_many_wait_together(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Text("One. "))
    slack.fail("chat_appendStream", refusal("ratelimited", 429, retry_after="1"))
    await scene.take(Text("Two. "), Text("Three. "), Text("Four. "))
    assert len(slack.named("chat_appendStream")) == 1
    await asyncio.sleep(1.1)
    assert len(slack.named("chat_appendStream")) == 2
    assert slack.shown() == ["One. Two. Three. Four."]
    await scene.finish("One. Two. Three. Four. ")


async def test_a_stop_in_slack_is_noticed_and_what_was_said_stays(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Text("First. "))
    assert not scene.messages.stopped
    close(slack, "chat_appendStream", "stopped_by_user")
    await scene.take(Text("Second. "))
    assert scene.messages.stopped
    sent = await scene.messages.stop(FOOTER)
    assert slack.shown() == ["First. Second."]
    assert slack.messages[sent[0]].blocks == FOOTER


async def test_stopping_ends_what_goes_on(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Searching("it"), Text("First. "))
    await scene.messages.stop(FOOTER)
    (message,) = slack.messages.values()
    assert (message.markdown, message.blocks, message.streaming) == ("First.", FOOTER, False)
    assert [task["status"] for task in message.tasks.values()] == ["complete"]


async def test_stopping_before_anything_is_shown_says_so(slack: FakeSlack, scene: Scene) -> None:
    scene.messages.begin()
    await scene.messages.stop(FOOTER, "Stopped")
    assert [(message.blocks, message.text) for message in slack.messages.values()] == [(FOOTER, "Stopped")]


async def test_what_a_crashed_process_left_is_used_on(slack: FakeSlack) -> None:
    first = Scene(slack)
    await first.take(*(Text(paragraphs(5_000) + "\n\n") for _ in range(4)))
    left = tuple(first.recorded)
    assert len(left) == 3
    await first.messages.abandon()
    second = Scene(slack, earlier=left)
    second.messages.begin()
    await second.settle()
    assert slack.shown() == ["Searching again."]
    await second.take(Searching("it"), Text("Said at last. "))
    sent = await second.finish("Said at last. ")
    assert sent == (left[0],)
    assert slack.shown() == ["Said at last."]
    assert slack.messages[left[0]].blocks == FOOTER


async def test_what_a_process_died_before_recording_is_found(slack: FakeSlack) -> None:
    first = Scene(slack)
    await first.take(Searching("it"), *(Text(paragraphs(5_000) + "\n\n") for _ in range(4)))
    await first.messages.abandon()
    second = Scene(slack, earlier=(first.recorded[2],))
    sent = await second.finish("Said at last. ")
    assert list(slack.messages) == list(sent) == [first.recorded[2]]


async def test_what_is_gone_is_posted_anew(slack: FakeSlack) -> None:
    scene = Scene(slack, earlier=("1.000001",))
    sent = await scene.finish("Said.")
    assert slack.shown() == ["Said."]
    assert list(slack.messages) == list(sent)
    assert scene.recorded == list(sent)


async def test_what_slack_does_not_let_us_change_is_replaced(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Text("Half sa"))
    slack.fail("chat_update", refusal("block_mismatch"))
    await scene.take(Reset("Searching again."), Text("Said. "))
    sent = await scene.finish("Said. ")
    assert slack.shown() == ["Said."]
    assert list(slack.messages) == list(sent) == scene.recorded[-1:]


async def test_a_dropped_question_leaves_nothing(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(*(Text(paragraphs(5_000) + "\n\n") for _ in range(3)))
    await scene.messages.abandon(delete=True)
    assert slack.messages == {}


async def test_an_answer_can_be_finished_again(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Text("Said. "))
    await scene.finish("Said. ")
    await scene.finish("It could not be kept.", [])
    assert slack.shown() == ["It could not be kept."]
    assert slack.messages[scene.recorded[0]].blocks == []


async def test_the_status_is_shown_and_taken_away_by_a_message(slack: FakeSlack, scene: Scene) -> None:
    scene.messages.begin()
    await scene.settle()
    scene.messages.status("Reading plan.pdf")
    await scene.take(Searching("it"))
    await scene.finish("Said.")
    await scene.settle()
    said = [call["status"] for call in slack.named("assistant_threads_setStatus")]
    assert said[:2] == [ENGLISH.say("at_work"), "Reading plan.pdf"]
    assert [call["status"] for call in slack.named("agents_sessions_setStatus")] == ["processing", "active"]


async def test_where_no_stream_shows_the_searches_the_status_does(slack: FakeSlack, scene: Scene) -> None:
    slack.fail("chat_startStream", refusal("unknown_method"))
    await scene.take(Searching("it"), Found("it", 2, 1, 2), Searching("more"))
    await scene.messages.abandon(delete=True)
    await scene.settle()
    said = [call["status"] for call in slack.named("assistant_threads_setStatus")]
    assert said[-3:] == ["Reading 2 passages …", "Searching for “more” …", ""]


async def test_a_status_that_came_after_the_message_is_cleared(slack: FakeSlack, scene: Scene) -> None:
    await scene.take(Text("Said. "))
    scene.messages.status("Reading plan.pdf")
    await scene.settle()
    await scene.finish("Said. ")
    await scene.settle()
    assert [call["status"] for call in slack.named("assistant_threads_setStatus")][-2:] == ["Reading plan.pdf", ""]


async def test_a_direct_conversation_that_takes_no_recipients_is_streamed_all_the_same(slack: FakeSlack) -> None:
    scene = Scene(slack, Place("T1", "D1", "1700000000.000000", "U1"))
    slack.fail("chat_startStream", refusal("invalid_arguments"))
    await scene.take(Text("Said. "))
    await scene.finish("Said. ")
    assert [("recipient_user_id" in call) for call in slack.named("chat_startStream")] == [True, False]
    assert slack.shown() == ["Said."]
