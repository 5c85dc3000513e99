"""What the app can look up in the stand-in for Slack: threads by page, people, members, files."""

from __future__ import annotations

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fixtures.slack import Company
from tests.slack_server import JSON, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows."""
    slack.allow_all()


async def pages(client: AsyncWebClient, channel: str, ts: str, limit: int | None = None) -> list[list[str]]:
    """The texts of a thread, page by page."""
    found: list[list[str]] = []
    cursor = None
    while cursor != "":
        page = await client.conversations_replies(channel=channel, ts=ts, cursor=cursor, limit=limit)
        found.append([message["text"] for message in page["messages"]])
        assert page["has_more"] == bool(page["response_metadata"]["next_cursor"])
        cursor = page["response_metadata"]["next_cursor"]
    return found


async def test_threads_come_by_page_oldest_first(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    root = slack.says(company.ana, company.general, "root")
    for number in range(4):
        slack.says(company.ben, company.general, f"{number}", thread=root)
    slack.says(company.ben, company.general, "elsewhere")
    assert await pages(slack_client, company.general.id, root) == [["root", "0", "1", "2", "3"]]
    assert await pages(slack_client, company.general.id, root, limit=2) == [["root", "0"], ["1", "2"], ["3"]]
    slack.page_size = 3
    assert await pages(slack_client, company.general.id, root, limit=200) == [["root", "0", "1"], ["2", "3"]]
    slack.root_on_every_page = True
    assert await pages(slack_client, company.general.id, root) == [["root", "0", "1"], ["root", "2", "3"]]


async def test_metadata_comes_only_when_asked_for(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    root = slack.says(company.ana, company.general, "root")
    metadata = {"event_type": "part", "event_payload": {"key": "1"}}
    await slack_client.chat_postMessage(channel=company.general.id, thread_ts=root, text="x", metadata=metadata)
    for asked, wanted in ((False, None), (True, metadata)):
        answer = await slack_client.conversations_replies(
            channel=company.general.id, ts=root, include_all_metadata=asked
        )
        messages: list[JSON] = answer["messages"]
        assert messages[1].get("metadata") == wanted


async def test_deleted_messages_leave_a_tombstone_only_as_a_root_with_replies(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    root = slack.says(company.ana, company.general, "root")
    reply = slack.says(company.ana, company.general, "reply", thread=root)
    assert slack.deletes(company.ana, company.general, root).payload["event"]["message"]["subtype"] == "tombstone"
    assert await pages(slack_client, company.general.id, root) == [["This message was deleted.", "reply"]]
    assert slack.deletes(company.ana, company.general, reply).payload["event"]["deleted_ts"] == reply
    with pytest.raises(SlackApiError, match="thread_not_found"):
        await pages(slack_client, company.general.id, root)
    assert slack.violations == []


async def test_people_are_who_they_are(slack: SlackServer, company: Company, slack_client: AsyncWebClient) -> None:
    people = {}
    for person in (company.ana, company.ben, company.gus, company.olga):
        answer = await slack_client.users_info(user=person.id, include_locale=True)
        user: JSON = answer["user"]
        people[user["real_name"]] = (user["locale"], user["is_restricted"], user.get("is_stranger", False))
    assert people == {
        "Ana": ("en-US", False, False),
        "Ben": ("fr-FR", False, False),
        "Gus": ("en-US", True, False),
        "Olga": ("en-US", False, True),
    }
    assert "locale" not in (await slack_client.users_info(user=company.ana.id))["user"]
    listed = await slack_client.users_list()
    assert {user["id"] for user in listed["members"]} == set(slack.people)


async def test_channels_and_members(slack: SlackServer, company: Company, slack_client: AsyncWebClient) -> None:
    shared = (await slack_client.conversations_info(channel=company.shared.id))["channel"]
    assert shared["is_ext_shared"]
    assert not shared["is_private"]
    members = await slack_client.conversations_members(channel=company.shared.id)
    assert set(members["members"]) == {company.ana.id, company.olga.id, slack.bot.id}
    types = "public_channel,private_channel"
    mine = await slack_client.users_conversations(user=company.ben.id, types=types)
    assert {channel["name"] for channel in mine["channels"]} >= {"general", "finance"}
    assert "shared" not in {channel["name"] for channel in mine["channels"]}
    direct = slack.direct(company.ana)
    opened = await slack_client.conversations_open(users=company.ana.id)
    assert opened["channel"]["id"] == direct.id


async def test_a_private_channel_without_the_app_is_out_of_sight(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.leaves(slack.bot, company.finance)
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await slack_client.conversations_members(channel=company.finance.id)
    assert slack.violations == []
    slack.joins(slack.bot, company.finance)
    await slack_client.conversations_members(channel=company.finance.id)


async def test_files_need_the_token_and_the_scope(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    file = slack.file("report.pdf", b"%PDF-1.7", by=company.ana, mimetype="application/pdf")
    slack.says(company.ana, company.general, "See this", files=[file])
    info = (await slack_client.files_info(file=file.id))["file"]
    good = {"Authorization": f"Bearer {slack.bot_token}"}

    async def get(headers: dict[str, str]) -> tuple[int, str, bytes]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(info["url_private_download"], headers=headers) as response,
        ):
            return response.status, response.content_type, await response.read()

    assert await get(good) == (200, "application/pdf", b"%PDF-1.7")
    for headers in ({}, {"Authorization": "Bearer xoxb-other"}):
        status, kind, body = await get(headers)
        assert (status, kind) == (200, "text/html")
        assert body.startswith(b"<!DOCTYPE html>")
    slack.scopes.discard("files:read")
    assert (await get(good))[1] == "text/html"


async def test_stubs_tell_the_rest_when_looked_up(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    file = slack.file("plan.txt", b"x", by=company.olga, stub=True)
    ts = slack.says(company.olga, company.shared, "@Situate, see this", files=[file])
    (sent,) = slack.announced(company.shared, ts).payload["event"]["files"]
    assert sent["file_access"] == "check_file_info"
    assert "url_private" not in sent
    assert slack.announced(company.shared, ts).payload["event"]["subtype"] == "file_share"
    assert (await slack_client.files_info(file=file.id))["file"]["name"] == "plan.txt"
    slack.deletes_file(file)
    with pytest.raises(SlackApiError, match="file_deleted"):
        await slack_client.files_info(file=file.id)


async def test_reactions_are_kept_with_the_message(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    ts = slack.says(company.ana, company.general, "Lunch")
    event = slack.reacts(company.ben, company.general, ts, "+1").payload["event"]
    assert event["item"] == {"type": "message", "channel": company.general.id, "ts": ts}
    assert event["item_user"] == company.ana.id
    answer = await slack_client.reactions_get(channel=company.general.id, timestamp=ts)
    assert answer["message"]["reactions"] == [{"name": "+1", "users": [company.ben.id], "count": 1}]
    slack.unreacts(company.ben, company.general, ts, "+1")
    with pytest.raises(AssertionError):
        slack.unreacts(company.ben, company.general, ts, "+1")


async def test_permalinks_and_names_of_the_app(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    ts = slack.says(company.ana, company.general, "Lunch")
    link = (await slack_client.chat_getPermalink(channel=company.general.id, message_ts=ts))["permalink"]
    assert link.endswith(f"/archives/{company.general.id}/p{ts.replace('.', '')}")
    assert (await slack_client.bots_info(bot="B0SITUATE"))["bot"]["user_id"] == slack.bot.id
    answer = await slack_client.auth_test()
    assert answer["bot_id"] == "B0SITUATE"
    assert set(answer.headers["x-oauth-scopes"].split(",")) == slack.scopes
