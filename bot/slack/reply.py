"""One question, answered in its thread: who may read what, what was said before, the answer as it comes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from bot.answering.events import Answer, Done, Event, Kind, Reset
from bot.answering.trouble import logged
from bot.asking import How, Question
from bot.slack.audience import NOTHING, Reading, of_question
from bot.slack.caps import cap_for
from bot.slack.desk import End, Outcome, OutOfReach
from bot.slack.ending import Ending
from bot.slack.files import Attached
from bot.slack.heard import Heard
from bot.slack.no_documents import truly
from bot.slack.parts import Parts
from bot.slack.private import PrivateReplies
from bot.slack.sending.posting import UNREACHABLE, NotPosted, Place
from bot.slack.sending.streaming import AnswerMessages
from bot.slack.threads import asked, history
from bot.slack.watching import Watch
from bot.texts import Texts
from indexer import SituateError

log = logging.getLogger(__name__)

TRIES = 2  # where who may read what changes while an answer is made
STALE_SECONDS = 3600.0  # nobody waits for an answer any more: it is offered instead of given
FIRST_STATUS_SECONDS = 0.1  # for the asker's language, where it is not known yet


class _Narrowed(Exception):
    """Somebody is there by now who may not read what the answer draws on."""


class SlackReplies:
    """Answers questions for the desk."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._private = PrivateReplies(parts)
        self._shown: dict[str, _Reply] = {}

    async def answer(self, question: Question, *, again: bool) -> Outcome:
        """Answer a question whatever is wrong: every way out but being cancelled leaves an answer or a sentence."""
        if question.how is How.COMMAND:
            return await self._private.answer(question)
        if again and await self._is_answered(question):
            return "answered"
        texts = await self._parts.texts(question.user, seconds=FIRST_STATUS_SECONDS)
        earlier = await self._earlier(question, again=again)
        reply = self._shown[question.key] = _Reply(self._parts, question, texts, earlier, taken_over=again)
        try:
            outcome = await reply.run(late=again and _is_stale(question))
        except NotPosted as error:
            if error.error == UNREACHABLE:
                raise OutOfReach from error
            raise
        self._shown.pop(question.key, None)  # one that is cancelled stays, to be halted
        return outcome

    async def _earlier(self, question: Question, *, again: bool) -> tuple[str, ...]:
        """The messages that the answer goes into: those that a dead process left, or of the answer that is tried again.

        What cannot be looked up is left as it stands.
        """
        try:
            earlier = await self._parts.ledger.messages(question.key) if again else ()
            if earlier or question.answer_before is None:
                return earlier
            before = await self._parts.ledger.answer(question.answer_before)
        except SituateError as error:
            log.warning("the messages of an earlier answer could not be looked up: %s", error)
            return ()
        return before.messages if before is not None else ()

    async def _is_answered(self, question: Question) -> bool:
        """Whether a process answered it to the end, and died before it said so."""
        try:
            kept = await self._parts.ledger.latest_answer(question.team, question.channel, question.ts)
        except SituateError:  # it is answered again, into the same messages
            return False
        return kept is not None and kept.question_key == question.key and bool(kept.messages)

    async def halt(self, question: Question, end: End) -> None:
        """Bring what is shown of an answer that was ended from outside to a good end."""
        reply = self._shown.pop(question.key, None)
        if reply is None and end == "stopped" and question.how is not How.COMMAND:  # before anything was shown
            reply = _Reply(self._parts, question, await self._parts.texts(question.user), ())
        if reply is not None:
            await reply.halt(end)


