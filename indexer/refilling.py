"""An index that began anew, by an upgrade or as it was lost: what is published is made anew for it, in the background.

Nothing is paid for it: contexts are found among the paid answers, vectors of a model behind an address among the kept
ones. Of what an embedder behind an address has not seen, nothing is made until somebody asks for it (``retry``).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from .documents import Original
from .errors import NotFound
from .fingerprint import fingerprint
from .rows import WAITING, Version
from .unindexed import unindexed

if TYPE_CHECKING:
    from .parts import Parts
    from .workflows import Worker

log = logging.getLogger(__name__)

_IN_THIS_PROCESS = ("local", "hashing")  # embedders that cost nobody anything


async def refill(parts: Parts, worker: Worker) -> int:
    """Queue what is published and has no passages in the index, of all workspaces. Returns how many documents.

    Each start of a worker does so, of several processes too: what waits already is left alone, and so is what was tried
    and failed, for ``retry``. Raises Unavailable and SettingsInvalid.
    """
    lost = await unindexed(parts, await parts.catalogue.answering())
    queued = 0
    for row in lost:
        version = await _begun(parts, row)
        if version is not None:
            await worker.enqueue(version.id, paying=False)
            queued += 1
    if queued:
        log.info("%d documents are made anew, as the index has nothing of them", queued)
    return queued


async def _begun(parts: Parts, row: Version) -> Version | None:
    """A new version of the same bytes; None where it must not be."""
    made_by = fingerprint(parts.settings, await parts.embedder(), row.given_title, row.audience)
    if parts.settings.embedder not in _IN_THIS_PROCESS and row.fingerprint != made_by:
        return None
    newest = max(await parts.catalogue.versions_of(row.document), key=lambda version: version.number, default=row)
    tried = newest.number > row.number and (newest.sha256, newest.fingerprint) == (row.sha256, made_by)
    if newest.state in WAITING or tried:
        return None
    try:
        version, _ = await parts.catalogue.begin(
            Original(row.source, b"", row.name, row.url, row.source_date, row.declared_type),
            workspace=row.workspace,
            audience=row.audience,
            title=row.given_title,
            added_by=row.added_by,
            sha256=row.sha256,
            fingerprint=made_by,
            force=row.fingerprint == made_by,
            answering=row.id,
        )
    except NotFound:
        return None
    return version
