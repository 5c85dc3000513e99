"""The stand-in for the Messages API as the real client sees it: answers, brains, replayed turns."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic

from tests.claude_server import (
    NOTHING_FOUND,
    Citation,
    ClaudeServer,
    HonestAnswerer,
    Text,
    Thinking,
    ToolUse,
    calls,
    says,
)
from tests.claude_server.examples import (
    BALANCED,
    FAST,
    MARK,
    QUESTION,
    SEARCH,
    STRONG,
    asking,
    converse,
    exchange,
    found,
    results,
    text_of,
    used,
)
from tests.claude_server.liars import PausesOnce

pytestmark = pytest.mark.anyio


async def send(client: AsyncAnthropic, body: dict[str, Any]) -> Any:
    """Post a body as it is, past the client's own checks."""
    return await client.post("/v1/messages", body=body, cast_to=object)


# Answers


async def test_scripted_replies_come_in_order_then_the_brain_answers(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    claude.script(says("One."), says("Two."))
    answers = [text_of(await claude_client.messages.create(**asking())) for _ in range(3)]
    assert answers == ["One.", "Two.", "You said: Hello"]
    assert not claude.unused
    assert [request.body["messages"][0]["content"] for request in claude.messages] == ["Hello"] * 3
    assert claude.messages[0].headers["anthropic-version"] == "2026-10-21"


async def test_stream_and_plain_answer_say_the_same(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    """Same blocks, stop reason and usage, whichever way they come."""
    citation = Citation("review#3", "Review", "It was closed in May. ", 0, 0, 1)
    reply = says(
        Text("It was closed in May, 終了。", (citation,)), ToolUse("search_documents", {"query": "été 終"}, "toolu_9")
    )
    claude.script(reply, reply)
    body = asking(tools=[SEARCH])
    plain = await claude_client.messages.create(**body)
    async with claude_client.messages.stream(**body) as stream:
        kinds = [event.type async for event in stream]
        streamed = await stream.get_final_message()
    assert streamed.to_dict(exclude_none=True)["content"] == plain.to_dict(exclude_none=True)["content"]
    assert (streamed.stop_reason, streamed.usage) == (plain.stop_reason, plain.usage)
    assert {"citation", "text", "input_json", "message_stop"} <= set(kinds)


async def test_chunks_cut_characters_and_nothing_is_lost(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.chunk_bytes = 1
    claude.script(says("🏴‍☠️ 終了 été", piece=1))
    async with claude_client.messages.stream(**asking()) as stream:
        pieces = [piece async for piece in stream.text_stream]
    assert "".join(pieces) == "🏴‍☠️ 終了 été"
    assert len(pieces) > 5


async def test_citations_may_come_before_their_text(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    citation = Citation("s", "t", "Quote.", 0, 0, 1)
    claude.script(says(Text("Said.", (citation,), cited="before")))
    async with claude_client.messages.stream(**asking()) as stream:
        kinds = [event.type async for event in stream if event.type in ("citation", "text")]
    assert kinds == ["citation", "text"]


async def test_thinking_comes_first_and_counts_toward_max_tokens(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    """Where it is not switched off; its text is left out unless a summary is asked for."""
    body = asking(max_tokens=70)
    del body["thinking"]
    claude.script(says("x" * 400), says("Short."), says("Short."))
    cut = await claude_client.messages.create(**body)
    assert [block.type for block in cut.content] == ["thinking", "text"]
    assert cut.stop_reason == "max_tokens"
    assert text_of(cut) == "x" * (70 - 64) * 4
    assert cut.usage.output_tokens == 70
    shown = await claude_client.messages.create(**body | {"thinking": {"type": "adaptive", "display": "summarized"}})
    assert shown.content[0].type == "thinking"
    assert shown.content[0].thinking
    eaten = await claude_client.messages.create(**body | {"max_tokens": 50})
    assert [block.type for block in eaten.content] == ["thinking"]
    assert eaten.stop_reason == "max_tokens"


async def test_tool_input_is_cut_at_max_tokens(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.script(calls("search_documents", query="word " * 100))
    async with claude_client.messages.stream(**asking(tools=[SEARCH], max_tokens=20)) as stream:
        answer = await stream.get_final_message()
    assert answer.stop_reason == "max_tokens"
    assert answer.content[0].type == "tool_use"
    assert answer.content[0].input == {}


async def test_stop_sequences_and_an_empty_answer(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.script(says("One END two"), says())
    stopped = await claude_client.messages.create(**asking(stop_sequences=["END"]))
    assert (text_of(stopped), stopped.stop_reason, stopped.stop_sequence) == ("One ", "stop_sequence", "END")
    assert (await claude_client.messages.create(**asking())).content == []


async def test_what_is_said_before_a_tool_call_comes_as_thinking(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    """On the larger models: its text is empty by default, there with ``between_tools`` or a summary asked for."""
    claude.script(*[says("I will look.", ToolUse("search_documents", {"query": "a"}))] * 3)
    claude.thinking_tokens = 0
    body = asking(tools=[SEARCH], model=BALANCED)
    del body["thinking"]
    silent = await claude_client.messages.create(**body)
    spoken = await claude_client.messages.create(**body | {"thinking": {"type": "between_tools"}})
    fast = await claude_client.messages.create(**asking(tools=[SEARCH]))
    assert [block.type for block in silent.content] == ["thinking", "tool_use"]
    assert [block.thinking for answer in (silent, spoken) for block in answer.content if block.type == "thinking"] == [
        "",
        "I will look.",
    ]
    assert [block.type for block in fast.content] == ["text", "tool_use"]


async def test_models_and_token_counts(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    assert {model.id async for model in claude_client.models.list()} == set(claude.models)
    assert (await claude_client.models.retrieve(FAST)).max_input_tokens == 1_000_000
    counted = await claude_client.messages.count_tokens(model=FAST, messages=[{"role": "user", "content": "a" * 400}])
    assert counted.input_tokens == 100


# Brains


async def test_honest_answerer_searches_then_quotes_with_citations(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    claude.brain = HonestAnswerer()
    first = found("Another sentence. ", "Nothing here.", source="a")
    second = found("INC-2023-04-011 was closed in May. ", "It was opened in April.", source="b")
    asked, answered = await converse(claude_client, first, second)
    call = next(block for block in asked.content if block.type == "tool_use")
    assert call.input == {"query": QUESTION}
    cited = next(block for block in answered.content if block.type == "text")
    assert cited.text == "INC-2023-04-011 was closed in May."
    assert cited.citations is not None
    place = cited.citations[0]
    assert place.type == "search_result_location"
    assert (place.source, place.search_result_index, place.start_block_index, place.end_block_index) == ("b", 1, 0, 1)
    assert place.cited_text == "INC-2023-04-011 was closed in May. "


async def test_honest_answerer_says_that_nothing_was_found(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    answers = await converse(claude_client, {"type": "text", "text": "No results."})
    assert text_of(answers[-1]) == NOTHING_FOUND


async def test_result_index_counts_over_the_whole_request(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    """Results of an earlier question come first, but only those of the current one are quoted."""
    body = exchange(results(found("Old one.")))
    body["messages"] += [
        {"role": "assistant", "content": "Old answer."},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": [used("toolu_2")]},
        {"role": "user", "content": [results(found("New one.", source="new"), id="toolu_2")]},
    ]
    answer = await claude_client.messages.create(**body)
    cited = [block.citations for block in answer.content if block.type == "text"]
    assert [(place.source, place.search_result_index) for places in cited if places for place in places] == [("new", 1)]


@pytest.mark.parametrize(
    ("document", "chunk", "expected"),
    [
        ("# Annual Review\n\n## Incidents\n\nINC-2023-04-011 was closed in May.", "INC-2023-04-011", "Incidents"),
        ("# Revue annuelle\n\nLe groupe est dans la salle pour les essais.", "Le groupe est", "Revue annuelle"),
    ],
)
async def test_contexts_name_the_document_and_the_section(
    claude: ClaudeServer, claude_client: AsyncAnthropic, document: str, chunk: str, expected: str
) -> None:
    """50 to 100 tokens, in the document's language."""
    prompt = f"The document is in <document> tags.\n<document>\n{document}\n</document>\n<chunk>\n{chunk}\n</chunk>"
    answer = await claude_client.messages.create(**asking(prompt))
    assert expected in text_of(answer)
    assert 50 <= answer.usage.output_tokens <= 100
    assert text_of(answer).startswith("Cet extrait" if "Revue" in document else "This chunk")


async def test_paused_turn_may_come_back_as_it_was(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.brain = PausesOnce()
    claude.expect_violations()
    body = exchange(results(found("It was closed in May.")))
    paused = await claude_client.messages.create(**body)
    assert paused.stop_reason == "pause_turn"
    messages = [*body["messages"], paused.to_param()]
    resumed = await claude_client.messages.create(**body | {"messages": messages})
    assert text_of(resumed) == "It was closed in May."
    messages[-1] = {"role": "assistant", "content": "Something else."}
    with pytest.raises(anthropic.BadRequestError, match="prefill"):
        await claude_client.messages.create(**body | {"messages": messages})


# Replayed turns


async def test_thinking_comes_back_only_unchanged_and_under_the_same_prefix(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    claude.expect_violations()
    claude.script(says(Thinking("Hm."), ToolUse("search_documents", {"query": "a"})))
    body = asking(
        tools=[SEARCH], model=BALANCED, system="Be brief.", thinking={"type": "adaptive", "display": "summarized"}
    )
    answer = await claude_client.messages.create(**body)
    calls = [block.id for block in answer.content if block.type == "tool_use"]
    turns = [*body["messages"], answer.to_param(), {"role": "user", "content": [results(id=calls[0])]}]
    marked = [{"role": "user", "content": [{"type": "text", "text": "Hello", "cache_control": MARK}]}, *turns[1:]]
    good = body | {"messages": turns}
    await claude_client.messages.create(**good)
    await claude_client.messages.create(**good | {"messages": marked, "tool_choice": {"type": "none"}})
    changed = answer.to_dict()["content"]
    assert isinstance(changed, list)
    changed = [block | {"thinking": "Other."} if block["type"] == "thinking" else block for block in changed]
    for bad, message in [
        (good | {"system": "Be long."}, "earlier turns"),
        (good | {"tools": [SEARCH, SEARCH | {"name": "other"}]}, "earlier turns"),
        (good | {"messages": [{"role": "user", "content": "Hullo"}, *turns[1:]]}, "earlier turns"),
        (good | {"model": STRONG}, "earlier turns"),
        (good | {"messages": [turns[0], {"role": "assistant", "content": changed}, turns[2]]}, "Invalid `signature`"),
    ]:
        with pytest.raises(anthropic.BadRequestError, match=message):
            await send(claude_client, bad)


async def test_streamed_turn_goes_back_as_the_client_writes_it(
    claude: ClaudeServer, claude_client: AsyncAnthropic
) -> None:
    """Also a cited text that was followed by a call."""
    citation = Citation("review#3", "Review", "Quote.", 0, 0, 1)
    claude.script(says(Text("Said.", (citation,)), ToolUse("search_documents", {"query": "b"})))
    body = exchange(results(found("Quote.")), model=FAST, thinking={"type": "adaptive"})
    async with claude_client.messages.stream(**body) as stream:
        answer = await stream.get_final_message()
    call = next(block.id for block in answer.content if block.type == "tool_use")
    more = [*body["messages"], answer.to_param(), {"role": "user", "content": [results(found("More."), id=call)]}]
    assert text_of(await claude_client.messages.create(**body | {"messages": more}))
