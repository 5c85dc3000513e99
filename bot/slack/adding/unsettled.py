"""What somebody asked to have added and is no document: it is being read, waits for their word, or was refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bot.adding import ASKING, Progress
from bot.slack.adding.permalinks import permalink
from bot.slack.audience import of_reader
from bot.slack.parts import Parts
from indexer import Audience, Viewer

DAYS = 7  # after which nobody is reminded of it any more


@dataclass(frozen=True, slots=True)
class Unsettled:
    """``item`` as its adder may see it now. ``url`` leads to the message that tells of it, where they can answer."""

    item: Progress
    url: str | None = None


async def unsettled(parts: Parts, user: str, user_team: str | None) -> tuple[Unsettled, ...]:
    """What ``user`` asked for in the last days, newest first. Of the same thing asked for again, the last time counts.

    What was put on the queue is among the documents, whatever became of it there. Raises CannotCheck and
    CatalogueUnavailable.
    """
    found: dict[str, Unsettled] = {}
    for addition in await parts.ledger.additions_of(parts.me.team, user, datetime.now(UTC) - timedelta(days=DAYS)):
        url = permalink(parts.me.host, *addition.message) if addition.message is not None else None
        for asked, item in zip(addition.request.items, addition.items, strict=True):
            found.setdefault(asked.source, Unsettled(item, url))
    told = [one for one in found.values() if _is_unsettled(one.item)]
    if any(one.item.twin is not None for one in told):
        viewer = (await of_reader(parts.directory, user, user_team)).viewer
        told = [replace(one, item=_as_seen_by(viewer, one.item)) for one in told]
    return tuple(told)


def _is_unsettled(item: Progress) -> bool:
    return item.version is None and item.state in ("waiting", "reading", "refused", *ASKING)


def _as_seen_by(viewer: Viewer, item: Progress) -> Progress:
    """Without the document that it looks like, where that is not theirs to know of (any more)."""
    twin = item.twin
    may = twin is None or (bool(twin.audience) and viewer.may_read(Audience.parse(twin.audience)))
    return item if may else replace(item, twin=None)
