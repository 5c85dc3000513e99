"""Documents that another one may replace: of the same name, or with nearly the same text."""

from __future__ import annotations

import asyncio
import re
import struct
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa

from .database import Database
from .documents import Document, DocumentId, VersionId
from .likeness import ALIKE, Signature, likeness
from .rows import split
from .schema import documents, sketches

if TYPE_CHECKING:
    from .examining import Examined

# Names that programs give: two documents called so have nothing to do with each other.
_NO_NAMES = frozenset({"index", "default", "image", "untitled", "unnamed", "document", "pasted text", "readme"})
_SPACES = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Alike:
    """A document that is there already, and what it has in common with the one that was examined."""

    document: Document
    same: Literal["name", "text"]


class Sketches:
    """The signatures of versions' texts, as rows beside theirs: they go when the versions' rows go."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, version: VersionId, signature: Signature) -> None:
        """Keep a version's signature; nothing happens where the version is gone meanwhile."""
        document, number = split(version)
        values = {"document": document, "number": number, "signature": packed(signature)}
        statement = self._database.insert(sketches).values(**values)
        statement = statement.on_conflict_do_update(
            index_elements=["document", "number"], set_={"signature": values["signature"]}
        )
        await self._database.write(lambda c: c.execute(statement))

    async def of(self, workspace: str, ids: Collection[DocumentId]) -> dict[DocumentId, Signature]:
        """The signatures of these documents' published versions, or of the newest where none is published yet.

        One that has none is left out.
        """
        number = sa.func.coalesce(documents.c.published, documents.c.last_number)
        statement = (
            sa.select(sketches.c.document, sketches.c.signature)
            .join(documents, documents.c.id == sketches.c.document)
            .where(documents.c.workspace == workspace, sketches.c.number == number)
        )
        rows = await self._database.read(lambda c: c.execute(statement).all())
        wanted = frozenset(ids)
        return {DocumentId(row.document): unpacked(row.signature) for row in rows if row.document in wanted}


def packed(signature: Signature) -> bytes:
    return struct.pack(f"<{len(signature)}Q", *signature)


def unpacked(data: bytes) -> Signature:
    return struct.unpack(f"<{len(data) // 8}Q", data)


async def alike_documents(
    documents: Collection[Document], sketches: Sketches, workspace: str, examined: Examined | Signature, name: str
) -> list[Alike]:
    """See ``Indexer.alike``; among ``documents``."""
    signature = examined if isinstance(examined, tuple) else examined.signature
    own, names = (None, [name]) if isinstance(examined, tuple) else (examined.document, [name, examined.title])
    found = [document for document in documents if document.id != own and not document.audience.is_passing]
    signatures = await sketches.of(workspace, {document.id for document in found})
    return await asyncio.to_thread(alike, found, signatures, names, signature)


def alike(
    found: Collection[Document], signatures: dict[DocumentId, Signature], names: Collection[str], signature: Signature
) -> list[Alike]:
    """Those that have one of the names first, then those with nearly the same text, the most alike first."""
    wanted = {plain for name in names if (plain := plain_name(name))}
    rows: list[tuple[Any, Alike]] = []
    for document in found:
        share = likeness(signature, signatures.get(document.id, ()))
        if wanted & {plain_name(document.name), plain_name(document.title)}:
            rows.append(((0, -share, document.id), Alike(document, "name")))
        elif share >= ALIKE:
            rows.append(((1, -share, document.id), Alike(document, "text")))
    return [one for _, one in sorted(rows, key=lambda row: row[0])]


def plain_name(name: str) -> str:
    """A name without what people spell differently; empty for one that says nothing.

    >>> plain_name("Travel  Policy_2024.PDF"), plain_name("travel-policy 2024.pdf"), plain_name("image.png")
    ('travel policy 2024 pdf', 'travel policy 2024 pdf', '')
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    if PurePath(folded).stem.strip() in _NO_NAMES:
        return ""
    return _SPACES.sub(" ", folded).strip()
