"""A file that was attached to a question, added to the documents for good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.asking import Question
from bot.ledger import StoredAnswer
from bot.slack.audience import of_person, thread_audience
from bot.slack.clicks import Click, say
from bot.slack.directory import CannotCheck, Gone
from bot.slack.files import Attached, source_of
from bot.slack.parts import Parts
from bot.slack.refusals import refusal_of
from indexer import Audience, Document, SituateError, Viewer


async def to_add(parts: Parts, question: Question, attached: Attached) -> tuple[str, ...]:
    """The titles of attached files that can be added to the documents: guests have no documents of their own."""
    try:
        if attached.documents and question.is_direct and not (await parts.directory.person(question.user)).is_employee:
            return ()
    except (CannotCheck, Gone):
        return ()
    return tuple(title for _, title in attached.documents)


async def add_attached(parts: Parts, click: Click, answer: StoredAnswer) -> None:
    """Add what was attached to a question, for those who read there: the channel; in a direct message for the adder.

    The person who clicked is told when it begins and how it ended, each time in one message that only they see. Added
    once, however often it is clicked.
    """
    direct = answer.channel.startswith("D")
    if direct and not (await parts.directory.person(click.user)).is_employee:
        await say(parts, click, "guests_keep_none")
        return
    workspace = await parts.workspace.name()
    documents = await _attached(parts, workspace, click, answer)
    if not documents:
        await say(parts, click, "attached_gone")
        return
    key = f"{answer.id}:add"
    if await parts.ledger.begin_errand(key) == "busy":
        return
    try:
        await say(parts, click, "adding", titles=", ".join(document.title for document in documents))
        audience = Audience("user", click.user) if direct else Audience("channel", answer.channel)
        for document in documents:
            await _add(parts, workspace, click, document, audience)
    finally:
        await parts.ledger.end_errand(key, done=False)  # the same bytes added again cost nothing


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


async def _add(parts: Parts, workspace: str, click: Click, document: Document, audience: Audience) -> None:
    title = document.title
    texts = await parts.texts(click.user)
    try:
        original = await parts.library.original(workspace, document.id)
        added = await parts.library.add(
            original, workspace=workspace, audience=audience, title=title, added_by=click.user
        )
        rows = [row async for row in parts.library.follow([added.version])]
    except SituateError as error:
        await say(parts, click, "not_added", title=title, why=texts.of_error(error))
        return
    last = rows[-1] if rows else None
    if last is None or last.state != "published":
        why = refusal_of(last.error, title, texts) if last is not None and last.error else ""
        await say(parts, click, "not_added", title=title, why=why)
    else:
        await say(parts, click, "added_for_you" if audience.kind == "user" else "added_for_channel", title=title)
