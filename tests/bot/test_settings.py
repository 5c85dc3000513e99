"""Settings of the bot that cannot be right are refused by their names."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.settings import BotSettings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("slack_api_url", "slack.com/api"),
        ("slack_api_url", "ftp://slack.com"),
        ("slack_api_url", "http://localhost:nowhere"),
        ("ask_command", "ask"),
        ("ask_command", "/Ask me"),
        ("docs_command", "docs"),
        ("docs_command", "/ask"),  # which asks already
        ("attachment_days", "0"),
        ("http_port", "70000"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(ValidationError) as refused:
        BotSettings.model_validate({name: value})
    assert [error["loc"] for error in refused.value.errors()] == [(name,)]


def test_tokens_are_never_printed() -> None:
    tokens = dict.fromkeys(("slack_bot_token", "slack_app_token", "slack_signing_secret"), "the-secret")
    assert "the-secret" not in repr(BotSettings.model_validate(tokens))
