"""Whom to ask where the documents do not tell: whoever added the closest document, or the channel."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ledger import StoredAnswer
from bot.slack.audience import of_place, of_reader
from bot.slack.clicks import Click, say, try_to
from bot.slack.directory import CannotCheck, Gone, Person
from bot.slack.parts import Parts
from bot.slack.sending.posting import Place
from bot.slack.showing.messages import asked_person_message
from bot.slack.threads import plain_question
from indexer import Audience, Document, Viewer

_USER = re.compile(r"[UW][A-Z0-9]{5,}")


@dataclass(frozen=True, slots=True)
class Helper:
    """Who may know. ``user`` is None for everybody in the channel. ``name`` is as shown, "" for a conversation that
    has none; ``title`` is what they added.
    """

    user: str | None
    name: str
    title: str | None = None


async def whom_to_ask(parts: Parts, answer: StoredAnswer) -> Helper | None:
    """Who may know more than the documents: None in a direct conversation where nobody added anything close.

    Never the asker or a bot. In a channel only people who are in it; in a direct conversation only employees who may
    read that document still: a question that was asked in private does not leave the company. A document that not
    everybody there may read any more names nobody.
    """
    direct = answer.channel.startswith("D")
    now = await of_place(parts.directory, answer.channel, answer.thread)
    then = {Audience.parse(text) for text in answer.audiences}
    workspace = await parts.workspace.name()
    readable = {one.id: one for one in await parts.library.documents(workspace, Viewer(now.viewer.audiences & then))}
    try:
        members = frozenset() if direct else await parts.directory.members(answer.channel)
        for id in dict.fromkeys(hit.document for hit in answer.hits):
            document = readable.get(id)
            user = document.added_by if document is not None else None
            if document is None or not user or not _USER.fullmatch(user) or user == answer.asker:
                continue
            if not direct and user not in members:
                continue
            person = await parts.directory.person(user)
            if person.is_bot or person.is_deleted or (direct and not await _may_be_asked(parts, person, document)):
                continue
            return Helper(user, f"@{person.name}", document.title)
        if direct:
            return None
        channel = await parts.directory.channel(answer.channel)
        return Helper(None, "" if channel.kind == "mpim" else f"#{channel.name}")
    except (CannotCheck, Gone):
        return None


async def _may_be_asked(parts: Parts, person: Person, document: Document) -> bool:
    """Whether somebody may be asked about a document by who is not seen to ask."""
    if not person.is_employee:
        return False
    reading = await of_reader(parts.directory, person.id, among={document.audience})
    return reading.viewer.may_read(document.audience)


async def pass_on(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    """Ask whoever may know, in the thread where the question was asked; in a direct conversation, them directly.

    Once, however often and by whomever it is clicked.
    """
    helper = await whom_to_ask(parts, answer)
    if helper is None:
        await say(parts, click, "nobody_to_ask")
        return
    direct = answer.channel.startswith("D")
    key = f"{answer.id}:ask:{helper.user or 'channel'}"
    turn = await parts.ledger.begin_errand(key)
    if turn == "yours":
        asked = False
        try:
            asked = await _ask(parts, click, answer, helper, key)
        finally:
            await parts.ledger.end_errand(key, done=asked)
        if not asked:
            await say(parts, click, "not_asked")
            return
    await say(parts, click, "was_asked_directly" if direct else "was_asked")


async def _ask(parts: Parts, click: Click, answer: StoredAnswer, helper: Helper, key: str) -> bool:
    direct = answer.channel.startswith("D")
    # In the language of who reads it: of the person, or, before a whole channel, of who asks.
    texts = await parts.texts(helper.user or click.user)
    question = await plain_question(answer.question, parts.directory, parts.me)
    told = asked_person_message(
        texts, asker=click.user, question=question, adder=helper.user, title=helper.title if helper.user else None
    )
    place = Place(
        answer.team,
        helper.user if direct and helper.user else answer.channel,
        None if direct else answer.thread or None,
        click.user,
        None,
    )
    return await try_to(parts.poster.post(place, blocks=told.blocks, text=told.text, key=key))
