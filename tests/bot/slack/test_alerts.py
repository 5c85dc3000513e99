"""Administrators are told once what breaks, and once when it is over: whoever sees it, whatever becomes of Slack."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot import health
from bot.answering.answerer import Answerer
from bot.answering.events import Answer, Kind
from bot.health import Check
from bot.ledger import Ledger
from bot.ledger.alerts import Alert
from bot.settings import BotSettings
from bot.slack import alerts as module
from bot.slack.alerts import Alerts, due
from bot.slack.directory import Directory
from bot.slack.files import Attachments
from bot.slack.intake import Me
from bot.slack.parts import Parts
from bot.slack.sending.posting import Poster
from bot.slack.signs import Signs
from bot.slack.troubles import Trouble
from bot.slack.workspace import Workspace
from indexer import Database, Indexer, IndexerSettings, Usage, load_prices
from indexer.database import database_url
from tests.slack_server import Channel, SlackServer

pytestmark = pytest.mark.anyio

TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)
ROOM = Check("Disk", True, "90 GB are free at data (10% used).")
FULL = Check("Disk", False, "0.1 GB are free at data (99% used).", "Free some room, or set DATA_DIR to a larger disk.")


def at(minutes: float) -> datetime:
    return TEN + timedelta(minutes=minutes)


# -- what is due ---------------------------------------------------------------------------------------------------

LASTS = Alert("socket", 1, at(0))
TOLD = replace(LASTS, begun_told=True, told_at=at(1))


@pytest.mark.parametrize(
    ("alert", "minute", "news"),
    [
        (LASTS, 0, "begun"),
        (TOLD, 500, None),
        (replace(TOLD, ended_at=at(5)), 5.5, None),
        (replace(TOLD, ended_at=at(5)), 6, "over"),
        (replace(TOLD, ended_at=at(5), is_closed=True), 90, None),
        (replace(LASTS, ended_at=at(5)), 6, "nothing"),
        (replace(LASTS, ended_at=at(15)), 16, "missed"),
        (replace(LASTS, ended_at=at(15)), 15 + 1441, "nothing"),
        (replace(LASTS, told_at=at(-40)), 10, None),
        (replace(LASTS, told_at=at(-40)), 20, "begun"),
        (replace(LASTS, told_at=at(-20), ended_at=at(15)), 30, None),
        (replace(LASTS, told_at=at(-20), ended_at=at(15)), 40, "missed"),
    ],
    ids=lambda value: str(value) if not isinstance(value, Alert) else "",
)
def test_what_is_to_be_told_when(alert: Alert, minute: float, news: str | None) -> None:
    assert due(alert, at(minute)) == news


# -- one process or several, on one ledger -------------------------------------------------------------------------


@dataclass
class Shelf:
    """As much of an Indexer as is looked at."""

    database: Database
    settings: IndexerSettings
    rows: list[Any] = field(default_factory=list)
    paid: datetime | None = None
    usd: float = 0.0

    async def attempts(self, workspace: str, *, since: datetime) -> list[Any]:
        return [row for row in self.rows if row.updated_at >= since]

    async def last_spent(self, workspace: str) -> datetime | None:
        return self.paid

    async def spent_since(self, workspace: str, moment: datetime) -> float:
        return self.usd

    async def documents(self, workspace: str, viewer: object) -> list[Any]:
        return []


@dataclass
class House:
    """Processes that share a ledger and a clock, and the channel that is told."""

    slack: SlackServer
    channel: Channel
    shelf: Shelf
    ledger: Ledger
    minute: float = 0.0
    up: bool = True

    def process(self, **settings: Any) -> Alerts:
        values = {"admin_channel": self.channel.id, "slack_bot_token": self.slack.bot_token} | settings
        library = cast(Indexer, self.shelf)
        bot = BotSettings.model_validate(values)
        client = AsyncWebClient(token=self.slack.bot_token, base_url=self.slack.api_url, retry_handlers=[])
        parts = Parts(
            settings=bot,
            me=Me("U0BOT", "B0BOT", self.slack.team_id),
            client=client,
            library=library,
            ledger=self.ledger,
            answerer=Answerer(library, None, bot, load_prices(None)),
            workspace=Workspace(library, bot, self.slack.team_id),
            directory=Directory(client, self.slack.team_id),
            attachments=Attachments(client, library, bot),
            poster=Poster(client, sleep=lambda seconds: asyncio.sleep(0)),
            signs=Signs(now=lambda: at(self.minute)),
        )
        parts.signs.connected_by(self._is_up)
        return Alerts(parts, f"process-{id(values)}", now=lambda: at(self.minute))

    async def _is_up(self) -> bool:
        return self.up

    async def pass_to(self, minute: float, *processes: Alerts) -> list[str]:
        """At that minute all look, then all tell; everything that stands in the channel by then."""
        self.minute = minute
        for work in ("look", "tell"):
            calls: list[Callable[[], Awaitable[None]]] = [getattr(process, work) for process in processes]
            await asyncio.gather(*(call() for call in calls))
        return self.told

    @property
    def told(self) -> list[str]:
        return [message.shown for message in self.slack.messages(self.channel)]


@pytest.fixture
async def house(slack: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(health, "disk", lambda settings: ROOM)
    monkeypatch.setattr(module, "BACK_SECONDS", 0.01)
    database = await Database.open(database_url(None, tmp_path))
    shelf = Shelf(database, IndexerSettings.model_validate({"data_dir": tmp_path}))
    ada = slack.person("Ada")
    yield House(slack, slack.channel("ops", members=[ada]), shelf, await Ledger.open(database))
    await database.close()


KEY = "Claude refuses the key."
KEY_OVER = "Claude takes the key again."


async def test_a_refused_key_is_told_once_and_that_it_is_taken_once(house: House) -> None:
    process = house.process()
    assert await house.pass_to(0, process) == []
    process.signs.hear(Trouble.KEY, ok=False)
    (begun,) = await house.pass_to(0, process)
    assert begun.startswith(KEY)
    assert "Check ANTHROPIC_API_KEY" in begun
    for minute in (1, 5, 300):  # nobody asks for hours, or asks in vain
        process.signs.hear(Trouble.KEY, ok=False)
        assert await house.pass_to(minute, process) == [begun]
    house.minute = 301
    process.signs.hear(Trouble.KEY, ok=True)
    assert await house.pass_to(301, process) == [begun]
    (_, over) = await house.pass_to(302, process)
    assert over.startswith(KEY_OVER)
    assert f"retry --workspace {house.slack.team_id}" in over
    assert await house.pass_to(900, process) == [begun, over]


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        (Answer("…", Kind.PASSAGES, failure="key"), {Trouble.KEY: True}),
        (Answer("…", Kind.PASSAGES, failure="credit"), {Trouble.CREDIT: True}),
        (Answer("…", Kind.PASSAGES, failure="overloaded"), {}),
        (Answer("…", Kind.PASSAGES), {}),
        (Answer("…", Kind.HELP), {}),
        (Answer("…", usage=Usage(output_tokens=3)), {Trouble.KEY: False, Trouble.CREDIT: False}),
    ],
    ids=["key", "credit", "overloaded", "passages", "help", "answer"],
)
async def test_an_answer_tells_of_key_and_credit(
    house: House, monkeypatch: pytest.MonkeyPatch, answer: Answer, kinds: dict[Trouble, bool]
) -> None:
    process, heard = house.process(), dict[Trouble, bool]()
    monkeypatch.setattr(process.signs, "hear", lambda kind, ok: heard.update({kind: not ok}))
    process.signs.answered(answer)
    assert heard == kinds


async def test_what_was_paid_for_since_says_that_the_key_is_taken(house: House) -> None:
    process = house.process()
    process.signs.hear(Trouble.KEY, ok=False)
    house.shelf.paid = at(-1)
    assert len(await house.pass_to(0, process)) == 1
    house.shelf.paid = at(5)
    assert len(await house.pass_to(5.5, process)) == 1
    assert len(await house.pass_to(6, process)) == 2


async def test_of_ten_processes_one_tells(house: House) -> None:
    processes = [house.process() for _ in range(10)]
    for process in processes:
        process.signs.hear(Trouble.CREDIT, ok=False)
    assert len(await house.pass_to(0, *processes)) == 1
    processes[7].signs.hear(Trouble.CREDIT, ok=True)
    await house.pass_to(1, *processes)
    (_, over) = await house.pass_to(3, *processes)
    assert over.startswith("Claude answers again")


async def test_a_process_that_starts_knows_what_was_told(house: House) -> None:
    process = house.process()
    process.signs.hear(Trouble.KEY, ok=False)
    await house.pass_to(0, process)
    successor = house.process()
    successor.signs.hear(Trouble.KEY, ok=False)
    assert len(await house.pass_to(5, successor)) == 1
    house.minute = 6
    successor.signs.hear(Trouble.KEY, ok=True)
    await house.pass_to(6, successor)
    assert len(await house.pass_to(8, successor)) == 2


async def test_what_was_posted_by_a_process_that_died_is_not_posted_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = house.process()
    process.signs.hear(Trouble.KEY, ok=False)
    with monkeypatch.context() as patch:
        patch.setattr(house.ledger, "alert_told", _dies)
        with pytest.raises(ConnectionError):
            await house.pass_to(0, process)
    assert len(house.told) == 1
    successor = house.process()
    assert len(await house.pass_to(1, successor)) == 1
    assert len(await house.pass_to(10, successor)) == 1
    (alert,) = (await house.ledger.alerts(house.slack.team_id)).values()
    assert alert.begun_told


async def _dies(*arguments: Any, **options: Any) -> None:
    raise ConnectionError("killed")


async def test_what_comes_and_goes_is_told_in_one_pair_an_hour(house: House) -> None:
    process = house.process()
    for minute in range(180):
        house.minute = minute
        process.signs.hear(Trouble.KEY, ok=minute % 6 >= 3)  # three minutes so, three minutes so
        await house.pass_to(minute, process)
    begun = [text for text in house.told if text.startswith(KEY)]
    over = [text for text in house.told if text.startswith(KEY_OVER)]
    assert (len(begun), len(over)) == (3, 3)


async def test_what_lasts_after_it_came_and_went_is_told_an_hour_later_with_its_beginning(house: House) -> None:
    process = house.process()
    for minute, ok in ((0, False), (5, True), (7, True), (20, False)):
        house.minute = minute
        process.signs.hear(Trouble.KEY, ok=ok)
        await house.pass_to(minute, process)
    assert len(await house.pass_to(59, process)) == 2
    (*_, again) = await house.pass_to(60, process)
    assert again.startswith(KEY)
    assert again.endswith("It has been so since 2026-11-30 10:20 UTC.")


# -- the channel ---------------------------------------------------------------------------------------------------


async def test_the_channel_may_be_given_by_its_name(house: House) -> None:
    process = house.process(admin_channel="#ops")
    process.signs.hear(Trouble.KEY, ok=False)
    assert len(await house.pass_to(0, process)) == 1


@pytest.mark.parametrize("named", ["#nowhere", "C0NOWHERE99"])
async def test_where_there_is_no_such_channel_the_log_has_it(
    house: House, caplog: pytest.LogCaptureFixture, named: str
) -> None:
    house.slack.expect_violations()
    process = house.process(admin_channel=named)
    process.signs.hear(Trouble.KEY, ok=False)
    assert await house.pass_to(0, process) == []
    assert KEY in caplog.text
    assert "ADMIN_CHANNEL cannot be told" in caplog.text
    assert "Invite the app" in caplog.text


async def test_without_a_channel_the_log_has_it_once(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bot.slack.alerts")
    processes = [house.process(admin_channel=None) for _ in range(3)]
    processes[0].signs.hear(Trouble.KEY, ok=False)
    for minute in (0, 1, 90):
        await house.pass_to(minute, *processes)
    processes[0].signs.hear(Trouble.KEY, ok=True)
    for minute in (91, 95, 200):
        await house.pass_to(minute, *processes)
    assert [caplog.text.count(said) for said in (KEY, KEY_OVER)] == [1, 1]
    assert house.told == []
    assert not house.slack.called("users.conversations")


@pytest.mark.parametrize("ends", [False, True])
async def test_what_an_archived_channel_could_not_be_told_is_told_when_it_is_back(
    house: House, caplog: pytest.LogCaptureFixture, ends: bool
) -> None:
    house.slack.expect_violations()
    (ada, *_) = [house.slack.people[id] for id in house.channel.members if id != house.slack.bot.id]
    house.slack.archives(ada, house.channel)
    process = house.process()
    process.signs.hear(Trouble.KEY, ok=False)
    for minute in (0, 5, 11):
        assert await house.pass_to(minute, process) == []
    assert "Invite the app" in caplog.text
    assert caplog.text.count("alert: ") == 1
    if ends:
        house.minute = 12
        process.signs.hear(Trouble.KEY, ok=True)
        await house.pass_to(12, process)
    house.slack.unarchives(ada, house.channel)
    (told,) = await house.pass_to(22, process)
    if ends:
        assert "That was so from 2026-11-30 10:00 UTC to 2026-11-30 10:12 UTC; it is over." in told
    else:
        assert told.endswith("It has been so since 2026-11-30 10:00 UTC.")
    assert await house.pass_to(40, process) == [told]


# -- Slack is away -------------------------------------------------------------------------------------------------


async def away(house: House, process: Alerts, minutes: list[float]) -> None:
    """Slack is away at these minutes, then it is back."""
    house.slack.close_port()
    house.up = False
    for minute in minutes:
        await house.pass_to(minute, process)
    house.slack.open_port()
    house.up = True


async def test_a_short_outage_of_slack_is_not_told(house: House) -> None:
    process = house.process()
    await away(house, process, [0, 0.5, 1.1, 2, 3, 4])
    for minute in (5, 5.5, 6, 7, 70):
        assert await house.pass_to(minute, process) == []


async def test_of_a_short_outage_nothing_is_told_where_slack_is_back_before_the_connection(house: House) -> None:
    process = house.process()
    await away(house, process, [0, 1.1, 2, 3, 4])
    house.up = False  # for a moment more
    house.minute = 5
    await process.look()
    telling = asyncio.create_task(process.tell())
    await asyncio.sleep(0)
    house.up = True
    await process.look()
    await telling
    assert house.told == []
    assert await house.pass_to(7, process) == []


async def test_a_long_outage_of_slack_is_told_in_one_message_when_it_is_over(house: House) -> None:
    process = house.process()
    await away(house, process, [0, 1.1, *range(2, 30)])
    await house.pass_to(30, process)
    (told,) = await house.pass_to(32, process)
    assert told.startswith("A connection of the bot to Slack has been down for more than a minute.")
    assert "from 2026-11-30 10:01 UTC to 2026-11-30 10:30 UTC; it is over." in told
    assert await house.pass_to(100, process) == [told]


async def test_a_connection_of_one_of_several_that_stays_down_is_told_and_when_it_is_back(house: House) -> None:
    process, other = house.process(), house.process()
    other.signs.connected_by(None)
    house.up = False
    for minute in (0.0, 1.0):
        assert await house.pass_to(minute, process, other) == []
    assert len(await house.pass_to(1.5, process, other)) == 1
    for minute in range(2, 20):
        assert len(await house.pass_to(minute, process, other)) == 1
    house.up = True
    await house.pass_to(20, process, other)
    (_, over) = await house.pass_to(22, process, other)
    assert over == "The connection to Slack is back."


async def test_a_process_that_died_without_a_connection_is_forgotten(house: House) -> None:
    process, other = house.process(), house.process()
    other.signs.connected_by(None)
    house.up = False
    for minute in (0.0, 1.5):
        await house.pass_to(minute, process, other)
    for minute in (2, 3, 4, 5, 6, 7):
        await house.pass_to(minute, other)
    assert [text.split(" Where")[0] for text in house.told] == [
        "A connection of the bot to Slack has been down for more than a minute.",
        "The connection to Slack is back.",
    ]


# -- disk, indexing, cap -------------------------------------------------------------------------------------------


async def test_a_disk_that_fills_is_told_with_what_to_do(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    process = house.process()
    monkeypatch.setattr(health, "disk", lambda settings: FULL)
    (told,) = await house.pass_to(0, process)
    assert told.startswith("A disk fills up. On ")
    assert told.endswith(f": {FULL.found} {FULL.advice}")
    monkeypatch.setattr(health, "disk", lambda settings: ROOM)
    await house.pass_to(5, process)
    assert (await house.pass_to(6, process))[1:] == ["The disk has room again."]


@dataclass(frozen=True)
class Row:
    id: str
    state: str
    updated_at: datetime
    chunks: int = 4
    failures: dict[str, str] = field(default_factory=dict)


async def test_documents_that_fail_one_after_the_other_are_told_without_their_titles(house: House) -> None:
    process = house.process()
    for minute in range(3):
        assert await house.pass_to(minute, process) == []
        house.shelf.rows.append(Row(f"d{minute}.1", "failed", at(minute)))
    (told,) = await house.pass_to(3, process)
    assert told.startswith("Indexing fails: 3 documents failed within an hour.")
    assert f"status --workspace {house.slack.team_id}" in told
    assert len(await house.pass_to(200, process)) == 1
    house.shelf.rows.append(Row("d9.1", "published", at(201)))
    await house.pass_to(201, process)
    assert (await house.pass_to(203, process))[1:] == ["Indexing works again."]


async def test_contexts_that_failed_for_the_key_tell_of_the_key(house: House) -> None:
    process = house.process()
    failures = {str(n): "Claude refused the key; check ANTHROPIC_API_KEY." for n in range(4)}
    house.shelf.rows = [Row(f"d{n}.1", "published", at(n), failures=failures) for n in range(3)]
    (told,) = await house.pass_to(3, process)
    assert told.startswith(KEY)
    house.shelf.paid = at(4)
    await house.pass_to(5, process)
    assert len(await house.pass_to(6, process)) == 2
    assert len(await house.pass_to(50, process)) == 2  # the rows are as they were


async def test_the_cap_of_the_day_is_told_and_the_next_day(house: House) -> None:
    process = house.process(day_cap_usd=5.0)
    house.shelf.usd = 4.99
    assert await house.pass_to(0, process) == []
    house.shelf.usd = 5.01
    (told,) = await house.pass_to(1, process)
    assert told.startswith("The day's cap of $5 for Claude is reached.")
    house.shelf.usd = 0.0
    await house.pass_to(900, process)
    (_, over) = await house.pass_to(902, process)
    assert over.startswith("Claude may be asked again")
