"""What people think of answers: buttons, the form behind 👎, and reactions."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.clicks import Click, on_click, say, try_to
from bot.slack.parts import FORM_SECONDS, Parts
from bot.slack.showing import actions, views
from indexer import SituateError

log = logging.getLogger(__name__)

COMMENT_SECONDS = 2.0  # a form waits three
REACTIONS: dict[str, Literal[1, -1]] = {"+1": 1, "thumbsup": 1, "-1": -1, "thumbsdown": -1}


def register(app: AsyncApp, parts: Parts) -> None:
    async def good(click: Click) -> None:
        await say(parts, click, "thanks" if await _judged(parts, click, 1) else "answer_gone")

    async def bad(click: Click) -> None:
        """Noted at once; what was wrong is asked in a form that may be closed."""

        async def ask() -> bool:
            form = views.feedback(click.value, await parts.texts(click.user, seconds=FORM_SECONDS))
            return await try_to(parts.client.views_open(trigger_id=click.trigger, view=form))

        opened, judged = await asyncio.gather(ask(), _judged(parts, click, -1))
        if not judged:
            await say(parts, click, "answer_gone")
        elif not opened:
            await say(parts, click, "thanks")

    async def comment(ack: AsyncAck, body: dict[str, Any], view: dict[str, Any]) -> None:
        """Kept before the form closes: where it cannot be, the form stays, with what was written in it."""
        user = str(body.get("user", {}).get("id", ""))
        try:
            async with asyncio.timeout(COMMENT_SECONDS):
                await _commented(parts, str(view.get("private_metadata", "")), user, views.comment_of(view))
        except (SituateError, TimeoutError) as error:
            log.warning("a comment could not be kept: %s", error)
            texts = await parts.texts(user, seconds=FORM_SECONDS)
            await ack(response_action="errors", errors={actions.COMMENT_BLOCK: texts.say("not_kept")})
        else:
            await ack()

    async def reacted(event: dict[str, Any]) -> None:
        await _reacted(parts, event, given=True)

    async def unreacted(event: dict[str, Any]) -> None:
        await _reacted(parts, event, given=False)

    app.action(actions.FEEDBACK_GOOD)(on_click(parts, good))
    app.action(actions.FEEDBACK_BAD)(on_click(parts, bad))
    app.view(actions.FEEDBACK_VIEW)(comment)
    app.event("reaction_added")(reacted)
    app.event("reaction_removed")(unreacted)


async def _commented(parts: Parts, answer: str, user: str, comment: str | None) -> None:
    """The form is behind a button: who sends it has said before that something is wrong."""
    if comment and any(one.user == user for one in await parts.ledger.feedback_on(answer)):
        await parts.ledger.feedback(answer, user, -1, "button", comment)


async def _judged(parts: Parts, click: Click, value: Literal[1, -1]) -> bool:
    answer = await parts.ledger.answer(click.value)
    if answer is None or (answer.private and click.ephemeral and click.user != answer.asker):
        return False
    await parts.ledger.feedback(answer.id, click.user, value, "button")
    return True


async def _reacted(parts: Parts, event: dict[str, Any], *, given: bool) -> None:
    value = REACTIONS.get(str(event.get("reaction", "")).partition("::")[0])  # "+1::skin-tone-3"
    item, user = event.get("item") or {}, str(event.get("user", ""))
    if value is None or item.get("type") != "message" or user in ("", parts.me.user_id):
        return
    answer = await parts.ledger.answer_of_message(parts.me.team, str(item.get("channel")), str(item.get("ts")))
    if answer is None:
        return
    if given:
        await parts.ledger.feedback(answer.id, user, value, "reaction")
    else:
        await parts.ledger.withdraw_feedback(answer.id, user, value=value)
