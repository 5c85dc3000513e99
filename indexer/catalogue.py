"""The catalogue: which documents there are, which version answers, what was paid. The only truth about what is visible.

A version's life: ``queued → running → published``, or ``refused`` (its input cannot be taken), ``failed`` (a service
was away); a published one that was replaced or removed is ``replaced`` or ``removed``; one whose document was removed
while a worker held it is ``withdrawn``. ``stored`` is true from just before its first chunk goes into the index until
the last is counted away: what is stored and not published is in flight and no search shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from .database import Database
from .documents import (
    WORKSPACE,
    Audience,
    Document,
    DocumentId,
    Original,
    Usage,
    VersionId,
    Viewer,
    document_id,
    version_id,
)
from .errors import NotFound
from .rows import (
    WAITING,
    Version,
    by_id,
    document_of,
    naive,
    now,
    queued,
    same_version,
    select_spent,
    select_versions,
    split,
    still_answers,
    usage_of_row,
    usage_values,
    version_of,
)
from .schema import UNSETTLED, documents, versions
from .used_originals import alone_with, in_use


class Catalogue:
    """What there is and what may be seen. Every method raises CatalogueUnavailable where the database is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- versions --------------------------------------------------------------------------------------------------

    async def begin(
        self,
        original: Original,
        *,
        workspace: str,
        audience: Audience,
        title: str | None,
        added_by: str | None,
        sha256: str,
        fingerprint: str,
        force: bool = False,
        added_at: datetime | None = None,
        answering: VersionId | None = None,
    ) -> tuple[Version, bool]:
        """Record a new version, or find the one that makes it needless.

        Returns the version and whether it is new. It is not new when the published version, or the newest one that
        still waits, was made from the same bytes with the same settings (``fingerprint``); ``force`` records one
        anyway. ``added_at`` is when the document was first added, where that was not now. Raises NotFound where
        ``answering`` is given and is not the version that answers (any more): what was removed stays removed.
        """
        document = document_id(workspace, audience, original.source)
        since = naive(added_at) or now()

        def work(connection: sa.Connection) -> tuple[Version, bool]:
            alone_with(connection, sha256)
            if answering is not None and not still_answers(connection, answering):
                raise NotFound("The document was removed or replaced meanwhile; 'list' shows which there are.")
            connection.execute(
                self._database.insert(documents)
                .values(
                    id=document,
                    workspace=workspace,
                    audience=str(audience),
                    source=original.source,
                    last_number=0,
                    added_at=since,
                )
                .on_conflict_do_update(
                    index_elements=["id"],  # a removed document that comes back
                    set_={
                        "workspace": workspace,
                        "audience": str(audience),
                        "source": original.source,
                        "added_at": sa.case((documents.c.source == "", since), else_=documents.c.added_at),
                    },
                )
            )
            row = connection.execute(sa.select(documents).where(documents.c.id == document).with_for_update()).one()
            found = None if force else same_version(connection, document, sha256, fingerprint)
            if found is not None:
                return found, False
            number = row.last_number + 1
            connection.execute(documents.update().where(documents.c.id == document).values(last_number=number))
            values = queued(original, title=title, added_by=added_by, sha256=sha256, fingerprint=fingerprint)
            connection.execute(
                versions.insert().values(document=document, number=number, workspace=workspace, **values)
            )
            return version_of(connection.execute(by_id(document, number)).one()), True

        return await self._database.write(work)

    async def same(self, document: DocumentId, sha256: str, fingerprint: str) -> Version | None:
        """The version that makes a new one needless, if there is one: see ``begin``."""
        return await self._database.read(lambda c: same_version(c, document, sha256, fingerprint))

    async def version(self, version: VersionId) -> Version | None:
        row = await self._database.read(lambda c: c.execute(by_id(*split(version))).first())
        return version_of(row) if row is not None else None

    async def versions(self, ids: Collection[VersionId]) -> dict[VersionId, Version]:
        """Versions by id; those that are gone are left out."""
        wanted = frozenset(ids)
        by_document = sorted({split(version)[0] for version in wanted})
        found: dict[VersionId, Version] = {}
        for begin in range(0, len(by_document), 500):  # databases bound the number of parameters
            rows = await self._versions(versions.c.document.in_(by_document[begin : begin + 500]))
            found |= {row.id: row for row in rows if row.id in wanted}
        return found

    async def update(self, version: VersionId, **values: Any) -> None:
        """Change columns of a version (see ``schema.versions``); ``usage`` and datetimes are converted."""
        document, number = split(version)
        usage: Usage | None = values.pop("usage", None)
        if usage is not None:
            values |= usage_values(usage)
        if "date" in values:
            values["date"] = naive(values["date"])
        statement = (
            versions.update()
            .where(versions.c.document == document, versions.c.number == number)
            .values(updated_at=now(), **values)
        )
        await self._database.write(lambda c: c.execute(statement))

    async def take(self, version: VersionId) -> bool:
        """Begin, or go on with, the work on a version. False when nobody waits for it any more."""
        document, number = split(version)
        statement = (
            versions.update()
            .where(versions.c.document == document, versions.c.number == number, versions.c.state.in_(WAITING))
            .values(state="running", updated_at=now())
        )
        return await self._database.write(lambda c: c.execute(statement).rowcount) > 0

    async def let_go(self, version: VersionId) -> None:
        """The worker that held a withdrawn version is done with it."""
        document, number = split(version)
        statement = (
            versions.update()
            .where(versions.c.document == document, versions.c.number == number, versions.c.state == "withdrawn")
            .values(state="removed", updated_at=now())
        )
        await self._database.write(lambda c: c.execute(statement))

    async def publish(self, version: VersionId) -> bool:
        """Make this version the one that answers, unless a newer one already does or the document was removed.

        A compare-and-set: a late writer cannot go back. Returns whether it is published now; the version that it
        replaces becomes ``replaced``, still stored.
        """
        document, number = split(version)

        def work(connection: sa.Connection) -> bool:
            row = connection.execute(sa.select(documents).where(documents.c.id == document).with_for_update()).first()
            mine = connection.execute(by_id(document, number)).first()
            if row is None or mine is None or mine.state not in ("running", "published"):
                return False
            if row.published is not None and row.published > number:
                connection.execute(
                    versions.update()
                    .where(versions.c.document == document, versions.c.number == number)
                    .values(state="replaced", stage="", updated_at=now())
                )
                return False
            connection.execute(
                versions.update()
                .where(versions.c.document == document, versions.c.state == "published", versions.c.number != number)
                .values(state="replaced", updated_at=now())
            )
            connection.execute(documents.update().where(documents.c.id == document).values(published=number))
            connection.execute(
                versions.update()
                .where(versions.c.document == document, versions.c.number == number)
                .values(state="published", stage="", updated_at=now())
            )
            return True

        return await self._database.write(work)

    async def unpublish(self, document: DocumentId) -> None:
        """From now on nothing of this document answers. Versions that a worker holds are left to it, ``withdrawn``."""

        def work(connection: sa.Connection) -> None:
            connection.execute(documents.update().where(documents.c.id == document).values(published=None))
            mine = versions.update().where(versions.c.document == document)
            waits = versions.c.state.in_((*WAITING, "withdrawn"))
            connection.execute(mine.where(~waits).values(state="removed", updated_at=now()))
            connection.execute(mine.where(waits).values(state="withdrawn", updated_at=now()))

        await self._database.write(work)

    async def forget(self, document: DocumentId) -> bool:
        """Drop what is known of a removed document, once none of its chunks is stored and no worker holds a version.

        Returns whether it is dropped. What stays is the id with its last number, so that no version's id is ever given
        twice, and the paid answers: adding the document again finds them.
        """
        held = sa.exists().where(
            versions.c.document == document,
            sa.or_(versions.c.stored.is_(True), versions.c.state != "removed"),
        )
        statement = (
            documents.update()
            .where(documents.c.id == document, documents.c.published.is_(None), ~held)
            .values(source="", audience=str(WORKSPACE))
        )

        def work(connection: sa.Connection) -> bool:
            if connection.execute(statement).rowcount == 0:
                return False
            connection.execute(versions.delete().where(versions.c.document == document))
            return True

        return await self._database.write(work)

    async def waiting(self) -> list[Version]:
        """Versions that are queued or running, oldest first."""
        return await self._versions(versions.c.state.in_(WAITING))

    async def leftovers(self, document: DocumentId | None = None) -> list[Version]:
        """Versions, of one document or of all, that have chunks in the index and will never answer (again)."""
        where: list[sa.ColumnElement[bool]] = [
            versions.c.stored.is_(True),
            versions.c.state.in_(("replaced", "removed", "refused", "failed")),
        ]
        if document is not None:
            where.append(versions.c.document == document)
        return await self._versions(*where)

    async def versions_of(self, document: DocumentId) -> list[Version]:
        """All versions of a document, oldest first."""
        return await self._versions(versions.c.document == document)

    async def attempts(self, workspace: str, since: datetime | None = None, source: str | None = None) -> list[Version]:
        """The newest version of each document of a workspace, whatever became of it.

        ``since`` leaves those that changed from then on, ``source`` those of one source, whoever may read them.
        """
        where = [versions.c.workspace == workspace, versions.c.number == documents.c.last_number]
        if since is not None:
            where.append(versions.c.updated_at >= naive(since))
        if source is not None:
            where.append(documents.c.source == source)
        return await self._versions(*where)

    async def answering(self, workspace: str | None = None) -> list[Version]:
        """The published versions of a workspace, or of all."""
        mine = [] if workspace is None else [documents.c.workspace == workspace]
        return await self._versions(documents.c.published == versions.c.number, *mine)

    async def _versions(self, *where: sa.ColumnElement[bool]) -> list[Version]:
        statement = select_versions().where(*where).order_by(versions.c.created_at, versions.c.document)
        return [version_of(row) for row in await self._database.read(lambda c: c.execute(statement).all())]

    # -- what may be seen ------------------------------------------------------------------------------------------

    async def in_flight(self, workspace: str) -> frozenset[VersionId]:
        """Versions of a workspace that have chunks in the index and do not answer."""
        statement = (
            sa.select(versions.c.document, versions.c.number)
            .join(documents)
            .where(
                versions.c.workspace == workspace,
                UNSETTLED,
                sa.or_(documents.c.published.is_(None), documents.c.published != versions.c.number),
            )
        )
        rows = await self._database.read(lambda c: c.execute(statement).all())
        return frozenset(version_id(DocumentId(document), number) for document, number in rows)

    async def published(self, workspace: str, ids: Collection[DocumentId]) -> dict[DocumentId, VersionId]:
        """The published version of each of these documents; one that has none is left out."""
        if not ids:
            return {}
        statement = sa.select(documents.c.id, documents.c.published).where(
            documents.c.workspace == workspace, documents.c.id.in_(list(ids)), documents.c.published.is_not(None)
        )
        rows = await self._database.read(lambda c: c.execute(statement).all())
        return {DocumentId(i): version_id(DocumentId(i), number) for i, number in rows}

    async def documents(self, workspace: str, viewer: Viewer | None) -> list[Document]:
        """The published documents that a viewer may read, by title; all of the workspace for None (administrators)."""
        statement = (
            select_versions()
            .add_columns(documents.c.added_at)
            .where(documents.c.workspace == workspace, documents.c.published == versions.c.number)
            .order_by(sa.func.lower(versions.c.title), documents.c.id)
        )
        if viewer is not None:
            statement = statement.where(documents.c.audience.in_([str(a) for a in viewer.audiences]))
        rows = await self._database.read(lambda c: c.execute(statement).all())
        paid = select_spent([row.document for row in rows])
        spent = {row.document: usage_of_row(row) for row in await self._database.read(lambda c: c.execute(paid).all())}
        return [document_of(row, spent.get(row.document, Usage())) for row in rows]

    async def unless_used(self, sha256: str, drop: Callable[[str], None], *, besides: VersionId | None = None) -> None:
        """Have an original dropped (``drop`` is called in a thread) that no version, ``besides`` one, needs."""

        def work(connection: sa.Connection) -> None:
            alone_with(connection, sha256)
            if not in_use(connection, sha256, besides=besides):
                drop(sha256)

        await self._database.write(work)
