"""Adding: an original is kept and a version of its document queued, unless the same is there already."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from .documents import Audience, DocumentId, Original, VersionId, content_hash, document_id
from .fingerprint import fingerprint

if TYPE_CHECKING:
    from .parts import Parts


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an original that was added: a version that waits, or one that was there already."""

    version: VersionId
    document: DocumentId
    title: str
    status: Literal["queued", "unchanged"]


async def add(
    parts: Parts,
    original: Original,
    *,
    workspace: str,
    audience: Audience,
    title: str | None,
    added_by: str | None,
    added_at: datetime | None,
) -> Added:
    """See ``Indexer.add``."""
    sha256 = await asyncio.to_thread(content_hash, original.data)
    made_by = fingerprint(parts.settings, await parts.embedder(), title, audience)
    same = await parts.catalogue.same(document_id(workspace, audience, original.source), sha256, made_by)
    if same is not None and same.state == "published":
        return Added(same.id, same.document, same.title, "unchanged")
    worker = await parts.work()
    await parts.originals.put(original.data)
    version, _ = await parts.catalogue.begin(
        original,
        workspace=workspace,
        audience=audience,
        title=title,
        added_by=added_by,
        sha256=sha256,
        fingerprint=made_by,
        added_at=added_at,
    )
    await parts.originals.put(original.data)  # the same bytes may have been let go a moment before they were wanted
    await worker.enqueue(version.id)
    return Added(version.id, version.document, version.title, "queued")
