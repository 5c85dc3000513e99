"""What was answered, where it stands, and what people think of it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from bot.ledger.moments import aware, naive, now
from bot.ledger.records import Feedback, Means, StoredAnswer, Value
from bot.ledger.schema import answer_messages, answers, feedback
from indexer import Database


class Answers:
    """Every method raises CatalogueUnavailable where the database is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, answer: StoredAnswer) -> None:
        """Store an answer, or what it is by now; from here on its messages lead to it and to no other.

        One that is marked as replaced stays so.
        """
        values: dict[str, Any] = {
            "team": answer.team,
            "channel": answer.channel,
            "thread": answer.thread,
            "question_ts": answer.question_ts,
            "created_at": naive(answer.created_at),
            "content": answer.as_json(),
        }
        if answer.replaced_by is not None:
            values["replaced_by"] = answer.replaced_by
        insert = self._database.insert

        def work(connection: sa.Connection) -> None:
            row = insert(answers).values(id=answer.id, **values)
            connection.execute(row.on_conflict_do_update(index_elements=["id"], set_=values))
            for ts in answer.messages:
                place = insert(answer_messages).values(
                    team=answer.team, channel=answer.channel, message_ts=ts, answer=answer.id
                )
                key = ["team", "channel", "message_ts"]
                connection.execute(place.on_conflict_do_update(index_elements=key, set_={"answer": answer.id}))

        await self._database.write(work)

    async def answer(self, id: str) -> StoredAnswer | None:
        return await self._newest(answers.c.id == id)

    async def answers_in(self, team: str, channel: str, thread: str) -> list[StoredAnswer]:
        """The answers of a thread, oldest first, those that were replaced among them."""
        place = (answers.c.team == team, answers.c.channel == channel, answers.c.thread == thread)
        statement = _select().where(*place).order_by(answers.c.created_at, answers.c.id)
        return [_answer(row) for row in await self._database.read(lambda c: c.execute(statement).all())]

    async def answer_of_message(self, team: str, channel: str, message_ts: str) -> StoredAnswer | None:
        """The answer that a message shows, or shows a part of."""
        shown = sa.select(answer_messages.c.answer).where(
            answer_messages.c.team == team,
            answer_messages.c.channel == channel,
            answer_messages.c.message_ts == message_ts,
        )
        return await self._newest(answers.c.id.in_(shown))

    async def latest_answer(self, team: str, channel: str, question_ts: str) -> StoredAnswer | None:
        """The newest answer to a message, to whichever wording of it."""
        return await self._newest(
            answers.c.team == team, answers.c.channel == channel, answers.c.question_ts == question_ts
        )

    async def replaced(self, id: str, by: str) -> None:
        """Mark an answer as replaced by another one."""
        statement = answers.update().where(answers.c.id == id).values(replaced_by=by)
        await self._database.write(lambda c: c.execute(statement))

    async def feedback(self, answer_id: str, user: str, value: Value, how: Means, comment: str | None = None) -> None:
        """What a person thinks of an answer, in place of what they thought before.

        A comment stays while the value stays: 👎 with "out of date", then 👎 once more, is 👎 with "out of date";
        then 👍 is 👍 without a comment.
        """
        values = {"value": value, "how": how, "given_at": now()}
        before = sa.case((feedback.c.value == value, feedback.c.comment), else_=sa.null())
        row = self._database.insert(feedback).values(answer=answer_id, person=user, comment=comment, **values)
        statement = row.on_conflict_do_update(
            index_elements=["answer", "person"],
            set_={**values, "comment": row.excluded.comment if comment is not None else before},
        )
        await self._database.write(lambda c: c.execute(statement))

    async def withdraw_feedback(
        self, answer_id: str, user: str, how: Means = "reaction", *, value: Value | None = None
    ) -> None:
        """Forget a person's feedback where it was given like this: taking a reaction away undoes no button.

        With ``value`` only where that is what they think by now: 👍, then 👎, then 👍 taken away leaves 👎.
        """
        mine = [feedback.c.answer == answer_id, feedback.c.person == user, feedback.c.how == how]
        if value is not None:
            mine.append(feedback.c.value == value)
        await self._database.write(lambda c: c.execute(feedback.delete().where(*mine)))

    async def feedback_on(self, answer_id: str) -> tuple[Feedback, ...]:
        """What people think of an answer, the earliest first."""
        statement = (
            sa.select(feedback).where(feedback.c.answer == answer_id).order_by(feedback.c.given_at, feedback.c.person)
        )
        rows = await self._database.read(lambda c: c.execute(statement).all())
        return tuple(_feedback(row) for row in rows)

    async def opinions(self) -> list[tuple[StoredAnswer, Feedback]]:
        """Everything that people think of answers, with the answers, the earliest first."""
        both = sa.select(answers.c.content, answers.c.replaced_by, feedback).join(
            answers, answers.c.id == feedback.c.answer
        )
        statement = both.order_by(feedback.c.given_at, feedback.c.answer, feedback.c.person)
        rows = await self._database.read(lambda c: c.execute(statement).all())
        return [(_answer(row), _feedback(row)) for row in rows]

    async def _newest(self, *where: sa.ColumnElement[bool]) -> StoredAnswer | None:
        statement = _select().where(*where).order_by(answers.c.created_at.desc(), answers.c.id.desc()).limit(1)
        row = await self._database.read(lambda c: c.execute(statement).first())
        return _answer(row) if row is not None else None


def _select() -> sa.Select[Any]:
    return sa.select(answers.c.content, answers.c.replaced_by)


def _feedback(row: Any) -> Feedback:
    return Feedback(row.answer, row.person, row.value, row.how, row.comment, aware(row.given_at))


def _answer(row: Any) -> StoredAnswer:
    return StoredAnswer.of_json({**row.content, "replaced_by": row.replaced_by})
