"""The desk: every question that is taken is answered once, whatever dies on the way.

A question is a row in the ledger, held by the process that took it. Who holds it answers it in a task of its own; what
a dead process held is claimed by whoever sees it first and answered again from the beginning, into the messages that
the first left behind. That a question is not to be answered any more (stopped, deleted, taken over) is seen in its
row, so that it does not matter which process hears of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Literal, Protocol

from bot.asking import Question
from bot.ledger import Ledger
from bot.slack.background import every
from indexer import CatalogueUnavailable, Leases

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0  # between two looks at the rows of the questions in hand
BEAT_SECONDS = 5.0
TAKE_OVER_SECONDS = 5.0
MOST_REMEMBERED = 1_000
LATER_SECONDS = 10.0  # before a question is tried again whose answer could not be said
PATIENCE_SECONDS = 8.0  # for what is in hand when the process is told to end; then a successor takes it over

Outcome = Literal["answered", "stopped", "dropped", "failed"]
End = Literal["stopped", "dropped", "lost"]  # by a person, with the question, to another process


class OutOfReach(Exception):
    """Nothing can be said to anybody now, not even why: the question is answered later."""


class Replies(Protocol):
    """What answers a question."""

    async def answer(self, question: Question, *, again: bool) -> Outcome:
        """Answer it, whatever is wrong; ``again``: it had been begun before.

        Raises nothing but OutOfReach and CancelledError.
        """
        ...

    async def halt(self, question: Question, end: End) -> None:
        """Bring what is shown of an answer that was ended from outside to a good end."""
        ...


class Desk:
    """The questions that this process answers."""

    def __init__(self, ledger: Ledger, leases: Leases, owner: str, replies: Replies) -> None:
        self._ledger = ledger
        self._leases = leases
        self._owner = owner
        self._replies = replies
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._ended: dict[str, End] = {}  # why a task is cancelled
        self._outcomes: dict[str, Outcome] = {}  # of questions whose rows are about to be closed
        self._over: deque[str] = deque(maxlen=MOST_REMEMBERED)  # whose tasks have ended
        self._rounds: list[asyncio.Task[None]] = []
        self._closing = False

    @property
    def owner(self) -> str:
        """The name under which this process holds questions."""
        return self._owner

    async def open(self) -> None:
        """Begin: what dead processes left is taken over from now on. Raises CatalogueUnavailable."""
        await self._leases.beat()
        await self._take_over()
        self._rounds = [
            asyncio.create_task(every(BEAT_SECONDS, self._leases.beat, "this process could not say that it lives")),
            asyncio.create_task(every(LOOK_SECONDS, self._look, "the questions in hand could not be looked at")),
            asyncio.create_task(every(TAKE_OVER_SECONDS, self._take_over, "what others left could not be looked for")),
        ]

    async def close(self) -> None:
        """End what is in hand if that takes no longer than a few seconds, and leave the rest to a successor."""
        self._closing = True
        if self._at_work:
            await asyncio.wait(self._at_work.values(), timeout=PATIENCE_SECONDS)
        tasks = [*self._at_work.values(), *self._rounds]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self._leases.release()
        except CatalogueUnavailable as error:
            log.warning("the lease could not be given back: %s", error)

    def begin(self, question: Question, *, again: bool = False) -> None:
        """Answer a question that this process holds, in a task of its own.

        One that was answered is not, but ``again``: where taking it took long, a round that takes over saw it first.
        """
        if self._closing or question.key in self._at_work or (question.key in self._over and not again):
            return
        task = asyncio.create_task(self._work(question, again=again))
        self._at_work[question.key] = task
        task.add_done_callback(lambda _: self._end_of(question.key))

    async def end(self, wanted: Callable[[Question], bool], outcome: Literal["stopped", "dropped"]) -> int:
        """End the open questions that are ``wanted``, whichever process answers them; how many there were."""
        ended = 0
        for question, holder in await self._ledger.unfinished():
            if wanted(question) and await self._ledger.close(question.key, holder, outcome):
                ended += 1
                self._cancel(question.key, outcome)
        return ended

    async def idle(self) -> None:
        """Wait until nothing is in hand."""
        while self._at_work:
            await asyncio.wait(self._at_work.values())

    # -- within ----------------------------------------------------------------------------------------------------

    async def _work(self, question: Question, *, again: bool) -> None:
        try:
            while (outcome := await self._answer(question, again=again)) is None:
                again = True
                await asyncio.sleep(LATER_SECONDS)
        except asyncio.CancelledError:
            ended = self._ended.pop(question.key, None)
            if ended is not None and not self._closing:
                await self._halted(question, ended)
                return
            raise
        except Exception:
            log.exception("a question could not be answered")
            outcome = "failed"
        self._outcomes[question.key] = outcome  # from here on it is not to be ended any more
        try:
            await self._close(question.key)
        except CatalogueUnavailable as error:  # it is closed in a later round
            log.warning("an answered question could not be closed: %s", error)

    async def _answer(self, question: Question, *, again: bool) -> Outcome | None:
        try:
            return await self._replies.answer(question, again=again)
        except OutOfReach:
            log.warning("Slack is out of reach; a question is answered later")
            return None

    async def _halted(self, question: Question, end: End) -> None:
        """Halt it, whole: it may have been cancelled twice, as by a person and by whoever joined at that moment."""
        halting = asyncio.create_task(self._halt(question, end))
        while not halting.done():
            try:
                await asyncio.shield(halting)
            except asyncio.CancelledError:
                if self._closing:
                    raise

    async def _halt(self, question: Question, end: End) -> None:
        try:
            await self._replies.halt(question, end)
        except Exception:  # the question is over, whatever is shown of its answer
            log.exception("what is shown of an answer could not be brought to an end")

    async def _close(self, key: str) -> None:
        await self._ledger.close(key, self._owner, self._outcomes[key])
        self._outcomes.pop(key, None)

    def _end_of(self, key: str) -> None:
        self._at_work.pop(key, None)
        self._over.append(key)

    def _cancel(self, key: str, end: End) -> None:
        if key in self._at_work and key not in self._outcomes:
            self._ended[key] = end
            self._at_work[key].cancel()

    async def _look(self) -> None:
        """Stop working on questions that were ended, or taken over, by another process."""
        at_work = list(self._at_work)  # before the rows are read: what is begun meanwhile has a row of its own
        if not at_work:
            return
        held = {question.key: holder for question, holder in await self._ledger.unfinished()}
        for key in at_work:
            if held.get(key) != self._owner:
                outcome = None if key in held else await self._ledger.outcome(key)
                # What another process answered is lost to us, as what it answers now.
                self._cancel(key, outcome if outcome in ("stopped", "dropped") else "lost")

    async def _take_over(self) -> None:
        """Claim the open questions of processes that are dead."""
        unfinished = await self._ledger.unfinished()
        dead = await self._leases.dead(frozenset(holder for _, holder in unfinished))
        for question, holder in unfinished:
            taken = holder in dead and await self._ledger.claim(question.key, self._owner, held_by=holder)
            if holder == self._owner and question.key in self._outcomes:
                if question.key not in self._at_work:  # the ledger was away when its answer was there
                    await self._close(question.key)
            # One of our own that is not at work was taken, and never begun; or it ended since its row was read.
            elif taken or (holder == self._owner and question.key not in self._over):
                self.begin(question, again=True)
