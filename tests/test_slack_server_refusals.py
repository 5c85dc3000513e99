"""What the stand-in for Slack refuses, each with Slack's own error, and what it takes at the very limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.block_kit import markdown, plain, section
from tests.slack_server import JSON, Channel, Person, SlackServer, modals

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Place:
    """One server for the whole module, and what the cases refer to."""

    slack: SlackServer
    ana: Person
    channel: Channel
    archived: Channel
    elsewhere: Channel
    hidden: Channel
    direct: Channel
    question: str
    reply: str
    gone: str


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with SlackServer() as slack:
        slack.allow_all()
        ana = slack.person("Ana")
        channel = slack.channel("general")
        question = slack.says(ana, channel, "A question")
        reply = slack.says(ana, channel, "A reply", thread=question)
        gone = slack.says(ana, channel, "Never mind")
        slack.deletes(ana, channel, gone)
        yield Place(
            slack,
            ana,
            channel,
            slack.channel("old", archived=True),
            slack.channel("elsewhere", with_bot=False),
            slack.channel("hidden", private=True, with_bot=False),
            slack.direct(ana),
            question,
            reply,
            gone,
        )
        assert not slack.mistakes


@pytest.fixture
def client(place: Place) -> AsyncWebClient:
    place.slack.violations.clear()
    return AsyncWebClient(token=place.slack.bot_token, base_url=place.slack.api_url, retry_handlers=[])


Call = tuple[str, Callable[[Place], JSON]]
STREAM = "a stream"  # stands for the ts of an open stream
TEXT_STREAM = "a text stream"
CHUNK_STREAM = "a chunk stream"
CLOSED = "a closed stream"
POSTED = "a message of the app's"
TRIGGER = "a trigger"
VIEW: JSON = {"type": "modal", "title": plain("T"), "blocks": [section()]}


def post(**args: Any) -> Call:
    return ("chat.postMessage", lambda place: {"channel": place.channel.id, **args})


def streamed(method: str, ts: str, **args: Any) -> Call:
    return (f"chat.{method}Stream", lambda place: {"channel": place.channel.id, "ts": ts, **args})


def begun(**args: Any) -> Call:
    def arguments(place: Place) -> JSON:
        recipients = {"recipient_user_id": place.ana.id, "recipient_team_id": place.slack.team_id}
        return {"channel": place.channel.id, "thread_ts": place.question, **recipients, **args}

    return ("chat.startStream", arguments)


def opened(**view: Any) -> Call:
    return ("views.open", lambda place: {"trigger_id": TRIGGER, "view": {**VIEW, **view}})


def chunk(**fields: Any) -> JSON:
    return {"chunks": [fields]}


BLOCKS_TOGETHER = [section("x" * 3000) for _ in range(4)] + [section("x" * 1201)]
REFUSED: dict[str, tuple[str, Call]] = {
    "nothing to say": ("no_text", post()),
    "only blanks": ("no_text", post(text=" \n")),
    "markdown with text": ("markdown_text_conflict", post(markdown_text="x", text="x")),
    "markdown with blocks": ("markdown_text_conflict", post(markdown_text="x", blocks=[section()])),
    "markdown of 12,001": ("msg_too_long", post(markdown_text="x" * 12_001)),
    "text of all blocks": ("msg_blocks_too_long", post(text="x", blocks=BLOCKS_TOGETHER)),
    "blocks that are no list": ("invalid_arguments", post(text="x", blocks={"type": "divider"})),
    "metadata without payload": ("invalid_metadata_format", post(text="x", metadata={"event_type": "x"})),
    "an unknown argument": ("invalid_arguments", post(text="x", colour="red")),
    "an argument of the wrong type": ("invalid_arguments", post(text="x", unfurl_links="maybe")),
    "a thread_ts that is none": ("invalid_arguments", post(text="x", thread_ts="yesterday")),
    "a missing argument": ("invalid_arguments", ("chat.postMessage", lambda place: {"text": "x"})),
    "no such channel": ("channel_not_found", ("chat.postMessage", lambda p: {"channel": "C9", "text": "x"})),
    "not in there": ("not_in_channel", ("chat.postMessage", lambda p: {"channel": p.elsewhere.id, "text": "x"})),
    "out of sight": ("channel_not_found", ("chat.postMessage", lambda p: {"channel": p.hidden.id, "text": "x"})),
    "an archived channel": ("is_archived", ("chat.postMessage", lambda p: {"channel": p.archived.id, "text": "x"})),
    "whisper to nobody there": (
        "user_not_in_channel",
        ("chat.postEphemeral", lambda p: {"channel": p.channel.id, "user": "U9", "text": "x"}),
    ),
    "update others' words": (
        "cant_update_message",
        ("chat.update", lambda p: {"channel": p.channel.id, "ts": p.question, "text": "x"}),
    ),
    "update with 4,001": (
        "msg_too_long",
        ("chat.update", lambda p: {"channel": p.channel.id, "ts": POSTED, "text": "x" * 4001}),
    ),
    "update an open stream": (
        "streaming_state_conflict",
        ("chat.update", lambda p: {"channel": p.channel.id, "ts": STREAM, "text": "x"}),
    ),
    "update what never was": (
        "message_not_found",
        ("chat.update", lambda p: {"channel": p.channel.id, "ts": "1.000001", "text": "x"}),
    ),
    "delete others' words": (
        "cant_delete_message",
        ("chat.delete", lambda p: {"channel": p.channel.id, "ts": p.question}),
    ),
    "delete an open stream": (
        "cant_delete_message",
        ("chat.delete", lambda p: {"channel": p.channel.id, "ts": STREAM}),
    ),
    "a stream without thread": ("invalid_arguments", begun(thread_ts=None)),
    "a stream for nobody": ("missing_recipient_user_id", begun(recipient_user_id=None)),
    "a stream for no team": ("missing_recipient_team_id", begun(recipient_team_id=None)),
    "a stream of both": ("cannot_provide_both_markdown_text_and_chunks", begun(markdown_text="x", chunks=[])),
    "an unknown display": ("invalid_arguments", begun(task_display_mode="cinema")),
    "append nothing": ("no_text", streamed("append", STREAM)),
    "append to a closed stream": ("message_not_in_streaming_state", streamed("append", CLOSED, markdown_text="x")),
    "append to no stream": ("message_not_in_streaming_state", streamed("append", POSTED, markdown_text="x")),
    "stop twice, with text": ("message_not_in_streaming_state", streamed("stop", CLOSED, markdown_text="x")),
    "10,601 bytes in a stream": ("msg_too_long", streamed("append", STREAM, markdown_text="é" * 5300 + "x")),
    "12,001 characters at once": ("msg_too_long", streamed("append", STREAM, markdown_text="x" * 12_001)),
    "chunks into text": (
        "streaming_mode_mismatch",
        streamed("append", TEXT_STREAM, **chunk(type="markdown_text", text="x")),
    ),
    "text into chunks": ("streaming_mode_mismatch", streamed("append", CHUNK_STREAM, markdown_text="x")),
    "an unknown chunk": ("invalid_chunks", streamed("append", STREAM, **chunk(type="song", text="x"))),
    "an unknown field of a chunk": (
        "invalid_chunks",
        streamed("append", STREAM, **chunk(type="task_update", id="1", title="x", status="complete", icon="x")),
    ),
    "a task without status": (
        "invalid_chunks",
        streamed("append", STREAM, **chunk(type="task_update", id="1", title="x")),
    ),
    "a status that is none": (
        "invalid_chunks",
        streamed("append", STREAM, **chunk(type="task_update", id="1", title="x", status="done")),
    ),
    "a task's title of 257": (
        "invalid_chunks",
        streamed("append", STREAM, **chunk(type="task_update", id="1", title="x" * 257, status="complete")),
    ),
    "blocks of a stop": ("invalid_blocks", streamed("stop", STREAM, blocks=[section("x" * 3001)])),
    "a session's wrong end": ("invalid_arguments", streamed("stop", STREAM, session_status="finished")),
    "no trigger": ("invalid_arguments", ("views.open", lambda p: {"view": VIEW})),
    "an unknown trigger": ("invalid_trigger_id", ("views.open", lambda p: {"view": VIEW, "trigger_id": "1.2.3"})),
    "push upon nothing": ("invalid_trigger_id", ("views.push", lambda p: {"view": VIEW, "trigger_id": TRIGGER})),
    "a title of 25": ("invalid_arguments", opened(title=plain("x" * 25))),
    "a submit of 25": ("invalid_arguments", opened(submit=plain("x" * 25))),
    "a modal without title": ("invalid_arguments", opened(title=None)),
    "private metadata of 3,001": ("invalid_arguments", opened(private_metadata="x" * 3001)),
    "callback_id of 256": ("invalid_arguments", opened(callback_id="x" * 256)),
    "101 blocks": ("invalid_arguments", opened(blocks=[section()] * 101)),
    "no blocks": ("invalid_arguments", opened(blocks=[])),
    "a modal's unknown field": ("invalid_arguments", opened(size="large")),
    "markdown in a modal": ("invalid_arguments", opened(blocks=[markdown("x")])),
    "an input without submit": (
        "invalid_arguments",
        opened(blocks=[{"type": "input", "label": plain("L"), "element": {"type": "plain_text_input"}}]),
    ),
    "eleven loading messages": (
        "invalid_arguments",
        (
            "assistant.threads.setStatus",
            lambda p: {
                "channel_id": p.channel.id,
                "thread_ts": p.question,
                "status": "…",
                "loading_messages": ["x"] * 11,
            },
        ),
    ),
    "a status nowhere": (
        "invalid_thread_ts",
        (
            "assistant.threads.setStatus",
            lambda p: {"channel_id": p.channel.id, "thread_ts": "1.000001", "status": "…"},
        ),
    ),
    "a session's unknown status": (
        "invalid_arguments",
        (
            "agents.sessions.setStatus",
            lambda p: {"channel_id": p.channel.id, "thread_ts": p.question, "status": "busy"},
        ),
    ),
    "five prompts": (
        "invalid_arguments",
        (
            "assistant.threads.setSuggestedPrompts",
            lambda p: {"channel_id": p.direct.id, "prompts": [{"title": "x", "message": "x"}] * 5},
        ),
    ),
    "no such thread": (
        "thread_not_found",
        ("conversations.replies", lambda p: {"channel": p.channel.id, "ts": "1.000001"}),
    ),
    "no such person": ("user_not_found", ("users.info", lambda p: {"user": "U9"})),
    "no such file": ("file_not_found", ("files.info", lambda p: {"file": "F9"})),
    "a made-up cursor": (
        "invalid_cursor",
        ("conversations.members", lambda p: {"channel": p.channel.id, "cursor": "next"}),
    ),
    "no such method": ("unknown_method", ("chat.shout", lambda p: {"text": "x"})),
}


async def the_stream(client: AsyncWebClient, place: Place, **content: Any) -> str:
    started = await client.chat_startStream(
        channel=place.channel.id,
        thread_ts=place.question,
        recipient_user_id=place.ana.id,
        recipient_team_id=place.slack.team_id,
        **content,
    )
    return str(started["ts"])


async def stand_in(client: AsyncWebClient, place: Place, name: str) -> str:
    """The real thing that a case's placeholder stands for."""
    if name == TRIGGER:
        return place.slack.on_loop(lambda: place.slack.new_trigger(place.ana.id))
    if name == POSTED:
        return str((await client.chat_postMessage(channel=place.channel.id, text="x"))["ts"])
    if name == TEXT_STREAM:
        return await the_stream(client, place, markdown_text="x")
    if name == CHUNK_STREAM:
        return await the_stream(client, place, chunks=[{"type": "markdown_text", "text": "x"}])
    ts = await the_stream(client, place)
    if name == CLOSED:
        await client.chat_stopStream(channel=place.channel.id, ts=ts)
    return ts


