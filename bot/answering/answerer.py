"""A question answered from the documents, as a stream of events.

Claude searches, we run its searches, it writes; what it writes is released sentence by sentence once its citations are
checked. The text of the last round is the answer: what stood before a search was only on the way. A round that breaks
is tried again from the state before it, or the trouble is said plainly and the best passages are shown instead.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import date, datetime

from anthropic import AsyncAnthropic
from anthropic.types import (
    MessageParam,
    SearchResultBlockParam,
    TextBlockParam,
    ThinkingConfigParam,
    ToolResultBlockParam,
)

from bot.answering import languages, prompt, tools
from bot.answering.draft import Draft, Sentence
from bot.answering.events import (
    Answer,
    Citation,
    Done,
    Event,
    Kind,
    Reset,
    Text,
    Turn,
)
from bot.answering.library import Library
from bot.answering.markers import with_mark
from bot.answering.memory import remembered
from bot.answering.passages import best_passages
from bot.answering.rounds import CACHE_TTL, Ask, Broken, Round
from bot.answering.searches import Searches
from bot.answering.small_talk import is_small_talk
from bot.answering.statements import says_nothing_was_found
from bot.answering.trouble import logged
from bot.answering.visible import without_hidden
from bot.answering.wording import (
    LONGEST_QUESTION,
    NO_DOCUMENTS,
    NO_KEY,
    NOTHING_ASKED,
    NOTHING_BACKED,
    NOTHING_FOUND,
    PASSAGES,
    TOO_LONG,
)
from bot.settings import BotSettings
from indexer import Hit, Prices, SituateError, Usage, Viewer, usage_of

log = logging.getLogger(__name__)

RETRIES = 2  # of broken rounds, for a whole question
MOST_ROUNDS_WITHOUT_SEARCH = 3  # a nudge, results given unasked, a blank answer
GRACE_SECONDS = 15.0  # for a last search of our own after the deadline


class Answerer:
    """Answers questions. Holds no state of a conversation: each question brings its history."""

    def __init__(
        self,
        library: Library,
        client: AsyncAnthropic | None,
        settings: BotSettings,
        prices: Prices,
        *,
        backoff_seconds: float = 0.5,
        today: Callable[[], date] = lambda: datetime.now().astimezone().date(),
    ) -> None:
        self.library = library
        self.client = client  # None: there is no key
        self.settings = settings
        self.prices = prices
        self.backoff_seconds = backoff_seconds
        self.today = today

    async def answer(
        self, question: str, viewer: Viewer, workspace: str, history: Sequence[Turn] = ()
    ) -> AsyncGenerator[Event, None]:
        """The events of one answer, ``Done`` always the last. ``history`` is the conversation so far, oldest first.

        Raises nothing: trouble is an answer that says so, with a reference that names it in the log.
        """
        answering = _Answering(self, question, viewer, workspace)
        trouble: tuple[str, Exception] | None = None
        try:
            async with aclosing(answering.events(history)) as events:
                async for event in events:
                    yield event
        except SituateError as error:
            trouble = str(error), error
        except Exception as error:  # noqa: BLE001 the asker gets an answer, whatever is wrong in here
            trouble = "Something went wrong on our side. Please ask again.", error
        if trouble is not None:
            if answering.said:
                yield Reset(trouble[0])
            yield Done(answering.trouble(*trouble))


class _Answering:
    """The state of one question while it is answered."""

    def __init__(self, answerer: Answerer, question: str, viewer: Viewer, workspace: str) -> None:
        self._with = answerer
        whole = without_hidden(question).strip()
        self._question = whole[:LONGEST_QUESTION]
        self._shortened = len(whole) > LONGEST_QUESTION
        self._language = languages.guess(self._question)
        self._viewer = viewer
        self._workspace = workspace
        self._searches = Searches(answerer.library, workspace, viewer, answerer.settings.max_searches)
        self._messages: list[MessageParam] = []
        self._usage = Usage()
        self._retries = 0
        self._max_tokens = answerer.settings.answer_max_tokens
        self._thinking = _thinking(answerer.settings)
        self.said: list[Sentence] = []

    async def events(self, history: Sequence[Turn]) -> AsyncGenerator[Event, None]:
        """Everything up to and with ``Done``."""
        if not any(c.isalnum() for c in self._question):
            yield Done(Answer(NOTHING_ASKED, Kind.HELP))
            return
        deadline = asyncio.get_running_loop().time() + self._with.settings.answer_seconds
        documents = await self._with.library.documents(self._workspace, self._viewer)
        self._searches.documents = documents
        if not documents:
            yield Done(Answer(NO_DOCUMENTS, Kind.HELP))
            return
        if self._with.client is None:
            async for event in self._passages(NO_KEY):
                yield event
            return
        ask = Ask(
            self._with.client,
            self._with.settings.answer_model,
            prompt.system(documents, self._with.today()),
            tools.search_tool(documents),
            deadline,
        )
        past = remembered(history, {document.id: document.version for document in documents})
        self._messages = [*past, {"role": "user", "content": self._question}]
        try:
            async with aclosing(self._converse(ask, past)) as rounds:
                async for event in rounds:
                    yield event
        except Broken as broken:
            for event in self._taken_back(str(broken)):
                yield event
            async for event in self._passages(str(broken), broken):
                yield event

    async def _converse(self, ask: Ask, past: list[MessageParam]) -> AsyncGenerator[Event, None]:
        """Rounds with Claude until one of them is the answer. Raises ``Broken`` where there is none to be had."""
        nudged = given = ignored = False
        limit = self._with.settings.max_searches + MOST_ROUNDS_WITHOUT_SEARCH + RETRIES
        for number in range(limit):
            last = number == limit - 1 or not self._searches.left
            draft = Draft(self._searches.shown, self._language)
            attempt = Round(ask, draft, live=self._searches.succeeded)
            try:
                async with aclosing(self._heard(attempt, last)) as heard:
                    async for told in heard:
                        yield told
                if not attempt.uses:
                    casual = is_small_talk(self._question, draft.pending) and not self._searches.queries
                    if self._searches.succeeded or casual:
                        for told in self._rest(draft, attempt, casual=casual):
                            yield told
                        yield Done(self._answer(draft, attempt, casual=casual))
                        return
            except Broken as broken:
                for reset in self._taken_back(str(broken)):
                    yield reset
                await self._before_another_try(attempt, broken)
                continue
            turn = attempt.turn()
            if attempt.uses and last:  # that none is to be made was told with the request
                if ignored:
                    break
                ignored = True
            if attempt.uses and turn is not None:
                for reset in self._taken_back("Searching again."):
                    yield reset
                answers: list[ToolResultBlockParam] = []
                async for event in self._searches.answer(attempt.uses, ask, answers):
                    yield event
                self._messages += [turn, {"role": "user", "content": answers}]
            elif turn is not None and not nudged and not self._searches.queries:
                nudged = True
                self._messages += [turn, {"role": "user", "content": prompt.nudge(self._question)}]
            elif not given:
                given = True
                blocks: list[TextBlockParam | SearchResultBlockParam] = []
                async for event in self._searches.afresh(self._question, blocks, ask):
                    yield event
                blocks.append({"type": "text", "text": prompt.answer_from_these(self._question)})
                self._messages = [*past, {"role": "user", "content": blocks}]
        raise Broken("Claude went on searching and gave no answer.", retry=False)

    async def _heard(self, attempt: Round, last: bool) -> AsyncGenerator[Citation | Text, None]:
        """One round as it streams; whatever becomes of it, what it cost is counted."""
        sent = attempt.sentences(self._messages, max_tokens=self._max_tokens, thinking=self._thinking, last=last)
        try:
            async with aclosing(sent) as sentences:
                async for sentence in sentences:
                    for told in self._say(sentence):
                        yield told
        finally:
            if attempt.message is not None:
                self._usage += usage_of(attempt.message, self._with.prices, CACHE_TTL)

    def _rest(self, draft: Draft, attempt: Round, *, casual: bool) -> list[Citation | Text]:
        """What the last round has still to say; ``Broken`` where it says nothing at all."""
        rest = draft.finish(cut=attempt.cut, casual=casual)
        if not casual and not draft.citations:
            rest = self._marked(rest)
        told = [piece for sentence in rest for piece in self._say(sentence)]
        if not "".join(sentence.text for sentence in self.said).strip():
            raise Broken("Claude gave no answer.", retry=True, longer=attempt.cut)
        return told

    def _marked(self, rest: list[Sentence]) -> list[Sentence]:
        """An answer of a few words ("Marie Curie.") with the mark, where nothing of it is cited and nothing is marked:
        a name alone is no statement by its shape, but it is the answer."""
        telling = [number for number, sentence in enumerate(rest) if _tells(sentence)]
        if not telling or any(sentence.unbacked for sentence in [*self.said, *rest]):
            return rest
        last = rest[telling[-1]]
        mark = languages.in_language(languages.UNBACKED, self._language)
        marked = replace(last, text=with_mark(last.text, mark), unbacked=True)
        return [*rest[: telling[-1]], marked, *rest[telling[-1] + 1 :]]

    def _say(self, sentence: Sentence) -> list[Citation | Text]:
        self.said.append(sentence)
        return [*sentence.new_citations, Text(sentence.text)]

    def _taken_back(self, reason: str) -> list[Reset]:
        """The event that takes back what was said, where anything was."""
        resets = [Reset(reason)] if self.said else []
        self.said.clear()
        return resets

    async def _before_another_try(self, attempt: Round, broken: Broken) -> None:
        """Wait before a broken round is tried again from the state before it; raise where it is not to be."""
        if attempt.thinking_refused:
            log.warning("%s does not take ANSWER_THINKING; going on without", self._with.settings.answer_model)
            self._thinking = None
            return
        if not broken.retry or self._retries >= RETRIES:
            raise broken
        if broken.longer:
            self._max_tokens *= 2
        pause = self._with.backoff_seconds * 2**self._retries
        self._retries += 1
        await asyncio.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311 spreads load, guards nothing

    def _answer(self, draft: Draft, attempt: Round, *, casual: bool) -> Answer:
        unbacked = tuple(sentence.statement.text for sentence in self.said if sentence.unbacked)
        notices = {
            TOO_LONG: self._shortened,
            "The answer was cut at its longest length.": attempt.cut,
            "A search failed, so something may be missing.": self._searches.failed is not None,
            NOTHING_BACKED: not casual and not draft.citations and any(_tells(sentence) for sentence in self.said),
            "A citation that did not match its document was removed.": bool(draft.dropped),
        }
        return Answer(
            "".join(sentence.text for sentence in self.said).strip(),
            citations=draft.citations,
            searches=tuple(self._searches.queries),
            statements=tuple(sentence.statement for sentence in self.said),
            unbacked=unbacked,
            dropped=draft.dropped,
            backed=bool(draft.citations) and not draft.dropped and not unbacked,
            usage=self._usage,
            notice=" ".join(notice for notice, applies in notices.items() if applies) or None,
        )

    async def _passages(self, reason: str, cause: Exception | None = None) -> AsyncGenerator[Event, None]:
        """In place of an answer: the best passages, quoted, and why."""
        hits: list[Hit] = []
        try:
            async with aclosing(self._searches.hits(self._question, hits, GRACE_SECONDS)) as events:
                async for event in events:
                    yield event
        except SituateError as error:
            yield Done(self.trouble(f"{reason} {error}", error))
            return
        citations = await asyncio.to_thread(best_passages, self._question, hits)
        lines = [f"“{' '.join(citation.quote.split())}” [{citation.marker}]" for citation in citations]
        for citation, line in zip(citations, lines, strict=True):
            yield citation
            yield Text(line if citation.marker == len(lines) else f"{line}\n")
        if not lines:
            yield Text(NOTHING_FOUND)
        yield Done(
            Answer(
                "\n".join(lines) or NOTHING_FOUND,
                Kind.PASSAGES,
                citations,
                tuple(self._searches.queries),
                usage=self._usage,
                notice=" ".join(filter(None, [reason, PASSAGES if lines else "", TOO_LONG if self._shortened else ""])),
                reference=logged(reason, cause) if cause is not None else None,
            )
        )

    def trouble(self, sentence: str, cause: Exception) -> Answer:
        """An answer that says what is wrong."""
        return Answer(
            sentence,
            Kind.TROUBLE,
            searches=tuple(self._searches.queries),
            usage=self._usage,
            reference=logged(sentence, cause),
        )


def _tells(sentence: Sentence) -> bool:
    """Whether a sentence says something, be it one word: no question, and not that nothing was found."""
    text = sentence.statement.text.rstrip("\"'”’»)*_ ")
    said = any(c.isalnum() for c in text) and not text.endswith(("?", "？", "؟", ":", "："))
    return sentence.unbacked or (said and not says_nothing_was_found(text))


def _thinking(settings: BotSettings) -> ThinkingConfigParam | None:
    match settings.answer_thinking:
        case "default":
            return None
        case "adaptive":
            return {"type": "adaptive"}
        case "between_tools":
            return {"type": "between_tools"}
        case "disabled":
            return {"type": "disabled"}
