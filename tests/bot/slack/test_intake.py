"""What is a question to the bot, and what is left alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.asking import How, Question
from bot.ledger import Ledger
from bot.slack.intake import FollowUps, Intake, Me, candidate, command_question, deleted, mentions
from indexer import Database
from indexer.database import database_url

pytestmark = pytest.mark.anyio

ME = Me("U0BOT", "B0BOT", "T1")
ASKED = "<@U0BOT> What was the root cause?"
TS = "1700000000.000100"
LATER = "1700000060.000200"

Fields = dict[str, Any]


def envelope(event: Fields, **more: Any) -> Fields:
    return {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": event, **more}


def message(text: str | None = ASKED, **changes: Any) -> Fields:
    """A message in a public channel, as an event; what is None is missing."""
    event = {
        "type": "message",
        "channel": "C1",
        "channel_type": "channel",
        "user": "U1",
        "text": text,
        "ts": TS,
        "event_ts": TS,
        "team": "T1",
    } | changes
    return envelope({name: value for name, value in event.items() if value is not None})


def app_mention(text: str | None = ASKED, **changes: Any) -> Fields:
    return message(text, **{"type": "app_mention", "channel_type": None, **changes})


def direct(text: str | None = "What was the root cause?", **changes: Any) -> Fields:
    return message(text, **{"channel": "D1", "channel_type": "im", **changes})


def reply(text: str | None = "And when was it closed?", **changes: Any) -> Fields:
    return message(text, **{"ts": LATER, "thread_ts": TS, **changes})


def edit(before: Fields | None, after: Fields, by: str | None = "U1", **changes: Any) -> Fields:
    """The message of one event became that of another; ``by`` a person, or by Slack itself (None)."""
    carried = {"channel", "channel_type", "event_ts"}
    old = None if before is None else {k: v for k, v in before["event"].items() if k not in carried}
    new = {k: v for k, v in after["event"].items() if k not in carried}
    if by is not None:
        new["edited"] = {"user": by, "ts": LATER}
    event = {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": after["event"].get("channel"),
        "channel_type": after["event"].get("channel_type"),
        "ts": LATER,
        "message": new,
        "previous_message": old,
    } | changes
    return envelope({name: value for name, value in event.items() if value is not None})


def asked(body: Fields) -> Question:
    question = candidate(body, ME)
    assert question is not None
    return question


def key(body: Fields) -> str:
    return asked(body).key


# -- asking --------------------------------------------------------------------------------------------------------


def test_mention_in_a_channel_is_a_question_that_begins_a_thread() -> None:
    assert asked(message()) == Question(
        team="T1",
        channel="C1",
        ts=TS,
        thread=TS,
        user="U1",
        text=ASKED,
        how=How.MENTION,
        kind="channel",
        user_team="T1",
    )


def test_mention_in_a_thread_is_asked_in_that_thread() -> None:
    question = asked(reply(ASKED))
    assert (question.how, question.thread, question.ts) == (How.MENTION, TS, LATER)


def test_mention_with_a_name_in_it_is_the_same_mention() -> None:
    assert asked(message("<@U0BOT|situate> Why?")).how is How.MENTION
    assert key(message("<@U0BOT|situate> Why?")) == key(app_mention("<@U0BOT> Why?"))


def test_mention_in_a_conversation_of_several_is_a_question() -> None:
    assert asked(message(channel="G1", channel_type="mpim")).how is How.MENTION
    assert candidate(message("Why?", channel="G1", channel_type="mpim"), ME) is None


def test_everything_that_a_person_writes_to_the_bot_directly_is_a_question() -> None:
    for body in (direct(), direct("<@U2> said so, is it true?"), direct(thread_ts="1600000000.000100"), direct(ASKED)):
        question = asked(body)
        assert (question.how, question.kind, question.is_direct) == (How.DIRECT, "im", True)


@pytest.mark.parametrize("kind", [None, "app_home"])
def test_direct_message_is_known_by_its_channel_where_the_event_does_not_tell(kind: str | None) -> None:
    question = asked(direct(channel_type=kind))
    assert (question.how, question.kind) == (How.DIRECT, "im")


def test_mention_without_a_channel_type_is_a_question() -> None:
    assert asked(message(channel_type=None)).kind == ""


def test_message_that_names_nobody_is_no_question() -> None:
    assert candidate(message("What was the root cause?"), ME) is None
    assert candidate(message("<@U2> What was the root cause?"), ME) is None
    assert candidate(message("&lt;@U0BOT&gt; is how one writes it"), ME) is None
    assert candidate(message("<@U0BOTANY> What?"), ME) is None


def test_mention_alone_is_an_empty_question() -> None:
    assert asked(message("<@U0BOT>")).how is How.MENTION
    assert asked(app_mention("<@U0BOT>")).text == "<@U0BOT>"


def test_missing_text_is_empty_text() -> None:
    assert asked(app_mention(None)).text == ""
    assert asked(direct(None)).text == ""
    assert candidate(message(None), ME) is None


def test_message_without_an_author_is_no_question() -> None:
    for body in (message(user=None), app_mention(user=None), direct(user=None), message(user="")):
        assert candidate(body, ME) is None


def test_message_without_a_place_is_no_question() -> None:
    assert candidate(app_mention(channel=None), ME) is None
    assert candidate(app_mention(ts=None), ME) is None


def test_files_of_a_message_come_with_the_question() -> None:
    files = [{"id": "F1", "file_access": "check_file_info"}, "no file"]
    assert asked(message(subtype="file_share", files=files)).files == ({"id": "F1", "file_access": "check_file_info"},)
    assert asked(direct(None, subtype="file_share", files=files)).text == ""


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_what_people_write_in_other_ways_is_a_question(subtype: str) -> None:
    assert asked(message(subtype=subtype)).how is How.MENTION


@pytest.mark.parametrize(
    "subtype",
    ["channel_join", "channel_topic", "message_replied", "message_deleted", "tombstone", "reminder_add", "new_one"],
)
def test_what_slack_says_is_no_question(subtype: str) -> None:
    for body in (message(subtype=subtype), direct(subtype=subtype), app_mention(subtype=subtype)):
        assert candidate(body, ME) is None


def test_hidden_message_is_no_question() -> None:
    assert candidate(message(hidden=True), ME) is None


@pytest.mark.parametrize("kind", ["reaction_added", "file_shared", "", None, 5])
def test_other_events_are_no_questions(kind: object) -> None:
    assert candidate(message(type=kind), ME) is None


# -- one message, one key ------------------------------------------------------------------------------------------


def test_event_that_comes_three_times_gives_one_key() -> None:
    retries = [envelope(message()["event"], retry_attempt=number, event_id=f"Ev{number}") for number in range(3)]
    assert {key(body) for body in retries} == {asked(message()).key}


def test_mention_that_comes_as_two_events_gives_one_key_in_either_order() -> None:
    assert key(message()) == key(app_mention())
    assert key(reply(ASKED)) == key(reply(ASKED, type="app_mention", channel_type=None))
    assert key(message(subtype="file_share", files=[{"id": "F1"}])) == key(app_mention())


def test_edit_that_comes_as_two_events_gives_one_key() -> None:
    after = message("<@U0BOT> Who found it?")
    twin = app_mention("<@U0BOT> Who found it?", edited={"user": "U1", "ts": LATER})
    assert asked(edit(message(), after)).key == asked(twin).key
    assert asked(twin).edited


def test_key_is_of_the_team_that_installed_the_bot() -> None:
    installed = [{"team_id": "T1", "user_id": "U0BOT", "is_bot": True}]
    shared = asked(envelope(message(user_team="T2")["event"], team_id="T2", authorizations=installed))
    assert (shared.team, shared.user_team) == ("T1", "T2")
    assert asked({"event": message()["event"]}).team == "T1"
    of_org = [{"enterprise_id": "E1", "team_id": None}]
    assert asked(envelope(message()["event"], team_id="T9", authorizations=of_org)).team == "T9"


# -- bots ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "signs",
    [
        {"user": "U0BOT", "bot_id": "B0BOT"},  # our own message, which names us
        {"user": "U0BOT"},
        {"user": "U9BOT", "bot_id": "B9BOT", "app_id": "A9"},  # a second bot
        {"user": None, "bot_id": "B9BOT", "subtype": "bot_message"},
        {"user": None, "bot_id": "B9BOT"},
        {"user": "U9BOT", "bot_profile": {"id": "B9BOT"}},
        {"user": "U1", "app_id": "A9"},  # posted by a program in a person's name
        {"subtype": "bot_message"},
        {"user": "USLACKBOT"},
    ],
)
def test_bots_are_never_answered(signs: Fields) -> None:
    for body in (message(**signs), app_mention(**signs), direct(**signs), reply(**signs)):
        assert candidate(body, ME) is None
    assert candidate(edit(message("Old", **signs), message(ASKED, **signs), by=None), ME) is None


# -- edits ---------------------------------------------------------------------------------------------------------


def test_edited_question_is_asked_anew_in_its_place() -> None:
    question = asked(edit(reply(ASKED), reply("<@U0BOT> Who found it?")))
    assert (question.ts, question.thread, question.user, question.channel) == (LATER, TS, "U1", "C1")
    assert (question.text, question.how, question.edited) == ("<@U0BOT> Who found it?", How.MENTION, True)
    assert question.key != key(reply(ASKED))


def test_message_becomes_a_question_when_a_mention_is_added() -> None:
    question = asked(edit(message("What was the root cause?"), message(ASKED)))
    assert question.how is How.MENTION
    assert question.thread == TS


def test_edit_that_takes_the_mention_away_asks_nothing() -> None:
    assert candidate(edit(message(), message("Never mind.")), ME) is None


def test_edited_follow_up_is_left_alone() -> None:
    assert candidate(edit(reply("And when?"), reply("And when was it?")), ME) is None


def test_edited_direct_message_is_asked_anew() -> None:
    question = asked(edit(direct(), direct("Who found it?")))
    assert (question.how, question.edited, question.kind) == (How.DIRECT, True, "im")


@pytest.mark.parametrize("by", [None, "U1"])
@pytest.mark.parametrize("make", [message, direct])
def test_unfurled_link_is_no_new_question(make: Any, by: str | None) -> None:
    text = "<@U0BOT> What does <https://a.test> say?"
    unfurled = make(text, attachments=[{"from_url": "https://a.test", "title": "<@U0BOT> new words"}])
    assert candidate(edit(make(text), unfurled, by=by), ME) is None


def test_white_space_and_the_name_in_a_mention_are_no_change() -> None:
    assert candidate(edit(message(), message(f"  {ASKED}\n")), ME) is None
    assert candidate(edit(message("<@U0BOT> Why?"), message("<@U0BOT|situate> Why?")), ME) is None


def test_change_of_files_alone_is_no_new_question() -> None:
    with_file = message(subtype="file_share", files=[{"id": "F1"}])
    assert candidate(edit(with_file, message()), ME) is None


def test_edit_by_somebody_else_is_no_question() -> None:
    """A person edits their own messages only: another name is a program's."""
    assert candidate(edit(message(), message("<@U0BOT> Who?"), by="U9BOT"), ME) is None
    assert candidate(edit(message(), message("<@U0BOT> Who?"), by="U0BOT"), ME) is None


