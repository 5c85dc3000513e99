"""Checks of the conversation as a whole: roles, tool calls with their results, replayed thinking, citations."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any

from tests.claude_server.blocks import IN_TURN, check_block
from tests.claude_server.composing import prefix_hash, read_signature
from tests.claude_server.errors import JSON, refuse
from tests.claude_server.models import Model
from tests.claude_server.request import search_results_in, turns_of
from tests.claude_server.tokens import canonical


def check_messages(body: JSON, model: Model, paused: Collection[str]) -> None:
    """Everything about ``messages``; raises ``ApiError``. ``paused`` are turns that may come back as the last one."""
    messages = body["messages"]
    if not isinstance(messages, list):
        raise refuse("messages: Input should be a valid list")
    if not messages:
        raise refuse("messages: at least one message is required")
    for at, message in enumerate(messages):
        _check_message(message, at, last=at == len(messages) - 1)
    if messages[0]["role"] != "user":
        raise refuse('messages: first message must use the "user" role')
    turns = turns_of(messages)
    _check_end(turns, model, paused)
    _check_tools(turns, body)
    _check_thinking(turns, body)
    _check_citations(turns, body)


def _check_message(message: Any, at: int, *, last: bool) -> None:
    path = f"messages.{at}"
    if not isinstance(message, dict):
        raise refuse(f"{path}: Input should be a valid dictionary")
    for name in ("role", "content"):
        if name not in message:
            raise refuse(f"{path}.{name}: Field required")
    for name in message:
        if name not in ("role", "content"):
            raise refuse(f"{path}.{name}: Extra inputs are not permitted")
    role, content = message["role"], message["content"]
    if role not in IN_TURN:
        raise refuse(f'messages: Unexpected role "{role}". Allowed roles are "user", "assistant" and "system".')
    if not isinstance(content, (str, list)):
        raise refuse(f"{path}.content: Input should be a valid string or list")
    if not content and not (last and role == "assistant"):
        raise refuse(
            f"{path}: all messages must have non-empty content except for the optional final assistant message"
        )
    if isinstance(content, str):
        if content and not content.strip():
            raise refuse("messages: text content blocks must contain non-whitespace text")
        return
    for number, block in enumerate(content):
        check_block(block, f"{path}.content.{number}", IN_TURN[role], role=role)


def _check_end(turns: list[JSON], model: Model, paused: Collection[str]) -> None:
    last = turns[-1]
    if last["role"] != "assistant" or canonical(last["content"]) in paused:
        return
    if last["content"] and last["content"][-1]["type"] == "text":
        text = last["content"][-1]["text"]
        if text != text.rstrip():
            raise refuse("messages: final assistant content cannot end with trailing whitespace")
    if not model.prefill and any(block["type"] != "tool_use" for block in last["content"][-1:]):
        raise refuse(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def _check_tools(turns: list[JSON], body: JSON) -> None:
    seen: set[str] = set()
    for at, turn in enumerate(turns):
        used = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
        if (used or results) and not body.get("tools"):
            raise refuse("Requests which include `tool_use` or `tool_result` blocks must define tools.")
        if len(set(used)) < len(used) or seen & set(used):
            raise refuse(f"messages.{at}: `tool_use` ids must be unique")
        seen |= set(used)
        if used:
            _check_answered(turns, at, used)
        called = [block["id"] for block in turns[at - 1]["content"] if block["type"] == "tool_use"] if at else []
        for number, block in enumerate(turn["content"]):
            if block["type"] == "tool_result" and block["tool_use_id"] not in called:
                raise refuse(
                    f"messages.{at}.content.{number}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block "
                    "in the previous message."
                )
        for twice in {result for result in results if results.count(result) > 1}:
            raise refuse(
                f"messages.{at}.content: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {twice}"
            )


def _check_answered(turns: list[JSON], at: int, used: list[str]) -> None:
    answered: set[str] = set()
    if at + 1 < len(turns):
        for block in turns[at + 1]["content"]:
            if block["type"] != "tool_result":
                break  # a result after anything else does not count as immediately after
            answered.add(block["tool_use_id"])
    missing = [name for name in used if name not in answered]
    if missing:
        raise refuse(
            f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block "
            "in the next message."
        )


def _check_thinking(turns: list[JSON], body: JSON) -> None:
    for at, turn in enumerate(turns):
        for number, block in enumerate(turn["content"]):
            if block["type"] != "thinking":
                continue
            path = f"messages.{at}.content.{number}"
            signed = read_signature(block["signature"])
            text = hashlib.sha256(block["thinking"].encode("utf-8", "surrogatepass")).hexdigest()[:32]
            if signed is None or signed[0] != text:
                raise refuse(f"{path}: Invalid `signature` in `thinking` block")
            if signed[1] != prefix_hash(body, turns[:at], turn["content"][:number]):
                raise refuse(
                    f"{path}: `thinking` blocks must be sent back with the model, the tools, the system prompt and "
                    "the earlier turns that they were made with. Something before this block has changed."
                )


def _check_citations(turns: list[JSON], body: JSON) -> None:
    citable = [block for turn in turns for block in search_results_in(turn["content"])]
    citable += [block for turn in turns for block in turn["content"] if block["type"] == "document"]
    enabled = {bool((block.get("citations") or {}).get("enabled")) for block in citable}
    if len(enabled) > 1:
        raise refuse("messages: citations must be enabled on all or none of the documents and search results")
    if True in enabled and (body.get("output_config") or {}).get("format"):
        raise refuse("output_config.format: Structured outputs cannot be used with citations enabled")
