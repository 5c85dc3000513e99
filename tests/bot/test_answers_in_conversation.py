"""What an answer tells about itself for a front that keeps it, and how a conversation of several people goes on."""

from __future__ import annotations

import pytest

from bot.answering.events import Kind, Source, Statement, Turn
from bot.texts import FRENCH
from indexer import DocumentId, VersionId, WeaviateUnavailable
from tests.bot.answers import answerer, ask
from tests.bot.shelf import EVERYBODY, Shelf, annual_review
from tests.claude_server import OVERLOADED, ClaudeServer, calls, says

pytestmark = pytest.mark.anyio

QUESTION = "What was the root cause of INC-2023-04-011?"


@pytest.fixture
def shelf() -> Shelf:
    shelf = Shelf()
    annual_review(shelf)
    shelf.put("Travel Policy 2025", "A hotel in Paris costs at most 180 euros.")
    return shelf


async def test_an_answer_tells_what_it_was_made_from(claude: ClaudeServer, shelf: Shelf) -> None:
    answer = (await ask(answerer(claude, shelf), QUESTION)).answer
    assert answer.readable == 2
    assert not answer.nothing_found
    assert len({hit.key for hit in answer.hits}) == len(answer.hits) > 0
    assert {citation.hit.key for citation in answer.citations} <= {hit.key for hit in answer.hits}


async def test_nothing_found_is_told_apart_from_an_answer(claude: ClaudeServer, shelf: Shelf) -> None:
    """What came closest is there all the same, for its title to be shown."""
    search = await ask(answerer(claude, shelf), "What does the hotel in Rome cost?")
    assert not search.answer.nothing_found
    claude.brain = lambda request: says("I found nothing on that in your documents.")
    answer = (await ask(answerer(claude, shelf), "What does the hotel in Rome cost?")).answer
    assert answer.nothing_found
    assert answer.hits[0].title == "Travel Policy 2025"


async def test_small_talk_is_no_search_that_found_nothing(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.brain = lambda request: says("Hello! Ask me anything about your documents.")
    assert not (await ask(answerer(claude, shelf), "Hello")).answer.nothing_found


async def test_what_people_said_since_the_last_answer_stands_before_the_question(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    history = (
        Turn(
            "Ada: When was it closed?",
            (Statement("On 12 May.", (Source(DocumentId("annual-review-2023"), VersionId("annual-review-2023.1")),)),),
        ),
        Turn("Ben: I think it was the gateway.\nAda: So do I.", answered=False),
    )
    events = answerer(claude, shelf).answer("And why?", EVERYBODY, "T1", history, asker="Ben")
    _ = [event async for event in events]
    turns = claude.messages[0].turns
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[0]["content"][0]["text"] == "Ada: When was it closed?"
    assert turns[1]["content"][0]["text"] == "On 12 May."
    said = str(turns[2]["content"])
    assert said.index("Ben: I think it was the gateway.") < said.index("Ada: So do I.") < said.index("Ben: And why?")


async def test_the_app_speaks_french_to_a_french_reader(claude: ClaudeServer, shelf: Shelf) -> None:
    claude.fail(OVERLOADED, times=None)
    events = [e async for e in answerer(claude, shelf).answer(QUESTION, EVERYBODY, "T1", texts=FRENCH)]
    answer = events[-1].answer  # type: ignore[union-attr]
    assert answer.kind is Kind.PASSAGES
    assert (
        answer.notice == "Claude est surchargé ; réessayez dans quelques minutes. Voici les passages que j'ai trouvés."
    )


async def test_a_database_that_is_away_is_said_in_french_too(claude: ClaudeServer, shelf: Shelf) -> None:
    shelf.failing = lambda query: WeaviateUnavailable("Weaviate does not answer.")
    events = [e async for e in answerer(claude, shelf).answer(QUESTION, EVERYBODY, "T1", texts=FRENCH)]
    answer = events[-1].answer  # type: ignore[union-attr]
    assert answer.kind is Kind.TROUBLE
    assert answer.text == FRENCH.say("index_away")
    assert answer.reference


async def test_labels_are_in_the_readers_language_where_the_question_has_none(
    claude: ClaudeServer, shelf: Shelf
) -> None:
    claude.script(
        calls("search_documents", query="INC-2023-04-011"), says("The gateway was replaced by hand at night.")
    )
    events = [e async for e in answerer(claude, shelf).answer("INC-2023-04-011 ?", EVERYBODY, "T1", texts=FRENCH)]
    assert "[absent de vos documents]" in events[-1].answer.text  # type: ignore[union-attr]
