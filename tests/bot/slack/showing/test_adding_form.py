"""The form that adds documents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.adding.form import Form
from bot.slack.rights import Choice, Choices
from bot.slack.showing import actions
from bot.slack.showing.adding_form import adding_form, audience_option, loading_form, refusal_form
from bot.texts import ENGLISH, FRENCH, Texts
from indexer import WORKSPACE, Audience
from tests.bot.slack.showing.limits import every_run, view_faults
from tests.bot.slack.showing.stored import HOSTILE, odd_text

FINANCE = Choice(Audience("channel", "C1"), "finance", 12)
ME = Choice(Audience("user", "U1"))
OFFERED = Choices((Choice(WORKSPACE), FINANCE, ME), FINANCE.audience)
FORM = Form("a1b2", "C1", response_url="https://hooks.slack.com/commands/1")
MESSAGE = Form("a1b2", "C1", "1.2", "1.1", "It was closed on 12 May.", (("F1", "minutes.pdf"), ("F2", "plan.docx")))


def block(view: dict[str, Any], id: str) -> dict[str, Any]:
    (found,) = [one for one in view["blocks"] if one.get("block_id") == id]
    return dict(found)


def options(view: dict[str, Any], id: str) -> list[tuple[str, str]]:
    return [(option["text"]["text"], option["value"]) for option in block(view, id)["element"]["options"]]


def chosen(view: dict[str, Any], id: str) -> str:
    return str(block(view, id)["element"]["initial_option"]["value"])


def test_files_a_link_or_text_are_asked_for_each_of_which_may_be_left_out() -> None:
    view = adding_form(FORM, OFFERED, ENGLISH)
    assert view_faults(view) == []
    assert [one.get("block_id") for one in view["blocks"]] == [
        actions.FILES_BLOCK,
        actions.LINK_BLOCK,
        actions.TEXT_BLOCK,
        actions.TITLE_BLOCK,
        actions.AUDIENCE_BLOCK,
        None,
    ]
    assert [one.get("optional", False) for one in view["blocks"]] == [True, True, True, True, False, False]
    assert block(view, actions.FILES_BLOCK)["element"]["max_files"] == 10
    assert "If you delete the file in Slack, I forget it too." in str(view["blocks"][-1])


def test_who_may_get_answers_is_asked_with_the_number_of_members() -> None:
    view = adding_form(FORM, OFFERED, ENGLISH)
    assert options(view, actions.AUDIENCE_BLOCK) == [
        ("All employees (not guests)", "workspace"),
        ("#finance, 12 members", "channel:C1"),
        ("Only me", "user:U1"),
    ]
    assert chosen(view, actions.AUDIENCE_BLOCK) == "channel:C1"
    assert block(view, actions.AUDIENCE_BLOCK)["label"]["text"] == "Who may get answers from this?"
    assert "hint" not in block(view, actions.AUDIENCE_BLOCK)


def test_a_group_conversation_has_no_name_and_one_member_is_one() -> None:
    assert audience_option(Choice(Audience("channel", "G1"), "", 3), ENGLISH) == "This group conversation, 3 members"
    assert audience_option(Choice(Audience("channel", "C1"), "plans", 1), ENGLISH) == "#plans, 1 member"
    assert audience_option(Choice(Audience("channel", "C1"), "plans", 1), FRENCH) == "#plans, 1 membre"


def test_that_something_cannot_be_chosen_is_said_and_to_an_administrator_that_it_can() -> None:
    limited = adding_form(MESSAGE, Choices((FINANCE, ME), FINANCE.audience, limited=True), ENGLISH)
    assert "no more can be chosen" in block(limited, actions.AUDIENCE_BLOCK)["hint"]["text"]
    beyond = adding_form(MESSAGE, Choices(OFFERED.options, FINANCE.audience, beyond=True), ENGLISH)
    assert "you may choose all the same" in block(beyond, actions.AUDIENCE_BLOCK)["hint"]["text"]


def test_of_a_message_the_part_is_asked_its_files_first() -> None:
    view = adding_form(MESSAGE, OFFERED, ENGLISH)
    assert view_faults(view) == []
    assert options(view, actions.WHAT_BLOCK) == [
        ("This message", "message"),
        ("The whole thread", "thread"),
        ("Its 2 files", "files"),
    ]
    assert chosen(view, actions.WHAT_BLOCK) == "files"
    assert "If the message or the file is deleted in Slack, I forget it too." in str(view["blocks"][-1])


@pytest.mark.parametrize(
    ("form", "part"),
    [
        (Form("a", "C1", "1.2", "1.1", "A reply."), "message"),
        (Form("a", "C1", "1.1", "1.1", "A root."), "thread"),
        (Form("a", "C1", "1.1", "", "Alone."), "message"),
        (Form("a", "C1", "1.2", "1.1", "", (("F1", "plan.pdf"),)), "files"),
        (Form("a", "C1", "1.1"), "message"),
    ],
)
def test_the_likeliest_part_of_a_message_is_chosen(form: Form, part: str) -> None:
    view = adding_form(form, OFFERED, ENGLISH)
    assert chosen(view, actions.WHAT_BLOCK) == part
    assert view_faults(view) == []


def test_one_file_is_named() -> None:
    view = adding_form(Form("a", "C1", "1.2", files=(("F1", "plan.pdf"),)), OFFERED, ENGLISH)
    assert options(view, actions.WHAT_BLOCK) == [("Its file plan.pdf", "files")]


def test_a_title_is_proposed() -> None:
    view = adding_form(MESSAGE, OFFERED, ENGLISH, title="What is\nthe rule?")
    assert block(view, actions.TITLE_BLOCK)["element"]["initial_value"] == "What is the rule?"


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH], ids=["en", "fr"])
def test_slack_takes_the_simple_forms(texts: Texts) -> None:
    assert view_faults(loading_form(texts)) == []
    assert view_faults(refusal_form(texts.say("may_not_add"), texts)) == []
    assert view_faults(refusal_form("", texts, reference="7F3K")) == []
    assert "submit" not in refusal_form("No.", texts)


def test_nothing_that_people_wrote_is_read_as_markup() -> None:
    form = Form("a", "C1", "1.2", "1.1", HOSTILE, (("F1", HOSTILE),))
    view = adding_form(form, Choices((Choice(FINANCE.audience, HOSTILE, 3), ME)), ENGLISH, title=HOSTILE)
    for kind in ("mrkdwn", "user", "broadcast", "channel", "emoji", "markdown", "link"):
        assert list(every_run(view, kind)) == []


odd_choices = st.builds(
    Choices,
    st.lists(st.builds(Choice, st.just(FINANCE.audience), odd_text, st.integers(0, 10**6)), min_size=1, max_size=1).map(
        lambda channels: (Choice(WORKSPACE), *channels, ME)
    ),
    st.sampled_from([None, WORKSPACE, ME.audience, Audience("channel", "C9")]),
    st.booleans(),
)
odd_files = st.lists(st.tuples(st.from_regex(r"F[A-Z0-9]{1,10}", fullmatch=True), odd_text.map(lambda t: t[:60])))
odd_forms = st.builds(
    Form,
    st.just("a1b2c3d4e5f60718"),
    st.just("C1"),
    st.sampled_from(["", "1700000000.000100"]),
    st.sampled_from(["", "1700000000.000100", "1700000000.000001"]),
    odd_text.map(lambda text: text[:80]),
    odd_files.map(lambda files: tuple(files[:10])),
    st.one_of(st.none(), st.just("https://hooks.slack.com/" + "x" * 100), st.just("https://x.example/" + "x" * 9_000)),
)


@settings(max_examples=100)
@given(odd_forms, odd_choices, odd_text, st.sampled_from([ENGLISH, FRENCH]))
def test_slack_takes_whatever_is_shown(form: Form, choices: Choices, title: str, texts: Texts) -> None:
    view = adding_form(form, choices, texts, title=title)
    assert view_faults(view) == []
    kept = Form.of_metadata(view["private_metadata"])
    assert kept is not None
    assert (kept.id, kept.channel, kept.message, kept.files) == (form.id, form.channel, form.message, form.files)
