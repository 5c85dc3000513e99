"""A company full of secrets, each document with one in its title and one in its text, and who may truly know which."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from bot.slack import desk
from bot.slack.adding import desk as adding_desk
from bot.slack.adding import moving
from bot.slack.app import SlackBot
from indexer import EVERYONE, WORKSPACE, Audience, Indexer, Original
from tests.bot.slack.clicked import Slack
from tests.bot.slack.whole import Clocks, texts_of
from tests.claude_server import ClaudeServer, Reply, Request, Text, ToolUse
from tests.claude_server.brains import found_in, query_field, search_tool
from tests.fixtures.bot import StartBot
from tests.fixtures.indexer import followed
from tests.slack_server import Channel, Delivery, Message, Person, SlackServer, View

WORDS = "harbour code"
NAMES = ("Ana", "Ben", "Cara", "Dan", "Gus", "Olga")
PLACES = ("office", "general", "finance", "shared", "trio")
PATIENCE = 30.0  # seconds: what did not arrive over a socket that was given up comes again after three


def tells_all(request: Request) -> Reply:
    """Searches twice, the second time for what it read, and then says all that it was shown, with its citations."""
    found = {piece.text: piece for piece in found_in(request)}
    searches = sum(block["type"] == "tool_use" for turn in request.turns for block in turn["content"])
    if request.may_use_tools and (not searches or (found and searches < 2)):
        read = [text.split()[-1] for text in found if WORDS in text]
        tool = search_tool(request)
        return Reply((ToolUse(tool["name"], {query_field(tool): " ".join([*read[:6], WORDS])}),))
    if not found:
        return Reply((Text("I found nothing on that."),))
    return Reply(tuple(Text(f"{piece.text.strip()} ", (piece.cite(),)) for piece in found.values()))


@pytest.fixture
async def one_bot(another_bot: StartBot, slack: SlackServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Slack]:
    """One bot for all cases; it is built once, which takes longer than a case."""
    clocks = Clocks(monkeypatch)
    clocks.of_messages("update_every", 0.005)
    monkeypatch.setattr(moving, "UPDATE_SECONDS", 0.01)
    for one in (desk, adding_desk):
        for name in ("LOOK_SECONDS", "BEAT_SECONDS", "TAKE_OVER_SECONDS"):  # nobody else answers here
            monkeypatch.setattr(one, name, 2.0, raising=False)
    slack.expect_violations("*")  # what befalls an app whose channels are taken away from under it
    slack.may_ping()
    slack.clock_factor = 0.05  # what a closed socket lost comes again after 3 and 15 seconds
    slack.stream_seconds /= slack.clock_factor  # streams live as long as ever
    async with another_bot(ask_command="/ask") as bot:
        yield Slack(slack, bot)


@dataclass(frozen=True)
class Secret:
    """A document: ``words`` are those that stand in it and nowhere else."""

    audience: Audience
    words: tuple[str, ...]


@dataclass
class Secrets:
    """The workspace as it truly is. Everything is by name: ``people["Ana"]``, ``places["office"]``."""

    slack: SlackServer
    claude: ClaudeServer
    people: dict[str, Person] = field(default_factory=dict)
    places: dict[str, Channel] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)  # a thread in each channel that has a document of its own
    documents: list[Secret] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)  # who was shown which audience, over all cases
    _before: dict[str, str] = field(default_factory=dict)
    _asked: float = 0.0
    _sent: int = 0

    # -- what there is ---------------------------------------------------------------------------------------------

    def found(self) -> None:
        """People and channels, once."""
        slack = self.slack
        for name in NAMES:
            more: dict[str, Any] = {"guest": "multi"} if name == "Gus" else {}
            more |= {"team": "T0OUTSIDE"} if name == "Olga" else {}
            self.people[name] = slack.person(name, **more)
        everybody = list(self.people.values())
        for name in ("office", "general", "finance", "shared"):
            self.places[name] = slack.channel(name, members=everybody)
        self.places["trio"] = slack.group(*everybody[:3])
        for name in ("office", "finance"):
            self.roots[name] = slack.says(self.people["Ana"], self.places[name], "Look here.")
        self.reset()

    def reset(self) -> None:
        """As it was in the beginning; nobody is told."""

        def again() -> None:
            members = {
                "office": "Ana Ben Cara",
                "general": "Ana Ben Dan Gus",
                "finance": "Ana Ben",
                "shared": "Ana Dan Olga",
                "trio": "Ana Ben Cara",
            }
            for name, person in self.people.items():
                person.guest, person.deleted = "multi" if name == "Gus" else "", False
                person.admin, person.is_stranger = name == "Ben", False
            for name, channel in self.places.items():
                channel.kind = {"finance": "group", "trio": "mpim"}.get(name, "channel")  # type: ignore[assignment]
                channel.members.clear()
                channel.members.update(self.people[one].id for one in members[name].split())
                channel.members.add(self.slack.bot.id)
                channel.is_archived, channel.shared, channel.deleted = False, name == "shared", False
                root = self.roots.get(name, "")
                for ts in [ts for ts in channel.messages if ts != root]:
                    del channel.messages[ts]
            for channel in self.slack.channels.values():
                if channel.kind == "im":
                    channel.messages.clear()
            for kept in (self.slack.ephemeral, self.slack.deliveries, self.slack.calls, self.slack.statuses):
                kept.clear()
            self.slack.homes.clear()
            for person in self.people.values():
                for view in self.slack.views_of(person.id):
                    self.slack.close_view(view)

        self.slack.on_loop(again)

    async def hide(self, library: Indexer) -> None:
        """The documents, once: one of each audience that there is."""
        audiences = [WORKSPACE, EVERYONE]
        audiences += [Audience("channel", channel.id) for channel in self.places.values()]
        audiences += [Audience("user", person.id) for person in self.people.values()]
        audiences += [Audience("thread", f"{self.places[name].id}-{root}") for name, root in self.roots.items()]
        for number, audience in enumerate(audiences):
            title, text = f"Quasar{number:02}x", f"nebula{number:02}y"
            self.documents.append(Secret(audience, (title.lower(), text)))
            address = f"https://docs.example.com/{number}.md"
            content = f"# Harbour {title}\n\nThe harbour code of this place is {text}.\n"
            result = await library.add(
                Original(address, content.encode(), f"{number}.md", address),
                workspace=self.slack.team_id,
                audience=audience,
                added_by=self.people[NAMES[number % len(NAMES)]].id,
            )
            row = await followed(library, result.version)
            assert row.state == "published", row.error

    # -- the oracle ------------------------------------------------------------------------------------------------

    def is_there(self, person: Person) -> bool:
        return not person.deleted

    def works_here(self, person: Person) -> bool:
        return not person.deleted and not person.guest and not person.is_stranger and person.team == self.slack.team_id

    def may_read(self, person: Person, audience: Audience) -> bool:
        """Whether somebody may be shown documents of this audience."""
        if audience == EVERYONE:
            return self.is_there(person)
        if audience == WORKSPACE:
            return self.works_here(person)
        if audience.kind == "user":
            return audience.id == person.id and self.works_here(person)
        channel = self.slack.channels[audience.id.split("-")[0]]
        served = self.slack.bot.id in channel.members and not channel.is_archived and not channel.deleted
        return served and person.id in channel.members and self.is_there(person)

    def leaked_to(self, person: Person, text: str) -> list[str]:
        """The secrets in a text that somebody must not know."""
        there = self.secrets_in(text)
        self.seen |= {(person.name, str(secret.audience)) for secret in there}
        return [str(secret.audience) for secret in there if not self.may_know(person, secret)]

    def leaked_in(self, channel: Channel, text: str) -> list[str]:
        """The secrets in a text that somebody who reads a conversation must not know."""
        leaked = [
            f"{audience} to {person.name}"
            for person in self.people.values()
            if person.id in channel.members and self.is_there(person)
            for audience in self.leaked_to(person, text)
        ]
        if channel.shared:  # people whom we cannot see read along
            leaked += [
                f"{secret.audience} to strangers"
                for secret in self.secrets_in(text)
                if not self.is_for_all_in(channel, secret)
            ]
        return leaked

    def secrets_in(self, text: str) -> list[Secret]:
        text = text.lower()
        return [secret for secret in self.documents if any(word in text for word in secret.words)]

    def may_know(self, person: Person, secret: Secret) -> bool:
        """Whether somebody may be shown a secret."""
        return self.may_read(person, secret.audience)

    def is_for_all_in(self, channel: Channel, secret: Secret) -> bool:
        """Whether a secret may stand in a channel, whoever else is there."""
        return secret.audience in (EVERYONE, Audience("channel", channel.id)) or (
            secret.audience.id.startswith(f"{channel.id}-")
        )

    # -- what is new -----------------------------------------------------------------------------------------------

    def new(self) -> list[str]:
        """What leaked in all that has come, or has changed, since this was asked last."""
        leaked: list[str] = []
        for place, text, meanwhile, leaks in self._everything():
            if self._before.get(place) != text or meanwhile:
                self._before[place] = text
                leaked += [f"{place}: {one}" for one in leaks(f"{text}\n{meanwhile}")]
        self._asked = time.monotonic()
        return leaked

    def sent(self, readers: Channel | Sequence[Person]) -> list[str]:
        """What Claude was sent since this was asked last that those who read its answer must not know.

        ``readers``: the conversation that the answer stands in, or those who alone see it; nobody: nothing may be sent.
        """
        requests = self.claude.messages[self._sent :]
        self._sent += len(requests)
        leaked: list[str] = []
        for request in requests:
            text = json.dumps(request.body)
            if isinstance(readers, Channel):
                leaked += self.leaked_in(readers, text)
            else:
                leaked += [f"{one} to {person.name}" for person in readers for one in self.leaked_to(person, text)]
                leaked += [] if readers else ["a question that nobody asked"]
        return [f"to Claude: {one}" for one in leaked]

    def _everything(self) -> Iterator[tuple[str, str, str, Callable[[str], list[str]]]]:
        slack = self.slack
        channels = {channel.id: channel for channel in list(slack.channels.values())}
        for channel in channels.values():
            for message in slack.messages(channel):
                if message.user == slack.bot.id:
                    yield f"message {message.ts}", *self._whole(message), partial(self.leaked_in, channel)
        for person in filter(self.is_there, self.people.values()):  # who is deactivated sees nothing of Slack
            by = partial(self.leaked_to, person)
            for message in slack.ephemerals(person):
                yield f"{person.name} alone {message.ts}", *self._whole(message), by
            for view in slack.views_of(person.id):
                yield f"{person.name}'s form {view.id}", _form(view), "", by
            home = slack.home_of(person)
            if home is not None:
                yield f"{person.name}'s Home", _form(home), "", by

    def _whole(self, message: Message) -> tuple[str, str]:
        """A message, and whatever was shown in its place since this was asked last."""
        return "\n".join(texts_of(message)), "\n".join(shown for at, shown in message.history if at > self._asked)

    def on_homes(self) -> list[str]:
        """What stands on Home tabs by now that their owners must not know, since when it ever was put there."""
        return [
            f"{person.name}'s Home: {audience}"
            for person in self.people.values()
            if self.is_there(person) and (home := self.slack.home_of(person)) is not None
            for audience in self.leaked_to(person, _form(home))
        ]


def _form(view: View) -> str:
    return "\n".join([view.shown, str(view.content), *(part for link in view.links for part in link)])


async def settled(people: Slack) -> None:
    """As ``Slack.idle``, and soon."""
    ledger = people.bot.parts.ledger
    quiet = 0
    async with asyncio.timeout(PATIENCE):
        while quiet < 2:
            await asyncio.sleep(0.004)
            await people.bot.desk.idle()
            busy = people.listening() or not all(is_over(one) for one in people.slack.deliveries[-4:])
            quiet = 0 if busy or await ledger.unfinished() else quiet + 1


async def arrived(delivery: Delivery) -> None:
    """As ``Delivery.arrives``, without a thread; one that nobody is to be told of is there at once."""
    async with asyncio.timeout(PATIENCE):
        while not is_over(delivery):  # noqa: ASYNC110 another thread's
            await asyncio.sleep(0.002)


def is_over(delivery: Delivery) -> bool:
    """Whether it was acknowledged, or will not be delivered (again)."""
    return delivery.acked is not None or delivery.failed


def forget_all(bot: SlackBot, secrets: Secrets) -> None:
    """What the bot knows of the workspace is dropped."""
    directory = bot.parts.directory
    for person in secrets.people.values():
        directory.forget_person(person.id)
    for channel in list(secrets.slack.channels.values()):
        directory.forget_channel(channel.id)
