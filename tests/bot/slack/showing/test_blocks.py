"""What stands under an answer in Slack."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.events import Answer
from bot.slack.showing import actions
from bot.slack.showing.blocks import LONGEST_FOOTER, Offers, Told, fallback, footer, replaced, stopped
from bot.slack.showing.elements import text_size
from bot.texts import ENGLISH, FRENCH, Texts
from tests.bot.slack.showing.limits import block_faults, every_run, every_text, message_faults
from tests.bot.slack.showing.stored import HOSTILE, answer, hit, odd_answers, odd_text, source

ALL_TEXTS = pytest.mark.parametrize("texts", [ENGLISH, FRENCH], ids=["en", "fr"])
EVERYTHING = Offers(True, True, True, "@Ada", "Travel Policy", ("a.pdf", "b.pdf"))


def lines(blocks: list[dict[str, Any]]) -> list[str]:
    """The source lines as they read."""
    sections = [
        "".join(run["text"] for run in section["elements"]) for section in every_run(blocks, "rich_text_section")
    ]
    return [section for section in sections if section.startswith("[")]


def buttons(blocks: list[dict[str, Any]]) -> dict[str, str]:
    """The buttons' labels by action."""
    return {button["action_id"]: button["text"]["text"] for button in every_run(blocks, "button")}


def told(blocks: list[dict[str, Any]]) -> list[str]:
    """The grey sentences."""
    return [element["text"] for block in blocks if block["type"] == "context" for element in block["elements"]]


def test_a_source_line_has_number_title_place_date_and_quote() -> None:
    blocks = footer(answer(source()), ENGLISH)
    assert lines(blocks) == [
        "[1] Annual Review 2023 › Cybersecurity › Incidents, p. 14 · 30 Jan 2024"
        "\n“The root cause was an expired certificate on the gateway.”"
    ]
    (link,) = every_run(blocks, "link")
    assert (link["text"], link["url"]) == ("Annual Review 2023", "https://docs.example.com/review")
    assert "Sources" in list(every_text(blocks))


def test_french_readers_get_french_dates_and_quotes() -> None:
    (line,) = lines(footer(answer(source()), FRENCH))
    assert "· 30 janv. 2024\n« The root cause" in line


def test_five_sources_are_shown_and_the_button_opens_the_rest() -> None:
    blocks = footer(answer(*(source(number) for number in range(1, 9))), ENGLISH)
    assert len(lines(blocks)) == 5
    assert buttons(blocks)[actions.SHOW_PASSAGES] == "Show passages and 3 more sources"
    assert buttons(footer(answer(source()), ENGLISH))[actions.SHOW_PASSAGES] == "Show passages"


def test_lines_carry_the_numbers_of_the_markers() -> None:
    blocks = footer(answer(source(7), source(2), source(3)), ENGLISH)
    assert [line.partition(" ")[0] for line in lines(blocks)] == ["[2]", "[3]", "[7]"]


def test_a_long_quote_is_cut_to_two_hundred_characters() -> None:
    (line,) = lines(footer(answer(source(quote="word " * 100)), ENGLISH))
    assert len(line.split("\n")[1]) <= 202
    assert line.endswith("…”")


def test_passages_in_place_of_an_answer_are_not_quoted_twice() -> None:
    blocks = footer(answer(source(), kind="passages"), ENGLISH)
    assert lines(blocks) == ["[1] Annual Review 2023 › Cybersecurity › Incidents, p. 14 · 30 Jan 2024"]


def test_nothing_of_a_document_is_read_as_markup() -> None:
    hostile = source(title=HOSTILE, location=HOSTILE, quote=HOSTILE)
    blocks = footer(
        answer(hostile, hits=(hit(title=HOSTILE),)),
        ENGLISH,
        told=Told(HOSTILE, HOSTILE, nothing_found=True, readable=3, remarks=(HOSTILE,)),
        offers=Offers(ask=HOSTILE, ask_about=HOSTILE, attached=(HOSTILE,)),
    )
    for kind in ("mrkdwn", "user", "usergroup", "broadcast", "channel", "emoji", "markdown"):
        assert list(every_run(blocks, kind)) == []
    assert {link["url"] for link in every_run(blocks, "link")} == {"https://docs.example.com/review"}


def test_hidden_characters_are_not_shown() -> None:
    blocks = footer(answer(source(title="A\U000e0049B\u202eC\x1b[31m", quote="x\U000e0049y")), ENGLISH)
    assert lines(blocks) == ["[1] ABC › Cybersecurity › Incidents, p. 14 · 30 Jan 2024\n“xy”"]


