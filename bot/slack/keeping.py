"""A file that was attached to a question, added to the documents for good."""

from __future__ import annotations

from bot.ledger import StoredAnswer
from bot.slack.audience import thread_audience
from bot.slack.clicks import Click, tell
from bot.slack.messages import sentence_message
from bot.slack.parts import Parts
from indexer import Audience, SituateError, Viewer


async def add_attached(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    """Add what is attached in a thread, for those who read there: the channel, or in a direct conversation the adder.

    The person who clicked is told when it begins and how it ended, each time in one message that only they see.
    """
    texts = await parts.texts(click.user)
    direct = answer.channel.startswith("D")
    audience = Audience("user", click.user) if direct else Audience("channel", answer.channel)
    attached = Viewer(frozenset({thread_audience(answer.channel, answer.thread)}))
    workspace = await parts.workspace.name()
    documents = await parts.library.documents(workspace, attached)
    if not documents:
        await tell(parts, click, sentence_message(texts.say("attached_gone")))
        return
    titles = ", ".join(document.title for document in documents)
    await tell(parts, click, sentence_message(texts.say("adding", titles=titles)))
    for document in documents:
        try:
            original = await parts.library.original(workspace, document.id)
            added = await parts.library.add(
                original, workspace=workspace, audience=audience, title=document.title, added_by=click.user
            )
            rows = [row async for row in parts.library.follow([added.version])]
        except SituateError as error:
            told = texts.say("not_added", title=document.title, why=texts.of_error(error))
        else:
            last = rows[-1] if rows else None
            if last is None or last.state == "published":
                told = texts.say("added_for_you" if direct else "added_for_channel", title=document.title)
            else:
                told = texts.say("not_added", title=document.title, why=last.error or "")
        await tell(parts, click, sentence_message(told))
