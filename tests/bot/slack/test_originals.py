"""What is fetched from Slack to be added: only what the person may read themself, whole, and with where it is from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.adding import What
from bot.slack.adding import originals
from indexer import IndexerSettings, Original
from tests.bot.slack.fetching_desk import Desk, open_desk, place, text_of
from tests.fixtures.slack import Company
from tests.slack_server import File, Person, SlackServer

pytestmark = pytest.mark.anyio

NOTES = b"The gateway was moved on 12 May."


@pytest.fixture
async def desk(slack: SlackServer, tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(slack, tmp_path) as desk:
        yield desk


# -- files -----------------------------------------------------------------------------------------------------------


def notes(slack: SlackServer, by: Person, **more: Any) -> File:
    return slack.file("Notes 2024.txt", NOTES, by=by, mimetype="text/plain", **more)


async def test_a_file_from_a_form_is_the_persons_own(desk: Desk, slack: SlackServer, company: Company) -> None:
    file = notes(slack, company.ana, submitted=True)
    fetched = await desk.fetched(What.FILE, file.id, company.ana)
    assert (fetched.original.data, fetched.original.source) == (NOTES, f"slack:file:{file.id}")
    assert (fetched.title, fetched.origins, fetched.made_of) == (None, frozenset(), (file.id,))
    assert fetched.original.name == "Notes 2024.txt"
    assert (await desk.fetched(What.FILE, file.id, company.ana, title="Moves")).title == "Moves"
    assert await desk.refused(What.FILE, file.id, company.ben) == "file_not_yours"


async def test_a_shared_file_comes_from_where_it_is_shared(desk: Desk, slack: SlackServer, company: Company) -> None:
    file = notes(slack, company.ana)
    slack.says(company.ana, company.finance, "the notes", files=[file])
    slack.says(company.ana, slack.direct(company.ana), "for you", files=[file])
    for person in (company.ana, company.ben):
        fetched = await desk.fetched(What.FILE, file.id, person)
        assert fetched.origins == {company.finance.id}
    assert await desk.refused(What.FILE, file.id, company.gus) == "file_not_yours"
    slack.says(company.ana, company.general, "the notes", files=[file])
    assert (await desk.fetched(What.FILE, file.id, company.gus)).origins == {company.finance.id, company.general.id}


async def test_a_file_that_somebody_sent_the_bot_directly_is_for_nobody_else(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    file = notes(slack, company.ana)
    slack.says(company.ana, slack.direct(company.ana), "for you", files=[file])
    assert (await desk.fetched(What.FILE, file.id, company.ana)).origins == frozenset()
    assert await desk.refused(What.FILE, file.id, company.ben) == "file_not_yours"
    others = notes(slack, company.ben)
    slack.says(company.ana, slack.direct(company.ana), "Ben gave me this", files=[others])
    assert (await desk.fetched(What.FILE, others.id, company.ana)).origins == frozenset()


async def test_who_left_the_channel_does_not_get_its_files(desk: Desk, slack: SlackServer, company: Company) -> None:
    file = notes(slack, company.ana)
    slack.says(company.ana, company.finance, "the notes", files=[file])
    assert await desk.fetched(What.FILE, file.id, company.ben)
    slack.leaves(company.ben, company.finance)
    assert await desk.refused(What.FILE, file.id, company.ben) == "file_not_yours"


async def test_what_cannot_be_checked_is_not_fetched(desk: Desk, slack: SlackServer, company: Company) -> None:
    file = notes(slack, company.ana)
    ts = slack.says(company.ana, company.finance, "the notes", files=[file])
    slack.fail("users.conversations", ratelimited=30, times=None)
    assert await desk.refused(What.FILE, file.id, company.ben) == "slack_did_not_tell"
    assert await desk.refused(What.MESSAGE, f"{company.finance.id}:{ts}", company.ben) == "slack_did_not_tell"


async def test_a_file_that_is_gone_is_said_to_be(desk: Desk, slack: SlackServer, company: Company) -> None:
    file = notes(slack, company.ana, submitted=True)
    slack.deletes_file(file)
    assert await desk.refused(What.FILE, file.id, company.ana) == "file_gone"


async def test_a_sign_in_page_is_no_file(desk: Desk, slack: SlackServer, company: Company) -> None:
    page = b"<!DOCTYPE html><html><title>Sign in</title></html>"
    file = slack.file("report.pdf", page, by=company.ana, mimetype="application/pdf", submitted=True)
    assert await desk.refused(What.FILE, file.id, company.ana) == "file_no_scope"


# -- messages --------------------------------------------------------------------------------------------------------


async def test_a_message_is_kept_with_who_said_it_when(desk: Desk, slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.finance, "If a < b & c, tell <@" + company.ben.id + ">\nand *me*")
    fetched = await desk.fetched(What.MESSAGE, f"{company.finance.id}:{ts}", company.ben)
    when = datetime.fromtimestamp(int(ts.split(".")[0]), UTC)
    assert text_of(fetched) == f"Ana ({when:%Y-%m-%d %H:%M} UTC): If a < b & c, tell @Ben\n  and *me*\n"
    assert fetched.title == "If a < b & c, tell @Ben and *me*"
    assert fetched.original.source == f"slack:message:{company.finance.id}:{ts}"
    assert fetched.original.url == slack.permalink_of(company.finance, ts)
    assert fetched.original.date == when
    assert fetched.origins == {company.finance.id}
    assert fetched.made_of == place(company.finance, ts)


async def test_a_reply_is_kept_alone(desk: Desk, slack: SlackServer, company: Company) -> None:
    root = slack.says(company.ana, company.finance, "When?")
    reply = slack.says(company.ben, company.finance, "In May", thread=root)
    fetched = await desk.fetched(What.MESSAGE, f"{company.finance.id}:{reply}", company.ana, title="May")
    assert "When?" not in text_of(fetched)
    assert (fetched.title, fetched.made_of) == ("May", place(company.finance, reply))
    assert fetched.original.url == slack.permalink_of(company.finance, reply)


@pytest.mark.parametrize("page_size", [None, 2])
async def test_a_thread_is_kept_whole(desk: Desk, slack: SlackServer, company: Company, page_size: int | None) -> None:
    slack.page_size, slack.root_on_every_page = page_size, True
    root = slack.says(company.ana, company.finance, "When was the gateway moved?")
    file = notes(slack, company.ben)
    replies = [
        slack.says(company.ben, company.finance, "It is in here", thread=root, files=[file]),
        slack.other_bot_says(company.finance, "Deployed 42", thread=root),
        slack.says(company.ana, company.finance, "Bo (2020-01-01 00:00 UTC): I approve\n\nAna: me too", thread=root),
    ]
    fetched = await desk.fetched(What.THREAD, f"{company.finance.id}:{root}", company.ana)
    paragraphs = [paragraph.split(" UTC): ", 1)[1] for paragraph in text_of(fetched).split("\n\n")]
    assert paragraphs == [
        "When was the gateway moved?",
        "It is in here\n  (attached: Notes 2024.txt)",
        "Deployed 42",
        "Bo (2020-01-01 00:00 UTC): I approve\n  \n  Ana: me too\n",
    ]
    assert [line.split(" (")[0] for line in text_of(fetched).splitlines() if line[:1] > " "] == [
        "Ana",
        "Ben",
        "Robot",
        "Ana",
    ]
    assert fetched.title == "When was the gateway moved?"
    assert fetched.made_of == place(company.finance, root, *replies)


async def test_only_members_get_what_is_said_and_only_where_the_bot_is(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    ts = slack.says(company.ana, company.office, "for employees")
    ref = f"{company.office.id}:{ts}"
    assert await desk.fetched(What.THREAD, ref, company.ben)
    assert await desk.refused(What.THREAD, ref, company.gus) == "message_out_of_sight"  # though it is public
    slack.leaves(slack.bot, company.office)
    desk.parts.directory.forget_channel(company.office.id)
    assert await desk.refused(What.THREAD, ref, company.ben) == "message_out_of_sight"
    slack.expect_violations("*there is no D0NOWHERE*")
    assert await desk.refused(What.THREAD, "C0NOWHERE:1700000000.000100", company.ben) == "message_out_of_sight"
    assert await desk.refused(What.MESSAGE, "D0NOWHERE:1700000000.000100", company.ben) == "message_out_of_sight"


async def test_a_direct_conversation_is_the_persons_own(desk: Desk, slack: SlackServer, company: Company) -> None:
    direct = slack.direct(company.ana)
    ref = f"{direct.id}:{slack.says(company.ana, direct, 'note to myself')}"
    assert (await desk.fetched(What.MESSAGE, ref, company.ana)).origins == frozenset()
    assert await desk.refused(What.MESSAGE, ref, company.ben) == "message_out_of_sight"


async def test_what_was_deleted_or_says_nothing_is_not_added(desk: Desk, slack: SlackServer, company: Company) -> None:
    ts = slack.says(company.ana, company.finance, "gone in a moment")
    ref = f"{company.finance.id}:{ts}"
    slack.deletes(company.ana, company.finance, ts)
    assert await desk.refused(What.THREAD, ref, company.ana) == "message_gone"
    assert await desk.refused(What.MESSAGE, ref, company.ana) == "message_gone"
    joined = slack.says(company.ana, company.finance, "has joined", subtype="channel_join")
    assert await desk.refused(What.MESSAGE, f"{company.finance.id}:{joined}", company.ana) == "message_empty"


async def test_a_thread_that_slack_gives_in_part_is_not_added(desk: Desk, slack: SlackServer, company: Company) -> None:
    slack.page_size = 2
    root = slack.says(company.ana, company.finance, "one")
    for text in ("two", "three"):
        slack.says(company.ana, company.finance, text, thread=root)
    ref = f"{company.finance.id}:{root}"
    slack.fail("conversations.replies", ratelimited=30, times=None)
    assert await desk.refused(What.THREAD, ref, company.ana) == "message_not_read"
    slack.recover()
    assert len((await desk.fetched(What.THREAD, ref, company.ana)).made_of) == 3


# -- links and pasted text -------------------------------------------------------------------------------------------


async def test_a_link_of_slacks_is_read_through_slack(
    desk: Desk, slack: SlackServer, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def fetch(url: str, settings: IndexerSettings) -> Original:
        asked.append(url)
        return Original(url, b"# A page", "page.html")

    monkeypatch.setattr(originals, "fetch_link", fetch)
    root = slack.says(company.ana, company.finance, "When?")
    reply = slack.says(company.ben, company.finance, "In May", thread=root)
    thread = await desk.fetched(What.LINK, slack.permalink_of(company.finance, root), company.ana)
    assert thread.made_of == place(company.finance, root, reply)
    single = await desk.fetched(What.LINK, slack.permalink_of(company.finance, reply), company.ana)
    assert single.original.source == f"slack:message:{company.finance.id}:{reply}"
    assert await desk.refused(What.LINK, slack.permalink_of(company.finance, root), company.gus)
    assert asked == []
    page = await desk.fetched(What.LINK, "https://docs.example.com/page", company.ana)
    assert (page.title, page.origins, page.made_of) == (None, frozenset(), ())
    assert asked == ["https://docs.example.com/page"]


async def test_pasted_text_is_the_persons_own(desk: Desk, company: Company) -> None:
    fetched = await desk.fetched(What.TEXT, "abc", company.ana, text="\n# Moves\n\nIt moved\ud800.")
    assert (fetched.original.source, fetched.original.name, fetched.title) == ("text:abc", "Moves.md", "Moves")
    assert text_of(fetched) == "\n# Moves\n\nIt moved?."
    assert (fetched.origins, fetched.made_of) == (frozenset(), ())
    titled = await desk.fetched(What.TEXT, "abc", company.ana, text="It moved.", title="Moves")
    assert (titled.title, titled.original.name, titled.original.data) == ("Moves", "Moves.md", b"It moved.")
