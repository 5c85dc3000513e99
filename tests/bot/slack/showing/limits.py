"""What Slack takes, as a strict reader of blocks, messages and forms: it lists everything that Slack would refuse.

Written from Slack's reference, apart from the builders. What the reference does not name is refused here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
VIEW_BYTES = 250_000
MESSAGE_TEXT = 13_200
MARKDOWN_TEXT = 12_000
FALLBACK = 4_000

_URL = re.compile(r"https?://[A-Za-z0-9\-._~%!$&'()*+,;=:@\[\]/?#]+")
_USER = re.compile(r"[UW][A-Z0-9]+")

# type: (required fields, optional fields), each with its type
_Fields = dict[str, Any]
_BLOCKS: dict[str, tuple[_Fields, _Fields]] = {
    "actions": ({"elements": list}, {}),
    "context": ({"elements": list}, {}),
    "divider": ({}, {}),
    "header": ({"text": dict}, {}),
    "section": ({}, {"text": dict, "fields": list, "accessory": dict, "expand": bool}),
    "markdown": ({"text": str}, {}),
    "rich_text": ({"elements": list}, {}),
    "input": (
        {"label": dict, "element": dict},
        {"hint": dict, "optional": bool, "dispatch_action": bool},
    ),
}
_ELEMENTS: dict[str, tuple[_Fields, _Fields]] = {
    "button": (
        {"text": dict, "action_id": str},
        {"value": str, "url": str, "style": str, "confirm": dict, "accessibility_label": str},
    ),
    "overflow": ({"options": list, "action_id": str}, {"confirm": dict}),
    "plain_text_input": (
        {"action_id": str},
        {
            "initial_value": str,
            "multiline": bool,
            "min_length": int,
            "max_length": int,
            "dispatch_action_config": dict,
            "focus_on_load": bool,
            "placeholder": dict,
        },
    ),
    "radio_buttons": (
        {"action_id": str, "options": list},
        {"initial_option": dict, "confirm": dict, "focus_on_load": bool},
    ),
    "file_input": ({"action_id": str}, {"filetypes": list, "max_files": int}),
    "static_select": ({"action_id": str, "options": list}, {"initial_option": dict, "placeholder": dict}),
}
_INPUTS = ("plain_text_input", "radio_buttons", "file_input", "static_select")
_TEXTS: dict[str, tuple[_Fields, _Fields]] = {
    "plain_text": ({"text": str}, {"emoji": bool}),
    "mrkdwn": ({"text": str}, {"verbatim": bool}),
}
_RICH: dict[str, tuple[_Fields, _Fields]] = {
    "rich_text_section": ({"elements": list}, {}),
    "rich_text_quote": ({"elements": list}, {"border": int}),
    "rich_text_preformatted": ({"elements": list}, {"border": int}),
    "rich_text_list": ({"elements": list, "style": str}, {"indent": int, "offset": int, "border": int}),
}
_RUNS: dict[str, tuple[_Fields, _Fields]] = {
    "text": ({"text": str}, {"style": dict}),
    "link": ({"url": str}, {"text": str, "style": dict, "unsafe": bool}),
    "user": ({"user_id": str}, {"style": dict}),
    "channel": ({"channel_id": str}, {"style": dict}),
    "emoji": ({"name": str}, {"unicode": str}),
}
_STYLES = {"bold", "italic", "strike", "code"}


def message_faults(blocks: Sequence[Any], text: str | None) -> list[str]:
    """What Slack would refuse of a message, a sentence each; empty where it takes it."""
    return [*_list_faults(blocks, MESSAGE_BLOCKS, in_form=False), *_message_sizes(blocks), *_fallback(text)]


def block_faults(blocks: Sequence[Any]) -> list[str]:
    """The same for blocks that go under a text."""
    return [*_list_faults(blocks, MESSAGE_BLOCKS, in_form=False), *_message_sizes(blocks)]


def view_faults(view: Mapping[str, Any]) -> list[str]:
    """What Slack would refuse of a form."""
    known = {"type", "callback_id", "title", "blocks", "close", "submit", "private_metadata", "clear_on_close"}
    known |= {"notify_on_close", "external_id", "submit_disabled"}
    faults = [f"view: unknown field {name}" for name in view.keys() - known]
    if view.get("type") != "modal":
        faults.append("view: not a modal")
    for name in ("title", "close", "submit"):
        if name in view:
            faults += _text(view[name], f"view.{name}", 24, plain=True)
        elif name == "title":
            faults.append("view: no title")
    if len(view.get("private_metadata", "")) > 3_000:
        faults.append("view.private_metadata: too long")
    if len(view.get("callback_id", "")) > 255:
        faults.append("view.callback_id: too long")
    blocks = view.get("blocks", [])
    if any(isinstance(block, dict) and block.get("type") == "input" for block in blocks) and "submit" not in view:
        faults.append("view: inputs without a submit button")
    if len(json.dumps(view)) > VIEW_BYTES:
        faults.append("view: view_too_large")
    return [*faults, *_list_faults(blocks, VIEW_BLOCKS, in_form=True)]


def home_faults(view: Mapping[str, Any]) -> list[str]:
    """What Slack would refuse of a Home tab."""
    faults = [f"view: unknown field {name}" for name in view.keys() - {"type", "blocks", "private_metadata"}]
    faults += ["view: not a Home tab"] if view.get("type") != "home" else []
    faults += ["view: view_too_large"] if len(json.dumps(view)) > VIEW_BYTES else []
    return [*faults, *_list_faults(view.get("blocks", []), VIEW_BLOCKS, in_form=True)]


def every_text(value: object) -> Iterator[str]:
    """All texts anywhere in blocks."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for inner in value.values():
            yield from every_text(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from every_text(inner)


def every_run(value: object, kind: str) -> Iterator[dict[str, Any]]:
    """All objects of a type anywhere in blocks."""
    if isinstance(value, dict):
        if value.get("type") == kind:
            yield value
        for inner in value.values():
            yield from every_run(inner, kind)
    elif isinstance(value, list):
        for inner in value:
            yield from every_run(inner, kind)


def _fallback(text: str | None) -> list[str]:
    if not text or not text.strip():
        return ["message: no text for notifications and screen readers"]
    faults = [f"message.text: {len(text)} characters"] if len(text) > FALLBACK else []
    without_mentions = re.sub(r"<@[UW][A-Z0-9]+>", "", text)
    if re.search(r"[<>]|&(?!amp;|lt;|gt;)", without_mentions):
        faults.append("message.text: not escaped")
    return faults


def _message_sizes(blocks: Sequence[Any]) -> list[str]:
    faults = []
    if sum(map(len, every_text(list(blocks)))) > MESSAGE_TEXT:
        faults.append("msg_blocks_too_long")
    markdown = [block["text"] for block in blocks if isinstance(block, dict) and block.get("type") == "markdown"]
    if sum(map(len, markdown)) > MARKDOWN_TEXT:
        faults.append("markdown blocks are longer than 12,000 together")
    return faults


def _list_faults(blocks: Sequence[Any], most: int, *, in_form: bool) -> list[str]:
    faults = [f"{len(blocks)} blocks"] if len(blocks) > most else []
    ids = [block["block_id"] for block in blocks if isinstance(block, dict) and "block_id" in block]
    if len(ids) != len(set(ids)):
        faults.append("block ids are not unique")
    for number, block in enumerate(blocks):
        faults += _block(block, f"blocks[{number}]", in_form=in_form)
    return faults


def _block(block: Any, at: str, *, in_form: bool) -> list[str]:
    faults = _shape(block, _BLOCKS, at, also={"block_id": str})
    if faults:
        return faults
    if len(block.get("block_id", "")) > 255:
        faults.append(f"{at}.block_id: too long")
    checks: dict[str, Callable[[dict[str, Any], str], list[str]]] = {
        "actions": _actions,
        "context": _context,
        "header": lambda block, at: _text(block["text"], f"{at}.text", 150, plain=True),
        "section": _section,
        "markdown": lambda block, at: [] if block["text"].strip() else [f"{at}: empty"],
        "rich_text": _rich_text,
        "input": _input,
        "divider": lambda block, at: [],
    }
    kind = block["type"]
    if kind == "markdown" and in_form:
        faults.append(f"{at}: no markdown blocks in forms")
    if kind == "input" and not in_form:
        faults.append(f"{at}: inputs are for forms")
    return faults + checks[kind](block, at)


def _shape(value: Any, kinds: dict[str, tuple[_Fields, _Fields]], at: str, also: _Fields | None = None) -> list[str]:
    if not isinstance(value, dict) or value.get("type") not in kinds:
        return [f"{at}: {value.get('type') if isinstance(value, dict) else value!r} is not known here"]
    required, optional = kinds[value["type"]]
    allowed = {"type": str, **required, **optional, **(also or {})}
    faults = [f"{at}: no {name}" for name in required if name not in value]
    for name, content in value.items():
        if name not in allowed:
            faults.append(f"{at}: unknown field {name}")
        elif not isinstance(content, allowed[name]) or (allowed[name] is int and isinstance(content, bool)):
            faults.append(f"{at}.{name}: wrong type")
    return faults


def _text(value: Any, at: str, most: int, *, plain: bool) -> list[str]:
    faults = _shape(value, {"plain_text": _TEXTS["plain_text"]} if plain else _TEXTS, at)
    if faults:
        return faults
    length = len(value["text"])
    return [] if 1 <= length <= most and value["text"].strip() else [f"{at}: {length} characters"]


def _actions(block: dict[str, Any], at: str) -> list[str]:
    elements = block["elements"]
    faults = [] if 1 <= len(elements) <= 25 else [f"{at}: {len(elements)} elements"]
    known = {kind: _ELEMENTS[kind] for kind in ("button", "overflow")}
    for number, element in enumerate(elements):
        faults += _element(element, f"{at}.elements[{number}]", known)
    ids = [element.get("action_id") for element in elements if isinstance(element, dict)]
    return faults + ([f"{at}: action ids are not unique"] if len(ids) != len(set(ids)) else [])


def _element(element: Any, at: str, known: dict[str, tuple[_Fields, _Fields]]) -> list[str]:
    faults = _shape(element, known, at)
    if faults:
        return faults
    if not 1 <= len(element["action_id"]) <= 255:
        faults.append(f"{at}.action_id: length")
    if element["type"] == "button":
        spoken = element.get("accessibility_label", "x")
        faults += _text(element["text"], f"{at}.text", 75, plain=True)
        faults += [f"{at}.value: too long"] if len(element.get("value", "")) > 2_000 else []
        faults += [f"{at}.style"] if element.get("style", "primary") not in ("primary", "danger") else []
        faults += [] if 1 <= len(spoken) <= 75 else [f"{at}.accessibility_label: length"]
    if element["type"] == "overflow":
        faults += [] if 1 <= len(element["options"]) <= 5 else [f"{at}: {len(element['options'])} options"]
        for option in element["options"]:
            faults += _text(option.get("text"), f"{at}.option", 75, plain=True)
            known_fields = option.keys() <= {"text", "value", "description", "url"}
            fits = known_fields and 1 <= len(option.get("value", "")) <= 75 and len(option.get("url", "")) <= 3_000
            fits = fits and _URL.fullmatch(option.get("url", "https://x.example"))
            faults += [] if fits else [f"{at}.option: fields, value or url"]
    if element["type"] == "plain_text_input":
        longest = element.get("max_length", 3_000)
        faults += [] if 1 <= longest <= 3_000 else [f"{at}.max_length"]
        faults += [f"{at}.initial_value: too long"] if len(element.get("initial_value", "")) > longest else []
    if element["type"] in ("radio_buttons", "static_select"):
        faults += _choices(element, at, 10 if element["type"] == "radio_buttons" else 100)
    if element["type"] == "file_input" and not 1 <= element.get("max_files", 10) <= 10:
        faults.append(f"{at}.max_files")
    return faults


def _choices(element: dict[str, Any], at: str, most: int) -> list[str]:
    options = element["options"]
    faults = [] if 1 <= len(options) <= most else [f"{at}: {len(options)} options"]
    for option in options:
        faults += _text(option.get("text"), f"{at}.option", 75, plain=True)
        if option.keys() - {"text", "value", "description"} or not 1 <= len(option.get("value", "")) <= 150:
            faults.append(f"{at}.option: fields or value")
    if len({option.get("value") for option in options}) < len(options):
        faults.append(f"{at}: values are not unique")
    if "initial_option" in element and element["initial_option"] not in options:
        faults.append(f"{at}.initial_option: none of the options")
    return faults


def _context(block: dict[str, Any], at: str) -> list[str]:
    elements = block["elements"]
    faults = [] if 1 <= len(elements) <= 10 else [f"{at}: {len(elements)} elements"]
    for number, element in enumerate(elements):
        faults += _text(element, f"{at}.elements[{number}]", 2_000, plain=False)
    return faults


def _section(block: dict[str, Any], at: str) -> list[str]:
    if "text" not in block and "fields" not in block:
        return [f"{at}: neither text nor fields"]
    faults = _text(block["text"], f"{at}.text", 3_000, plain=False) if "text" in block else []
    known = {kind: _ELEMENTS[kind] for kind in ("button", "overflow")}
    return faults + (_element(block["accessory"], f"{at}.accessory", known) if "accessory" in block else [])


def _input(block: dict[str, Any], at: str) -> list[str]:
    faults = _text(block["label"], f"{at}.label", 2_000, plain=True)
    if "hint" in block:
        faults += _text(block["hint"], f"{at}.hint", 2_000, plain=True)
    return faults + _element(block["element"], f"{at}.element", {kind: _ELEMENTS[kind] for kind in _INPUTS})


def _rich_text(block: dict[str, Any], at: str) -> list[str]:
    faults = [] if block["elements"] else [f"{at}: empty"]
    for number, part in enumerate(block["elements"]):
        faults += _part(part, f"{at}.elements[{number}]", _RICH)
    return faults


def _part(part: Any, at: str, known: dict[str, tuple[_Fields, _Fields]]) -> list[str]:
    faults = _shape(part, known, at)
    if faults:
        return faults
    if not part["elements"]:
        faults.append(f"{at}: empty")
    inner = part["elements"]
    if part["type"] == "rich_text_list":
        if part["style"] not in ("bullet", "ordered"):
            faults.append(f"{at}.style")
        if part.get("offset", 0) < 0 or not 0 <= part.get("indent", 0) <= 8:
            faults.append(f"{at}.offset or indent")
        sections = {"rich_text_section": _RICH["rich_text_section"]}
        return faults + [fault for n, one in enumerate(inner) for fault in _part(one, f"{at}[{n}]", sections)]
    return faults + [fault for n, run in enumerate(inner) for fault in _run(run, f"{at}[{n}]")]


def _run(run: Any, at: str) -> list[str]:
    faults = _shape(run, _RUNS, at)
    if faults:
        return faults
    style = run.get("style", {"bold": True})
    if not style or style.keys() - _STYLES or not all(value is True for value in style.values()):
        faults.append(f"{at}.style")
    if run["type"] in ("text", "link") and not run.get("text", "x"):
        faults.append(f"{at}: empty text")
    if run["type"] == "link" and not (_URL.fullmatch(run["url"]) and len(run["url"]) <= 3_000):
        faults.append(f"{at}.url: {run['url'][:40]!r}")
    if run["type"] == "user" and not _USER.fullmatch(run["user_id"]):
        faults.append(f"{at}.user_id")
    return faults
