"""What Slack takes though nobody wants it is a violation in the stand-in; what is as it should be is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.block_kit import actions, button, rich, section
from tests.fixtures.slack import Company
from tests.slack_server import JSON, SlackServer

pytestmark = pytest.mark.anyio
Call = tuple[str, Callable[[Company, str], JSON]]


@pytest.fixture(autouse=True)
def everything(slack: SlackServer) -> None:
    """Here the app may do everything that the stand-in knows."""
    slack.allow_all()


def post(**args: Any) -> Call:
    return ("chat.postMessage", lambda company, _: {"channel": company.general.id, **args})


def begun(**args: Any) -> Call:
    def arguments(company: Company, ts: str) -> JSON:
        recipients = {"recipient_user_id": company.ana.id, "recipient_team_id": "T0SITUATE"}
        return {"channel": company.general.id, "thread_ts": ts, **recipients, **args}

    return ("chat.startStream", arguments)


LINK = "see https://a.example/plan"
NOT_FOR_LONG = {"unfurl_links": False, "unfurl_media": False}
GOES_WRONG: dict[str, tuple[str, Call]] = {
    "a ping in a text": ("<!channel> would ping", post(text="<!channel> lunch")),
    "a person in a text": ("<@U7> would ping", post(text="ask <@U7>")),
    "a group in a text": ("would ping", post(text="<!subteam^S1|@it> help")),
    "a ping in Markdown": ("<!here> would ping", post(markdown_text="`<!here>`")),
    "a ping in a section": ("<!everyone> would ping", post(text="x", blocks=[section("<!everyone>")])),
    "a ping in rich text": (
        "<!channel> would ping",
        post(text="x", blocks=[rich({"type": "broadcast", "range": "channel"})]),
    ),
    "a person in rich text": ("<@U7> would ping", post(text="x", blocks=[rich({"type": "user", "user_id": "U7"})])),
    "a ping in a stream": ("<!channel> would ping", begun(markdown_text="<!channel>")),
    "a ping in a task": (
        "<@U7> would ping",
        begun(chunks=[{"type": "task_update", "id": "1", "title": "<@U7>", "status": "complete"}]),
    ),
    "names that ping": ("link_names", post(text="@ana", link_names=True)),
    "a link that unfurls": ("links without unfurl_links=False", post(text=LINK)),
    "a link whose media unfurl": ("links without unfurl_links=False", post(markdown_text=LINK, unfurl_links=False)),
    "a link in a button": (
        "links without unfurl_links=False",
        post(text="x", blocks=[actions(button(url="https://a.example"))]),
    ),
    "blocks without text": ("blocks without a text", post(blocks=[section()])),
    "a thread that is none": ("lands in the channel", post(text="x", thread_ts="1.000001")),
    "a text of 40,001": ("was cut at 40000", post(text="x" * 40_001)),
    "attachments": ("attachments are not shown", post(text="x", attachments=[{"text": "x"}])),
    "prompts in a thread": (
        "nothing is shown",
        (
            "assistant.threads.setSuggestedPrompts",
            lambda c, ts: {
                "channel_id": c.general.id,
                "thread_ts": ts,
                "prompts": [{"title": "x", "message": "x"}],
            },
        ),
    ),
}


@pytest.mark.parametrize(("what", "call"), GOES_WRONG.values(), ids=GOES_WRONG)
async def test_what_slack_takes_and_people_do_not_want_is_a_violation(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, what: str, call: Call
) -> None:
    slack.expect_violations()
    method, arguments = call
    ts = slack.says(company.ana, company.general, "A question")
    await slack_client.api_call(method, json=arguments(company, ts))
    assert len(slack.violations) == 1
    assert what in slack.violations[0]
    assert slack.violations[0].startswith(method)


async def test_replies_to_replies_and_to_deleted_roots_are_noted(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.expect_violations()
    question = slack.says(company.ana, company.general, "A question")
    reply = slack.says(company.ana, company.general, "A reply", thread=question)
    gone = slack.says(company.ana, company.general, "Never mind")
    slack.deletes(company.ana, company.general, gone)
    for ts in (reply, gone):
        await slack_client.chat_postMessage(channel=company.general.id, text="x", thread_ts=ts)
    first, second = slack.violations
    assert "is a reply, not the root" in first
    assert "was deleted; the reply lands in the channel" in second


@pytest.mark.parametrize(
    "args",
    [
        {"text": LINK, **NOT_FOR_LONG},
        {"text": "&lt;!channel&gt; and &lt;@U7&gt;"},
        {"markdown_text": "@channel, x < y, **bold**"},
        {"text": "x", "metadata": {"event_type": "x", "event_payload": {"key": "v"}}},
        {"text": "x" * 40_000},
        {"markdown_text": "x" * 12_000},
    ],
)
async def test_good_messages_are_no_violation(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, args: JSON
) -> None:
    await slack_client.chat_postMessage(channel=company.general.id, **args)
    assert slack.violations == []


async def test_whom_the_test_allows_may_be_named(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient
) -> None:
    slack.may_ping(company.ana)
    await slack_client.chat_postMessage(channel=company.general.id, text=f"{company.ana.mention}, come")
    assert slack.violations == []


async def test_expected_violations_are_excused_and_others_are_not(slack: SlackServer) -> None:
    slack.violation("chat.postMessage: not_in_channel")
    slack.violation("chat.update: msg_too_long")
    slack.expect_violations("*not_in_channel*")
    assert slack.unexpected_violations == ["chat.update: msg_too_long"]
    slack.expect_violations()
    assert slack.unexpected_violations == []
