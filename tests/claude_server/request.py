"""A request as the stand-in reads it, with what brains and tests ask of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.claude_server.errors import JSON


def as_blocks(content: str | list[JSON]) -> list[JSON]:
    """Content as blocks: a string is short for one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def turns_of(messages: list[JSON]) -> list[JSON]:
    """Messages as turns ``{"role", "content": [blocks]}``: neighbours of the same role are one turn."""
    turns: list[JSON] = []
    for message in messages:
        blocks = as_blocks(message["content"])
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": message["role"], "content": blocks})
    return turns


def search_results_in(blocks: list[JSON]) -> Iterator[JSON]:
    """The ``search_result`` blocks of a turn, also those inside tool results, in order."""
    for block in blocks:
        if block["type"] == "search_result":
            yield block
        elif block["type"] == "tool_result" and isinstance(block.get("content"), list):
            yield from (part for part in block["content"] if part["type"] == "search_result")


@dataclass(slots=True)
class Request:
    """One request that reached the server, whether it was answered or refused.

    ``headers`` have lower-case names. ``body`` is the parsed JSON, ``{}`` where there was none. ``refusal`` is the
    message of the error that validation answered with, if it did. ``usage`` is what the answer said was used.
    ``disconnected`` is set when the connection went before the answer ended, ``finished`` when it did end. ``thought``
    tells whether the answer began with thinking. ``arrived`` is the server's clock, ``number`` counts from 0. ``sent``
    holds the events of a streamed answer by name, each with the server's clock when it was on its way.
    """

    number: int
    path: str
    headers: Mapping[str, str]
    body: JSON
    arrived: float
    refusal: str | None = None
    usage: JSON | None = None
    status: int | None = None
    disconnected: bool = False
    thought: bool = False
    finished: bool = False
    stop_reason: str | None = None
    sent: list[tuple[str, float]] = field(default_factory=list, repr=False)
    _turns: list[JSON] = field(default_factory=list, repr=False)

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def tools(self) -> list[JSON]:
        return list(self.body.get("tools") or [])

    @property
    def turns(self) -> list[JSON]:
        """The conversation as turns; see ``turns_of``."""
        if not self._turns:
            self._turns = turns_of(self.body.get("messages") or [])
        return self._turns

    @property
    def system(self) -> str:
        """The system prompt's text, blocks joined by blank lines."""
        return "\n\n".join(block["text"] for block in as_blocks(self.body.get("system") or []))

    @property
    def prompt(self) -> str:
        """All text that a person or program wrote: system prompt and user turns, blocks joined by blank lines."""
        texts = [self.system] if self.body.get("system") else []
        for turn in self.turns:
            if turn["role"] == "user":
                texts += [block["text"] for block in turn["content"] if block["type"] == "text"]
        return "\n\n".join(texts)

    @property
    def last_turn(self) -> list[JSON]:
        """The blocks of the last turn."""
        return list(self.turns[-1]["content"])

    @property
    def question(self) -> str:
        """The text of the last user turn that is a person's, not a tool's."""
        for turn in reversed(self.turns):
            if turn["role"] == "user" and not any(block["type"] == "tool_result" for block in turn["content"]):
                return "\n\n".join(block["text"] for block in turn["content"] if block["type"] == "text")
        return ""

    @property
    def search_results(self) -> list[JSON]:
        """Every ``search_result`` block of the request, in order: position here is ``search_result_index``."""
        return [result for turn in self.turns for result in search_results_in(turn["content"])]

    @property
    def tool_results(self) -> list[JSON]:
        """The ``tool_result`` blocks of the last turn."""
        return [block for block in self.last_turn if block["type"] == "tool_result"]

    @property
    def may_use_tools(self) -> bool:
        choice: Any = self.body.get("tool_choice") or {}
        return bool(self.tools) and choice.get("type") != "none"