@pytest.mark.parametrize(("error", "call"), REFUSED.values(), ids=REFUSED)
async def test_wrong_calls_are_refused_as_slack_refuses_them(
    client: AsyncWebClient, place: Place, error: str, call: Call
) -> None:
    method, arguments = call
    args = {name: value for name, value in arguments(place).items() if value is not None}
    for name, value in args.items():
        if value in (STREAM, TEXT_STREAM, CHUNK_STREAM, CLOSED, POSTED, TRIGGER):
            args[name] = await stand_in(client, place, str(value))
    if "view" in args:
        args["view"] = {name: value for name, value in args["view"].items() if value is not None}
    place.slack.violations.clear()
    with pytest.raises(SlackApiError) as refused:
        await client.api_call(method, json=args)
    assert refused.value.response["error"] == error
    assert [what.split(": ")[:2] for what in place.slack.violations] == [[method, error]]


@pytest.mark.parametrize(
    ("token", "method", "error"),
    [
        ("", "auth.test", "not_authed"),
        ("xoxb-of-somebody-else", "auth.test", "invalid_auth"),
        ("app", "auth.test", "not_allowed_token_type"),
        ("bot", "apps.connections.open", "not_allowed_token_type"),
    ],
)
async def test_wrong_tokens_are_refused(place: Place, token: str, method: str, error: str) -> None:
    known = {"app": place.slack.app_token, "bot": place.slack.bot_token}
    client = AsyncWebClient(token=known.get(token, token) or None, base_url=place.slack.api_url)
    with pytest.raises(SlackApiError) as refused:
        await client.api_call(method)
    assert refused.value.response["error"] == error


