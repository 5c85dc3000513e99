"""The searches of one question: what was searched, what Claude was shown, and what went wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from anthropic.types import SearchResultBlockParam, TextBlockParam, ToolResultBlockParam, ToolUseBlock

from bot.answering import tools
from bot.answering.citations import ShownSources
from bot.answering.events import Found, Searching
from bot.answering.library import Library
from bot.answering.rounds import Ask
from indexer import Document, Hit, SituateError, Unavailable, Viewer, WeaviateUnavailable

log = logging.getLogger(__name__)

NOT_NOW = "The documents cannot be searched just now; ask again in a minute."
OTHERS = 0.5  # what a hit of another search counts beside one of a search for the question itself


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
        self._made: dict[str, tuple[Hit, ...]] = {}  # by query

    @property
    def found(self) -> tuple[Hit, ...]:
        """All that was found, each passage once: the best of every search first, then the second best."""
        ranked = sorted((rank, hit.key) for made in self._made.values() for rank, hit in enumerate(made))
        by_key = {hit.key: hit for made in reversed(self._made.values()) for hit in made}
        return tuple(by_key[key] for key in dict.fromkeys(key for _, key in ranked))

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
            raise ran.unavailable or WeaviateUnavailable(NOT_NOW)

    async def hits(self, question: str, hits: list[Hit], seconds: float) -> AsyncGenerator[Searching | Found, None]:
        """Hits to choose from without Claude: those of a search for the question itself, which is made now unless it
        was made, and, with half their scores and without a reranker's, those that other searches found.

        Raises SituateError where that cannot be done in ``seconds`` and nothing was found before.
        """
        query = question[: tools.LONGEST_QUERY]
        others = {
            hit.key: replace(hit, score=hit.score * OTHERS, rerank=None) for made in self._made.values() for hit in made
        }
        if query not in self._made:
            yield Searching(query)
            try:
                async with asyncio.timeout(seconds):
                    ran = await tools.run(tools.Call(query, None), self._library, self._workspace, self._viewer)
            except TimeoutError:
                log.warning("a search took longer than %.0f s", seconds, exc_info=True)
                ran = tools.Ran(query, failure=NOT_NOW)
            yield self._took(ran).found
            if ran.failure is not None and not others:
                raise ran.unavailable or SituateError(ran.failure)
        hits.extend({**others, **{hit.key: hit for hit in self._made.get(query, ())}}.values())

    def _took(self, ran: tools.Ran) -> tools.Results:
        self.queries.append(ran.query)
        if ran.failure is None:
            self.succeeded = True
            self._made[ran.query] = ran.hits
        else:
            self.failed = ran
        return tools.results(ran, self.shown, self.documents)
