"""Whatever Slack does, in whatever order: an answer's messages end by saying the answer, once."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answering.events import Event, Found, Reset, Searching, Text
from bot.slack.sending import posting, streams
from tests.bot.slack.fake_client import DOWN, FakeSlack, Fault, refusal
from tests.bot.slack.sending.test_splitting import letters, paragraphs
from tests.bot.slack.sending.test_streaming import FOOTER, Scene

SOON = refusal("ratelimited", 429, retry_after="0")
LOST = [Fault(error, when) for error in (aiohttp.ServerDisconnectedError(), DOWN) for when in ("before", "after")]
FAULTS = {
    "chat_startStream": [*LOST, Fault(SOON), Fault(refusal("unknown_method"))],
    "chat_appendStream": [*LOST, Fault(SOON), Fault(refusal("msg_too_long"))],
    "chat_stopStream": [*LOST, Fault(SOON)],
    "chat_update": [*LOST, Fault(SOON), Fault(refusal("block_mismatch"))],
    "chat_postMessage": [*LOST, Fault(SOON)],
    "chat_delete": [*LOST, Fault(SOON)],
    "conversations_replies": [*LOST, Fault(SOON)],
}
TEXTS = ["One. [1] ", "これは重要。", paragraphs(3_000) + "\n\n", "```py\n" + "a line of code\n" * 300 + "```\n\n"]
EVENTS: list[Event] = [Searching("it"), Found("it", 1, 1, 1), Reset("Again."), *map(Text, TEXTS), *map(Text, TEXTS)]
COMES = st.lists(st.tuples(st.sampled_from(EVENTS), st.sampled_from([None, 0.0, 0.002])), max_size=10)
GOES_WRONG = st.fixed_dictionaries(
    {method: st.lists(st.none() | st.sampled_from(faults), max_size=4) for method, faults in FAULTS.items()}
)


@settings(max_examples=60)
@given(COMES, GOES_WRONG, st.sampled_from([0.01, 5.0]), st.sampled_from([None, "", "Another answer."]))
def test_the_answer_is_said_once_whatever_goes_wrong(
    comes: list[tuple[Event, float | None]],
    goes_wrong: dict[str, list[Fault | None]],
    renew_after: float,
    other: str | None,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "LOOK_AFTER", 0.0)
        patch.setattr(streams, "SHORTEST_WAIT", 0.001)
        patch.setattr(posting, "LOOK_AFTER", 0.001)
        asyncio.run(_answer(comes, goes_wrong, renew_after, other))


async def _answer(
    comes: list[tuple[Event, float | None]],
    goes_wrong: dict[str, list[Fault | None]],
    renew_after: float,
    other: str | None,
) -> None:
    slack = FakeSlack()
    slack.faults.update({method: list(faults) for method, faults in goes_wrong.items()})
    scene = Scene(slack, update_every=0.001, renew_after=renew_after)
    text = ""
    for event, pause in comes:
        text = "" if isinstance(event, Reset) else text + event.text if isinstance(event, Text) else text
        scene.messages.take(event)
        if pause is not None:
            await asyncio.sleep(pause)
    text = text if other is None else other
    sent = await scene.finish(text)
    assert letters(scene.whole()) == letters(text)
    assert list(slack.messages) == list(sent)
    assert set(sent) <= set(scene.recorded)
    assert not any(message.streaming for message in slack.messages.values())
    assert [message.blocks for message in slack.messages.values()] == [[]] * (len(sent) - 1) + [FOOTER]
