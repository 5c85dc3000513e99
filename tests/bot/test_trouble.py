"""When Claude or the database fails: tried again from a clean state, or said plainly; nothing half-said stays."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from typing import Any

import pytest

from bot.answering.answerer import Answerer
from bot.answering.events import Citation, Kind, Reset, Searching
from bot.answering.events import Text as Said
from indexer import CatalogueUnavailable, Hit, WeaviateUnavailable, load_prices
from tests.bot.answers import answerer, ask, settings
from tests.bot.shelf import EVERYBODY, Shelf, annual_review
from tests.claude_server import (
    OVERLOADED,
    ClaudeServer,
    Hangup,
    HonestAnswerer,
    HttpError,
    Midway,
    Reply,
    Request,
    Text,
    ToolUse,
    liars,
    says,
)

pytestmark = pytest.mark.anyio

QUESTION = "What was the root cause of INC-2023-04-011?"
PASSAGES = "Here are the passages that I found."


@pytest.fixture
def shelf() -> Shelf:
    shelf = Shelf()
    annual_review(shelf)
    return shelf


class Starting(Shelf):
    """Its database takes longer to start than a search may take; a search starts it where nobody has."""

    there = False

    async def connect(self) -> None:
        if not self.there:
            await asyncio.sleep(0.3)
            self.there = True

    async def search(self, *arguments: Any, **options: Any) -> list[Hit]:
        await self.connect()
        return await super().search(*arguments, **options)


class FailsLate(HonestAnswerer):
    """Searches; its first ``times`` answers meet a fault in the middle of the stream."""

    def __init__(self, fault: Midway, times: int = 1) -> None:
        super().__init__()
        self.fault = fault
        self.times = times

    def answer(self, request: Request) -> Reply:
        reply = super().answer(request)
        if self.times > 0:
            self.times -= 1
            return reply.but(fault=self.fault)
        return reply


FAULTS = [
    Midway("error", 20),
    Midway("error", 0),
    Midway("cut", 12),
    Midway("reset", 12),
    Midway("end", 12),
    Midway("stall", 12, seconds=5),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.how}-{fault.after}")
async def test_a_stream_that_breaks_is_tried_again_from_a_clean_state(
    claude: ClaudeServer, shelf: Shelf, fault: Midway
) -> None:
    """An ``overloaded_error`` after 20 tokens, a cut, a stall: what was half said is taken back."""
    claude.brain = FailsLate(fault)
    seen = await ask(answerer(claude, shelf, timeout=0.5), QUESTION)
    assert seen.answer.kind is Kind.ANSWER
    assert seen.answer.backed
    first, second = claude.messages[1:]
    assert first.body == second.body
    events = list(seen.events)
    resets = [number for number, event in enumerate(events) if isinstance(event, Reset)]
    said_before = any(isinstance(event, Said) for event in events[: resets[0]]) if resets else False
    assert said_before == bool(resets)
    after = events[resets[-1] :] if resets else events
    assert [event.marker for event in after if isinstance(event, Citation)] == [1, 2, 3]
    assert len(shelf.asked) == 1


async def test_what_was_said_before_a_late_break_is_taken_back(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = FailsLate(Midway("error", 17))
    seen = await ask(answerer(claude, shelf), QUESTION)
    kinds = [type(event).__name__ for event in seen.events]
    assert "Text" in kinds[: kinds.index("Reset")]
    assert next(event for event in seen.events if isinstance(event, Reset)).reason.startswith("Claude is overloaded")


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.how != "stall"], ids=lambda fault: fault.how)
async def test_a_stream_that_breaks_every_time_ends_in_passages(
    claude: ClaudeServer, shelf: Shelf, fault: Midway
) -> None:
    claude.brain = FailsLate(fault, times=100)
    seen = await ask(answerer(claude, shelf), QUESTION)
    answer = seen.answer
    assert answer.kind is Kind.PASSAGES
    assert answer.notice is not None
    assert answer.notice.endswith(PASSAGES)
    assert answer.reference is not None
    assert re.fullmatch(r"[2-9A-Z]{4}", answer.reference)
    assert len(claude.messages) == 4  # a search, an answer, and two more tries
    assert not answer.backed
    assert answer.text.startswith("“The root cause was an expired certificate on the gateway.")
    for citation in answer.citations:
        assert citation.quote in citation.hit.chunk.text


@pytest.mark.parametrize("fault", [OVERLOADED, HttpError(500), HttpError(401, "invalid x-api-key"), Hangup()])
async def test_claude_away_gives_passages_and_says_so(
    claude: ClaudeServer, shelf: Shelf, fault: HttpError | Hangup
) -> None:
    claude.fail(fault, None)
    seen = await ask(answerer(claude, shelf), QUESTION)
    answer = seen.answer
    assert answer.kind is Kind.PASSAGES
    assert "expired certificate" in answer.text
    assert answer.notice is not None
    assert "Claude" in answer.notice
    assert answer.notice.endswith(PASSAGES)
    assert answer.citations
    assert Searching(QUESTION) in seen.events
    assert "invalid x-api-key" not in answer.notice


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (HttpError(400, "messages: something internal at /srv/x.py line 3"), "Claude did not accept the request."),
        (HttpError(413, "too large"), "The question or the conversation is too long for Claude;"),
        (HttpError(400, "prompt is too long: 213000 tokens"), "The question or the conversation is too long"),
        (HttpError(404, "model: claude-x"), "Claude does not know the model that is set here;"),
    ],
)
async def test_the_asker_reads_a_plain_sentence_and_the_details_are_in_the_log(
    claude: ClaudeServer, shelf: Shelf, caplog: pytest.LogCaptureFixture, fault: HttpError, sentence: str
) -> None:
    claude.fail(fault, None)
    with caplog.at_level(logging.WARNING):
        seen = await ask(answerer(claude, shelf), QUESTION)
    answer = seen.answer
    assert answer.notice is not None
    assert answer.notice.startswith(sentence)
    for detail in ("messages:", "x.py", "213000", "claude-x", "CONTEXT_"):
        assert detail not in answer.notice + answer.text
    assert fault.message in caplog.text
    assert answer.reference is not None
    assert answer.reference in caplog.text


@pytest.mark.parametrize("fault", [OVERLOADED, None], ids=["away", "answered"])
async def test_a_question_that_is_cut_says_so(claude: ClaudeServer, shelf: Shelf, fault: HttpError | None) -> None:
    if fault is not None:
        claude.fail(fault, None)
    long = await ask(answerer(claude, shelf), QUESTION + " really" * 3_000)
    assert "only its first 20,000 characters were read." in (long.answer.notice or "")


async def test_a_question_of_the_longest_length_is_not_said_to_be_cut(claude: ClaudeServer, shelf: Shelf) -> None:
    whole = await ask(answerer(claude, shelf), (QUESTION + " really" * 3_000)[:20_000])
    assert "characters were read" not in (whole.answer.notice or "")


async def test_passages_answer_the_question_and_not_the_searches_made_on_the_way(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    """What is shown is chosen by the question, which is searched now where it was not."""
    for number in range(8):
        shelf.put(f"Side {number}", f"The gateway of side {number} is blue, and it was painted in a month of rain.")

    def brain(request: Request) -> Reply:
        if request.tool_results:
            return says("It was", fault=Midway("error", 0))
        return Reply(tuple(ToolUse("search_documents", {"query": query}) for query in ("gateway blue side", "rain")))

    claude.brain = brain
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.PASSAGES
    assert [asked.query for asked in shelf.asked] == ["gateway blue side", "rain", QUESTION]
    assert seen.answer.citations[0].quote.startswith("The root cause was an expired certificate on the gateway.")
    assert len(seen.answer.citations) <= 5


async def test_passages_found_on_the_way_stand_in_where_the_question_cannot_be_searched_any_more(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    shelf.failing = lambda query: WeaviateUnavailable("Away.") if query == QUESTION else None

    def brain(request: Request) -> Reply:
        if request.tool_results:
            return says("It was", fault=Midway("error", 0))
        return Reply((ToolUse("search_documents", {"query": "root cause"}),))

    claude.brain = brain
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.PASSAGES
    assert "expired certificate" in seen.answer.text


async def test_a_model_that_goes_on_searching_when_it_may_not_is_tried_once_more_only(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    """Each of these rounds is paid in full."""
    claude.expect_violations()
    claude.brain = lambda request: Reply((ToolUse("search_documents", {"query": f"gateway {request.number}"}),))
    seen = await ask(answerer(claude, shelf, max_searches=3), QUESTION)
    assert len(claude.messages) == 3 + 2
    assert seen.answer.kind is Kind.PASSAGES
    assert seen.answer.notice == f"Claude went on searching and gave no answer. {PASSAGES}"


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.after], ids=lambda fault: fault.how)
async def test_what_a_broken_round_is_known_to_have_cost_is_counted(
    claude: ClaudeServer, shelf: Shelf, fault: Midway
) -> None:
    claude.brain = FailsLate(fault)
    seen = await ask(answerer(claude, shelf, timeout=0.5), QUESTION)
    told = [request.usage or {} for request in claude.messages]
    assert len(told) == 3
    usage = seen.answer.usage
    assert usage.input_tokens == sum(one["input_tokens"] for one in told)
    assert usage.cache_read_tokens == sum(one["cache_read_input_tokens"] for one in told)
    assert usage.cache_write_tokens == sum(one["cache_creation_input_tokens"] for one in told)


async def test_without_a_key_passages_are_given_without_any_call(claude: ClaudeServer, shelf: Shelf) -> None:
    keyless = Answerer(shelf, None, settings(), load_prices(None))
    seen = await ask(keyless, QUESTION)
    assert seen.answer.kind is Kind.PASSAGES
    assert seen.answer.notice is not None
    assert "ANTHROPIC_API_KEY" in seen.answer.notice
    assert "expired certificate" in seen.answer.text
    assert not claude.messages


async def test_claude_away_and_nothing_found_is_said(shelf: Shelf) -> None:
    seen = await ask(Answerer(shelf, None, settings(), load_prices(None)), "Xylophone zeppelins?")
    assert seen.answer.kind is Kind.PASSAGES
    assert seen.answer.text == "I found no passage for that in your documents."
    assert seen.answer.citations == ()


async def test_a_refusal_is_said_plainly_and_not_asked_again(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = liars.refusal("The incident was cl")
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.notice == f"Claude declined to answer this. {PASSAGES}"
    assert len(claude.messages) == 2
    assert "The incident was cl" not in seen.shown


async def test_a_refusal_before_any_search_still_searches(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = liars.refuses_at_once()
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.PASSAGES
    assert [asked.query for asked in shelf.asked] == [QUESTION]


async def test_too_much_to_read_is_said_plainly(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = liars.window_exceeded()
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.notice == f"There was too much for Claude to read at once. {PASSAGES}"
    assert "incident was cl" not in seen.shown


async def test_a_pause_is_tried_again(claude: ClaudeServer, shelf: Shelf) -> None:
    pauses = iter([True, False])

    class Pausing(HonestAnswerer):
        def answer(self, request: Request) -> Reply:
            reply = super().answer(request)
            return reply.but(stop_reason="pause_turn") if next(pauses) else reply

    claude.brain = Pausing()
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.backed
    assert any(isinstance(event, Reset) for event in seen.events)


async def test_at_the_token_limit_whole_sentences_stay_and_it_is_said(claude: ClaudeServer, shelf: Shelf) -> None:
    class Cut(HonestAnswerer):
        def answer(self, request: Request) -> Reply:
            whole = super().answer(request)
            return whole.but(
                blocks=(*whole.blocks[:2], Text(" It was closed in the first week of M")), stop_reason="max_tokens"
            )

    claude.brain = Cut()
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert "week of M" not in seen.shown
    assert seen.answer.citations
    assert seen.answer.notice == "The answer was cut at its longest length."


async def test_where_nothing_whole_came_before_the_limit_more_is_allowed(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = liars.cut_at_max_tokens()
    seen = await ask(answerer(claude, shelf, answer_max_tokens=500), QUESTION)
    assert [request.body["max_tokens"] for request in claude.messages] == [500, 500, 1_000, 2_000]
    assert seen.answer.kind is Kind.PASSAGES
    assert "week of M" not in seen.shown


async def test_a_search_cut_off_at_the_limit_is_not_run(claude: ClaudeServer, shelf: Shelf) -> None:
    whole = HonestAnswerer()

    def brain(request: Request) -> Reply:
        if request.body["max_tokens"] < 500 and not request.tool_results:
            return Reply((ToolUse("search_documents", {"query": "words " * 400}),))
        return whole(request)

    claude.brain = brain
    claude.thinking_tokens = 0
    seen = await ask(answerer(claude, shelf, answer_max_tokens=256), QUESTION)
    assert seen.answer.citations
    assert [asked.query for asked in shelf.asked] == [QUESTION]


async def test_the_database_away_is_said_honestly(claude: ClaudeServer, shelf: Shelf) -> None:
    shelf.failing = lambda query: WeaviateUnavailable("The database does not answer; try again in a minute.")
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.TROUBLE
    assert seen.answer.text == "The database does not answer; try again in a minute."
    assert seen.answer.reference is not None
    assert len(claude.messages) == 1


async def test_the_database_away_and_no_key_is_said_honestly(shelf: Shelf) -> None:
    shelf.failing = lambda query: WeaviateUnavailable("The database does not answer.")
    seen = await ask(Answerer(shelf, None, settings(), load_prices(None)), QUESTION)
    assert seen.answer.kind is Kind.TROUBLE
    assert "The database does not answer." in seen.answer.text


async def test_a_database_that_is_only_starting_is_waited_for(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it may take to start: the time that a search has begins afterwards."""
    monkeypatch.setattr("bot.answering.answerer.GRACE_SECONDS", 0.05)
    starting = Starting(hits=shelf.hits)
    seen = await ask(Answerer(starting, None, settings(answer_seconds=0.05), load_prices(None)), QUESTION)
    assert seen.answer.kind is Kind.PASSAGES
    assert "expired certificate" in seen.shown


