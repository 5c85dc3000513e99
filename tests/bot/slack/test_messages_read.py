"""A thread is read to its last reply or not at all, however Slack pages; a message is found however it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.adding import messages
from bot.slack.adding.messages import message, thread
from bot.slack.adding.not_added import NotAdded

pytestmark = pytest.mark.anyio

ROOT, REPLY, LAST = "1700000000.000100", "1700000001.000100", "1700000002.000100"

Answer = dict[str, Any] | Exception


def said(ts: str, text: str = "?", **fields: Any) -> dict[str, Any]:
    return {"ts": ts, "user": "U1", "text": text, **fields}


def page(*told: dict[str, Any], cursor: str = "", more: bool | None = None) -> dict[str, Any]:
    has_more = bool(cursor) if more is None else more
    return {"messages": list(told), "has_more": has_more, "response_metadata": {"next_cursor": cursor}}


def refused(error: str) -> SlackApiError:
    return SlackApiError("refused", {"ok": False, "error": error})  # type: ignore[no-untyped-call]  # the SDK's


class Slack:
    """Answers ``conversations.replies`` and ``conversations.history`` in turn, and records what it was asked."""

    def __init__(self, *replies: Answer, history: Answer | None = None) -> None:
        self._replies = list(replies)
        self._history = page() if history is None else history
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def conversations_replies(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(("replies", asked))
        return self._told(self._replies.pop(0))

    async def conversations_history(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(("history", asked))
        return self._told(self._history)

    def _told(self, answer: Answer) -> dict[str, Any]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def client(self) -> AsyncWebClient:
        return cast("AsyncWebClient", self)


async def test_a_thread_is_read_over_all_pages_each_message_once_and_by_time() -> None:
    root, reply, last = said(ROOT), said(REPLY, thread_ts=ROOT), said(LAST, thread_ts=ROOT)
    slack = Slack(page(root, last, cursor="next"), page(root, reply))
    assert await thread(slack.client, "C1", ROOT, "it") == (root, reply, last)
    assert [(asked["ts"], asked["cursor"]) for _, asked in slack.asked] == [(ROOT, None), (ROOT, "next")]


async def test_a_message_without_replies_is_a_thread_of_one() -> None:
    assert await thread(Slack(page(said(ROOT))).client, "C1", ROOT, "it") == (said(ROOT),)


async def test_of_a_reply_the_whole_thread_is_read_where_slack_gives_the_reply_alone() -> None:
    root, reply = said(ROOT, thread_ts=ROOT), said(REPLY, thread_ts=ROOT)
    slack = Slack(page(reply), page(root, reply))
    assert await thread(slack.client, "C1", REPLY, "it") == (root, reply)
    assert [asked["ts"] for _, asked in slack.asked] == [REPLY, ROOT]


@pytest.mark.parametrize(
    ("answers", "key"),
    [
        ([page(said(ROOT), more=True)], "message_not_read"),
        ([page(said(ROOT), cursor="next"), refused("ratelimited")], "message_not_read"),
        ([page(said(ROOT), cursor="next"), refused("fatal_error")], "message_not_read"),
        ([page(said(ROOT), cursor="next"), aiohttp.ClientError()], "message_not_read"),
        ([ValueError("no object")], "message_not_read"),
        ([page()], "message_gone"),
        ([refused("thread_not_found")], "message_gone"),
        ([refused("channel_not_found")], "message_out_of_sight"),
        ([refused("not_in_channel")], "message_out_of_sight"),
        ([refused("missing_scope")], "message_no_scope"),
    ],
)
async def test_half_a_thread_is_never_taken_for_one(answers: list[Answer], key: str) -> None:
    with pytest.raises(NotAdded) as told:
        await thread(Slack(*answers).client, "C1", ROOT, "the minutes")
    assert (told.value.key, told.value.values) == (key, {"name": "the minutes"})


async def test_a_slack_that_does_not_answer_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "SECONDS", 0.01)

    class Silent(Slack):
        async def conversations_replies(self, **asked: Any) -> dict[str, Any]:
            return await asyncio.Event().wait() and {}

    with pytest.raises(NotAdded, match="message_not_read"):
        await thread(Silent().client, "C1", ROOT, "it")


WAYS: dict[str, Callable[[], Slack]] = {
    "the reply alone": lambda: Slack(page(said(REPLY, "that one", thread_ts=ROOT))),
    "with its root": lambda: Slack(page(said(ROOT), said(REPLY, "that one", thread_ts=ROOT))),
    "on the second page": lambda: Slack(page(said(ROOT), cursor="n"), page(said(REPLY, "that one", thread_ts=ROOT))),
    "in the channel": lambda: Slack(refused("thread_not_found"), history=page(said(REPLY, "that one"))),
    "in the channel, after an empty thread": lambda: Slack(page(), history=page(said(REPLY, "that one"))),
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_message_is_found_however_slack_tells_it(way: str) -> None:
    assert (await message(WAYS[way]().client, "C1", REPLY, "it"))["text"] == "that one"


async def test_another_message_is_not_taken_for_the_one_that_is_gone() -> None:
    slack = Slack(page(said(ROOT), said(LAST)), history=page(said(ROOT)))
    with pytest.raises(NotAdded, match="message_gone"):
        await message(slack.client, "C1", REPLY, "it")
    assert [how for how, _ in slack.asked] == ["replies", "history"]
