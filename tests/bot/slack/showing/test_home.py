"""The Home tab: documents with their menus, for one person."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.documents import Listed, Money
from bot.slack.showing import actions
from bot.slack.showing.forms import View
from bot.slack.showing.home import MOST_DOCUMENTS, chosen, home, home_trouble
from bot.texts import ENGLISH, FRENCH, Texts
from indexer import EVERYONE, WORKSPACE, Audience
from tests.bot.slack.showing.limits import every_run, every_text, home_faults
from tests.bot.slack.showing.listed import FINANCE, NOW, listed, odd_money, odd_shelves, shelf_of
from tests.bot.slack.showing.stored import HOSTILE, odd_text


def tab(*documents: Listed, is_admin: bool = False, **more: Any) -> View:
    shelf = shelf_of(*documents, is_admin=is_admin)
    return home(shelf, ENGLISH, now=NOW, command="/docs", ask_command="/ask", **more)


def menu(view: View) -> list[str]:
    """What the menus offer, by what their values say."""
    options = [option for overflow in every_run(view["blocks"], "overflow") for option in overflow["options"]]
    return [option["value"].partition(":")[0] for option in options]


def test_a_document_is_its_title_and_a_grey_line() -> None:
    title, line = tab(listed(3, audience=FINANCE, channel_name="finance"))["blocks"][-2:]
    assert title["text"]["text"] == "Budget 2026"
    assert line["elements"][0]["text"] == "#finance · Ready · 42 passages · 3 days ago · added by Ben"


def test_the_menu_offers_what_this_person_may_do() -> None:
    assert menu(tab(listed())) == ["open"]
    assert menu(tab(listed(url=None))) == []
    assert menu(tab(listed(may_remove=True, mine=True))) == ["open", "remove"]


@pytest.mark.parametrize(
    ("audience", "offered"),
    [(WORKSPACE, ["everyone"]), (EVERYONE, ["workspace"]), (FINANCE, ["workspace", "everyone"])],
    ids=str,
)
def test_an_administrator_can_change_who_may_read_it(audience: Audience, offered: list[str]) -> None:
    assert menu(tab(listed(audience=audience, url=None, may_remove=True), is_admin=True)) == [*offered, "remove"]
    assert menu(tab(listed(audience=audience, url=None, may_remove=True))) == ["remove"]


def test_what_does_not_answer_yet_keeps_its_readers() -> None:
    for state in ("waiting", "indexing", "failed", "renewing"):
        assert menu(tab(listed(state=state, url=None, may_remove=True), is_admin=True)) == ["remove"]


def test_an_option_opens_the_document_where_it_has_an_address() -> None:
    (overflow,) = every_run(tab(listed(url="https://docs.example.com/a b"))["blocks"], "overflow")
    assert overflow["options"][0]["url"] == "https://docs.example.com/a%20b"
    assert chosen(overflow["options"][0]["value"]) == ("open", listed().id)


def test_buttons_above_are_for_who_may_use_them() -> None:
    def buttons(view: View) -> list[str]:
        return [button["action_id"] for button in every_run(view["blocks"], "button")]

    assert buttons(tab(listed())) == []
    assert buttons(tab(listed(may_remove=True), may_add=True)) == [actions.OPEN_ADDING, actions.OPEN_REMOVING]


def test_money_is_shown_where_it_is_given_and_a_notice_above_all() -> None:
    view = tab(listed(), money=Money(0.5, 2.0), notice="Travel is no longer in the documents.")
    texts = list(every_text(view["blocks"]))
    assert texts[1] == "Travel is no longer in the documents."
    assert any("Spent today (UTC): $0.50. In all: $2.00." in text for text in texts)
    assert not any("Spent" in text for text in every_text(tab(listed())["blocks"]))


def test_what_does_not_fit_is_counted() -> None:
    view = tab(*(listed(number) for number in range(1, MOST_DOCUMENTS + 8)))
    assert len(view["blocks"]) <= 100
    assert "7 more: add words to find them, /docs list words." in list(every_text(view["blocks"]))


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH], ids=["English", "French"])
@settings(max_examples=25, deadline=None)
@given(shelf=odd_shelves, notice=odd_text, money=odd_money, may_add=st.booleans())
def test_slack_takes_every_home_tab(texts: Texts, shelf, notice, money, may_add) -> None:  # type: ignore[no-untyped-def]  # hypothesis fills it
    view = home(shelf, texts, now=NOW, command="/docs", ask_command="/ask", may_add=may_add, money=money, notice=notice)
    assert home_faults(view) == []
    assert home_faults(home_trouble(notice, texts, reference="7F3K")) == []


def test_nothing_in_a_title_pings_or_links() -> None:
    hostile = listed(title=HOSTILE, error=HOSTILE, adder=HOSTILE, channel_name=HOSTILE, audience=FINANCE, url=None)
    view = tab(hostile, notice=HOSTILE)
    for kind in ("mrkdwn", "link", "user", "broadcast"):
        assert list(every_run(view["blocks"], kind)) == []
