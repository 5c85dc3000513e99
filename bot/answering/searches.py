"""The searches of one question: what was searched, what Claude was shown, and what went wrong."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from anthropic.types import SearchResultBlockParam, TextBlockParam, ToolResultBlockParam, ToolUseBlock

from bot.answering import tools
from bot.answering.citations import ShownSources
from bot.answering.events import Found, Searching
from bot.answering.library import Library
from bot.answering.rounds import Ask
from indexer import Document, Hit, SituateError, Unavailable, Viewer


class Searches:
    """Runs the searches of one question, within its bound and for its viewer only."""

    def __init__(self, library: Library, workspace: str, viewer: Viewer, most: int) -> None:
        self._library = library
        self._workspace = workspace
        self._viewer = viewer
        self._most = most
        self.documents: Sequence[Document] = ()
        self.shown = ShownSources()
        self.queries: list[str] = []
        self.succeeded = False  # at least one search was really made
        self.failed: tools.Ran | None = None  # the last one that was not

    @property
    def left(self) -> int:
        """How many more may be made."""
        return max(0, self._most - len(self.queries))

    async def answer(
        self, uses: Sequence[ToolUseBlock], ask: Ask, answers: list[ToolResultBlockParam]
    ) -> AsyncGenerator[Searching | Found, None]:
        """Run the searches that Claude asks for, side by side; ``answers`` gets a result for each, in their order.

        Raises Unavailable where the database is away and nothing was found before.
        """
        calls: dict[str, tools.Call] = {}
        refused: dict[str, str] = {}
        for use in uses:
            call = tools.read_call(use, self.documents)
            if isinstance(call, str):
                refused[use.id] = call
            elif len(calls) >= self.left:
                refused[use.id] = "No search is left; answer from the results that are there."
            else:
                calls[use.id] = call
                yield Searching(call.query)
        ran = await ask.in_time(tools.run_all(list(calls.values()), self._library, self._workspace, self._viewer))
        results = dict(zip(calls, ran, strict=True))
        for use in uses:
            if use.id in refused:
                answers.append(tools.error_result(use, refused[use.id]))
                continue
            result = self._took(results[use.id])
            failed = result.found.failure is not None
            answers.append(tools.tool_result(use, result.blocks, is_error=failed))
            yield result.found
        away: list[Unavailable] = [one.unavailable for one in ran if one.unavailable is not None]
        if away and len(away) == len(ran) and not self.succeeded:
            raise away[0]

    async def afresh(
        self, question: str, blocks: list[TextBlockParam | SearchResultBlockParam], ask: Ask
    ) -> AsyncGenerator[Searching | Found, None]:
        """Search for the question itself, for a conversation begun afresh; ``blocks`` gets the results.

        Raises SituateError where that cannot be done and nothing was found before.
        """
        call = tools.Call(question[: tools.LONGEST_QUERY], None)
        yield Searching(call.query)
        ran = await ask.in_time(tools.run(call, self._library, self._workspace, self._viewer))
        self.shown = ShownSources()
        result = self._took(ran)
        blocks.extend(result.blocks)
        yield result.found
        if ran.failure is not None and not self.succeeded:
            raise ran.unavailable or SituateError("I could not search the documents just now; ask again in a minute.")

    async def hits(self, question: str, hits: list[Hit]) -> AsyncGenerator[Searching | Found, None]:
        """The best hits, without Claude: what was shown already, else a search for the question.

        Raises SituateError where that cannot be done.
        """
        hits.extend(shown.hit for shown in self.shown)
        if hits:
            return
        call = tools.Call(question[: tools.LONGEST_QUERY], None)
        yield Searching(call.query)
        ran = await tools.run(call, self._library, self._workspace, self._viewer)
        yield self._took(ran).found
        if ran.failure is not None:
            raise ran.unavailable or SituateError(ran.failure)
        hits.extend(ran.hits)

    def _took(self, ran: tools.Ran) -> tools.Results:
        self.queries.append(ran.query)
        if ran.failure is None:
            self.succeeded = True
        else:
            self.failed = ran
        return tools.results(ran, self.shown, self.documents)
