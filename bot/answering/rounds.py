"""One round with Claude: a streamed message, its text handed to a draft as it comes, and how it ended."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import anthropic
import httpx2
from anthropic import AsyncAnthropic
from anthropic.types import MessageParam, TextBlockParam, ThinkingConfigParam, ToolParam, ToolUseBlock
from anthropic.types.parsed_message import ParsedMessage

from bot.answering.citations import Location
from bot.answering.draft import Draft, Sentence
from bot.texts import Texts
from indexer import ClaudeUnavailable, Prices, Usage, explain, usage_of

log = logging.getLogger(__name__)
T = TypeVar("T")
MARK: dict[str, str] = {"type": "ephemeral"}
CACHE_TTL: Literal["5m", "1h"] = "5m"
BYTES_A_TOKEN = 4  # what a message that broke off is reckoned with: it is paid for, and its end would have told


class Broken(Exception):
    """A round of which nothing may stay. ``key`` is that of a text: "Claude is overloaded; try again …"."""

    def __init__(self, key: str, *, retry: bool, longer: bool = False, why: ClaudeUnavailable | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.retry = retry  # whether the same may work when it is tried again
        self.longer = longer  # whether more tokens may help
        self.why = why  # where a call failed

    def told(self, texts: Texts) -> str:
        """The sentence for a person."""
        return texts.of_error(self.why) if self.why else texts.say(self.key)


@dataclass(frozen=True, slots=True)
class Ask:
    """What stays the same from round to round of one question."""

    client: AsyncAnthropic
    model: str
    system: Sequence[TextBlockParam]
    tool: ToolParam
    deadline: float  # of the event loop's clock

    async def in_time(self, awaitable: Awaitable[T]) -> T:
        """Wait, but not past the deadline: ``Broken`` then."""
        try:
            async with asyncio.timeout_at(self.deadline):
                return await awaitable
        except TimeoutError as error:
            raise Broken("too_slow", retry=False) from error


class Round:
    """One message of Claude's. Iterate ``sentences()``, then ask for the rest."""

    def __init__(self, ask: Ask, draft: Draft, *, live: bool) -> None:
        self._ask = ask
        self._draft = draft
        self._live = live
        self.message: ParsedMessage[None] | None = None
        self.thinking_refused = False

    async def sentences(
        self,
        messages: list[MessageParam],
        *,
        max_tokens: int,
        thinking: ThinkingConfigParam | None,
        last: bool,
    ) -> AsyncGenerator[Sentence, None]:
        """Send the messages and yield what of the answer is complete. ``last``: Claude may not search any more.

        Raises ``Broken`` where the message did not come to a good end; ``message`` is then what came of it.
        """
        options: dict[str, Any] = {"thinking": thinking} if thinking else {}
        if last:
            options["tool_choice"] = {"type": "none"}  # tools stay: a replayed thinking block needs the same ones
        manager = self._ask.client.messages.stream(
            model=self._ask.model,
            max_tokens=max_tokens,
            system=self._ask.system,
            tools=[self._ask.tool],
            messages=messages if last else _marked(messages),
            **options,
        )
        async with AsyncExitStack() as stack:
            try:
                stream = await self._ask.in_time(stack.enter_async_context(manager))
            except anthropic.BadRequestError as error:
                self.thinking_refused = thinking is not None and "thinking" in str(error)
                raise _broken(error, retry=self.thinking_refused) from error
            except (anthropic.AnthropicError, httpx2.HTTPError) as error:  # the client has tried again already
                raise _broken(error, retry=False) from error
            events = aiter(stream)
            while True:
                try:
                    event: Any = await self._ask.in_time(anext(events, None))
                except (anthropic.AnthropicError, httpx2.HTTPError) as error:
                    raise _broken(error) from error
                except (ValueError, LookupError, RuntimeError) as error:  # events that make no message
                    raise Broken("unreadable", retry=True) from error
                if event is None:
                    break
                if event.type == "message_start":
                    self.message = stream.current_message_snapshot  # the SDK keeps filling it
                self._take(event)
                if self._live:
                    for sentence in self._draft.ready():
                        yield sentence
        self._judge()

    @property
    def uses(self) -> list[ToolUseBlock]:
        """The searches that Claude asks for."""
        return [block for block in self.message.content if block.type == "tool_use"] if self.message else []

    @property
    def cut(self) -> bool:
        """Whether the text ended at the limit of tokens."""
        return self.message is not None and self.message.stop_reason == "max_tokens"

    def usage(self, prices: Prices) -> Usage:
        """What the round cost so far. Nothing where no message began.

        How many tokens Claude wrote is told at a message's end. One that broke off, or was stopped by a person, counts
        for as many as its text makes: 400 letters for 100.
        """
        if self.message is None:
            return Usage()
        told = self.message.usage
        if self.message.stop_reason is None:
            written = "".join(_written(block) for block in self.message.content)
            at_least = max(told.output_tokens or 0, len(written.encode()) // BYTES_A_TOKEN)
            told = told.model_copy(update={"output_tokens": at_least})
        return usage_of(self.message.model_copy(update={"usage": told}), prices, CACHE_TTL)

    def turn(self) -> MessageParam | None:
        """Claude's turn, to be sent back as it came; blank text, which the API refuses, is left out."""
        content = list(self.message.to_param()["content"]) if self.message else []
        kept: list[Any] = [block for block in content if not _is_blank(block)]
        return {"role": "assistant", "content": kept} if kept else None

    def _take(self, event: Any) -> None:
        if event.type == "content_block_start" and event.content_block.type == "text":
            self._draft.write(event.index, event.content_block.text or "")
            for citation in event.content_block.citations or ():
                self._draft.cite(event.index, _location(citation))
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            self._draft.write(event.index, event.delta.text)
        elif event.type == "content_block_delta" and event.delta.type == "citations_delta":
            self._draft.cite(event.index, _location(event.delta.citation))
        elif event.type == "content_block_stop":
            self._draft.close(event.index)

    def _judge(self) -> None:
        reason = self.message.stop_reason if self.message else None
        if reason is None:
            raise Broken("cut_midway", retry=True)
        if reason == "refusal":
            raise Broken("declined", retry=False)
        if reason == "model_context_window_exceeded":
            raise Broken("too_much", retry=False)
        if reason == "max_tokens" and self.uses:
            raise Broken("cut_before_search", retry=True, longer=True)
        if reason == "tool_use" and not self.uses:
            raise Broken("unreadable", retry=True)
        if reason not in ("end_turn", "stop_sequence", "tool_use", "max_tokens"):
            raise Broken("paused", retry=True)


def _broken(error: Exception, *, retry: bool | None = None) -> Broken:
    """A round that a failed call ended; ``retry``: not as the error's kind says. Claude's own words go to the log."""
    why = explain(error, asked=True)
    log.warning("a call of Claude failed: %s", why, exc_info=error)
    return Broken(f"claude_{why.kind}", retry=why.retryable if retry is None else retry, why=why)


def _location(citation: Any) -> Location:
    def get(name: str) -> object:
        return getattr(citation, name, None)

    return Location(
        get("type"),
        get("source"),
        get("cited_text"),
        get("search_result_index"),
        get("start_block_index"),
        get("end_block_index"),
    )


def _written(block: Any) -> str:
    """What Claude wrote in a block; what it quotes with a citation is not paid for."""
    searching = json.dumps(block.input) if block.type == "tool_use" else ""
    return str(getattr(block, "text", "")) + str(getattr(block, "thinking", "")) + searching


def _is_blank(block: Any) -> bool:
    return getattr(block, "type", None) == "text" and not block.text.strip()


def _marked(messages: Sequence[MessageParam]) -> list[MessageParam]:
    """The messages with cache marks on the last two turns of results: what an earlier round wrote is found, and what is
    new is there for the next one. With the one on the system prompt that makes three of the four that are allowed."""
    marked = list(messages)
    results = [
        number
        for number, message in enumerate(messages)
        if message["role"] == "user" and isinstance(message["content"], list) and _is_result(message["content"][0])
    ]
    for number in results[-2:]:
        content: list[Any] = list(messages[number]["content"])
        content[-1] = {**content[-1], "cache_control": MARK}
        marked[number] = {"role": "user", "content": content}
    return marked


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"
