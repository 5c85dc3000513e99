"""Channels, files and people that change in the stand-in for Slack: the events, and what can be looked up then."""

from __future__ import annotations

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fixtures.slack import Company
from tests.slack_server import JSON, Delivery, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows; nobody answers it, so nothing is acknowledged."""
    slack.allow_all()


def event_of(delivery: Delivery) -> JSON:
    event: JSON = delivery.payload["event"]
    return event


def heard(slack: SlackServer) -> list[str]:
    """The events that were sent, in order."""
    return [delivery.name for delivery in slack.deliveries]


async def info(client: AsyncWebClient, id: str) -> JSON:
    channel: JSON = (await client.conversations_info(channel=id))["channel"]
    return channel


async def test_a_channel_becomes_private_and_keeps_its_id(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    event = event_of(slack.makes_private(company.ana, company.office))
    assert [event[name] for name in ("type", "subtype", "channel", "channel_type")] == [
        "message",
        "channel_convert_to_private",
        company.office.id,
        "group",
    ]
    told = await info(slack_client, company.office.id)
    assert (told["is_private"], told["is_channel"], told["is_group"]) == (True, True, False)
    slack.scopes.discard("groups:read")
    slack.expect_violations("conversations.info: missing_scope*")
    with pytest.raises(SlackApiError, match="missing_scope"):
        await info(slack_client, company.office.id)


async def test_a_channel_becomes_public_again(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.makes_private(company.ana, company.office)
    event = event_of(slack.makes_public(company.ana, company.office))
    assert (event["subtype"], event["channel_type"]) == ("channel_convert_to_public", "channel")
    assert not (await info(slack_client, company.office.id))["is_private"]
    with pytest.raises(AssertionError, match="office is a channel"):
        slack.makes_public(company.ana, company.office)


async def test_an_app_outside_hears_nothing_of_a_channel_that_becomes_private(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.leaves(slack.bot, company.office)
    slack.makes_private(company.ana, company.office)
    assert heard(slack) == ["channel_left"]
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await info(slack_client, company.office.id)


@pytest.mark.parametrize(("where", "kind"), [("office", "channel"), ("finance", "group")])
async def test_channels_are_archived_and_come_back(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, where: str, kind: str
) -> None:
    channel = getattr(company, where)
    event = event_of(slack.archives(company.ana, channel))
    assert (event["type"], event["channel"], event["user"]) == (f"{kind}_archive", channel.id, company.ana.id)
    assert (await info(slack_client, channel.id))["is_archived"]
    with pytest.raises(AssertionError, match="archived"):
        slack.says(company.ana, channel, "Hello")
    assert event_of(slack.unarchives(company.ana, channel))["type"] == f"{kind}_unarchive"
    assert not (await info(slack_client, channel.id))["is_archived"]


async def test_archiving_may_take_the_app_out(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.archives(company.ana, company.finance, removes_bot=True)
    assert heard(slack) == ["group_archive"]
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await info(slack_client, company.finance.id)


async def test_a_deleted_channel_is_nowhere_any_more(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    event = event_of(slack.deletes_channel(company.ana, company.office))
    assert (event["type"], event["channel"]) == ("channel_deleted", company.office.id)
    assert event_of(slack.deletes_channel(company.ana, company.finance))["type"] == "group_deleted"
    for channel in (company.office, company.finance):
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await info(slack_client, channel.id)
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await slack_client.chat_postMessage(channel=channel.id, text="x")
    listed = await slack_client.users_conversations(user=company.ana.id, types="public_channel,private_channel")
    assert {channel["name"] for channel in listed["channels"]} == {"general", "shared"}
    assert slack.violations == []


def test_a_channel_gets_another_name(slack: SlackServer, company: Company) -> None:
    event = event_of(slack.renames(company.finance, "money"))
    assert (event["type"], event["channel"]["name"]) == ("group_rename", "money")


async def test_files_tell_where_they_are_shared(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    file = slack.file("Q3 plan.md", b"x", by=company.ana)
    direct = slack.direct(company.ana)
    root = slack.says(company.ana, company.general, "See this", files=[file])
    where = [company.finance, direct, slack.group(company.ana, company.ben)]
    times = [slack.says(company.ana, channel, "This", files=[file]) for channel in where]
    told = (await slack_client.files_info(file=file.id))["file"]
    assert (told["is_public"], told["user"]) == (True, company.ana.id)
    assert told["channels"] == [company.general.id]
    assert told["groups"] == [company.finance.id, where[2].id]
    assert told["ims"] == [direct.id]
    assert told["shares"]["public"][company.general.id][0]["ts"] == root
    assert told["shares"]["private"][company.finance.id][0]["ts"] == times[0]
    assert told["permalink"].endswith(f"/files/{company.ana.id}/{file.id}/q3_plan.md")
    slack.deletes(company.ana, company.general, root)
    assert (await slack_client.files_info(file=file.id))["file"]["channels"] == []


async def test_a_file_is_seen_only_where_the_app_is(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    file = slack.file("plan.md", b"x", by=company.ana)
    slack.says(company.ana, company.office, "This", files=[file])
    slack.says(company.ana, company.finance, "This", files=[file])
    slack.leaves(slack.bot, company.finance)
    assert (await slack_client.files_info(file=file.id))["file"]["groups"] == []
    slack.leaves(slack.bot, company.office)
    with pytest.raises(SlackApiError, match="file_not_found"):
        await slack_client.files_info(file=file.id)
    slack.shows_public_files = True
    assert (await slack_client.files_info(file=file.id))["file"]["channels"] == [company.office.id]
    assert slack.violations == []


async def test_a_deleted_file_takes_along_what_held_nothing_else(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    file = slack.file("plan.md", b"x", by=company.ana)
    said = slack.says(company.ana, company.general, "See this", files=[file], deliver=())
    alone = slack.says(company.ana, company.general, "", files=[file], deliver=())
    event = event_of(slack.deletes_file(file))
    assert (event["type"], event["file_id"]) == ("file_deleted", file.id)
    assert heard(slack) == ["file_deleted", "message message_changed", "message message_deleted"]
    (changed,) = event_of(slack.deliveries[1])["message"]["files"]
    assert changed == {"id": file.id, "mode": "tombstone"}
    assert event_of(slack.deliveries[2])["deleted_ts"] == alone
    assert [message.ts for message in slack.messages(company.general)] == [said]
    with pytest.raises(SlackApiError, match="file_deleted"):
        await slack_client.files_info(file=file.id)


async def test_administrators_delete_what_others_said(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    ts = str((await slack_client.chat_postMessage(channel=company.general.id, text="An answer"))["ts"])
    with pytest.raises(AssertionError, match="Ana did not say that"):
        slack.deletes(company.ana, company.general, ts)
    adm = slack.person("Adm", admin=True)
    assert event_of(slack.deletes(adm, company.general, ts))["deleted_ts"] == ts


async def test_administrators_are_told_as_such(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    people = [company.ana, slack.person("Adm", admin=True), slack.person("Own", owner=True)]
    people.append(slack.person("Far", admin=True, team="T0OUTSIDE"))
    told = [(await slack_client.users_info(user=person.id))["user"] for person in people]
    assert [(user["is_admin"], user["is_owner"]) for user in told] == [
        (False, False),
        (True, False),
        (True, True),
        (True, False),
    ]
    assert told[3]["team_id"] == "T0OUTSIDE"


async def test_accounts_change_and_end(slack: SlackServer, company: Company, slack_client: AsyncWebClient) -> None:
    event = event_of(slack.changes(company.ben, guest="multi", admin=False))
    assert (event["type"], event["user"]["id"]) == ("user_change", company.ben.id)
    assert event["user"]["is_restricted"]
    slack.changes(company.ben, deleted=True)
    user = (await slack_client.users_info(user=company.ben.id))["user"]
    assert user["deleted"]
    assert "is_restricted" not in user
    members = await slack_client.conversations_members(channel=company.general.id)
    assert company.ben.id in members["members"]
    with pytest.raises(SlackApiError, match="user_disabled"):
        await slack_client.conversations_open(users=company.ben.id)
    with pytest.raises(AssertionError, match="no shoes"):
        slack.changes(company.ben, shoes=2)


async def test_a_conversation_with_somebody_is_opened(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    opened = (await slack_client.conversations_open(users=company.ana.id))["channel"]["id"]
    assert opened == slack.direct(company.ana).id
    slack.expect_violations("conversations.open*")
    with pytest.raises(SlackApiError, match="cannot_dm_bot"):
        await slack_client.conversations_open(users=slack.bot.id)
    slack.scopes.discard("im:write")
    with pytest.raises(SlackApiError, match="missing_scope"):
        await slack_client.conversations_open(users=company.ana.id)


async def test_shortcuts_are_in_the_menu_of_every_message(slack: SlackServer, company: Company) -> None:
    file = slack.file("plan.md", b"x", by=company.ana)
    pair = slack.group(company.ana, company.ben, with_bot=False)
    private = slack.channel("board", members=[company.ana], private=True, with_bot=False)
    root = slack.says(company.ben, pair, "Root", deliver=())
    reply = slack.says(company.ana, pair, "See this", thread=root, files=[file], deliver=())
    payload = slack.uses_shortcut(company.ben, pair, reply, "add_message").payload
    assert (payload["type"], payload["callback_id"], payload["message_ts"]) == ("message_action", "add_message", reply)
    assert payload["channel"] == {"id": pair.id, "name": "directmessage"}
    assert payload["message"]["thread_ts"] == root
    assert payload["message"]["user"] == company.ana.id
    assert [told["id"] for told in payload["message"]["files"]] == [file.id]
    assert payload["action_ts"]
    assert payload["response_url"]
    said = slack.says(company.ana, private, "Hello", deliver=())
    assert slack.uses_shortcut(company.ana, private, said, "c").payload["channel"]["name"] == "privategroup"
    with pytest.raises(AssertionError, match="Ben is not in board"):
        slack.uses_shortcut(company.ben, private, said, "c")


async def test_a_root_tells_of_its_replies(slack: SlackServer, company: Company, slack_client: AsyncWebClient) -> None:
    root = slack.says(company.ana, company.general, "Root", deliver=())
    alone = slack.uses_shortcut(company.ana, company.general, root, "c").payload["message"]
    assert not {"reply_count", "thread_ts"} & alone.keys()
    replies = [slack.says(person, company.general, "Yes", thread=root) for person in (company.ben, company.ana)]
    looked_up = (await slack_client.conversations_replies(channel=company.general.id, ts=root))["messages"][0]
    for told in (slack.uses_shortcut(company.ana, company.general, root, "c").payload["message"], looked_up):
        assert (told["thread_ts"], told["reply_count"], told["latest_reply"]) == (root, 2, replies[1])
        assert told["reply_users"] == [company.ben.id, company.ana.id]
    assert "reply_count" not in event_of(slack.announced(company.general, root))


async def test_a_message_for_one_person_has_no_shortcuts(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    told = await slack_client.chat_postEphemeral(channel=company.general.id, user=company.ana.id, text="Psst")
    with pytest.raises(AssertionError, match="has no shortcuts"):
        slack.uses_shortcut(company.ana, company.general, told["message_ts"], "c")


def test_links_to_messages_are_those_that_slack_copies(slack: SlackServer, company: Company) -> None:
    root = slack.says(company.ana, company.general, "Root")
    reply = slack.says(company.ana, company.general, "Reply", thread=root)
    start = f"https://situate.example/archives/{company.general.id}/p"
    assert slack.permalink_of(company.general, root) == start + root.replace(".", "")
    ends = f"?thread_ts={root}&cid={company.general.id}"
    assert slack.permalink_of(company.general, reply) == start + reply.replace(".", "") + ends
