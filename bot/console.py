"""The console: type a question, watch the answer come, look at its sources."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from bot.answering.answerer import Answerer
from bot.answering.events import Answer, Done, Found, Reset, Searching, Source, Turn
from bot.answering.events import Text as Said
from bot.answering.library import Library
from bot.answering.visible import one_line
from bot.caps import why_capped
from bot.rendering import (
    answer_text,
    passage_view,
    plain_answer,
    searched,
    source_list,
    whole_answer,
    why_view,
)
from bot.terminal import PROMPT, open_keyboard
from bot.why import explained
from indexer import SituateError, Viewer

GONE = "the document was removed or replaced since."
LEAVING = ("/quit", "/exit", "/q")
LONGEST_MEMORY = 20  # turns kept; what is shown to Claude is bounded elsewhere
HELP = """\
Type a question. A follow-up may refer to what was said before.
  /sources    the sources of the last answer
  /sources N  source N: its passage with the quote set off, and what stands around it
  /why N      why source N was found: by meaning, by which words, and its context
  /new        forget the conversation
  /help       this
  /quit       leave (also Ctrl-D). Ctrl-C stops an answer."""


class Conversation:
    """One thread: the questions so far, and the last answer, for ``/sources``."""

    def __init__(self, answerer: Answerer, library: Library, viewer: Viewer, workspace: str) -> None:
        self._answerer = answerer
        self.library = library
        self.viewer = viewer
        self.workspace = workspace
        self._turns: list[Turn] = []
        self.last: Answer | None = None

    async def ask(self, question: str, watch: Callable[[Searching | Found | Reset | Said], None]) -> Answer:
        """The answer; ``watch`` sees what happens before it. A stopped question leaves no trace."""
        answer: Answer | None = None
        past = tuple(self._turns)
        capped = await why_capped(self.library, self._answerer.settings, self.workspace)
        asked = self._answerer.answer(question, self.viewer, self.workspace, past, capped=capped)
        async with aclosing(asked) as events:
            async for event in events:
                if isinstance(event, Done):
                    answer = event.answer
                elif isinstance(event, Searching | Found | Reset | Said):
                    watch(event)
        assert answer is not None  # noqa: S101 Done is always the last event
        shown = tuple(dict.fromkeys(Source(hit.document, hit.version) for hit in answer.hits))
        self._turns = [*self._turns, Turn(question, answer.statements, shown=shown)][-LONGEST_MEMORY:]
        self.last = answer
        return answer

    def forget(self) -> None:
        """Begin a new thread."""
        self._turns = []
        self.last = None


class AnswerView:
    """An answer on its way, for ``Live``: the searches, then the end of what is written so far."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._open: list[str] = []
        self.searches: list[str] = []
        self._text = ""

    def take(self, event: Searching | Found | Reset | Said) -> None:
        """Show an event."""
        if isinstance(event, Searching):
            self._open.append(event.query)
        elif isinstance(event, Found):
            with contextlib.suppress(ValueError):
                self._open.remove(event.query)
            self.searches.append(searched(event))
        elif isinstance(event, Reset):
            self._text = ""
        else:
            self._text += event.text

    def __rich__(self) -> RenderableType:
        lines: list[Text] = [Text(line, "dim", overflow="ellipsis", no_wrap=True) for line in self.searches]
        lines += [Text(f'• Searching "{one_line(query, 80)}" …', "cyan") for query in self._open]
        if not self._open and not self._text:
            lines.append(Text("• Writing …" if self.searches else "• Thinking …", "cyan"))
        if self._text:
            lines += [Text(), *self._tail(len(lines))]
        return Group(*lines)

    def _tail(self, above: int) -> list[Text]:
        """The last lines of the text that fit: what goes past the screen could not be erased again."""
        wrapped = answer_text(self._text.rstrip()).wrap(self._console, self._console.width)
        room = max(3, self._console.height - above - 3)
        return list(wrapped)[-room:]


async def run_console(conversation: Conversation, console: Console) -> None:
    """Read questions and answer them until the person leaves."""
    documents = await conversation.library.documents(conversation.workspace, conversation.viewer)
    console.print(Text(f"Situate · {len(documents)} documents · /help shows what else there is", "dim"))
    if not documents:
        console.print("There are no documents yet. Add some with: python -m indexer add FILE…", markup=False)
    async with open_keyboard(console) as keyboard:
        while (line := await keyboard.line()) is not None:
            words = line.split()
            if not words:
                continue
            if words[0] in LEAVING:
                return
            if words[0].startswith("/"):
                await _command(words, conversation, console)
                console.print()
            else:
                await keyboard.stoppable(_answer(line, conversation, console))


