"""The reader of Slack's limits refuses what Slack refuses: else the tests that rest on it would prove nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.slack.showing.limits import block_faults, home_faults, message_faults, view_faults

LABEL = {"type": "plain_text", "text": "Go"}
BUTTON = {"type": "button", "text": LABEL, "action_id": "go", "value": "1"}
TEXT = {"type": "text", "text": "a"}
SECTION = {"type": "rich_text_section", "elements": [TEXT]}


def rich(*parts: Any) -> dict[str, Any]:
    return {"type": "rich_text", "elements": list(parts)}


def run(**changes: Any) -> dict[str, Any]:
    return rich({"type": "rich_text_section", "elements": [TEXT | changes]})


@pytest.mark.parametrize(
    "block",
    [
        {"type": "divider"},
        {"type": "actions", "elements": [BUTTON, BUTTON | {"action_id": "stop"}]},
        {"type": "context", "elements": [LABEL]},
        {"type": "section", "text": {"type": "mrkdwn", "text": "a"}},
        {"type": "markdown", "text": "# a"},
        rich(SECTION, {"type": "rich_text_list", "style": "ordered", "offset": 1, "elements": [SECTION]}),
        run(type="link", url="https://x.example/a?b=%20#c"),
    ],
)
def test_what_slack_takes_has_no_faults(block: dict[str, Any]) -> None:
    assert block_faults([block]) == []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "unheard_of"},
        {"type": "divider", "text": LABEL},
        {"type": "divider", "block_id": "b" * 256},
        {"type": "actions", "elements": []},
        {"type": "actions", "elements": [BUTTON, BUTTON]},
        {"type": "actions", "elements": [BUTTON | {"action_id": str(n)} for n in range(26)]},
        {"type": "actions", "elements": [BUTTON | {"text": {"type": "mrkdwn", "text": "Go"}}]},
        {"type": "actions", "elements": [BUTTON | {"text": LABEL | {"text": "x" * 76}}]},
        {"type": "actions", "elements": [BUTTON | {"value": "x" * 2_001}]},
        {"type": "actions", "elements": [BUTTON | {"colour": "red"}]},
        {"type": "actions", "elements": [{"type": "overflow", "action_id": "more", "options": []}]},
        {"type": "actions", "elements": [rich(SECTION)]},
        {"type": "context", "elements": [LABEL | {"text": ""}]},
        {"type": "context", "elements": [LABEL] * 11},
        {"type": "context", "elements": [BUTTON]},
        {"type": "header", "text": LABEL | {"text": "x" * 151}},
        {"type": "section"},
        {"type": "section", "text": LABEL | {"text": "x" * 3_001}},
        {"type": "markdown", "text": " "},
        {"type": "markdown", "text": "x" * 12_001},
        {"type": "input", "label": LABEL, "element": {"type": "plain_text_input", "action_id": "a"}},
        rich(),
        rich(TEXT),
        rich({"type": "rich_text_section", "elements": []}),
        rich({"type": "rich_text_list", "style": "ordered", "elements": [TEXT]}),
        rich({"type": "rich_text_list", "style": "roman", "elements": [SECTION]}),
        run(text=""),
        run(style={}),
        run(style={"underline": True}),
        run(type="link"),
        run(type="link", url="javascript:alert(1)"),
        run(type="link", url="https://x.example/a b"),
        run(type="user"),
    ],
)
def test_what_slack_refuses_has_faults(block: dict[str, Any]) -> None:
    assert block_faults([block]) != []


def test_a_message_has_limits_as_a_whole() -> None:
    assert block_faults([{"type": "divider"}] * 50) == []
    assert block_faults([{"type": "divider"}] * 51) == ["51 blocks"]
    assert block_faults([{"type": "divider", "block_id": "a"}] * 2) == ["block ids are not unique"]
    assert "msg_blocks_too_long" in block_faults([run(text="x" * 13_201)])


@pytest.mark.parametrize("text", [None, " ", "x" * 4_001, "<!channel>", "a & b", "&nbsp;", "<https://x.example|x>"])
def test_a_message_needs_a_text_that_calls_nobody(text: str | None) -> None:
    assert message_faults([], text) != []
    assert message_faults([], "<@U1> a &lt; b &amp; c") == []


FORM = {"type": "modal", "title": LABEL, "blocks": [{"type": "divider"}]}
FIELD = {"type": "input", "label": LABEL, "element": {"type": "plain_text_input", "action_id": "a"}}


def test_a_form_that_slack_takes_has_no_faults() -> None:
    assert view_faults(FORM) == []
    assert view_faults(FORM | {"blocks": [FIELD], "submit": LABEL}) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "home"},
        {"title": LABEL | {"text": "x" * 25}},
        {"close": {"type": "mrkdwn", "text": "x"}},
        {"blocks": [FIELD]},
        {"blocks": [{"type": "markdown", "text": "a"}]},
        {"blocks": [{"type": "divider"}] * 101},
        {"blocks": [run(text="é" * 50_000)]},
        {"private_metadata": "x" * 3_001},
        {"colour": "red"},
    ],
)
def test_a_form_that_slack_refuses_has_faults(changes: dict[str, Any]) -> None:
    assert view_faults(FORM | changes) != []


OPTION = {"text": LABEL, "value": "a"}
RADIO = {"type": "radio_buttons", "action_id": "a", "options": [OPTION, OPTION | {"value": "b"}]}
FILES = {"type": "file_input", "action_id": "a"}


@pytest.mark.parametrize("element", [RADIO, RADIO | {"initial_option": OPTION}, FILES, FILES | {"max_files": 10}])
def test_slack_takes_choices_and_files_in_a_form(element: dict[str, Any]) -> None:
    assert view_faults(FORM | {"blocks": [FIELD | {"element": element}], "submit": LABEL}) == []


@pytest.mark.parametrize(
    "element",
    [
        RADIO | {"options": []},
        RADIO | {"options": [OPTION | {"value": str(number)} for number in range(11)]},
        RADIO | {"options": [OPTION, OPTION]},
        RADIO | {"options": [OPTION | {"text": LABEL | {"text": "x" * 76}}]},
        RADIO | {"options": [OPTION | {"value": "x" * 151}]},
        RADIO | {"initial_option": OPTION | {"value": "c"}},
        FILES | {"max_files": 11},
        FILES | {"initial_value": "F1"},
        {"type": "plain_text_input", "action_id": "a"} | {"max_length": 3, "initial_value": "four"},
    ],
)
def test_slack_refuses_wrong_choices_and_files(element: dict[str, Any]) -> None:
    assert view_faults(FORM | {"blocks": [FIELD | {"element": element}], "submit": LABEL}) != []


PICKER = {"type": "static_select", "action_id": "a", "options": [OPTION]}
MENU = {"type": "overflow", "action_id": "m", "options": [OPTION | {"url": "https://x.example/a"}]}
TAB = {"type": "home", "blocks": [{"type": "section", "text": LABEL, "accessory": MENU}]}


def test_slack_takes_a_picker_and_a_home_tab_with_menus() -> None:
    assert view_faults(FORM | {"blocks": [FIELD | {"element": PICKER}], "submit": LABEL}) == []
    assert home_faults(TAB) == []


@pytest.mark.parametrize(
    "options", [[], [OPTION, OPTION], [OPTION | {"value": str(number)} for number in range(101)]], ids=len
)
def test_slack_refuses_a_picker_with_wrong_options(options: list[dict[str, Any]]) -> None:
    assert view_faults(FORM | {"blocks": [FIELD | {"element": PICKER | {"options": options}}], "submit": LABEL}) != []


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "modal"},
        {"title": LABEL},
        {"blocks": [{"type": "divider"}] * 101},
        {"blocks": [{"type": "section", "text": LABEL, "accessory": PICKER}]},
        {"blocks": [{"type": "section", "text": LABEL, "accessory": MENU | {"options": [OPTION | {"url": "x:y"}]}}]},
    ],
)
def test_slack_refuses_a_home_tab_that_is_none(changes: dict[str, Any]) -> None:
    assert home_faults(TAB | changes) != []
