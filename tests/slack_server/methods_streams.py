"""The Web API's streams: text and tasks that are appended to a message until it is stopped."""

from __future__ import annotations

import time
from typing import Any, Literal

from tests.slack_server.blocks import MARKDOWN_LIMIT, Limits, message_blocks
from tests.slack_server.checking import Checker
from tests.slack_server.clicking import Clicking
from tests.slack_server.content import Content, check_metadata, check_pings
from tests.slack_server.errors import JSON, Refused, invalid_arguments
from tests.slack_server.messages import Message, Stream
from tests.slack_server.records import Status
from tests.slack_server.world import Channel

TASK_LIMIT = 256
STATUSES = ("active", "processing", "suspended", "closed")
_TASK = "details output sources"


def start(slack: Clicking, args: JSON) -> JSON:
    channel = slack.writable(args["channel"])
    recipients = [args.get("recipient_user_id"), args.get("recipient_team_id")]
    if channel.kind != "im":
        for name in ("recipient_user_id", "recipient_team_id"):
            if not args.get(name):
                raise Refused(f"missing_{name}")
    elif slack.refuses_recipients_in_direct and any(recipients):
        raise Refused("invalid_arguments", "no recipients in a direct conversation", blameless=True)
    if args.get("task_display_mode") not in (None, "timeline", "plan"):
        raise invalid_arguments("task_display_mode must be timeline or plan")
    if recipients[0] and recipients[0] not in slack.people:
        raise Refused("user_not_found")
    thread = slack.place("chat.startStream", channel, args["thread_ts"])
    message = slack.own(channel.id, Content(), thread)
    message.stream = Stream(time.monotonic() + slack.stream_seconds * slack.clock_factor, recipients[0])
    _append(slack, "chat.startStream", message, args)
    channel.messages[message.ts] = message
    message.note()
    slack.announce(message, channel)
    return {"channel": channel.id, "ts": message.ts}


def append(slack: Clicking, args: JSON) -> JSON:
    channel, message = _open(slack, args, "chat.appendStream")
    if args.get("markdown_text") is None and args.get("chunks") is None:
        raise Refused("no_text", "markdown_text or chunks is required")
    _append(slack, "chat.appendStream", message, args)
    message.note()
    return {"channel": channel.id, "ts": message.ts}


def stop(slack: Clicking, args: JSON) -> JSON:
    channel, message = _open(slack, args, "chat.stopStream")
    status = args.get("session_status", "active")
    if status not in STATUSES:
        raise invalid_arguments(f"session_status must be one of {', '.join(STATUSES)}")
    metadata = check_metadata(args.get("metadata"))
    blocks = []
    if args.get("blocks") is not None:
        shown = len(message.markdown) + len(str(args.get("markdown_text") or ""))
        blocks = message_blocks(args["blocks"], Limits(slack.block_text_limit), more_text=shown)
        check_pings(slack, "chat.stopStream", [], blocks)
    before = message.as_json()
    _append(slack, "chat.stopStream", message, args)
    message.blocks, message.metadata = blocks, metadata
    assert message.stream is not None
    message.stream.ended = "stopped"
    message.note()
    slack.statuses.append(Status(time.monotonic(), channel.id, message.root, status, "session"))
    session = slack.sessions.get((channel.id, message.root))
    if session is not None:
        session.status = status
    if slack.echoes:
        slack.changed(channel, message, before)
    return {"channel": channel.id, "ts": message.ts, "message": message.as_json()}


def _open(slack: Clicking, args: JSON, method: str) -> tuple[Channel, Message]:
    """The stream that is still open; else the refusal that tells why not."""
    channel = slack.writable(args["channel"])
    message = slack.own_message(channel, args["ts"], "message_not_owned_by_app")
    stream = message.stream
    # An app that cannot know how a stream was left (its process died, an answer was lost) ends it to make sure.
    makes_sure = method == "chat.stopStream" and not any(
        args.get(name) for name in ("markdown_text", "chunks", "blocks")
    )
    if stream is None:
        raise Refused("message_not_in_streaming_state", "it never was a stream", blameless=makes_sure)
    if stream.state == "stopped_by_user" and method == "chat.appendStream":
        raise Refused("stopped_by_user", blameless=True)
    if stream.state != "open":
        raise Refused("message_not_in_streaming_state", blameless=makes_sure or stream.state != "stopped")
    return channel, message


