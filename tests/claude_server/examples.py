"""Requests and conversations to build tests of the stand-in from."""

from __future__ import annotations

from typing import Any

from anthropic import AsyncAnthropic
from anthropic.types import Message

FAST, OLD, BALANCED, STRONG = "claude-haiku-5-5", "claude-haiku-4-5", "claude-sonnet-5-5", "claude-opus-5-5"
OFF: Any = {"type": "disabled"}
SEARCH: Any = {
    "name": "search_documents",
    "description": "Search the documents.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
QUESTION = "When was INC-2023-04-011 closed?"
LONG = "The interdisciplinary group reviewed ten research domains. " * 100  # 5,900 bytes: 1,475 tokens
MARK: Any = {"type": "ephemeral"}


def asking(text: str = "Hello", **changes: Any) -> dict[str, Any]:
    """The body of a small request without thinking."""
    return {
        "model": FAST,
        "max_tokens": 300,
        "thinking": OFF,
        "messages": [{"role": "user", "content": text}],
    } | changes


def found(*sentences: str, source: str = "review#3", **changes: Any) -> dict[str, Any]:
    """A search result of one block a sentence."""
    content = [{"type": "text", "text": sentence} for sentence in sentences]
    return {
        "type": "search_result",
        "source": source,
        "title": "Review › Incidents",
        "content": content,
        "citations": {"enabled": True},
    } | changes


def results(*blocks: Any, id: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": list(blocks)}


def used(id: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "search_documents", "input": {"query": "a"}}


def exchange(*user: Any, assistant: list[Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A request whose conversation is: a question, a turn of the assistant (one call), a turn of the user."""
    turns = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": assistant or [used()]},
        {"role": "user", "content": list(user)},
    ]
    return asking(messages=turns, tools=[SEARCH]) | changes


USER: Any = {"role": "user", "content": "Hello"}


def content(*blocks: Any, **changes: Any) -> dict[str, Any]:
    return asking(messages=[{"role": "user", "content": list(blocks)}], **changes)


def text(value: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value} | fields


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in asking().items() if key != name}


def tool(**changes: Any) -> dict[str, Any]:
    return asking(tools=[SEARCH | changes])


def cached(chunk: str, *, document: str = LONG, ttl: str = "5m", **changes: Any) -> dict[str, Any]:
    """A request whose first block is cached."""
    return content(text(document, cache_control=MARK | {"ttl": ttl}), text(chunk), **changes)


async def converse(client: AsyncAnthropic, *blocks: Any, model: str = BALANCED, rounds: int = 4) -> list[Message]:
    """Ask, answer every tool call with the blocks given, until there are no more calls."""
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    answers: list[Message] = []
    for _ in range(rounds):
        async with client.messages.stream(model=model, max_tokens=2_000, messages=messages, tools=[SEARCH]) as stream:
            answer = await stream.get_final_message()
        answers.append(answer)
        if answer.stop_reason != "tool_use":
            break
        content = [results(*blocks, id=block.id) for block in answer.content if block.type == "tool_use"]
        messages += [answer.to_param(), {"role": "user", "content": content}]
    return answers


def text_of(message: Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")
