"""People add documents in a company full of secrets: by every way there is, and by some that there should not be."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from bot.adding import Item, Request, What
from bot.slack.adding import adder as adding
from bot.slack.adding import originals
from bot.slack.showing import actions
from indexer import Audience, Indexer, Original
from tests.bot.slack.clicked import Slack
from tests.bot.slack.leaking import PATIENCE, WORDS, arrived, is_over, settled
from tests.bot.slack.leaking_deeds import Doing
from tests.bot.slack.leaking_origins import TOPIC, Adder, Additions, Origin
from tests.slack_server import JSON, Channel, Delivery, File, Message, Person

QUIET_SECONDS = 0.03


@dataclass(frozen=True)
class Tale:
    """What is told, and later added: ``what`` in ``place`` by ``author``."""

    what: str
    place: str
    author: str


@dataclass(frozen=True)
class Add:
    """``by`` adds it: by which ``way``, ``at`` which place, which ``part`` of it, for which ``audience``.

    ``titled``: by a title of their own, the one that is proposed, or (None) none at all.
    """

    by: str
    way: str
    at: str
    part: str
    audience: str
    titled: bool | None


class Gate:
    """Holds up what is being added, at one ``point``, until it is let through."""

    def __init__(self) -> None:
        self.point = ""
        self.reached = asyncio.Event()
        self._free = asyncio.Event()

    def shut(self, point: str) -> None:
        self.point = point
        self.reached.clear()
        self._free.clear()

    def open(self) -> None:
        self.point = ""
        self._free.set()

    async def passed(self, point: str) -> None:
        if point == self.point:
            self.reached.set()
            await self._free.wait()


@contextmanager
def watched(library: Indexer, additions: Additions, gate: Gate, patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is stored from now on is checked, and held up at the gate; what reaches too far comes into the list."""
    wrong: list[str] = []
    fetch, examine, add = originals.original_of, library.examine, library.add

    async def fetching(*arguments: Any, **more: Any) -> Any:
        await gate.passed("fetch")
        return await fetch(*arguments, **more)

    async def examining(*arguments: Any, **more: Any) -> Any:
        await gate.passed("examine")
        return await examine(*arguments, **more)

    async def storing(original: Original, *, audience: Audience, title: str | None = None, **more: Any) -> Any:
        wrong.extend(additions.stores(original, title, audience))
        added = await add(original, audience=audience, title=title, **more)
        await gate.passed("stored")
        return added

    with patch.context() as within:
        within.setattr(adding, "original_of", fetching)
        within.setattr(library, "examine", examining)
        within.setattr(library, "add", storing)
        yield wrong


