"""Whether what somebody wants to add is there already, as far as they may know."""

from __future__ import annotations

from bot.adding import Item, Request, Twin, What
from bot.slack.adding.originals import Fetched
from bot.slack.audience import of_reader
from bot.slack.directory import CannotCheck
from bot.slack.parts import Parts
from bot.slack.rights import may_remove
from indexer import Examined


async def twin_of(
    parts: Parts, workspace: str, request: Request, item: Item, fetched: Fetched, looked_at: Examined
) -> Twin | None:
    """A document that looks like the same, among those that the person may read: by its name, or nearly its text.

    Raises CannotCheck and CatalogueUnavailable.
    """
    reading = await of_reader(parts.directory, request.user, request.user_team)
    match item.what:
        case What.FILE:
            alike = await parts.library.alike(workspace, looked_at, fetched.original.name, reading.viewer)
        case What.TEXT if item.title:
            alike = await parts.library.alike(workspace, looked_at, item.title, reading.viewer)
        case _:  # pages and messages are often called the same
            alike = await parts.library.alike(workspace, looked_at.signature, "", reading.viewer)
    # The same thing for the same readers is a new version of it, and for others it is the same on purpose.
    others = [one for one in alike if one.document.source != fetched.original.source]
    if not others:
        return None
    document = others[0].document
    return Twin(
        document.id,
        document.title,
        others[0].same,
        await name_of(parts, document.added_by),
        document.added_at,
        str(document.audience),
        await may_remove(parts, request.user, document),
    )


async def name_of(parts: Parts, user: str | None) -> str:
    """Who added a document, as people call them; "" where that is not known, or nobody in Slack."""
    try:
        return (await parts.directory.person(user)).name if user else ""
    except CannotCheck:
        return ""
