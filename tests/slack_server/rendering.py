"""Blocks as the plain text that a person would read off the screen, and the links and buttons in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.slack_server.errors import JSON
from tests.slack_server.texts import links_in, seen, unescape

NameOf = Callable[[str], str]
_MARKS = {"complete": "✓", "in_progress": "•", "pending": "○", "error": "✗"}


def render_blocks(blocks: list[JSON], name_of: NameOf) -> str:
    """A line (or more) for each block."""
    return "\n".join(line for line in (_block(block, name_of) for block in blocks) if line)


def _block(block: JSON, name_of: NameOf) -> str:
    kind = block.get("type")
    if kind == "divider":
        return "----"
    if kind == "markdown":
        return unescape(block["text"])
    if kind in ("section", "header", "alert"):
        parts = [_text(block.get("text"), name_of), *(_text(part, name_of) for part in block.get("fields") or [])]
        parts += [_element(block["accessory"], name_of)] if block.get("accessory") else []
        return "  ".join(part for part in parts if part)
    if kind in ("context", "actions", "context_actions"):
        return "  ".join(_element(element, name_of) for element in block["elements"])
    if kind == "rich_text":
        return "\n".join(_rich(element, name_of) for element in block["elements"])
    if kind == "table":
        return "\n".join(" | ".join(_cell(cell, name_of) for cell in row) for row in block["rows"])
    if kind == "input":
        return f"{_text(block['label'], name_of)}: {_element(block['element'], name_of)}"
    if kind == "image":
        return f"[image: {block['alt_text']}]"
    if kind == "task_card":
        return task_line(block)
    if kind == "plan":
        return "\n".join([str(block["title"]), *(task_line(task) for task in block.get("tasks") or [])])
    return f"[{kind}]"


def task_line(task: JSON) -> str:
    """``✓ Searched "x" — 8 passages``: a task card in a line; its sources follow as their texts."""
    parts = [_maybe_rich(task.get(name)) for name in ("details", "output")]
    parts += [", ".join(str(source.get("text", source.get("url"))) for source in task.get("sources") or [])]
    rest = " — ".join(part for part in parts if part)
    return f"{_MARKS.get(task.get('status', ''), '○')} {task['title']}{' — ' + rest if rest else ''}"


def _maybe_rich(value: Any) -> str:
    if isinstance(value, dict):
        return _block(value, lambda id: id)
    return str(value) if value else ""


def _cell(cell: JSON, name_of: NameOf) -> str:
    return _block(cell, name_of) if cell["type"] == "rich_text" else str(cell.get("text", cell.get("value", "")))


def _text(value: Any, name_of: NameOf) -> str:
    if not value:
        return ""
    return seen(value["text"], name_of) if value.get("type") == "mrkdwn" else str(value["text"])


def _element(element: JSON, name_of: NameOf) -> str:
    kind = element["type"]
    if kind in ("mrkdwn", "plain_text"):
        return _text(element, name_of)
    if kind in ("button", "workflow_button", "icon_button"):
        return f"[{_text(element['text'], name_of)}]"
    if kind == "overflow":
        return "[⋯ " + " | ".join(_text(option["text"], name_of) for option in element["options"]) + "]"
    if kind == "feedback_buttons":
        return "  ".join(f"[{element[f'{way}_button']['text']['text']}]" for way in ("positive", "negative"))
    if kind == "image":
        return f"[image: {element['alt_text']}]"
    if kind in ("radio_buttons", "checkboxes", "static_select", "multi_static_select"):
        return " | ".join(_text(option["text"], name_of) for option in element.get("options") or [])
    return f"[{kind}]"


def _rich(element: JSON, name_of: NameOf) -> str:
    kind = element["type"]
    if kind == "rich_text_list":
        mark = "{}. " if element.get("style") == "ordered" else "- "
        start = 1 + int(element.get("offset", 0))
        return "\n".join(mark.format(at) + _rich(item, name_of) for at, item in enumerate(element["elements"], start))
    text = "".join(_inline(part, name_of) for part in element["elements"])
    return "\n".join(f"> {line}" for line in text.split("\n")) if kind == "rich_text_quote" else text


def _inline(part: JSON, name_of: NameOf) -> str:
    kind = part["type"]
    if kind == "text":
        return str(part["text"])
    if kind == "link":
        return str(part.get("text") or part["url"])
    if kind in ("user", "channel", "usergroup"):
        return ("#" if kind == "channel" else "@") + name_of(part[f"{kind}_id"])
    if kind == "broadcast":
        return f"@{part['range']}"
    if kind == "emoji":
        return f":{part['name']}:"
    return str(part.get("fallback", ""))


def nodes(value: Any) -> Iterator[JSON]:
    """Every object inside, outermost first."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner)


def links_of(blocks: list[JSON]) -> list[tuple[str, str]]:
    """(label, URL) of every link in blocks, buttons and task sources included."""
    found: list[tuple[str, str]] = []
    for node in nodes(blocks):
        kind = node.get("type")
        if kind in ("link", "url"):
            found.append((str(node.get("text") or node["url"]), node["url"]))
        elif kind == "button" and node.get("url"):
            found.append((node["text"]["text"], node["url"]))
        elif kind == "mrkdwn" or (kind == "markdown" and isinstance(node.get("text"), str)):
            found += links_in(node["text"])
    return found


def actions_of(blocks: list[JSON]) -> list[tuple[str, JSON]]:
    """(block_id, element) of everything in blocks that a person can click or fill in."""
    found = []
    for block in blocks:
        elements = list(block.get("elements") or []) if block.get("type") in ("actions", "context_actions") else []
        elements += [block[name] for name in ("accessory", "element") if isinstance(block.get(name), dict)]
        found += [(str(block.get("block_id", "")), element) for element in elements if "action_id" in element]
    return found