def test_message_before_the_edit_may_be_missing() -> None:
    """Then a person's edit counts: the wording's key tells whether it was answered before."""
    assert key(edit(None, message())) == key(message())
    assert candidate(edit(None, message(), by=None), ME) is None


def test_words_that_changed_without_a_sign_of_who_changed_them_are_asked() -> None:
    question = asked(edit(message(), message("<@U0BOT> Who?"), by=None))
    assert question.edited


def test_tombstone_is_no_question() -> None:
    gone = message("This message was deleted.", subtype="tombstone", user="USLACKBOT", hidden=True)
    assert candidate(edit(message(), gone, by=None), ME) is None
    assert candidate(edit(direct(), direct("gone", hidden=True)), ME) is None


def test_edit_without_a_message_is_no_question() -> None:
    assert candidate(envelope({"type": "message", "subtype": "message_changed", "channel": "D1"}), ME) is None


# -- deleting ------------------------------------------------------------------------------------------------------


def test_deleted_message_is_named() -> None:
    body = envelope({"type": "message", "subtype": "message_deleted", "channel": "C1", "deleted_ts": TS, "ts": LATER})
    assert deleted(body, ME) == ("T1", "C1", TS)
    assert candidate(body, ME) is None


def test_deleted_message_is_named_by_what_it_was_where_its_time_is_missing() -> None:
    event = {"type": "message", "subtype": "message_deleted", "channel": "C1", "previous_message": {"ts": TS}}
    assert deleted(envelope(event), ME) == ("T1", "C1", TS)


