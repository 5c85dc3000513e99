"""Show passages: the form opens at once, and shows whoever clicks what they may read at that moment, and no more."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from bot.slack.app import SlackBot
from bot.slack.passages import passages_of
from bot.texts import ENGLISH
from indexer import Audience, Context, ContextKind, Indexer, WeaviateUnavailable
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.whole import QUESTION, QUOTE
from tests.claude_server import OVERLOADED, ClaudeServer, Reply, Request, Text, ToolUse
from tests.claude_server.brains import found_in, query_field, search_tool
from tests.fixtures.bot import own_library
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer
from tests.slack_server.rendering import nodes

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it


RISE = "The salaries in the Lisbon office rise by seven percent in spring."
SECRET = f"# Salary Plan\n\n## Raises\n\n{RISE}\n"
SALARIES = "By how much do the salaries in the Lisbon office rise?"
NOT_SHOWN = "removed or replaced, or you may not read"


def goes_on_from_what_it_read(request: Request) -> Reply:
    """Searches for the salaries, then for what it read of them and more, and cites a sentence on each."""
    tool = search_tool(request)
    queries = (SALARIES, f"{QUESTION} Was it Lisbon?")
    if (searched := len(request.turns) // 2) < len(queries):
        return Reply((ToolUse(tool["name"], {query_field(tool): queries[searched]}),))
    cited = [piece for piece in found_in(request) if piece.text.strip() in (QUOTE, RISE)]
    return Reply(tuple(Text(f"{piece.text.strip()} ", (piece.cite(),)) for piece in cited))


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


async def test_the_quote_is_set_off_and_how_it_was_found_is_told(people: Slack, company: Company) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)
    await people.clicks(company.ben, company.office, answer.ts, "show_passages")
    view = await people.form(company.ben, without="Je cherche")
    bold = [node["text"] for node in nodes(view.blocks) if node.get("style") == {"bold": True}]
    assert QUOTE in bold
    assert any(node["type"] == "rich_text_quote" for node in nodes(view.blocks) if "type" in node)
    assert "Annual Review 2023" in view.shown
    assert "Trouvé par" in view.shown  # Ben reads French
    assert "INC-2023-04-011" in view.shown
    assert "Contexte, d'après le titre et les intertitres" in view.shown


async def test_why_it_was_found_is_told_as_whoever_clicks_finds_it(people: Slack, company: Company) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    shown = (await people.form(company.ana)).shown
    assert "ⓘ Found by meaning (1st) and by the words “INC-2023-04-011" in shown
    assert "Ranks are among the passages that you can read now." in shown


async def test_where_the_index_does_not_tell_why_what_was_kept_of_the_searches_does(
    people: Slack, company: Company, library: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)

    async def away(*arguments: object, **options: object) -> object:
        raise WeaviateUnavailable("The database does not answer.")

    monkeypatch.setattr(library, "explain", away)
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    shown = (await people.form(company.ana)).shown
    assert QUOTE in shown
    assert "ⓘ Found by" in shown
    assert "Ranks are among" not in shown


async def test_neighbours_stand_in_grey_beside_the_passage(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    filler = "\n\n".join(
        f"Paragraph {n} of the plan is about lamp number {n} in the old harbour hall." for n in range(60)
    )
    text = f"# Lamp Plan\n\n{filler}\n\nThe zephyr lamp is to be moved on 3 May.\n\n{filler}\n"
    async with document(library, slack.team_id, text, name="lamps.md"):
        answer = await people.asks(company.ana, company.office, "When is the zephyr lamp moved?")
        await people.clicks(company.ana, company.office, answer.ts, "show_passages")
        view = await people.form(company.ana)
    assert ("Lamp Plan", "https://docs.example.com/lamps.md") in view.links
    grey = [element["text"] for block in view.blocks if block["type"] == "context" for element in block["elements"]]
    assert any("old harbour hall" in text and not text.startswith("ⓘ") for text in grey)
    assert any(text.startswith("ⓘ Found") for text in grey)


async def test_a_context_that_a_program_wrote_is_marked_so(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)
    passages = library.passages

    async def generated(*arguments: object) -> object:
        context = Context("This is about the outage of April.", ContextKind.GENERATED)
        return [replace(one, context=context) for one in await passages(*arguments)]  # type: ignore[arg-type]

    monkeypatch.setattr(library, "passages", generated)
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    view = await people.form(company.ana)
    assert "Context, written by a program when it was indexed: This is about the outage of April." in view.shown


async def test_the_form_opens_within_its_three_seconds_however_slow_lookups_are(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)
    people.bot.parts.directory.forget_person(company.ana.id)
    slack.slow("users.info", 1.5)
    slack.slow("users.conversations", 1.5)
    before = time.monotonic()
    slack.clicks(company.ana, company.office, answer.ts, "show_passages")
    await slack.until(lambda: slack.view(company.ana))
    assert time.monotonic() - before < 1.4
    assert "Fetching the passages" in slack.view(company.ana).shown  # type: ignore[union-attr]
    assert QUOTE in (await people.form(company.ana)).shown
    await people.idle()


async def test_who_may_not_read_a_source_sees_nothing_of_it_titles_included(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    """A guest who came later, an outsider in a channel that was shared since, somebody who left."""
    answer = await people.asks(company.ana, company.office, QUESTION)
    for person in (company.gus, company.olga):
        slack.joins(person, company.office)
        await people.clicks(person, company.office, answer.ts, "show_passages")
        view = await people.form(person)
        assert NOT_SHOWN in view.shown
        assert "Annual Review" not in str(view.content)
        assert "certificate" not in str(view.content)


async def test_who_left_the_channel_sees_nothing_of_its_documents(
    people: Slack, company: Company, library: Indexer, slack: SlackServer
) -> None:
    audience = Audience("channel", company.finance.id)
    async with document(library, slack.team_id, SECRET, name="salaries.md", audience=audience):
        answer = await people.asks(company.ana, company.finance, SALARIES)
        assert "seven percent" in answer.shown
        await people.clicks(company.ana, company.finance, answer.ts, "show_passages")
        assert "seven percent" in (await people.form(company.ana)).shown
        stored = await people.answer(answer)
        view = str(await passages_of(people.bot.parts, stored.id, company.ben.id, ENGLISH))
        assert "seven percent" in view
        slack.leaves(company.ben, company.finance)
        await people.idle()
        view = str(await passages_of(people.bot.parts, stored.id, company.ben.id, ENGLISH))
        assert NOT_SHOWN in view
        assert "Salary Plan" not in view


async def test_a_search_that_speaks_of_what_somebody_may_not_read_is_not_told_them(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, claude: ClaudeServer
) -> None:
    claude.brain = goes_on_from_what_it_read
    audience = Audience("channel", company.finance.id)
    async with document(library, slack.team_id, SECRET, name="salaries.md", audience=audience):
        answer = await people.asks(company.ana, company.finance, QUESTION)
        stored = await people.answer(answer)
        assert len(stored.searches) == 2
        view = str(await passages_of(people.bot.parts, stored.id, company.ben.id, ENGLISH))
        assert f"Found for “{QUESTION} Was it Lisbon?”" in view
        assert "Annual Review 2023" in view
        slack.leaves(company.ben, company.finance)
        await people.idle()
        view = str(await passages_of(people.bot.parts, stored.id, company.ben.id, ENGLISH))
        assert "Annual Review 2023" in view
        assert "ⓘ Found by" in view
        assert "Salary Plan" not in view
        assert "Lisbon" not in view


@pytest.mark.parametrize("change", ["removed", "replaced"])
async def test_what_was_removed_or_replaced_is_not_shown(
    people: Slack, company: Company, library: Indexer, slack: SlackServer, change: str
) -> None:
    async with document(library, slack.team_id, SECRET, name="salaries.md") as there:
        answer = await people.asks(company.ana, company.office, SALARIES)
        assert "seven percent" in answer.shown
        if change == "removed":
            await library.remove(slack.team_id, there)
        else:
            async with document(library, slack.team_id, SECRET.replace("seven", "nine"), name="salaries.md"):
                await people.clicks(company.ana, company.office, answer.ts, "show_passages")
        if change == "removed":
            await people.clicks(company.ana, company.office, answer.ts, "show_passages")
        view = await people.form(company.ana)
        assert NOT_SHOWN in view.shown
        assert "Salary Plan" not in str(view.content)


async def test_where_slack_does_not_tell_who_may_read_nothing_is_shown_and_that_is_said(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)
    slack.fail("users.conversations", error="internal_error", times=None)
    people.bot.parts.directory.forget_person(company.ana.id)
    slack.fail("users.info", error="internal_error", times=None)
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    view = await people.form(company.ana)
    assert "I cannot check right now who may read what." in view.shown
    assert "ref" in view.shown
    assert "Annual Review" not in str(view.content)


async def test_an_answer_that_is_kept_no_more_and_trouble_of_ours_are_told_in_the_form(
    people: Slack, company: Company, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)

    async def gone(id: str) -> None:
        return None

    async def broken(id: str) -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(people.bot.parts.ledger, "answer", gone)
        await people.clicks(company.ana, company.office, answer.ts, "show_passages")
        assert "not kept any more" in (await people.form(company.ana)).shown
    slack.closes(company.ana)
    monkeypatch.setattr(people.bot.parts.ledger, "answer", broken)
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    assert "Something went wrong on our side." in (await people.form(company.ana)).shown


async def test_a_form_that_slack_does_not_open_is_told_beside_the_answer(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    answer = await people.asks(company.ana, company.office, QUESTION)
    slack.fail("views.open", error="expired_trigger_id")
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    assert "Click again" in people.told(company.ana)


async def test_passages_in_place_of_an_answer_are_shown_as_well(
    people: Slack, company: Company, claude: ClaudeServer
) -> None:
    claude.fail(OVERLOADED, times=None)
    answer = await people.asks(company.ana, company.office, QUESTION)
    claude.recover()
    assert "Here are the passages that I found." in answer.shown
    await people.clicks(company.ana, company.office, answer.ts, "show_passages")
    assert QUOTE in (await people.form(company.ana)).shown
