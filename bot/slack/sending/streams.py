"""Slack's streams, one call at a time, and what is certain after each call."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.slack.sending.calls import Lost, Refused, call
from bot.slack.sending.outgoing import Tasks
from bot.slack.sending.plainer import Block
from bot.slack.sending.posting import (
    EVENT_TYPE,
    LONGEST_WAIT,
    LOOK_AFTER,
    TRIES,
    UNREACHABLE,
    NotPosted,
    Place,
    Poster,
    pause,
)

log = logging.getLogger(__name__)

SHORTEST_WAIT = 0.1  # seconds, where Slack says that it is too often
_NEW = 60.0  # seconds; more than a lost call takes, and clocks differ
_COMPARED = 60  # letters of a text by which a message is known again

# Slack's ways to say that a stream is not open any more.
_STOPPED = "stopped_by_user"
_CLOSED = frozenset({"message_not_in_streaming_state", _STOPPED, "message_not_found"})


@dataclass(slots=True)
class Written:
    """A message as it is shown. ``text`` is None where that is not certain; ``ended``: its last form is there."""

    ts: str
    streaming: bool
    text: str | None
    ended: bool = False
    began: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    updated: float = 0.0
    closed_again: bool = False  # once more, as Slack said that it is still open


class Streams:
    """The streams of one answer. ``off``: no further one is begun; ``stopped``: somebody stopped one in Slack."""

    def __init__(self, poster: Poster, place: Place) -> None:
        self.off = place.thread is None
        self.stopped = False
        self._poster = poster
        self._client = poster.client
        self._place = place

    def possible(self) -> bool:
        """Whether a stream can be begun now."""
        return not self.off and not self.too_many

    @property
    def too_many(self) -> bool:
        """Whether Slack wants no more streams for now."""
        return self._poster.held_for("stream") > 0

    async def start(self, part: str, tasks: Tasks | None, known: Collection[str]) -> Written | None:
        """Begin a stream with what there is; None where there is to be none. ``known`` are our messages so far."""
        sent = tasks.changed() if tasks else []
        place = self._place
        arguments: dict[str, Any] = {
            "channel": place.channel,
            "thread_ts": place.thread,
            "recipient_user_id": place.user,
            "recipient_team_id": place.user_team or place.team,
            "chunks": _chunks(sent, part),
        }
        try:
            ts = str((await self._started(arguments))["ts"])
            self._poster.begun.append(ts)
            return Written(ts, streaming=True, text=part)
        except (Refused, KeyError) as error:
            self.off = True
            if isinstance(error, Refused) and error.wait is not None:
                self._poster.hold("stream", error.wait)
            log.info("no stream: %s", error)
        except Lost:
            self.off = True
            found = await self._found(part, sent, known)
            if found is not None:
                return Written(found, streaming=True, text=None)
        return None

    async def append(self, written: Written, part: str, tasks: Tasks | None) -> None:
        """Append what is new in ``part``, and of the tasks."""
        sent = tasks.changed() if tasks else []
        chunks = _chunks(sent, part[len(written.text or "") :])
        try:
            await call(self._client.chat_appendStream, channel=self._place.channel, ts=written.ts, chunks=chunks)
        except Refused as error:
            if tasks:
                tasks.put_back(sent)
            if error.wait is not None:
                self._poster.hold("append", max(error.wait, SHORTEST_WAIT))
            else:
                await self._broken(written, error)
        except Lost:
            written.text = None
        else:
            written.text = part

    async def stop(self, written: Written, part: str, tasks: Tasks | None, footer: Sequence[Block], key: str) -> bool:
        """End the stream with the rest of ``part`` and the footer; whether that is certain."""
        sent = tasks.changed() if tasks else []
        chunks = _chunks(sent, part[len(written.text or "") :])
        try:
            await call(
                self._client.chat_stopStream,
                channel=self._place.channel,
                ts=written.ts,
                chunks=chunks or None,
                blocks=list(footer) or None,
                metadata={"event_type": EVENT_TYPE, "event_payload": {"key": key}},
            )
        except Refused as error:
            if error.wait is not None:
                if tasks:
                    tasks.put_back(sent)
                if chunks and self._poster.held_for("append") <= 0:  # the words need not wait for the end
                    await self.append(written, part, tasks)
                await asyncio.sleep(min(max(error.wait, SHORTEST_WAIT), LONGEST_WAIT))
                return False
            await self._broken(written, error)
        except Lost:
            written.text = None
            await self.close(written)
        else:
            written.streaming, written.text = False, part
            return True
        return False

    async def close(self, written: Written) -> None:
        """End a stream as it is, if it is one; it can then be updated. Raises NotPosted where Slack is out of reach."""
        for attempt in range(TRIES):
            try:
                await call(self._client.chat_stopStream, channel=self._place.channel, ts=written.ts)
                break
            except Refused as error:
                self.stopped = self.stopped or error.error == _STOPPED
                if error.wait is None:
                    break
                await asyncio.sleep(min(error.wait, LONGEST_WAIT))
            except Lost:
                await asyncio.sleep(pause(attempt))
        else:
            raise NotPosted(UNREACHABLE)  # one that may be open cannot be updated
        written.streaming = False

    async def unrecorded(self, key: str, mark: str, known: Collection[str]) -> tuple[str, ...]:
        """Messages of the answer that were sent, but that a process died before recording."""
        ours = (
            message for message in await self._messages() if message.get("bot_id") and message.get("ts") not in known
        )
        return tuple(str(message["ts"]) for message in ours if _is_of(message, key, mark))

    # -- within ----------------------------------------------------------------------------------------------------

    async def _messages(self) -> list[dict[str, Any]]:
        """The messages of the thread; none where they cannot be had."""
        try:
            return await self._poster.looked(lambda: self._poster.messages(self._place)) or []
        except NotPosted:
            return []

    async def _started(self, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            return await call(self._client.chat_startStream, **arguments)
        except Refused as error:
            if error.error != "invalid_arguments" or not self._place.channel.startswith("D"):
                raise
            # A direct conversation has one recipient only; whether it may be named there is not told.
            plain = {name: value for name, value in arguments.items() if not name.startswith("recipient_")}
            return await call(self._client.chat_startStream, **plain)

    async def _broken(self, written: Written, error: Refused) -> None:
        """A stream that takes no more; what was to be added is refused, so what is shown is certain."""
        log.info("a stream takes no more: %s", error.error)
        self.stopped = self.stopped or error.error == _STOPPED
        if error.error in _CLOSED:
            written.streaming = False
        else:
            await self.close(written)

    async def _found(self, part: str, tasks: list[dict[str, Any]], known: Collection[str]) -> str | None:
        """The message that Slack began though its answer was lost; None where there is none, or it cannot be told."""
        await asyncio.sleep(LOOK_AFTER)
        messages = await self._messages()
        begun = _letters(part)[:_COMPARED]
        for message in reversed(messages):
            if not message.get("bot_id") or message.get("metadata"):
                continue
            if message.get("ts") in known or message.get("ts") in self._poster.begun:
                continue
            if begun and _letters(str(message.get("text", ""))).startswith(begun):
                return str(message["ts"])
            said = json.dumps(message, ensure_ascii=False)
            if any(task["id"] in said or (not begun and _letters(task["title"]) in _letters(said)) for task in tasks):
                return str(message["ts"])
        # Whether the tasks of a stream are told with its message is not known: then it says nothing, and is new.
        blank = [str(m["ts"]) for m in messages if m.get("bot_id") and not m.get("metadata") and not m.get("text")]
        new = [ts for ts in blank if ts not in self._poster.begun and _age(ts) < _NEW]
        return new[-1] if new else None


def _age(ts: str) -> float:
    """Seconds since a message came, by this machine's clock."""
    return abs(time.time() - float(ts)) if ts.replace(".", "", 1).isdigit() else math.inf


def _is_of(message: dict[str, Any], key: str, mark: str) -> bool:
    """Whether a message is of the answer: by its metadata, or by the ids of its tasks."""
    payload = (message.get("metadata") or {}).get("event_payload") or {}
    return str(payload.get("key", "")).startswith(f"{key}:") or mark in json.dumps(message.get("blocks") or [])


def _chunks(tasks: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    return [*tasks, {"type": "markdown_text", "text": text}] if text else tasks


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)
