"""Whatever is added by whom, from where, by which way and for whom, and whatever happens meanwhile: no document reaches
further than what it is made of, and nobody is shown its title or its text who may not read it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import product

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from bot.slack.showing import actions
from indexer import Indexer
from tests.bot.slack.clicked import Slack
from tests.bot.slack.leaking import NAMES, PATIENCE, PLACES, arrived, forget_all, one_bot, settled
from tests.bot.slack.leaking_additions import Add, Adding, Gate, Sending, Tale, moving_of, watched
from tests.bot.slack.leaking_deeds import Change, Deed, changes, deeds
from tests.bot.slack.leaking_origins import Additions, Origin
from tests.claude_server import ClaudeServer, HonestAnswerer, Reply, Request, Text
from tests.claude_server.brains import found_in
from tests.fixtures.bot import own_library
from tests.slack_server import SlackServer

pytestmark = pytest.mark.anyio
library = own_library  # documents are added to it
people = one_bot

CASES = 175  # beside the examples
PHASES = (Phase.explicit, Phase.generate, Phase.shrink)


@dataclass(frozen=True)
class Case:
    """``tale`` is told, and added. ``before``, ``between`` telling and adding, while the form is ``open`` and while it
    is ``held`` up at the ``gate``, things change. A change may be about the
    ``adder`` and the ``origin``'s place. ``press``: which button of the message that moves is pressed then.

    ``again``: it is added once more, as it is or as a copy of the adder's own. ``look``: somebody looks for it.
    """

    who_may: str
    before: list[Change]
    tale: Tale
    between: list[Change]
    add: Add
    opened: list[Change]
    gate: str
    held: list[Change]
    press: int | None
    again: tuple[str, Add] | None
    after: list[Change]
    look: Deed


WAYS = ("form", "command", "shortcut", "forged", "request")
tales = st.builds(
    Tale,
    st.sampled_from(["own", "upload", "message", "message", "thread", "file", "file", "file_in_two", "answer"]),
    st.sampled_from([*PLACES, "finance", "finance", "direct"]),
    st.sampled_from(["Ana", "Ben", "Ana", "Ben", *NAMES]),
)
adds = st.builds(
    Add,
    st.sampled_from(["Ana", "Ana", "Ana", "Ben", *NAMES]),
    st.sampled_from(["form", "shortcut", *WAYS]),
    st.sampled_from([*PLACES, "direct"]),
    st.sampled_from(["message", "thread", "files"]),
    st.sampled_from(
        [
            *("proposed", "proposed", "proposed", "workspace", "workspace", "me", "me", "here", "origin", "origin"),
            *("everyone", "other", "thread", "nonsense", "general", "finance"),
        ]
    ),
    st.sampled_from([True, False, False, None]),
)
about_it = st.builds(
    Change,
    st.sampled_from(
        ["leave", "leave", "guest", "deactivate", "private", "private", "bot", "archive", "admin", "share"]
    ),
    st.just("adder"),
    st.just("origin"),
)
any_change = st.one_of(changes, about_it)
few, one_or_none = st.lists(any_change, max_size=2), st.lists(any_change, max_size=1)
seldom: st.SearchStrategy[list[Change]] = st.one_of(st.just([]), st.just([]), one_or_none)
cases = st.builds(
    Case,
    st.sampled_from(["employees", "employees", "employees", "admins", "everybody", "named"]),
    seldom,
    tales,
    seldom,
    adds,
    seldom,
    st.sampled_from(["fetch", "examine", "examine", "stored"]),
    st.one_of(st.just([]), st.lists(about_it, min_size=1, max_size=2), few),
    st.one_of(st.none(), st.integers(0, 5)),
    st.one_of(st.none(), st.none(), st.tuples(st.sampled_from(["same", "copy"]), adds)),
    one_or_none,
    deeds,
)


def examples(test: Callable[[Case], None]) -> Callable[[Case], None]:
    """What goes wrong soonest, once each: things change while it is looked at and while it is indexed."""
    look = Deed("mention", "Cara", "office", "Cara", 0)
    about = (("message", "office", "Cara"), ("file", "office", "Cara"), ("thread", "finance", "Ben"))
    changing = (("examine", "leave"), ("examine", "private"), ("examine", "bot"), ("stored", "leave"))
    for (what, place, author), (gate, change) in product((*about, ("answer", "finance", "Ben")), changing):
        audience = "origin" if place == "finance" else "workspace"
        add = Add("Ana", "shortcut", place, "files" if what == "file" else what, audience, titled=False)
        held = [Change(change, "adder", "origin")]
        case = Case("employees", [], Tale(what, place, author), [], add, [], gate, held, 1, None, [], look)
        test = example(case)(test)
    mine = Add("Ana", "shortcut", "finance", "message", "me", titled=False)
    gone = [Change("leave", "adder", "origin")]
    case = Case("employees", [], Tale("message", "finance", "Ben"), [], mine, [], "examine", gone, 0, None, [], look)
    test = example(case)(test)
    for what, titled, change in product(("answer", "message"), (False, None), ("leave", "bot")):
        mine = Add("Ana", "shortcut", "general", "message", "proposed", titled)
        held = [Change(change, "adder", "origin")]
        tale = Tale(what, "finance", "Ana")
        case = Case("employees", [], tale, [], mine, [], "fetch", held, None, None, [], look)
        test = example(case)(test)
    for way, audience in product(WAYS, ("proposed", "workspace", "me")):  # from a private channel into another one
        add = Add("Ana", way, "office", "message", audience, titled=False)
        case = Case("employees", [], Tale("message", "finance", "Ben"), [], add, [], "", [], 0, None, [], look)
        test = example(case)(test)
    return test


def tells_all_asked(request: Request) -> Reply:
    """Searches for what is asked, and then says every sentence that it was shown, with its citation."""
    if request.may_use_tools and not request.tool_results:
        return HonestAnswerer().search(request)
    found = {piece.text: piece for piece in found_in(request)}
    if not found:
        return Reply((Text("I found nothing on that."),))
    return Reply(tuple(Text(f"{piece.text.strip()} ", (piece.cite(),)) for piece in found.values()))


class Story:
    """One case, step by step; after each step nobody knows what they must not."""

    def __init__(self, case: Case, doing: Adding, gate: Gate, wrong: list[str], outcomes: Counter[str]) -> None:
        self.case = case
        self.doing = doing
        self.additions = doing.additions
        self.gate = gate
        self.wrong = wrong
        self.outcomes = outcomes

    async def happens(self) -> None:
        case, doing = self.case, self.doing
        await self._change(case.before)
        tale = replace(case.tale, author=case.add.by) if case.tale.what in ("own", "upload") else case.tale
        origin: Origin | None = None

        async def tell() -> None:
            nonlocal origin
            origin = await doing.tells(tale)

        await self._step(tell)
        if origin is None:
            return
        await self._change(case.between)
        await self._is_added(case.add, tale, origin, opened=case.opened, held=case.held)
        await self._presses(case.add)
        if case.again is not None:
            how, add = case.again
            if how == "copy" or origin.channel is None:
                tale, origin = self._copied(tale, origin, add)
            await self._is_added(add, tale, origin)
            await self._presses(add)
        await self._change(case.after)
        await self._presses(case.add)
        await self._step(lambda: doing.do(case.look))
        await self._step(lambda: doing.click(case.look))

    # -- steps -----------------------------------------------------------------------------------------------------

    async def _step(self, step: Callable[[], Awaitable[object]]) -> None:
        self.doing.readers = ()
        await step()
        assert self.wrong == []
        assert self.additions.new() == []
        assert self.additions.on_homes() == []
        assert self.additions.sent(self.doing.readers) == []

    def _meant(self, change: Change) -> Change:
        """A change with the names of those whom it is about."""
        person = self.case.add.by if change.person == "adder" else change.person
        origin = self.case.tale.place if self.case.tale.place in PLACES else self.case.add.at
        place = origin if change.place == "origin" else change.place
        return Change(change.what, person, place if place in PLACES else "office")

    async def _change(self, changes: list[Change]) -> None:
        for change in map(self._meant, changes):
            await self._step(lambda change=change: self.doing.change(change))  # type: ignore[misc]

    async def _is_added(
        self,
        add: Add,
        tale: Tale,
        origin: Origin,
        *,
        opened: list[Change] | None = None,
        held: list[Change] | None = None,
    ) -> None:
        doing = self.doing
        sending: Sending | None = None

        async def opens() -> None:
            nonlocal sending
            sending = await doing.opens(add, tale, origin)

        await self._step(opens)
        if sending is None:
            return
        await self._change(opened or [])
        self.gate.shut(self.case.gate if held else "")
        before = self.additions.stored

        async def goes() -> None:
            assert sending is not None
            taken = await sending.goes()
            await self._held_up()
            self.outcomes[f"{sending.way}: {'taken' if taken else 'not taken'}"] += 1

        await self._step(goes)
        if held:
            self.outcomes[f"held at {self.case.gate}"] += self.gate.reached.is_set()
            await self._change(held)
        self.gate.open()
        await self._step(doing.all_settled)
        self.outcomes["stored"] += self.additions.stored - before

    async def _held_up(self) -> None:
        """What is being added is held up at the gate, or is over."""
        if self.gate.point:
            work = asyncio.ensure_future(self.gate.reached.wait())
            over = asyncio.ensure_future(self.doing.all_settled())
            done, waiting = await asyncio.wait((work, over), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            for one in waiting:
                one.cancel()
            assert done, "it is neither held up nor over"
            await self.doing.quiet()
            await settled(self.doing.people)
        else:
            await self.doing.all_settled()

    def _copied(self, tale: Tale, origin: Origin, add: Add) -> tuple[Tale, Origin]:
        """The same text, as somebody's own, under another title."""
        person = self.additions.people[add.by]
        mine = self.additions.origin(person)
        origin.text.knowers.add(person.id)
        return Tale("own", tale.place, add.by), Origin(mine.title, origin.text)

    async def _presses(self, add: Add) -> None:
        """The adder presses a button of the message that moves."""
        person = self.additions.people[add.by]
        told = moving_of(self.doing, person)
        if self.case.press is None or told is None or person.deleted:
            return
        mine = [one for one in told.actions if one in PRESSED]
        if not mine:
            return
        action = mine[self.case.press % len(mine)]

        async def press() -> None:
            self.doing.readers = (person,)
            direct = self.doing.slack.direct(person)
            await arrived(self.doing.slack.clicks(person, direct, told.ts, action))
            await self.doing.all_settled()

        self.outcomes[action] += 1
        await self._step(press)


