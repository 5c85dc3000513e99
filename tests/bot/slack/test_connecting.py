"""A bot that cannot begin says why, at once."""

from __future__ import annotations

import pytest

from indexer import SettingsInvalid
from tests.fixtures.bot import StartBot
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"slack_app_token": "xapp-1-wrong"}, "SLACK_APP_TOKEN"),
        ({"slack_app_token": None}, "SLACK_APP_TOKEN"),
        ({"slack_bot_token": "xoxb-wrong"}, "SLACK_BOT_TOKEN"),
    ],
)
async def test_a_token_that_is_refused_is_said_at_the_start(
    start_bot: StartBot, slack: SlackServer, wrong: dict[str, str | None], said: str
) -> None:
    slack.expect_violations()
    with pytest.raises(SettingsInvalid, match=said):
        async with start_bot(**wrong):
            pass


@pytest.mark.parametrize("wrong", ["off", "C0GEN=mention", "on,,C0GEN", "mention, g0pri=on"])
async def test_follow_ups_that_are_not_understood_are_said_at_the_start(start_bot: StartBot, wrong: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"FOLLOW_UPS: .* use on or mention"):
        async with start_bot(follow_ups=wrong):
            pass
