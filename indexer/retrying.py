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
    lost = {row.id for row in await unindexed(parts, workspace, rows)}
    again = []
    for row in rows:
        if row.state in WAITING:  # left by a process that was killed, or in another's hands
            await (await indexer.work()).enqueue(row.id)
            again.append(Added(row.id, row.document, row.title, "queued"))
            continue
        if row.state != "failed" and not (row.state == "published" and row.failures) and row.id not in lost:
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


async def unindexed(parts: Parts, workspace: str, rows: Sequence[Version]) -> list[Version]:
    """The versions that should answer and have no passages in the index: another embedder made them, or it was lost."""
    published = [row for row in rows if row.state == "published" and row.chunks]
    lost = []
    for start in range(0, len(published), _AT_ONCE):
        part = published[start : start + _AT_ONCE]
        counts = await parts.reading(
            lambda index, part=part: asyncio.gather(  # type: ignore[misc]  # mypy knows no defaults of lambdas
                *(index.store.count(workspace, row.id) for row in part)
            )
        )
        lost += [row for row, count in zip(part, counts, strict=True) if not count]
    return lost