def test_root_of_a_thread_that_leaves_a_tombstone_is_deleted() -> None:
    gone = message("This message was deleted.", subtype="tombstone", user="USLACKBOT", hidden=True, thread_ts=TS)
    assert deleted(edit(message(), gone, by=None), ME) == ("T1", "C1", TS)


def test_what_is_still_there_is_not_deleted() -> None:
    for body in (message(), edit(message(), message("Other")), envelope({}), {}, app_mention()):
        assert deleted(body, ME) is None
    assert deleted(envelope({"type": "message", "subtype": "message_deleted", "channel": "C1"}), ME) is None


# -- follow-ups ----------------------------------------------------------------------------------------------------


class Remembered:
    """What is remembered of one thread, and what was looked up."""

    def __init__(self, *, began: bool = True, addressed: bool = True, muted: bool = False) -> None:
        self.began, self.addressed, self.muted = began, addressed, muted
        self.asked: list[tuple[str, ...]] = []

    async def began_with_question(self, team: str, channel: str, thread: str) -> bool:
        self.asked.append((team, channel, thread))
        return self.began

    async def addressed_by(self, team: str, channel: str, thread: str, user: str) -> bool:
        self.asked.append((team, channel, thread, user))
        return self.addressed

    async def is_muted(self, team: str, channel: str, thread: str) -> bool:
        self.asked.append((team, channel, thread))
        return self.muted


