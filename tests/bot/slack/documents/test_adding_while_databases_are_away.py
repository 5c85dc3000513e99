"""Adding while Weaviate or the catalogue is away for a moment: it goes on afterwards, and nothing is refused for it."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from bot.slack.adding import adder, desk
from bot.slack.app import SlackBot
from indexer import Examined, Indexer, database, workflows
from indexer.store import Store
from indexer.weaviate_server import Endpoint
from tests.bot.slack.documents.doors import Doors, doors_before
from tests.bot.slack.documents.test_adding import BUDGET, AddingByRequest
from tests.bot.slack.documents.test_adding_whatever_fails import READY, request_of, told
from tests.bot.slack.whole import Clocks
from tests.fixtures.indexer import EVERYBODY
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

NUMBERS = itertools.count()


class _Before:
    """The doors that the module's fixtures share."""

    doors: Doors


@pytest.fixture
def doors(library: Indexer) -> Iterator[Doors]:
    yield _Before.doors
    _Before.doors.open()


@pytest.fixture(scope="module")
def impatient() -> Iterator[None]:
    """Nobody waits half a minute for a locked file: SQLite says after a moment that it is locked."""
    prepare = database._prepare_sqlite

    def prepared(connection: Any, record: Any) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA busy_timeout=50")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_prepare_sqlite", prepared)
        yield


@pytest.fixture(scope="module", name="weaviate")
async def behind_doors(weaviate: Endpoint, impatient: None) -> AsyncIterator[Endpoint]:
    """The session's Weaviate as this module's library finds it."""
    async with doors_before(weaviate) as _Before.doors:
        yield _Before.doors.endpoint


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    Clocks(monkeypatch)
    monkeypatch.setattr(desk, "LATER_SECONDS", 0.1)
    monkeypatch.setattr(adder, "PAUSES", (0.1,) * 60)
    for name in ("STORE_PAUSE_SECONDS", "CATALOGUE_PAUSE_SECONDS"):
        monkeypatch.setattr(workflows, name, 0.1)


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> AddingByRequest:
    return AddingByRequest(slack, answering)


# -- Weaviate --------------------------------------------------------------------------------------------------------


async def starts(people: AddingByRequest, company: Company) -> None:
    """Somebody adds a file; nobody waits for it."""
    file = people.slack.file("budget.md", BUDGET, by=company.ana)
    request = request_of(people.slack, company.ana, file, id=f"away{next(NUMBERS)}")
    assert await people.bot.adding.take(request)
    people.bot.adding.begin(request)


async def is_ready_once(people: AddingByRequest, company: Company) -> None:
    """One message, which never said that anything was refused, and one document."""
    await people.idle()
    (message,) = told(people.slack, company.ana)
    assert READY in message.shown
    assert not any("could not add" in shown for _, shown in message.history)
    (document,) = await people.added()
    hits = await people.bot.parts.library.search(people.slack.team_id, "Lisbon office move", EVERYBODY)
    assert [hit.document for hit in hits].count(document.id) == 1


@pytest.mark.parametrize("times", [1, 5])
async def test_weaviate_is_away_while_it_is_stored(
    people: AddingByRequest, company: Company, doors: Doors, times: int
) -> None:
    doors.shut()
    before = doors.turned_away
    await starts(people, company)
    await people.slack.until(lambda: doors.turned_away >= before + times, what="a try to store it")
    doors.open()
    await is_ready_once(people, company)


async def test_weaviate_is_away_when_the_first_document_is_added(
    people: AddingByRequest, company: Company, library: Indexer, doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing has connected to it yet."""
    monkeypatch.setattr(library._parts, "_index", None)
    doors.shut()
    before = doors.turned_away
    await starts(people, company)
    await people.slack.until(lambda: doors.turned_away >= before + 3, what="a try to connect")
    doors.open()
    await is_ready_once(people, company)


# -- the catalogue ---------------------------------------------------------------------------------------------------


class Lock:
    """Somebody else writes into the catalogue all the while."""

    def __init__(self, library: Indexer, patch: pytest.MonkeyPatch) -> None:
        self._file = sqlite3.connect(library.settings.data_dir / "situate.db", isolation_level=None)
        self._explain = database._why_not
        self.refused = 0
        patch.setattr(database, "_why_not", self._counted)

    def take(self) -> None:
        if not self._file.in_transaction:
            self._file.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        if self._file.in_transaction:
            self._file.execute("ROLLBACK")

    def close(self) -> None:
        self._file.close()

    def _counted(self, error: sa.exc.SQLAlchemyError) -> str:
        self.refused += 1
        return self._explain(error)


@pytest.fixture
def lock(library: Indexer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lock]:
    lock = Lock(library, monkeypatch)
    yield lock
    lock.close()


async def test_the_catalogue_is_locked_while_it_is_looked_at(
    people: AddingByRequest, company: Company, library: Indexer, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    examine = library.examine
    once = iter([lock.take])

    async def locked(*args: Any, **options: Any) -> Examined:
        examined = await examine(*args, **options)
        for take in once:
            take()
        return examined

    monkeypatch.setattr(library, "examine", locked)
    await starts(people, company)
    await people.slack.until(lambda: lock.refused >= 3, what="a try to write")
    lock.release()
    await is_ready_once(people, company)


@pytest.mark.parametrize("times", [2, 6])
async def test_the_catalogue_is_locked_while_it_is_indexed(
    people: AddingByRequest, company: Company, lock: Lock, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    put = Store.put
    once = iter([lock.take])

    async def locked(*args: Any, **options: Any) -> None:
        for take in once:
            take()
        await put(*args, **options)

    monkeypatch.setattr(Store, "put", locked)
    await starts(people, company)
    await people.slack.until(lambda: lock.refused >= times, what="a try to write")
    lock.release()
    await is_ready_once(people, company)


async def test_a_form_that_cannot_be_kept_stays_open_and_is_sent_again(
    people: AddingByRequest, company: Company, lock: Lock
) -> None:
    slack = people.slack
    file = slack.file("budget.md", BUDGET, by=company.ana)
    await slack.commands(company.ana, company.office, "/docs", "add").arrives()
    await people.form(company.ana, without="One moment")
    filled = {"adding_files": [file], "adding_audience": "workspace"}
    lock.take()
    await slack.submits(company.ana, filled).arrives()
    view = slack.view(company.ana)
    assert view is not None
    assert list(view.errors) == ["adding_audience"]
    lock.release()
    await slack.submits(company.ana, filled).arrives()
    assert slack.view(company.ana) is None
    await is_ready_once(people, company)


async def test_a_deletion_that_cannot_be_noted_is_sent_again_by_slack_and_told_of_once(
    people: AddingByRequest, company: Company, lock: Lock
) -> None:
    slack = people.slack
    slack.expect_violations()
    slack.ack_seconds, slack.clock_factor = 0.5, 0.01
    file = slack.file("budget.md", BUDGET, by=company.ana)
    assert READY in (await people.adds(company.ana, file)).shown
    lock.take()
    deletion = slack.deletes_file(file)
    await slack.until(lambda: deletion.attempts > 1, what="another try to tell of it")
    assert deletion.acked is None
    lock.release()
    await deletion.arrives()
    await people.idle()
    assert await people.added() == []
    assert ["I have forgotten" in one.shown for one in told(slack, company.ana)] == [False, True]