class Adding(Doing):
    """Lets a case of adding happen. Everything that cannot happen does not."""

    secrets: Additions

    def __init__(self, people: Slack, additions: Additions) -> None:
        super().__init__(people, additions, TOPIC)
        self.additions = additions

    async def all_settled(self) -> None:
        """As ``settled``, and nothing is to be added or forgotten any more."""
        bot = self.people.bot
        ledger = bot.parts.ledger
        async with asyncio.timeout(PATIENCE):
            while True:
                await settled(self.people)
                await bot.adding.idle()
                if not (await ledger.unfinished_additions() or await ledger.to_forget()):
                    await settled(self.people)
                    return

    async def quiet(self) -> None:
        """Nothing is asked of Slack for a moment, while something is held up."""
        count = -1
        while count != len(self.slack.calls):
            count = len(self.slack.calls)
            await asyncio.sleep(QUIET_SECONDS)

    # -- telling ---------------------------------------------------------------------------------------------------

    async def tells(self, tale: Tale) -> Origin | None:
        """Somebody tells it, where they can; what is their own is told nowhere yet."""
        author: Person | None = self.secrets.people[tale.author]
        if author is not None and tale.what not in ("own", "upload") and tale.place != "direct":
            author = self._who_writes(author, self.secrets.places[tale.place])
        if author is None or author.deleted:
            return None
        place = self._place(tale.place, author)
        match tale.what:
            case "own" | "upload":
                return self.additions.origin(author)
            case "answer":
                return await self._is_answered(author, place)
        office = self.secrets.places["office"]
        more = [office] if tale.what == "file_in_two" and self.writes(author, office) else []
        origin = self.additions.origin(author, place, *more)
        if tale.what in ("file", "file_in_two"):
            origin.file = self.file(origin, author)
            origin.ts = self.slack.says(author, place, "Look at this.", files=[origin.file], deliver=())
            for other in more:
                self.slack.says(author, other, "And here.", files=[origin.file], deliver=())
        elif tale.what == "thread":
            origin.ts = self.slack.says(author, place, origin.first, deliver=())
            self.slack.says(author, place, origin.rest, thread=origin.ts, deliver=())
        else:
            origin.ts = self.slack.says(author, place, origin.told, deliver=())
        return origin

    async def _is_answered(self, author: Person, place: Channel) -> Origin | None:
        if self.slack.bot.id not in place.members:
            return None
        mention = "" if place.kind == "im" else "@Situate "
        self.readers = place
        ts = self.slack.says(author, place, f"{mention}What is the {WORDS}?")
        await self.slack.until(lambda: all(map(is_over, self.slack.deliveries)), PATIENCE, "the question to arrive")
        await settled(self.people)
        answers = self.slack.replies(place, ts)
        if not answers:
            return None
        origin = self.additions.origin(author, place)
        origin.ts = answers[-1].ts
        return origin

    def file(self, origin: Origin, author: Person) -> File:
        """A new file in which it stands."""
        text = f"# {origin.first}\n\n{origin.rest}\n".encode()
        return self.slack.file(f"{origin.title.words[0]}.md", text, by=author, mimetype="text/markdown")

    def _place(self, name: str, person: Person) -> Channel:
        return self.slack.direct(person) if name == "direct" else self.secrets.places[name]

    def _who_writes(self, person: Person, place: Channel) -> Person | None:
        """Somebody who can write there: this person, if they can."""
        everybody = [person, *self.secrets.people.values()]
        return next((one for one in everybody if self.writes(one, place)), None)

    def writes(self, person: Person, place: Channel) -> bool:
        return person.id in place.members and not person.deleted and not place.is_archived and not place.deleted

    # -- adding ----------------------------------------------------------------------------------------------------

    async def opens(self, add: Add, tale: Tale, origin: Origin) -> Sending | None:
        """The form is open, or what else there is to send in; None where there is no way."""
        person = self.secrets.people[add.by]
        at = self._place(add.at, person)
        if not self.writes(person, at):
            at = self.slack.direct(person)
        if not self.writes(person, at):
            return None
        sending = Sending(self, add, tale, origin, person, at)
        return sending if await sending.opens() else None


