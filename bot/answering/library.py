"""What answering needs of the indexer: the few calls of its facade, so that tests can stand in for them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from indexer import Document, DocumentId, Hit, Passage, VersionId, Viewer

if TYPE_CHECKING:
    from indexer import Why


class Library(Protocol):
    """Documents that can be searched. Every call shows only what the viewer may read."""

    async def connect(self) -> object:
        """Wait until the database is there, where it is only starting; ``Unavailable`` where it does not come."""
        ...

    async def search(
        self,
        workspace: str,
        query: str,
        viewer: Viewer,
        *,
        limit: int | None = None,
        alpha: float | None = None,
        documents: frozenset[DocumentId] | None = None,
    ) -> list[Hit]:
        """The best passages, best first; ``Unavailable`` where the database does not answer."""
        ...

    async def explain(self, workspace: str, query: str, viewer: Viewer, *, reranked: bool = True) -> list[Why]:
        """What ``search`` finds, and why: for whoever wants to know how a source was found.

        Not ``reranked`` it is all that a reranker would be shown, and it is not asked.
        """
        ...

    async def documents(self, workspace: str, viewer: Viewer) -> list[Document]:
        """The documents that the viewer may read, with their published versions."""
        ...

    async def passages(
        self, workspace: str, version: VersionId, start: int = 0, end: int | None = None
    ) -> list[Passage]:
        """The passages of a version by position, ``end`` exclusive: for the neighbours of a hit."""
        ...

    async def record_spent(self, workspace: str, what: str, cost_usd: float) -> None:
        """Count US dollars that were paid just now."""
        ...

    async def spent_since(self, workspace: str, moment: datetime) -> float:
        """US dollars that a workspace spent from a moment on, contexts and answers."""
        ...
