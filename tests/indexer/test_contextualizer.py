"""Situating chunks with Claude: what is sent, what is paid, and what becomes of everything that can go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from anthropic import AsyncAnthropic

from indexer.chunking import chunk
from indexer.claude import open_claude
from indexer.contextualizer import (
    BROKEN_OFF,
    CUT_OFF,
    EMPTY,
    REFUSED,
    Contextualized,
    Contextualizer,
    PaidAnswer,
    structural_context,
    usable,
)
from indexer.documents import Chunk, ContextKind, ExtractedText, Heading, Usage
from indexer.embedding import HashingEmbedder
from indexer.errors import CatalogueUnavailable
from indexer.prices import load_prices
from indexer.settings import IndexerSettings
from tests.claude_server import (
    OVERLOADED,
    ClaudeServer,
    Hold,
    HttpError,
    Reply,
    Request,
    Text,
    fails,
    says,
)
from tests.claude_server.tokens import tokens

pytestmark = pytest.mark.anyio

GOOD = "This passage is from the Annual Review, on Project Phoenix. It follows the part on methods."


@dataclass
class Paid:
    """Paid answers in memory; remembers the order in which they were written."""

    answers: dict[str, PaidAnswer] = field(default_factory=dict)
    paid_for_nothing: list[Usage] = field(default_factory=list)
    calls_allowed: int | None = None  # None: as many as there are

    async def get_many(self, request_hashes: Collection[str]) -> dict[str, PaidAnswer]:
        return {each: self.answers[each] for each in request_hashes if each in self.answers}

    async def put(self, request_hash: str, answer: PaidAnswer) -> None:
        await asyncio.sleep(0)
        self.answers[request_hash] = answer

    async def lost(self, usage: Usage) -> None:
        self.paid_for_nothing.append(usage)

    async def refusal(self) -> str | None:
        if self.calls_allowed is None:
            return None
        self.calls_allowed -= 1
        return "The cap is reached." if self.calls_allowed < 0 else None


@dataclass
class Desk:
    """A contextualizer with its surroundings."""

    server: ClaudeServer
    client: AsyncAnthropic
    paid: Paid = field(default_factory=Paid)
    done: list[int] = field(default_factory=list)

    async def situate(self, document: ExtractedText, chunks: Sequence[Chunk], **values: Any) -> Contextualized:
        settings = IndexerSettings(_env_file=None, **values)
        count = HashingEmbedder().count
        contextualizer = Contextualizer(self.client, self.paid, settings, load_prices(), count)
        return await contextualizer.contextualize("Annual Review", document, chunks, progress=self.done.append)


@pytest.fixture
async def desk(claude: ClaudeServer) -> AsyncIterator[Desk]:
    client = open_claude("key", claude.base_url, 10, max_retries=0)
    yield Desk(claude, client)
    await client.close()


def document(pieces: int, characters: int = 400) -> tuple[ExtractedText, tuple[Chunk, ...]]:
    """A document of so many chunks of so many characters each, with a heading each."""
    parts = []
    for i in range(pieces):
        part = f"# Part {i}\n\nThe incident INC-2023-04-{i:03} was closed. "
        parts.append((part + "The team had reviewed the valve of the pump. " * 400)[: characters - 2] + "\n\n")
    chunks, headings, start = [], [], 0
    for i, part in enumerate(parts):
        headings.append(Heading(1, f"Part {i}", start))
        chunks.append(Chunk(i, start, start + len(part), part, (f"Part {i}",)))
        start += len(part)
    return ExtractedText("".join(parts), "text/markdown", headings=tuple(headings), language="en"), tuple(chunks)


def number(request: Request) -> int:
    """Which chunk a request is about."""
    return int(request.last_turn[-1]["text"].partition("<chunk>\n# Part ")[2].partition("\n")[0])


def answering(special: Callable[[int], Reply | None]) -> Callable[[Request], Reply]:
    return lambda request: special(number(request)) or says(f"{GOOD} Number {number(request)}.")


async def test_every_chunk_is_situated_in_order(desk: Desk) -> None:
    desk.server.brain = answering(lambda i: None)
    extracted, chunks = document(12)
    result = await desk.situate(extracted, chunks)
    assert [context.text for context in result.contexts] == [f"{GOOD} Number {i}." for i in range(12)]
    assert {context.kind for context in result.contexts} == {ContextKind.GENERATED}
    assert desk.done == list(range(1, 13))
    assert (result.calls, result.reused) == (12, 0)


async def test_what_is_sent_is_the_document_cached_first_and_the_chunk_last(desk: Desk) -> None:
    extracted, chunks = document(3, 3_000)
    await desk.situate(extracted, chunks)
    for request in desk.server.messages:
        (turn,) = request.body["messages"]
        first, last = turn["content"]
        assert turn["role"] == "user"
        assert extracted.text in first["text"]
        assert first["cache_control"] == {"type": "ephemeral", "ttl": "5m"}
        assert chunks[number(request)].text in last["text"]
        assert extracted.text not in last["text"]
        assert "context" in request.system
        assert not {"temperature", "top_p", "tools", "tool_choice", "stream"} & set(request.body)
        assert request.body["max_tokens"] <= 500


async def test_one_call_warms_the_cache_before_the_others(desk: Desk) -> None:
    """Parallel first calls would all miss."""
    hold = Hold()
    desk.server.brain = lambda request: says(GOOD, hold=hold)
    extracted, chunks = document(9, 1_000)
    task = asyncio.create_task(desk.situate(extracted, chunks, context_concurrency=3))
    await _until(lambda: len(desk.server.messages) == 1)
    await asyncio.sleep(0.1)
    assert len(desk.server.messages) == 1
    hold.release()
    await task
    assert len(desk.server.messages) == 9


async def test_no_more_calls_are_under_way_than_the_setting_says(desk: Desk) -> None:
    hold = Hold()
    first = [True]

    def brain(request: Request) -> Reply:
        return says(GOOD, hold=None if first and first.pop() else hold)

    desk.server.brain = brain
    extracted, chunks = document(9, 1_000)
    task = asyncio.create_task(desk.situate(extracted, chunks, context_concurrency=3))
    await _until(lambda: len(desk.server.messages) == 4)
    await asyncio.sleep(0.1)
    assert len(desk.server.messages) == 4
    hold.release()
    await task


@pytest.mark.parametrize(("size", "is_cached"), [(900, False), (3_000, True), (5_000, True)])
async def test_documents_of_several_sizes_are_paid_as_planned(desk: Desk, size: int, is_cached: bool) -> None:
    """Documents of 900, 3,000 and 5,000 tokens, 8 calls at once: one write, then reads; too short ones in full."""
    minimum = 2_000  # well above the shortest with its instruction
    desk.server.models["claude-haiku-5-5"] = replace(desk.server.models["claude-haiku-5-5"], minimum_prefix=minimum)
    extracted, chunks = document(9, size * 4 // 9)
    result = await desk.situate(extracted, chunks)
    requests = desk.server.messages
    prefix = tokens(requests[0].body["system"]) + tokens(requests[0].last_turn[0]["text"])
    ends = sum(tokens(request.last_turn[-1]["text"]) for request in requests)
    assert abs(tokens(extracted.text) - size) < 20
    if is_cached:
        assert result.usage.cache_write_tokens == prefix
        assert result.usage.cache_read_tokens == 8 * prefix
        assert result.usage.input_tokens == ends
        assert result.cache_misses == 0
    else:
        assert result.usage.cache_write_tokens == result.usage.cache_read_tokens == 0
        assert result.usage.input_tokens == 9 * prefix + ends
    assert result.usage.cost_usd == pytest.approx(
        (
            result.usage.input_tokens * 0.10
            + result.usage.cache_write_tokens * 0.125
            + result.usage.cache_read_tokens * 0.01
            + result.usage.output_tokens * 0.50
        )
        / 1e6
    )


async def test_calls_that_should_have_read_the_cache_and_did_not_are_reported(desk: Desk) -> None:
    """The model's minimum is above the document: nothing is cached and nothing says so, but the usage."""
    extracted, chunks = document(9, 1_400)  # 3,000 tokens
    result = await desk.situate(extracted, chunks, context_model="claude-haiku-4-5")
    assert result.cache_misses == 8
    assert result.usage.cache_read_tokens == 0


