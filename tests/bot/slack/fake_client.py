"""A Slack client that does what it is asked in memory, records it, and fails where a test says so."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient


@dataclass
class Answered:
    """What the client's methods return, as far as it is read."""

    data: dict[str, Any]
    status_code: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        return self.data.get(name, default)


def refusal(error: str, status: int = 200, **headers: str) -> SlackApiError:
    answer = Answered({"ok": False, "error": error}, status, {name.replace("_", "-"): v for name, v in headers.items()})
    return SlackApiError(error, answer)  # type: ignore[no-untyped-call]  # the SDK has none


TOO_OFTEN = refusal("ratelimited", 429, Retry_After="1")
DOWN = refusal("", 502)


@dataclass
class Shown:
    """A message: what its Markdown says, the blocks under it, the cards of its tasks."""

    ts: str
    thread: str | None
    markdown: str = ""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    metadata: dict[str, Any] | None = None
    streaming: bool = False
    closed: str = "message_not_in_streaming_state"  # what is said of an append to a stream that is closed


@dataclass
class Fault:
    error: Exception
    when: Literal["before", "after"] = "before"  # the call had its effect


class FakeSlack:
    """Stands for ``AsyncWebClient``; ``client`` is itself, typed."""

    def __init__(self) -> None:
        self.retry_handlers: list[Any] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.messages: dict[str, Shown] = {}
        self.faults: dict[str, list[Fault | None]] = defaultdict(list)
        self.before: dict[str, Callable[[], None]] = {}  # what happens once before a call
        self.latency = 0.0
        self._count = 0

    @property
    def client(self) -> AsyncWebClient:
        return cast(AsyncWebClient, self)

    def fail(self, method: str, error: Exception, when: Literal["before", "after"] = "before", times: int = 1) -> None:
        self.faults[method] += [Fault(error, when)] * times

    def named(self, method: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.calls if name == method]

    def shown(self) -> list[str]:
        return [message.markdown for message in self.messages.values()]

    async def _call(self, method: str, arguments: dict[str, Any]) -> Answered:
        self.calls.append((method, arguments))
        await asyncio.sleep(self.latency)
        self.before.pop(method, lambda: None)()
        fault = self.faults[method].pop(0) if self.faults[method] else None
        if fault is not None and fault.when == "before":
            raise fault.error
        answer = getattr(self, f"_{method.lower()}")(arguments)
        if fault is not None:
            raise fault.error
        return Answered({"ok": True, **answer})

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):
            raise AttributeError(method)

        async def called(**arguments: Any) -> Answered:
            return await self._call(method, arguments)

        return called

    # -- what Slack does ---------------------------------------------------------------------------------------------

    def _new(self, thread: str | None) -> Shown:
        self._count += 1
        message = Shown(f"1700000000.{self._count:06d}", thread)
        self.messages[message.ts] = message
        return message

    def _of(self, arguments: dict[str, Any]) -> Shown:
        if arguments["ts"] not in self.messages:
            raise refusal("message_not_found")
        return self.messages[arguments["ts"]]

    def _chat_postmessage(self, arguments: dict[str, Any]) -> dict[str, Any]:
        message = self._new(arguments["thread_ts"])
        message.metadata = arguments["metadata"]
        self._say(message, arguments)
        return {"ts": message.ts}

    def _chat_update(self, arguments: dict[str, Any]) -> dict[str, Any]:
        message = self._of(arguments)
        if message.streaming:
            raise refusal("streaming_state_conflict")
        message.tasks.clear()
        self._say(message, arguments)
        return {"ts": message.ts}

    def _say(self, message: Shown, arguments: dict[str, Any]) -> None:
        blocks = arguments.get("blocks") or []
        message.markdown = "".join(block["text"] for block in blocks if block["type"] == "markdown")
        message.blocks = [block for block in blocks if block["type"] != "markdown"]
        message.text = arguments.get("text", "")
        if not blocks and not message.text:
            raise refusal("no_text")

    def _chat_delete(self, arguments: dict[str, Any]) -> dict[str, Any]:
        del self.messages[self._of(arguments).ts]
        return {}

    def _chat_postephemeral(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"message_ts": "1700000000.999999"}

    def _chat_startstream(self, arguments: dict[str, Any]) -> dict[str, Any]:
        message = self._new(arguments["thread_ts"])
        message.streaming = True
        self._append(message, arguments)
        return {"ts": message.ts}

    def _chat_appendstream(self, arguments: dict[str, Any]) -> dict[str, Any]:
        message = self._open(arguments)
        self._append(message, arguments)
        return {"ts": message.ts}

    def _chat_stopstream(self, arguments: dict[str, Any]) -> dict[str, Any]:
        message = self._open(arguments)
        self._append(message, arguments)
        message.streaming = False
        message.blocks = arguments.get("blocks") or []
        message.metadata = arguments.get("metadata")
        return {"ts": message.ts}

    def _open(self, arguments: dict[str, Any]) -> Shown:
        message = self._of(arguments)
        if not message.streaming:
            raise refusal(message.closed)
        return message

    def _append(self, message: Shown, arguments: dict[str, Any]) -> None:
        chunks = arguments.get("chunks") or []
        text = "".join(chunk["text"] for chunk in chunks if chunk["type"] == "markdown_text")
        if len((message.markdown + text).encode()) > 10_600:
            raise refusal("msg_too_long")
        message.markdown += text
        message.tasks |= {chunk["id"]: chunk for chunk in chunks if chunk["type"] == "task_update"}

    def _conversations_replies(self, arguments: dict[str, Any]) -> dict[str, Any]:
        found = [
            {
                "ts": message.ts,
                "bot_id": "B1",
                "text": message.markdown or message.text,
                "metadata": message.metadata,
                "blocks": list(message.tasks.values()),
            }
            for message in self.messages.values()
        ]
        return {"messages": found}

    def _assistant_threads_setstatus(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {}

    _agents_sessions_setstatus = _assistant_threads_setstatus
