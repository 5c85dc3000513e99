"""As much of JSON Schema (draft 7) as Slack's schema of manifests uses. A keyword that is not known here fails."""

from __future__ import annotations

import re
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_SAYS_NOTHING = {"title", "description", "default", "$schema", "definitions", "_note"}
# ``regex`` is no keyword of JSON Schema; in Slack's it means ``pattern``.
_KNOWN = _SAYS_NOTHING | {"$ref", "type", "enum", "anyOf", "minLength", "maxLength", "pattern", "regex", "format"}
_KNOWN |= {"items", "minItems", "maxItems", "uniqueItems", "properties", "required", "additionalProperties"}
_KNOWN |= {"patternProperties", "minProperties", "maxProperties"}


def violations(value: Any, schema: dict[str, Any], *, root: dict[str, Any] | None = None, at: str = "it") -> list[str]:
    """What is wrong with a value, one sentence each.

    >>> violations({"name": 7}, {"properties": {"name": {"type": "string"}}})
    ['it.name is no string']
    """
    root = root or schema
    if "$ref" in schema:
        return violations(value, root["definitions"][schema["$ref"].removeprefix("#/definitions/")], root=root, at=at)
    assert schema.keys() <= _KNOWN, f"keywords that are not known: {schema.keys() - _KNOWN}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        return [f"{at} is no {' or '.join(kinds)}"]
    found: list[str] = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at} is none of {schema['enum']}")
    if "anyOf" in schema and all(violations(value, one, root=root, at=at) for one in schema["anyOf"]):
        found.append(f"{at} fits none of the forms")
    if isinstance(value, str):
        found += _of_text(value, schema, at)
    if isinstance(value, list):
        found += _size(len(value), schema, "Items", at)
        if schema.get("uniqueItems") and len({repr(item) for item in value}) < len(value):
            found.append(f"{at} repeats an item")
        for i, item in enumerate(value):
            found += violations(item, schema.get("items", {}), root=root, at=f"{at}[{i}]")
    if isinstance(value, dict):
        found += _of_object(value, schema, root, at)
    return found


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _of_text(value: str, schema: dict[str, Any], at: str) -> list[str]:
    found = _size(len(value), schema, "Length", at)
    found += [
        f"{at} does not match {schema[name]}"
        for name in ("pattern", "regex")
        if name in schema and not re.search(schema[name], value)
    ]
    return found


def _of_object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    found = _size(len(value), schema, "Properties", at)
    found += [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value]
    for name, inner in value.items():
        fitting = [one for pattern, one in schema.get("patternProperties", {}).items() if re.search(pattern, name)]
        if name in schema.get("properties", {}):
            fitting.append(schema["properties"][name])
        if not fitting and schema.get("additionalProperties") is False:
            found.append(f"{at}.{name} is not known")
        for one in fitting:
            found += violations(inner, one, root=root, at=f"{at}.{name}")
    return found


def _size(size: int, schema: dict[str, Any], what: str, at: str) -> list[str]:
    found = []
    if size < schema.get(f"min{what}", 0):
        found.append(f"{at} is shorter than {schema[f'min{what}']}")
    if size > schema.get(f"max{what}", size):
        found.append(f"{at} is longer than {schema[f'max{what}']}")
    return found
