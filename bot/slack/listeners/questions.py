"""Messages and mentions: what is a question is durable work before Slack is told that it arrived."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from bot.asking import Question
from bot.slack.desk import Desk
from bot.slack.intake import Intake, deleted
from bot.slack.parts import Parts
from indexer import CatalogueUnavailable

log = logging.getLogger(__name__)

TAKEN = "situate_question"  # in Bolt's context: the question that this delivery made durable


def register(app: AsyncApp, parts: Parts, desk: Desk, intake: Intake) -> None:
    """Bolt acknowledges an event before its listener runs, so storing happens in a middleware, ahead of that."""

    @app.middleware
    async def take(
        body: dict[str, Any], context: AsyncBoltContext, next: Callable[[], Awaitable[None]]
    ) -> BoltResponse | None:
        if body.get("type") == "event_callback":
            try:
                await _take(body, context, parts, desk, intake)
            except CatalogueUnavailable as error:
                log.warning("an event could not be stored; Slack will send it again: %s", error)
                return BoltResponse(status=503)
        await next()
        return None

    async def begin(context: AsyncBoltContext) -> None:
        question = context.get(TAKEN)
        if question is not None:
            desk.begin(question)

    app.event("app_mention")(begin)
    app.event("message")(begin)


async def _anew(question: Question, parts: Parts, desk: Desk) -> Question | None:
    """An edit that goes back to a wording that was answered before, as another question; None where it is none.

    It is one where another wording was answered, or is being answered, since; told twice it is the same question.
    """
    if not question.edited:
        return None
    place = (question.team, question.channel, question.ts)
    latest = await parts.ledger.latest_answer(*place)
    since = None if latest is None or latest.question_key == question.key else latest.question_key
    for other, _ in await parts.ledger.unfinished():
        if (other.team, other.channel, other.ts) == place:
            since = None if other.text == question.text else other.key
    if since is None:
        return None
    anew = replace(question, again=f":{since}")  # after no answer: it stands beside the others
    return anew if await parts.ledger.take(anew, desk.owner) else None


async def _take(body: Mapping[str, Any], context: AsyncBoltContext, parts: Parts, desk: Desk, intake: Intake) -> None:
    gone = deleted(body, parts.me)
    if gone is not None:
        await desk.end(lambda question: (question.team, question.channel, question.ts) == gone, "dropped")
        return
    question = await intake.question(body)
    if question is not None and not await parts.ledger.take(question, desk.owner):
        question = await _anew(question, parts, desk)
    if question is None:
        return
    context[TAKEN] = question
    if question.edited:  # what is being answered of an earlier wording is not wanted any more
        place = (question.team, question.channel, question.ts)
        await desk.end(
            lambda other: (other.team, other.channel, other.ts) == place and other.key != question.key, "dropped"
        )
