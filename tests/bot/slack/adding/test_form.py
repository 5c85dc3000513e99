"""What a person put into the form that adds documents, and what a shortcut or a command names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adding import Item, What
from bot.slack.adding.form import Form, Sent, command_links, form_of_shortcut, linked_item, new_id, sent_in
from bot.slack.showing import actions

HOST = "acme.slack.com"
OWN = Form("a1b2", "C1")
MESSAGE = Form("a1b2", "C1", "1.2", "1.1", "It was closed.", (("F1", "minutes.pdf"), ("F2", "plan.docx")))


def view(**fields: Any) -> dict[str, Any]:
    """A form as it is sent in, its fields by the end of their blocks' names: ``text="…"``, ``files=["F1"]``."""
    states: dict[str, Any] = {"audience": {"selected_option": {"value": "workspace"}}}
    for name, put in fields.items():
        if name == "files":
            states[name] = {"files": [{"id": id, "name": f"{id}.pdf"} for id in put]}
        elif name in ("what", "audience"):
            states[name] = {"selected_option": {"value": put} if put else None}
        else:
            states[name] = {"value": put}
    return {"state": {"values": {f"adding_{name}": {f"adding_{name}": told} for name, told in states.items()}}}


def sent(form: Form = OWN, **fields: Any) -> Sent:
    return sent_in(form, view(**fields), HOST)


def things(found: Sent) -> list[tuple[str, str]]:
    assert found.errors == {}
    return [(str(item.what), item.ref) for item in found.items]


# -- what is the person's own ------------------------------------------------------------------------------------------


def test_each_file_is_one_item() -> None:
    found = sent(files=["F1", "F2"])
    assert things(found) == [("file", "F1"), ("file", "F2")]
    assert [item.name for item in found.items] == ["F1.pdf", "F2.pdf"]
    assert found.audience == "workspace"


def test_ten_files_are_taken_and_each_once() -> None:
    assert len(things(sent(files=[f"F{number}" for number in range(10)]))) == 10
    assert things(sent(files=["F1", "F1"])) == [("file", "F1")]


def test_pasted_text_is_named_by_its_first_line_and_keeps_all_its_characters() -> None:
    text = "# Travel rules\n\n" + "x" * 2_984
    (item,) = sent(text=text).items
    assert item == Item(What.TEXT, "a1b2", "Travel rules", text)
    assert len(item.text) == 3_000
    assert item.source == "text:a1b2"


def test_a_link_is_named_without_what_stands_behind_its_question_mark() -> None:
    (item,) = sent(link=" https://www.example.com/guide/?token=secret#top ").items
    assert item == Item(What.LINK, "https://www.example.com/guide/?token=secret#top", "example.com/guide")


@pytest.mark.parametrize(
    ("link", "thing"),
    [
        ("https://acme.slack.com/archives/C0123/p1700000000000100", ("thread", "C0123:1700000000.000100")),
        ("https://acme.slack.com/files/U1/F0ABC/plan.pdf", ("file", "F0ABC")),
        ("https://example.com/archives/C0123/p1700000000000100", None),
    ],
)
def test_a_link_of_slacks_names_what_is_there(link: str, thing: tuple[str, str] | None) -> None:
    assert things(sent(link=link)) == [thing or ("link", link)]


@pytest.mark.parametrize(
    "link",
    [
        "notes.txt",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https://a.example https://b.example",
        "https://a.example/\x00",
        "http://[broken",
        "https://a.example/" + "x" * 2_000,
    ],
)
def test_what_is_not_one_web_address_is_an_error_at_the_link(link: str) -> None:
    assert sent(link=link).errors == {actions.LINK_BLOCK: "form_no_address"}


def test_files_a_link_and_text_are_all_added() -> None:
    found = sent(files=["F1"], link="https://example.com", text="Hello")
    assert [what for what, _ in things(found)] == ["file", "link", "text"]


@pytest.mark.parametrize("fields", [{}, {"text": " \n\u200b "}, {"files": [], "link": "", "text": None}])
def test_nothing_is_an_error_at_the_files(fields: dict[str, Any]) -> None:
    assert sent(**fields).errors == {actions.FILES_BLOCK: "form_nothing"}


def test_a_title_is_for_one_document() -> None:
    (item,) = sent(files=["F1"], title="  Annual\nReview ").items
    assert item.title == "Annual Review"
    assert sent(files=["F1", "F2"], title="Review").errors == {actions.TITLE_BLOCK: "form_one_title"}
    assert sent(files=["F1"], text="Hello", title="Review").errors == {actions.TITLE_BLOCK: "form_one_title"}
    assert [item.title for item in sent(files=["F1", "F2"], title=" ").items] == [None, None]


def test_somebody_must_be_chosen_who_may_read_it() -> None:
    assert sent(text="Hello", audience=None).errors == {actions.AUDIENCE_BLOCK: "form_choose_audience"}


# -- of a message ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("message", [("message", "C1:1.2")]),
        ("thread", [("thread", "C1:1.1")]),
        ("files", [("file", "F1"), ("file", "F2")]),
    ],
)
def test_the_chosen_part_of_a_message_is_added(part: str, expected: list[tuple[str, str]]) -> None:
    assert things(sent(MESSAGE, what=part)) == expected


@pytest.mark.parametrize("part", [None, "everything", "thread"])
def test_a_part_that_the_message_has_not_is_an_error(part: str | None) -> None:
    alone = Form("a1b2", "C1", "1.2", "", "Closed.")
    assert sent(alone, what=part).errors == {actions.WHAT_BLOCK: "form_choose_what"}


