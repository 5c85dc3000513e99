"""A private answer, shown to the channel where it was asked for."""

from __future__ import annotations

from dataclasses import replace

from bot.ledger import StoredAnswer
from bot.slack.audience import of_place
from bot.slack.clicks import Click, respond, say, try_to
from bot.slack.directory import CannotCheck, Gone
from bot.slack.markup import safe_markdown
from bot.slack.parts import Parts
from bot.slack.private import LONGEST_PART
from bot.slack.sending.posting import Place
from bot.slack.sending.splitting import split
from bot.slack.showing.blocks import Offers
from bot.slack.showing.messages import Message, shared_answer
from bot.slack.threads import plain_question


async def share(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    """Post an answer, once, where everybody may read, now, all that it was made from; else say why not."""
    key = f"{answer.id}:share"
    if await parts.ledger.begin_errand(key) != "yours":
        return  # it is in the channel, or about to be
    posted = False
    try:
        posted = await _share(parts, click, answer)
    finally:
        await parts.ledger.end_errand(key, done=posted)
    if posted and click.ephemeral:  # or it would be there twice for its asker
        await respond(click.response_url, {"delete_original": True})


async def _share(parts: Parts, click: Click, answer: StoredAnswer) -> bool:
    reading = await of_place(parts.directory, answer.channel)
    if reading.left_out == "cannot_check":
        await say(parts, click, "cannot_check")
        return False
    if not await _may_be_read(parts, answer, {str(audience) for audience in reading.viewer.audiences}):
        await say(parts, click, "not_shared")
        return False
    question = await plain_question(answer.question, parts.directory, parts.me)
    markdown = split(safe_markdown(answer.text), LONGEST_PART, len)
    texts = await parts.texts(answer.asker)
    messages = shared_answer(answer, texts, markdown, question=question, offers=Offers())
    if not await _is_there(parts, answer.channel):  # then only the response URL may write
        if await _respond(click, messages):
            return True
        await say(parts, click, "not_posted")
        return False
    sent: list[str] = []
    for number, message in enumerate(messages):
        if not await try_to(_post(parts, click, message, f"{answer.id}:share:{number}", sent)):
            break
    await parts.ledger.keep(replace(answer, messages=tuple(sent)))
    if len(sent) < len(messages):
        await say(parts, click, "not_posted")
    return bool(sent)


async def _is_there(parts: Parts, channel: str) -> bool:
    try:
        return (await parts.directory.channel(channel)).is_member
    except (CannotCheck, Gone):
        return False


async def _post(parts: Parts, click: Click, message: Message, key: str, sent: list[str]) -> None:
    place = Place(click.team, click.channel, None, click.user, None)
    sent.append(await parts.poster.post(place, blocks=message.blocks, text=message.text, key=key))


async def _respond(click: Click, messages: list[Message]) -> bool:
    done = [
        await respond(
            click.response_url,
            {
                "response_type": "in_channel",
                "replace_original": False,
                "text": message.text,
                "blocks": message.blocks,
                "unfurl_links": False,
                "unfurl_media": False,
            },
        )
        for message in messages
    ]
    return all(done)


async def _may_be_read(parts: Parts, answer: StoredAnswer, audiences: set[str]) -> bool:
    """Whether everybody in the channel may read, now, all that the answer was made from."""
    if not set(answer.audiences) <= audiences:
        return False
    workspace = await parts.workspace.name()
    published = await parts.library.published(workspace, frozenset(source.document for source in answer.sources))
    return all(published.get(source.document) == source.version for source in answer.sources)