PRESSED = (
    actions.TRY_IT,
    actions.REMOVE_ADDED,
    actions.REPLACE_TWIN,
    actions.KEEP_BOTH,
    actions.GO_ON,
    actions.CANCEL_ADDING,
)


# The bot waits for random moments, in its own thread, while a case is made up in another.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.timeout(900)  # two hundred cases, each with the whole bot
async def test_whatever_is_added_reaches_nobody_whom_its_origin_does_not(
    people: Slack, slack: SlackServer, library: Indexer, claude: ClaudeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.brain = tells_all_asked
    additions = Additions(slack, claude)
    additions.found()
    await additions.hide(library)
    always = {one.id for one in await library.documents(slack.team_id, None)}
    loop = asyncio.get_running_loop()
    gate, outcomes = Gate(), Counter[str]()

    async def happens(case: Case) -> None:
        additions.begin()
        wrong.clear()
        named = ",".join(additions.people[name].id for name in ("Ana", "Gus"))
        additions.who_may = named if case.who_may == "named" else case.who_may
        people.bot.parts.settings.__dict__["who_may_add"] = additions.who_may  # what it is set to stays as it is
        forget_all(people.bot, additions)
        doing = Adding(people, additions)
        try:
            await Story(case, doing, gate, wrong, outcomes).happens()
        finally:
            gate.open()
            await doing.all_settled()
            for row in await library.attempts(slack.team_id):
                if row.document not in always:
                    await library.remove(slack.team_id, row.document)

    @settings(max_examples=CASES, suppress_health_check=list(HealthCheck), database=None, phases=PHASES)
    @given(cases)
    @examples
    def cases_happen(case: Case) -> None:
        asyncio.run_coroutine_threadsafe(happens(case), loop).result()

    with watched(library, additions, gate, monkeypatch) as wrong:
        await asyncio.to_thread(cases_happen)
    assert outcomes["stored"] >= 12, outcomes
    assert outcomes["held at examine"] >= 8, outcomes
    assert {f"{way}: taken" for way in WAYS} <= set(outcomes), outcomes
