"""``/docs``: what documents there are, searching them, and taking them out; adding is in ``adding``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.answering.trouble import logged
from bot.slack import rights
from bot.slack.adding.protocol import Additions
from bot.slack.adding.unsettled import unsettled
from bot.slack.clicks import Click, respond, tell
from bot.slack.directory import CannotCheck
from bot.slack.documents import money, shelf
from bot.slack.intake import command_question
from bot.slack.listeners.adding import add_command
from bot.slack.markup import unescape
from bot.slack.parts import Parts
from bot.slack.removing import Removing
from bot.slack.searching import searched
from bot.slack.showing.documents import docs_help, documents_list, status_message
from bot.slack.showing.messages import Message, sentence_message, trouble_message
from bot.texts import Texts
from indexer import SituateError

QUIET_SECONDS = 1.0  # that nothing is said
HELP_SECONDS = 3.0  # help comes soon, also where Slack does not tell what somebody may do

Answering = Callable[[Parts, Click, dict[str, Any], Texts], Awaitable[list[Message]]]


def register(app: AsyncApp, parts: Parts, additions: Additions, removing: Removing) -> None:
    """``/docs`` (or what DOCS_COMMAND says). What it answers, the person alone sees, also where the bot is not."""

    async def docs(ack: AsyncAck, body: dict[str, Any]) -> None:
        verb, words = asked_of(body)
        if verb == "add":
            await add_command(parts, additions, ack, body, words)
        elif verb == "remove":
            await ack()
            await removing.open(click_of_command(body, parts), words=unescape(words))
        elif (answering := ANSWERED.get(verb)) is not None:
            await _answer(parts, ack, body, words, answering)
        else:
            await _answer(parts, ack, body, "" if verb in ("", "help") else verb, _help)

    app.command(parts.settings.docs_command)(docs)


def asked_of(body: dict[str, Any]) -> tuple[str, str]:
    """What the command is to do, and the words behind it as Slack sent them.

    >>> asked_of({"text": " List  budget 2024 "}), asked_of({"text": ""})
    (('list', 'budget 2024'), ('', ''))
    """
    verb, _, words = str(body.get("text") or "").strip().partition(" ")
    return verb.lower(), words.strip()


def click_of_command(body: dict[str, Any], parts: Parts) -> Click:
    """Who typed the command and where, as if they had clicked there: what they are told comes the same ways."""
    return Click(
        user=str(body.get("user_id") or ""),
        user_team=body.get("team_id"),
        team=parts.me.team,
        channel=str(body.get("channel_id") or ""),
        message="",
        thread="",
        value="",
        trigger=str(body.get("trigger_id") or ""),
        response_url=body.get("response_url"),
        ephemeral=True,
    )


async def _answer(parts: Parts, ack: AsyncAck, body: dict[str, Any], words: str, answering: Answering) -> None:
    """Acknowledge at once, and answer; what takes longer says so meanwhile.

    The acknowledgement itself says nothing: a quick answer might come before it, and stand above it.
    """
    await ack()
    click = replace(click_of_command(body, parts), value=unescape(words))
    texts = await parts.texts(click.user)
    work = asyncio.create_task(_messages(parts, click, body, texts, answering))
    done, _ = await asyncio.wait({work}, timeout=QUIET_SECONDS)
    waits = False
    if not done:
        waits = await respond(click.response_url, {"response_type": "ephemeral", "text": texts.say("docs_looking")})
    for number, message in enumerate(await work):
        await _shown(parts, click, message, instead=waits and number == 0)


async def _messages(
    parts: Parts, click: Click, body: dict[str, Any], texts: Texts, answering: Answering
) -> list[Message]:
    try:
        return await answering(parts, click, body, texts)
    except Exception as error:  # noqa: BLE001 whoever asks gets a sentence, whatever is wrong in here
        sentence = texts.of_error(error)
        return [trouble_message(sentence, texts, reference=logged(sentence, error))]


async def _shown(parts: Parts, click: Click, message: Message, *, instead: bool) -> None:
    """Show it to whoever asked; ``instead`` of the word that it takes a moment, where Slack lets that be replaced."""
    answer = {
        "response_type": "ephemeral",
        "replace_original": instead,
        "text": message.text,
        "blocks": message.blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }
    if not await respond(click.response_url, answer):
        await tell(parts, replace(click, response_url=None), message)


async def _list(parts: Parts, click: Click, body: dict[str, Any], texts: Texts) -> list[Message]:
    there = await shelf(parts, click.user, click.user_team, texts)
    words = click.value
    return [
        documents_list(
            there.with_words(words) if words else there,
            texts,
            now=datetime.now(UTC),
            command=parts.settings.docs_command,
            asked=words,
            may_add=await _may_add(parts, click),
        )
    ]


async def _status(parts: Parts, click: Click, body: dict[str, Any], texts: Texts) -> list[Message]:
    there, begun = await asyncio.gather(
        shelf(parts, click.user, click.user_team, texts), unsettled(parts, click.user, click.user_team)
    )
    spent = await money(parts) if there.is_admin else None
    return [status_message(there, texts, now=datetime.now(UTC), money=spent, unsettled=begun)]


async def _search(parts: Parts, click: Click, body: dict[str, Any], texts: Texts) -> list[Message]:
    question = command_question(body, parts.me)
    if question is None or not click.value.strip():
        return [sentence_message(texts.say("docs_search_what", command=parts.settings.docs_command))]
    return await searched(parts, replace(question, text=click.value, private=True), texts)


async def _may_add(parts: Parts, click: Click) -> bool:
    try:
        return await rights.may_add(parts, click.user, click.user_team)
    except CannotCheck:
        return False


async def _help(parts: Parts, click: Click, body: dict[str, Any], texts: Texts) -> list[Message]:
    """What this person can do; all of it where that cannot be checked: each command checks again."""
    may_add = may_remove = True
    with suppress(SituateError, TimeoutError):
        async with asyncio.timeout(HELP_SECONDS):
            may_add = await rights.may_add(parts, click.user, click.user_team)
            there = None if may_add else await shelf(parts, click.user, click.user_team, texts, most_named=0)
            may_remove = there is None or there.is_admin or bool(there.removable)
    settings = parts.settings
    return [
        docs_help(
            texts,
            command=settings.docs_command,
            ask_command=settings.ask_command,
            unknown=click.value,
            may_add=may_add,
            may_remove=may_remove,
        )
    ]


ANSWERED: dict[str, Answering] = {"list": _list, "status": _status, "search": _search}
