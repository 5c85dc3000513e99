"""What was computed or paid for once and is kept: Claude's answers by request hash, embeddings by (model, text)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from .database import Database
from .documents import Usage, VersionId
from .paid_answers import PaidAnswer
from .rows import USAGE_COLUMNS, now, usage_of_row, usage_values
from .schema import documents, embeddings, paid_answers
from .spending import Spending

_UNPAID = "It was not paid for when the index was made anew; retry pays for it."


class PaidAnswerRows:
    """``contextualizer.PaidAnswers`` as rows of the catalogue, on one version's account and its workspace's."""

    def __init__(
        self, database: Database, version: VersionId, spending: Spending | None = None, *, paying: bool = True
    ) -> None:
        """``paying`` False: what was paid is found, and nothing more is."""
        self._database = database
        self._version = version
        self._spending = spending or Spending(database)
        self._workspace: str | None = None
        self._paying = paying

    async def get_many(self, request_hashes: Collection[str]) -> dict[str, PaidAnswer]:
        """Paid answers by request hash; missing ones are left out."""
        wanted = list(request_hashes)

        def work(connection: sa.Connection) -> dict[str, PaidAnswer]:
            found: dict[str, PaidAnswer] = {}
            for begin in range(0, len(wanted), 500):  # databases bound the number of parameters
                statement = sa.select(paid_answers).where(paid_answers.c.request_hash.in_(wanted[begin : begin + 500]))
                for row in connection.execute(statement):
                    found[row.request_hash] = PaidAnswer(row.text, row.stop_reason, usage_of_row(row), row.model)
            return found

        return await self._database.read(work)

    async def put(self, request_hash: str, answer: PaidAnswer) -> None:
        statement = (
            self._database.insert(paid_answers)
            .values(
                request_hash=request_hash,
                version=self._version,
                model=answer.model,
                text=answer.text,
                stop_reason=answer.stop_reason,
                created_at=now(),
                **usage_values(answer.usage),
            )
            .on_conflict_do_nothing()
        )
        await self._pay(answer.usage, statement)

    async def lost(self, usage: Usage) -> None:
        """Count what an answer cost of which nothing is kept."""
        await self._pay(usage)

    async def refusal(self) -> str | None:
        """Why nothing more may be paid now, in a sentence for a person; None while it may."""
        if not self._paying:
            return _UNPAID
        workspace = await self._whose()
        return await self._spending.refusal(workspace) if workspace is not None else None

    async def _pay(self, usage: Usage, *kept: sa.Executable) -> None:
        """Keep and count in one transaction: an answer that another process paid for, too, was paid for twice."""
        counted = self._spending.paid(self._version, usage.cost_usd)

        def work(connection: sa.Connection) -> None:
            for statement in (*kept, counted):
                connection.execute(statement)

        if self._workspace is not None:
            self._spending.note(self._workspace, usage.cost_usd)
        await self._database.write(work)

    async def _whose(self) -> str | None:
        if self._workspace is None:
            mine = sa.select(documents.c.workspace).where(documents.c.id == self._version.rpartition(".")[0])
            self._workspace = await self._database.read(lambda c: c.execute(mine).scalar())
        return self._workspace

    async def total(self) -> Usage:
        """The sum of the answers on this version's account so far."""
        sums = [sa.func.coalesce(sa.func.sum(paid_answers.c[name]), 0).label(name) for name in USAGE_COLUMNS]
        statement = sa.select(*sums).where(paid_answers.c.version == self._version)
        return usage_of_row(await self._database.read(lambda c: c.execute(statement).one()))


class EmbeddingRows:
    """``embedding.KeptEmbeddings`` as rows of the catalogue. Vectors are float32, shape (dimensions,)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_many(self, keys: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Kept embeddings by key; missing ones are left out."""
        wanted = list(keys)

        def work(connection: sa.Connection) -> dict[str, NDArray[np.float32]]:
            found: dict[str, NDArray[np.float32]] = {}
            for begin in range(0, len(wanted), 500):  # databases bound the number of parameters
                statement = sa.select(embeddings).where(embeddings.c.key.in_(wanted[begin : begin + 500]))
                found |= {row.key: np.frombuffer(row.vector, "<f4") for row in connection.execute(statement)}
            return found

        return await self._database.read(work)

    async def put_many(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        if vectors:
            rows = [{"key": key, "vector": vector.astype("<f4").tobytes()} for key, vector in vectors.items()]
            statement = self._database.insert(embeddings).on_conflict_do_nothing()
            await self._database.write(lambda c: c.execute(statement, rows))


async def spent(database: Database, workspace: str) -> float:
    """US dollars that all paid answers of a workspace have cost, those for removed documents included."""
    mine = documents.c.id == sa.func.substr(paid_answers.c.version, 1, 16)  # ids are of 16 characters
    statement = (
        sa.select(sa.func.coalesce(sa.func.sum(paid_answers.c.cost_usd), 0.0))
        .select_from(paid_answers.join(documents, mine))
        .where(documents.c.workspace == workspace)
    )
    return float(await database.read(lambda c: c.execute(statement).scalar_one()))
