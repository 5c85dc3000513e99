"""Trying again: what failed, what is paid for but incomplete, and what the index has not (any more)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .adding import Added
from .documents import DocumentId, Original
from .fingerprint import fingerprint
from .rows import WAITING
from .unindexed import unindexed

if TYPE_CHECKING:
    from .parts import Parts


async def retry(parts: Parts, workspace: str, documents: frozenset[DocumentId] | None) -> list[Added]:
    """See ``Indexer.retry``."""
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
            await (await parts.work()).enqueue(row.id)
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
        await (await parts.work()).enqueue(version.id)
        again.append(Added(version.id, version.document, row.title, "queued"))
    return again
