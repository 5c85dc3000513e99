"""Takes away what will never answer (again): chunks in the index, rows in the catalogue, originals."""

from __future__ import annotations

from .catalogue import Catalogue
from .documents import DocumentId
from .originals import Originals
from .store import Store


async def tidy(document: DocumentId, catalogue: Catalogue, originals: Originals, store: Store) -> None:
    """Delete the chunks of a document's leftovers, and the rows and originals of a removed document.

    Chunks are counted away before the catalogue forgets that they are there, so that a crash in between is made good
    by the next call. Raises Unavailable and StoreFailed.
    """
    for row in await catalogue.leftovers(document):
        await store.delete(row.workspace, row.id)
        await catalogue.update(row.id, stored=False)
    rows = await catalogue.versions_of(document)
    if await catalogue.forget(document):
        for sha256 in {row.sha256 for row in rows}:
            await catalogue.unless_used(sha256, originals.drop)
