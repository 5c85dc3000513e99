"""Lists, status and help: what stands in them, and what never does."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adding import Progress, State, Twin
from bot.slack.adding.unsettled import Unsettled
from bot.slack.documents import Listed, Money
from bot.slack.showing import actions
from bot.slack.showing.documents import about, age, audience_label, docs_help, documents_list, status_message
from bot.slack.showing.messages import Message
from bot.texts import ENGLISH, FRENCH, Texts
from indexer import EVERYONE, WORKSPACE
from tests.bot.slack.showing.limits import every_run, every_text, message_faults
from tests.bot.slack.showing.listed import FINANCE, NOW, SECRET, listed, odd_money, odd_shelves, shelf_of
from tests.bot.slack.showing.stored import HOSTILE, odd_text, odd_url
from tests.bot.slack.showing.test_moving import odd_progress

LANGUAGES = pytest.mark.parametrize("texts", [ENGLISH, FRENCH], ids=["English", "French"])


def shown(message: Message) -> str:
    return "\n".join(every_text(message.blocks))


def a_list(*documents: Listed, **changes: object) -> Message:
    return documents_list(shelf_of(*documents), ENGLISH, now=NOW, command="/docs", **changes)  # type: ignore[arg-type]  # by name


def test_a_document_is_its_linked_title_and_a_line_about_it() -> None:
    message = a_list(listed(3, audience=FINANCE, channel_name="finance"))
    (link,) = every_run(message.blocks, "link")
    assert (link["text"], link["url"]) == ("Budget 2026", "https://docs.example.com/3")
    assert "#finance · Ready · 42 passages · 3 days ago · added by Ben" in shown(message)
    assert "Budget 2026: #finance · Ready" in message.text


@pytest.mark.parametrize("url", ["slack:file:F1", "file:///etc/passwd", "javascript:alert(1)", None])
def test_only_an_address_on_the_web_is_a_link(url: str | None) -> None:
    message = a_list(listed(url=url))
    assert list(every_run(message.blocks, "link")) == []
    assert "Budget 2024" in shown(message)


def test_a_list_shows_twenty_and_tells_how_to_find_the_others() -> None:
    message = a_list(*(listed(number) for number in range(1, 24)))
    assert sum("Budget" in text for text in every_text(message.blocks)) == 20
    assert "3 more: add words to find them, /docs list words." in shown(message)
    assert "You can read 23 documents." in shown(message)


def test_what_was_looked_for_is_said_where_nothing_has_it() -> None:
    assert "“moon”" in shown(a_list(asked="moon"))
    assert "There are no documents yet that you may read." in shown(a_list())
    assert "1 document with “budget” in its name." in shown(a_list(listed(), asked="budget"))


def test_only_who_may_is_offered_to_add_and_to_remove() -> None:
    def offered(message: Message) -> set[str]:
        return {button["action_id"] for button in every_run(message.blocks, "button")}

    assert offered(a_list(listed())) == set()
    assert offered(a_list(listed(), may_add=True)) == {actions.OPEN_ADDING}
    assert offered(a_list(listed(may_remove=True))) == {actions.OPEN_REMOVING}


def test_what_was_not_taken_tells_why_and_can_be_removed_at_once() -> None:
    failed = listed(7, state="failed", error="Scan.pdf is a scan.", may_remove=True, mine=True)
    message = a_list(failed)
    assert "Scan.pdf is a scan." in shown(message)
    (remove,) = (b for b in every_run(message.blocks, "button") if b["action_id"] == actions.REMOVE_DOCUMENT)
    assert remove["value"] == failed.id


def test_a_newer_version_that_was_not_taken_leaves_the_older_one() -> None:
    message = a_list(listed(error="It is damaged."))
    assert "The newer version could not be taken, the older one answers. It is damaged." in shown(message)


def test_what_could_not_be_checked_is_said() -> None:
    unsure = shelf_of(listed(), unsure=True)
    for message in (
        documents_list(unsure, ENGLISH, now=NOW, command="/docs"),
        status_message(unsure, ENGLISH, now=NOW),
    ):
        assert "I cannot check right now all that you may read" in shown(message)


def test_status_tells_what_is_at_work_and_what_went_wrong() -> None:
    shelf = shelf_of(
        listed(1, state="indexing", done=18, total=42, passages=0),
        listed(2, state="failed", error="It is empty."),
        listed(3),
    )
    text = shown(status_message(shelf, ENGLISH, now=NOW))
    assert "You can read 1 document." in text
    assert "Indexing: 18 of 42 passages" in text
    assert "It is empty." in text
    assert "Budget 2026" not in text  # all is well with it
    assert "Spent" not in text


@LANGUAGES
def test_a_status_of_very_much_holds_what_fits_and_counts_the_rest(texts: Texts) -> None:
    long = "é<& x" * 200
    documents = [
        listed(n, title=long, error=long, adder=long, channel_name=long, audience=FINANCE, state=state)
        for n, state in enumerate(["failed", "indexing"] * 15)
    ]
    twin = Twin("d1", long, "text", long, NOW)
    begun = [
        Unsettled(Progress(state, long, sentence=long, twin=twin))
        for state in (*get_args(State)[:5], "refused")
        for _ in range(8)
    ]
    message = status_message(shelf_of(*documents, unsure=True), texts, now=NOW, unsettled=begun)
    assert message_faults(message.blocks, message.text) == []
    (more, *_) = [int(count) for count in re.findall(r"(?:and|et) (\d+) (?:more|de plus)", shown(message))]
    assert more > 10


def test_administrators_alone_see_what_it_cost() -> None:
    money = Money(1.2, 34.5, 5.0, documents=12, failed_contexts=3)
    text = shown(status_message(shelf_of(listed()), ENGLISH, now=NOW, money=money))
    assert "Spent today (UTC): $1.20 of $5.00. In all: $34.50." in text
    assert "In the whole workspace: 12 documents." in text
    assert "3 passages have no context from Claude" in text
    assert "Nothing is being read just now." in text


@pytest.mark.parametrize(
    ("ago", "told"),
    [
        (timedelta(seconds=-90), "just now"),  # clocks differ
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=30), "30 days ago"),
        (timedelta(days=31), "2 Jan 2024"),
    ],
)
def test_an_age_is_in_the_largest_unit_and_at_last_a_date(ago: timedelta, told: str) -> None:
    assert age(NOW - ago, NOW, ENGLISH) == told


def test_who_may_read_it_is_said_as_its_reader_knows_them() -> None:
    labels = [
        audience_label(listed(audience=audience, channel_name=name), ENGLISH)
        for audience, name in ((WORKSPACE, ""), (EVERYONE, ""), (FINANCE, "finance"), (FINANCE, ""), (SECRET, ""))
    ]
    assert labels == ["All employees", "Everybody, guests too", "#finance", "One conversation", "Only you"]


def test_the_line_about_a_document_names_cost_only_where_there_is_some() -> None:
    assert about(listed(mine=True, added_at=None, passages=1), ENGLISH, NOW) == (
        "All employees · Ready · 1 passage · added by you"
    )
    assert about(listed(cost_usd=0.123, failed_contexts=1), ENGLISH, NOW).endswith(
        "added by Ben · cost $0.12 · 1 passage without its context"
    )


@LANGUAGES
def test_help_names_the_commands_as_they_are_set(texts: Texts) -> None:
    message = docs_help(texts, command="/papers", ask_command="/frage", unknown="<!channel>")
    text = shown(message)
    assert all(f"/papers {verb}" in text for verb in ("add", "list", "status", "search", "remove"))
    assert "/frage" in text
    assert message_faults(message.blocks, message.text) == []


@LANGUAGES
@settings(max_examples=25, deadline=None)
@given(
    shelf=odd_shelves,
    asked=odd_text,
    money=odd_money,
    may_add=st.booleans(),
    unsettled=st.lists(st.builds(Unsettled, odd_progress, odd_url), max_size=20),
)
def test_slack_takes_every_list_and_status(texts: Texts, shelf, asked, money, may_add, unsettled) -> None:  # type: ignore[no-untyped-def]  # hypothesis fills it
    for message in (
        documents_list(shelf, texts, now=NOW, command="/docs", asked=asked, may_add=may_add),
        status_message(shelf, texts, now=NOW, money=money, unsettled=unsettled),
        docs_help(texts, command="/docs", ask_command="/ask", unknown=asked),
    ):
        assert message_faults(message.blocks, message.text) == []


def test_nothing_in_a_title_pings_or_links() -> None:
    hostile = listed(title=HOSTILE, error=HOSTILE, adder=HOSTILE, channel_name=HOSTILE, audience=FINANCE, url=None)
    for message in (
        documents_list(shelf_of(hostile), ENGLISH, now=NOW, command="/docs", asked=HOSTILE),
        status_message(shelf_of(hostile), ENGLISH, now=NOW),
    ):
        assert list(every_run(message.blocks, "mrkdwn")) == []
        assert list(every_run(message.blocks, "markdown")) == []
        assert list(every_run(message.blocks, "link")) == []
        assert "<!channel>" not in message.text
        assert "<@U666>" not in message.text
