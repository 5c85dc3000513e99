"""Slack's own links: told from all others, and read for what they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adding import What
from bot.slack.adding.permalinks import item_of, permalink

HOST = "acme.slack.com"
IDS = st.from_regex(r"[CDG][A-Z0-9]{4,12}", fullmatch=True)
TIMES = st.builds("{}.{:06}".format, st.integers(1_000_000_000, 9_999_999_999), st.integers(0, 999_999))


@pytest.mark.parametrize(
    ("url", "what", "ref"),
    [
        ("https://acme.slack.com/archives/C0123/p1700000000000100", What.THREAD, "C0123:1700000000.000100"),
        ("  https://acme.slack.com/archives/C0123/p1700000000000100/ ", What.THREAD, "C0123:1700000000.000100"),
        (
            "https://acme.slack.com/archives/C0123/p1700000000000100?thread_ts=1700000000.000100&cid=C0123",
            What.THREAD,
            "C0123:1700000000.000100",
        ),
        (
            "https://acme.slack.com/archives/C0123/p1700000009000200?thread_ts=1700000000.000100&cid=C0123",
            What.MESSAGE,
            "C0123:1700000009.000200",
        ),
        ("https://acme.enterprise.slack.com/archives/D0123/p1700000000000100", What.THREAD, "D0123:1700000000.000100"),
        ("https://acme.slack.com/files/U0123/F0456/budget_2024.xlsx", What.FILE, "F0456"),
        ("https://acme.slack.com/files/U0123/F0456", What.FILE, "F0456"),
        ("HTTPS://ACME.SLACK.COM/archives/C0123/p1700000000000100#top", What.THREAD, "C0123:1700000000.000100"),
    ],
)
def test_a_link_of_slacks_names_a_thread_a_reply_or_a_file(url: str, what: What, ref: str) -> None:
    item = item_of(url, HOST)
    assert item is not None
    assert (item.what, item.ref) == (what, ref)
    assert item.name


def test_a_file_is_called_as_in_its_link() -> None:
    item = item_of("https://acme.slack.com/files/U0123/F0456/r%C3%A9sum%C3%A9%0a2024.pdf", HOST)
    assert item is not None
    assert item.name == "résumé 2024.pdf"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "C0123",
        "https://acme.slack.com/",
        "https://acme.slack.com/archives/C0123",
        "https://acme.slack.com/archives/C0123/p17",
        "https://acme.slack.com/archives/c0123/p1700000000000100",
        "https://acme.slack.com.evil.example/archives/C0123/p1700000000000100",
        "https://evilslack.com/archives/C0123/p1700000000000100",
        "https://evil.example/archives/C0123/p1700000000000100",
        "https://evil.example/?u=https://acme.slack.com/archives/C0123/p1700000000000100",
        "ftp://acme.slack.com/archives/C0123/p1700000000000100",
        "https://[acme.slack.com/archives/C0123/p1700000000000100",
        "https:///archives/C0123/p1700000000000100",
    ],
)
def test_other_addresses_are_no_links_of_slacks(url: str) -> None:
    assert item_of(url, HOST) is None
    assert item_of(url, "") is None


def test_the_workspaces_own_host_counts_where_it_is_not_slacks() -> None:
    url = "https://chat.acme.example/archives/C0123/p1700000000000100"
    assert item_of(url, HOST) is None
    assert item_of(url, "chat.acme.example") is not None


@given(IDS, TIMES, TIMES)
def test_the_link_of_a_message_leads_back_to_it(channel: str, ts: str, root: str) -> None:
    for thread in ("", ts, root):
        link = permalink(HOST, channel, ts, thread)
        assert link is not None
        item = item_of(link, HOST)
        assert item is not None
        assert item.ref == f"{channel}:{ts}"
        assert (item.what is What.THREAD) == (thread in ("", ts))


def test_without_a_host_a_message_has_no_link() -> None:
    assert permalink("", "C0123", "1700000000.000100") is None


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading_of_links(text: str) -> None:
    assert item_of(text, HOST) is None or text.strip().lower().startswith("http")
    item_of(f"https://{text}", HOST)
    item_of(f"https://acme.slack.com/{text}", HOST)
