"""From a reply to the message that the API would send: thinking first, limits, stop sequences, usage."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from tests.claude_server.errors import JSON
from tests.claude_server.models import Model
from tests.claude_server.prompt_cache import Plan
from tests.claude_server.replies import Citation, Reply, Text, Thinking, ToolUse
from tests.claude_server.request import Request, as_blocks
from tests.claude_server.tokens import BYTES_A_TOKEN, canonical, tokens

THINKING_TOKENS = {"low": 16, "medium": 64, "high": 128, "xhigh": 256, "max": 512}
_SECRET = secrets.token_bytes(16)  # like the real ones, signatures are good at this server only
_THOUGHT = "Let me see what is asked for, what is given, and what follows. "


def new_id(prefix: str) -> str:
    """An id like the real ones: ``msg_01…``."""
    return f"{prefix}_01{secrets.token_hex(11)}"


def prefix_hash(body: JSON, turns: list[JSON], blocks: list[JSON]) -> str:
    """What a thinking block depends on: model, tools, system prompt, earlier turns, earlier blocks of its turn."""
    before = [body.get("model"), body.get("tools") or [], as_blocks(body.get("system") or []), turns, blocks]
    return hashlib.sha256(canonical(before).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def sign(thinking: str, prefix: str) -> str:
    """The signature of a thinking block, which later tells whether it and its prefix came back unchanged."""
    text = hashlib.sha256(thinking.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    seal = hmac.new(_SECRET, f"{text}{prefix}".encode(), "sha256").hexdigest()[:32]
    return base64.b64encode(f"{text}{prefix}{seal}".encode()).decode()


def read_signature(signature: str) -> tuple[str, str] | None:
    """(hash of the thinking text, hash of its prefix), or None if no signature of ours."""
    try:
        plain = base64.b64decode(signature, validate=True).decode("ascii")
    except ValueError:
        return None
    text, prefix, seal = plain[:32], plain[32:64], plain[64:]
    good = hmac.new(_SECRET, f"{text}{prefix}".encode(), "sha256").hexdigest()[:32]
    return (text, prefix) if hmac.compare_digest(seal, good) else None


@dataclass(slots=True)
class Composed:
    """A message ready to be sent. ``cut_json`` is the tool input's JSON as far as it came, where it was cut off."""

    message: JSON
    cut_json: str | None = None
    cited_first: set[int] = field(default_factory=set)


class _Composer:
    def __init__(self, request: Request, model: Model, room: int) -> None:
        self.request = request
        self.model = model
        self.left: int = min(request.body["max_tokens"], room)
        self.limit = "max_tokens" if request.body["max_tokens"] <= room else "model_context_window_exceeded"
        self.spent = 0
        self.thought = 0
        self.blocks: list[JSON] = []
        self.stop: tuple[str, str | None] | None = None  # reason, sequence
        self.composed = Composed({})

    @property
    def config(self) -> JSON:
        return self.request.body.get("thinking") or {}

    def spend(self, count: int) -> bool:
        """Take tokens from what is left; False, and the end, when they do not suffice."""
        if count > self.left:
            self.spent += self.left
            self.left = 0
            self.stop = (self.limit, None)
            return False
        self.left -= count
        self.spent += count
        return True

    def think(self, text: str, size: int, *, shown: bool) -> None:
        before = self.spent
        self.spend(size)
        self.thought += self.spent - before
        visible = text if shown else ""
        turns, begun = self.request.turns, []
        if turns[-1]["role"] == "assistant":  # the answer goes on with a turn that is there already
            turns, begun = turns[:-1], turns[-1]["content"]
        prefix = prefix_hash(self.request.body, turns, [*begun, *self.blocks])
        self.blocks.append({"type": "thinking", "thinking": visible, "signature": sign(visible, prefix)})

    def say(self, block: Text) -> None:
        text = block.text
        for sequence in self.request.body.get("stop_sequences") or []:
            if sequence in text:
                text = text.partition(sequence)[0]
                self.stop = ("stop_sequence", sequence)
        allowed = self.left * BYTES_A_TOKEN
        if not self.spend(tokens(text)):
            text = text.encode()[:allowed].decode("utf-8", "ignore")
            if not text:
                return
        whole = not self.stop
        said: JSON = {"type": "text", "text": text, "citations": None}
        if block.citations and whole:
            said["citations"] = [_location(citation) for citation in block.citations]
            if block.cited == "before":
                self.composed.cited_first.add(len(self.blocks))
        self.blocks.append(said)

    def call(self, block: ToolUse) -> None:
        written = json.dumps(block.input, ensure_ascii=False)
        allowed = self.left * BYTES_A_TOKEN
        whole = self.spend(tokens(block.name) + tokens(written))
        if not whole:
            self.composed.cut_json = written.encode()[:allowed].decode("utf-8", "ignore")
        self.blocks.append(
            {
                "type": "tool_use",
                "id": block.id or new_id("toolu"),
                "name": block.name,
                "input": dict(block.input) if whole else {},
                "caller": {"type": "direct"},
            }
        )


def thinks(request: Request, model: Model) -> bool:
    """Whether the answer begins with thinking."""
    config = request.body.get("thinking")
    return model.thinks_by_default if config is None else config["type"] in ("adaptive", "enabled")


def compose(request: Request, reply: Reply, model: Model, plan: Plan, thinking_tokens: int | None) -> Composed:
    """The whole message for a reply; ``thinking_tokens`` is how much is thought, by effort where it is None."""
    composer = _Composer(request, model, model.window - plan.total)
    config = composer.config
    shown = config.get("display", model.display) == "summarized"
    prewarm = request.body["max_tokens"] == 0
    if thinks(request, model) and not prewarm:
        effort = (request.body.get("output_config") or {}).get("effort") or model.default_effort or "medium"
        size = THINKING_TOKENS[effort] if thinking_tokens is None else thinking_tokens
        if size:
            composer.think(_THOUGHT, size, shown=shown)
    last_call = max((at for at, block in enumerate(reply.blocks) if isinstance(block, ToolUse)), default=-1)
    for at, block in enumerate(() if prewarm else reply.blocks):
        if composer.stop:
            break
        if isinstance(block, Thinking):
            composer.think(block.text, tokens(block.text), shown=shown)
        elif isinstance(block, ToolUse):
            composer.call(block)
        elif at < last_call and model.updates_as_thinking:
            update = shown or config.get("type") == "between_tools"
            composer.think(block.text, tokens(block.text), shown=update)
        else:
            composer.say(block)
    usage = {**plan.usage(), "output_tokens": composer.spent, "service_tier": "standard", "inference_geo": "global"}
    usage["output_tokens_details"] = {"thinking_tokens": composer.thought}
    reason, sequence = composer.stop or (reply.stop_reason or _natural(reply), None)
    composer.composed.message = {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model.id,
        "content": composer.blocks,
        "stop_reason": "max_tokens" if prewarm else reason,
        "stop_sequence": sequence,
        "stop_details": dict(reply.stop_details) if reply.stop_details else None,
        "usage": usage,
    }
    return composer.composed


def _natural(reply: Reply) -> str:
    return "tool_use" if any(isinstance(block, ToolUse) for block in reply.blocks) else "end_turn"


def _location(citation: Citation) -> dict[str, Any]:
    return {
        "type": "search_result_location",
        "cited_text": citation.cited_text,
        "source": citation.source,
        "title": citation.title,
        "search_result_index": citation.search_result_index,
        "start_block_index": citation.start_block_index,
        "end_block_index": citation.end_block_index,
    }