async def follows(body: Fields, threads: Remembered, follow_ups: str = "on") -> bool:
    question = await Intake(ME, threads, FollowUps.parse(follow_ups)).question(body)
    assert question is None or question.how is How.FOLLOW_UP
    return question is not None


async def test_untagged_reply_in_a_thread_that_began_with_a_question_is_a_follow_up() -> None:
    threads = Remembered()
    assert await follows(reply(), threads)
    assert set(threads.asked) == {("T1", "C1", TS), ("T1", "C1", TS, "U1")}


async def test_thread_among_people_is_left_alone() -> None:
    assert not await follows(reply(), Remembered(began=False))


async def test_who_never_addressed_the_bot_in_a_thread_is_left_alone() -> None:
    assert not await follows(reply(), Remembered(addressed=False))


async def test_muted_thread_is_left_alone_but_for_mentions() -> None:
    muted = Remembered(muted=True)
    assert not await follows(reply(), muted)
    question = await Intake(ME, muted, FollowUps()).question(reply(ASKED))
    assert question is not None
    assert question.how is How.MENTION


async def test_follow_ups_are_answered_where_the_setting_allows_it() -> None:
    assert not await follows(reply(), Remembered(), "mention")
    assert not await follows(reply(), Remembered(), "on, C1=mention")
    assert await follows(reply(), Remembered(), "mention, C1=on")
    assert await follows(reply(), Remembered(), "on, C2=mention")


