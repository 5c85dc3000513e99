"""Checks of the elements that blocks are made of: buttons, menus, inputs, rich text."""

from __future__ import annotations

import re
from typing import Any

from tests.slack_server.checking import Checker
from tests.slack_server.errors import JSON

_INPUT = "action_id placeholder focus_on_load"
_PICK = "action_id placeholder confirm focus_on_load"
# type → (required fields, optional fields), beside ``type``
ELEMENTS: dict[str, tuple[str, str]] = {
    "button": ("text", "action_id url value style confirm accessibility_label"),
    "overflow": ("options", "action_id confirm"),
    "image": ("alt_text", "image_url slack_file"),
    "feedback_buttons": ("positive_button negative_button", "action_id"),
    "icon_button": ("icon text", "action_id value confirm accessibility_label visible_to_user_ids"),
    "workflow_button": ("text workflow", "action_id style accessibility_label"),
    "checkboxes": ("options", "action_id initial_options confirm focus_on_load"),
    "radio_buttons": ("options", "action_id initial_option confirm focus_on_load"),
    "static_select": ("", f"options option_groups initial_option {_PICK}"),
    "multi_static_select": ("", f"options option_groups initial_options max_selected_items {_PICK}"),
    "external_select": ("", f"initial_option min_query_length {_PICK}"),
    "users_select": ("", f"initial_user {_PICK}"),
    "multi_users_select": ("", f"initial_users max_selected_items {_PICK}"),
    "conversations_select": (
        "",
        f"initial_conversation default_to_current_conversation response_url_enabled filter {_PICK}",
    ),
    "channels_select": ("", f"initial_channel response_url_enabled {_PICK}"),
    "datepicker": ("", f"initial_date {_PICK}"),
    "timepicker": ("", f"initial_time timezone {_PICK}"),
    "plain_text_input": ("", f"initial_value multiline min_length max_length dispatch_action_config {_INPUT}"),
    "rich_text_input": ("", f"initial_value dispatch_action_config {_INPUT}"),
    "email_text_input": ("", f"initial_value dispatch_action_config {_INPUT}"),
    "url_text_input": ("", f"initial_value dispatch_action_config {_INPUT}"),
    "number_input": (
        "is_decimal_allowed",
        f"initial_value min_value max_value dispatch_action_config {_INPUT}",
    ),
    "file_input": ("", "action_id filetypes max_files"),
}
_MENUS = frozenset(name for name in ELEMENTS if name.endswith(("select", "picker"))) | {"checkboxes", "radio_buttons"}
_INPUTS = _MENUS | frozenset(name for name in ELEMENTS if name.endswith("_input"))
ALLOWED: dict[str, frozenset[str]] = {
    "actions": _MENUS | {"button", "overflow", "workflow_button"},
    "accessory": _MENUS | {"button", "overflow", "image", "workflow_button"},
    "context_actions": frozenset({"feedback_buttons", "icon_button"}),
    "input": _INPUTS,
}
_RICH = frozenset({"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"})
_INLINE: dict[str, tuple[str, str]] = {
    "text": ("text", "style"),
    "link": ("url", "text style unsafe"),
    "emoji": ("name", "skin_tone unicode style"),
    "user": ("user_id", "style"),
    "channel": ("channel_id", "style"),
    "usergroup": ("usergroup_id", "style"),
    "team": ("team_id", "style"),
    "broadcast": ("range", "style"),
    "date": ("timestamp format", "url fallback style"),
    "color": ("value", "style"),
}


def check_element(check: Checker, element: Any, path: str, place: str, block_path: str) -> None:
    """One element at its place: ``actions``, ``accessory``, ``context_actions`` or ``input``."""
    kind = element.get("type") if isinstance(element, dict) else None
    if kind not in ELEMENTS:
        check.wrong(f"{path}/type", f"unsupported type: {kind}")
        return
    if kind not in ALLOWED[place]:
        check.wrong(f"{path}/type", f"unsupported type: {kind} cannot be in {place}")
        return
    required, optional = ELEMENTS[kind]
    if not check.fields(element, path, f"type {required}", optional):
        return
    check.action_id(element, path, block_path)
    check.confirm(element.get("confirm"), f"{path}/confirm")
    if element.get("placeholder") is not None:
        check.text(element["placeholder"], f"{path}/placeholder", 150, plain=True)
    if kind in ("button", "icon_button", "workflow_button"):
        _button(check, element, path)
    elif kind == "feedback_buttons":
        _feedback(check, element, path)
    elif kind == "overflow":
        check.options(element, path, 5)
    elif kind in ("checkboxes", "radio_buttons"):
        check.options(element, path, 10, plain=False)
    elif kind.endswith("static_select"):
        if ("options" in element) == ("option_groups" in element):
            check.wrong(path, "either options or option_groups is required")
        check.options(element, path, 100)
    elif kind == "image":
        check_image(check, element, path)
    elif kind == "plain_text_input":
        check.boolean(element, "multiline", path)
        _length(check, element, path)
    elif kind == "file_input" and not 1 <= element.get("max_files", 10) <= 10:
        check.wrong(f"{path}/max_files", "must be between 1 and 10")