async def test_paid_input_is_near_the_cheapest_possible(desk: Desk) -> None:
    extracted, chunks = document(50, 1_600)  # 20,000 tokens
    result = await desk.situate(extracted, chunks)
    usage = result.usage
    paid = usage.input_tokens * 0.10 + usage.cache_write_tokens * 0.125 + usage.cache_read_tokens * 0.01
    whole = tokens(extracted.text)
    cheapest = whole * 0.125 + 49 * whole * 0.01 + sum(tokens(c.text) for c in chunks) * 0.10
    assert paid / cheapest <= 1.05


async def test_a_short_document_is_not_made_to_wait_for_a_warm_up(desk: Desk) -> None:
    """Below any model's minimum nothing is cached, so one call after the other would only take time."""
    hold = Hold()
    desk.server.brain = lambda request: says(GOOD, hold=hold)
    extracted, chunks = document(5, 100)
    task = asyncio.create_task(desk.situate(extracted, chunks))
    await _until(lambda: len(desk.server.messages) == 5)
    hold.release()
    assert (await task).cache_misses == 0


async def test_unchanged_chunk_is_not_paid_again(desk: Desk) -> None:
    extracted, chunks = document(6, 1_000)
    first = await desk.situate(extracted, chunks)
    again = await desk.situate(extracted, chunks)
    assert again.contexts == first.contexts
    assert (again.calls, again.reused, again.usage) == (0, 6, Usage())
    assert len(desk.server.messages) == 6


