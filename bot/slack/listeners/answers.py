"""The buttons under an answer. Who clicks is checked again: what they may not read is not shown to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.ledger import StoredAnswer
from bot.slack.adding.protocol import Additions
from bot.slack.clicks import Click, click_of, fill_form, on_click, open_form, respond, say, tell
from bot.slack.helpers import pass_on
from bot.slack.keeping import add_attached
from bot.slack.parts import FORM_SECONDS, Parts
from bot.slack.passages import passages_of
from bot.slack.sharing import share
from bot.slack.showing import actions, views
from bot.slack.showing.messages import muted_message, sentence_message


def register(app: AsyncApp, parts: Parts, additions: Additions) -> None:
    async def show_passages(ack: AsyncAck, body: dict[str, Any]) -> None:
        """A form opens at once, and is filled as soon as it is known who may read what."""
        await ack()
        click = click_of(body, parts.me)
        texts = await parts.texts(click.user, seconds=FORM_SECONDS)
        form = await open_form(parts, click.trigger, views.passages_loading(texts))
        if form is None:
            await say(parts, click, "not_opened")
            return
        await fill_form(parts, form, await passages_of(parts, click.value, click.user, texts))

    def on_answer(work: Callable[[Parts, Click, StoredAnswer], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        return on_click(parts, lambda click: _with_answer(parts, click, click.value, work))

    async def more(click: Click) -> None:
        if (answer := actions.muted_answer(click.value)) is not None:
            await _with_answer(parts, click, answer, _mute)

    async def add_file(parts: Parts, click: Click, answer: StoredAnswer) -> None:
        await add_attached(parts, additions, click, answer)

    app.action(actions.SHOW_PASSAGES)(show_passages)
    app.action(actions.MORE)(on_click(parts, more))
    app.action(actions.UNMUTE)(on_answer(_unmute))
    app.action(actions.ASK_PERSON)(on_answer(pass_on))
    app.action(actions.SHARE)(on_answer(_share))
    app.action(actions.ADD_FILE)(on_answer(add_file))


async def _with_answer(
    parts: Parts, click: Click, id: str, work: Callable[[Parts, Click, StoredAnswer], Awaitable[None]]
) -> None:
    answer = await parts.ledger.answer(id)
    if answer is None:
        await say(parts, click, "answer_gone")
    else:
        await work(parts, click, answer)


async def _mute(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    await parts.ledger.mute(answer.team, answer.channel, answer.thread, click.user)
    await tell(parts, click, muted_message(await parts.texts(click.user), answer.id))


async def _unmute(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    await parts.ledger.unmute(answer.team, answer.channel, answer.thread)
    told = sentence_message((await parts.texts(click.user)).say("unmuted"))
    body = {"replace_original": True, "text": told.text, "blocks": told.blocks}
    if not (click.ephemeral and await respond(click.response_url, body)):
        await tell(parts, click, told)


async def _share(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    if answer.asker == click.user:
        await share(parts, click, answer)
