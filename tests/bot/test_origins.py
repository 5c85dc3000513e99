"""What documents were made of, and what is told once that is gone."""

from __future__ import annotations

import pytest

from bot.ledger import Forgotten, Ledger, Made

pytestmark = pytest.mark.anyio

PLAN = Forgotten("v1", "U1", "Plan")


async def test_a_deleted_part_marks_every_document_that_was_made_of_it(ledger: Ledger) -> None:
    await ledger.made_of("d1", "T1", ["C1:1.1", "C1:1.2"], "U1")
    await ledger.made_of("d2", "T1", ["C1:1.2", "C1:1.2"], "U2")
    await ledger.made_of("d3", "T1", ["F1"], "U3")
    assert not await ledger.part_gone("C1:9.9")
    assert await ledger.part_gone("C1:1.2")
    assert sorted(await ledger.to_forget(), key=lambda made: made.document) == [
        Made("d1", "T1", "U1"),
        Made("d2", "T1", "U2"),
    ]
    await ledger.forgotten("d1")
    assert await ledger.to_forget() == [Made("d2", "T1", "U2")]


async def test_a_document_that_is_made_anew_forgets_what_it_was_made_of(ledger: Ledger) -> None:
    await ledger.made_of("d1", "T1", ["C1:1.1"], "U1")
    await ledger.made_of("d1", "T1", ["C1:2.2"], "U1")
    assert not await ledger.part_gone("C1:1.1")
    assert await ledger.part_gone("C1:2.2")


async def test_a_document_for_other_readers_is_made_of_the_same(ledger: Ledger) -> None:
    await ledger.made_of("d1", "T1", ["C1:1.1", "F1"], "U1")
    await ledger.made_of("d2", "T1", ["C1:9.9"], "U2")  # it was there before, and is replaced
    for _ in range(2):  # a process may die in between and say it again
        await ledger.now_called("d1", "d2")
    await ledger.now_called("d2", "d2")
    assert not await ledger.part_gone("C1:9.9")
    assert await ledger.part_gone("F1")
    assert await ledger.to_forget() == [Made("d2", "T1", "U1")]


async def test_a_document_that_is_to_go_is_so_for_other_readers_too(ledger: Ledger) -> None:
    await ledger.made_of("d1", "T1", ["F1"], "U1")
    await ledger.part_gone("F1")
    await ledger.now_called("d1", "d2")
    assert await ledger.to_forget() == [Made("d2", "T1", "U1")]


async def test_what_is_forgotten_is_kept_until_it_is_told(ledger: Ledger) -> None:
    await ledger.made_of("d1", "T1", ["F1"], "U1")
    await ledger.part_gone("F1")
    await ledger.will_tell("d1", PLAN)
    await ledger.will_tell("d1", PLAN)
    await ledger.forgotten("d1")
    assert await ledger.to_tell() == [PLAN]
    await ledger.told("v1")
    assert await ledger.to_tell() == []


async def test_a_deletion_that_is_heard_of_again_while_it_is_forgotten_is_told_all_the_same(ledger: Ledger) -> None:
    await ledger.holds("d1", "T1", "F1", "U1")
    await ledger.part_gone("F1")
    await ledger.holds("d1", "T1", "F1", "U1")
    await ledger.will_tell("d1", PLAN)
    assert await ledger.to_tell() == [PLAN]


@pytest.mark.parametrize("by_now", ["forgotten", "never deleted"])
async def test_what_is_not_to_be_forgotten_any_more_is_not_told(ledger: Ledger, by_now: str) -> None:
    """Another bot was quicker."""
    await ledger.made_of("d1", "T1", ["F1"], "U1")
    if by_now == "forgotten":
        await ledger.part_gone("F1")
        await ledger.forgotten("d1")
    await ledger.will_tell("d1", PLAN)
    assert await ledger.to_tell() == []
