"""What is being added is remembered whatever dies, and a person's word reaches whoever works on it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.adding import Item, Progress, Request, Twin, What
from bot.ledger import Ledger

pytestmark = pytest.mark.anyio

FILE = Item(What.FILE, "F1", "Budget.xlsx")
TEXT = Item(What.TEXT, "abc", "Pasted text", text="Ünder\x00 the desk", title="Keys")
REQUEST = Request("add1", "T1", "U1", (FILE, TEXT), "channel:C1", channel="C1", response_url="https://slack.test/r")
TWIN = Twin("d1", "Budget.xlsx", "name", "Ben", datetime(2026, 2, 2, tzinfo=UTC), "workspace", may_replace=True)


async def test_a_request_is_kept_as_it_was_made(ledger: Ledger) -> None:
    assert await ledger.take_addition(REQUEST, "me")
    assert await ledger.addition("add1") == REQUEST
    assert await ledger.unfinished_additions() == [(REQUEST, "me")]
    assert await ledger.progress_of("add1") == (Progress("waiting", "Budget.xlsx"), Progress("waiting", "Keys"))


async def test_a_request_is_taken_once(ledger: Ledger) -> None:
    assert await ledger.take_addition(REQUEST, "me")
    assert not await ledger.take_addition(REQUEST, "another")
    assert await ledger.unfinished_additions() == [(REQUEST, "me")]


async def test_progress_is_kept_with_all_that_is_asked(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "me")
    asks = Progress(
        "asks_twin", "Budget", document="d2", version="d2.1", done=3, total=9, twin=TWIN, decisions=("keep",)
    )
    await ledger.set_progress("add1", 0, asks)
    assert (await ledger.progress_of("add1"))[0] == asks


async def test_what_somebody_asked_for_is_found_with_where_it_is_told_newest_first(ledger: Ledger) -> None:
    for request in (REQUEST, replace(REQUEST, id="add2"), replace(REQUEST, id="other", user="U2")):
        await ledger.take_addition(request, "me")
    await ledger.told_at("add2", "D1", "1.1")
    newer, older = await ledger.additions_of("T1", "U1", datetime.now(UTC) - timedelta(days=1))
    assert (newer.request.id, newer.message) == ("add2", ("D1", "1.1"))
    assert (older.request.id, older.message) == ("add1", None)
    assert older.items == (Progress("waiting", "Budget.xlsx"), Progress("waiting", "Keys"))
    assert await ledger.additions_of("T1", "U1", datetime.now(UTC) + timedelta(minutes=1)) == []


async def test_the_requests_that_became_a_document_are_found_by_it(ledger: Ledger) -> None:
    for id in ("add1", "add2", "add3"):
        await ledger.take_addition(replace(REQUEST, id=id), "me")
    await ledger.set_progress("add1", 1, Progress("ready", "Keys", document="d1"))
    await ledger.set_progress("add2", 0, Progress("ready", "Keys", document="d1"))
    await ledger.set_progress("add3", 0, Progress("ready", "Keys", document="d11"))
    assert {one.request.id for one in await ledger.added_as("d1")} == {"add1", "add2"}
    assert await ledger.added_as("d2") == []


async def test_a_dead_process_s_request_is_claimed_by_one_only(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "dead")
    claims = [await ledger.claim_addition("add1", name, held_by="dead") for name in ("b", "c")]
    assert claims == [True, False]


async def test_a_request_rests_only_once_nothing_is_in_hand(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "me")
    assert not await ledger.rest_addition("add1", "me")
    for number in (0, 1):
        await ledger.set_progress("add1", number, Progress("ready", "x"))
    assert not await ledger.rest_addition("add1", "somebody else")
    assert await ledger.rest_addition("add1", "me")
    assert await ledger.unfinished_additions() == []


async def test_a_decision_wakes_a_resting_request_in_the_process_that_heard_it(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "me")
    await ledger.set_progress("add1", 0, Progress("asks_twin", "Budget", twin=TWIN))
    await ledger.set_progress("add1", 1, Progress("ready", "Keys"))
    assert await ledger.rest_addition("add1", "me")
    assert await ledger.decide("add1", 0, "keep", "another") == "yours"
    assert await ledger.unfinished_additions() == [(REQUEST, "another")]
    decided = (await ledger.progress_of("add1"))[0]
    assert (decided.state, decided.decisions, decided.twin) == ("waiting", ("keep",), TWIN)


async def test_a_decision_on_a_request_in_another_s_hands_is_left_to_them(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "me")
    await ledger.set_progress("add1", 0, Progress("asks_cost", "Budget", estimate_usd=3.0))
    assert await ledger.decide("add1", 0, "go_on", "another") == "theirs"
    assert not await ledger.rest_addition("add1", "me"), "there is something to do again"


async def test_of_two_decisions_the_first_counts(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "me")
    await ledger.set_progress("add1", 0, Progress("asks_twin", "Budget", twin=TWIN))
    assert await ledger.decide("add1", 0, "cancel", "me") == "yours"
    assert await ledger.decide("add1", 0, "replace", "me") == "over"
    assert (await ledger.progress_of("add1"))[0].state == "cancelled"


@pytest.mark.parametrize(("id", "number"), [("add1", 0), ("add1", 7), ("unknown", 0)])
async def test_what_asks_nothing_is_not_decided(ledger: Ledger, id: str, number: int) -> None:
    await ledger.take_addition(REQUEST, "me")
    assert await ledger.decide(id, number, "keep", "me") == "over"


async def test_where_it_is_told_is_remembered(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "me")
    assert await ledger.message_of("add1") is None
    await ledger.told_at("add1", "D1", "1700000000.000100")
    assert await ledger.message_of("add1") == ("D1", "1700000000.000100")


async def test_texts_of_old_requests_are_forgotten_and_their_keys_are_not(ledger: Ledger) -> None:
    await ledger.take_addition(REQUEST, "me")
    await ledger.take_addition(replace(REQUEST, id="open"), "me")
    for number in (0, 1):
        await ledger.set_progress("add1", number, Progress("ready", "x"))
    await ledger.rest_addition("add1", "me")
    assert await ledger.forget_additions(datetime.now(UTC) + timedelta(seconds=5)) == 1
    assert await ledger.addition("add1") is None
    assert await ledger.progress_of("add1") == (), "titles are as secret as texts"
    assert await ledger.addition("open") is not None
    assert not await ledger.take_addition(REQUEST, "me")