async def _answer(question: str, conversation: Conversation, console: Console) -> None:
    view = AnswerView(console)
    console.print()
    with Live(view, console=console, transient=True, refresh_per_second=10, vertical_overflow="crop"):
        answer = await conversation.ask(question, view.take)
    for line in view.searches:
        console.print(Text(line, "dim", overflow="ellipsis", no_wrap=True))
    if view.searches:
        console.print()
    console.print(whole_answer(answer))
    console.print()


async def _command(words: list[str], conversation: Conversation, console: Console) -> None:
    match words:
        case ["/help"]:
            console.print(HELP, markup=False, highlight=False)
        case ["/new"]:
            conversation.forget()
            console.print(Text("A new conversation.", "dim"))
        case ["/sources"] if conversation.last is not None and conversation.last.citations:
            await _show_sources(conversation, conversation.last, console)
        case ["/sources", number] if conversation.last is not None:
            await _show_source(number, conversation, conversation.last, console)
        case ["/why", *numbers] if conversation.last is not None and conversation.last.citations:
            await _show_why(numbers, conversation, conversation.last, console)
        case ["/sources" | "/why", *_]:
            console.print("There is no answer with sources yet.")
        case _:
            console.print(f"There is no command {one_line(words[0], 40)}; /help shows those there are.", markup=False)


async def _current(conversation: Conversation, answer: Answer) -> set[int]:
    """The markers of the sources that may still be shown: their document is there in that version, and readable."""
    documents = await conversation.library.documents(conversation.workspace, conversation.viewer)
    published = {document.id: document.version for document in documents}
    return {c.marker for c in answer.citations if published.get(c.document) == c.hit.version}


async def _show_sources(conversation: Conversation, answer: Answer, console: Console) -> None:
    try:
        current = await _current(conversation, answer)
    except SituateError as error:
        console.print(Text(str(error), "yellow"))
        return
    if len(current) == len(answer.citations):
        console.print(whole_answer(answer))
        return
    console.print(Text(f"The last answer is not shown again: {GONE}", "yellow"))
    if current:
        console.print(source_list(replace(answer, citations=tuple(c for c in answer.citations if c.marker in current))))


async def _show_source(number: str, conversation: Conversation, answer: Answer, console: Console) -> None:
    found = [citation for citation in answer.citations if str(citation.marker) == number.strip("[]")]
    if not found:
        console.print(_no_source(number, answer), markup=False)
        return
    hit = found[0].hit
    at = hit.chunk.position
    try:
        current = await _current(conversation, answer)
    except SituateError as error:
        console.print(Text(str(error), "yellow"))
        return
    if found[0].marker not in current:
        console.print(Text(f"Source {found[0].marker} is not shown any more: {GONE}", "yellow"))
        return
    try:
        around = await conversation.library.passages(conversation.workspace, hit.version, max(0, at - 1), at + 2)
    except SituateError as error:
        console.print(Text(str(error), "yellow"))
        around = []
    console.print(passage_view(found[0], around))


async def _show_why(numbers: list[str], conversation: Conversation, answer: Answer, console: Console) -> None:
    """Why the sources of these numbers, or all of them, were found; of what is not current nothing is shown."""
    chosen = [c for c in answer.citations if not numbers or str(c.marker) in [n.strip("[]") for n in numbers]]
    if not chosen:
        console.print(_no_source(numbers[0], answer), markup=False)
        return
    try:
        current = await _current(conversation, answer)
        found = await explained(conversation.library, conversation.workspace, conversation.viewer, answer.searches)
    except SituateError as error:
        console.print(Text(str(error), "yellow"))
        return
    for number, citation in enumerate(chosen):
        if number:
            console.print()
        if citation.marker in current:
            console.print(why_view(citation, found.get(citation.hit.key)))
        else:
            console.print(Text(f"Source {citation.marker} is not shown any more: {GONE}", "yellow"))


def _no_source(number: str, answer: Answer) -> str:
    has = f"it has {len(answer.citations)}" if answer.citations else "it has none"
    return f"The last answer has no source {one_line(number, 20)}; {has}."


async def run_lines(conversation: Conversation, lines: TextIO, out: TextIO, err: TextIO) -> None:
    """Answer each line of ``lines`` as plain text, for a standard input that is no terminal; commands are heeded."""
    console = Console(file=out, color_system=None, highlight=False, soft_wrap=True)

    def watch(event: Searching | Found | Reset | Said) -> None:
        if isinstance(event, Found):
            print(searched(event), file=err, flush=True)

    first = True
    while line := await asyncio.to_thread(lines.readline):
        words = line.split()
        if not words:
            continue
        if words[0] in LEAVING:
            return
        print(f"{'' if first else chr(10)}{PROMPT}{one_line(line.strip())}\n", file=out)
        if words[0].startswith("/"):
            await _command(words, conversation, console)
        else:
            print(plain_answer(await conversation.ask(line.strip(), watch)), file=out)
        out.flush()
        first = False
