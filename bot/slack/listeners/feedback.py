"""What people think of answers: buttons, the form behind 👎, and reactions."""

from __future__ import annotations

import logging
from typing import Any, Literal

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack import actions, views
from bot.slack.clicks import Click, click_of, tell, try_to
from bot.slack.messages import sentence_message
from bot.slack.parts import Parts

log = logging.getLogger(__name__)

REACTIONS: dict[str, Literal[1, -1]] = {"+1": 1, "thumbsup": 1, "-1": -1, "thumbsdown": -1}


def register(app: AsyncApp, parts: Parts) -> None:
    async def good(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        if await _judged(parts, click, 1):
            await tell(parts, click, sentence_message((await parts.texts(click.user)).say("thanks")))

    async def bad(ack: AsyncAck, body: dict[str, Any]) -> None:
        """Noted at once; what was wrong is asked in a form that may be closed."""
        await ack()
        click = click_of(body, parts.me)
        texts = await parts.texts(click.user, seconds=0.5)  # a form must open within three seconds
        form = views.feedback(click.value, texts)
        opened = await try_to(parts.client.views_open(trigger_id=click.trigger, view=form))
        if await _judged(parts, click, -1) and not opened:
            await tell(parts, click, sentence_message(texts.say("thanks")))

    async def comment(ack: AsyncAck, body: dict[str, Any], view: dict[str, Any]) -> None:
        await ack()
        answer, user = str(view.get("private_metadata", "")), str(body.get("user", {}).get("id", ""))
        told = views.comment_of(view)
        if told and user and await parts.ledger.answer(answer) is not None:
            await parts.ledger.feedback(answer, user, -1, "button", told)

    async def reacted(event: dict[str, Any]) -> None:
        await _reacted(parts, event, given=True)

    async def unreacted(event: dict[str, Any]) -> None:
        await _reacted(parts, event, given=False)

    app.action(actions.FEEDBACK_GOOD)(good)
    app.action(actions.FEEDBACK_BAD)(bad)
    app.view(actions.FEEDBACK_VIEW)(comment)
    app.event("reaction_added")(reacted)
    app.event("reaction_removed")(unreacted)


async def _judged(parts: Parts, click: Click, value: Literal[1, -1]) -> bool:
    if await parts.ledger.answer(click.value) is None:
        return False
    await parts.ledger.feedback(click.value, click.user, value, "button")
    return True


async def _reacted(parts: Parts, event: dict[str, Any], *, given: bool) -> None:
    value = REACTIONS.get(str(event.get("reaction", "")).partition("::")[0])  # "+1::skin-tone-3"
    item, user = event.get("item") or {}, str(event.get("user", ""))
    if value is None or item.get("type") != "message" or not user:
        return
    answer = await parts.ledger.answer_of_message(parts.me.team, str(item.get("channel")), str(item.get("ts")))
    if answer is None:
        return
    if given:
        await parts.ledger.feedback(answer.id, user, value, "reaction")
    else:
        await parts.ledger.withdraw_feedback(answer.id, user)
