"""Which questions were asked, who answers each, and what became of it."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bot.asking import How, Question
from bot.ledger.moments import aware, naive, now
from bot.ledger.records import Outcome
from bot.ledger.schema import question_messages, questions
from indexer import Database

OPEN = "open"


class Questions:
    """A question is *open* from the moment it is taken until it is closed. Its owner is the executor that answers it.

    Every change of owner or state is a compare-and-set, so that of two executors one wins and the other is told.
    Every method raises CatalogueUnavailable where the database is away.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, question: Question, owner: str) -> bool:
        """Make a question durable, open and ``owner``'s. False: this very wording was taken before, by whomever."""
        statement = (
            self._database.insert(questions)
            .values(
                key=question.key,
                team=question.team,
                channel=question.channel,
                thread=question.thread,
                ts=question.ts,
                asker=question.user,
                how=str(question.how),
                payload=question.as_json(),
                owner=owner,
                state=OPEN,
                taken_at=now(),
            )
            .on_conflict_do_nothing(index_elements=["key"])
            .returning(questions.c.key)
        )
        return await self._database.write(lambda c: c.execute(statement).first()) is not None

    async def unfinished(self) -> list[tuple[Question, str]]:
        """The open questions, oldest first, each with its owner."""
        statement = (
            sa.select(questions.c.payload, questions.c.owner)
            .where(questions.c.state == OPEN)
            .order_by(questions.c.taken_at, questions.c.key)
        )
        rows = await self._database.read(lambda c: c.execute(statement).all())
        return [(Question.of_json(payload), owner) for payload, owner in rows]

    async def question(self, key: str) -> Question | None:
        """A question as it was asked, open or closed; None where it was forgotten, or never taken."""
        statement = sa.select(questions.c.payload).where(questions.c.key == key)
        payload = await self._database.read(lambda c: c.execute(statement).scalar())
        return Question.of_json(payload) if payload is not None else None

    async def claim(self, key: str, owner: str, *, held_by: str) -> bool:
        """Take an open question over from ``held_by``. False: it is closed, or somebody else's by now."""
        return await self._changes(questions.update().where(*_held(key, held_by)).values(owner=owner))

    async def is_open(self, key: str, owner: str) -> bool:
        """Whether ``owner`` still has to answer it."""
        statement = sa.select(sa.literal(1)).where(*_held(key, owner))
        return await self._database.read(lambda c: c.execute(statement).first()) is not None

    async def outcome(self, key: str) -> Outcome | None:
        """What became of a question; None while it is open, or where it was never taken."""
        statement = sa.select(questions.c.state).where(questions.c.key == key, questions.c.state != OPEN)
        state: Outcome | None = await self._database.read(lambda c: c.execute(statement).scalar())
        return state

    async def close(self, key: str, owner: str, outcome: Outcome) -> bool:
        """Say what became of a question. False: it was closed before, or is somebody else's by now."""
        done = questions.update().where(*_held(key, owner)).values(state=outcome, closed_at=now())
        return await self._changes(done)

    async def sent(self, key: str, message_ts: str) -> None:
        """A message was posted for a question; durable at once. Said twice it counts once."""
        statement = (
            self._database.insert(question_messages)
            .values(question=key, message_ts=message_ts)
            .on_conflict_do_nothing(index_elements=["question", "message_ts"])
        )
        await self._database.write(lambda c: c.execute(statement))

    async def messages(self, key: str) -> tuple[str, ...]:
        """The ``ts`` of the messages posted for a question so far, in the order in which they were posted."""
        statement = (
            sa.select(question_messages.c.message_ts)
            .where(question_messages.c.question == key)
            .order_by(question_messages.c.number)
        )
        return tuple(await self._database.read(lambda c: c.execute(statement).scalars().all()))

    async def began_with_question(self, team: str, channel: str, thread: str) -> bool:
        """Whether the root of a thread is a question to the bot. A command begins no thread."""
        return await self._asked(*_public(team, channel), questions.c.ts == thread)

    async def addressed_by(self, team: str, channel: str, thread: str, user: str) -> bool:
        """Whether this person asked the bot in this thread before."""
        return await self._asked(*_public(team, channel), questions.c.thread == thread, questions.c.asker == user)

    async def last_event(self, team: str) -> datetime | None:
        """When the latest question of a workspace was taken; None before the first."""
        statement = sa.select(sa.func.max(questions.c.taken_at)).where(questions.c.team == team)
        latest: datetime | None = await self._database.read(lambda c: c.execute(statement).scalar())
        return aware(latest) if latest is not None else None

    async def forget(self, before: datetime) -> int:
        """Drop the texts and files of questions that were closed before a moment. Returns of how many.

        Their keys stay, so that none of them is ever answered again.
        """
        forgotten = (
            questions.update()
            .where(questions.c.state != OPEN, questions.c.closed_at < naive(before), questions.c.payload.is_not(None))
            .values(payload=sa.null())
        )
        return await self._database.write(lambda c: c.execute(forgotten).rowcount)

    async def _asked(self, *where: sa.ColumnElement[bool]) -> bool:
        statement = sa.select(sa.literal(1)).where(*where).limit(1)
        return await self._database.read(lambda c: c.execute(statement).first()) is not None

    async def _changes(self, statement: sa.Update) -> bool:
        """Whether a statement changed a row."""
        return await self._database.write(lambda c: c.execute(statement).rowcount) > 0


def _held(key: str, owner: str) -> tuple[sa.ColumnElement[bool], ...]:
    return questions.c.key == key, questions.c.owner == owner, questions.c.state == OPEN


def _public(team: str, channel: str) -> tuple[sa.ColumnElement[bool], ...]:
    """Questions that everyone in the channel sees."""
    return questions.c.team == team, questions.c.channel == channel, questions.c.how != str(How.COMMAND)
