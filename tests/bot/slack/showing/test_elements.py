"""The pieces of Block Kit."""

from __future__ import annotations

import pytest
from hypothesis import given

from bot.slack.showing.elements import button, escaped, grey, line, link, rich, row, text_size, web_address, words
from tests.bot.slack.showing.limits import block_faults, message_faults
from tests.bot.slack.showing.stored import HOSTILE, odd_text, odd_url


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://x.example/a b", "https://x.example/a%20b"),
        ("https://x.example/a|b>c", "https://x.example/a%7Cb%3Ec"),
        ("https://x.example/a%20b?q=1&r=é#top", "https://x.example/a%20b?q=1&r=%C3%A9#top"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("slack:file:F1", None),
        ("https://é.example/", None),
        ("https://[broken", None),
        ("https://", None),
        ("https://x.example/\n", None),
        ("https://x.example/" + "a" * 3_000, None),
        ("", None),
    ],
)
def test_only_what_a_browser_opens_is_a_link(url: str, address: str | None) -> None:
    assert web_address(url) == address
    assert link("title", url).get("url") == address
    assert link("title", url)["text"] == "title"


@given(odd_url, odd_text)
def test_slack_takes_every_address(url: str | None, title: str) -> None:
    assert block_faults([rich(line(words("a"), link(title or "b", url)))]) == []


@given(odd_text, odd_text)
def test_slack_takes_every_label_and_grey_line(label: str, text: str) -> None:
    assert block_faults([row(button(label, "go", "1")), grey(text)]) == []


@given(odd_text)
def test_what_is_escaped_calls_nobody_and_is_never_too_long(text: str) -> None:
    assert message_faults([], escaped(f"a{text}", 4_000)) == []
    assert len(escaped(text, 20)) <= 20


def test_an_entity_is_not_cut_in_two() -> None:
    assert [escaped("a & b", limit) for limit in range(3, 10)] == ["a …"] * 5 + ["a &amp;…", "a &amp; b"]


def test_calls_in_plain_text_are_broken() -> None:
    (element,) = grey(HOSTILE)["elements"]
    for call in ("<!channel>", "<@U666>", "@here"):
        assert call not in element["text"]


def test_the_size_is_that_of_all_texts() -> None:
    blocks = [rich(line(words("ab"), link("c", "https://x.example"))), row(button("Go", "go", "1")), grey("d")]
    assert text_size(blocks) == 6
