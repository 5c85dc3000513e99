"""The form that takes a document out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from bot.slack.showing import actions
from bot.slack.showing.forms import View
from bot.slack.showing.removing import (
    picked,
    removing_confirmation,
    removing_loading,
    removing_picker,
    removing_told,
    removing_working,
)
from bot.texts import ENGLISH, FRENCH, Texts
from tests.bot.slack.showing.limits import every_run, every_text, view_faults
from tests.bot.slack.showing.listed import FINANCE, NOW, listed, odd_listed, odd_shelves, shelf_of
from tests.bot.slack.showing.stored import odd_text


def options(view: View) -> list[dict[str, Any]]:
    return [option for select in every_run(view["blocks"], "static_select") for option in select["options"]]


def picker(*documents: Any, **more: Any) -> View:
    return removing_picker(shelf_of(*documents), ENGLISH, command="/docs", **more)


def test_only_what_the_person_may_remove_can_be_picked() -> None:
    mine = listed(1, may_remove=True, audience=FINANCE, channel_name="finance")
    view = picker(mine, listed(2))
    assert [(option["text"]["text"], option["value"]) for option in options(view)] == [
        ("Budget 2024 · #finance · 1 Feb 2024", mine.id)
    ]
    assert "Budget 2025" not in " ".join(every_text(view))


def test_a_long_title_leaves_room_for_what_tells_documents_apart() -> None:
    (option,) = options(picker(listed(title="Minutes " * 20, may_remove=True)))
    assert option["text"]["text"].endswith("… · All employees · 1 Feb 2024")
    assert len(option["text"]["text"]) <= 75


def test_where_there_is_nothing_to_remove_there_is_nothing_to_send() -> None:
    view = picker(listed())
    assert "submit" not in view
    assert "There is no document that you may remove." in " ".join(every_text(view))
    assert "has “moon” in its name" in " ".join(every_text(picker(listed(), asked="moon")))


def test_more_than_a_hundred_are_counted() -> None:
    view = picker(*(listed(number, may_remove=True) for number in range(1, 104)))
    assert len(options(view)) == 100
    assert "3 more: add words to find them, /docs remove words." in list(every_text(view))


def test_the_confirmation_carries_the_document_and_names_it() -> None:
    view = removing_confirmation(listed(5, may_remove=True), ENGLISH, now=NOW)
    assert view["private_metadata"] == listed(5).id
    assert "Budget 2028" in list(every_text(view["blocks"]))
    assert view["submit"]["text"] == "Remove"


def test_what_was_picked_is_read_back() -> None:
    chosen = {"type": "static_select", "selected_option": {"value": "ab12"}}
    state = {"values": {actions.REMOVING_BLOCK: {actions.REMOVING_INPUT: chosen}}}
    assert picked({"state": state}) == "ab12"
    odd_views: list[dict[str, Any]] = [{}, {"state": None}, {"state": {"values": {actions.REMOVING_BLOCK: {}}}}]
    for odd in odd_views:
        assert picked(odd) == ""


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH], ids=["English", "French"])
@settings(max_examples=25, deadline=None)
@given(shelf=odd_shelves, one=odd_listed, asked=odd_text)
def test_slack_takes_every_step_of_the_form(texts: Texts, shelf, one, asked) -> None:  # type: ignore[no-untyped-def]  # hypothesis fills it
    for view in (
        removing_loading(texts),
        removing_working(texts),
        removing_picker(shelf, texts, command="/docs", asked=asked),
        removing_confirmation(one, texts, now=NOW),
        removing_told(asked, texts, reference="7F3K"),
    ):
        assert view_faults(view) == []
