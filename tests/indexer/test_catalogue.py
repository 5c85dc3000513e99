"""The catalogue decides which version answers; these are its rules."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from indexer.catalogue import Catalogue
from indexer.database import Database, database_url
from indexer.documents import EVERYONE, WORKSPACE, Audience, Original, Usage, VersionId, Viewer, document_id
from indexer.errors import CatalogueUnavailable, SettingsInvalid
from indexer.rows import Version
from indexer.schema import documents, schema_table

pytestmark = pytest.mark.anyio

EVERYBODY = Viewer(frozenset({WORKSPACE}))


@pytest.fixture
def catalogue(database: Database) -> Catalogue:
    return Catalogue(database)


async def begin(
    catalogue: Catalogue,
    data: bytes = b"one",
    *,
    source: str = "file:///handbook.md",
    audience: Audience = WORKSPACE,
    fingerprint: str = "settings",
    force: bool = False,
) -> tuple[Version, bool]:
    original = Original(source, data, "handbook.md", date=datetime(2024, 1, 30, tzinfo=UTC))
    return await catalogue.begin(
        original,
        workspace="W1",
        audience=audience,
        title=None,
        added_by="U1",
        sha256=data.hex(),
        fingerprint=fingerprint,
        force=force,
    )


async def published(catalogue: Catalogue, data: bytes = b"one", **where: Any) -> Version:
    version, _ = await begin(catalogue, data, **where)
    await catalogue.take(version.id)
    await catalogue.update(version.id, stored=True, chunks=3)
    assert await catalogue.publish(version.id)
    return version


async def test_what_answers_is_not_read_to_find_what_is_in_flight(catalogue: Catalogue, database: Database) -> None:
    """A search asks for it: its time must not grow with the documents."""
    await published(catalogue)
    statements: list[tuple[str, Any]] = []

    def listen(connection: sa.Connection) -> None:
        sa.event.listen(connection.engine, "before_cursor_execute", lambda *told: statements.append(told[2:4]))

    await database.read(listen)
    assert await catalogue.in_flight("W1") == frozenset()
    ((statement, parameters),) = [told for told in statements if "stored" in told[0]]

    def plan(connection: sa.Connection) -> str:
        if connection.dialect.name == "sqlite":
            return str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all())
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # so small a table is read whole otherwise
        return str(connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).all())

    assert "versions_unsettled" in await database.read(plan)


async def test_an_older_catalogue_gets_the_indexes_that_it_lacks(url: sa.URL) -> None:
    def there(connection: sa.Connection) -> bool:
        return "versions_unsettled" in {index["name"] for index in sa.inspect(connection).get_indexes("versions")}

    older = await Database.open(url)
    await older.write(lambda connection: connection.exec_driver_sql("DROP INDEX versions_unsettled"))
    assert not await older.read(there)
    await older.close()
    today = await Database.open(url)
    assert await today.read(there)
    await today.close()


async def test_unchanged_bytes_and_settings_make_no_new_version(catalogue: Catalogue) -> None:
    first = await published(catalogue)
    again, new = await begin(catalogue)
    assert (again.id, new) == (first.id, False)


async def test_other_settings_make_a_new_version(catalogue: Catalogue) -> None:
    await published(catalogue)
    version, new = await begin(catalogue, fingerprint="another model")
    assert (version.number, new) == (2, True)


async def test_bytes_that_wait_already_are_not_queued_twice(catalogue: Catalogue) -> None:
    first, _ = await begin(catalogue)
    again, new = await begin(catalogue)
    assert (again.id, new) == (first.id, False)


async def test_going_back_to_old_bytes_while_newer_ones_wait_makes_a_version(catalogue: Catalogue) -> None:
    """What was added last wins, even where it equals what answers now."""
    await published(catalogue, b"old")
    await begin(catalogue, b"new")
    version, new = await begin(catalogue, b"old")
    assert (version.number, new) == (3, True)


async def test_a_refused_newer_version_does_not_make_the_published_one_needing_work(catalogue: Catalogue) -> None:
    first = await published(catalogue, b"old")
    refused, _ = await begin(catalogue, b"broken")
    await catalogue.update(refused.id, state="refused", error="broken")
    again, new = await begin(catalogue, b"old")
    assert (again.id, new) == (first.id, False)


async def test_same_source_for_another_audience_is_another_document(catalogue: Catalogue) -> None:
    one = await published(catalogue)
    two = await published(catalogue, audience=Audience.parse("channel:C1"))
    assert one.document != two.document
    assert [d.id for d in await catalogue.documents("W1", EVERYBODY)] == [one.document]
    assert {d.id for d in await catalogue.documents("W1", None)} == {one.document, two.document}


async def test_until_a_version_is_published_the_old_one_answers(catalogue: Catalogue) -> None:
    old = await published(catalogue, b"old")
    new, _ = await begin(catalogue, b"new")
    await catalogue.take(new.id)
    await catalogue.update(new.id, stored=True)
    assert await catalogue.published("W1", [old.document]) == {old.document: old.id}
    assert await catalogue.in_flight("W1") == {new.id}
    assert await catalogue.publish(new.id)
    assert await catalogue.published("W1", [old.document]) == {old.document: new.id}
    assert await catalogue.in_flight("W1") == {old.id}
    assert [row.id for row in await catalogue.leftovers()] == [old.id]


async def test_a_late_writer_cannot_go_back(catalogue: Catalogue) -> None:
    """The slower of two workers publishes an older version last: nothing happens, and its chunks are leftovers."""
    old, _ = await begin(catalogue, b"old")
    new, _ = await begin(catalogue, b"new")
    for version in (old, new):
        await catalogue.take(version.id)
        await catalogue.update(version.id, stored=True)
    assert await catalogue.publish(new.id)
    assert not await catalogue.publish(old.id)
    assert await catalogue.published("W1", [old.document]) == {old.document: new.id}
    assert [row.id for row in await catalogue.leftovers()] == [old.id]


async def test_publishing_twice_is_publishing_once(catalogue: Catalogue) -> None:
    version = await published(catalogue)
    assert await catalogue.publish(version.id)
    assert await catalogue.in_flight("W1") == frozenset()


async def test_a_removed_document_answers_nothing_and_is_forgotten_without_chunks(
    catalogue: Catalogue,
) -> None:
    version = await published(catalogue)
    await catalogue.unpublish(version.document)
    assert await catalogue.documents("W1", None) == []
    assert await catalogue.published("W1", [version.document]) == {}
    assert await catalogue.in_flight("W1") == {version.id}
    assert not await catalogue.forget(version.document), "its chunks are still stored"
    await catalogue.update(version.id, stored=False)
    assert await catalogue.forget(version.document)
    assert await catalogue.version(version.id) is None


async def test_a_version_that_a_worker_holds_is_not_published_after_removal(catalogue: Catalogue) -> None:
    version, _ = await begin(catalogue)
    await catalogue.take(version.id)
    await catalogue.unpublish(version.document)
    assert not await catalogue.forget(version.document), "the worker has not let go"
    assert not await catalogue.publish(version.id)
    await catalogue.let_go(version.id)
    assert await catalogue.forget(version.document)


async def test_a_withdrawn_version_is_not_begun(catalogue: Catalogue) -> None:
    version, _ = await begin(catalogue)
    await catalogue.unpublish(version.document)
    assert not await catalogue.take(version.id)


async def test_what_all_versions_of_a_document_cost_is_kept_together(catalogue: Catalogue) -> None:
    old = await published(catalogue, b"old")
    await catalogue.update(old.id, usage=Usage(10, 20, 30, 40, 0.25))
    new = await published(catalogue, b"new")
    await catalogue.update(new.id, usage=Usage(1, 2, 3, 4, 0.5), failures={"7": "overloaded"})
    (document,) = await catalogue.documents("W1", EVERYBODY)
    assert document.usage == Usage(11, 22, 33, 44, 0.75)
    assert document.failed_contexts == 1
    assert document.date == datetime(2024, 1, 30, tzinfo=UTC)


async def test_an_original_is_let_go_once_no_version_may_answer(catalogue: Catalogue) -> None:
    dropped: list[str] = []
    version = await published(catalogue, b"one")
    await catalogue.unless_used(b"one".hex(), dropped.append)
    assert dropped == []
    await catalogue.unpublish(version.document)
    await catalogue.unless_used(b"one".hex(), dropped.append)
    assert dropped == [b"one".hex()]


async def test_versions_are_found_by_id_and_unknown_ones_left_out(catalogue: Catalogue) -> None:
    version = await published(catalogue)
    found = await catalogue.versions([version.id, VersionId("0123.4")])
    assert set(found) == {version.id}
    assert found[version.id].state == "published"


async def test_two_processes_write_at_once_without_locking_each_other_out(tmp_path: Path) -> None:

    one, two = [await Database.open(database_url(None, tmp_path)) for _ in range(2)]
    try:
        adding = [
            begin(Catalogue(database), bytes([i]), source=f"file:///{i % 10}.md")
            for i in range(40)
            for database in (one, two)
        ]
        results = await asyncio.gather(*adding)
        numbers = {(version.document, version.number) for version, new in results if new}
        assert len(numbers) == sum(new for _, new in results), "no number is given twice"
    finally:
        await one.close()
        await two.close()


async def test_a_catalogue_of_a_newer_release_is_left_alone(database: Database, url: sa.URL) -> None:
    await database.write(lambda c: c.execute(schema_table.insert().values(version=99)))
    with pytest.raises(CatalogueUnavailable, match="newer Situate"):
        await Database.open(url)


async def test_a_catalogue_that_cannot_be_opened_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "situate.db").mkdir()
    with pytest.raises(CatalogueUnavailable, match="cannot be opened"):
        await Database.open(database_url(None, tmp_path))


def test_database_urls(tmp_path: Path) -> None:
    assert database_url("postgres://u:secret@h/n", tmp_path).drivername == "postgresql+psycopg"
    assert database_url("postgresql://u@h/n", tmp_path).drivername == "postgresql+psycopg"
    with pytest.raises(SettingsInvalid, match="DATABASE_URL"):
        database_url("mysql://u@h/n", tmp_path)
    with pytest.raises(SettingsInvalid, match="DATABASE_URL"):
        database_url("not a url", tmp_path)


def test_a_documents_id_is_its_key_and_nothing_else() -> None:
    assert document_id("W", WORKSPACE, "a") == document_id("W", WORKSPACE, "a")
    assert (
        len({document_id("W", WORKSPACE, "a"), document_id("X", WORKSPACE, "a"), document_id("W", WORKSPACE, "b")}) == 3
    )


def test_sqlalchemy_urls_never_show_their_password(tmp_path: Path) -> None:
    assert "secret" not in str(database_url("postgres://u:secret@h/n", tmp_path))
    assert isinstance(database_url(None, tmp_path), sa.URL)


async def test_a_document_that_comes_back_is_as_old_as_its_return(catalogue: Catalogue, database: Database) -> None:
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    version = await published(catalogue)
    await database.write(lambda c: c.execute(documents.update().values(added_at=long_ago.replace(tzinfo=None))))
    await published(catalogue, b"two")
    assert [one.added_at for one in await catalogue.documents("W1", None)] == [long_ago]  # a new version is no return
    await catalogue.unpublish(version.document)
    for row in await catalogue.versions_of(version.document):
        await catalogue.update(row.id, stored=False)
    assert await catalogue.forget(version.document)
    await published(catalogue)
    (document,) = await catalogue.documents("W1", None)
    assert document.added_at is not None
    assert document.added_at > datetime(2026, 1, 1, tzinfo=UTC)


async def test_what_everyone_may_read_is_read_by_those_who_see_it_only(catalogue: Catalogue) -> None:
    await published(catalogue, audience=EVERYONE)
    assert await catalogue.documents("W1", EVERYBODY) == []  # who belongs to whom is not the catalogue's to know
    (document,) = await catalogue.documents("W1", Viewer(frozenset({EVERYONE})))
    assert (document.audience, document.name) == (EVERYONE, "handbook.md")