def check_image(check: Checker, value: JSON, path: str) -> None:
    check.string(value["alt_text"], f"{path}/alt_text", 2000)
    if (value.get("image_url") is None) == (value.get("slack_file") is None):
        check.wrong(path, "either image_url or slack_file is required")
    elif value.get("image_url") is not None:
        check.url(value["image_url"], f"{path}/image_url")


def _button(check: Checker, element: JSON, path: str) -> None:
    check.text(element["text"], f"{path}/text", 75, plain=True)
    if element["type"] == "button":
        check.one_of(element, "style", path, "primary danger")
        if element.get("url") is not None:
            check.url(element["url"], f"{path}/url")
    check.optional(element, "value", path, 2000)
    check.optional(element, "accessibility_label", path, 75)


def _feedback(check: Checker, element: JSON, path: str) -> None:
    for name in ("positive_button", "negative_button"):
        where = f"{path}/{name}"
        if check.fields(element[name], where, "text value", "accessibility_label"):
            check.text(element[name]["text"], f"{where}/text", 75, plain=True)
            check.string(element[name]["value"], f"{where}/value", 2000)
            check.optional(element[name], "accessibility_label", where, 75)


def _length(check: Checker, element: JSON, path: str) -> None:
    least, most = element.get("min_length", 0), element.get("max_length", 3000)
    if not (isinstance(least, int) and isinstance(most, int) and 0 <= least <= most and 1 <= most <= 3000):
        check.wrong(path, "min_length and max_length must be between 0 and 3000")
    check.optional(element, "initial_value", path, 3000)


def check_rich_text(check: Checker, block: JSON, path: str) -> None:
    """A ``rich_text`` block: sections, lists, quotes, preformatted text, with their inline elements."""
    for at, element in enumerate(check.array(block["elements"], f"{path}/elements", 3000)):
        where = f"{path}/elements/{at}"
        kind = element.get("type") if isinstance(element, dict) else None
        if kind not in _RICH:
            check.wrong(f"{where}/type", f"unsupported type: {kind}")
        elif kind == "rich_text_list":
            _rich_list(check, element, where)
        else:
            optional = "border language" if kind == "rich_text_preformatted" else "border"
            if check.fields(element, where, "type elements", "" if kind == "rich_text_section" else optional):
                _inlines(check, element["elements"], f"{where}/elements")


def _rich_list(check: Checker, element: JSON, path: str) -> None:
    if not check.fields(element, path, "type style elements", "indent offset border"):
        return
    check.one_of(element, "style", path, "bullet ordered")
    for at, item in enumerate(check.array(element["elements"], f"{path}/elements", 3000)):
        where = f"{path}/elements/{at}"
        if not isinstance(item, dict) or item.get("type") != "rich_text_section":
            check.wrong(f"{where}/type", "must be rich_text_section")
        elif check.fields(item, where, "type elements", ""):
            _inlines(check, item["elements"], f"{where}/elements")


def _inlines(check: Checker, parts: Any, path: str) -> None:
    for at, part in enumerate(check.array(parts, path, 3000, least=0)):
        where = f"{path}/{at}"
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in _INLINE:
            check.wrong(f"{where}/type", f"unsupported type: {kind}")
            continue
        required, optional = _INLINE[kind]
        if not check.fields(part, where, f"type {required}", optional):
            continue
        if kind == "text" and check.string(part["text"], f"{where}/text", 40_000):
            check.text_characters += len(part["text"])
        elif kind == "link":
            check.url(part["url"], f"{where}/url")
            check.text_characters += len(str(part.get("text") or part["url"]))
        elif kind == "broadcast":
            check.one_of(part, "range", where, "here channel everyone")
        elif kind == "emoji" and not re.fullmatch(r"[a-z0-9_+\-']+", str(part["name"])):
            check.wrong(f"{where}/name", "invalid emoji name")
        _style(check, part.get("style"), f"{where}/style")


def _style(check: Checker, style: Any, path: str) -> None:
    if style is None:
        return
    if check.fields(style, path, "", "bold italic strike code underline highlight client_highlight unlink"):
        for name in style:
            check.boolean(style, name, path)