@pytest.mark.parametrize(
    "text",
    [
        "<@U2> can you tell?",
        "<@W2|bo> can you tell?",
        "<!subteam^S1> who knows?",
        "<!subteam^S1|@finance> who knows?",
        "<!here> who knows?",
        "<!channel|channel> who knows?",
        "<!everyone> look",
    ],
)
async def test_reply_that_names_others_is_meant_for_them(text: str) -> None:
    assert not await follows(reply(text), Remembered())


@pytest.mark.parametrize("text", ["See <#C2|general>?", "Since <!date^1^{date}|May>?", "On <https://a.test|@here>?"])
async def test_reply_that_names_no_person_is_a_follow_up(text: str) -> None:
    assert await follows(reply(text), Remembered())


async def test_reply_without_words_is_no_follow_up() -> None:
    for text in (None, "", " \n"):
        assert not await follows(reply(text, subtype="file_share", files=[{"id": "F1"}]), Remembered())


async def test_message_outside_a_thread_is_no_follow_up() -> None:
    assert not await follows(message("And when?"), Remembered())
    assert not await follows(message("And when?", thread_ts=TS), Remembered())


async def test_replies_of_bots_are_no_follow_ups() -> None:
    threads = Remembered()
    assert not await follows(reply(bot_id="B9BOT"), threads)
    assert threads.asked == []


async def test_direct_messages_and_mentions_need_no_memory() -> None:
    threads = Remembered(began=False, addressed=False, muted=True)
    intake = Intake(ME, threads, FollowUps.parse("mention"))
    for body in (message(), app_mention(), direct(), direct(thread_ts="1600000000.000100")):
        assert await intake.question(body) is not None
    assert threads.asked == []


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    database = await Database.open(database_url(None, tmp_path))
    yield await Ledger.open(database)
    await database.close()


async def test_follow_up_is_known_from_what_was_taken_before(ledger: Ledger) -> None:
    intake = Intake(ME, ledger, FollowUps())
    assert await intake.question(reply()) is None
    assert await ledger.take(asked(message()), "me")
    question = await intake.question(reply())
    assert question is not None
    assert await ledger.take(question, "me")
    assert await intake.question(reply(user="U2")) is None
    assert await ledger.take(asked(reply(ASKED, user="U2", ts="1700000070.000100")), "me")
    assert await intake.question(reply(user="U2", ts="1700000080.000100")) is not None
    await ledger.mute("T1", "C1", TS, "U2")
    assert await intake.question(reply()) is None


async def test_one_message_that_comes_in_every_way_at_once_is_taken_once(ledger: Ledger) -> None:
    intake = Intake(ME, ledger, FollowUps())
    bodies = [message(), app_mention(), message(), app_mention(), message(), edit(None, message())]

    async def take(body: Fields) -> bool:
        question = await intake.question(body)
        return question is not None and await ledger.take(question, "me")

    assert sum(await asyncio.gather(*(take(body) for body in bodies))) == 1


# -- the setting ---------------------------------------------------------------------------------------------------


def test_follow_ups_are_on_where_nothing_is_said() -> None:
    assert FollowUps().in_channel("C1")
    assert FollowUps.parse("on") == FollowUps()


def test_follow_ups_are_read_with_their_channels() -> None:
    read = FollowUps.parse(" Mention ,C1=on,  G2 = mention ")
    assert [read.in_channel(channel) for channel in ("C1", "G2", "C3")] == [True, False, False]