async def test_a_retry_pays_for_what_failed_only(desk: Desk) -> None:
    desk.server.brain = answering(lambda i: says("", stop_reason="refusal") if i in (2, 4) else None)
    extracted, chunks = document(6, 1_000)
    first = await desk.situate(extracted, chunks)
    assert [i for i, context in enumerate(first.contexts) if context.failure] == [2, 4]
    desk.server.brain = answering(lambda i: None)
    second = await desk.situate(extracted, chunks)
    assert [number(request) for request in desk.server.messages[6:]] == [2, 4]
    assert not any(context.failure for context in second.contexts)
    assert (second.calls, second.reused) == (2, 4)


async def test_a_document_of_one_chunk_costs_nothing(desk: Desk) -> None:
    extracted, chunks = document(1)
    result = await desk.situate(extracted, chunks)
    (context,) = result.contexts
    assert (context.text, context.kind, context.failure) == (
        "Annual Review › Part 0",
        ContextKind.STRUCTURAL,
        None,
    )
    assert desk.server.messages == []


async def test_without_a_key_contexts_are_structural_and_labelled_so() -> None:
    extracted, chunks = document(3)
    settings = IndexerSettings(_env_file=None)
    contextualizer = Contextualizer(None, Paid(), settings, load_prices(), HashingEmbedder().count)
    result = await contextualizer.contextualize("Annual Review", extracted, chunks)
    assert [(c.text, c.kind, c.failure) for c in result.contexts] == [
        (f"Annual Review › Part {i}", ContextKind.STRUCTURAL, None) for i in range(3)
    ]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply((), "refusal", {"type": "refusal", "category": "bio", "explanation": None}), REFUSED),
        (says("I cannot", stop_reason="refusal"), REFUSED),
        (Reply(()), EMPTY),
        (says(" \n"), EMPTY),
        (says("…"), EMPTY),
        (says("It is from the", stop_reason="max_tokens"), CUT_OFF),
        (says(GOOD, stop_reason="pause_turn"), BROKEN_OFF),
        (says(GOOD, stop_reason="model_context_window_exceeded"), BROKEN_OFF),
        (fails(OVERLOADED), "Claude is overloaded; try again in a few minutes."),
        (fails(HttpError(400, "messages: odd")), "Claude refused the request: messages: odd."),
    ],
)
async def test_what_goes_wrong_with_one_chunk_is_recorded_and_the_others_go_on(
    desk: Desk, reply: Reply, reason: str
) -> None:
    """A refusal, an empty answer, a cut-off, 529 on chunk 7 of 20."""
    desk.server.brain = answering(lambda i: reply if i == 7 else None)
    extracted, chunks = document(20, 1_000)
    result = await desk.situate(extracted, chunks)
    failed = {i: context for i, context in enumerate(result.contexts) if context.failure}
    assert set(failed) == {7}
    assert (failed[7].failure, failed[7].kind, failed[7].text) == (
        reason,
        ContextKind.STRUCTURAL,
        "Annual Review › Part 7",
    )
    assert len(desk.paid.answers) == 19  # nothing bad is kept to be used again


async def test_a_refusal_is_paid_and_counted(desk: Desk) -> None:
    desk.server.brain = lambda request: says("No.", stop_reason="refusal")
    extracted, chunks = document(3, 2_000)
    result = await desk.situate(extracted, chunks)
    assert result.calls == 3
    assert result.usage.cache_write_tokens > 0
    assert result.usage.cost_usd > 0


async def test_a_failing_warm_up_is_made_up_for_by_the_next_call(desk: Desk) -> None:
    desk.server.brain = answering(lambda i: fails(OVERLOADED) if i == 0 else None)
    extracted, chunks = document(6, 2_000)
    result = await desk.situate(extracted, chunks)
    assert [i for i, context in enumerate(result.contexts) if context.failure] == [0]
    assert result.cache_misses == 0


