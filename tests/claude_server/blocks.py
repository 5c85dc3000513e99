"""Checks of single content blocks: known types, known fields, right values. Paths are like the real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.claude_server.errors import JSON, refuse

# type → (required fields, optional fields); the SDK's *_param types are the witness
FIELDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "text": (frozenset({"text"}), frozenset({"cache_control", "citations"})),
    "search_result": (frozenset({"content", "source", "title"}), frozenset({"cache_control", "citations"})),
    "thinking": (frozenset({"thinking", "signature"}), frozenset()),
    "redacted_thinking": (frozenset({"data"}), frozenset()),
    "tool_use": (frozenset({"id", "input", "name"}), frozenset({"cache_control", "caller", "toolset_name"})),
    "tool_result": (
        frozenset({"tool_use_id"}),
        frozenset({"cache_control", "content", "is_error", "toolset_name"}),
    ),
    "document": (frozenset({"source"}), frozenset({"cache_control", "citations", "context", "title"})),
    "image": (frozenset({"source"}), frozenset({"cache_control", "transformations"})),
}
IN_TURN = {
    "user": frozenset({"text", "search_result", "tool_result", "document", "image"}),
    "assistant": frozenset({"text", "thinking", "redacted_thinking", "tool_use"}),
    "system": frozenset({"text"}),
}
IN_TOOL_RESULT = frozenset({"text", "search_result", "document", "image"})
_LOCATION = frozenset(
    {"type", "cited_text", "source", "title", "search_result_index", "start_block_index", "end_block_index"}
)


def fields(value: Any, path: str, required: frozenset[str], optional: frozenset[str]) -> JSON:
    """An object with all required fields and no unknown ones; None counts as absent for optional fields."""
    if not isinstance(value, dict):
        raise refuse(f"{path}: Input should be a valid dictionary")
    for name in sorted(required):
        if name not in value:
            raise refuse(f"{_join(path, name)}: Field required")
    for name in value:
        if name not in required and name not in optional:
            raise refuse(f"{_join(path, name)}: Extra inputs are not permitted")
    return value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def string(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise refuse(f"{path}: Input should be a valid string")
    return value


def cache_control(block: JSON, path: str) -> None:
    """Check a block's own ``cache_control``."""
    mark = block.get("cache_control")
    if mark is None:
        return
    where = _join(path, "cache_control")
    fields(mark, where, frozenset({"type"}), frozenset({"ttl"}))
    if mark["type"] != "ephemeral":
        raise refuse(
            f"{where}: Input tag '{mark['type']}' found using 'type' is not one of the expected tags: 'ephemeral'"
        )
    if mark.get("ttl") not in (None, "5m", "1h"):
        raise refuse(f"{where}.ttl: Input should be '5m' or '1h'")
    if block.get("type") == "text" and not block["text"]:
        raise refuse(f"{where}: cache_control cannot be set for empty text blocks")


def check_block(block: Any, path: str, allowed: frozenset[str], *, role: str) -> None:
    """Check one block of a turn, of the system prompt, or of a tool result."""
    if not isinstance(block, dict):
        raise refuse(f"{path}: Input should be a valid dictionary or object to extract fields from")
    kind = block.get("type")
    if kind is None:
        raise refuse(f"{path}.type: Field required")
    if kind not in FIELDS:
        raise refuse(
            f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {_tags(allowed)}"
        )
    if kind not in allowed:
        raise refuse(f"{path}: `{kind}` blocks are not permitted in {role} content")
    required, optional = FIELDS[kind]
    fields(block, f"{path}.{kind}", required | {"type"}, optional)
    check = _CHECKS.get(kind)
    if check:
        check(block, f"{path}.{kind}", role)
    cache_control(block, path)


def _tags(names: frozenset[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names))


def _text(block: JSON, path: str, role: str) -> None:
    text = string(block["text"], f"{path}.text")
    if block.get("cache_control") is None and not text:
        raise refuse("messages: text content blocks must be non-empty")
    if text and not text.strip():
        raise refuse("messages: text content blocks must contain non-whitespace text")
    citations = block.get("citations")
    if citations is None:
        return
    if not isinstance(citations, list):
        raise refuse(f"{path}.citations: Input should be a valid list")
    if citations and role != "assistant":
        raise refuse(f"{path}.citations: citations are not permitted on text blocks in {role} content")
    for at, citation in enumerate(citations):
        where = f"{path}.citations.{at}"
        if not isinstance(citation, dict) or citation.get("type") != "search_result_location":
            raise refuse(f"{where}: Input tag does not match any of the expected tags: 'search_result_location'")
        fields(citation, f"{where}.search_result_location", _LOCATION, frozenset())


def _search_result(block: JSON, path: str, role: str) -> None:
    for name in ("source", "title"):
        if not string(block[name], f"{path}.{name}").strip():
            raise refuse(f"{path}.{name}: {name} must be non-empty")
    content = block["content"]
    if not isinstance(content, list):
        raise refuse(f"{path}.content: Input should be a valid list")
    if not content:
        raise refuse(f"{path}.content: search_result content must contain at least one text block")
    for at, part in enumerate(content):
        where = f"{path}.content.{at}"
        if not isinstance(part, dict) or part.get("type") != "text":
            raise refuse(f"{where}: only text blocks are permitted in search_result content")
        fields(part, where, frozenset({"type", "text"}), frozenset({"cache_control", "citations"}))
        if part.get("citations"):
            raise refuse(f"{where}.citations: citations are not permitted on text blocks in user content")
        text = string(part["text"], f"{where}.text")
        if not text.strip():
            raise refuse(f"{where}: text content blocks must contain non-whitespace text")
        cache_control(part, where)
    _citations_config(block, path)


def _citations_config(block: JSON, path: str) -> None:
    config = block.get("citations")
    if config is not None:
        fields(config, f"{path}.citations", frozenset(), frozenset({"enabled"}))
        if not isinstance(config.get("enabled", False), bool):
            raise refuse(f"{path}.citations.enabled: Input should be a valid boolean")


def _tool_use(block: JSON, path: str, role: str) -> None:
    if not string(block["id"], f"{path}.id") or not all(
        c.isascii() and (c.isalnum() or c in "_-") for c in block["id"]
    ):
        raise refuse(f"{path}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    string(block["name"], f"{path}.name")
    if not isinstance(block["input"], dict):
        raise refuse(f"{path}.input: Input should be a valid dictionary")


def _tool_result(block: JSON, path: str, role: str) -> None:
    string(block["tool_use_id"], f"{path}.tool_use_id")
    if not isinstance(block.get("is_error", False), bool):
        raise refuse(f"{path}.is_error: Input should be a valid boolean")
    content = block.get("content")
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        raise refuse(f"{path}.content: Input should be a valid string or list")
    for at, part in enumerate(content):
        check_block(part, f"{path}.content.{at}", IN_TOOL_RESULT, role="tool_result")
        if block.get("is_error") and part["type"] != "text":
            raise refuse(f'{path}.content: all content must be type "text" if "is_error" is true')


def _thinking(block: JSON, path: str, role: str) -> None:
    string(block["thinking"], f"{path}.thinking")
    string(block["signature"], f"{path}.signature")


def _document(block: JSON, path: str, role: str) -> None:
    _citations_config(block, path)


_CHECKS: dict[str, Callable[[JSON, str, str], None]] = {
    "text": _text,
    "search_result": _search_result,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "thinking": _thinking,
    "document": _document,
}


def strings_of(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_of(item)