async def test_a_database_that_does_not_start_is_said_and_nothing_is_paid(claude: ClaudeServer, shelf: Shelf) -> None:
    class Broken(Shelf):
        async def connect(self) -> None:
            raise WeaviateUnavailable("The database was not ready within 120 s.")

    seen = await ask(answerer(claude, Broken(hits=shelf.hits)), QUESTION)
    assert seen.answer.kind is Kind.TROUBLE
    assert seen.answer.text == "The database was not ready within 120 s."
    assert claude.messages == []


async def test_of_a_search_that_took_too_long_the_log_tells_where_it_was(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Stuck(Shelf):
        async def search(self, *arguments: Any, **options: Any) -> list[Hit]:
            await self.never_answers()
            return []

        async def never_answers(self) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr("bot.answering.answerer.GRACE_SECONDS", 0.05)
    with caplog.at_level(logging.WARNING):
        seen = await ask(Answerer(Stuck(hits=shelf.hits), None, settings(), load_prices(None)), QUESTION)
    assert seen.answer.kind is Kind.TROUBLE
    assert "cannot be searched just now" in seen.answer.text
    assert "in never_answers" in caplog.text
    assert QUESTION not in caplog.text


async def test_a_search_that_fails_each_time_is_no_answer(claude: ClaudeServer, shelf: Shelf) -> None:
    """No search ever worked: what the model says then is not shown."""
    shelf.failing = lambda query: RuntimeError("boom")
    claude.brain = lambda request: (
        HonestAnswerer().search(request) if not request.tool_results else says("It was surely a Tuesday.")
    )
    seen = await ask(answerer(claude, shelf), QUESTION)
    assert seen.answer.kind is Kind.TROUBLE
    assert "Tuesday" not in seen.shown + seen.answer.text
    assert "boom" not in seen.answer.text


async def test_the_catalogue_away_is_said_honestly(claude: ClaudeServer) -> None:
    class Away(Shelf):
        async def documents(self, workspace, viewer):  # type: ignore[no-untyped-def]
            raise CatalogueUnavailable("The catalogue cannot be read.")

    seen = await ask(answerer(claude, Away()), QUESTION)
    assert seen.answer.kind is Kind.TROUBLE
    assert seen.answer.text == "The catalogue cannot be read."


async def test_an_error_of_ours_is_an_answer_with_a_reference_and_no_detail(
    claude: ClaudeServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Wrong(Shelf):
        async def documents(self, workspace, viewer):  # type: ignore[no-untyped-def]
            raise KeyError("secret detail")

    with caplog.at_level(logging.WARNING):
        seen = await ask(answerer(claude, Wrong()), QUESTION)
    assert seen.answer.kind is Kind.TROUBLE
    assert "secret" not in seen.answer.text
    assert seen.answer.reference is not None
    assert seen.answer.reference in caplog.text


async def test_an_answer_has_a_deadline(claude: ClaudeServer, shelf: Shelf) -> None:
    class Slow(HonestAnswerer):
        def answer(self, request: Request) -> Reply:
            return super().answer(request).but(pause=0.3)

    claude.brain = Slow()
    seen = await ask(answerer(claude, shelf, answer_seconds=1.0), QUESTION)
    assert seen.answer.notice == f"It took too long. {PASSAGES}"
    assert len(claude.messages) == 2


async def test_a_thinking_mode_that_the_model_does_not_take_is_given_up(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.expect_violations()
    seen = await ask(answerer(claude, shelf, answer_thinking="between_tools"), QUESTION)
    assert seen.answer.backed
    assert claude.messages[0].body["thinking"] == {"type": "between_tools"}
    assert all("thinking" not in request.body for request in claude.messages[1:])


@pytest.mark.parametrize("thinking", ["default", "adaptive", "between_tools"])
async def test_models_that_think_between_tools_answer_too(claude: ClaudeServer, shelf: Shelf, thinking: str) -> None:
    """Blocks are picked by type: thinking before, between and in place of text, sent back as it came."""
    claude.script(
        says("Let me look.", ToolUse("search_documents", {"query": "root cause"})),
        says("And once more.", ToolUse("search_documents", {"query": "certificates"})),
    )
    model = "claude-sonnet-5-5"
    seen = await ask(answerer(claude, shelf, answer_model=model, answer_thinking=thinking), QUESTION)
    assert seen.answer.backed
    assert len(seen.answer.searches) == 2
    types = [block["type"] for block in claude.messages[-1].turns[1]["content"]]
    assert types[-1] == "tool_use"
    assert thinking == "between_tools" or "thinking" in types
    assert "Let me look" not in seen.shown


async def test_a_stopped_answer_drops_its_connection(claude: ClaudeServer, shelf: Shelf) -> None:
    class Slow(HonestAnswerer):
        def answer(self, request: Request) -> Reply:
            return super().answer(request).but(pause=0.05)

    claude.brain = Slow()
    asked = answerer(claude, shelf)
    events = asked.answer(QUESTION, EVERYBODY, "local")
    async for event in events:
        if isinstance(event, Said):
            break
    await events.aclose()
    assert asked.client is not None
    await asked.client.close()
    assert not claude.messages[-1].finished


async def test_the_log_holds_no_key(claude: ClaudeServer, shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
    claude.fail(HttpError(401, "invalid x-api-key"), None)
    with caplog.at_level(logging.DEBUG, logger="bot"):
        await ask(answerer(claude, shelf), QUESTION)
    assert "test-key" not in caplog.text
    assert "test-key" not in json.dumps([request.body for request in claude.messages])
