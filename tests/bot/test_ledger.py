"""What the bot remembers: each question once, whoever sees it; answers, feedback, muted threads."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.events import Answer, Citation, Source, Statement
from bot.asking import How, Question
from bot.ledger import Ledger, StoredAnswer, new_answer_id, stored
from bot.ledger.schema import LEDGER_VERSION, ledger_schema, metadata, questions
from indexer import (
    WORKSPACE,
    Audience,
    CatalogueUnavailable,
    Chunk,
    Context,
    ContextKind,
    Database,
    DocumentId,
    Hit,
    Usage,
    VersionId,
)
from indexer.schema import metadata as catalogue_metadata

pytestmark = pytest.mark.anyio

MENTION = Question(
    team="T1",
    channel="C1",
    ts="1700000000.000100",
    thread="1700000000.000100",
    user="U1",
    text="<@UBOT> What was the root cause?",
    how=How.MENTION,
    kind="channel",
    files=({"id": "F1", "name": "a\x00b.pdf"},),
)
REPLY = replace(MENTION, ts="1700000009.000100", text="And when was it closed?", how=How.FOLLOW_UP)
COMMAND = replace(MENTION, ts="command-1", thread="", how=How.COMMAND, response_url="https://slack.test/r")

HIT = Hit(
    DocumentId("d1"),
    VersionId("d1.2"),
    "Annual Review 2023",
    WORKSPACE,
    "file:///review.pdf",
    Chunk(7, 100, 130, "It was an expired certificate.", ("Incidents",), (14,)),
    Context("On the incident.", ContextKind.GENERATED),
    0.9,
    url="https://example.test/review",
    date=datetime(2024, 1, 30, tzinfo=UTC),
    scores={"vector": 0.8, "keyword": float("nan")},
    rerank=0.93,
)
ANSWER = Answer(
    "An expired certificate. [1]",
    citations=(Citation(1, HIT, "It was an expired certificate."),),
    searches=("root cause",),
    statements=(Statement("An expired certificate.", (Source(HIT.document, HIT.version),)),),
    hits=(HIT,),
    usage=Usage(cost_usd=0.01),
)


def answered(question: Question = MENTION, *messages: str, private: bool = False, text: str = "") -> StoredAnswer:
    answer = replace(ANSWER, text=text or ANSWER.text)
    audiences = {WORKSPACE, Audience("channel", "C1")}
    return stored(answer, question, id=new_answer_id(), audiences=audiences, messages=messages, private=private)


@pytest.fixture
async def another(url: sa.URL, ledger: Ledger) -> AsyncIterator[Ledger]:
    """The ledger as another process has it: connections of its own."""
    database = await Database.open(url)
    yield await Ledger.open(database)
    await database.close()


# -- the tables ----------------------------------------------------------------------------------------------------


def test_no_table_has_a_name_of_the_catalogue() -> None:
    assert not metadata.tables.keys() & catalogue_metadata.tables.keys()


async def test_processes_that_open_an_empty_database_at_once_all_get_their_ledger(url: sa.URL) -> None:
    databases = await asyncio.gather(*(Database.open(url) for _ in range(4)))
    ledgers = await asyncio.gather(*(Ledger.open(database) for database in databases))
    assert await ledgers[0].take(MENTION, "me")
    assert [await ledger.unfinished() for ledger in ledgers] == [[(MENTION, "me")]] * 4
    for database in databases:
        await database.close()


async def test_what_was_taken_is_there_after_a_restart(url: sa.URL) -> None:
    for opened in range(2):
        database = await Database.open(url)
        ledger = await Ledger.open(database)
        assert await ledger.take(MENTION, "me") == (opened == 0)
        assert await ledger.unfinished() == [(MENTION, "me")]
        await database.close()


async def test_a_ledger_of_a_newer_version_is_not_touched(ledger: Ledger, database: Database) -> None:
    await database.write(lambda c: c.execute(ledger_schema.update().values(version=LEDGER_VERSION + 1)))
    with pytest.raises(CatalogueUnavailable, match="newer Situate"):
        await Ledger.open(database)


# -- questions -----------------------------------------------------------------------------------------------------


async def test_question_is_taken_once(ledger: Ledger) -> None:
    assert await ledger.take(MENTION, "me")
    assert not await ledger.take(MENTION, "me")
    assert not await ledger.take(replace(MENTION, how=How.FOLLOW_UP), "another")
    assert await ledger.unfinished() == [(MENTION, "me")]


async def test_question_stays_taken_once_it_is_closed(ledger: Ledger) -> None:
    await ledger.take(MENTION, "me")
    await ledger.close(MENTION.key, "me", "answered")
    assert not await ledger.take(MENTION, "me")
    assert await ledger.unfinished() == []


async def test_another_wording_of_a_message_is_another_question(ledger: Ledger) -> None:
    edited = replace(MENTION, text="<@UBOT> Who found it?", edited=True)
    assert await ledger.take(MENTION, "me")
    assert await ledger.take(edited, "me")
    assert await ledger.unfinished() == [(MENTION, "me"), (edited, "me")]


async def test_of_two_processes_that_take_a_question_at_once_exactly_one_has_it(
    ledger: Ledger, another: Ledger
) -> None:
    for number in range(20):
        question = replace(MENTION, ts=f"17000000{number:02}.000100")
        won = await asyncio.gather(ledger.take(question, "me"), another.take(question, "you"))
        assert sorted(won) == [False, True]
        assert await ledger.is_open(question.key, "me") == won[0]
        assert await ledger.is_open(question.key, "you") == won[1]


async def test_of_two_processes_that_claim_a_question_at_once_exactly_one_has_it(
    ledger: Ledger, another: Ledger
) -> None:
    for number in range(20):
        question = replace(MENTION, ts=f"17000000{number:02}.000100")
        await ledger.take(question, "dead")
        won = await asyncio.gather(
            ledger.claim(question.key, "me", held_by="dead"), another.claim(question.key, "you", held_by="dead")
        )
        assert sorted(won) == [False, True]
        assert await ledger.is_open(question.key, "me") == won[0]
        assert not await ledger.is_open(question.key, "dead")


async def test_question_is_closed_by_its_owner_and_once(ledger: Ledger) -> None:
    await ledger.take(MENTION, "me")
    assert not await ledger.close(MENTION.key, "another", "failed")
    assert await ledger.is_open(MENTION.key, "me")
    assert await ledger.close(MENTION.key, "me", "answered")
    assert not await ledger.close(MENTION.key, "me", "stopped")
    assert not await ledger.is_open(MENTION.key, "me")


async def test_who_lost_a_question_cannot_close_it(ledger: Ledger) -> None:
    await ledger.take(MENTION, "slow")
    assert await ledger.claim(MENTION.key, "me", held_by="slow")
    assert not await ledger.close(MENTION.key, "slow", "answered")
    assert await ledger.close(MENTION.key, "me", "answered")


async def test_closed_and_unknown_questions_cannot_be_claimed(ledger: Ledger) -> None:
    await ledger.take(MENTION, "me")
    await ledger.close(MENTION.key, "me", "dropped")
    assert not await ledger.claim(MENTION.key, "you", held_by="me")
    assert not await ledger.claim("T1:C1:1:unknown", "you", held_by="me")


async def test_question_is_read_back_by_its_key_until_it_is_forgotten(ledger: Ledger) -> None:
    await ledger.take(MENTION, "me")
    assert await ledger.question(MENTION.key) == MENTION
    await ledger.close(MENTION.key, "me", "answered")
    assert await ledger.question(MENTION.key) == MENTION
    await ledger.forget(datetime.now(UTC) + timedelta(seconds=1))
    assert await ledger.question(MENTION.key) is None
    assert await ledger.question("T1:C1:1:unknown") is None


async def test_messages_of_a_question_are_kept_in_order_and_once(ledger: Ledger, another: Ledger) -> None:
    await ledger.take(MENTION, "me")
    for ts in ("3.1", "1.1", "3.1", "2.1"):
        await ledger.sent(MENTION.key, ts)
    await ledger.sent(REPLY.key, "9.1")
    assert await another.messages(MENTION.key) == ("3.1", "1.1", "2.1")
    assert await ledger.messages("T1:C1:1:unknown") == ()


async def test_taking_is_fast_enough_for_slack_to_wait_for_it(ledger: Ledger) -> None:
    seconds = []
    for number in range(40):
        began = time.perf_counter()
        assert await ledger.take(replace(MENTION, ts=f"17000000{number:02}.000100"), "me")
        seconds.append(time.perf_counter() - began)
    assert statistics.median(seconds) < 0.02


async def test_last_event_is_when_the_latest_question_of_the_workspace_was_taken(ledger: Ledger) -> None:
    assert await ledger.last_event("T1") is None
    before = datetime.now(UTC)
    await ledger.take(MENTION, "me")
    latest = await ledger.last_event("T1")
    assert latest is not None
    assert before <= latest <= datetime.now(UTC)
    assert await ledger.last_event("T2") is None


async def test_what_was_asked_is_forgotten_once_it_was_closed_long_ago(ledger: Ledger, database: Database) -> None:
    for question in (MENTION, REPLY):
        await ledger.take(question, "me")
    await ledger.close(MENTION.key, "me", "answered")
    now = datetime.now(UTC)
    assert await ledger.forget(now - timedelta(days=1)) == 0
    assert await ledger.forget(now + timedelta(seconds=1)) == 1
    assert await ledger.forget(now + timedelta(seconds=1)) == 0
    payload = sa.select(questions.c.payload).where(questions.c.key == MENTION.key)
    assert await database.read(lambda c: c.execute(payload).scalar_one()) is None
    assert await ledger.unfinished() == [(REPLY, "me")]
    assert not await ledger.take(MENTION, "me")
    assert await ledger.began_with_question("T1", "C1", MENTION.thread)


# -- threads -------------------------------------------------------------------------------------------------------


async def test_thread_began_with_a_question_where_its_root_is_one(ledger: Ledger) -> None:
    in_the_middle = replace(MENTION, channel="C2", ts="1700000005.000100")
    for question in (MENTION, in_the_middle):
        await ledger.take(question, "me")
    assert await ledger.began_with_question("T1", "C1", MENTION.ts)
    assert not await ledger.began_with_question("T1", "C2", in_the_middle.thread)
    assert not await ledger.began_with_question("T2", "C1", MENTION.ts)


async def test_command_begins_no_thread_and_addresses_in_none(ledger: Ledger) -> None:
    await ledger.take(COMMAND, "me")
    assert not await ledger.began_with_question("T1", "C1", COMMAND.ts)
    assert not await ledger.addressed_by("T1", "C1", "", COMMAND.user)


async def test_who_asked_in_a_thread_addressed_the_bot_there(ledger: Ledger) -> None:
    await ledger.take(MENTION, "me")
    await ledger.take(replace(REPLY, user="U2"), "me")
    assert await ledger.addressed_by("T1", "C1", MENTION.thread, "U1")
    assert await ledger.addressed_by("T1", "C1", MENTION.thread, "U2")
    assert not await ledger.addressed_by("T1", "C1", MENTION.thread, "U3")
    assert not await ledger.addressed_by("T1", "C2", MENTION.thread, "U1")
    assert not await ledger.addressed_by("T1", "C1", "1700000009.999900", "U1")


async def test_thread_is_muted_until_it_is_unmuted(ledger: Ledger, another: Ledger) -> None:
    await ledger.mute("T1", "C1", "1.1", "U1")
    await another.mute("T1", "C1", "1.1", "U2")
    assert await another.is_muted("T1", "C1", "1.1")
    assert not await ledger.is_muted("T1", "C1", "2.1")
    assert not await ledger.is_muted("T1", "C2", "1.1")
    await another.unmute("T1", "C1", "1.1")
    assert not await ledger.is_muted("T1", "C1", "1.1")


# -- answers -------------------------------------------------------------------------------------------------------


async def test_answer_comes_back_as_it_was_kept(ledger: Ledger) -> None:
    answer = answered(MENTION, "2.1", "3.1")
    await ledger.keep(answer)
    assert await ledger.answer(answer.id) == answer
    assert answer.sources[0].location == "Incidents, p. 14"
    assert answer.hits[0].scores == {"vector": 0.8, "keyword": 0.0, "rerank": 0.93}
    assert answer.audiences == ("channel:C1", "workspace")
    assert await ledger.answer("unknown") is None


async def test_ids_of_answers_are_short_and_never_the_same() -> None:
    ids = {new_answer_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert {len(id) for id in ids} == {12}


async def test_answer_is_found_by_each_of_its_messages(ledger: Ledger) -> None:
    first, second = answered(MENTION, "2.1", "3.1"), answered(REPLY, "5.1")
    await ledger.keep(first)
    await ledger.keep(second)
    for ts, answer in (("2.1", first), ("3.1", first), ("5.1", second), ("9.1", None)):
        assert await ledger.answer_of_message("T1", "C1", ts) == answer
    assert await ledger.answer_of_message("T1", "C2", "2.1") is None


async def test_answer_may_be_kept_again_with_more_messages(ledger: Ledger) -> None:
    answer = answered(MENTION, "2.1")
    await ledger.keep(answer)
    whole = replace(answer, messages=("2.1", "3.1"))
    await ledger.keep(whole)
    assert await ledger.answer(answer.id) == whole
    assert await ledger.answer_of_message("T1", "C1", "3.1") == whole


async def test_answers_of_a_thread_are_told_from_the_oldest_on(ledger: Ledger) -> None:
    second, first = answered(REPLY, "5.1"), answered(MENTION, "2.1")
    first = replace(first, created_at=second.created_at - timedelta(seconds=1))
    elsewhere = answered(replace(MENTION, channel="C2"), "2.1")
    for answer in (second, elsewhere, first):
        await ledger.keep(answer)
    assert await ledger.answers_in("T1", "C1", MENTION.thread) == [first, second]


async def test_answer_to_an_edited_question_replaces_the_one_before(ledger: Ledger) -> None:
    first = answered(MENTION, "2.1")
    second = replace(answered(MENTION, "3.1", text="Ada found it."), created_at=first.created_at + timedelta(seconds=1))
    await ledger.keep(first)
    assert await ledger.latest_answer("T1", "C1", MENTION.ts) == first
    await ledger.keep(second)
    await ledger.replaced(first.id, second.id)
    assert await ledger.latest_answer("T1", "C1", MENTION.ts) == second
    assert await ledger.answer(first.id) == replace(first, replaced_by=second.id)
    await ledger.keep(first)
    assert await ledger.answer(first.id) == replace(first, replaced_by=second.id)
    assert await ledger.latest_answer("T1", "C1", "9.1") is None


async def test_text_that_no_text_column_takes_is_kept_all_the_same(ledger: Ledger) -> None:
    odd = "NUL \x00, half a pair \ud83d, flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿, 'quoted\"; DROP TABLE answers;--"
    question = replace(MENTION, user="U7", files=({"name": odd},))
    answer = replace(answered(question, "2.1", text=odd), question=odd)
    await ledger.take(question, "me")
    await ledger.keep(answer)
    await ledger.feedback(answer.id, "U1", -1, "button", odd)
    assert await ledger.unfinished() == [(question, "me")]
    assert await ledger.answer(answer.id) == answer
    assert [one.comment for one in await ledger.feedback_on(answer.id)] == [odd]


@given(st.text(), st.lists(st.text(max_size=20), max_size=3), st.booleans())
def test_answer_survives_being_plain_values(text: str, searches: list[str], private: bool) -> None:
    answer = replace(answered(MENTION, private=private), text=text, searches=tuple(searches))
    assert StoredAnswer.of_json(answer.as_json()) == answer


# -- feedback ------------------------------------------------------------------------------------------------------


async def told(ledger: Ledger) -> list[tuple[str, int, str, str | None]]:
    return [(one.user, one.value, one.how, one.comment) for one in await ledger.feedback_on("A1")]


async def test_person_has_one_feedback_on_an_answer(ledger: Ledger) -> None:
    await ledger.feedback("A1", "U1", 1, "button")
    await ledger.feedback("A1", "U2", 1, "reaction")
    await ledger.feedback("A1", "U1", -1, "reaction")
    await ledger.feedback("A2", "U1", 1, "button")
    assert sorted(await told(ledger), key=str) == [("U1", -1, "reaction", None), ("U2", 1, "reaction", None)]


async def test_comment_stays_while_the_value_stays(ledger: Ledger) -> None:
    await ledger.feedback("A1", "U1", -1, "button", "out of date")
    await ledger.feedback("A1", "U1", -1, "reaction")
    assert await told(ledger) == [("U1", -1, "reaction", "out of date")]
    await ledger.feedback("A1", "U1", -1, "button", "wrong year")
    assert await told(ledger) == [("U1", -1, "button", "wrong year")]
    await ledger.feedback("A1", "U1", 1, "button")
    assert await told(ledger) == [("U1", 1, "button", None)]


async def test_taking_a_reaction_away_undoes_no_button(ledger: Ledger) -> None:
    await ledger.feedback("A1", "U1", 1, "button")
    await ledger.withdraw_feedback("A1", "U1")
    assert await told(ledger) == [("U1", 1, "button", None)]
    await ledger.feedback("A1", "U1", 1, "reaction")
    await ledger.withdraw_feedback("A1", "U1")
    assert await told(ledger) == []
