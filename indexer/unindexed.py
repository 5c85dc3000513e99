"""What should answer and is not in the index: another embedder made it, or the index was lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import sqlalchemy as sa

from .rows import Version
from .schema import versions

if TYPE_CHECKING:
    from .parts import Parts

_AT_ONCE = 16


async def missing_passages(parts: Parts, workspace: str) -> int:
    """See ``Indexer.missing_passages``. Two sums and no row of a version, so that each search can afford it."""
    wanted = sa.select(sa.func.coalesce(sa.func.sum(versions.c.chunks), 0)).where(
        versions.c.workspace == workspace, versions.c.state == "published"
    )
    should, total = await asyncio.gather(
        parts.database.read(lambda connection: connection.execute(wanted).scalar_one()),
        parts.reading(lambda index: index.store.total(workspace)),
    )
    return max(0, int(should) - total)


async def unindexed(parts: Parts, rows: Sequence[Version]) -> list[Version]:
    """Of versions that should answer those without passages in the index: another embedder made them, or it was lost.

    Where a workspace has as many passages as it should, and none that do not answer, none is looked for by itself.
    """
    published: list[Version] = []
    for workspace in dict.fromkeys(row.workspace for row in rows):
        own = [row for row in rows if row.workspace == workspace and row.chunks]
        total = await parts.reading(lambda index, workspace=workspace: index.store.total(workspace))  # type: ignore[misc]
        if total != sum(row.chunks for row in own) or await parts.catalogue.in_flight(workspace):
            published += own
    lost = []
    for start in range(0, len(published), _AT_ONCE):
        part = published[start : start + _AT_ONCE]
        counts = await parts.reading(
            lambda index, part=part: asyncio.gather(  # type: ignore[misc]  # mypy knows no defaults of lambdas
                *(index.store.count(row.workspace, row.id) for row in part)
            )
        )
        lost += [row for row, count in zip(part, counts, strict=True) if not count]
    return lost