def test_an_untitled_source_has_a_name() -> None:
    assert lines(footer(answer(source(title=" \n")), FRENCH))[0].startswith("[1] Sans titre ›")


@pytest.mark.parametrize("changes", [{"kind": "help"}, {"searches": ()}])
def test_a_greeting_and_a_word_of_help_have_nothing_below(changes: dict[str, Any]) -> None:
    assert footer(answer(**changes), ENGLISH, offers=Offers(mute=True, share=True)) == []


def test_an_answer_without_sources_can_be_judged() -> None:
    assert buttons(footer(answer(), ENGLISH)) == {actions.FEEDBACK_GOOD: "👍", actions.FEEDBACK_BAD: "👎"}


def test_every_button_carries_the_answer() -> None:
    blocks = footer(answer(source(), kind="passages"), ENGLISH, told=Told(nothing_found=True), offers=EVERYTHING)
    assert {button["value"] for button in every_run(blocks, "button")} == {"Ab3-_xyz0123"}
    (menu,) = every_run(blocks, "overflow")
    assert actions.muted_answer(menu["options"][0]["value"]) == "Ab3-_xyz0123"


def test_pictures_on_buttons_are_told_to_screen_readers() -> None:
    spoken = [button.get("accessibility_label") for button in every_run(footer(answer(), ENGLISH), "button")]
    assert spoken == ["This answer helped", "Something is wrong with this answer"]


def test_muting_is_offered_only_where_there_is_something_to_mute() -> None:
    assert list(every_run(footer(answer(source()), ENGLISH), "overflow")) == []
    (menu,) = every_run(footer(answer(source()), ENGLISH, offers=Offers(mute=True)), "overflow")
    assert menu["action_id"] == actions.MORE


def test_nothing_found_tells_what_was_searched_and_the_closest_titles_once_each() -> None:
    titles = ["Travel Policy 2025", "Travel Policy 2025", "Expense Guide (FR)", "Third", "Fourth"]
    nothing = answer(hits=tuple(hit(n, title=title) for n, title in enumerate(titles)))
    blocks = footer(
        nothing,
        ENGLISH,
        told=Told(nothing_found=True, readable=214),
        offers=Offers(ask="@Ada", ask_about="Travel Policy 2025"),
    )
    assert told(blocks) == [
        "I searched the 214 documents that you can read here. Closest: Travel Policy 2025, Expense Guide (FR), Third."
    ]
    assert buttons(blocks)[actions.ASK_PERSON] == "Ask @Ada, who added Travel Policy 2025"


def test_nobody_is_asked_where_something_was_found() -> None:
    blocks = footer(answer(source()), ENGLISH, offers=Offers(ask="#finance"))
    assert actions.ASK_PERSON not in buttons(blocks)


def test_the_channel_is_asked_by_its_name() -> None:
    blocks = footer(answer(), FRENCH, told=Told(nothing_found=True), offers=Offers(ask="#finance"))
    assert buttons(blocks)[actions.ASK_PERSON] == "Demander à #finance"


@pytest.mark.parametrize(
    ("why", "sentence"),
    [
        (
            "outsiders",
            "Someone from outside the company may read this, so I used only documents for this channel or for guests"
            " (6).",
        ),
        (
            "cannot_check",
            "I could not check who can read this, so I used only documents for this channel or for guests (6).",
        ),
    ],
)
def test_what_was_left_out_is_said_and_the_count_only_once(why: Any, sentence: str) -> None:
    blocks = footer(
        answer(), ENGLISH, told=Told(nothing_found=True, readable=6, left_out=why), offers=Offers(privately=True)
    )
    assert told(blocks) == [sentence]
    assert buttons(blocks)[actions.ANSWER_PRIVATELY] == "Answer me privately"


def test_trouble_has_its_reference_and_a_way_to_try_again() -> None:
    blocks = footer(answer(kind="trouble"), ENGLISH, told=Told(reference="7F3K"), offers=Offers(mute=True))
    assert told(blocks) == ["ref 7F3K"]
    assert buttons(blocks) == {actions.TRY_AGAIN: "Try again"}
    away = footer(answer(source(), kind="passages"), ENGLISH, told=Told("Claude is overloaded.", "7F3K"))
    assert told(away) == ["Claude is overloaded. · ref 7F3K"]
    assert actions.TRY_AGAIN in buttons(away)


