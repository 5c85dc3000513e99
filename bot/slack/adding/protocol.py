"""What those who show and press buttons need of the desk where documents are added."""

from __future__ import annotations

from typing import Protocol

from bot.adding import Decision, Progress, Request


class Additions(Protocol):
    """Requests to add documents, each carried out once, whatever dies on the way."""

    async def take(self, request: Request) -> bool:
        """Keep a request for certain; False where one of this id was taken before. Raises CatalogueUnavailable."""
        ...

    def begin(self, request: Request) -> None:
        """Carry out a request that this process took; nothing where it is at work already."""
        ...

    async def decide(self, id: str, number: int, decision: Decision, user: str) -> bool:
        """Answer what item ``number`` (from 0) of a request asks; only its own user may.

        False where it asks nothing (any more), or somebody else answers. Raises CatalogueUnavailable.
        """
        ...

    async def request(self, id: str) -> Request | None:
        """A request as it was taken; None where it is not kept (any more). Raises CatalogueUnavailable."""
        ...

    async def progress(self, id: str) -> tuple[Progress, ...]:
        """How far each item of a request has come; empty where it is not kept. Raises CatalogueUnavailable."""
        ...

    async def remove(self, id: str, number: int, user: str) -> None:
        """Remove the document that item ``number`` became; only the request's own user may.

        Raises what ``Indexer.remove`` does.
        """
        ...