def _append(slack: Clicking, method: str, message: Message, args: JSON) -> None:
    """Check everything that comes, then take it; a refusal takes nothing."""
    stream = message.stream
    assert stream is not None
    text, chunks = args.get("markdown_text"), args.get("chunks")
    if text is not None and chunks is not None:
        raise Refused("cannot_provide_both_markdown_text_and_chunks")
    if text is not None and len(text) > MARKDOWN_LIMIT:
        raise Refused("msg_too_long", f"markdown_text of {len(text)} characters")
    mode: Literal["text", "chunks"] | None = "text" if text is not None else "chunks" if chunks else None
    if mode is not None and stream.mode not in (None, mode):
        raise Refused("streaming_mode_mismatch", f"the stream was begun with {stream.mode}")
    check_chunks(slack, method, chunks or [])
    texts = [text or "", *(chunk["text"] for chunk in chunks or [] if chunk["type"] == "markdown_text")]
    size = len((message.markdown + "".join(texts)).encode())
    if size > slack.stream_bytes:
        raise Refused("msg_too_long", f"{size} bytes in one stream")
    tail = message.markdown[-40:]
    check_pings(slack, method, [tail + "".join(texts)], [])
    stream.mode = mode or stream.mode
    if text:
        _text(message, text)
    for chunk in chunks or []:
        _take(message, stream, chunk)


def _text(message: Message, text: str) -> None:
    if message.parts and message.parts[-1][0] == "text":
        message.parts[-1] = ("text", message.parts[-1][1] + text)
    else:
        message.parts.append(("text", text))


def _take(message: Message, stream: Stream, chunk: JSON) -> None:
    kind = chunk["type"]
    if kind == "markdown_text":
        _text(message, chunk["text"])
    elif kind == "blocks":
        message.parts.append(("blocks", message_blocks(chunk["blocks"], Limits())))
    elif kind == "plan_update":
        stream.title = chunk["title"]
    elif chunk["id"] in stream.tasks:
        known = stream.tasks[chunk["id"]]
        added = {name: known.get(name, "") + chunk[name] for name in ("details", "output") if chunk.get(name)}
        stream.tasks[chunk["id"]] = known | chunk | added
    else:
        stream.tasks[chunk["id"]] = dict(chunk)
        message.parts.append(("task", chunk["id"]))


def check_chunks(slack: Clicking, method: str, chunks: Any) -> None:
    """Known chunks with known fields, or ``invalid_chunks``."""
    check = Checker()
    for at, chunk in enumerate(chunks):
        path = f"/chunks/{at}"
        kind = chunk.get("type") if isinstance(chunk, dict) else None
        if kind == "markdown_text":
            if check.fields(chunk, path, "type text", ""):
                check.string(chunk["text"], f"{path}/text", MARKDOWN_LIMIT, least=0)
        elif kind == "plan_update":
            if check.fields(chunk, path, "type title", ""):
                check.string(chunk["title"], f"{path}/title", TASK_LIMIT)
        elif kind == "task_update":
            if check.fields(chunk, path, "type id title status", _TASK):
                _check_task(check, chunk, path)
                shown = [str(chunk.get(name, "")) for name in ("title", "details", "output")]
                check_pings(slack, method, [*shown], [])
        elif kind == "blocks":
            if check.fields(chunk, path, "type blocks", ""):
                check_pings(slack, method, [], message_blocks(chunk["blocks"], Limits(slack.block_text_limit)))
        else:
            check.wrong(f"{path}/type", f"unsupported type: {kind}")
    if check.errors:
        raise Refused("invalid_chunks", *check.errors)


def _check_task(check: Checker, chunk: JSON, path: str) -> None:
    check.string(chunk["id"], f"{path}/id", 255)
    check.string(chunk["title"], f"{path}/title", TASK_LIMIT)
    check.one_of(chunk, "status", path, "pending in_progress complete error")
    for name in ("details", "output"):
        check.optional(chunk, name, path, TASK_LIMIT)
    for at, source in enumerate(chunk.get("sources") or []):
        where = f"{path}/sources/{at}"
        if check.fields(source, where, "type url text", ""):
            check.url(source["url"], f"{where}/url")
            check.string(source["text"], f"{where}/text", TASK_LIMIT)


METHODS = {"chat.startStream": start, "chat.appendStream": append, "chat.stopStream": stop}