async def test_missing_scopes_are_named(client: AsyncWebClient, place: Place) -> None:
    place.slack.scopes.discard("chat:write")
    try:
        with pytest.raises(SlackApiError) as refused:
            await client.chat_postMessage(channel=place.channel.id, text="x")
    finally:
        place.slack.scopes.add("chat:write")
    assert refused.value.response["error"] == "missing_scope"
    assert refused.value.response["needed"] == "chat:write"
    assert "channels:history" in refused.value.response["provided"].split(",")


async def test_a_kind_of_conversation_needs_its_own_scope(client: AsyncWebClient, place: Place) -> None:
    place.slack.scopes.discard("im:history")
    try:
        with pytest.raises(SlackApiError) as refused:
            await client.conversations_history(channel=place.direct.id)
        await client.conversations_history(channel=place.channel.id)
    finally:
        place.slack.scopes.add("im:history")
    assert refused.value.response["needed"] == "im:history"


async def test_a_trigger_is_good_once_and_for_three_seconds(
    client: AsyncWebClient, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger = await stand_in(client, place, TRIGGER)
    await client.views_open(trigger_id=trigger, view=VIEW)
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await client.views_open(trigger_id=trigger, view=VIEW)
    monkeypatch.setattr(modals, "TRIGGER_SECONDS", 0.0)
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await client.views_open(trigger_id=await stand_in(client, place, TRIGGER), view=VIEW)
    assert modals.TRIGGER_SECONDS == 0.0
