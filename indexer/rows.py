"""Rows of the catalogue as values: a version as the catalogue knows it, and the conversions between both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from .documents import Audience, ContextKind, Document, DocumentId, Original, Usage, VersionId, version_id
from .errors import NotFound
from .schema import documents, versions


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def naive(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment is not None else None


def aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None else None


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a document, as the catalogue knows it."""

    document: DocumentId
    number: int
    workspace: str
    audience: Audience
    source: str
    state: str
    sha256: str
    fingerprint: str
    name: str
    title: str
    given_title: str | None = None
    declared_type: str | None = None
    url: str | None = None
    source_date: datetime | None = None
    date: datetime | None = None
    language: str | None = None
    media_type: str | None = None
    added_by: str | None = None
    stored: bool = False
    stage: str = ""
    done: int = 0
    total: int = 0
    chunks: int = 0
    context_kind: ContextKind | None = None
    failures: Mapping[str, str] = field(default_factory=dict)  # position → reason
    warnings: tuple[str, ...] = ()
    cache_misses: int = 0
    error: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = field(default=None, compare=False)  # a step that changed nothing is no change
    usage: Usage = field(default_factory=Usage)

    @property
    def id(self) -> VersionId:
        return version_id(self.document, self.number)


WAITING = ("queued", "running")  # states of a version that may yet answer
USAGE_COLUMNS = ("input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens", "cost_usd")


def usage_of_row(row: Any) -> Usage:
    return Usage(*(getattr(row, name) for name in USAGE_COLUMNS))


def usage_values(usage: Usage) -> dict[str, Any]:
    return {name: getattr(usage, name) for name in USAGE_COLUMNS}


def split(version: VersionId) -> tuple[DocumentId, int]:
    document, _, number = version.rpartition(".")
    return DocumentId(document), int(number)


def select_versions() -> sa.Select[Any]:
    return sa.select(versions, documents.c.audience, documents.c.source).join(documents)


def by_id(document: DocumentId, number: int) -> sa.Select[Any]:
    return select_versions().where(versions.c.document == document, versions.c.number == number)


def select_spent(ids: Sequence[str]) -> sa.Select[Any]:
    """What was paid for all versions of each of these documents."""
    sums = [sa.func.sum(versions.c[name]).label(name) for name in USAGE_COLUMNS]
    return sa.select(versions.c.document, *sums).where(versions.c.document.in_(ids)).group_by(versions.c.document)


def version_of(row: Any) -> Version:
    return Version(
        document=DocumentId(row.document),
        number=row.number,
        workspace=row.workspace,
        audience=Audience.parse(row.audience),
        source=row.source,
        state=row.state,
        sha256=row.sha256,
        fingerprint=row.fingerprint,
        name=row.name,
        title=row.title,
        given_title=row.given_title,
        declared_type=row.declared_type,
        url=row.url,
        source_date=aware(row.source_date),
        date=aware(row.date),
        language=row.language,
        media_type=row.media_type,
        added_by=row.added_by,
        stored=row.stored,
        stage=row.stage,
        done=row.done,
        total=row.total,
        chunks=row.chunks,
        context_kind=ContextKind(row.context_kind) if row.context_kind else None,
        failures=row.failures,
        warnings=tuple(row.warnings),
        cache_misses=row.cache_misses,
        error=row.error,
        created_at=aware(row.created_at),
        updated_at=aware(row.updated_at),
        usage=usage_of_row(row),
    )


def queued(
    original: Original, *, title: str | None, added_by: str | None, sha256: str, fingerprint: str
) -> dict[str, Any]:
    """The columns of a version that begins, but for its id and its workspace."""
    return {
        "state": "queued",
        "sha256": sha256,
        "fingerprint": fingerprint,
        "name": original.name,
        "declared_type": original.declared_type,
        "given_title": title,
        "title": title or original.name,
        "url": original.url,
        "source_date": naive(original.date),
        "date": naive(original.date),
        "added_by": added_by,
        "created_at": now(),
        "updated_at": now(),
    }


def same_version(connection: sa.Connection, document: DocumentId, sha256: str, fingerprint: str) -> Version | None:
    """The published or waiting version of these bytes and settings, unless a newer version waits."""
    statement = (
        select_versions()
        .where(versions.c.document == document)
        .where(sa.or_(versions.c.number == documents.c.published, versions.c.state.in_(WAITING)))
        .order_by(versions.c.number.desc())
    )
    newest = connection.execute(statement).first()
    if newest is None or (newest.sha256, newest.fingerprint) != (sha256, fingerprint):
        return None
    return version_of(newest)


def still_answers(connection: sa.Connection, version: VersionId) -> bool:
    """Whether this version is the published one; its document's row is held until the transaction ends."""
    document, number = split(version)
    statement = sa.select(documents.c.published).where(documents.c.id == document).with_for_update()
    return bool(connection.execute(statement).scalar() == number)


def document_of(row: Any, spent: Usage) -> Document:
    return Document(
        id=DocumentId(row.document),
        workspace=row.workspace,
        audience=Audience.parse(row.audience),
        source=row.source,
        title=row.title,
        version=version_id(DocumentId(row.document), row.number),
        url=row.url,
        date=aware(row.date),
        language=row.language,
        media_type=row.media_type,
        added_by=row.added_by,
        added_at=aware(row.added_at),
        chunks=row.chunks,
        failed_contexts=len(row.failures),
        context_kind=ContextKind(row.context_kind) if row.context_kind else None,
        usage=spent,
        name=row.name,
    )


def coming_document(row: Version) -> Document:
    """What is known of a document before a version of it answers."""
    return Document(
        id=row.document,
        workspace=row.workspace,
        audience=row.audience,
        source=row.source,
        title=row.title,
        url=row.url,
        added_by=row.added_by,
        added_at=row.created_at,
        name=row.name,
    )


def named(rows: Sequence[Version], name: str) -> DocumentId:
    """The document that a person means by an id, the beginning of one, a source or a title. Raises NotFound."""
    for matches in (
        [row for row in rows if row.document == name],
        [row for row in rows if name in (row.source, row.title, row.name)],
        [row for row in rows if len(name) >= 4 and row.document.startswith(name)],
    ):
        if len({row.document for row in matches}) == 1:
            return matches[0].document
        if matches:
            ids = ", ".join(sorted({row.document for row in matches})[:5])
            raise NotFound(f"'{name}' names more than one document; use an id: {ids}.")
    raise NotFound(f"There is no document '{name}'; 'list' shows which there are.")
