"""The console: questions in, answers out; commands; Ctrl-C; lines from a pipe."""

from __future__ import annotations

import asyncio
import builtins
import io
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable

import pytest
from rich.console import Console

from bot.answering.answerer import Answerer
from bot.answering.events import Found, Reset, Searching
from bot.answering.events import Text as Said
from bot.console import AnswerView, Conversation, run_console, run_lines
from indexer import CatalogueUnavailable, Document, Viewer, WeaviateUnavailable
from tests.bot.answers import answerer
from tests.bot.shelf import EVERYBODY, Shelf, annual_review
from tests.claude_server import ClaudeServer, HonestAnswerer, Reply, Request

pytestmark = pytest.mark.anyio

QUESTION = "What was the root cause of INC-2023-04-011?"


@pytest.fixture
async def conversation(claude: ClaudeServer) -> AsyncIterator[Conversation]:
    shelf = Shelf()
    annual_review(shelf)
    asked: Answerer = answerer(claude, shelf)
    yield Conversation(asked, shelf, EVERYBODY, "local")
    assert asked.client is not None
    await asked.client.close()


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Type these lines at the prompt; after them comes Ctrl-D."""

    def type_lines(*lines: str | Callable[[], str]) -> None:
        left = iter(lines)

        def read(prompt: str = "") -> str:
            try:
                line = next(left)
            except StopIteration:
                raise EOFError from None
            return line if isinstance(line, str) else line()

        monkeypatch.setattr(builtins, "input", read)

    return type_lines


def screen(width: int = 80) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=width, highlight=False), out


async def test_why_a_source_was_found_can_be_asked(conversation: Conversation, types: Callable[..., None]) -> None:
    types("/why 1", QUESTION, "/why 1", "/why 9", "/why", "/why [2]")
    console, out = screen(120)
    await run_console(conversation, console)
    text = out.getvalue()
    assert text.index("There is no answer with sources yet.") < text.index(QUESTION)
    assert "1  Annual Review 2023 › Cybersecurity, p. 1 · 30 Jan 2024\nFound by the words “INC, 2023, 04, 011" in text
    assert "Context, written by a program when it was indexed: The incident of April 2023" in text
    assert "Ranks are among the passages that you can read now." in text
    assert "The last answer has no source 9; it has 3." in text
    assert text.count("Found by the words") == 5  # /why 1, /why for all three, /why [2]
    assert "/why N" not in text


async def test_why_a_removed_source_was_found_is_not_told(
    conversation: Conversation, types: Callable[..., None]
) -> None:
    shelf = conversation.library
    assert isinstance(shelf, Shelf)

    def ask_why() -> str:
        shelf.remove(shelf.hits[0].document)
        return "/why 1"

    types(QUESTION, ask_why)
    console, out = screen(120)
    await run_console(conversation, console)
    assert "Source 1 is not shown any more: the document was removed or replaced since." in out.getvalue()
    assert "Found by" not in out.getvalue()


async def test_why_is_not_told_while_the_index_is_away(conversation: Conversation, types: Callable[..., None]) -> None:
    shelf = conversation.library
    assert isinstance(shelf, Shelf)

    def ask_why() -> str:
        shelf.failing = lambda query: WeaviateUnavailable("The database does not answer; start it.")
        return "/why"

    types(QUESTION, ask_why, "/help")
    console, out = screen(120)
    await run_console(conversation, console)
    assert "The database does not answer; start it." in out.getvalue()
    assert "/why N" in out.getvalue()


async def test_a_question_is_answered_and_its_sources_can_be_looked_at(
    conversation: Conversation, types: Callable[..., None]
) -> None:
    types(QUESTION, "/sources 2", "/sources", "/sources 9", "/help", "/nonsense", "", "/quit", "never asked")
    console, out = screen(100)
    await run_console(conversation, console)
    text = out.getvalue()
    assert '✓ Searched "What was the root cause of INC-2023-04-011?"   2 passages in 1 document' in text
    assert "Sources\n1  Annual Review 2023 › Cybersecurity, p. 1 · 30 Jan 2024" in text
    assert "▸" in text
    assert "Context, written by a program when it was indexed: The incident of April 2023" in text
    assert "Renewal of certificates was automated." in text  # the neighbour of the passage
    assert "The last answer has no source 9; it has 3." in text
    assert "/sources N" in text
    assert "There is no command /nonsense" in text
    assert "never asked" not in text


async def test_the_source_of_a_removed_or_replaced_document_is_not_shown_any_more(
    conversation: Conversation, types: Callable[..., None]
) -> None:
    """The last answer is still in memory; its document is not there any more, or in another version."""
    shelf = conversation.library
    assert isinstance(shelf, Shelf)
    await conversation.ask(QUESTION, lambda event: None)
    shelf.put("Annual Review 2023", "Another text.", version=2)
    console, out = screen(100)
    types("/sources 1", "/sources")
    await run_console(conversation, console)
    shelf.hits.clear()
    types("/sources 1", "/sources")
    await run_console(conversation, console)
    text = out.getvalue()
    assert text.count("Source 1 is not shown any more: the document was removed or replaced since.") == 2
    assert text.count("The last answer is not shown again") == 2
    assert "certificate" not in text


async def test_sources_are_not_shown_where_it_cannot_be_told_whether_they_may_be(
    conversation: Conversation, types: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    await conversation.ask(QUESTION, lambda event: None)
    whole = conversation.library.documents

    async def away(workspace: str, viewer: Viewer) -> list[Document]:
        monkeypatch.setattr(conversation.library, "documents", whole)
        raise CatalogueUnavailable("The catalogue cannot be read.")

    def break_it() -> str:
        monkeypatch.setattr(conversation.library, "documents", away)
        return "/sources 1"

    console, out = screen(100)
    types(break_it)
    await run_console(conversation, console)
    assert "The catalogue cannot be read." in out.getvalue()
    assert "certificate" not in out.getvalue()


async def test_a_follow_up_is_asked_in_the_same_thread_until_a_new_one(
    conversation: Conversation, types: Callable[..., None], claude: ClaudeServer
) -> None:
    types(QUESTION, "And when was the certificate renewed?", "/new", "Was Phoenix stable in June?")
    await run_console(conversation, screen()[0])
    first, follow_up, new = [request for request in claude.messages if not request.tool_results]
    assert len(first.turns) == 1
    assert [turn["role"] for turn in follow_up.turns] == ["user", "assistant", "user"]
    assert "[1]" not in str(follow_up.turns[1]["content"])
    assert len(new.turns) == 1


async def test_ctrl_c_stops_an_answer_and_comes_back_to_the_prompt(
    conversation: Conversation, types: Callable[..., None], claude: ClaudeServer
) -> None:
    class Slow(HonestAnswerer):
        def answer(self, request: Request) -> Reply:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            return super().answer(request).but(pause=0.5)

    claude.brain = Slow()
    types(QUESTION, "/sources", "/quit")
    console, out = screen()
    async with asyncio.timeout(20):
        await run_console(conversation, console)
    assert "Stopped." in out.getvalue()
    assert "There is no answer with sources yet." in out.getvalue()
    assert not claude.messages[-1].finished


async def test_ctrl_c_twice_at_the_prompt_leaves(conversation: Conversation, types: Callable[..., None]) -> None:
    done = threading.Event()

    def interrupted() -> str:
        os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        done.wait(10)
        return "/help"

    types(interrupted)
    console, out = screen()
    async with asyncio.timeout(20):
        await run_console(conversation, console)
    done.set()
    assert "Ctrl-C again" in out.getvalue()
    assert "/sources N" not in out.getvalue()


async def test_lines_of_a_pipe_are_answered_one_by_one(conversation: Conversation) -> None:
    out, err = io.StringIO(), io.StringIO()
    await run_lines(conversation, io.StringIO(f"{QUESTION}\n\nXylophone zeppelins?\n"), out, err)
    text = out.getvalue()
    assert text.startswith(f"› {QUESTION}\n\n")
    assert "[1] Annual Review 2023 › Cybersecurity, p. 1 · 30 Jan 2024" in text
    assert "\n› Xylophone zeppelins?\n\nI found nothing about this in the documents.\n" in text
    assert "✓ Searched" in err.getvalue()
    assert "✓ Searched" not in text
    assert "\x1b" not in text


async def test_a_line_of_a_pipe_that_is_a_command_is_heeded_and_never_asked(
    conversation: Conversation, claude: ClaudeServer
) -> None:
    out = io.StringIO()
    lines = f"/why 1\n{QUESTION}\n/why 1\n/sources 2\n/nonsense now\n/etc/hosts is wrong?\n/quit\nnever asked\n"
    await run_lines(conversation, io.StringIO(lines), out, io.StringIO())
    before, _, after = out.getvalue().partition(f"\n› {QUESTION}\n\n")
    assert before == "› /why 1\n\nThere is no answer with sources yet.\n"
    why, sources, nonsense, hosts = after.split("\n› /")[1:]
    assert why.startswith("why 1\n\n1  Annual Review 2023 › Cybersecurity, p. 1 · 30 Jan 2024\nFound by the words “INC")
    assert "Renewal of certificates was automated." in sources
    assert nonsense == "nonsense now\n\nThere is no command /nonsense; /help shows those there are.\n"
    assert "There is no command /etc/hosts;" in hosts
    assert "\x1b" not in out.getvalue()
    assert {request.question for request in claude.messages} == {QUESTION}


async def test_a_question_goes_on_where_claude_is_away(conversation: Conversation, claude: ClaudeServer) -> None:
    claude.close_port()
    out = io.StringIO()
    await run_lines(conversation, io.StringIO(f"{QUESTION}\n"), out, io.StringIO())
    claude.open_port()
    assert "Claude cannot be reached" in out.getvalue()
    assert "expired certificate on the gateway" in out.getvalue()


def test_the_view_of_an_answer_on_its_way() -> None:
    console, out = screen()
    view = AnswerView(console)

    def shown() -> str:
        out.seek(0)
        out.truncate()
        console.print(view)
        return out.getvalue()

    assert "• Thinking …" in shown()
    view.take(Searching("root cause"))
    assert '• Searching "root cause" …' in shown()
    view.take(Found("root cause", 2, 1, 2))
    assert '✓ Searched "root cause"   2 passages in 1 document' in shown()
    assert "• Writing …" in shown()
    view.take(Said("It was a half"))
    assert "It was a half" in shown()
    assert "• Writing …" not in shown()
    view.take(Reset("again"))
    assert "It was a half" not in shown()
    view.take(Said("word " * 2_000))
    assert len(shown().splitlines()) < console.height
