"""The bot's own answers as documents: whole, with their sources, and for nobody who could not have had the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adding import What
from bot.answering.events import Kind
from bot.ledger import StoredHit
from bot.texts import TEXTS
from indexer import WORKSPACE, Audience, DocumentId, VersionId
from tests.bot.slack.fetching_desk import Desk, open_desk, place, text_of
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(slack: SlackServer, tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(slack, tmp_path) as desk:
        yield desk


async def test_an_answer_is_kept_whole_under_its_question_without_markers_and_with_its_sources(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    desk.shelf.audiences = {"review": WORKSPACE, "budget": Audience("channel", company.finance.id)}
    root = slack.says(company.ana, company.finance, "@Situate When was it?")
    first, second = [await desk.posts(company.finance, text, root) for text in ("a part", "another part")]
    await desk.keeps(company.finance, root, company.ana, "In May. [1][2]", ("review", "budget"), (first, second))
    fetched = await desk.fetched(What.MESSAGE, f"{company.finance.id}:{second}", company.ana)
    assert (fetched.title, fetched.original.name) == ("When was it?", "When was it?.md")
    assert text_of(fetched).splitlines() == [
        "# When was it?",
        "",
        "In May.",
        "",
        "Sources:",
        "",
        "- Review › Incidents, p. 14 · 30 Jan 2024",
        "- Budget › Incidents, p. 14 · 30 Jan 2024",
    ]
    assert set(fetched.made_of) == set(place(company.finance, first, second))
    assert fetched.made_from == {WORKSPACE, Audience("channel", company.finance.id)}
    assert fetched.origins == {company.finance.id}
    thread = await desk.fetched(What.THREAD, f"{company.finance.id}:{root}", company.ben)
    assert text_of(thread).count("In May.") == 1
    assert "[1]" not in text_of(thread)
    assert "part" not in text_of(thread)
    assert set(thread.made_of) == set(place(company.finance, root, first, second))
    assert thread.made_from == fetched.made_from


async def test_an_answer_rests_also_on_what_was_said_before_it(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    direct = slack.direct(company.ana)
    private = Audience("channel", company.finance.id)
    desk.shelf.audiences = {"review": WORKSPACE, "budget": private}
    root = slack.says(company.ana, direct, "What is in the budget?")
    fields = {"audiences": ("workspace", str(private), f"user:{company.ana.id}")}
    await desk.answers(direct, root, company.ana, "90,000 euros. [1]", "budget", **fields)
    later = await desk.answers(direct, root, company.ana, "As I said, that much. [1]", "review", **fields)
    fetched = await desk.fetched(What.MESSAGE, f"{direct.id}:{later.messages[0]}", company.ana)
    assert fetched.made_from == {WORKSPACE, private}
    assert fetched.origins == frozenset()


async def test_an_answer_that_quotes_what_one_may_not_read_is_not_kept(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    direct = slack.direct(company.ben)
    private = Audience("channel", company.finance.id)
    desk.shelf.audiences = {"budget": private}
    root = slack.says(company.ben, direct, "What is in the budget?")
    fields = {"audiences": ("workspace", str(private))}
    answer = await desk.answers(direct, root, company.ben, "90,000 euros. [1]", "budget", **fields)
    ref = f"{direct.id}:{answer.messages[0]}"
    assert await desk.fetched(What.MESSAGE, ref, company.ben)
    slack.leaves(company.ben, company.finance)
    assert await desk.refused(What.MESSAGE, ref, company.ben) == "answer_outdated"
    thread = text_of(await desk.fetched(What.THREAD, f"{direct.id}:{root}", company.ben))
    assert "90,000" not in thread
    assert "Budget" not in thread
    assert TEXTS["answer_left_out"][1] in thread  # Ben reads French


async def test_a_document_that_went_narrows_what_was_made_from_it_or_with_it(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    desk.shelf.audiences = {"review": WORKSPACE}
    root = slack.says(company.ana, company.finance, "@Situate When was it?")
    answer = await desk.answers(company.finance, root, company.ana, "In May. [1]", "review")
    more = StoredHit(DocumentId("removed"), VersionId("removed.1"), 0, "Removed", 0.5)
    await desk.parts.ledger.keep(replace(answer, hits=(*answer.hits, more)))
    ref = f"{company.finance.id}:{answer.messages[0]}"
    fetched = await desk.fetched(What.MESSAGE, ref, company.ana)
    assert fetched.made_from == {WORKSPACE, Audience("channel", company.finance.id)}
    desk.shelf.audiences = {}
    assert await desk.refused(What.MESSAGE, ref, company.ana) == "answer_outdated"


async def test_what_one_person_alone_was_told_limits_nobody_elses_answers(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    desk.shelf.audiences = {"review": WORKSPACE, "diary": Audience("user", company.ben.id)}
    root = slack.says(company.ana, company.finance, "@Situate When was it?")
    await desk.keeps(company.finance, root, company.ben, "Privately.", ("diary",), (), private=True)
    answer = await desk.answers(company.finance, root, company.ana, "In May. [1]", "review")
    fetched = await desk.fetched(What.MESSAGE, f"{company.finance.id}:{answer.messages[0]}", company.ana)
    assert fetched.made_from == {WORKSPACE}


async def test_notices_of_the_bots_are_no_answers(desk: Desk, slack: SlackServer, company: Company) -> None:
    desk.shelf.audiences = {"review": WORKSPACE}
    root = slack.says(company.ana, company.finance, "@Situate When was it?")
    notice = await desk.posts(company.finance, "I am looking …", root)
    helped = await desk.answers(company.finance, root, company.ana, "Ask me.", kind=str(Kind.HELP))
    old = await desk.answers(company.finance, root, company.ana, "In June. [1]", "review", replaced_by="another")
    found = {
        await desk.refused(What.MESSAGE, f"{company.finance.id}:{ts}", company.ana)
        for ts in (notice, helped.messages[0])
    }
    assert found == {"nothing_to_keep"}
    ref = f"{company.finance.id}:{old.messages[0]}"
    assert await desk.refused(What.MESSAGE, ref, company.ana) == "answer_was_replaced"
    thread = await desk.fetched(What.THREAD, f"{company.finance.id}:{root}", company.ana)
    assert text_of(thread).count("UTC): ") == 1
    assert thread.made_of == place(company.finance, root)


async def test_an_answer_that_was_shared_is_kept_from_where_it_was_shared(
    desk: Desk, slack: SlackServer, company: Company
) -> None:
    desk.shelf.audiences = {"review": WORKSPACE}
    shared = await desk.posts(company.finance, "as Slack shows it")
    await desk.keeps(
        company.finance, "command-1", company.ana, "In May. [1]", ("review",), (shared,), thread="", private=True
    )
    fetched = await desk.fetched(What.MESSAGE, f"{company.finance.id}:{shared}", company.ben)
    assert "In May.\n" in text_of(fetched)
    assert fetched.made_from == {WORKSPACE}
