"""What people thought of answers, as lines for whoever makes questions of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.ledger import Ledger, StoredAnswer
from bot.slack.opinions import opinion_lines
from indexer import Database
from indexer.database import database_url
from indexer.evaluation.feedback import load_feedback
from tests.bot.test_ledger import COMMAND, MENTION, answered
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


async def test_an_opinion_is_a_line_with_the_question_as_it_was_meant_and_nobody_s_name(
    ledger: Ledger, tmp_path: Path
) -> None:
    await keep(ledger, answered(), 1, -1)
    odd = replace(MENTION, ts="1700000020.1", text="Is a &lt; b, <@UBOT>?")
    await keep(ledger, answered(odd), -1, comment="out of date")
    await ledger.keep(answered(replace(MENTION, ts="1700000030.1")))
    lines = list(opinion_lines(await ledger.opinions(), private=False))
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
    assert list(opinion_lines(await ledger.opinions(), private=False)) == []
    assert len(list(opinion_lines(await ledger.opinions(), private=True))) == 3
