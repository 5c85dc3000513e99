"""Checks of ``tools`` and ``tool_choice``."""

from __future__ import annotations

import re
from typing import Any

from tests.claude_server.blocks import cache_control, fields, string
from tests.claude_server.errors import JSON, refuse
from tests.claude_server.models import Model

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_TOOL_OPTIONAL = frozenset(
    [
        "allowed_callers",
        "cache_control",
        "defer_loading",
        "description",
        "eager_input_streaming",
        "input_examples",
        "strict",
        "type",
    ]
)
_CHOICES = {
    "auto": (frozenset({"type"}), frozenset({"disable_parallel_tool_use"})),
    "any": (frozenset({"type"}), frozenset({"disable_parallel_tool_use"})),
    "tool": (frozenset({"type", "name"}), frozenset({"disable_parallel_tool_use"})),
    "none": (frozenset({"type"}), frozenset[str]()),
}
_SCHEMA_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


def check_tools(body: JSON) -> None:
    """Names, descriptions and schemas of the tools; raises ``ApiError``."""
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list):
        raise refuse("tools: Input should be a valid list")
    for at, tool in enumerate(tools):
        path = f"tools.{at}.custom"
        if isinstance(tool, dict) and tool.get("type") not in (None, "custom"):
            raise refuse(f"tools.{at}: this server knows custom tools only, not '{tool['type']}'")
        fields(tool, path, frozenset({"name", "input_schema"}), _TOOL_OPTIONAL)
        if not _TOOL_NAME.fullmatch(string(tool["name"], f"{path}.name")):
            raise refuse(f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        string(tool.get("description", ""), f"{path}.description")
        _check_schema(tool["input_schema"], f"{path}.input_schema")
        if tool.get("strict") and tool["input_schema"].get("additionalProperties") is not False:
            raise refuse(f"{path}: For 'object' type, 'additionalProperties' must be explicitly set to false")
        cache_control(tool, path)
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        raise refuse("tools: Tool names must be unique.")


def _check_schema(schema: Any, path: str) -> None:
    if not isinstance(schema, dict):
        raise refuse(f"{path}: Input should be a valid dictionary")
    if "type" not in schema:
        raise refuse(f"{path}.type: Field required")
    if schema["type"] != "object":
        raise refuse(f"{path}.type: Input should be 'object'")
    properties = schema.get("properties") or {}
    required = schema.get("required") or []
    bad = not isinstance(properties, dict) or not isinstance(required, list)
    if not bad:
        bad = any(not isinstance(part, (dict, bool)) for part in properties.values())
    if not bad:
        kinds = [part.get("type", "string") for part in properties.values() if isinstance(part, dict)]
        flat = [kind for item in kinds for kind in (item if isinstance(item, list) else [item])]
        bad = any(kind not in _SCHEMA_TYPES for kind in flat) or any(not isinstance(name, str) for name in required)
    if bad:
        raise refuse(f"{path}: JSON schema is invalid. It must match JSON Schema draft 2020-12.")


def check_choice(body: JSON, model: Model) -> None:
    """Whether the model may be asked to use tools in this way; raises ``ApiError``."""
    choice = body.get("tool_choice")
    if choice is None:
        return
    kind = choice.get("type") if isinstance(choice, dict) else None
    if kind not in _CHOICES:
        raise refuse("tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'")
    fields(choice, f"tool_choice.{kind}", *_CHOICES[kind])
    if not body.get("tools"):
        raise refuse("tool_choice: tool_choice may only be specified while providing tools.")
    if kind == "tool" and choice["name"] not in [tool["name"] for tool in body["tools"]]:
        raise refuse(f"tool_choice.name: Tool '{choice['name']}' not found in provided tools")
    if kind in ("any", "tool") and not model.forced_tools:
        raise refuse('tool_choice: type "tool" and "any" are not supported for this model.')
    if kind in ("any", "tool") and (body.get("thinking") or {}).get("type") == "enabled":
        raise refuse("Thinking may not be enabled when tool_choice forces tool use.")
