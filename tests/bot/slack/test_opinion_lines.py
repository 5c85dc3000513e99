"""What people thought of answers, as lines for whoever makes questions of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.ledger import Feedback, Ledger, StoredAnswer
from bot.slack.opinions import for_all_employees, opinion_lines
from indexer import EVERYONE, WORKSPACE, Audience, Database, Indexer, Original, VersionId
from indexer.database import database_url
from indexer.evaluation.feedback import load_feedback
from tests.bot.test_ledger import COMMAND, MENTION, answered
from tests.fixtures.indexer import followed
from tests.indexer.evaluation.corpora import written

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    database = await Database.open(database_url(None, tmp_path))
    yield await Ledger.open(database)
    await database.close()


async def keep(ledger: Ledger, answer: StoredAnswer, *values: int, comment: str | None = None) -> None:
    await ledger.keep(answer)
    for number, value in enumerate(values):
        await ledger.feedback(answer.id, f"U{number}", 1 if value > 0 else -1, "button", comment)


def quoted(answer: StoredAnswer) -> set[VersionId]:
    """The versions that an answer rests on."""
    return {source.version for source in answer.sources}


async def test_an_opinion_is_a_line_with_the_question_as_it_was_meant_and_nobody_s_name(
    ledger: Ledger, tmp_path: Path
) -> None:
    await keep(ledger, answered(), 1, -1)
    odd = replace(MENTION, ts="1700000020.1", text="Is a &lt; b, <@UBOT>?")
    await keep(ledger, answered(odd), -1, comment="out of date")
    await ledger.keep(answered(replace(MENTION, ts="1700000030.1")))
    lines = list(opinion_lines(await ledger.opinions(), for_all=quoted(answered()), private=False))
    quotes = ["It was an expired certificate."]
    assert lines == [
        {"question": "What was the root cause?", "quotes": quotes, "value": 1},
        {"question": "What was the root cause?", "quotes": quotes, "value": -1},
        {"question": "Is a < b, ?", "quotes": quotes, "value": -1, "comment": "out of date"},
    ]
    assert [asked.value for asked in load_feedback(written(tmp_path / "feedback.jsonl", lines))] == [0, -1]


async def test_what_was_asked_in_private_is_left_out_unless_it_is_asked_for(ledger: Ledger) -> None:
    await keep(ledger, answered(replace(MENTION, channel="D1")), 1)
    await keep(ledger, answered(COMMAND), 1)
    await keep(ledger, answered(replace(MENTION, ts="private-1"), private=True), 1)
    for_all = quoted(answered())
    assert list(opinion_lines(await ledger.opinions(), for_all=for_all, private=False)) == []
    assert len(list(opinion_lines(await ledger.opinions(), for_all=for_all, private=True))) == 3


async def test_what_rests_on_documents_that_are_not_for_all_is_left_out(ledger: Ledger) -> None:
    await keep(ledger, answered(), 1)
    assert quoted(answered())
    assert list(opinion_lines(await ledger.opinions(), for_all=(), private=False)) == []
    assert len(list(opinion_lines(await ledger.opinions(), for_all=(), private=True))) == 1


async def test_documents_of_the_workspace_and_of_everybody_are_for_all(indexer: Indexer, workspace: str) -> None:
    kept = {}
    for audience in (WORKSPACE, EVERYONE, Audience("channel", "C1"), Audience("user", "U1")):
        original = Original(f"file:///{audience.kind}.txt", b"It was an expired certificate.", "a.txt")
        added = await indexer.add(original, workspace=workspace, audience=audience)
        kept[audience] = (await followed(indexer, added.version)).id
    source = answered().sources[0]
    sources = tuple(replace(source, version=version) for version in (*kept.values(), VersionId("0123.4")))
    opinion = (replace(answered(), sources=sources), Feedback("A1", "U1", 1, "button", None, datetime.now(UTC)))
    assert await for_all_employees(indexer, [opinion]) == {kept[WORKSPACE], kept[EVERYONE]}
