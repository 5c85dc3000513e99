"""Block Kit in short, for tests."""

from __future__ import annotations

from typing import Any

from tests.slack_server import JSON


def plain(text: str) -> JSON:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> JSON:
    return {"type": "mrkdwn", "text": text}


def section(text: str = "x", **more: Any) -> JSON:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(text: str = "Go", **more: Any) -> JSON:
    return {"type": "button", "text": plain(text), "action_id": "go", **more}


def actions(*elements: JSON) -> JSON:
    return {"type": "actions", "elements": list(elements)}


def overflow(*options: JSON) -> JSON:
    return {"type": "overflow", "action_id": "o", "options": list(options)}


def option(text: str = "One", value: str = "1") -> JSON:
    return {"text": plain(text), "value": value}


def markdown(text: str) -> JSON:
    return {"type": "markdown", "text": text}


def rich(*parts: JSON) -> JSON:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(parts)}]}


def table(rows: int, columns: int, text: str = "x") -> JSON:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": text}] * columns] * rows}


def feedback(value: str = "good") -> JSON:
    buttons = {f"{way}_button": {"text": plain(way), "value": value} for way in ("positive", "negative")}
    return {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "f", **buttons}]}
