"""How the catalogue's database is opened and used: SQLite or Postgres, every call in a thread."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection

from .errors import CatalogueUnavailable, SettingsInvalid
from .schema import SCHEMA_VERSION, documents, metadata, paid_answers, schema_table, spending

T = TypeVar("T")

CREATING = 7_486_120_395  # Postgres's number for the lock that is held while tables are made; any will do


class Database:
    """An engine behind two async methods. Work that is passed in must not outlive its connection."""

    def __init__(self, engine: sa.Engine) -> None:
        self._writing = engine
        self._reading = engine.execution_options(reading=True)
        # Threads of its own: a search must not wait behind extraction in the loop's default pool.
        self._threads = ThreadPoolExecutor(4, "catalogue")
        # SQLite takes one writer at a time and lets the others sleep until they try again: ours queue up in one thread.
        self._writers = ThreadPoolExecutor(1, "catalogue-writer") if engine.dialect.name == "sqlite" else self._threads
        dialect: Any = postgresql if engine.dialect.name == "postgresql" else sqlite
        self.insert: Callable[[sa.Table], Any] = dialect.insert  # with on_conflict_*

    @classmethod
    async def open(cls, url: sa.URL) -> Database:
        """Raises CatalogueUnavailable."""
        return cls(await asyncio.to_thread(open_engine, url))

    async def create(self, tables: sa.MetaData) -> None:
        """Make those of ``tables`` that are not there yet. Raises CatalogueUnavailable."""
        await self.write(lambda connection: create_tables(connection, tables))

    async def close(self) -> None:
        await asyncio.to_thread(self._writing.dispose)
        self._threads.shutdown(wait=False)
        self._writers.shutdown(wait=False)

    async def write(self, work: Callable[[sa.Connection], T]) -> T:
        """Run ``work`` in one transaction that writes. Raises CatalogueUnavailable."""
        return await self._run(work, self._writing, self._writers)

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run ``work`` in one transaction that only reads. Raises CatalogueUnavailable."""
        return await self._run(work, self._reading, self._threads)

    async def _run(self, work: Callable[[sa.Connection], T], engine: sa.Engine, threads: ThreadPoolExecutor) -> T:
        def call() -> T:
            try:
                with engine.begin() as connection:
                    return work(connection)
            except sa.exc.SQLAlchemyError as error:
                raise CatalogueUnavailable(_why_not(error)) from error

        return await asyncio.get_running_loop().run_in_executor(threads, call)


def _why_not(error: sa.exc.SQLAlchemyError) -> str:
    """One sentence on why a call failed. The driver's own text may hold values, so it only goes to the log."""
    told = str(getattr(error, "orig", error)).lower()
    if "full" in told or "no space" in told:
        return "The disk of the catalogue is full; free some room on it, then run 'retry'."
    if "readonly" in told or "read-only" in told:
        return "The catalogue is read-only; make DATA_DIR or the database at DATABASE_URL writable."
    return "The catalogue cannot be read or written right now; check that its database runs, and its disk."


def database_url(url: str | None, data_dir: Path) -> sa.URL:
    """The SQLAlchemy URL of the catalogue: ``DATABASE_URL``, or a SQLite file under ``data_dir``."""
    if not url:
        return sa.URL.create("sqlite", database=str((data_dir / "situate.db").absolute()))
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise SettingsInvalid("DATABASE_URL is not a database URL, such as postgresql://user@host/name.") from error
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise SettingsInvalid("DATABASE_URL must begin with postgresql:// or sqlite:///.")
    return parsed


def open_engine(url: sa.URL) -> sa.Engine:
    """An engine whose tables exist. Blocking. Raises CatalogueUnavailable."""
    sqlite = url.get_backend_name() == "sqlite"
    engine = sa.create_engine(url, pool_pre_ping=not sqlite)
    if sqlite:
        if url.database and url.database != ":memory:":
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_immediate)
    try:
        with engine.begin() as connection:
            create_tables(connection, metadata)
            _carry_over(connection)
            found = connection.execute(sa.select(sa.func.max(schema_table.c.version))).scalar()
            if found is None:
                connection.execute(schema_table.insert().values(version=SCHEMA_VERSION))
    except (sa.exc.SQLAlchemyError, OSError) as error:
        engine.dispose()
        if sqlite:
            advice = f"The catalogue at {url.database} cannot be opened; see that DATA_DIR may be written and has room."
        else:
            where = f"{url.host or 'localhost'}:{url.port or 5432}"
            advice = f"The catalogue's server at {where} does not let us in; see that it runs, and check DATABASE_URL."
        raise CatalogueUnavailable(advice) from error
    if found is not None and found > SCHEMA_VERSION:
        engine.dispose()
        raise CatalogueUnavailable("The catalogue was written by a newer Situate; upgrade this one before you use it.")
    return engine


def create_tables(connection: sa.Connection, tables: sa.MetaData) -> None:
    """Make the tables and indexes that are missing, one process after the other: two that make one at once fail.

    On SQLite a transaction that writes is alone anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(CREATING)))
    tables.create_all(connection)
    for table in tables.tables.values():
        for index in table.indexes:  # of a table that was there before it had this one
            index.create(connection, checkfirst=True)


def _carry_over(connection: sa.Connection) -> None:
    """Count the contexts that were paid before every call was counted: where there are such, nothing is counted yet."""
    if connection.execute(sa.select(spending.c.number).limit(1)).first() is not None:
        return
    mine = documents.c.id == sa.func.substr(paid_answers.c.version, 1, 16)  # ids are of 16 characters
    paid = (
        sa.select(documents.c.workspace, paid_answers.c.created_at, sa.literal("context"), paid_answers.c.cost_usd)
        .select_from(paid_answers.join(documents, mine))
        .where(paid_answers.c.cost_usd > 0)
    )
    connection.execute(spending.insert().from_select(["workspace", "at", "what", "cost_usd"], paid))


_WAL_TRIES = 100


def _prepare_sqlite(connection: DBAPIConnection, _record: Any) -> None:
    # Transactions are begun below, not by the driver.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("busy_timeout=30000", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    for attempt in range(_WAL_TRIES):  # of several that open a new file at once SQLite lets no one wait for this
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:
            if attempt == _WAL_TRIES - 1:
                raise
            time.sleep(0.1)
    cursor.close()


def _begin_immediate(connection: sa.Connection) -> None:
    # Two transactions that both read and then write would lock each other out: writers queue up at their beginning.
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
