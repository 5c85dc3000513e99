"""Messages are posted once, and what they say arrives whatever Slack refuses."""

from __future__ import annotations

import aiohttp
import pytest
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.sending.calls import unrepeating
from bot.slack.sending.plainer import Block, plainer, words
from bot.slack.sending.posting import NotPosted, Place, Poster, short
from tests.bot.slack.fake_client import DOWN, TOO_OFTEN, FakeSlack, refusal

pytestmark = pytest.mark.anyio

PLACE = Place("T1", "C1", "1700000000.000000", "U1")
BLOCKS: list[Block] = [
    {"type": "markdown", "text": "It **broke**. [1]"},
    {"type": "actions", "elements": [{"type": "button"}]},
]
LOST = aiohttp.ServerDisconnectedError()


class Naps:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def slack() -> FakeSlack:
    return FakeSlack()


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
def poster(slack: FakeSlack, naps: Naps) -> Poster:
    return Poster(slack.client, sleep=naps)


async def test_a_message_goes_into_its_thread_without_unfurls(slack: FakeSlack, poster: Poster) -> None:
    ts = await poster.post(PLACE, blocks=BLOCKS, text="It broke: a &lt; b", key="k1")
    (call,) = slack.named("chat_postMessage")
    assert list(slack.messages) == [ts]
    assert call == {
        "channel": "C1",
        "thread_ts": "1700000000.000000",
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": {"event_type": "situate_part", "event_payload": {"key": "k1"}},
        "blocks": BLOCKS,
        "text": "It broke: a &lt; b",
    }


@pytest.mark.parametrize("error", [LOST, TimeoutError(), DOWN, refusal("internal_error")])
async def test_a_message_that_slack_took_is_not_posted_again(
    error: Exception, slack: FakeSlack, poster: Poster
) -> None:
    slack.fail("chat_postMessage", error, "after")
    ts = await poster.post(PLACE, blocks=BLOCKS, text="It broke.", key="k1")
    assert list(slack.messages) == [ts]


async def test_a_message_that_slack_did_not_take_is_posted_again(slack: FakeSlack, poster: Poster) -> None:
    await poster.post(PLACE, blocks=BLOCKS, text="Another.", key="k0")
    slack.fail("chat_postMessage", LOST)
    slack.fail("conversations_replies", DOWN)
    ts = await poster.post(PLACE, blocks=BLOCKS, text="It broke.", key="k1")
    assert len(slack.messages) == 2
    assert slack.messages[ts].metadata == {"event_type": "situate_part", "event_payload": {"key": "k1"}}


async def test_where_the_thread_may_not_be_read_the_words_come_first(slack: FakeSlack, poster: Poster) -> None:
    slack.fail("chat_postMessage", LOST)
    slack.fail("conversations_replies", refusal("missing_scope"))
    assert await poster.post(PLACE, blocks=BLOCKS, text="It broke.", key="k1") in slack.messages


async def test_too_often_is_waited_for(slack: FakeSlack, poster: Poster, naps: Naps) -> None:
    slack.fail("chat_postMessage", TOO_OFTEN, times=2)
    slack.fail("chat_postMessage", refusal("ratelimited", 429, retry_after="3000"))
    await poster.post(PLACE, blocks=BLOCKS, text="It broke.", key="k1")
    assert naps.seconds == [1.0, 1.0, 30.0]
    assert len(slack.messages) == 1


async def test_refused_blocks_become_plainer_and_at_last_text(slack: FakeSlack, poster: Poster) -> None:
    slack.fail("chat_postMessage", refusal("invalid_blocks"))
    first = slack.messages[await poster.post(PLACE, blocks=BLOCKS, text="It broke.", key="k1")]
    assert words(first.blocks) == "It **broke**. [1]"
    assert first.blocks[-1] == BLOCKS[-1]
    slack.fail("chat_postMessage", refusal("invalid_blocks"), times=2)
    second = slack.messages[await poster.post(PLACE, blocks=BLOCKS, text="", key="k2")]
    assert (second.text, second.blocks) == ("It **broke**. [1]", [])
    slack.fail("chat_update", refusal("msg_blocks_too_long"), times=2)
    await poster.update("C1", first.ts, BLOCKS, "")
    assert (first.text, first.blocks) == ("It **broke**. [1]", [])


