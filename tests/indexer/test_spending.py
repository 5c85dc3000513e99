"""What Claude cost, by workspace and moment; and that nothing more is paid at the day's cap."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from indexer import schema, spending
from indexer.catalogue import Catalogue
from indexer.database import Database
from indexer.documents import WORKSPACE, ContextKind, Original, Usage, VersionId, content_hash
from indexer.errors import CatalogueUnavailable
from indexer.kept import PaidAnswerRows, spent
from indexer.library import Indexer
from indexer.paid_answers import PaidAnswer
from indexer.spending import Spending
from tests.claude_server import ClaudeServer, says
from tests.fixtures.indexer import MakeSettings, added, followed

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MIDNIGHT = NOON.replace(hour=0)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class Clock:
    """The moment at which things are recorded."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.at = NOON
        patch.setattr(spending, "now", lambda: self.at.replace(tzinfo=None))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def version(database: Database, workspace: str = "T1") -> VersionId:
    """A version of a document of this workspace."""
    begun, _ = await Catalogue(database).begin(
        Original(f"file:///{workspace}.md", b"", "review.md"),
        workspace=workspace,
        audience=WORKSPACE,
        title=None,
        added_by=None,
        sha256=content_hash(b""),
        fingerprint="1",
    )
    return begun.id


def answer(cost_usd: float) -> PaidAnswer:
    return PaidAnswer("From the review.", "end_turn", Usage(10, 0, 0, 5, cost_usd), "claude-haiku-5-5")


async def test_contexts_and_answers_are_summed_by_workspace_and_moment(database: Database, clock: Clock) -> None:
    account = Spending(database)
    await account.record("T1", "answer", 0.25)
    await PaidAnswerRows(database, await version(database), account).put("a", answer(0.5))
    await PaidAnswerRows(database, await version(database, "T2"), account).put("b", answer(4))
    clock.at += timedelta(hours=1)
    await account.record("T1", "answer", 1)
    assert await account.since("T1", MIDNIGHT) == 1.75
    assert await account.since("T1", NOON) == 1.75
    assert await account.since("T1", NOON + timedelta(minutes=1)) == 1
    assert await account.since("T2", MIDNIGHT) == 4
    assert await account.since("T3", MIDNIGHT) == 0
    assert await spent(database, "T1") == 0.5


async def test_what_costs_nothing_makes_no_row(database: Database) -> None:
    await Spending(database).record("T1", "answer", 0)
    count = sa.select(sa.func.count()).select_from(schema.spending)
    assert await database.read(lambda c: c.execute(count).scalar()) == 0


async def test_an_answer_that_two_paid_for_counts_twice_and_one_of_no_use_counts(database: Database) -> None:
    rows = PaidAnswerRows(database, await version(database))
    await rows.put("a", answer(0.5))
    await rows.put("a", answer(0.5))
    await rows.lost(Usage(10, 0, 0, 0, 0.25))
    assert await Spending(database).since("T1", LONG_AGO) == 1.25
    assert await spent(database, "T1") == 0.5


async def test_contexts_that_were_paid_before_calls_were_counted_are_counted_once(
    url: sa.URL, database: Database, clock: Clock
) -> None:
    rows = PaidAnswerRows(database, await version(database))
    await rows.put("a", answer(0.5))
    await rows.put("b", answer(0.25))
    await database.write(lambda c: c.execute(schema.spending.delete()))
    for _ in range(2):
        opened = await Database.open(url)
        assert await Spending(opened).since("T1", LONG_AGO) == 0.75
        assert await Spending(opened).since("T2", LONG_AGO) == 0
        await opened.close()


async def test_the_cap_is_reached_by_all_processes_together_and_over_at_midnight(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spending, "LOOK_SECONDS", -1.0)
    one, other = Spending(database, 1.0), Spending(database, 1.0)
    await one.record("T1", "answer", 0.5)
    assert await other.refusal("T1") is None
    await other.record("T1", "answer", 0.5)
    told = "The cap of $1 a day (DAY_CAP_USD) is reached; run 'retry' tomorrow, or raise it."
    assert [await account.refusal("T1") for account in (one, other)] == [told, told]
    assert await one.refusal("T2") is None
    assert await Spending(database).refusal("T1") is None
    clock.at = MIDNIGHT + timedelta(days=1)
    assert await one.refusal("T1") is None


async def test_a_cap_of_nothing_lets_nothing_be_paid(database: Database) -> None:
    assert "cap of $0 a day" in str(await Spending(database, 0.0).refusal("T1"))


async def test_what_this_process_spends_counts_at_once_though_sums_are_read_once_a_second(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spending, "LOOK_SECONDS", 3_600.0)
    account = Spending(database, 1.0)
    rows = PaidAnswerRows(database, await version(database), account)
    assert await rows.refusal() is None
    await rows.put("a", answer(0.75))
    assert await rows.refusal() is None
    await account.record("T1", "answer", 0.25)
    assert await rows.refusal() is not None


async def test_what_cannot_be_written_is_counted_and_written_with_the_next(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Spending(database, 1.0)

    async def full(work: object) -> None:
        raise CatalogueUnavailable("The disk of the catalogue is full; free some room on it, then run 'retry'.")

    with monkeypatch.context() as patch:
        patch.setattr(database, "write", full)
        for _ in range(2):
            with pytest.raises(CatalogueUnavailable):
                await account.record("T1", "answer", 0.5)
    assert await account.since("T1", LONG_AGO) == 1.0
    assert await account.refusal("T1") is not None
    assert await Spending(database).since("T1", LONG_AGO) == 0
    await account.record("T1", "answer", 0.25)
    assert await Spending(database).since("T1", LONG_AGO) == 1.25
    assert await account.since("T1", LONG_AGO) == 1.25


async def test_many_record_at_once_and_each_counts_once(database: Database) -> None:
    account = Spending(database)
    await asyncio.gather(*(account.record("T1", "answer", 0.5) for _ in range(20)))
    assert await Spending(database).since("T1", LONG_AGO) == 10


LONG = "".join(f"# Part {i}\n\n{f'Pump {i} was reviewed in May. ' * 60}\n\n" for i in range(6))


async def test_a_document_added_at_the_cap_answers_and_its_contexts_are_paid_when_it_is_over(
    make_settings: MakeSettings, claude: ClaudeServer
) -> None:
    """Structural contexts with one reason and no call; ``retry`` pays later, for what is missing only."""
    claude.brain = lambda request: says("From the review of the year.")
    key = {"anthropic_api_key": "key", "anthropic_base_url": claude.base_url}
    async with Indexer.open(make_settings(**key, day_cap_usd=0.5)) as indexer:
        await indexer.record_spent("T1", "answer", 0.5)
        row = await added(indexer, "T1", LONG)
        assert (row.state, row.context_kind) == ("published", ContextKind.STRUCTURAL)
        (reason,) = set(row.failures.values())
        assert reason == "The cap of $0.5 a day (DAY_CAP_USD) is reached; run 'retry' tomorrow, or raise it."
        assert len(row.failures) == row.chunks > 5
        assert not claude.messages
        assert await indexer.spent_since("T1", LONG_AGO) == 0.5
    async with Indexer.open(make_settings(**key, day_cap_usd=5)) as indexer:
        (again,) = await indexer.retry("T1")
        row = await followed(indexer, again.version)
        assert (row.state, row.context_kind, row.failures) == ("published", ContextKind.GENERATED, {})
        assert len(claude.messages) == row.chunks
        paid = await indexer.spent_since("T1", LONG_AGO) - 0.5
        assert paid == pytest.approx(row.usage.cost_usd)
        assert paid > 0
