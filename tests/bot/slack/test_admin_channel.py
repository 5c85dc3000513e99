"""The channel for administrators is found where the app is in it; the doctor says what is wrong with it."""

from __future__ import annotations

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import BotSettings
from bot.slack.admin_channel import find, looked_at
from bot.slack.doctor import examine
from tests.fixtures.indexer import MakeSettings
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


async def test_a_channel_is_found_by_its_id_and_by_its_name(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.page_size = 2  # over pages
    for named in (company.finance.id, "finance", "#finance", " #Finance "):
        assert await find(slack_client, named) == company.finance.id
    ((found,),) = [await looked_at(slack_client, "#finance")]
    assert (found.name, found.ok) == ("ADMIN_CHANNEL", True)


async def test_a_channel_that_is_archived_or_without_the_app_is_none(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.expect_violations()
    archived = slack.channel("old", members=[company.ana], archived=True)
    without = slack.channel("else", members=[company.ana], with_bot=False)
    private = slack.channel("secret", members=[company.ana], with_bot=False, private=True)
    for named in (archived.id, "old", without.id, "#else", private.id, "secret", "C0NOWHERE99"):
        (check,) = await looked_at(slack_client, named)
        assert check.ok is False
        assert "/invite @Situate" in check.advice


async def test_what_slack_does_not_tell_is_said(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    for fault in ({"status": 500}, {"error": "fatal_error"}, {"error": "team_access_not_granted"}):
        slack.fail("users.conversations", **fault)
        (check,) = await looked_at(slack_client, "#finance")
        assert (check.ok, check.found.split(" (")[0].rstrip(".")) == (False, "Slack does not tell about it")


@pytest.mark.parametrize(("named", "ok"), [("#finance", True), ("#nowhere", False), (None, None)])
async def test_the_doctor_looks_at_the_channel_that_is_set(
    slack: SlackServer, company: Company, make_settings: MakeSettings, named: str | None, ok: bool | None
) -> None:
    values = {
        "slack_bot_token": slack.bot_token,
        "slack_app_token": slack.app_token,
        "slack_api_url": slack.api_url,
        "admin_channel": named,
    }
    checks = {check.name: check for check in await examine(BotSettings.model_validate(values), make_settings())}
    assert (checks["ADMIN_CHANNEL"].ok if "ADMIN_CHANNEL" in checks else None) is ok
    assert not slack.called("chat.postMessage")


@pytest.mark.parametrize("value", ["#ops", "ops", "C0123456", "équipe-données"])
def test_a_channel_is_an_id_or_a_name(value: str) -> None:
    assert BotSettings.model_validate({"admin_channel": value}).admin_channel == value


@pytest.mark.parametrize("value", ["#ops, #dev", "two words", "@ana", "<#C1|ops>", "#"])
def test_what_names_no_channel_is_refused_with_a_sentence(value: str) -> None:
    with pytest.raises(ValueError, match="it must be one channel's id or name"):
        BotSettings.model_validate({"admin_channel": value})
