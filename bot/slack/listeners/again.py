"""Buttons that ask once more: the same question again, or by whoever clicks, for their eyes."""

from __future__ import annotations

from dataclasses import replace

from slack_bolt.async_app import AsyncApp

from bot.asking import How, Question
from bot.slack.clicks import Click, on_click, say
from bot.slack.desk import Desk
from bot.slack.parts import Parts
from bot.slack.showing import actions


def register(app: AsyncApp, parts: Parts, desk: Desk) -> None:
    async def try_again(click: Click) -> None:
        """Ask the same again. The answer takes the place of the one that could not be had."""
        answer = await parts.ledger.answer(click.value)
        if answer is not None and (answer.replaced_by or (answer.private and answer.asker != click.user)):
            return
        question = await parts.ledger.question(answer.question_key) if answer is not None else None
        if answer is None or question is None:
            await say(parts, click, "question_gone")
            return
        # The response URL of a message that everybody sees would show everybody what is for the asker alone.
        fresh = click.response_url if click.ephemeral else None
        anew = replace(question, response_url=fresh or question.response_url)
        await begin_again(parts, desk, click, anew, again=answer.id)

    async def answer_privately(click: Click) -> None:
        """The same question from whoever clicks, answered for their eyes, with what they may read."""
        answer = await parts.ledger.answer(click.value)
        question = await parts.ledger.question(answer.question_key) if answer is not None else None
        if answer is None or question is None:
            await say(parts, click, "question_gone")
            return
        own = replace(
            question,
            ts=f"private-{question.ts}",
            user=click.user,
            user_team=click.user_team,
            how=How.COMMAND,
            private=True,
            response_url=click.response_url,
            files=(),
        )
        if await begin_again(parts, desk, click, own, again=f"{answer.id}:{click.user}"):
            await say(parts, click, "working_on_it")

    app.action(actions.TRY_AGAIN)(on_click(parts, try_again))
    app.action(actions.ANSWER_PRIVATELY)(on_click(parts, answer_privately))


async def begin_again(
    parts: Parts, desk: Desk, click: Click, question: Question, *, again: str, by_text: bool = False
) -> bool:
    """Answer a question once more, unless that is under way; whether it is begun.

    A double click asks once. When the answer is there, or somebody stopped it, it may be asked for again. ``by_text``:
    several questions may be asked under one message, and only the same one keeps it from being begun.
    """
    if await parts.ledger.take(first := replace(question, again=again), desk.owner):
        desk.begin(first)
        return True
    place = (question.team, question.channel, question.ts, question.user)
    for other, _ in await parts.ledger.unfinished():
        if (other.team, other.channel, other.ts, other.user) == place and not (by_text and other.text != question.text):
            return False
    if await parts.ledger.take(anew := replace(question, again=f"{again}:{click.trigger}"), desk.owner):
        desk.begin(anew)
        return True
    return False
