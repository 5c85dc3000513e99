"""Whoever is where, whatever changes, whoever asks, clicks, shares or looks: nobody is shown the title or the text of
what they may not read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from indexer import Indexer
from tests.bot.slack.clicked import Slack
from tests.bot.slack.leaking import Secrets, forget_all, one_bot, tells_all
from tests.bot.slack.leaking_deeds import Change, Deed, Doing, changes, deeds
from tests.claude_server import ClaudeServer
from tests.fixtures.bot import own_library
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it
people = one_bot

CASES = 500
LOOKUPS = ["users.info", "users.conversations", "conversations.info", "conversations.members", "users.list"]

cases = st.tuples(
    st.lists(changes, max_size=3),
    deeds,
    st.lists(changes, max_size=2),
    st.one_of(st.none(), deeds),
    st.one_of(st.just(()), st.just(()), st.lists(st.sampled_from(LOOKUPS), max_size=2)),
)
Case = tuple[list[Change], Deed, list[Change], Deed | None, Any]


# The bot waits for random moments, in its own thread, while a case is made up in another.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.timeout(900)  # five hundred cases, each with the whole bot
async def test_whatever_happens_nobody_is_shown_what_they_may_not_read(
    people: Slack, slack: SlackServer, library: Indexer, claude: ClaudeServer
) -> None:
    claude.brain = tells_all
    secrets = Secrets(slack, claude)
    secrets.found()
    await secrets.hide(library)
    loop = asyncio.get_running_loop()

    async def happens(case: Case) -> None:
        before, first, between, second, fails = case
        secrets.reset()
        forget_all(people.bot, secrets)
        doing = Doing(people, secrets)
        steps: list[Callable[[], Awaitable[None]]] = [lambda one=one: doing.change(one) for one in before]  # type: ignore[misc]
        steps += [lambda: doing.do(first)]
        steps += [lambda one=one: doing.change(one) for one in between]  # type: ignore[misc]
        steps += [lambda: doing.click(first)]
        if second is not None:
            steps += [lambda: doing.do(second), lambda: doing.click(second)]
        for method in fails:
            slack.fail(method, error="fatal_error", times=None)
        try:
            for step in steps:
                doing.readers = ()
                await step()
                assert secrets.new() == []
                assert secrets.sent(doing.readers) == []
                assert secrets.on_homes() == []
        finally:
            slack.recover()

    @settings(max_examples=CASES, suppress_health_check=list(HealthCheck), database=None)
    @given(cases)
    @example(([], Deed("mention", "Ana", "office", "Cara", 0), [Change("guest", "Cara", "office")], None, ()))
    @example(([], Deed("mention", "Ana", "office", "Gus", 0), [Change("join", "Gus", "office")], None, ()))
    @example(([], Deed("search", "Ana", "office", "Ana", 0), [Change("leave", "Ana", "finance")], None, ()))
    @example(([], Deed("home", "Ana", "direct", "Ana", 0), [Change("bot", "Ana", "finance")], None, ()))
    def cases_happen(case: Case) -> None:
        asyncio.run_coroutine_threadsafe(happens(case), loop).result()

    await asyncio.to_thread(cases_happen)
    shown = {audience for _, audience in secrets.seen}
    never = {f"user:{secrets.people['Olga'].id}"}  # people of other organisations have none of their own
    assert shown <= {str(one.audience) for one in secrets.documents} - never
    assert {"workspace", "everyone"} < shown, "who may read is shown something, too"
