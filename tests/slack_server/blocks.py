"""Block Kit as Slack takes it: known blocks, known fields, the limits of each and of all together."""

from __future__ import annotations

import copy
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.slack_server.checking import ID_LIMIT, Checker
from tests.slack_server.elements import check_element, check_image, check_rich_text
from tests.slack_server.errors import JSON, Refused
from tests.slack_server.rendering import nodes

MARKDOWN_LIMIT = 12_000
MESSAGE_BLOCKS, VIEW_BLOCKS = 50, 100
# type → (required fields, optional fields, surfaces), beside ``type`` and ``block_id``
BLOCKS: dict[str, tuple[str, str, str]] = {
    "section": ("", "text fields accessory expand", "message modal home"),
    "divider": ("", "", "message modal home"),
    "header": ("text", "", "message modal home"),
    "image": ("alt_text", "image_url slack_file title", "message modal home"),
    "context": ("elements", "", "message modal home"),
    "actions": ("elements", "", "message modal home"),
    "context_actions": ("elements", "", "message"),
    "input": ("label element", "hint optional dispatch_action", "message modal home"),
    "markdown": ("text", "", "message"),
    "rich_text": ("elements", "", "message modal home"),
    "table": ("rows", "column_settings", "message"),
    "task_card": ("task_id title", "details output sources status", "message"),
    "plan": ("title", "tasks", "message"),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may carry: ``text`` is what all blocks together may hold (reported: about 13,200)."""

    text: int = 13_200
    blocks: int = MESSAGE_BLOCKS


def parse_blocks(value: Any) -> list[JSON]:
    """Blocks as a list, also where they came as JSON text; a copy."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise Refused("invalid_blocks_format") from None
    if not isinstance(value, list):
        raise Refused("invalid_blocks_format")
    return copy.deepcopy(value)


def message_blocks(value: Any, limits: Limits, *, more_text: int = 0) -> list[JSON]:
    """The blocks of a message, checked, each with a ``block_id``. ``more_text``: characters shown beside them."""
    blocks = parse_blocks(value)
    check = _checked(blocks, "message", limits.blocks, "/blocks")
    if check.errors:
        raise Refused("invalid_blocks", *check.errors)
    if check.text_characters + more_text > limits.text:
        raise Refused("msg_blocks_too_long", f"{check.text_characters + more_text} characters of text in all blocks")
    return with_ids(blocks)


def view_errors(view: JSON) -> list[str]:
    """What is wrong with the blocks of a view."""
    surface = view.get("type", "modal")
    if not isinstance(view.get("blocks"), list):
        return ["missing required field: blocks [json-pointer:/view/blocks]"]
    check = _checked(view["blocks"], surface, VIEW_BLOCKS, "/view/blocks")
    if not view["blocks"]:
        check.wrong("/view/blocks", "must have at least 1 items")
    has_input = any(isinstance(b, dict) and b.get("type") == "input" for b in view["blocks"])
    if surface == "modal" and has_input and not view.get("submit"):
        check.wrong("/view/submit", "missing required field: submit, as there are inputs")
    return check.errors


def with_ids(blocks: list[JSON]) -> list[JSON]:
    """Blocks with a ``block_id``, elements that can be clicked with an ``action_id``: Slack makes up missing ones."""
    for block in blocks:
        block.setdefault("block_id", secrets.token_urlsafe(4))
    for node in nodes(blocks):
        if node.get("type") in ("button", "overflow", "icon_button", "feedback_buttons"):
            node.setdefault("action_id", secrets.token_urlsafe(4))
    return blocks


def _checked(blocks: list[Any], surface: str, most: int, path: str) -> Checker:
    check = Checker()
    if len(blocks) > most:
        check.wrong(path, f"no more than {most} items allowed")
    seen: set[str] = set()
    for at, block in enumerate(blocks):
        _block(check, block, f"{path}/{at}", surface)
        block_id = block.get("block_id") if isinstance(block, dict) else None
        if isinstance(block_id, str) and block_id in seen:
            check.wrong(f"{path}/{at}/block_id", f"`block_id` {block_id} already exists")
        seen.add(str(block_id))
    if check.markdown_characters > MARKDOWN_LIMIT:
        check.wrong(path, f"markdown blocks must be less than {MARKDOWN_LIMIT + 1} characters together")
    if sum(isinstance(block, dict) and block.get("type") == "table" for block in blocks) > 1:
        check.wrong(path, "only one table allowed")
    return check


def _block(check: Checker, block: Any, path: str, surface: str) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in BLOCKS:
        check.wrong(f"{path}/type", f"unsupported type: {kind}")
        return
    required, optional, surfaces = BLOCKS[kind]
    if surface not in surfaces.split():
        check.wrong(f"{path}/type", f"unsupported type: {kind} cannot be in a {surface}")
        return
    if block.get("block_id") is not None:
        check.string(block["block_id"], f"{path}/block_id", ID_LIMIT)
    if check.fields(block, path, f"type {required}", f"block_id {optional}") and kind in _CHECKS:
        _CHECKS[kind](check, block, path)


def _section(check: Checker, block: JSON, path: str) -> None:
    if block.get("text") is None and not block.get("fields"):
        check.wrong(path, "either text or fields is required")
    if block.get("text") is not None:
        check.text(block["text"], f"{path}/text", 3000)
    for at, field in enumerate(check.array(block["fields"], f"{path}/fields", 10) if block.get("fields") else []):
        check.text(field, f"{path}/fields/{at}", 2000)
    if block.get("accessory") is not None:
        check_element(check, block["accessory"], f"{path}/accessory", "accessory", path)


def _header(check: Checker, block: JSON, path: str) -> None:
    check.text(block["text"], f"{path}/text", 150, plain=True)


def _image(check: Checker, block: JSON, path: str) -> None:
    check_image(check, block, path)
    if block.get("title") is not None:
        check.text(block["title"], f"{path}/title", 2000, plain=True)


def _context(check: Checker, block: JSON, path: str) -> None:
    for at, element in enumerate(check.array(block["elements"], f"{path}/elements", 10)):
        where = f"{path}/elements/{at}"
        if isinstance(element, dict) and element.get("type") == "image":
            if check.fields(element, where, "type alt_text", "image_url slack_file"):
                check_image(check, element, where)
        else:
            check.text(element, where, 3000)


def _actions(check: Checker, block: JSON, path: str) -> None:
    most = 25 if block["type"] == "actions" else 5
    for at, element in enumerate(check.array(block["elements"], f"{path}/elements", most)):
        check_element(check, element, f"{path}/elements/{at}", block["type"], path)


def _input(check: Checker, block: JSON, path: str) -> None:
    check.text(block["label"], f"{path}/label", 2000, plain=True)
    if block.get("hint") is not None:
        check.text(block["hint"], f"{path}/hint", 2000, plain=True)
    check.boolean(block, "optional", path)
    check_element(check, block["element"], f"{path}/element", "input", path)


def _markdown(check: Checker, block: JSON, path: str) -> None:
    if check.string(block["text"], f"{path}/text", MARKDOWN_LIMIT):
        check.markdown_characters += len(block["text"])
        check.text_characters += len(block["text"])


def _table(check: Checker, block: JSON, path: str) -> None:
    characters = 0
    for at, row in enumerate(check.array(block["rows"], f"{path}/rows", 100)):
        for column, cell in enumerate(check.array(row, f"{path}/rows/{at}", 20)):
            where = f"{path}/rows/{at}/{column}"
            kind = cell.get("type") if isinstance(cell, dict) else None
            before = check.text_characters
            if kind == "rich_text":
                if check.fields(cell, where, "type elements", "block_id"):
                    check_rich_text(check, cell, where)
            elif kind not in ("raw_text", "raw_number"):
                check.wrong(f"{where}/type", f"unsupported type: {kind}")
            elif check.fields(cell, where, "type text" if kind == "raw_text" else "type value", "text"):
                check.text_characters += len(str(cell.get("text", cell.get("value"))))
                if kind == "raw_text":
                    check.string(cell["text"], f"{where}/text", 10_000)
            characters += check.text_characters - before
    if characters > 10_000:
        check.wrong(path, "a table must be less than 10001 characters")
    if block.get("column_settings") is not None:
        check.array(block["column_settings"], f"{path}/column_settings", 20)


def _task_card(check: Checker, block: JSON, path: str) -> None:
    check.string(block["title"], f"{path}/title", 256)
    check.one_of(block, "status", path, "pending in_progress complete error")


_CHECKS: dict[str, Callable[[Checker, JSON, str], None]] = {
    "section": _section,
    "header": _header,
    "image": _image,
    "context": _context,
    "actions": _actions,
    "context_actions": _actions,
    "input": _input,
    "markdown": _markdown,
    "rich_text": check_rich_text,
    "table": _table,
    "task_card": _task_card,
}
