"""A file that was attached to a question, added to the documents for good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.adding import ASKING, AT_WORK, Item, Request, What
from bot.asking import Question
from bot.ledger import StoredAnswer
from bot.slack.adding.protocol import Additions
from bot.slack.audience import of_person, thread_audience
from bot.slack.clicks import Click, say, tell
from bot.slack.directory import CannotCheck, Gone
from bot.slack.fetching import source_of
from bot.slack.files import Attached
from bot.slack.naming import called
from bot.slack.parts import Parts
from bot.slack.rights import may_add
from bot.slack.showing.messages import sentence_message
from bot.slack.showing.sources import title_of
from indexer import Audience, Document, Viewer


async def to_add(parts: Parts, question: Question, attached: Attached) -> tuple[str, ...]:
    """The titles of attached files that can be added to the documents, as far as the asker may add any."""
    if not attached.documents:
        return ()
    try:
        if question.is_direct and not (await parts.directory.person(question.user)).is_employee:
            return ()  # guests have no documents of their own
        if not question.is_direct or await may_add(parts, question.user, question.user_team):
            return tuple(title for _, title in attached.documents)
    except (CannotCheck, Gone):
        pass
    return ()


async def add_attached(parts: Parts, additions: Additions, click: Click, answer: StoredAnswer) -> None:
    """Add what was attached to a question, for those who read there: the channel; in a direct message for the adder.

    Once, however often it is clicked; again where nothing came of it.
    """
    direct = answer.channel.startswith("D")
    if direct and not (await parts.directory.person(click.user)).is_employee:
        await say(parts, click, "guests_keep_none")
        return
    if not await may_add(parts, click.user, click.user_team):
        await say(parts, click, "may_not_add")
        return
    documents = await _attached(parts, await parts.workspace.name(), click, answer)
    if not documents:
        await say(parts, click, "attached_gone")
        return
    request = await _new_request(additions, click, answer, documents)
    taken = request is not None and await additions.take(request)
    if request is not None and taken:
        additions.begin(request)
    begun = "adding_here" if direct else "adding"  # it is shown in their direct conversation
    key = begun if taken else "adding_already"
    texts = await parts.texts(click.user)
    titles = ", ".join(called(title_of(document.title, texts), texts) for document in documents)
    await tell(parts, click, sentence_message(texts.say(key, titles=titles)))


async def _new_request(
    additions: Additions, click: Click, answer: StoredAnswer, documents: list[Document]
) -> Request | None:
    """The request for what was attached; None while one that somebody made is under way, or came to something."""
    audience = Audience("user", click.user) if answer.channel.startswith("D") else Audience("channel", answer.channel)
    id = answer.id
    while earlier := await additions.progress(id):
        if any(item.state in (*AT_WORK, *ASKING, "ready") for item in earlier):
            return None
        id += "+"
    return Request(
        id=id,
        team=click.team,
        user=click.user,
        user_team=click.user_team,
        items=tuple(
            Item(What.FILE, document.source.rpartition(":")[2], document.title, title=document.title)
            for document in documents
        ),
        audience=str(audience),
        channel=answer.channel,
        response_url=click.response_url,
    )


async def _attached(parts: Parts, workspace: str, click: Click, answer: StoredAnswer) -> list[Document]:
    """The documents that were made of the question's files, as far as whoever clicks may read them."""
    question = await parts.ledger.question(answer.question_key)
    files: tuple[Mapping[str, Any], ...] = question.files if question is not None else ()
    sources = {source_of(str(file.get("id"))) for file in files}
    audience = thread_audience(answer.channel, answer.thread)
    viewer = await of_person(parts.directory, click.user, answer)
    if audience not in viewer.audiences:
        return []
    documents = await parts.library.documents(workspace, Viewer(frozenset({audience})))
    return [document for document in documents if document.source in sources]