async def test_words_that_only_fit_into_a_new_message_are_not_cut_to_an_update(
    slack: FakeSlack, poster: Poster
) -> None:
    long: list[Block] = [{"type": "markdown", "text": "word " * 2_000}]
    slack.fail("chat_postMessage", refusal("invalid_blocks"), times=2)
    ts = await poster.post(PLACE, blocks=long, text="Words", key="k1")
    assert slack.messages[ts].text == ("word " * 2_000).strip()
    slack.fail("chat_update", refusal("invalid_blocks"), times=2)
    with pytest.raises(NotPosted):
        await poster.update("C1", ts, long, "Words")


async def test_where_slack_takes_nothing_one_is_told(slack: FakeSlack, poster: Poster) -> None:
    slack.fail("chat_postMessage", refusal("is_archived"))
    with pytest.raises(NotPosted, match="is_archived"):
        await poster.post(PLACE, blocks=BLOCKS, text="It broke.", key="k1")
    slack.fail("chat_update", LOST, times=20)
    with pytest.raises(NotPosted, match="unreachable"):
        await poster.update("C1", "1.2", BLOCKS, "x")
    assert len(slack.named("chat_postMessage")) == 1


async def test_deleting_what_is_gone_is_no_trouble(slack: FakeSlack, poster: Poster) -> None:
    await poster.delete("C1", "1.2")
    slack.fail("chat_delete", refusal("cant_delete_message"))
    await poster.delete("C1", "1.2")
    assert len(slack.named("chat_delete")) == 2


async def test_only_the_person_sees_an_ephemeral_message(slack: FakeSlack, poster: Poster) -> None:
    await poster.ephemeral(PLACE, blocks=BLOCKS, text="Only you")
    (call,) = slack.named("chat_postEphemeral")
    assert (call["user"], call["channel"], call["text"]) == ("U1", "C1", "Only you")


async def test_a_client_that_repeats_calls_is_not_used_for_posting() -> None:
    repeating = AsyncWebClient(token="xoxb-1", base_url="http://127.0.0.1:1/api/", headers={"X-A": "b"})
    repeating.retry_handlers.append(AsyncRateLimitErrorRetryHandler())
    once = unrepeating(repeating)
    assert (once.token, once.base_url, once.retry_handlers) == (repeating.token, repeating.base_url, [])
    assert once.headers["X-A"] == "b"


def test_a_text_is_escaped_and_short() -> None:
    assert short("a & b <!channel>") == "a &amp; b &lt;!channel&gt;"
    for text in ("&" * 5_000, "x" * 5_000, "x" * 4_000, "é<" * 2_100):
        assert 3_900 <= len(short(text)) <= 4_000
    assert not short("&" * 5_000).rstrip("…").endswith(("&", "&a", "&am", "&amp"))


def test_plainer_blocks_say_the_same() -> None:
    rich: Block = {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [
                    {"type": "text", "text": "1  "},
                    {"type": "link", "url": "https://a.example", "text": "Annual Review"},
                ],
            }
        ],
    }
    blocks: list[Block] = [
        {"type": "markdown", "text": "x" * 7_000},
        rich,
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "ref 7F3K"}]},
    ]
    assert words(blocks) == "x" * 7_000 + "\n1  Annual Review\nref 7F3K"
    plain = plainer(blocks)
    assert words(plain).replace("\n", "") == words(blocks).replace("\n", "")
    assert all(len(block["text"]["text"]) <= 3_000 for block in plain)