class _Reply:
    """One question while it is answered."""

    def __init__(
        self, parts: Parts, question: Question, texts: Texts, earlier: tuple[str, ...], *, taken_over: bool = False
    ) -> None:
        self._parts = parts
        self._question = question
        self._texts = texts
        self._heard = Heard()
        self._reading = NOTHING
        place = Place(question.team, question.channel, question.thread, question.user, question.user_team)
        sent = partial(parts.ledger.sent, question.key)
        self._messages = AnswerMessages(
            parts.client, parts.poster, place, texts, question.key, sent=sent, earlier=earlier, taken_over=taken_over
        )
        self._ending = Ending(parts, question, self._messages)

    async def run(self, *, late: bool) -> Outcome:
        """Answer. Raises nothing but CancelledError, and NotPosted where Slack takes not even a sentence."""
        self._messages.begin()
        try:
            self._texts = self._messages.texts = await self._parts.texts(self._question.user)
            known = self._parts.directory.known([self._question.user])
            if any(asker.is_bot for asker in known.values()):  # one whose messages do not say so
                await self._messages.abandon(delete=True)
                return "dropped"
            if late:
                await self._ending.show(Answer(self._texts.say("was_away"), Kind.TROUBLE), NOTHING)
            else:
                await self._answer()
        except Exception as error:  # noqa: BLE001 the asker gets a sentence, whatever is wrong in here
            return await self._trouble(error)
        return "stopped" if self._messages.stopped else "answered"

    async def halt(self, end: End) -> None:
        if end == "stopped":
            await self._stop()
        else:  # the question is gone, or another process answers it now, into the same messages
            await self._messages.abandon(delete=end == "dropped")

    # -- within ----------------------------------------------------------------------------------------------------

    async def _answer(self) -> None:
        parts, question = self._parts, self._question
        workspace = await parts.workspace.name()
        reading, attached, past, (text, name), cap = await asyncio.gather(
            of_question(parts.directory, question),
            self._attached(workspace),
            history(
                parts.client,
                question,
                parts.directory,
                parts.ledger,
                self._texts,
                budget_tokens=parts.settings.thread_tokens,
            ),
            asked(question, parts.directory, parts.me),
            cap_for(parts, question),
        )
        remarks = attached.refused if past.complete else (*attached.refused, self._texts.say("thread_incomplete"))
        if not text and attached.documents:
            await self._ending.show(Answer(self._texts.say("attached_read"), Kind.HELP), reading, remarks, attached)
            return
        asker = name if past.several else None
        answered = partial(
            parts.answerer.answer, texts=self._texts, asker=asker, capped=cap.told(self._texts) if cap else None
        )
        for _ in range(TRIES):
            self._reading = reading
            try:
                answer = await self._made(answered(text, reading.viewer, workspace, past.turns))
            except _Narrowed:
                self._begin_again()
                reading = await of_question(parts.directory, question)
                continue
            if answer is None:
                await self._stop()
                return
            parts.signs.answered(answer)
            answer = truly(answer, reading, self._texts)
            used, reading = reading, await self._now(reading, answer)
            if used.viewer.audiences <= reading.viewer.audiences:
                await self._ending.show(answer, used, remarks, attached)
                return
            self._begin_again()
        await self._ending.show(Answer(self._texts.say("readers_changed"), Kind.TROUBLE), NOTHING)

    def _begin_again(self) -> None:
        """What was shown is taken back."""
        self._heard = Heard()
        self._messages.take(Reset(self._texts.say("readers_changed")))
        self._messages.go_on()

    async def _made(self, events: AsyncGenerator[Event, None]) -> Answer | None:
        """The answer, shown as it comes; None where somebody stopped it. Raises _Narrowed."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as until:

                def narrowed() -> None:
                    until.reschedule(loop.time())

                with Watch(self._parts.directory, self._question, self._reading, self._messages, narrowed):
                    return await self._shown(events)
        except TimeoutError as error:
            if until.expired():
                raise _Narrowed from error
            raise

    async def _shown(self, events: AsyncGenerator[Event, None]) -> Answer | None:
        async with aclosing(events):
            async for event in events:
                if self._messages.stopped:
                    return None
                if isinstance(event, Done):
                    return event.answer
                self._heard.take(event)
                self._messages.take(event)
        raise RuntimeError("an answer always ends in Done")

    async def _now(self, reading: Reading, answer: Answer) -> Reading:
        """Who may read what, once more before the answer is there for good: somebody may have joined or left.

        A person's channels are asked of Slack each time, so that is done only where an answer draws on one, or where
        the person has changed.
        """
        if reading.left_out == "cannot_check":  # what could not be found out left the least there is
            return reading
        question, directory = self._question, self._parts.directory
        if question.is_direct and all(hit.audience.kind != "channel" for hit in answer.hits):
            asker = directory.known([question.user]).get(question.user)
            if asker is not None and asker.is_employee:
                return reading
        return await of_question(directory, question)

    async def _attached(self, workspace: str) -> Attached:
        if not self._question.files:
            return Attached()
        return await self._parts.attachments.read(
            self._question, self._texts, workspace=workspace, progress=self._messages.status
        )

    async def _stop(self) -> None:
        """Leave what was said, unless somebody is there by now who may not read it."""
        answer, reading = self._heard.answer(), self._reading
        if answer.text and not reading.viewer.audiences <= (await self._now(reading, answer)).viewer.audiences:
            self._messages.take(Reset(self._texts.say("readers_changed")))
            answer, reading = Answer(""), NOTHING
        await self._ending.stop(answer, reading)

    async def _trouble(self, error: Exception) -> Outcome:
        """Say in one sentence, with a reference, that there is no answer."""
        sentence = self._texts.of_error(error)
        answer = Answer(sentence, Kind.TROUBLE, reference=logged(sentence, error))
        try:
            await self._ending.show(answer, NOTHING)
        except Exception:  # the ledger may be what is away, so without it
            log.exception("what went wrong could not be shown in full")
            await self._ending.show_only(answer)
        return "failed"


def _is_stale(question: Question) -> bool:
    """Whether a question is so old that nobody waits for its answer; a command's ``ts`` tells no time."""
    try:
        return time.time() - float(question.ts) > STALE_SECONDS
    except ValueError:
        return False
