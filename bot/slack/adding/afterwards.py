"""What became of documents after they were added: the messages that told of them say so, and offer nothing more."""

from __future__ import annotations

import logging
from dataclasses import replace

from bot.slack.adding.moving import Moving
from bot.slack.parts import Parts
from indexer import DocumentId, SituateError, VersionId

log = logging.getLogger(__name__)


async def tell_where_it_is_gone(parts: Parts, document: str) -> None:
    """Where a document is not there any more, each message that says that it is ready is brought up to date.

    Nothing happens where it is there. What cannot be done now is logged: at a click it is tried again.
    """
    try:
        workspace = await parts.workspace.name()
        if await parts.library.published(workspace, frozenset({DocumentId(document)})):
            return
        for addition in await parts.ledger.added_as(document):
            for number, item in enumerate(addition.items):
                if item.document == document and item.state == "ready":
                    await parts.ledger.set_progress(addition.request.id, number, replace(item, state="removed"))
            if addition.message is not None:
                await Moving(parts, addition.request).show()
    except SituateError as error:
        log.warning("what tells of a document that is gone could not be brought up to date: %s", error)


async def tell_of_as(parts: Parts, document: str, now: DocumentId, version: VersionId) -> None:
    """A document is another one ``now``, for other readers: the buttons under what told of it mean that one.

    Raises CatalogueUnavailable.
    """
    for addition in await parts.ledger.added_as(document):
        for number, item in enumerate(addition.items):
            if item.document == document:
                await parts.ledger.set_progress(
                    addition.request.id, number, replace(item, document=now, version=version)
                )
        if addition.message is not None:
            await Moving(parts, addition.request).show()
