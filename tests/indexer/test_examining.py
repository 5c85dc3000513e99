"""What an original is, and what it may cost, before it is added."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexer.chunking import chunk
from indexer.context_prompt import ContextRequest, context_requests
from indexer.documents import WORKSPACE, Audience, ExtractedText, Original
from indexer.embedding import HashingEmbedder
from indexer.errors import ExtractionRefused
from indexer.examining import KEPT_READINGS, Reading, Readings, planned_cost, title_of
from indexer.extraction import extract
from indexer.library import Indexer
from indexer.prices import load_prices
from indexer.settings import IndexerSettings
from tests.claude_server import ClaudeServer, Contexts
from tests.fixtures.indexer import MakeSettings, added, followed

pytestmark = pytest.mark.anyio

SECTIONS = [
    f"## Part {n}\n\n"
    + f"In part {n} the gateway of site {n} was moved. It took {n + 2} days and nobody noticed. " * 12
    for n in range(8)
]
REVIEW = "# Annual review\n\n" + "\n\n".join(SECTIONS)
THREAD = Audience.parse("thread:C1-1700000000.000100")


def original(data: str | bytes = REVIEW, name: str = "handbook.md") -> Original:
    return Original(f"file:///{name}", data.encode() if isinstance(data, str) else data, name)


async def test_what_is_examined_is_what_adding_makes_and_nothing_is_kept(
    indexer: Indexer, workspace: str, tmp_path: Path
) -> None:
    examined = await indexer.examine(original(), workspace=workspace, audience=WORKSPACE)
    assert await indexer.attempts(workspace) == []
    assert [path for path in (tmp_path / "data" / "originals").rglob("*") if path.is_file()] == []
    version = await added(indexer, workspace, REVIEW)
    assert (examined.title, examined.chunks, examined.document) == (version.title, version.chunks, version.document)
    assert examined.estimate_usd == 0.0  # there is no key


async def test_a_title_that_is_given_is_the_title(indexer: Indexer, workspace: str) -> None:
    examined = await indexer.examine(original(), workspace=workspace, audience=WORKSPACE, title="The year")
    assert examined.title == "The year"


def test_without_a_title_the_file_s_name_is_one() -> None:
    assert title_of(None, ExtractedText("x", "text/plain"), "notes of may.txt") == "notes of may"
    assert title_of(None, ExtractedText("x", "text/plain", "Notes"), "notes of may.txt") == "Notes"


@pytest.mark.parametrize("data", [b"", b"   \n", b"%PDF-1.7\n broken"])
async def test_what_cannot_be_read_is_refused_as_adding_would(indexer: Indexer, workspace: str, data: bytes) -> None:
    with pytest.raises(ExtractionRefused) as caught:
        await indexer.examine(original(data, "report.pdf"), workspace=workspace, audience=WORKSPACE)
    version = await added(indexer, workspace, data, source="file:///report.pdf")
    assert (version.state, version.error) == ("refused", str(caught.value))


async def test_the_estimate_is_near_what_is_paid_and_nothing_is_asked_of_claude_for_it(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    claude.brain = Contexts()
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        examined = await indexer.examine(original(), workspace=workspace, audience=WORKSPACE)
        assert claude.messages == []
        version = await added(indexer, workspace, REVIEW)
        assert version.usage.cost_usd * 0.6 < examined.estimate_usd < version.usage.cost_usd * 2.5


async def test_what_was_paid_before_is_not_in_the_estimate(
    make_settings: MakeSettings, claude: ClaudeServer, workspace: str
) -> None:
    claude.brain = Contexts()
    async with Indexer.open(make_settings(anthropic_api_key="sk-test", anthropic_base_url=claude.base_url)) as indexer:
        await added(indexer, workspace, REVIEW)
        same = await indexer.examine(original(), workspace=workspace, audience=Audience("channel", "C1"))
        assert same.estimate_usd == 0.0
        titled = await indexer.examine(original(), workspace=workspace, audience=WORKSPACE, title="The year")
        assert titled.estimate_usd > 0  # its contexts would be others


async def test_nothing_is_estimated_where_nothing_is_paid(make_settings: MakeSettings, workspace: str) -> None:
    """A thread's file, a document of one passage, a model whose price nobody knows."""
    settings = make_settings(anthropic_api_key="sk-test", anthropic_base_url="http://127.0.0.1:9")
    async with Indexer.open(settings) as indexer:
        for data, audience in ((REVIEW, THREAD), ("Closed on Monday.", WORKSPACE)):
            examined = await indexer.examine(original(data), workspace=workspace, audience=audience)
            assert examined.estimate_usd == 0.0
    async with Indexer.open(settings.model_copy(update={"context_model": "claude-new-9"})) as indexer:
        examined = await indexer.examine(original(), workspace=workspace, audience=WORKSPACE)
        assert examined.estimate_usd == 0.0