def test_a_title_is_not_for_several_files() -> None:
    assert sent(MESSAGE, what="files", title="Minutes").errors == {actions.TITLE_BLOCK: "form_one_title"}
    (item,) = sent(MESSAGE, what="thread", title="Minutes").items
    assert item.title == "Minutes"


def shortcut(**message: Any) -> Form | None:
    told = {"ts": "1.2", "text": "It was <https://x.example|closed> &amp; paid."} | message
    body = {"trigger_id": "t1", "channel": {"id": "C1"}, "user": {"id": "U1"}, "message": told}
    return form_of_shortcut(body | {"response_url": "https://hooks.slack.com/1"})


def test_a_shortcut_names_message_thread_and_files() -> None:
    files = [{"id": "F1", "name": "minutes.pdf"}, {"id": "F2", "mode": "tombstone"}, {"name": "no id"}, "F3"]
    form = shortcut(thread_ts="1.1", files=files)
    assert form == Form(
        id=new_id("t1"),
        channel="C1",
        message="1.2",
        thread="1.1",
        name="It was closed (https://x.example) & paid.",
        files=(("F1", "minutes.pdf"),),
        response_url="https://hooks.slack.com/1",
    )
    assert form.origins == {"C1"}
    assert form.parts == ("message", "thread", "files")


def test_a_message_with_replies_begins_a_thread() -> None:
    form = shortcut(reply_count=2)
    assert form is not None
    assert form.thread == "1.2"


def test_a_message_in_blocks_only_has_words_too() -> None:
    blocks = [
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "Hi"}]}]}
    ]
    form = shortcut(text="", blocks=[{"type": "divider"}, *blocks])
    assert form is not None
    assert (form.name, form.parts) == ("Hi", ("message",))


@pytest.mark.parametrize("body", [{}, {"message": {"ts": "1.1"}}, {"channel": {"id": "C1"}}, {"message": "x"}])
def test_a_shortcut_that_names_no_message_has_no_form(body: dict[str, Any]) -> None:
    assert form_of_shortcut(body) is None


# -- by command --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "ref", "title"),
    [
        ("https://example.com/a", "https://example.com/a", None),
        ("<https://example.com/a>", "https://example.com/a", None),
        ("<https://example.com/?a=1&amp;b=2|example.com> The guide", "https://example.com/?a=1&b=2", "The guide"),
        ("  https://example.com/?a=1&amp;b=2   R &amp; D  ", "https://example.com/?a=1&b=2", "R & D"),
    ],
)
def test_a_command_names_a_link_and_perhaps_a_title(argument: str, ref: str, title: str | None) -> None:
    (item,) = command_links(argument, HOST).items
    assert (item.what, item.ref, item.title) == (What.LINK, ref, title)


@pytest.mark.parametrize(
    "argument", ["the guide", "example.com", "<@U1>", "<#C1|finance>", "<mailto:a@x.example>", "<"]
)
def test_what_is_no_address_is_no_link(argument: str) -> None:
    assert command_links(argument, HOST).errors == {actions.LINK_BLOCK: "adding_no_link"}


def test_a_command_names_several_links_each_once() -> None:
    sent = command_links("<https://a.example/1|a> https://b.example/2  <https://a.example/1>", HOST)
    assert [item.ref for item in sent.items] == ["https://a.example/1", "https://b.example/2"]
    assert not any(item.title for item in sent.items)


@pytest.mark.parametrize(
    ("argument", "key"),
    [
        ("https://a.example/1 https://b.example/2 The guides", "adding_link_is_none"),
        (" ".join(f"https://a.example/{number}" for number in range(11)), "adding_too_many_links"),
    ],
)
def test_what_several_links_cannot_be_is_said(argument: str, key: str) -> None:
    assert command_links(argument, HOST) == Sent(errors={actions.LINK_BLOCK: key})


# -- what is kept with the form ----------------------------------------------------------------------------------------


def test_one_gesture_makes_one_request() -> None:
    assert new_id("t1") == new_id("t1") != new_id("t2")
    assert new_id("") != new_id("")


@pytest.mark.parametrize("kept", [None, "", "x", "[]", "{}", '{"id":1}', '{"id":"a","files":[1]}', '{"id":"a","x":1}'])
def test_what_is_no_form_of_ours_is_none(kept: object) -> None:
    assert Form.of_metadata(kept) is None


def test_a_form_is_read_back_as_it_was() -> None:
    assert Form.of_metadata(MESSAGE.as_metadata()) == MESSAGE
    assert Form.of_metadata(OWN.as_metadata()) == OWN


odd_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["id", "ts", "text", "files", "message", "channel", "state", "values", "value", "blocks"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["message", "channel", "trigger_id", "state", "response_url"]), odd_values))
def test_nothing_that_slack_may_send_raises(body: dict[str, Any]) -> None:
    form = form_of_shortcut(body)
    assert form is None or Form.of_metadata(form.as_metadata()) == form
    assert sent_in(MESSAGE, body, HOST).errors
    assert sent_in(OWN, body, HOST).errors


@given(st.text(max_size=60), st.sampled_from(["", "https://", "<https://", "https://acme.slack.com/archives/"]))
def test_no_address_raises(text: str, before: str) -> None:
    item = linked_item(before + text, HOST)
    assert item is None or item.ref
    assert command_links(before + text, HOST).errors or before
