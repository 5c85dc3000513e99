"""Trying again: what failed, what is paid for but incomplete, and what the index has not (any more)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .documents import DocumentId, Original
from .fingerprint import fingerprint
from .rows import WAITING, Version

if TYPE_CHECKING:
    from .library import Added, Indexer
    from .parts import Parts

_AT_ONCE = 16


async def retry(indexer: Indexer, parts: Parts, workspace: str, documents: frozenset[DocumentId] | None) -> list[Added]:
    """See ``Indexer.retry``."""
    from .library import Added

    rows = [row for row in await parts.catalogue.attempts(workspace) if documents is None or row.document in documents]
    answering = await parts.catalogue.answering(workspace)
    lost = await unindexed(parts, [row for row in answering if documents is None or row.document in documents])
    lost_ids, waiting = {row.id for row in lost}, {row.document for row in rows if row.state in WAITING}
    newest = {row.id for row in rows}
    # What should answer, and a newer version of it failed: it comes first, so that the newer one comes after it.
    older = [row for row in lost if row.id not in newest and row.document not in waiting]
    again = []
    for row in (*older, *rows):
        if row.state in WAITING:  # left by a process that was killed, or in another's hands
            await (await indexer.work()).enqueue(row.id)
            again.append(Added(row.id, row.document, row.title, "queued"))
            continue
        if row.state != "failed" and not (row.state == "published" and row.failures) and row.id not in lost_ids:
            continue
        version, _ = await parts.catalogue.begin(
            Original(row.source, b"", row.name, row.url, row.source_date, row.declared_type),
            workspace=workspace,
            audience=row.audience,
            title=row.given_title,
            added_by=row.added_by,
            sha256=row.sha256,
            fingerprint=fingerprint(parts.settings, await parts.embedder(), row.given_title, row.audience),
            force=True,
        )
        await (await indexer.work()).enqueue(version.id)
        again.append(Added(version.id, version.document, row.title, "queued"))
    return again


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
