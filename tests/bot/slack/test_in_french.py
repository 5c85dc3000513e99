"""Who reads French in Slack reads French from the app, all over; and the Messages tab suggests what to ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from bot.slack.app import SlackBot
from bot.texts import TEXTS
from indexer import Indexer
from tests.bot.slack.clicked import Slack, document
from tests.bot.slack.whole import QUESTION
from tests.claude_server import OVERLOADED, ClaudeServer, calls, says
from tests.fixtures.bot import own_library
from tests.fixtures.slack import Company
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it


PLAN = b"# Plan\n\nLe bureau de Lisbonne part en juin.\n"
KYOTO = "# Guide de Kyoto\n\nUne nuit coûte 160 euros.\n"


@pytest.fixture
def people(slack: SlackServer, answering: SlackBot) -> Slack:
    return Slack(slack, answering)


def english_left_over(shown: str) -> list[str]:
    """Keys of English texts that stand in what is shown, fields aside."""
    found = []
    for key, (english, french) in TEXTS.items():
        for form in english.split("|"):
            pattern = ".+?".join(re.escape(piece) for piece in re.split(r"\{\w+\}", form))
            fixed = len(re.sub(r"\{\w+\}", "", form))
            tells = fixed > (3 if "{" not in form else 8)  # "on {date}" is in any English document
            if english != french and tells and re.search(rf"(?<!\w){pattern}(?!\w)", shown):
                found.append(key)
    return found


def everything(slack: SlackServer) -> Iterator[str]:
    """All that the app has shown so far, messages and forms, as it was at each moment."""
    for message in [m for channel in slack.channels.values() for m in channel.messages.values()]:
        if message.user == slack.bot.id:
            yield from (shown for _, shown in message.history)
            yield message.text
    for message in slack.ephemeral:
        yield from (shown for _, shown in message.history)
        yield message.text
    yield from (status.text for status in slack.statuses if status.how == "status")


async def test_nothing_english_is_left_in_anything_that_the_app_shows(
    people: Slack, company: Company, slack: SlackServer, claude: ClaudeServer, library: Indexer
) -> None:
    ben, office, direct = company.ben, company.office, slack.direct(company.ben)
    slack.may_ping(ben, company.ana)
    shown: list[str] = []

    def look() -> None:
        view = slack.view(ben)
        if view is not None:
            shown.append(view.shown)
            slack.closes(ben)

    answer = await people.asks(ben, office, QUESTION)
    for action in ("show_passages", "feedback_good", "feedback_bad"):
        await people.clicks(ben, office, answer.ts, action)
        look()
    (mute,) = answer.options("more")
    await people.clicks(ben, office, answer.ts, "more", option=mute)
    await people.clicks(ben, office, slack.ephemerals(ben)[-1].ts, "unmute")

    await people.asks(ben, company.general, QUESTION)  # a guest is there
    await people.asks(ben, office, "")
    (private,) = await people.commands(ben, office, QUESTION)
    await people.clicks(ben, office, private.ts, "share")
    await slack.commands(ben, office, "/ask", "").arrives()
    await slack.commands(ben, office, "/other", "x").arrives()

    async with document(library, slack.team_id, KYOTO, name="kyoto.md", by=company.ana):
        claude.script(calls("search_documents", query="Kyoto nuit"), says("Je n'ai rien trouvé à ce sujet."))
        nothing = await people.asks(ben, office, "Combien coûte une nuit à Kyoto ?")
        await people.clicks(ben, office, nothing.ts, "ask_person")

    claude.fail(OVERLOADED, times=None)
    trouble = await people.asks(ben, office, QUESTION)
    claude.recover()
    await people.clicks(ben, office, trouble.ts, "try_again")

    files = [slack.file("plan.md", PLAN, by=ben), slack.file("vide.md", b"", by=ben)]
    read = await people.asks(ben, direct, "Quand part le bureau ?", files=files)
    await people.clicks(ben, direct, read.ts, "add_file")
    edited = await people.asks(ben, office, QUESTION)
    slack.edits(ben, office, edited.root, "@Situate What did the incident cost?")
    await slack.until(lambda: len(slack.replies(office, edited.root)) == 2)
    await people.idle()

    # Ana is asked in her own language, and English is what she reads.
    shown += [text for text in everything(slack) if "asks you, because" not in text]
    assert english_left_over("Searched “x” · Mute this thread") == ["mute_thread", "searched_for"]
    for text in shown:
        assert english_left_over(text) == [], text
    assert sum("Sources" in text for text in shown) > 3
    for one in await library.documents(slack.team_id, None):
        if one.title == "plan.md":
            await library.remove(slack.team_id, one.id)


async def test_opening_the_messages_tab_suggests_what_to_ask_in_the_persons_language(
    people: Slack, company: Company, slack: SlackServer
) -> None:
    for person, first in ((company.ana, "What is new"), (company.ben, "Quoi de neuf")):
        await slack.opens_messages_tab(person).arrives()
        await people.idle()
        prompts = slack.suggested_prompts[slack.direct(person).id]
        assert 1 < len(prompts) <= 4
        assert prompts[0]["title"] == first
    assert all("thread_ts" not in call.args for call in slack.called("assistant.threads.setSuggestedPrompts"))


async def test_the_home_tab_and_odd_events_suggest_nothing(people: Slack, company: Company, slack: SlackServer) -> None:
    await slack.raw_event({"type": "app_home_opened", "user": company.ana.id, "tab": "home", "channel": "D1"}).arrives()
    await slack.raw_event({"type": "app_home_opened"}).arrives()
    await people.idle()
    assert slack.suggested_prompts == {}