@pytest.mark.parametrize(
    "text", ["", "off", "C1=on", "on,", "on, C1", "on, C1=off", "on, #general=mention", "on, C1=on, C1=mention"]
)
def test_follow_ups_that_cannot_be_read_are_refused_with_advice(text: str) -> None:
    with pytest.raises(ValueError, match="such as: on, C0123=mention"):
        FollowUps.parse(text)


# -- commands ------------------------------------------------------------------------------------------------------

COMMAND: Fields = {
    "command": "/ask",
    "text": "What was the root cause?",
    "team_id": "T1",
    "channel_id": "C1",
    "channel_name": "finance",
    "user_id": "U1",
    "response_url": "https://hooks.slack.test/commands/T1/1/secret",
    "trigger_id": "1.2.secret",
}


def commanded(**changes: Any) -> Question:
    question = command_question({**COMMAND, **changes}, ME)
    assert question is not None
    return question


def test_command_is_a_question_of_no_thread() -> None:
    question = commanded()
    assert (question.how, question.thread, question.channel, question.user) == (How.COMMAND, "", "C1", "U1")
    assert question.text == "What was the root cause?"
    assert question.response_url == COMMAND["response_url"]
    assert not question.begins_thread


def test_command_delivered_again_is_one_question_and_given_again_another() -> None:
    assert commanded().key == commanded().key
    assert commanded(trigger_id="1.3.secret").key != commanded().key


def test_key_of_a_command_tells_no_secret() -> None:
    assert "secret" not in commanded().key
    assert "secret" not in commanded(trigger_id="").key


def test_command_without_a_trigger_is_told_by_its_response_url() -> None:
    assert commanded(trigger_id=None, response_url="https://a.test").key != commanded(trigger_id=None).key
    assert commanded(trigger_id=None, response_url=None).key != commanded().key


def test_command_without_words_is_an_empty_question() -> None:
    assert commanded(text=None).text == ""


def test_command_in_a_conversation_of_two_is_not_taken_for_one_with_the_bot() -> None:
    assert not commanded(channel_id="D1", channel_name="directmessage").is_direct


def test_command_of_nobody_or_from_nowhere_is_no_question() -> None:
    assert command_question({**COMMAND, "user_id": None}, ME) is None
    assert command_question({**COMMAND, "channel_id": ""}, ME) is None
    assert command_question({}, ME) is None


# -- whatever comes ------------------------------------------------------------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=12) | st.sampled_from([ASKED, TS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from([*sorted(edit(message(), reply())["event"]), "user", "text"])
messages = st.dictionaries(st.sampled_from([*message()["event"], "thread_ts", "files", "subtype", "edited"]), values)


@given(
    event=st.dictionaries(names, values | messages),
    base=st.sampled_from([message(), app_mention(), direct(), reply(), edit(message(), message("<@U0BOT> Who?")), {}]),
    more=st.dictionaries(st.sampled_from(["authorizations", "team_id", "event"]), values),
)
def test_nothing_that_comes_raises_and_what_is_taken_can_be_kept(event: Fields, base: Fields, more: Fields) -> None:
    body = {**envelope({**base.get("event", {}), **event}), **more}
    deleted(body, ME)
    command_question(body, ME)
    question = candidate(body, ME)
    if question is not None:
        assert len(question.key) <= 255
        assert Question.of_json(question.as_json()) == question


@given(st.text(), st.text())
def test_edit_asks_anew_where_the_words_differ_and_only_there(before: str, after: str) -> None:
    question = candidate(edit(direct(before), direct(after)), ME)
    assert (question is not None) == (before.split() != after.split())


@given(st.text(), st.sampled_from(["<@U0BOT>", "<@U0BOT|situate>", "<@U0BOT|>"]), st.text())
def test_mention_is_found_wherever_it_stands(before: str, mention: str, after: str) -> None:
    assert mentions(before + mention + after, ME)
    assert asked(message(before + mention + after)).key == key(app_mention(before + mention + after))
