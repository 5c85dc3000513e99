"""What a person can click and fill in: the action or the state that Slack makes of it, or an ``AssertionError``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.slack_server.errors import JSON
from tests.slack_server.rendering import actions_of
from tests.slack_server.world import File, Person

UPLOAD_BYTES = 10_000_000  # what a file_input takes


def clickable(
    blocks: list[JSON], action_id: str, value: str | None, who: str, *, option: str | None = None
) -> tuple[str, JSON]:
    """The block's id and the element that is meant: of several with this ``action_id`` the one with this ``value``, or
    the one that offers this ``option``."""
    silent = {id(b["element"]) for b in blocks if b["type"] == "input" and not b.get("dispatch_action")}
    there = [(block_id, element) for block_id, element in actions_of(blocks) if id(element) not in silent]
    named = [found for found in there if found[1]["action_id"] == action_id and value in (None, found[1].get("value"))]
    offering = [found for found in named if option in [one["value"] for one in _options(found[1])]]
    for found in offering or named:
        return found
    raise AssertionError(f"{who} no {action_id}, but {[element['action_id'] for _, element in there]}")


def action_of(block_id: str, element: JSON, option: str | None, ts: str) -> JSON:
    """What ``actions`` of a payload holds after the click."""
    kind = element["type"]
    action: JSON = {"type": kind, "action_id": element["action_id"], "block_id": block_id, "action_ts": ts}
    if kind == "feedback_buttons":
        buttons = [element["positive_button"], element["negative_button"]]
        chosen = next((button for button in buttons if button["value"] == option), None)
        assert chosen is not None, f"there is no button {option}, but {[button['value'] for button in buttons]}"
        return action | {"text": chosen["text"], "value": chosen["value"]}
    if kind == "checkboxes":
        return action | {"selected_options": [_option(element, option)] if option is not None else []}
    if _options(element):
        return action | {"selected_option": _option(element, option)}
    return action | {name: element[name] for name in ("text", "value", "url") if name in element}


def state_of(blocks: list[JSON], values: dict[str, Any], person: Person, *, whole: bool = True) -> JSON:
    """``state.values`` of a form as this person filled it in; ``whole``: as it is submitted, with all that is needed.

    An input ``{"type": "plain_text_input", "action_id": "t"}`` in a block ``b``, with ``{"t": "Hello"}`` →
    ``{"b": {"t": {"type": "plain_text_input", "value": "Hello"}}}``.
    """
    state: JSON = {}
    for block, element in _inputs(blocks):
        given = values.pop(element["action_id"], None)
        if block["type"] == "input" and whole:
            preset = any(name.startswith("initial_") for name in element)
            assert given or preset or block.get("optional"), f"Slack wants a value for {block['label']['text']}"
        told = {"type": element["type"]} | _given(element, given, person)
        state.setdefault(block["block_id"], {})[element["action_id"]] = told
    assert not values, f"the form has no inputs {sorted(values)}"
    return state


def _inputs(blocks: list[JSON]) -> Iterator[tuple[JSON, JSON]]:
    """Inputs, and menus that stand beside a section or among actions, whose state is told as well."""
    for block in blocks:
        if block["type"] == "input":
            yield block, block["element"]
            continue
        beside = [*(block.get("elements") or []), *([block["accessory"]] if block.get("accessory") else [])]
        for element in beside if block["type"] in ("actions", "section") else ():
            if element["type"] in ("radio_buttons", "checkboxes", "static_select", "multi_static_select"):
                yield block, element


def _given(element: JSON, given: Any, person: Person) -> JSON:
    kind = element["type"]
    if kind in ("radio_buttons", "static_select"):
        return {"selected_option": _option(element, given) if given else element.get("initial_option")}
    if kind in ("checkboxes", "multi_static_select"):
        chosen = element.get("initial_options", []) if given is None else [_option(element, value) for value in given]
        return {"selected_options": chosen}
    if kind == "file_input":
        return {"files": [_uploaded(element, file, person) for file in _files(element, given)]}
    if kind == "plain_text_input" and given is not None:
        assert len(given) <= element.get("max_length", 3000), "Slack takes no more than max_length characters"
        assert len(given) >= element.get("min_length", 0), "Slack takes no less than min_length characters"
    if kind == "url_text_input" and given:
        assert given.lower().startswith(("http://", "https://")), "Slack takes only addresses there"
    return {"value": element.get("initial_value") if given is None else given}


def _files(element: JSON, given: Any) -> list[File]:
    files = list(given or ())
    most = element.get("max_files", 10)
    assert len(files) <= most, f"Slack takes no more than {most} files"
    return files


def _uploaded(element: JSON, file: File, person: Person) -> JSON:
    """The file object in a form's state; from now on the app may read the file."""
    assert file.user == person.id, f"{file.name} is not {person.name}'s"
    size = len(file.data) if file.size is None else file.size
    assert size <= UPLOAD_BYTES, f"{file.name} is too large for a form: Slack takes 10 MB there"
    kinds = element.get("filetypes")
    ending = file.name.rpartition(".")[2].lower()
    assert not kinds or ending in kinds, f"Slack takes only {', '.join(kinds or ())} there"
    file.submitted = True
    nowhere: JSON = {"is_public": False, "shares": {}, "channels": [], "groups": [], "ims": []}
    return file.as_json() | nowhere


def _options(element: JSON) -> list[JSON]:
    groups = element.get("option_groups") or []
    return [*(element.get("options") or []), *(option for group in groups for option in group["options"])]


def _option(element: JSON, value: Any) -> JSON:
    for option in _options(element):
        if option["value"] == value:
            found: JSON = option
            return found
    raise AssertionError(f"there is no option {value}, but {[option['value'] for option in _options(element)]}")
