"""A simple, deterministic estimate of tokens: four bytes of UTF-8 are one token, rounded up for each text.

>>> tokens("abcde")
2
"""

from __future__ import annotations

import json
from typing import Any

from tests.claude_server.errors import JSON

BYTES_A_TOKEN = 4


def tokens(text: str) -> int:
    """Estimated tokens of a text; 0 for an empty one."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def canonical(value: Any) -> str:
    """JSON of what a value means to the model: no cache marks, no absent fields, keys in order.

    >>> canonical({"type": "text", "text": "a", "citations": None, "cache_control": {"type": "ephemeral"}})
    '{"text":"a","type":"text"}'
    """
    return json.dumps(_essence(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def block_tokens(block: JSON) -> int:
    """Estimated input tokens of one content block; what a block quotes in ``citations`` is not counted."""
    kind = block.get("type")
    if kind == "text":
        return tokens(block["text"])
    if kind == "thinking":
        return tokens(block["thinking"])
    if kind == "tool_use":
        return tokens(block["name"]) + tokens(canonical(block["input"]))
    if kind == "search_result":
        return tokens(block["source"]) + tokens(block["title"]) + sum(block_tokens(part) for part in block["content"])
    if kind == "tool_result":
        content = block.get("content") or ""
        return tokens(content) if isinstance(content, str) else sum(block_tokens(part) for part in content)
    return tokens(canonical(block))


def _essence(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _essence(item)
            for key, item in value.items()
            if item is not None and key not in ("cache_control", "caller") and not (key == "citations" and item == [])
        }
    if isinstance(value, list):
        return [_essence(item) for item in value]
    return value
