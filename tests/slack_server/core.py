"""The workspace and its rules' settings, on an event loop in a thread of its own. Everything else hangs on this."""

from __future__ import annotations

import copy
import importlib
import re
import time
import uuid
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.local_server import LocalServer
from tests.slack_server.errors import JSON
from tests.slack_server.faults import Faults, Rates
from tests.slack_server.messages import Message
from tests.slack_server.records import Call, ResponseUrl, Session, Status, Trigger
from tests.slack_server.signatures import ALL_SCOPES
from tests.slack_server.world import Channel, ChannelKind, File, Person, View

MANIFEST = Path(__file__).parents[2] / "manifest.yml"


@dataclass(eq=False, repr=False)
class Core(LocalServer):
    """State and settings. Tests set the settings; see the package's docstring."""

    team_id: str = "T0SITUATE"
    team_name: str = "Situate"
    app_id: str = "A0SITUATE"
    bot_token: str = "xoxb-situate-bot"
    app_token: str = "xapp-1-situate-app"
    signing_secret: str = "5ecre75ecre75ecre75ecre75ecre700"

    ack_seconds: float = 3.0
    clock_factor: float = 1.0  # stretches Slack's long waits: retries, lifetimes, minutes of rate limits
    stream_seconds: float = 300.0
    stream_bytes: int = 10_600
    block_text_limit: int = 13_200
    page_size: int | None = None
    root_on_every_page: bool = False
    echoes: bool = True  # the app gets events of its own messages, as it does in Slack
    refuses_recipients_in_direct: bool = False
    refuses_updates_of_streams: bool = False
    shows_public_files: bool = False  # also those of public channels that the app is not in
    ping_seconds: float = 10.0

    calls: list[Call] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    suggested_prompts: dict[str, list[JSON]] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    mistakes: list[BaseException] = field(default_factory=list)  # of the server itself
    people: dict[str, Person] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    ephemeral: list[Message] = field(default_factory=list)
    views: dict[str, View] = field(default_factory=dict)  # by id, open ones only
    homes: dict[str, View] = field(default_factory=dict)  # by person
    triggers: dict[str, Trigger | None] = field(default_factory=dict)  # None: used
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    rates: Rates | None = None

    def __post_init__(self) -> None:
        LocalServer.__init__(self, "slack-server")
        manifest = _manifest()
        scopes = manifest.get("oauth_config", {}).get("scopes", {}).get("bot")
        self.home_tab: bool = manifest.get("features", {}).get("app_home", {}).get("home_tab_enabled", not manifest)
        events = manifest.get("settings", {}).get("event_subscriptions", {}).get("bot_events")
        self.scopes: set[str] = set(scopes or ALL_SCOPES)
        self.events: set[str] | None = set(events) if events else None  # None: all are subscribed
        self._expected: list[str] = []
        self._pingable: set[str] = set()
        self._last_ts = 0
        self._numbers = 0
        self.bot = self._add_person("Situate", is_bot=True)
        self.bot.bot_id = "B0SITUATE"

    @property
    def api_url(self) -> str:
        """What goes into ``SLACK_API_URL``."""
        return f"{self.url}/api/"

    # People, channels, files

    def person(
        self,
        name: str,
        *,
        locale: str = "en-US",
        guest: str = "",
        team: str | None = None,
        deleted: bool = False,
        admin: bool = False,
        owner: bool = False,
    ) -> Person:
        """Somebody new. ``guest``: ``multi`` or ``single`` channel; ``team``: another one makes a stranger; ``admin``
        and ``owner``: of the workspace that the person comes from."""
        more: JSON = {"guest": guest, "team": team, "deleted": deleted, "admin": admin or owner, "owner": owner}
        return self.on_loop(lambda: self._add_person(name, locale=locale, **more))

    def channel(
        self,
        name: str,
        *,
        members: list[Person] | None = None,
        private: bool = False,
        shared: bool = False,
        archived: bool = False,
        with_bot: bool = True,
    ) -> Channel:
        """A channel with these people in it (none given: everybody there is). The app is in it unless not wanted."""

        def make() -> Channel:
            ids = {person.id for person in (self.people.values() if members is None else members)} - {self.bot.id}
            kind: ChannelKind = "group" if private else "channel"
            channel = self._add_channel(name, kind, ids | ({self.bot.id} if with_bot else set()), shared=shared)
            channel.is_archived = archived
            return channel

        return self.on_loop(make)

    def direct(self, person: Person) -> Channel:
        """The conversation of one person with the app; always the same one."""
        return self.on_loop(lambda: self.conversation({person.id, self.bot.id}))

    def group(self, *people: Person, with_bot: bool = True) -> Channel:
        """A direct conversation of several people, and the app unless not wanted."""
        bot = {self.bot.id} if with_bot else set()
        return self.on_loop(lambda: self.conversation({person.id for person in people} | bot))

    def file(
        self, name: str, data: bytes, *, by: Person, mimetype: str = "application/octet-stream", **more: Any
    ) -> File:
        """A file to be said (``says(…, files=[…])``) or put into a form (``submits(ana, {"files": [file]})``).

        Until then the app does not see it. ``more``: ``stub=True``, ``mode="tombstone"``, ``size=…`` …
        """

        def make() -> File:
            number = self.new_id("F")
            url = f"{self.url}/files-pri/{self.team_id}-{number}/{name}"
            self.files[number] = File(number, name, data, mimetype, by.id, url, **more)
            return self.files[number]

        return self.on_loop(make)

    def conversation(self, members: set[str]) -> Channel:
        """The direct conversation of exactly these, made if there is none yet. On the loop only."""
        for channel in self.channels.values():
            if channel.kind in ("im", "mpim") and channel.members == members:
                return channel
        kind: ChannelKind = "im" if len(members) == 2 else "mpim"
        return self._add_channel("" if kind == "im" else "mpdm", kind, members)

    def view_json(self, view: View) -> JSON:
        """A view as payloads and answers carry it."""
        return copy.deepcopy(view.content) | {
            "id": view.id,
            "team_id": self.team_id,
            "app_id": self.app_id,
            "bot_id": self.bot.bot_id,
            "app_installed_team_id": self.team_id,
            "root_view_id": view.root_id,
            "previous_view_id": view.previous_id,
            "hash": view.hash,
            "state": {"values": {}},
        }

    def _add_person(self, name: str, *, team: str | None = None, **more: Any) -> Person:
        stranger = team is not None and team != self.team_id
        person = Person(self.new_id("U"), name, team or self.team_id, is_stranger=stranger, **more)
        self.people[person.id] = person
        return person

    def _add_channel(self, name: str, kind: ChannelKind, members: set[str], *, shared: bool = False) -> Channel:
        channel = Channel(self.new_id("D" if kind == "im" else "C"), name, kind, members, self.team_id, shared)
        self.channels[channel.id] = channel
        return channel

    # Names and times

    def name_of(self, id: str) -> str:
        """``U…`` → a person's name, ``C…`` → a channel's; unknown ids stay."""
        if id in self.people:
            return self.people[id].name
        return self.channels[id].name if id in self.channels else id

    def new_id(self, prefix: str) -> str:
        """``U0000000001`` …"""
        self._numbers += 1
        return f"{prefix}{self._numbers:010d}"

    def new_ts(self) -> str:
        """A message's timestamp: now, and never twice."""
        self._last_ts = max(time.time_ns() // 1000, self._last_ts + 1)
        return f"{self._last_ts // 10**6}.{self._last_ts % 10**6:06d}"

    def new_trigger(self, user: str) -> str:
        trigger = f"{self.new_id('')}.{self.team_id}.{uuid.uuid4().hex}"  # never given twice, by no server
        self.triggers[trigger] = Trigger(user, time.monotonic())
        return trigger

    def new_response_url(self, channel: str, user: str, message_ts: str | None = None) -> str:
        key = self.new_id("R")
        self.response_urls[key] = ResponseUrl(channel, user, time.monotonic(), message_ts)
        return f"{self.url}/response/{self.team_id}/{key}"

    def allow_all(self) -> None:
        """Grant all scopes, send all events, show the Home tab, whatever the manifest says."""
        self.scopes, self.events, self.home_tab = set(ALL_SCOPES), None, True

    # What must not happen

    def violation(self, what: str) -> None:
        """Note that the app did something that Slack refuses, or that goes wrong in Slack."""
        self.violations.append(what)

    def expect_violations(self, *patterns: str) -> None:
        """This test does wrong on purpose: all of it, or what matches (``"*not_in_channel*"``)."""
        self._expected += patterns or ("*",)

    @property
    def expects_anything(self) -> bool:
        """Whether the test announced that anything may go wrong."""
        return "*" in self._expected

    @property
    def unexpected_violations(self) -> list[str]:
        return [what for what in self.violations if not any(fnmatchcase(what, p) for p in self._expected)]

    def may_ping(self, *people: Person) -> None:
        """From now on the app may name these people in messages."""
        self._pingable |= {person.id for person in people}

    def is_pingable(self, entity: str) -> bool:
        """Whether ``<@U1>`` may stand in a message."""
        named = re.match(r"<@(\w+)", entity)
        return named is not None and named[1] in self._pingable


def _manifest() -> JSON:
    """The app's manifest: what it may do and hears of. Without one it may do all that is known here."""
    if not MANIFEST.exists():
        return {}
    yaml = importlib.import_module("yaml")  # it has no types of its own
    manifest: JSON = yaml.safe_load(MANIFEST.read_text("utf-8"))
    return manifest
