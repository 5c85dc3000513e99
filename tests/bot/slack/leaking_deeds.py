"""What people do in a company full of secrets, and what becomes of it meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from bot.slack.showing import actions
from tests.bot.slack.clicked import Slack
from tests.bot.slack.leaking import NAMES, PATIENCE, PLACES, WORDS, Secrets, arrived, is_over, settled
from tests.slack_server import Channel, Delivery, Message, Person


@dataclass(frozen=True)
class Change:
    what: str
    person: str
    place: str


@dataclass(frozen=True)
class Deed:
    """``by`` does it in ``place``; ``clicks`` clicks afterwards on what came of it, one button of several."""

    what: str
    by: str
    place: str
    clicks: str
    button: int


names, places = st.sampled_from(NAMES), st.sampled_from([*PLACES, "direct"])
changes = st.builds(
    Change,
    st.sampled_from(
        ["join", "leave", "guest", "deactivate", "admin", "stranger", "archive", "private", "bot", "share"]
    ),
    names,
    st.sampled_from(PLACES),
)
deeds = st.builds(
    Deed,
    st.sampled_from(["mention", "mention", "thread", "ask", "ask", "list", "status", "search", "remove", "home"]),
    names,
    places,
    names,
    st.integers(0, 5),
)


class Doing:
    """Lets a case happen in the local Slack. Everything that cannot happen does not. People ask for ``words``."""

    def __init__(self, people: Slack, secrets: Secrets, words: str = WORDS) -> None:
        self.people = people
        self.slack = people.slack
        self.secrets = secrets
        self.words = words
        self.last: tuple[Channel, Message] | None = None  # the last answer that buttons are under
        self.readers: Channel | tuple[Person, ...] = ()  # of what Claude was asked last

    # -- changes ---------------------------------------------------------------------------------------------------

    async def change(self, change: Change) -> None:
        person, channel = self.secrets.people[change.person], self.secrets.places[change.place]
        delivery = self._changes(change.what, person, channel)
        if delivery is not None:
            await arrived(delivery)
            await settled(self.people)

    def _changes(self, what: str, person: Person, channel: Channel) -> Delivery | None:
        slack, with_bot = self.slack, self.slack.bot.id in channel.members
        fixed = channel.kind == "mpim" or channel.is_archived
        match what:
            case "join" if not fixed and person.id not in channel.members:
                return slack.joins(person, channel)
            case "leave" if not fixed and person.id in channel.members:
                return slack.leaves(person, channel)
            case "guest":
                return slack.changes(person, guest="" if person.guest else "multi")
            case "deactivate":
                return slack.changes(person, deleted=not person.deleted)
            case "admin":
                return slack.changes(person, admin=not person.admin)
            case "stranger":
                return slack.changes(person, is_stranger=not person.is_stranger)
            case "archive" if channel.kind != "mpim":
                ben = self.secrets.people["Ben"]
                return slack.unarchives(ben, channel) if channel.is_archived else slack.archives(ben, channel)
            case "private" if not fixed and with_bot:
                public = channel.kind == "channel"
                return slack.makes_private(person, channel) if public else slack.makes_public(person, channel)
            case "bot" if not fixed:
                return slack.leaves(slack.bot, channel) if with_bot else slack.joins(slack.bot, channel)
            case "share" if not fixed:
                channel.shared = not channel.shared
                kind = "channel_shared" if channel.shared else "channel_unshared"
                return slack.raw_event({"type": kind, "channel": channel.id, "connected_team_id": "T0OUTSIDE"})
        return None

    # -- deeds -----------------------------------------------------------------------------------------------------

    async def do(self, deed: Deed) -> None:
        person = self.secrets.people[deed.by]
        channel = self.slack.direct(person) if deed.place == "direct" else self.secrets.places[deed.place]
        if person.deleted or person.id not in channel.members:
            return
        await self._does(deed, person, channel)
        await settled(self.people)

    async def _does(self, deed: Deed, person: Person, channel: Channel) -> None:
        slack = self.slack
        in_reach = slack.bot.id in channel.members and not channel.is_archived
        match deed.what:
            case "mention" | "thread" if in_reach:
                thread = self.secrets.roots.get(deed.place)
                if deed.what == "thread" and self.last is not None and self.last[0] is channel:
                    thread = self.last[1].root if self.last[1].ephemeral_to is None else thread
                mention = "" if channel.kind == "im" else "@Situate "
                slack.says(person, channel, f"{mention}What is the {self.words}?", thread=thread)
                self.readers = channel
                await slack.until(lambda: all(map(is_over, slack.deliveries)), PATIENCE, "the question to arrive")
                await settled(self.people)
                mine = [one for one in slack.messages(channel) if one.user == slack.bot.id]
                self._keep(channel, mine)
            case "ask" if not channel.is_archived:
                self.readers = (person,)
                await arrived(slack.commands(person, channel, "/ask", f"What is the {self.words}?"))
                await settled(self.people)
                self._keep(channel, slack.ephemerals(person))
            case "list" | "status" | "search" | "remove" if not channel.is_archived:
                words = {"search": f"search {self.words}"}.get(deed.what, deed.what)
                await arrived(slack.commands(person, channel, "/docs", words))
                await settled(self.people)
                if deed.what == "search":
                    self._keep(channel, slack.ephemerals(person))
            case "home":
                await arrived(slack.opens_home_tab(person))

    def _keep(self, channel: Channel, shown: list[Message]) -> None:
        if shown:
            self.last = channel, shown[-1]

    async def click(self, deed: Deed) -> None:
        """Somebody clicks on what was shown last, where they see it."""
        person = self.secrets.people[deed.clicks]
        if self.last is None or person.deleted:
            return
        channel, message = self.last
        mine = [
            one for one in message.actions if one not in (actions.FEEDBACK_BAD, actions.FEEDBACK_GOOD, actions.MORE)
        ]
        if not mine or channel.is_archived:
            return
        if message.ephemeral_to is not None:
            person = self.secrets.people[
                next(n for n, p in self.secrets.people.items() if p.id == message.ephemeral_to)
            ]
            if message.ts not in [one.ts for one in self.slack.ephemerals(person)]:
                return
        elif message.ts not in [one.ts for one in self.slack.messages(channel)]:
            return
        if person.deleted or person.id not in channel.members:
            return
        action = mine[deed.button % len(mine)]
        again_there = action == actions.TRY_AGAIN and message.ephemeral_to is None
        self.readers = channel if again_there else (person,)
        await arrived(self.slack.clicks(person, channel, message.ts, action))
        await settled(self.people)