@dataclass
class Sending:
    """One thing on its way into the documents."""

    doing: Adding
    add: Add
    tale: Tale
    origin: Origin
    person: Person
    at: Channel

    async def opens(self) -> bool:
        """Open a form, where there is one to open; False where that is no way for this person."""
        slack = self.doing.slack
        match self.way:
            case "request" | "command":
                return True
            case "form":
                await arrived(slack.commands(self.person, self.at, "/docs", "add"))
            case way:
                place, ts = self.origin.channel or self.at, self.origin.ts
                if way == "forged":
                    place, ts = self.at, slack.says(self.person, self.at, "Nothing to see.", deliver=())
                name = actions.SAVE_REPLY if self.tale.what == "answer" else actions.ADD_MESSAGE
                await arrived(slack.uses_shortcut(self.person, place, ts, name))
        await settled(self.doing.people)
        view = slack.view(self.person)
        return view is not None and bool(view.content.get("submit"))

    @property
    def way(self) -> str:
        """How it is done: where it is not possible as it is wanted, in another way."""
        if self.origin.channel is None:
            return "request" if self.add.way == "request" else "form"
        sees_it = self.person.id in self.origin.channel.members and not self.origin.channel.deleted
        return "forged" if self.add.way == "shortcut" and not sees_it else self.add.way

    @property
    def is_own(self) -> bool:
        return self.origin.channel is None

    async def goes(self) -> bool:
        """Send it in; True where it was taken."""
        if self.person.deleted:
            return False
        pasted = self.is_own and self.person.id in self.origin.text.knowers
        place = self.origin.channel
        standing = place.id if self.tale.what == "answer" and place is not None and place.kind != "im" else ""
        self.doing.additions.chooses(Adder(self.person, pasted, standing))
        if self.way == "shortcut":  # on what they see
            self.origin.title.named_by.add(self.person.id)
        match self.way:
            case "request":
                return await self._requests()
            case "command":
                title = " A title" if self.add.titled else ""
                await arrived(self.doing.slack.commands(self.person, self.at, "/docs", f"add {self._link()}{title}"))
                return True
        await arrived(self._submits())
        return self.doing.slack.view(self.person) is None

    async def _requests(self) -> bool:
        """As if the form had let everything through."""
        bot = self.doing.people.bot
        id = self.doing.slack.new_id("request")
        team = self.person.team
        request = Request(
            id, self.doing.slack.team_id, self.person.id, (self._item(),), self.audience(), self.at.id, user_team=team
        )
        assert await bot.adding.take(request)
        bot.adding.begin(request)
        return True

    def _submits(self) -> Delivery:
        view = self.doing.slack.view(self.person)
        assert view is not None
        values: JSON = {} if self.add.titled is False else {actions.TITLE_BLOCK: "A title" if self.add.titled else ""}
        if self.way == "form":
            values |= self._own_fields()
        elif self.way == "shortcut" and f"'value': '{self.add.part}'" in str(view.blocks):
            values[actions.WHAT_BLOCK] = self.add.part
        audience = self.audience()
        offered = f"'value': '{audience}'" in str(view.blocks)
        if audience and offered:
            values[actions.AUDIENCE_BLOCK] = audience
        forges = self.way == "forged" or (audience and not offered)
        return self.doing.slack.submits(
            self.person, values, forged=(lambda view: self._forges(view, audience)) if forges else None
        )

    def _forges(self, view: JSON, audience: str) -> None:
        if audience:
            chosen = {"type": "radio_buttons", "selected_option": {"value": audience}}
            view["state"]["values"][actions.AUDIENCE_BLOCK] = {actions.AUDIENCE_BLOCK: chosen}
        if self.way != "forged" or self.origin.channel is None:
            return
        kept = json.loads(view["private_metadata"])
        if self.origin.file is not None:
            kept["files"] = [[self.origin.file.id, "a file"]]
        if self.origin.file is None or self.add.part != "files":
            kept |= {"channel": self.origin.channel.id, "message": self.origin.ts, "thread": self.origin.ts}
        view["private_metadata"] = json.dumps(kept)
        chosen = {"type": "radio_buttons", "selected_option": {"value": self.add.part}}
        view["state"]["values"][actions.WHAT_BLOCK] = {actions.WHAT_BLOCK: chosen}

    def _own_fields(self) -> JSON:
        if not self.is_own:
            return {actions.LINK_BLOCK: self._link()}
        if self.tale.what == "upload" and self.person.id == self.origin.text.audience.id:
            file = self.doing.file(self.origin, self.person)
            return {actions.FILES_BLOCK: [file]}
        return {actions.TEXT_BLOCK: self.origin.told}

    def _link(self) -> str:
        slack, file = self.doing.slack, self.origin.file
        if file is not None:
            return f"https://situate.example/files/{file.user}/{file.id}/"
        assert self.origin.channel is not None
        return slack.permalink_of(self.origin.channel, self.origin.ts)

    def _item(self) -> Item:
        title = "A title" if self.add.titled else None
        if self.origin.file is not None:
            return Item(What.FILE, self.origin.file.id, "a file", title=title)
        if self.origin.channel is None:
            return Item(What.TEXT, self.doing.slack.new_id("text"), "a text", self.origin.told, title)
        if self.add.part == "files":
            return Item(What.LINK, self._link(), "a link", title=title)
        what = What.THREAD if self.add.part == "thread" else What.MESSAGE
        return Item(what, f"{self.origin.channel.id}:{self.origin.ts}", "a message", title=title)

    def audience(self) -> str:
        """What is chosen, as text; "" for what is proposed."""
        places, people = self.doing.secrets.places, self.doing.secrets.people
        other = people["Ben" if self.add.by != "Ben" else "Ana"]
        origin = self.origin.channel or self.at
        match self.add.audience:
            case "proposed":
                return ""
            case "workspace" | "everyone" as named:
                return named
            case "nonsense":  # the form alone takes any text
                return "everyone" if self.way == "request" else "all:of:them"
            case "me" | "other" as whose:
                return f"user:{self.person.id if whose == 'me' else other.id}"
            case "thread":
                return f"thread:{origin.id}-{self.origin.ts or '1700000000.000100'}"
            case "here" | "origin" as where:
                return f"channel:{self.at.id if where == 'here' else origin.id}"
        return f"channel:{places[self.add.audience].id}"


def moving_of(doing: Adding, person: Person) -> Message | None:
    """The message that tells a person of what they add, the newest one."""
    direct = doing.slack.direct(person)
    told = [one for one in doing.slack.messages(direct) if one.user == doing.slack.bot.id and one.actions]
    return told[-1] if told else None
