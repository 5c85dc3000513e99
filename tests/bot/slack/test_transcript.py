"""A conversation as text: people by name, apps with what they show, and nothing that nobody said there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ledger import StoredAnswer
from bot.slack.adding.not_added import NotAdded
from bot.slack.adding.transcript import Transcript, transcript
from bot.slack.directory import Directory
from bot.slack.intake import Me
from bot.slack.parts import Parts
from bot.texts import ENGLISH
from tests.bot.slack.workspace import ME, TEAM, FakeSlack

pytestmark = pytest.mark.anyio

ROOT = "1700000000.000100"


class Nothing:
    """Stands in for the ledger: no answers."""

    async def answers_in(self, team: str, channel: str, thread: str) -> list[StoredAnswer]:
        return []

    async def answer_of_message(self, team: str, channel: str, message_ts: str) -> None:
        return None


@dataclass(frozen=True)
class OfParts:
    """What is asked of the parts."""

    directory: Directory
    me: Me = Me(ME, "B0BOT", TEAM)  # noqa: RUF009 a frozen value of plain ones
    ledger: Nothing = Nothing()  # noqa: RUF009 it keeps nothing


@pytest.fixture
async def directory() -> AsyncIterator[Directory]:
    fake = FakeSlack()
    for id, name in (("UADA", "Ada"), ("UADA2", "Ada"), (ME, "Situate")):
        fake.person(id, name=name, is_bot=id == ME)
    directory = Directory(fake, TEAM, me=ME, patience=2.0)
    yield directory
    await directory.close()


async def kept(directory: Directory, *messages: dict[str, Any]) -> Transcript:
    parts = cast("Parts", OfParts(directory))
    return await transcript(parts, "C1", messages, user="UADA", texts=ENGLISH, name="the minutes")


def said(number: int, text: str | None, user: str = "UADA", **fields: Any) -> dict[str, Any]:
    words = {} if text is None else {"text": text}
    return {"ts": f"17000000{number:02}.000100", "thread_ts": ROOT, "user": user, **words, **fields}


def by_app(text: str, **fields: Any) -> dict[str, Any]:
    return {"ts": ROOT, "subtype": "bot_message", "bot_id": "B9", "username": "Deploys", "text": text, **fields}


async def words(directory: Directory, message: dict[str, Any]) -> str:
    return (await kept(directory, message)).text.partition(" (2023-11-14 22:13 UTC): ")[2].rstrip("\n")


async def test_two_people_of_one_name_stay_two_and_the_unknown_has_an_id(directory: Directory) -> None:
    told = await kept(directory, said(0, "one"), said(1, "two", "UADA2"), said(2, "<@U404> left", "U404"))
    assert [line.split(" (2023")[0] for line in told.text.splitlines() if line] == ["Ada", "Ada (2)", "U404"]
    assert "@U404 left" in told.text


async def test_an_app_is_kept_with_what_it_shows(directory: Directory) -> None:
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Release 42"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "a &lt; b"}]},
        {"type": "rich_text", "elements": [{"elements": [{"type": "text", "text": "all is well"}]}]},
    ]
    assert await words(directory, by_app("", blocks=blocks)) == "Release 42\n  a < b\n  all is well"
    attachments = [{"title": "Alarm", "text": "The gateway is down", "fields": [{"title": "Since", "value": "May"}]}]
    told = await kept(directory, by_app("Look", attachments=attachments, blocks=blocks))
    assert told.text == "Deploys (2023-11-14 22:13 UTC): Look\n  Alarm\n  The gateway is down\n  Since\n  May\n"


@pytest.mark.parametrize(
    "preview",
    [
        {"from_url": "https://a.example/", "title": "SECRET"},
        {"original_url": "https://a.example/", "title": "SECRET"},
        {"is_msg_unfurl": True, "text": "SECRET", "channel_id": "GPRIVATE"},
        {"is_share": True, "text": "SECRET"},
    ],
)
async def test_what_slack_shows_of_a_link_was_not_said_here(directory: Directory, preview: dict[str, Any]) -> None:
    assert await words(directory, by_app("Look", attachments=[preview])) == "Look"
    assert await words(directory, said(0, "Look", attachments=[preview])) == "Look"


@pytest.mark.parametrize(
    "silent",
    [
        said(1, "has joined", subtype="channel_join"),
        said(1, "This message was deleted.", subtype="tombstone"),
        said(1, "hidden", hidden=True),
        said(1, None),
        said(1, "  "),
        said(1, "I am looking …", ME, bot_id="B0BOT"),
    ],
)
async def test_what_says_nothing_is_not_kept(directory: Directory, silent: dict[str, Any]) -> None:
    told = await kept(directory, said(0, "one"), silent)
    assert told.made_of == (ROOT,)
    with pytest.raises(NotAdded):
        await kept(directory, silent)


async def test_the_title_is_what_was_said_first_without_the_bots_name(directory: Directory) -> None:
    told = await kept(directory, said(0, f"<@{ME}> When was it?\nTell me"), said(1, "In May"))
    assert told.title == "When was it? Tell me"
    assert len((await kept(directory, said(0, "word " * 100))).title) <= 80
    only_a_file = said(0, "", files=[{"id": "F1", "name": "plan.pdf"}, {"id": "F2", "mode": "tombstone"}])
    told = await kept(directory, only_a_file)
    assert (told.title, await words(directory, only_a_file)) == ("plan.pdf", "(attached: plan.pdf)")


async def test_hidden_words_are_not_kept(directory: Directory) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore")
    assert await words(directory, said(0, f"Hello{hidden}")) == "Hello"


ODD: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "title", "name"]), inner),
    max_leaves=5,
)


@given(
    st.dictionaries(
        st.sampled_from(["user", "bot_id", "text", "blocks", "attachments", "files", "subtype", "username"]), ODD
    )
)
async def test_no_message_breaks_the_text(fields: dict[str, Any]) -> None:
    directory = Directory(FakeSlack(), TEAM, me=ME, patience=2.0)
    told = await kept(directory, said(0, "first"), {"ts": "1700000001.000100", **fields})
    assert told.text.startswith("UADA (2023-11-14 22:13 UTC): first")
    await directory.close()
