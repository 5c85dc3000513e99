"""A question answered from the documents, as a stream of events.

Claude searches, we run its searches, it writes; what it writes is released sentence by sentence once its citations are
checked. The text of the last round is the answer: what stood before a search was only on the way. A round that breaks
is tried again from the state before it, or the trouble is said plainly and the best passages are shown instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from datetime import date, datetime

from anthropic import AsyncAnthropic
from anthropic.types import (
    MessageParam,
    SearchResultBlockParam,
    TextBlockParam,
    ToolResultBlockParam,
)

from bot.answering import languages, prompt, tools
from bot.answering.counting import Account
from bot.answering.draft import Draft, Sentence, marked_where_nothing_is
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
from bot.answering.memory import remembered
from bot.answering.passages import best_passages, quoted_lines
from bot.answering.rounds import Ask, Broken, Round
from bot.answering.searches import Searches
from bot.answering.small_talk import is_small_talk
from bot.answering.tries import RETRIES, Tries
from bot.answering.trouble import logged
from bot.answering.visible import without_hidden
from bot.settings import BotSettings
from bot.texts import ENGLISH, LONGEST_QUESTION, Texts
from indexer import Hit, Prices, SituateError, Usage, Viewer

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
        self.account = Account(library)

    async def answer(
        self,
        question: str,
        viewer: Viewer,
        workspace: str,
        history: Sequence[Turn] = (),
        *,
        texts: Texts = ENGLISH,
        asker: str | None = None,
        capped: str | None = None,
    ) -> AsyncGenerator[Event, None]:
        """The events of one answer, ``Done`` always the last. ``history`` is the conversation so far, oldest first.

        ``texts`` are what the app itself says; Claude answers in the language of the question. ``asker`` is a name,
        where several people take part in the conversation. ``capped`` is a sentence on why Claude is not to be asked
        (a cap is reached): the best passages are the answer, and it is said with them. What Claude is paid is recorded
        with the library, round by round. Raises nothing: trouble is an answer that says so, with a reference that names
        it in the log.
        """
        answering = _Answering(self, question, viewer, workspace, texts, asker, capped)
        trouble: tuple[str, Exception] | None = None
        try:
            async with aclosing(answering.events(history)) as events:
                async for event in events:
                    yield event
        except Exception as error:  # noqa: BLE001 the asker gets an answer, whatever is wrong in here
            trouble = texts.of_error(error), error
        if trouble is not None:
            if answering.said:
                yield Reset(trouble[0])
            yield Done(answering.trouble(*trouble))


class _Answering:
    """The state of one question while it is answered."""

    def __init__(
        self,
        answerer: Answerer,
        question: str,
        viewer: Viewer,
        workspace: str,
        texts: Texts,
        asker: str | None,
        capped: str | None,
    ) -> None:
        self._with = answerer
        self._texts = texts
        self._asker = asker
        self._capped = capped
        whole = without_hidden(question).strip()
        self._question = whole[:LONGEST_QUESTION]
        self._shortened = len(whole) > LONGEST_QUESTION
        self._language = languages.guess(self._question, texts.language)
        self._viewer = viewer
        self._workspace = workspace
        self._searches = Searches(answerer.library, workspace, viewer, answerer.settings.max_searches)
        self._messages: list[MessageParam] = []
        self._usage = Usage()
        self._tries = Tries(answerer.settings, answerer.backoff_seconds)
        self.said: list[Sentence] = []

    async def events(self, history: Sequence[Turn]) -> AsyncGenerator[Event, None]:
        """Everything up to and with ``Done``."""
        if not any(c.isalnum() for c in self._question):
            yield Done(Answer(self._texts.say("nothing_asked"), Kind.HELP))
            return
        documents = await self._with.library.documents(self._workspace, self._viewer)
        self._searches.documents = documents
        if not documents:
            yield Done(Answer(self._texts.say("no_documents"), Kind.HELP))
            return
        await self._with.library.connect()  # a database that is starting has a time of its own
        deadline = asyncio.get_running_loop().time() + self._with.settings.answer_seconds
        if self._with.client is None or self._capped is not None:
            reason = self._texts.say("no_key") if self._with.client is None else self._capped
            async for event in self._passages(reason or ""):
                yield event
            return
        ask = Ask(
            self._with.client,
            self._with.settings.answer_model,
            prompt.system(documents, self._with.today()),
            tools.search_tool(documents),
            deadline,
        )
        versions = {document.id: document.version for document in documents}
        past = remembered(history, versions, self._with.settings.thread_tokens)
        content = prompt.asked(self._question, self._asker)
        if past and past[-1]["role"] == "user":  # said since the last answer, by whomever
            content = prompt.after(str(past.pop()["content"]), content)
        self._messages = [*past, {"role": "user", "content": content}]
        try:
            async with aclosing(self._converse(ask, past)) as rounds:
                async for event in rounds:
                    yield event
        except Broken as broken:
            for event in self._taken_back(broken.told(self._texts)):
                yield event
            async for event in self._passages(broken.told(self._texts), broken):
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
                for reset in self._taken_back(broken.told(self._texts)):
                    yield reset
                await self._tries.before_another(attempt, broken)
                continue
            turn = attempt.turn()
            if attempt.uses and last:  # that none is to be made was told with the request
                if ignored:
                    break
                ignored = True
            if attempt.uses and turn is not None:
                for reset in self._taken_back(self._texts.say("searching_again")):
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
        raise Broken("endless_search", retry=False)

    async def _heard(self, attempt: Round, last: bool) -> AsyncGenerator[Citation | Text, None]:
        """One round as it streams; whatever becomes of it, what it cost is counted."""
        tries = self._tries
        sent = attempt.sentences(self._messages, max_tokens=tries.max_tokens, thinking=tries.thinking, last=last)
        try:
            async with aclosing(sent) as sentences:
                async for sentence in sentences:
                    for told in self._say(sentence):
                        yield told
        finally:
            usage = attempt.usage(self._with.prices)
            self._usage += usage
            await self._with.account.count(self._workspace, usage)

    def _rest(self, draft: Draft, attempt: Round, *, casual: bool) -> list[Citation | Text]:
        """What the last round has still to say; ``Broken`` where it says nothing at all."""
        rest = draft.finish(cut=attempt.cut, casual=casual)
        if not casual and not draft.citations:
            rest = marked_where_nothing_is(rest, self.said, self._language)
        told = [piece for sentence in rest for piece in self._say(sentence)]
        if not "".join(sentence.text for sentence in self.said).strip():
            raise Broken("no_answer", retry=True, longer=attempt.cut)
        return told

    def _say(self, sentence: Sentence) -> list[Citation | Text]:
        self.said.append(sentence)
        return [*sentence.new_citations, Text(sentence.text)]

    def _taken_back(self, reason: str) -> list[Reset]:
        """The event that takes back what was said, where anything was."""
        resets = [Reset(reason)] if self.said else []
        self.said.clear()
        return resets

    def _answer(self, draft: Draft, attempt: Round, *, casual: bool) -> Answer:
        unbacked = tuple(sentence.statement.text for sentence in self.said if sentence.unbacked)
        tells = any(sentence.tells for sentence in self.said)
        notices = {
            self._too_long(): self._shortened,
            self._texts.say("answer_cut"): attempt.cut,
            self._texts.say("search_failed"): self._searches.failed is not None,
            self._texts.say("nothing_backed"): not casual and not draft.citations and tells,
            self._texts.say("citation_removed"): bool(draft.dropped),
        }
        return Answer(
            "".join(sentence.text for sentence in self.said).strip(),
            citations=draft.citations,
            searches=tuple(self._searches.queries),
            statements=tuple(sentence.statement for sentence in self.said),
            unbacked=unbacked,
            dropped=draft.dropped,
            backed=bool(draft.citations) and not draft.dropped and not unbacked,
            hits=self._searches.found,
            readable=len(self._searches.documents),
            nothing_found=self._searches.succeeded and not draft.citations and not tells,
            usage=self._usage,
            notice=" ".join(notice for notice, applies in notices.items() if applies) or None,
        )

    async def _passages(self, reason: str, cause: Broken | None = None) -> AsyncGenerator[Event, None]:
        """In place of an answer: the best passages, quoted, and why."""
        hits: list[Hit] = []
        try:
            async with aclosing(self._searches.hits(self._question, hits, GRACE_SECONDS)) as events:
                async for event in events:
                    yield event
        except SituateError as error:
            yield Done(self.trouble(f"{reason} {self._texts.of_error(error)}", error))
            return
        citations = await asyncio.to_thread(best_passages, self._question, hits)
        lines = await asyncio.to_thread(quoted_lines, citations, self._language)
        for citation, line in zip(citations, lines, strict=True):
            yield citation
            yield Text(line if citation.marker == len(lines) else f"{line}\n")
        if not lines:
            yield Text(self._texts.say("no_passage"))
        told = [reason, self._texts.say("here_are_passages") if lines else "", self._too_long() * self._shortened]
        yield Done(
            Answer(
                "\n".join(lines) or self._texts.say("no_passage"),
                Kind.PASSAGES,
                citations,
                tuple(self._searches.queries),
                hits=self._searches.found,
                readable=len(self._searches.documents),
                nothing_found=not lines,
                usage=self._usage,
                notice=" ".join(filter(None, told)),
                reference=logged(reason, cause) if cause is not None else None,
                failure=cause.why.kind if cause is not None and cause.why is not None else None,
            )
        )

    def _too_long(self) -> str:
        return self._texts.say("too_long", limit=f"{LONGEST_QUESTION:,}")

    def trouble(self, sentence: str, cause: Exception) -> Answer:
        """An answer that says what is wrong."""
        return Answer(
            sentence,
            Kind.TROUBLE,
            searches=tuple(self._searches.queries),
            usage=self._usage,
            reference=logged(sentence, cause),
        )
