"""Which originals are still needed. One is let go alone with its hash: nobody begins a version of it in between.

Whoever adds puts the original, begins the version, and sees that the original is (still) there: what was let go just
before the version began is put once more, and what begins first is not let go.
"""

from __future__ import annotations

import sqlalchemy as sa

from .documents import VersionId
from .rows import WAITING, split
from .schema import versions


def alone_with(connection: sa.Connection, sha256: str) -> None:
    """Until this transaction ends no other one is past this line with the same original.

    On SQLite a transaction that writes is alone anyway.
    """
    if connection.dialect.name == "postgresql":
        number = int(sha256[:15], 16)  # Postgres names its locks by 63 bits
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))


def in_use(connection: sa.Connection, sha256: str, *, besides: VersionId | None = None) -> bool:
    """Whether a version (``besides`` one) that answers or may yet answer was made from these bytes."""
    document, number = split(besides) if besides else ("", 0)
    statement = sa.select(sa.literal(1)).where(
        versions.c.sha256 == sha256,
        versions.c.state.in_((*WAITING, "published", "failed")),
        sa.not_(sa.and_(versions.c.document == document, versions.c.number == number)),
    )
    return connection.execute(statement.limit(1)).first() is not None
