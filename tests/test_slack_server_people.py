"""What people do in the stand-in for Slack, and the events that the app gets of it."""

from __future__ import annotations

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.fixtures.slack import Company
from tests.slack_server import JSON, Delivery, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows."""
    slack.allow_all()


def event_of(delivery: Delivery) -> JSON:
    event: JSON = delivery.payload["event"]
    return event


def test_people_type_as_in_slack(slack: SlackServer, company: Company) -> None:
    typed = "@Ben @Nobody #finance @here <tag> https://a.example/?a=1&b=2 <@U7>"
    ts = slack.says(company.ana, company.general, typed)
    assert event_of(slack.announced(company.general, ts))["text"] == (
        f"{company.ben.mention} @Nobody <#{company.finance.id}|finance> <!here> &lt;tag&gt; "
        "<https://a.example/?a=1&amp;b=2> <@U7>"
    )
    assert slack.shown(company.general, ts).startswith(
        "Ana: @Ben @Nobody #finance @here <tag> https://a.example/?a=1&b=2"
    )


def test_raw_texts_stay_as_they_are(slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.general, "<https://a|b> &amp; <", raw=True)
    assert event_of(slack.announced(company.general, ts))["text"] == "<https://a|b> &amp; <"


def test_replies_name_their_root(slack: SlackServer, company: Company) -> None:
    root = slack.says(company.ana, company.general, "root")
    reply = slack.says(company.ben, company.general, "reply", thread=root)
    event = event_of(slack.announced(company.general, reply))
    assert (event["thread_ts"], event["parent_user_id"]) == (root, company.ana.id)
    assert slack.shown(company.general, root) == "Ana: root\nBen: reply"
    with pytest.raises(AssertionError):
        slack.says(company.ben, company.general, "lost", thread="1.000001")


def test_only_members_speak_in_a_channel(slack: SlackServer, company: Company) -> None:
    with pytest.raises(AssertionError, match="Olga is not in finance"):
        slack.says(company.olga, company.finance, "Hello")
    slack.joins(company.olga, company.finance)
    slack.says(company.olga, company.finance, "Hello")
    slack.leaves(company.olga, company.finance)
    with pytest.raises(AssertionError):
        slack.says(company.olga, company.finance, "Bye")


@pytest.mark.parametrize(("where", "kind"), [("general", "channel"), ("finance", "group"), ("direct", "im")])
def test_events_tell_the_kind_of_conversation(slack: SlackServer, company: Company, where: str, kind: str) -> None:
    channel = slack.direct(company.ana) if where == "direct" else getattr(company, where)
    event = event_of(slack.announced(channel, slack.says(company.ana, channel, "Hello")))
    assert event["channel_type"] == kind
    assert slack.group(company.ana, company.ben).kind == "mpim"


def test_no_mention_event_comes_from_a_direct_message(slack: SlackServer, company: Company) -> None:
    slack.says(company.ana, slack.direct(company.ana), "@Situate, hello")
    assert [delivery.name for delivery in slack.deliveries] == ["message"]


def test_an_event_may_lack_its_text(slack: SlackServer, company: Company) -> None:
    slack.says(company.ana, slack.direct(company.ana), None)
    assert "text" not in event_of(slack.deliveries[0])


def test_edits_carry_both_wordings(slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.general, "Lunch?")
    event = event_of(slack.edits(company.ana, company.general, ts, "@Situate, lunch?"))
    assert event["subtype"] == "message_changed"
    assert event["previous_message"]["text"] == "Lunch?"
    assert event["message"]["text"] == f"{slack.bot.mention}, lunch?"
    assert event["message"]["ts"] == ts != event["ts"]
    assert "edited" in event["message"]
    assert [delivery.name for delivery in slack.deliveries] == ["message", "message message_changed"]
    slack.edits(company.ana, company.general, ts, "@Situate, dinner?", mentions_again=True)
    assert slack.deliveries[-1].name == "app_mention"


def test_unfurling_changes_no_text(slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.general, "See https://a.example/")
    event = event_of(slack.unfurls(company.general, ts))
    assert event["message"]["text"] == event["previous_message"]["text"]
    assert "edited" not in event["message"]


def test_deleting_tells_what_was_there(slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.general, "Never mind")
    event = event_of(slack.deletes(company.ana, company.general, ts))
    assert (event["subtype"], event["deleted_ts"]) == ("message_deleted", ts)
    assert event["previous_message"]["text"] == "Never mind"
    assert slack.messages(company.general) == []


def test_other_bots_look_like_older_or_newer_apps(slack: SlackServer, company: Company) -> None:
    older = event_of(slack.announced(company.general, slack.other_bot_says(company.general, "@Situate!")))
    newer = event_of(slack.announced(company.general, slack.other_bot_says(company.general, "Hi", subtype=None)))
    assert older["subtype"] == "bot_message"
    assert older["bot_id"] == newer["bot_id"] == "B0OTHER"
    assert "subtype" not in newer


def test_the_messages_tab_and_raw_events(slack: SlackServer, company: Company) -> None:
    event = event_of(slack.opens_messages_tab(company.ana))
    assert (event["tab"], event["channel"]) == ("messages", slack.direct(company.ana).id)
    body = slack.raw_event({"type": "tokens_revoked"}, team_id="T7", authorizations=None).payload
    assert body["team_id"] == "T7"
    assert "authorizations" not in body


def test_the_app_hears_that_it_left(slack: SlackServer, company: Company) -> None:
    assert event_of(slack.leaves(slack.bot, company.finance))["type"] == "group_left"
    assert event_of(slack.leaves(slack.bot, company.general))["type"] == "channel_left"
    slack.says(company.ana, company.general, "@Situate, are you there?")
    assert [delivery.name for delivery in slack.deliveries] == ["group_left", "channel_left"]


async def test_a_status_goes_with_the_next_message_or_after_two_minutes(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    ts = slack.says(company.ana, company.general, "@Situate?")
    place: JSON = {"channel_id": company.general.id, "thread_ts": ts}
    await slack_client.assistant_threads_setStatus(**place, status="is searching …", loading_messages=["Reading …"])
    await slack_client.agents_sessions_setStatus(**place, status="processing")
    assert slack.status(company.general, ts) == "is searching …"
    session = slack.session(company.general, ts)
    assert session is not None
    assert session.status == "processing"
    await slack_client.chat_postMessage(channel=company.general.id, thread_ts=ts, text="Found it.")
    assert slack.status(company.general, ts) == ""
    await slack_client.assistant_threads_setStatus(**place, status="is searching …")
    slack.clock_factor = 0.0
    assert slack.status(company.general, ts) == ""
    assert [status.how for status in slack.statuses] == ["status", "session", "status"]


async def test_an_update_keeps_blocks_until_others_come(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    where: JSON = {"channel": company.general.id}
    blocks = [{"type": "header", "text": {"type": "plain_text", "text": "Plan"}}]
    posted = await slack_client.chat_postMessage(**where, text="Plan", blocks=blocks)
    ts = str(posted["ts"])
    updates: list[tuple[JSON, str]] = [
        ({"text": "Another plan"}, "Plan"),
        ({"text": "Another plan", "blocks": []}, "Another plan"),
        ({"markdown_text": "**A third** &amp; last"}, "**A third** & last"),
        ({"text": "Plan", "blocks": blocks}, "Plan"),
    ]
    for update, shown in updates:
        await slack_client.chat_update(**where, ts=ts, **update)
        assert slack.message(company.general, ts).shown == shown
    assert slack.message(company.general, ts).edited
    await slack_client.chat_delete(**where, ts=ts)
    assert slack.messages(company.general) == []