async def test_an_original_that_was_examined_is_not_read_again_when_it_is_added(
    indexer: Indexer, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    async def counted(one: Original, settings: IndexerSettings) -> ExtractedText:
        read.append(one.name)
        return await extract(one, settings)

    monkeypatch.setattr("indexer.examining.extract", counted)
    for audience in (WORKSPACE, Audience("channel", "C1")):
        await indexer.examine(original(), workspace=workspace, audience=audience)
    result = await indexer.add(original(), workspace=workspace, audience=WORKSPACE)
    assert (await followed(indexer, result.version)).state == "published"
    assert read == ["handbook.md"]
    other = replace(original(), name="handbook.txt", source="file:///handbook.txt")  # the name is a hint of the type
    await indexer.examine(other, workspace=workspace, audience=WORKSPACE)
    assert read == ["handbook.md", "handbook.txt"]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was really read."""
    names: list[str] = []

    async def read(one: Original, settings: IndexerSettings) -> ExtractedText:
        names.append(one.name)
        return ExtractedText(one.data.decode(), "text/plain")

    monkeypatch.setattr("indexer.examining.extract", read)
    return names


async def test_only_a_few_readings_are_kept_the_newest(reads: list[str]) -> None:
    readings = Readings(IndexerSettings(_env_file=None), HashingEmbedder())
    originals = [original(f"Text {n}.", f"{n}.txt") for n in range(KEPT_READINGS + 1)]
    for one in originals:
        await readings.kept(one)
    reads.clear()
    for one in reversed(originals):
        assert (await readings.kept(one)).extracted.text == one.data.decode()
    assert reads == ["0.txt"]


async def test_a_reading_is_kept_for_some_minutes_only(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    readings = Readings(IndexerSettings(_env_file=None), HashingEmbedder())
    moments = itertools.count(step=400)
    monkeypatch.setattr("indexer.examining.time.monotonic", lambda: float(next(moments)))
    await readings.kept(original())
    await readings.taken(original())
    assert len(reads) == 2


async def test_readings_of_enormous_texts_are_not_kept(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.examining.KEPT_CHARACTERS", 10)
    readings = Readings(IndexerSettings(_env_file=None), HashingEmbedder())
    first: Reading = await readings.kept(original("Short."))
    await readings.kept(original("Quite a bit longer than that."))
    assert await readings.kept(original("Short.")) == first
    assert len(reads) == 3


PRICE = load_prices()


def requests_of(text: str, **changes: Any) -> tuple[list[ContextRequest], IndexerSettings]:
    settings = IndexerSettings(_env_file=None, **changes)
    extracted, count = ExtractedText(text, "text/plain"), HashingEmbedder().count
    return context_requests("Review", extracted, chunk(extracted, budget=300, count=count), settings, count), settings


def one_token_a_character(text: str) -> int:
    return len(text)


def paid_for(requests: Collection[ContextRequest], settings: IndexerSettings) -> float:
    """The cost of all requests of a document that is shown whole, a character a token."""
    (instruction, shared), *_ = {
        (len(one.params["system"]), len(one.params["messages"][0]["content"][0]["text"])) for one in requests
    }
    own = sum(len(one.params["messages"][0]["content"][1]["text"]) for one in requests)
    cached = instruction + shared
    dollars = own * 0.10 + cached * 0.125 + (len(requests) - 1) * cached * 0.01 + len(requests) * 100 * 0.50
    return dollars / 1_000_000


def test_a_document_is_written_into_the_cache_once_and_read_by_every_other_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("indexer.examining._about", lambda text, count: count(text))
    requests, settings = requests_of(REVIEW)
    assert len(requests) > 3
    cost = planned_cost(requests, settings, PRICE, one_token_a_character)
    assert cost == pytest.approx(paid_for(requests, settings))


def test_a_document_too_short_to_be_cached_is_paid_in_full_each_time() -> None:
    requests, settings = requests_of(REVIEW)
    uncached = [replace(one, is_cached=False) for one in requests]
    whole = planned_cost(uncached, settings, PRICE, HashingEmbedder().count)
    assert whole > 2 * planned_cost(requests, settings, PRICE, HashingEmbedder().count)


def test_a_model_that_thinks_is_estimated_with_its_thoughts() -> None:
    requests, settings = requests_of(REVIEW, context_model="claude-sonnet-5-5")
    thoughts = len(requests) * 500 * 10 / 1_000_000
    assert planned_cost(requests, settings, PRICE, HashingEmbedder().count) > thoughts


def test_a_long_document_is_estimated_with_the_part_of_it_that_is_shown() -> None:
    """Shown whole, a call about 90 times the text would read 90 times as much."""
    once, settings = requests_of(REVIEW, context_document_tokens=1_000)
    often, _ = requests_of("\n\n".join(REVIEW.replace("Part", f"Book {n}, part") for n in range(90)),
                           context_document_tokens=1_000)  # fmt: skip
    count = HashingEmbedder().count
    a_call = planned_cost(once, settings, PRICE, count) / len(once)
    assert planned_cost(often, settings, PRICE, count) / len(often) < 2 * a_call