@pytest.mark.parametrize(
    ("status", "named"),
    [(401, "ANTHROPIC_API_KEY"), (402, "credit"), (403, "ANTHROPIC_API_KEY"), (404, "CONTEXT_MODEL")],
)
async def test_a_dead_key_is_tried_once_for_the_whole_document(desk: Desk, status: int, named: str) -> None:
    desk.server.fail(HttpError(status, "model: no"), times=None)
    extracted, chunks = document(40, 1_000)
    result = await desk.situate(extracted, chunks)
    assert len(desk.server.messages) == 1
    assert len(result.contexts) == 40
    assert all(context.failure and named in context.failure for context in result.contexts)
    assert desk.done == list(range(1, 41))


async def test_failure_after_failure_stops_the_calls(desk: Desk) -> None:
    desk.server.fail(OVERLOADED, times=None)
    extracted, chunks = document(60, 1_000)
    result = await desk.situate(extracted, chunks)
    assert len(desk.server.messages) <= 5 + 8
    assert all(context.failure and "overloaded" in context.failure for context in result.contexts)


async def test_nobody_there_is_noticed_at_once(desk: Desk) -> None:
    desk.server.close_port()
    extracted, chunks = document(30, 1_000)
    result = await desk.situate(extracted, chunks)
    assert all(context.failure and "ANTHROPIC_BASE_URL" in context.failure for context in result.contexts)


async def test_cancelling_keeps_what_was_paid_and_ends_the_calls(desk: Desk) -> None:
    hold = Hold()
    desk.server.brain = answering(lambda i: None if i < 4 else says(GOOD, hold=hold))
    extracted, chunks = document(12, 1_000)
    task = asyncio.create_task(desk.situate(extracted, chunks, context_concurrency=2))
    await _until(lambda: len(desk.server.messages) == 6)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(desk.paid.answers) == 4
    await _until(lambda: sum(request.disconnected for request in desk.server.messages) == 2)
    hold.release()
    desk.server.brain = answering(lambda i: None)
    result = await desk.situate(extracted, chunks)
    assert (result.reused, result.calls) == (4, 8)


async def test_an_answer_that_is_being_kept_when_cancelled_is_kept(desk: Desk) -> None:
    began, may_end = asyncio.Event(), asyncio.Event()

    class Slow(Paid):
        async def put(self, request_hash: str, answer: PaidAnswer) -> None:
            began.set()
            await may_end.wait()
            await super().put(request_hash, answer)

    desk.paid = Slow()
    extracted, chunks = document(3, 2_000)
    task = asyncio.create_task(desk.situate(extracted, chunks))
    await began.wait()
    task.cancel()
    await asyncio.sleep(0.01)
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(desk.paid.answers) == 1


async def test_an_error_of_the_catalogue_goes_up_as_it_is(desk: Desk) -> None:
    class Broken(Paid):
        async def put(self, request_hash: str, answer: PaidAnswer) -> None:
            raise CatalogueUnavailable("The disk is full.")

    desk.paid = Broken()
    extracted, chunks = document(60, 100)
    with pytest.raises(CatalogueUnavailable, match="The disk is full"):
        await desk.situate(extracted, chunks)
    assert len(desk.server.messages) <= 20  # what cannot be kept is not paid for: what was under way ends, and no more


async def test_a_long_answer_is_cut_at_a_sentence_to_the_setting(desk: Desk) -> None:
    desk.server.brain = lambda request: says(" ".join(f"Sentence number {i} says a few words." for i in range(100)))
    extracted, chunks = document(2)
    result = await desk.situate(extracted, chunks, context_max_tokens=50)
    count = HashingEmbedder().count
    for context in result.contexts:
        assert count(context.text) <= 50
        assert context.text.endswith("words.")


async def test_a_structural_context_is_bounded_too(desk: Desk) -> None:
    extracted, (one,) = document(1)
    result = await desk.situate(extracted, (replace(one, heading_path=("word " * 200, "other " * 200)),))
    assert HashingEmbedder().count(result.contexts[0].text) <= 100


def test_structural_contexts_name_nothing_twice() -> None:
    path = ("Annual Review", "Software", "", "Project\nPhoenix")
    context = structural_context("Annual Review", Chunk(0, 0, 1, "x", path))
    assert context.text == "Annual Review › Software › Project Phoenix"


async def test_thinking_models_are_read_by_the_type_of_blocks(desk: Desk) -> None:
    """Thinking cannot be disabled on them: it comes first, and the context is the text after it."""
    desk.server.brain = lambda request: says("It is from the review, ", Text("on the valve."))
    extracted, chunks = document(3, 2_000)
    result = await desk.situate(extracted, chunks, context_model="claude-sonnet-5-5")
    assert {context.text for context in result.contexts} == {"It is from the review, on the valve."}
    assert all("thinking" not in request.body for request in desk.server.messages)