def test_attached_files_are_offered_for_adding() -> None:
    one = footer(answer(source()), ENGLISH, offers=Offers(attached=("Budget 2024.xlsx",)))
    two = footer(answer(source()), ENGLISH, offers=Offers(attached=("a.pdf", "b.pdf")))
    assert buttons(one)[actions.ADD_FILE] == "Add Budget 2024.xlsx to the documents"
    assert buttons(two)[actions.ADD_FILE] == "Add the 2 files to the documents"


def test_why_a_file_was_not_read_is_said_before_the_sources() -> None:
    blocks = footer(answer(source()), ENGLISH, told=Told(remarks=("I can't read Scan.pdf: it is a scan.",)))
    assert [block["type"] for block in blocks] == ["context", "rich_text", "rich_text", "actions"]


@pytest.mark.parametrize("kind", ["answer", "passages"])
def test_quotes_give_way_before_the_footer_is_too_long(kind: str) -> None:
    longest = [source(n, title="t" * 200, location="l" * 300, quote="q" * 500) for n in range(1, 6)]
    hits = tuple(hit(title=f"{n}" * 200) for n in range(5))
    worst = answer(*longest, hits=hits, kind=kind)
    said = Told("n" * 900, "r" * 50, True, 99_999, "cannot_check", ("r" * 400,) * 5)
    blocks = footer(worst, FRENCH, told=said, offers=EVERYTHING)
    assert len(lines(blocks)) == 5
    assert text_size(blocks) <= LONGEST_FOOTER


def test_what_is_told_comes_from_the_answer() -> None:
    fresh = Answer("x", notice="It was cut.", reference="7F3K", readable=4, nothing_found=True)
    assert Told.of(fresh, left_out="outsiders") == Told("It was cut.", "7F3K", True, 4, "outsiders")


def test_a_stopped_answer_says_so() -> None:
    assert told([stopped(ENGLISH)]) == ["Stopped here."]
    assert told([stopped(FRENCH)]) == ["Arrêté ici."]


def test_a_replaced_answer_leads_to_the_new_one() -> None:
    (link,) = every_run(replaced(FRENCH, url="https://x.slack.com/archives/C1/p1"), "link")
    assert link["text"] == "Voir la nouvelle réponse"
    assert list(every_run(replaced(ENGLISH), "link")) == []
    assert message_faults([replaced(ENGLISH)], ENGLISH.say("answer_replaced")) == []


def test_the_fallback_reads_like_the_answer() -> None:
    text = "## Cause\nIt was a **certificate** with [details](https://docs.example.com/review). [1]"
    assert fallback(answer(source(), text=text), ENGLISH, told=Told("It was cut.", "7F3K")) == (
        "Cause\nIt was a certificate with details. [1]\n\n"
        "It was cut. · ref 7F3K\nSources\n[1] Annual Review 2023 › Cybersecurity › Incidents, p. 14 · 30 Jan 2024"
    )


def test_a_long_answer_is_cut_before_its_sources_in_the_fallback() -> None:
    text = fallback(answer(source(), text="a < b " * 2_000), ENGLISH)
    assert 3_900 <= len(text) <= 4_000
    assert text.endswith("p. 14 · 30 Jan 2024")


def test_the_fallback_pings_nobody() -> None:
    text = fallback(answer(source(title=HOSTILE), text=HOSTILE), ENGLISH, told=Told(HOSTILE))
    assert message_faults(stopped_only(), text) == []
    assert "@here" not in text
    assert "<" not in text


def stopped_only() -> list[dict[str, Any]]:
    return [stopped(ENGLISH)]


@ALL_TEXTS
@given(
    shown=odd_answers,
    notice=st.one_of(st.none(), odd_text),
    remarks=st.lists(odd_text, max_size=4).map(tuple),
    found=st.booleans(),
    name=odd_text,
)
def test_slack_takes_whatever_stands_under_an_answer(
    texts: Texts, shown: Any, notice: str | None, remarks: tuple[str, ...], found: bool, name: str
) -> None:
    said = Told(notice, notice, not found, 5, "outsiders" if found else None, remarks)
    offers = Offers(True, True, True, name, name, (name,))
    blocks = footer(shown, texts, told=said, offers=offers)
    assert block_faults(blocks) == []
    assert text_size(blocks) <= LONGEST_FOOTER
    assert len(blocks) <= 20
    assert message_faults(stopped_only(), fallback(shown, texts, told=said)) == []
