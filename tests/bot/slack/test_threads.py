"""A thread is remembered as people saw it: who said what, the bot's answers whole, nothing that is gone or private."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.answering.events import Source, Statement, Turn
from bot.answering.memory import remembered
from bot.asking import How, Question
from bot.ledger import StoredAnswer, StoredHit, StoredSource
from bot.slack.directory import Directory
from bot.slack.intake import Me
from bot.slack.threads import History, asked, history, plain_question
from bot.texts import ENGLISH
from indexer import DocumentId, VersionId
from tests.bot.slack.workspace import ME, TEAM, FakeSlack
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio

ROOT = "1700000000.000100"
BOT = Me(ME, "B0BOT", TEAM)
A, B = DocumentId("a"), DocumentId("b")
A1, B1 = VersionId("a.1"), VersionId("b.1")


def ts(number: int) -> str:
    return ROOT if number == 0 else f"17000000{number:02}.000100"


def said(number: int, user: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "ts": ts(number), "thread_ts": ROOT, "user": user, "text": text, **fields}


def by_bot(number: int, text: str = "as Slack shows it") -> dict[str, Any]:
    return said(number, ME, text, bot_id="B0BOT", app_id="A1")


def answered(number: int, text: str, *messages: int, **fields: Any) -> StoredAnswer:
    """The answer to the message ``number``: one sentence that rests on document a, shown by these messages."""
    plain: dict[str, Any] = {
        "id": f"answer-{number}",
        "question_key": f"k{number}",
        "team": TEAM,
        "channel": "C1",
        "thread": ROOT,
        "question_ts": ts(number),
        "asker": "UADA",
        "question": f"<@{ME}> question {number}",
        "kind": "answer",
        "text": f"{text} [1]",
        "statements": (Statement(text, (Source(A, A1),)),),
        "sources": (),
        "hits": (StoredHit(A, A1, 0, "A", 1.0),),
        "searches": (),
        "audiences": ("workspace",),
        "messages": tuple(ts(message) for message in messages),
        "cost_usd": 0.0,
        "private": False,
        "replaced_by": None,
        "created_at": datetime(2024, 1, 1, tzinfo=UTC),
    }
    return StoredAnswer(**{**plain, **fields})


@dataclass
class Kept:
    """Stands in for the ledger: the answers of the thread, and the answer that its root shows, if it shows one."""

    answers: list[StoredAnswer] = field(default_factory=list)
    root: StoredAnswer | None = None

    async def answers_in(self, team: str, channel: str, thread: str) -> list[StoredAnswer]:
        return self.answers

    async def answer_of_message(self, team: str, channel: str, message_ts: str) -> StoredAnswer | None:
        return self.root


class Thread:
    """One thread, and what is remembered of it when somebody asks in it."""

    def __init__(self) -> None:
        self.slack = FakeSlack()
        for id, name in (("UADA", "Ada"), ("UBO", "Bo"), ("UADA2", "Ada"), (ME, "Situate")):
            self.slack.person(id, name=name, is_bot=id == ME)
        self.messages: list[dict[str, Any]] = []
        self.slack.threads["C1", ROOT] = self.messages
        self.kept = Kept()
        self.directory = Directory(self.slack, TEAM, me=ME)

    async def before(self, number: int, user: str = "UADA", *, budget: int = 8_000, **options: Any) -> History:
        question = Question(TEAM, "C1", ts(number), ROOT, user, f"<@{ME}> and now?", How.FOLLOW_UP)
        return await history(self.slack, question, self.directory, self.kept, ENGLISH, budget_tokens=budget, **options)


@pytest.fixture
async def thread() -> AsyncIterator[Thread]:
    thread = Thread()
    yield thread
    await thread.directory.close()


def questions(past: History) -> list[str]:
    return [turn.question for turn in past.turns]


async def test_a_thread_is_remembered_as_questions_and_answers(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", f"<@{ME}> When was it?"), by_bot(1), said(2, "UADA", "And why?"), by_bot(3)]
    thread.kept.answers = [answered(0, "In May.", 1), answered(2, "A certificate.", 3)]
    past = await thread.before(4)
    shown = (Source(A, A1),)
    assert past == History(
        (
            Turn("When was it?", (Statement("In May.", shown),), shown=shown),
            Turn("And why?", (Statement("A certificate.", shown),), shown=shown),
        )
    )


async def test_people_are_told_apart_where_there_are_several(thread: Thread) -> None:
    thread.messages += [
        said(0, "UADA", "When was it?"),
        by_bot(1),
        said(2, "UBO", "I thought June"),
        said(3, "UADA", "me too"),
    ]
    thread.kept.answers = [answered(0, "In May.", 1)]
    past = await thread.before(4)
    assert past.several
    assert questions(past) == ["Ada: When was it?", "Bo: I thought June\nAda: me too"]
    assert [turn.answered for turn in past.turns] == [True, False]


async def test_who_asks_counts_as_one_of_the_people(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", "When was it?"), by_bot(1)]
    thread.kept.answers = [answered(0, "In May.", 1)]
    assert questions(await thread.before(2, "UBO")) == ["Ada: When was it?"]
    assert questions(await thread.before(2, "UADA")) == ["When was it?"]


async def test_two_of_the_same_name_are_told_apart_and_the_asker_keeps_theirs(thread: Thread) -> None:
    thread.messages += [said(0, "UADA2", "When?"), said(1, "UADA", "Yes, when?")]
    assert questions(await thread.before(2, "UADA")) == ["Ada (2): When?\nAda: Yes, when?"]


async def test_nobody_speaks_in_another_ones_name(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", "Hi\nBo: I agree"), said(1, "UBO", "No")]
    assert questions(await thread.before(2)) == ["Ada: Hi\n  Bo: I agree\nBo: No"]


async def test_mentions_and_escapes_are_resolved(thread: Thread) -> None:
    thread.messages += [
        said(0, "UADA", f"<@UBO> is a &lt; b &amp;&amp; c in <#C7|finance>? <@{ME}>"),
        said(1, "UBO", "ok"),
    ]
    assert questions(await thread.before(2)) == ["Ada: @Bo is a < b && c in #finance?\nBo: ok"]


async def test_other_bots_and_slack_itself_say_nothing(thread: Thread) -> None:
    thread.messages += [
        said(0, "UADA", "When?"),
        said(1, "UOTHER", "I am a bot", bot_id="B9"),
        said(2, "UBO", "joined", subtype="channel_join"),
        said(3, "USLACKBOT", "Reminder"),
        said(4, "UADA", "This was deleted", subtype="tombstone"),
        {"type": "message", "ts": ts(5), "subtype": "bot_message", "text": "webhook"},
        said(6, "UADA", " "),
        {"type": "message", "ts": ts(7), "user": "UADA"},
        said(8, "UBO", "to the channel, too", subtype="thread_broadcast"),
    ]
    assert questions(await thread.before(9)) == ["Ada: When?\nBo: to the channel, too"]


async def test_files_are_named(thread: Thread) -> None:
    thread.messages += [
        said(0, "UADA", "See this", subtype="file_share", files=[{"name": "a.pdf"}, {"title": "Budget\n2024"}]),
        said(1, "UADA", "", files=[{"id": "F1", "name": "b.pdf"}]),
    ]
    assert questions(await thread.before(2)) == ["See this (attached: a.pdf, Budget 2024)\n(attached: b.pdf)"]


async def test_an_answer_of_several_messages_is_one(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", "All of it?"), by_bot(1), by_bot(2), by_bot(3)]
    thread.kept.answers = [answered(0, "All of it.", 1, 2, 3)]
    past = await thread.before(4)
    assert [turn.statements[0].text for turn in past.turns] == ["All of it."]


async def test_an_answer_stands_behind_its_question_however_late_it_came(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", "One?"), said(1, "UBO", "Two?"), by_bot(2), by_bot(3)]
    thread.kept.answers = [answered(1, "Second.", 2), answered(0, "First.", 3)]
    past = await thread.before(4)
    assert [(turn.question, turn.statements[0].text) for turn in past.turns] == [
        ("Ada: One?", "First."),
        ("Bo: Two?", "Second."),
    ]


async def test_what_came_after_the_question_is_not_before_it(thread: Thread) -> None:
    """An edited question is asked again where it stood."""
    thread.messages += [
        said(0, "UADA", "One?"),
        by_bot(1),
        said(2, "UADA", "Two?"),
        by_bot(3),
        said(4, "UADA", "Three?"),
    ]
    thread.kept.answers = [answered(0, "First.", 1), answered(2, "Second.", 3), answered(4, "Third.", 5)]
    past = await thread.before(2)
    assert [turn.statements[0].text for turn in past.turns] == ["First."]


async def test_an_answer_that_was_still_on_its_way_is_no_deleted_one(thread: Thread) -> None:
    """The second question came before the first was answered; its own answer comes after both."""
    thread.messages += [said(0, "UADA", "One?"), said(1, "UADA", "Two?"), by_bot(2)]
    thread.kept.answers = [answered(0, "First.", 2)]
    assert [turn.statements[0].text for turn in (await thread.before(1)).turns] == ["First."]


async def test_what_slack_gives_beyond_what_was_asked_for_is_left_out(thread: Thread) -> None:
    """The question itself among it, as with ``inclusive``."""
    thread.messages += [said(0, "UADA", "One?"), said(1, "UADA", "Two?"), said(2, "UADA", "Three?")]
    thread.slack.broken["conversations.replies"] = {"messages": thread.messages}
    assert questions(await thread.before(1)) == ["One?"]


async def test_more_without_a_way_to_get_it_is_incomplete(thread: Thread) -> None:
    thread.messages.append(said(0, "UADA", "One?"))
    thread.slack.broken["conversations.replies"] = {"messages": thread.messages, "has_more": True}
    past = await thread.before(1)
    assert (questions(past), past.complete) == (["One?"], False)


async def test_replaced_private_and_deleted_answers_are_not_remembered(thread: Thread) -> None:
    thread.messages += [
        said(0, "UADA", "One?"),
        by_bot(1),
        said(2, "UADA", "Two?"),
        said(4, "UADA", "Three?"),
        by_bot(5),
    ]
    thread.kept.answers = [
        answered(0, "Replaced.", 1, replaced_by="x"),
        answered(2, "Somebody deleted it in Slack.", 3),
        answered(2, "For one person.", private=True, id="private"),
        answered(4, "Third.", 5),
    ]
    past = await thread.before(6)
    assert [turn.statements[0].text for turn in past.turns] == ["Third."]
    assert past.turns[0].question == "One?\nTwo?\nThree?"


async def test_what_says_nothing_of_the_documents_is_no_answer(thread: Thread) -> None:
    """Trouble and help: what was asked goes on with what is asked next."""
    thread.messages += [said(0, "UADA", "One?"), by_bot(1)]
    thread.kept.answers = [answered(0, "Something went wrong.", 1, kind="trouble", statements=(), hits=())]
    assert (await thread.before(2)).turns == (Turn("One?", answered=False),)


async def test_passages_in_place_of_an_answer_are_remembered_with_their_sources(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", "One?"), by_bot(1)]
    source = StoredSource(1, A, A1, 0, "A", "", None, None, "It was May.")
    thread.kept.answers = [answered(0, "", 1, kind="passages", statements=(), sources=(source,))]
    (turn,) = (await thread.before(2)).turns
    assert turn.statements == (Statement("“It was May.”", (Source(A, A1),)),)


async def test_uncited_words_rest_on_all_that_was_shown_up_to_then(thread: Thread) -> None:
    """Also on what an answer was made from that is not remembered itself any more."""
    thread.messages += [said(0, "UADA", "One?"), by_bot(1), said(2, "UADA", "Two?"), by_bot(3)]
    thread.kept.answers = [
        answered(0, "Secret.", 1, hits=(StoredHit(B, B1, 0, "B", 1.0),), replaced_by="x"),
        answered(2, "", 3, statements=(Statement("So it is secret.", ()),)),
    ]
    past = await thread.before(4)
    assert past.turns[0].shown == (Source(B, B1), Source(A, A1))
    assert "secret" in str(remembered(past.turns, {A: A1, B: B1}))
    assert "secret" not in str(remembered(past.turns, {A: A1}))


async def test_a_thread_under_a_shared_answer_remembers_it(thread: Thread) -> None:
    thread.messages += [by_bot(0), said(1, "UBO", "Really?")]
    thread.kept.root = answered(0, "Shared.", 0, private=True, thread="", question_ts="cmd-1", question="What is it?")
    past = await thread.before(2, "UBO")
    assert [(turn.question, turn.answered) for turn in past.turns] == [
        ("Ada: What is it?", True),
        ("Bo: Really?", False),
    ]


async def test_all_pages_are_read(thread: Thread) -> None:
    thread.slack.page = 15
    thread.messages += [said(number, "UADA", f"line {number}") for number in range(40)]
    past = await thread.before(50)
    assert past.complete
    assert past.turns[0].question.splitlines() == [f"line {number}" for number in range(40)]
    asked_for = [given for name, given in thread.slack.calls if name == "conversations.replies"]
    assert len(asked_for) == 3
    assert all(given["latest"] == ts(50) for given in asked_for)


async def test_a_shared_answer_that_was_deleted_is_not_remembered(thread: Thread) -> None:
    thread.messages.append(said(1, "UBO", "Really?"))
    thread.kept.root = answered(0, "Shared.", 0, private=True, thread="", question_ts="cmd-1")
    assert (await thread.before(2, "UBO")).turns == (Turn("Really?", answered=False),)


@pytest.mark.parametrize("root_on_every_page", [False, True])
async def test_a_thread_over_pages_is_read_from_slack(
    slack: SlackServer, company: Company, slack_client: AsyncWebClient, root_on_every_page: bool
) -> None:
    """On the local Slack, as some apps get it: 15 messages at once."""
    slack.page_size, slack.root_on_every_page = 15, root_on_every_page
    root = slack.says(company.ana, company.office, "Is a < b?")
    for number in range(30):
        slack.says(company.ben, company.office, f"line {number}", thread=root)
    last = slack.says(company.ben, company.office, "@Situate, and now?", thread=root)
    slack.says(company.ana, company.office, "Too late", thread=root)
    directory = Directory(slack_client, slack.team_id)
    question = Question(slack.team_id, company.office.id, last, root, company.ben.id, "?", How.MENTION)
    past = await history(slack_client, question, directory, Kept(), ENGLISH, budget_tokens=8_000, seconds=30)
    assert past.complete
    assert past.turns[0].question.splitlines() == ["Ana: Is a < b?", *(f"Ben: line {number}" for number in range(30))]
    await directory.close()


async def test_what_slack_does_not_give_is_taken_from_the_ledger_and_told_to_be_incomplete(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", "One?"), by_bot(1)]
    thread.kept.answers = [answered(0, "First.", 1), answered(2, "Second.", 3, asker="UBO")]
    thread.slack.failing["conversations.replies"] = "ratelimited"
    past = await thread.before(4)
    assert not past.complete
    assert [(turn.question, turn.statements[0].text) for turn in past.turns] == [
        ("Ada: question 0", "First."),
        ("Bo: question 2", "Second."),
    ]


async def test_pages_that_came_before_the_limit_are_kept(thread: Thread) -> None:
    """40 messages over pages, then 429."""
    thread.slack.page = 15
    thread.messages += [said(number, "UADA", f"line {number}") for number in range(40)]
    thread.kept.answers = [answered(35, "Newest.", 41)]
    original = thread.slack._told

    def limited(method: str, given: dict[str, Any]) -> tuple[dict[str, Any], int]:
        if given.get("cursor") == "15":
            return {"ok": False, "error": "ratelimited"}, 429
        return original(method, given)

    thread.slack._told = limited  # type: ignore[method-assign]
    past = await thread.before(50)
    assert not past.complete
    assert past.turns[0].question.splitlines() == [*(f"line {number}" for number in range(15)), "question 35"]
    assert past.turns[0].statements[0].text == "Newest."


async def test_a_slow_slack_is_not_waited_for_longer_than_told(thread: Thread) -> None:
    thread.messages.append(said(0, "UADA", "One?"))
    thread.kept.answers = [answered(0, "First.", 1)]
    thread.slack.limited["conversations.replies"] = 30.0
    began = time.monotonic()
    past = await thread.before(2, seconds=0.05)
    assert time.monotonic() - began < 2
    assert not past.complete
    assert past.turns[0].statements[0].text == "First."


@pytest.mark.parametrize("failure", [ConnectionResetError(), ValueError("no JSON"), TimeoutError()])
async def test_trouble_with_slack_is_no_trouble_of_the_answer(thread: Thread, failure: Exception) -> None:
    thread.slack.failing["conversations.replies"] = failure
    assert await thread.before(2) == History((), complete=False)


async def test_a_thread_that_was_deleted_is_not_brought_back(thread: Thread) -> None:
    del thread.slack.threads["C1", ROOT]
    thread.kept.answers = [answered(0, "First.", 1)]
    past = await thread.before(2)
    assert past.complete
    assert [turn.statements for turn in past.turns] == []


async def test_names_that_cannot_be_had_do_not_hold_up_the_answer(thread: Thread) -> None:
    thread.messages += [said(0, "UADA", "When?"), said(1, "UBO", "Now")]
    thread.slack.failing["users.info"] = "ratelimited"
    assert questions(await thread.before(2)) == ["UADA: When?\nUBO: Now"]


async def test_newest_is_kept_within_the_budget(thread: Thread) -> None:
    for number in range(0, 40, 2):
        thread.messages += [said(number, "UADA", f"{number} " + "x" * 300), by_bot(number + 1)]
        thread.kept.answers.append(answered(number, f"Answer {number}.", number + 1))
    past = await thread.before(50, budget=250)
    assert [turn.statements[0].text for turn in past.turns] == ["Answer 34.", "Answer 36.", "Answer 38."]


@pytest.mark.parametrize("changes", [{"ts": ROOT}, {"how": How.COMMAND}, {"how": How.COMMAND, "thread": ""}])
async def test_a_question_that_begins_a_thread_has_no_past(thread: Thread, changes: dict[str, Any]) -> None:
    question = replace(Question(TEAM, "C1", ts(5), ROOT, "UADA", "?", How.MENTION), **changes)
    past = await history(thread.slack, question, thread.directory, thread.kept, ENGLISH, budget_tokens=100)
    assert past == History()
    assert thread.slack.calls == []


async def test_a_question_is_read_without_the_bots_name(thread: Thread) -> None:
    question = Question(TEAM, "C1", ts(5), ROOT, "UBO", f"<@{ME}|situate>, is a &lt; b, <@UADA>?", How.MENTION)
    assert await asked(question, thread.directory, BOT) == ("is a < b, @Ada?", "Bo")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (f"<@{ME}>", ""),
        (f"Hey <@{ME}>, when?", "Hey, when?"),
        (f"When was it <@{ME}>", "When was it"),
        (f"<@{ME}>: <@{ME}> when?", "when?"),
        ("ask <@U404> too", "ask @U404 too"),
    ],
)
async def test_mentions_of_the_bot_are_taken_out_wherever_they_stand(thread: Thread, text: str, plain: str) -> None:
    assert await plain_question(text, thread.directory, BOT) == plain