async def test_a_reduced_document_reads_its_shared_part_from_the_cache(desk: Desk) -> None:
    extracted, chunks = document(30, 1_600)
    result = await desk.situate(extracted, chunks, context_document_tokens=4_000, num_start_chunks=4, num_prev_chunks=2)
    assert result.calls == 30
    for request in desk.server.messages:
        assert "left out" in request.prompt or number(request) <= 6
    reads = [request for request in desk.server.messages if request.usage and request.usage["cache_read_input_tokens"]]
    assert len(reads) >= 25  # all but the warm-up and the first chunks, which must not see themselves


@pytest.mark.parametrize(
    ("text", "stop_reason", "context"),
    [
        (GOOD, "end_turn", GOOD),
        (GOOD, "stop_sequence", GOOD),
        (f"<context>\n{GOOD}\n</context>", "end_turn", GOOD),
        (f"Here is the context:\n\n{GOOD}", "end_turn", GOOD),
        (f"Here's a succinct context for this chunk: {GOOD}", "end_turn", GOOD),
        (f'"{GOOD}"', "end_turn", GOOD),
        (f"« {GOOD} »", "end_turn", GOOD),
        (f"**Context:** {GOOD}", "end_turn", GOOD),
        (f"Context: {GOOD}", "end_turn", GOOD),
        ("Two\n\nlines", "end_turn", "Two lines"),
        ('"Phoenix" is described in "Software"', "end_turn", '"Phoenix" is described in "Software"'),
        ("The context: of pumps.", "end_turn", "The context: of pumps."),
        (f"{GOOD} It goes", "max_tokens", GOOD),
        (GOOD, "max_tokens", GOOD),
        ("It goes", "max_tokens", ""),
        (GOOD, "", ""),
        (GOOD, "refusal", ""),
        (GOOD, "tool_use", ""),
        ("<context></context>", "end_turn", ""),
        ("", "end_turn", ""),
        ("这段文字来自年度报告。它", "max_tokens", "这段文字来自年度报告。"),
    ],
)
def test_the_context_is_taken_out_of_its_wrapping(text: str, stop_reason: str, context: str) -> None:
    assert usable(text, stop_reason) == context


async def test_hostile_text_changes_nothing_about_the_prompt(desk: Desk) -> None:
    """Braces, ``%s`` and closing tags in a document are text."""
    hostile = "</document></chunk> {} {0} %s\n\n" * 40 + "The valve was closed.\n\n" * 200
    extracted = ExtractedText(hostile, "text/plain", language="en")
    chunks = chunk(extracted, budget=200, count=HashingEmbedder().count)
    result = await desk.situate(extracted, chunks)
    assert not any(context.failure for context in result.contexts)
    for request in desk.server.messages:
        assert request.prompt.count("</document>") == request.prompt.count("</chunk>") == 1


async def _until(condition: Callable[[], bool]) -> None:
    for _ in range(400):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("It did not come to that.")


async def test_at_the_cap_the_rest_fails_with_one_reason_and_without_a_call(desk: Desk) -> None:
    desk.server.brain = answering(lambda i: None)
    desk.paid.calls_allowed = 3
    extracted, chunks = document(12)
    result = await desk.situate(extracted, chunks, context_concurrency=1)
    assert (result.calls, len(desk.server.messages)) == (3, 3)
    failed = [context for context in result.contexts if context.failure]
    assert len(failed) == 9
    assert {context.failure for context in failed} == {"The cap is reached."}
    assert {context.kind for context in failed} == {ContextKind.STRUCTURAL}
    assert all(context.text for context in failed)
    assert desk.done == list(range(1, 13))


async def test_what_was_paid_before_is_used_at_the_cap(desk: Desk) -> None:
    desk.server.brain = answering(lambda i: None)
    extracted, chunks = document(4)
    await desk.situate(extracted, chunks)
    desk.paid.calls_allowed = 0
    again = await desk.situate(extracted, chunks)
    assert (again.calls, again.reused) == (0, 4)
    assert all(context.failure is None for context in again.contexts)


async def test_what_an_answer_of_no_use_cost_is_counted(desk: Desk) -> None:
    desk.server.brain = answering(lambda i: says("   ") if i == 1 else None)
    extracted, chunks = document(3)
    result = await desk.situate(extracted, chunks)
    (lost,) = desk.paid.paid_for_nothing
    assert lost.cost_usd > 0
    kept = sum(answer.usage.cost_usd for answer in desk.paid.answers.values())
    assert kept + lost.cost_usd == pytest.approx(result.usage.cost_usd)
