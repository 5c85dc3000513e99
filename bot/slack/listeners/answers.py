"""The buttons under an answer. Who clicks is checked again: what they may not read is not shown to them."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.answering.trouble import logged
from bot.ledger import StoredAnswer
from bot.slack import actions, views
from bot.slack.asking import How
from bot.slack.audience import of_person
from bot.slack.clicks import Click, click_of, respond, tell, try_to
from bot.slack.desk import Desk
from bot.slack.helpers import whom_to_ask
from bot.slack.keeping import add_attached
from bot.slack.messages import asked_person_message, muted_message, sentence_message
from bot.slack.parts import Parts
from bot.slack.posting import Place
from bot.slack.sharing import share
from bot.slack.threads import plain_question
from indexer import Passage, SituateError, Viewer

log = logging.getLogger(__name__)

FORM_SECONDS = 0.5  # for the language of a form, which must open within three seconds


def register(app: AsyncApp, parts: Parts, desk: Desk) -> None:
    async def show_passages(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        texts = await parts.texts(click.user, seconds=FORM_SECONDS)
        try:
            opened = await parts.client.views_open(trigger_id=click.trigger, view=views.passages_loading(texts))
        except Exception:  # too late, or Slack is away: the person can click again
            log.exception("a form could not be opened")
            return
        try:
            answer = await parts.ledger.answer(click.value)
            view = (
                views.sentence(texts.say("answer_gone"), texts)
                if answer is None
                else views.passages(
                    answer, await _around(parts, answer, await of_person(parts.directory, click.user, answer)), texts
                )
            )
        except SituateError as error:
            sentence = texts.of_error(error)
            view = views.sentence(sentence, texts, reference=logged(sentence, error))
        await try_to(parts.client.views_update(view_id=opened["view"]["id"], view=view))

    async def more(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        answer = await _answer(parts, actions.muted_answer(click.value))
        if answer is not None:
            await parts.ledger.mute(answer.team, answer.channel, answer.thread, click.user)
            await tell(parts, click, muted_message(await parts.texts(click.user), answer.id))

    async def unmute(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        answer = await _answer(parts, click.value)
        if answer is not None:
            await parts.ledger.unmute(answer.team, answer.channel, answer.thread)
            told = sentence_message((await parts.texts(click.user)).say("unmuted"))
            await respond(click, {"replace_original": True, "text": told.text, "blocks": told.blocks})

    async def ask_person(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        answer = await _answer(parts, click.value)
        if answer is not None:
            await _pass_on(parts, click, answer)

    async def shared(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        answer = await _answer(parts, click.value)
        if answer is not None and answer.asker == click.user:
            await share(parts, click, answer)

    async def try_again(ack: AsyncAck, body: dict[str, Any]) -> None:
        """Ask the same again. In the thread the answer replaces the one that could not be had."""
        await ack()
        click = click_of(body, parts.me)
        answer = await _answer(parts, click.value)
        question = await parts.ledger.question(answer.question_key) if answer is not None else None
        if question is None or (question.user != click.user and question.how is How.COMMAND):
            return
        anew = replace(question, again=click.trigger, response_url=click.response_url or question.response_url)
        if await parts.ledger.take(anew, desk.owner):
            desk.begin(anew)

    async def answer_privately(ack: AsyncAck, body: dict[str, Any]) -> None:
        """The same question from whoever clicks, answered for their eyes, with what they may read."""
        await ack()
        click = click_of(body, parts.me)
        answer = await _answer(parts, click.value)
        question = await parts.ledger.question(answer.question_key) if answer is not None else None
        if question is None:
            return
        own = replace(
            question,
            ts=f"private-{question.ts}",
            thread="",
            user=click.user,
            user_team=None,
            how=How.COMMAND,
            private=True,
            again=click.trigger,
            response_url=click.response_url,
            files=(),
        )
        if await parts.ledger.take(own, desk.owner):
            desk.begin(own)

    async def add_file(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        click = click_of(body, parts.me)
        answer = await _answer(parts, click.value)
        if answer is not None:
            await add_attached(parts, click, answer)

    app.action(actions.SHOW_PASSAGES)(show_passages)
    app.action(actions.MORE)(more)
    app.action(actions.UNMUTE)(unmute)
    app.action(actions.ASK_PERSON)(ask_person)
    app.action(actions.SHARE)(shared)
    app.action(actions.TRY_AGAIN)(try_again)
    app.action(actions.ANSWER_PRIVATELY)(answer_privately)
    app.action(actions.ADD_FILE)(add_file)


async def _answer(parts: Parts, id: str | None) -> StoredAnswer | None:
    return await parts.ledger.answer(id) if id else None


async def _around(parts: Parts, answer: StoredAnswer, viewer: Viewer) -> dict[int, list[Passage]]:
    """By marker the passages around each source that ``viewer`` may read in the version that was cited."""
    workspace = await parts.workspace.name()
    readable = {one.id: one.version for one in await parts.library.documents(workspace, viewer)}
    around: dict[int, list[Passage]] = {}
    for source in answer.sources:
        if readable.get(source.document) == source.version:
            start = max(0, source.position - 1)
            around[source.marker] = await parts.library.passages(workspace, source.version, start, source.position + 2)
    return around


async def _pass_on(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    """Ask whoever may know, in the thread where the question was asked; in a direct conversation, them directly."""
    texts = await parts.texts(click.user)
    helper = await whom_to_ask(parts, answer)
    if helper is None:
        await tell(parts, click, sentence_message(texts.say("nobody_to_ask")))
        return
    question = await plain_question(answer.question, parts.directory, parts.me)
    title = helper.title if helper.user else None
    told = asked_person_message(texts, asker=click.user, question=question, adder=helper.user, title=title)
    direct = answer.channel.startswith("D")
    place = Place(
        answer.team,
        helper.user if direct and helper.user else answer.channel,
        None if direct else answer.thread or None,
        click.user,
        None,
    )
    key = f"{answer.id}:ask:{helper.user or 'channel'}"
    if await try_to(parts.poster.post(place, blocks=told.blocks, text=told.text, key=key)):
        where = "was_asked_directly" if direct else "was_asked"
        await tell(parts, click, sentence_message(texts.say(where)))
