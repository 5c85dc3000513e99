"""What people tell each other in a company full of secrets and then add to the documents, and whom that may reach."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexer import EVERYONE, WORKSPACE, Audience, Original
from tests.bot.slack.leaking import Secret, Secrets
from tests.slack_server import Channel, File, Person

TOPIC = "lighthouse password"
NAME = (
    "{title} is what we call it here, and all that follows is for those who read along and for nobody else at all."
    " Nobody who comes by later needs to know, and nobody who asks is told before they have read the rules twice."
)
TEXT = "The lighthouse password of this place is {text}."


@dataclass(frozen=True, eq=False)
class Told(Secret):
    """A secret of somebody's own, or of the conversations ``places``, by id; ``knowers`` have it from elsewhere.

    ``named_by`` have called it by that when they chose it: as long as it is no document they are told of it so.
    """

    places: frozenset[str] = frozenset()
    knowers: set[str] = field(default_factory=set)
    named_by: set[str] = field(default_factory=set)


@dataclass
class Origin:
    """What somebody may add: a message and what hangs on it, a file, or words of their own.

    ``title`` and ``text`` are what stands in it, and nowhere else.
    """

    title: Told
    text: Told
    channel: Channel | None = None
    ts: str = ""
    file: File | None = None

    @property
    def told(self) -> str:
        return f"{self.first} {self.rest}"

    @property
    def first(self) -> str:
        return NAME.format(title=self.title.words[0])

    @property
    def rest(self) -> str:
        return TEXT.format(text=self.text.words[0])


@dataclass
class Adder:
    """Who adds what, as the oracle must know it. ``pasted``: in words of their own, or a file of their own.

    ``channel`` is where the bot's answer stands that is saved, "" for a direct conversation. ``was_admin``: they had
    an administrator's rights when they chose; ``chose``: they might add; ``was_in``: the channels that they were
    in then.
    """

    person: Person
    pasted: bool = False
    channel: str = ""
    was_admin: bool = False
    chose: bool = False
    was_in: set[str] = field(default_factory=set)


@dataclass
class Additions(Secrets):
    """Secrets that people add themselves. ``reached``: by the words of a secret the audiences that its documents have.

    ``adder`` is who adds right now; ``who_may`` is WHO_MAY_ADD.
    """

    reached: dict[str, set[Audience]] = field(default_factory=dict)
    who_may: str = "employees"
    adder: Adder | None = None
    stored: int = 0
    _count: int = 0
    _always: int = 0

    def begin(self) -> None:
        """What was told and added in the last case never was."""
        self.reset()
        self._always = self._always or len(self.documents)
        del self.documents[self._always :]
        self.reached.clear()
        self.adder = None

    def origin(self, author: Person, *places: Channel) -> Origin:
        """Something new to tell, in ``places``; nowhere: it is the author's own."""
        self._count += 1
        ids = frozenset(place.id for place in places)
        audience = Audience("channel", places[0].id) if places else Audience("user", author.id)
        title = Told(audience, (f"quasar{self._count:04}z",), ids, {author.id})
        text = Told(audience, (f"nebula{self._count:04}z",), ids, {author.id})
        self.documents += [title, text]
        return Origin(title, text, places[0] if places else None)

    # -- the oracle ------------------------------------------------------------------------------------------------

    def may_add(self, person: Person) -> bool:
        match self.who_may:
            case "employees":
                return self.works_here(person)
            case "admins":
                return self.administers(person)
            case "everybody":
                return self.is_there(person)
        return self.is_there(person) and person.id in self.who_may

    def administers(self, person: Person) -> bool:
        return self.works_here(person) and person.admin

    def may_know(self, person: Person, secret: Secret) -> bool:
        if any(self.may_read(person, audience) for audience in self._reached_by(secret)):
            return True
        if not isinstance(secret, Told):
            return super().may_know(person, secret)
        named = secret.named_by if not self._reached_by(secret) else set()
        return self.is_there(person) and (person.id in secret.knowers | named or self.sees(person, secret))

    def sees(self, person: Person, secret: Told) -> bool:
        """Whether Slack itself shows it to somebody: they are in a conversation where it stands, or it is public."""
        places = [self.slack.channels[place] for place in secret.places]
        is_public = self.works_here(person) and any(place.kind == "channel" for place in places)
        return is_public or any(person.id in place.members for place in places)

    def is_for_all_in(self, channel: Channel, secret: Secret) -> bool:
        told_here = isinstance(secret, Told) and channel.id in secret.places
        reached = self._reached_by(secret) & {EVERYONE, Audience("channel", channel.id)}
        return told_here or bool(reached) or super().is_for_all_in(channel, secret)

    def _reached_by(self, secret: Secret) -> set[Audience]:
        return self.reached.get(secret.words[0], set())

    # -- what is stored --------------------------------------------------------------------------------------------

    def stores(self, original: Original, title: str | None, audience: Audience) -> list[str]:
        """A document is stored: which secrets in it reach further than they may, each as a sentence."""
        self.stored += 1
        assert self.adder is not None, f"a document is stored that nobody adds: {original.source}"
        place = f"{original.source} for {audience} by {self.adder.person.name}"
        wrong = [] if self._is_theirs_to_choose(audience) else [f"{place}: not theirs to choose"]
        for secret in self.secrets_in(f"{title}\n{original.name}\n{original.data.decode()}"):
            if self._may_reach(secret, audience):
                self.reached.setdefault(secret.words[0], set()).add(audience)
            else:
                wrong.append(f"{place}: {secret.words[0]} is for {secret.audience}")
        return wrong

    def chooses(self, adder: Adder) -> None:
        """Somebody sends in what they add: what they may choose now they may have, whatever they become meanwhile."""
        adder.was_admin, adder.chose = self.administers(adder.person), self.may_add(adder.person)
        places = [channel for channel in self.places.values() if channel.kind != "im"]
        adder.was_in = {one.id for one in places if self.may_read(adder.person, Audience("channel", one.id))}
        self.adder = adder

    def _is_theirs_to_choose(self, audience: Audience) -> bool:
        """Whether somebody may choose this audience, wherever it comes from."""
        assert self.adder is not None
        person = self.adder.person
        if not self.adder.chose and not self.may_add(person):
            return False
        if audience.kind == "user":
            return audience.id == person.id
        return audience == WORKSPACE or audience.kind == "channel"

    def _may_reach(self, secret: Secret, audience: Audience) -> bool:
        """Whether a secret that the adder adds may be told to all those."""
        assert self.adder is not None
        person = self.adder.person
        if audience.kind == "user" or self.adder.was_admin:
            return self.may_know(person, secret)
        if isinstance(secret, Told) and (self._is_own(secret) or (self.adder.pasted and person.id in secret.knowers)):
            return audience == WORKSPACE or audience.id in self.adder.was_in
        places = {self.adder.channel} - {""} | (secret.places if isinstance(secret, Told) else _places(secret))
        if audience == WORKSPACE:
            return secret.audience in (WORKSPACE, EVERYONE) or any(self.is_public(place) for place in places)
        if secret.audience == WORKSPACE and not places:
            return self.all_work_in(audience.id)
        return secret.audience == EVERYONE or audience.id in places

    def _is_own(self, secret: Told) -> bool:
        """Whether it stands in the adder's direct conversation with the bot, and nowhere else."""
        assert self.adder is not None
        places = [self.slack.channels[place] for place in secret.places]
        mine = [place for place in places if place.kind == "im" and self.adder.person.id in place.members]
        return bool(mine) and mine == places

    def is_public(self, place: str) -> bool:
        return place in self.slack.channels and self.slack.channels[place].kind == "channel"

    def all_work_in(self, place: str) -> bool:
        """Whether everybody in a channel is of the company."""
        channel = self.slack.channels[place]
        people = [person for person in self.people.values() if person.id in channel.members and not person.deleted]
        return not channel.shared and all(map(self.works_here, people))


def _places(secret: Secret) -> frozenset[str]:
    """The channel whose document a secret is."""
    of_channel = secret.audience.kind in ("channel", "thread")
    return frozenset({secret.audience.id.split("-")[0]} if of_channel else ())
