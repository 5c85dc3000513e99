"""What administrators are told reads well, fits into Slack, and pings nobody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from bot.ledger.alerts import Alert
from bot.slack.showing.alerts import News, alert_message
from bot.slack.troubles import Trouble
from bot.texts import ENGLISH, FRENCH, Texts
from tests.bot.slack.showing.limits import message_faults

TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)
DETAIL = {
    "workspace": "T1",
    "count": 3,
    "cap": "5",
    "host": "bot-1 <!channel>",
    "found": "1 GB is free at data\n(90% used).",
    "advice": "Free some room & <https://evil.example|look>. " + "x" * 5_000,
}


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH], ids=["en", "fr"])
@pytest.mark.parametrize("news", get_args(News))
@pytest.mark.parametrize("kind", Trouble)
def test_every_alert_fits_into_slack_and_pings_nobody(kind: Trouble, news: News, texts: Texts) -> None:
    alert = Alert(kind, 1, TEN, TEN + timedelta(minutes=20), detail=DETAIL)
    message = alert_message(alert, news, TEN + timedelta(minutes=30), texts)
    assert message_faults(message.blocks, message.text) == []
    assert "<" not in message.text
    assert "{" not in message.text


def test_the_moment_is_told_of_what_began_a_while_ago() -> None:
    alert = Alert("key", 1, TEN)
    assert "since" not in alert_message(alert, "begun", TEN + timedelta(minutes=4), ENGLISH).text
    assert "since 2026-11-30 10:00 UTC" in alert_message(alert, "begun", TEN + timedelta(minutes=5), ENGLISH).text
