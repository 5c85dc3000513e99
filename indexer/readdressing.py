"""A document for other readers: the same original, read under another audience, and the old one removed after that."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from .adding import Added
from .documents import Audience, DocumentId, Original
from .errors import NotFound, StoreFailed, WeaviateUnavailable

if TYPE_CHECKING:
    from .catalogue import Catalogue
    from .library import Indexer
    from .originals import Originals

log = logging.getLogger(__name__)

GONE = "The document is not there any more."


async def readdress(
    indexer: Indexer,
    catalogue: Catalogue,
    originals: Originals,
    workspace: str,
    document: DocumentId,
    audience: Audience,
) -> Added:
    """See ``Indexer.readdress``."""
    old = next((one for one in await catalogue.documents(workspace, None) if one.id == document), None)
    row = await catalogue.version(old.version) if old is not None and old.version is not None else None
    if old is None or row is None:
        raise NotFound(GONE)
    if old.audience == audience:
        return Added(row.id, document, row.title, "unchanged")
    data = await originals.get(row.sha256)
    added = await indexer.add(
        Original(row.source, data, row.name, row.url, row.source_date, row.declared_type),
        workspace=workspace,
        audience=audience,
        title=row.given_title,
        added_by=row.added_by,
        added_at=old.added_at,
    )
    rows = [row async for row in indexer.follow([added.version])]
    if not rows:
        raise NotFound(GONE)
    if rows[-1].state in ("failed", "refused"):
        raise StoreFailed(rows[-1].error or "The document could not be stored; try again later.")
    if added.document not in await catalogue.published(workspace, {added.document}):
        raise NotFound(GONE)
    try:
        await indexer.remove(workspace, document)
    except (StoreFailed, WeaviateUnavailable) as error:  # it answers nothing any more, and is deleted by the next sweep
        log.warning("what was stored of %s is deleted later: %s", document, error)
    return added
