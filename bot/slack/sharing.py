"""A private answer, shown to the channel where it was asked for."""

from __future__ import annotations

from dataclasses import replace

from bot.ledger import StoredAnswer
from bot.slack.audience import of_place
from bot.slack.blocks import Offers
from bot.slack.clicks import Click, respond, tell, try_to
from bot.slack.markup import safe_markdown
from bot.slack.messages import Message, sentence_message, shared_answer
from bot.slack.parts import Parts
from bot.slack.posting import Place
from bot.slack.private import LONGEST_PART
from bot.slack.splitting import split
from bot.slack.threads import plain_question


async def share(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    """Post an answer where everybody in the channel may read all that it was made from; else say why not."""
    texts = await parts.texts(click.user)
    reading = await of_place(parts.directory, answer.channel)
    if not await _may_be_read(parts, answer, {str(audience) for audience in reading.viewer.audiences}):
        await tell(parts, click, sentence_message(texts.say("not_shared")))
        return
    question = await plain_question(answer.question, parts.directory, parts.me)
    markdown = split(safe_markdown(answer.text), LONGEST_PART, len)
    messages = shared_answer(answer, texts, markdown, question=question, offers=Offers())
    place = Place(answer.team, answer.channel, None, click.user, None)
    sent: list[str] = []
    for number, message in enumerate(messages):
        if not await try_to(_post(parts, place, message, f"{answer.id}:share:{number}", sent)):
            break
    if not sent and not await _respond(click, messages):  # where the bot is not, only the response URL may write
        await tell(parts, click, sentence_message(texts.say("not_posted")))
        return
    await parts.ledger.keep(replace(answer, messages=(*answer.messages, *sent)))
    await respond(click, {"delete_original": True})


async def _post(parts: Parts, place: Place, message: Message, key: str, sent: list[str]) -> None:
    sent.append(await parts.poster.post(place, blocks=message.blocks, text=message.text, key=key))


async def _respond(click: Click, messages: list[Message]) -> bool:
    done = [
        await respond(
            click,
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
