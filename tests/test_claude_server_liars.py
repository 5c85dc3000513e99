"""The brains of the stand-in that do what models do at their worst: each lies in its one point."""

from __future__ import annotations

import pytest
from anthropic import AsyncAnthropic
from anthropic.types import CitationsSearchResultLocation, Message

from tests.claude_server import ClaudeServer
from tests.claude_server.examples import converse, found, text_of
from tests.claude_server.liars import LIARS, EndlessSearcher, NeverSearches

pytestmark = pytest.mark.anyio

RESULT = found("INC-2023-04-011 was closed in May. ", "It was opened in April.")
TEXTS = "".join(block["text"] for block in RESULT["content"])


def citations(message: Message) -> list[CitationsSearchResultLocation]:
    """All citations of search results."""
    places = [place for block in message.content if block.type == "text" for place in block.citations or []]
    return [place for place in places if place.type == "search_result_location"]


def called(message: Message) -> list[str]:
    return [block.name for block in message.content if block.type == "tool_use"]


@pytest.mark.parametrize("name", sorted(LIARS))
async def test_liars_keep_to_the_protocol(claude: ClaudeServer, claude_client: AsyncAnthropic, name: str) -> None:
    """Whatever they say, the client takes it, and so does the server when it comes back."""
    claude.brain = LIARS[name]()
    answers = await converse(claude_client, found("INC-2023-04-011 was closed in May."), rounds=3)
    assert answers[-1].stop_reason is not None


async def misciting(claude: ClaudeServer, client: AsyncAnthropic, name: str) -> list[CitationsSearchResultLocation]:
    claude.brain = LIARS[name]()
    places = citations((await converse(client, RESULT))[-1])
    assert places
    return places


async def test_false_citations(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    """An index that is not there, a quote that nobody wrote, a source that no result has, blocks past the end."""
    for place in await misciting(claude, claude_client, "wrong-index"):
        assert place.search_result_index > 0
    for place in await misciting(claude, claude_client, "altered-quote"):
        assert (place.search_result_index, place.source) == (0, RESULT["source"])
        assert place.cited_text not in TEXTS
    for place in await misciting(claude, claude_client, "wrong-source"):
        assert place.source != RESULT["source"]
        assert place.cited_text in TEXTS
    for place in await misciting(claude, claude_client, "wrong-span"):
        assert place.end_block_index > len(RESULT["content"])
    assert len(await misciting(claude, claude_client, "repeats")) == 60


async def test_leaked_markup(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.brain = LIARS["leaked-markup"]()
    answer = (await converse(claude_client, RESULT))[-1]
    assert text_of(answer).startswith('<cite index="0-1">INC-2023-04-011')
    assert not citations(answer)


async def test_searches_never_late_endlessly_or_three_at_once(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    claude.brain = NeverSearches(until=1)
    assert called((await converse(claude_client, RESULT))[0]) == []
    assert called((await converse(claude_client, RESULT))[0]) == ["search_documents"]
    claude.brain = EndlessSearcher()
    answers = await converse(claude_client, RESULT, rounds=5)
    assert [len(called(answer)) for answer in answers] == [1] * 5
    claude.brain = LIARS["parallel-searcher"]()
    assert [len(called(answer)) for answer in await converse(claude_client, RESULT)] == [3, 0]


@pytest.mark.parametrize(
    ("name", "reason", "said"),
    [
        ("refusal", "refusal", ""),
        ("cut-at-max-tokens", "max_tokens", "The incident was closed in the first week of M"),
        ("window-exceeded", "model_context_window_exceeded", "The incident was cl"),
        ("empty-reply", "end_turn", ""),
        ("whitespace-reply", "end_turn", " \n\n "),
        ("pauses-once", "pause_turn", "Let me look at this more closely."),
    ],
)
async def test_endings(claude: ClaudeServer, claude_client: AsyncAnthropic, name: str, reason: str, said: str) -> None:
    claude.brain = LIARS[name]()
    answer = (await converse(claude_client, RESULT))[-1]
    assert (answer.stop_reason, text_of(answer)) == (reason, said)
    assert (answer.stop_details is not None) == (name == "refusal")
