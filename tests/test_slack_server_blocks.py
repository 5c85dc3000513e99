"""Block Kit in the stand-in for Slack: what is taken at the limit, and what is refused beyond it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.block_kit import actions, button, feedback, markdown, mrkdwn, option, overflow, plain, rich, section, table
from tests.slack_server import JSON, Channel, SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def server() -> Iterator[SlackServer]:
    with SlackServer() as server:
        server.allow_all()
        yield server
    assert not server.mistakes


@pytest.fixture(scope="module")
def channel(server: SlackServer) -> Channel:
    return server.channel("general")


@pytest.fixture
def client(server: SlackServer) -> AsyncWebClient:
    server.violations.clear()
    return AsyncWebClient(token=server.bot_token, base_url=server.api_url, retry_handlers=[])


GOOD_BLOCKS: dict[str, list[JSON]] = {
    "section of 3,000": [section("x" * 3000)],
    "header of 150": [{"type": "header", "text": plain("x" * 150)}],
    "context of 10": [{"type": "context", "elements": [mrkdwn("x")] * 10}],
    "25 actions": [actions(*(button(action_id=str(n)) for n in range(25)))],
    "50 blocks": [section()] * 50,
    "button of 75 with a value of 2,000": [actions(button("x" * 75, value="v" * 2000))],
    "the same action in two blocks": [actions(button()), actions(button())],
    "overflow of 5": [
        actions({"type": "overflow", "action_id": "o", "options": [option(value=str(n)) for n in "12345"]})
    ],
    "markdown of 12,000": [markdown("x" * 12_000)],
    "table of 100 × 20": [table(100, 20)],
    "feedback": [feedback("v" * 2000)],
    "rich text": [
        rich({"type": "text", "text": "x", "style": {"bold": True}}, {"type": "link", "url": "mailto:a@b.c"})
    ],
    "an accessory": [section(accessory=button())],
    "fields": [{"type": "section", "fields": [mrkdwn("x" * 2000)] * 6}],
    "a divider": [{"type": "divider"}],
}
BAD_BLOCKS: dict[str, list[JSON]] = {
    "section of 3,001": [section("x" * 3001)],
    "an empty section": [section("")],
    "a section of nothing": [{"type": "section"}],
    "header of 151": [{"type": "header", "text": plain("x" * 151)}],
    "a header with markup": [{"type": "header", "text": mrkdwn("x")}],
    "context of 11": [{"type": "context", "elements": [mrkdwn("x")] * 11}],
    "context of none": [{"type": "context", "elements": []}],
    "26 actions": [actions(*(button(action_id=str(n)) for n in range(26)))],
    "51 blocks": [section()] * 51,
    "an unknown block": [{"type": "paragraph", "text": mrkdwn("x")}],
    "a block without type": [{"text": mrkdwn("x")}],
    "an unknown field": [section(colour="red")],
    "an unknown element": [actions({"type": "lever", "action_id": "a"})],
    "an element at the wrong place": [actions({"type": "feedback_buttons", "action_id": "f"})],
    "a button among context actions": [{"type": "context_actions", "elements": [button()]}],
    "the same block_id twice": [section(block_id="b"), section(block_id="b")],
    "the same action_id twice": [actions(button(), button())],
    "button of 76": [actions(button("x" * 76))],
    "a button with markup": [actions({"type": "button", "action_id": "go", "text": mrkdwn("Go")})],
    "a value of 2,001": [actions(button(value="v" * 2001))],
    "a value that is no text": [actions(button(value=7))],
    "a button's bad address": [actions(button(url="javascript:alert(1)"))],
    "a style that is none": [actions(button(style="loud"))],
    "overflow of 6": [actions(overflow(*(option(value=n) for n in "123456")))],
    "overflow of none": [actions(overflow())],
    "an option of 76": [actions(overflow(option("x" * 76)))],
    "an option's value of 151": [actions(overflow(option(value="v" * 151)))],
    "select of 101": [
        actions({"type": "static_select", "action_id": "s", "options": [option(value=str(n)) for n in range(101)]})
    ],
    "markdown of 12,001": [markdown("x" * 12_001)],
    "markdown of 12,001 together": [markdown("x" * 6000), markdown("x" * 6001)],
    "table of 101 rows": [table(101, 1)],
    "table of 21 columns": [table(1, 21)],
    "table of 10,001 characters": [table(1, 1, "x" * 10_001)],
    "two tables": [table(1, 1), table(1, 1)],
    "rich text of an unknown kind": [{"type": "rich_text", "elements": [{"type": "rich_text_poem", "elements": []}]}],
    "an unknown inline element": [rich({"type": "blink", "text": "x"})],
    "a link to nowhere": [rich({"type": "link", "url": "the intranet"})],
    "a style that is text": [rich({"type": "text", "text": "x", "style": {"bold": "yes"}})],
    "an empty inline text": [rich({"type": "text", "text": ""})],
    "feedback of 2,001": [feedback("v" * 2001)],
    "11 fields": [{"type": "section", "fields": [mrkdwn("x")] * 11}],
}


@pytest.mark.parametrize("blocks", GOOD_BLOCKS.values(), ids=GOOD_BLOCKS)
async def test_blocks_at_the_limit_are_taken(
    client: AsyncWebClient, server: SlackServer, channel: Channel, blocks: list[JSON]
) -> None:
    await client.chat_postMessage(channel=channel.id, text="x", blocks=blocks, unfurl_links=False, unfurl_media=False)
    assert server.violations == []


@pytest.mark.parametrize("blocks", BAD_BLOCKS.values(), ids=BAD_BLOCKS)
async def test_bad_blocks_are_refused_with_a_pointer(
    client: AsyncWebClient, server: SlackServer, channel: Channel, blocks: list[JSON]
) -> None:
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=channel.id, text="x", blocks=blocks)
    assert refused.value.response["error"] == "invalid_blocks"
    assert "[json-pointer:/blocks" in refused.value.response["response_metadata"]["messages"][0]
    assert server.violations[0].startswith("chat.postMessage: invalid_blocks")
