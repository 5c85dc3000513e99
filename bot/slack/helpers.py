"""Whom to ask where the documents do not tell: whoever added the closest document, or the channel."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ledger import StoredAnswer
from bot.slack.clicks import Click, say, try_to
from bot.slack.directory import CannotCheck, Gone
from bot.slack.parts import Parts
from bot.slack.sending.posting import Place
from bot.slack.showing.messages import asked_person_message
from bot.slack.threads import plain_question
from indexer import Audience, Viewer

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

    Never the asker or a bot. In a channel only people who are in it; in a direct conversation only employees: a
    question that was asked in private does not leave the company.
    """
    direct = answer.channel.startswith("D")
    viewer = Viewer(frozenset(Audience.parse(text) for text in answer.audiences))
    workspace = await parts.workspace.name()
    adders = {one.id: (one.added_by, one.title) for one in await parts.library.documents(workspace, viewer)}
    try:
        members = frozenset() if direct else await parts.directory.members(answer.channel)
        for document in dict.fromkeys(hit.document for hit in answer.hits):
            user, title = adders.get(document, (None, ""))
            if not user or not _USER.fullmatch(user) or user == answer.asker or (not direct and user not in members):
                continue
            person = await parts.directory.person(user)
            if person.is_employee if direct else not (person.is_bot or person.is_deleted):
                return Helper(user, f"@{person.name}", title)
        if direct:
            return None
        channel = await parts.directory.channel(answer.channel)
        return Helper(None, "" if channel.kind == "mpim" else f"#{channel.name}")
    except (CannotCheck, Gone):
        return None


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
