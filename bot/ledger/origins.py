"""Which messages and files of Slack's documents were made of, and what is forgotten once those are deleted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from bot.ledger.schema import document_parts, forgotten_documents
from indexer import Database


@dataclass(frozen=True, slots=True)
class Made:
    """A document that was made of a message or a file in Slack, and who added it."""

    document: str
    workspace: str
    user: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A document that went with what it was made of, as who added it is to be told. ``version`` names it for ever."""

    version: str
    user: str
    title: str


class Origins:
    """A part is a file's id, or a message's channel and ``ts`` (``C1:1700000000.000100``).

    Every method raises CatalogueUnavailable where the database is away.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def made_of(self, document: str, workspace: str, parts: Collection[str], user: str) -> None:
        """A document holds these messages and files of Slack's, and no others. Said again it replaces what was said."""

        def work(connection: sa.Connection) -> None:
            connection.execute(document_parts.delete().where(document_parts.c.document == document))
            for part in sorted(set(parts)):
                row = {"document": document, "part": part, "workspace": workspace, "person": user, "gone": False}
                connection.execute(document_parts.insert().values(row))

        await self._database.write(work)

    async def holds(self, document: str, workspace: str, part: str, user: str) -> None:
        """A document holds a part, beside what is known of it; a part that is known stays as it is, marked or not."""
        row = {"document": document, "part": part, "workspace": workspace, "person": user, "gone": False}
        note = self._database.insert(document_parts).values(row).on_conflict_do_nothing()
        await self._database.write(lambda c: c.execute(note))

    async def now_called(self, document: str, id: str) -> None:
        """A document has another id by now, for other readers: what it was made of, and that it is to go, is its own.

        Nothing is known of it any more under the id that it had. Said again it changes nothing.
        """
        known = sa.select(sa.literal(1)).where(document_parts.c.document == document)

        def work(connection: sa.Connection) -> None:
            if document != id and connection.execute(known).first() is not None:
                connection.execute(document_parts.delete().where(document_parts.c.document == id))
                connection.execute(
                    document_parts.update().where(document_parts.c.document == document).values(document=id)
                )

        await self._database.write(work)

    async def part_gone(self, part: str) -> bool:
        """A message or a file was deleted; durable at once. Returns whether a document was made of it."""
        gone = document_parts.update().where(document_parts.c.part == part).values(gone=True)
        return await self._database.write(lambda c: c.execute(gone).rowcount) > 0

    async def to_forget(self) -> list[Made]:
        """The documents of which a part was deleted in Slack."""
        statement = (
            sa.select(document_parts.c.document, document_parts.c.workspace, document_parts.c.person)
            .where(document_parts.c.gone.is_(True))
            .distinct()
        )
        return [Made(*row) for row in await self._database.read(lambda c: c.execute(statement).all())]

    async def will_tell(self, document: str, forgotten: Forgotten) -> None:
        """Keep, until it is told, that a document is being forgotten; nothing where it has been by now."""
        there = sa.select(sa.literal(1)).where(document_parts.c.document == document, document_parts.c.gone.is_(True))
        row = {"version": forgotten.version, "person": forgotten.user, "title": forgotten.title}
        keep = self._database.insert(forgotten_documents).values(row).on_conflict_do_nothing()

        def work(connection: sa.Connection) -> None:
            if connection.execute(there).first() is not None:
                connection.execute(keep)

        await self._database.write(work)

    async def forgotten(self, document: str) -> None:
        """A document is gone: what it was made of need not be known any more."""
        its = document_parts.delete().where(document_parts.c.document == document)
        await self._database.write(lambda c: c.execute(its))

    async def to_tell(self) -> list[Forgotten]:
        """What was forgotten and not told yet. It may be told once its document's parts are ``forgotten``."""
        table = forgotten_documents
        statement = sa.select(table.c.version, table.c.person, table.c.title).order_by(table.c.version)
        return [Forgotten(*row) for row in await self._database.read(lambda c: c.execute(statement).all())]

    async def told(self, version: str) -> None:
        """Who added a document that was forgotten knows: its title is not kept any longer."""
        its = forgotten_documents.delete().where(forgotten_documents.c.version == version)
        await self._database.write(lambda c: c.execute(its))
