"""What people do with the workspace itself: who is in which channel, what becomes of channels, files and people."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from tests.slack_server.acting import Acting
from tests.slack_server.deliveries import Delivery
from tests.slack_server.errors import JSON
from tests.slack_server.messages import Message
from tests.slack_server.world import SITE, Channel, ChannelKind, File, Person

_SAYS = {"channel": "made this channel *public*.", "group": "made this channel *private*."}


@dataclass(eq=False, repr=False)
class Changing(Acting):
    """Nothing here waits for the app."""

    # Who is where

    def joins(self, person: Person, channel: Channel) -> Delivery:
        """Come into a channel (also the app: ``joins(slack.bot, channel)``)."""

        def join() -> Delivery:
            channel.members.add(person.id)
            return self.event(self._membership("member_joined_channel", person, channel), channel)

        return self.on_loop(join)

    def leaves(self, person: Person, channel: Channel) -> Delivery:
        """Leave a channel, or be removed from it. Of itself (``leaves(slack.bot, channel)``) the app hears as
        ``channel_left`` or ``group_left``."""

        def leave() -> Delivery:
            channel.members.discard(person.id)
            if person is self.bot:
                kind = "group_left" if channel.kind == "group" else "channel_left"
                return self.event({"type": kind, "channel": channel.id})
            return self.event(self._membership("member_left_channel", person, channel), channel)

        return self.on_loop(leave)

    def changes(self, person: Person, **fields: Any) -> Delivery:
        """Somebody's account changes: ``changes(ben, guest="multi")``, ``admin=True``, ``deleted=True``, ``name="Bo"``.

        Who is deactivated stays in the member lists, as Slack keeps them there.
        """

        def change() -> Delivery:
            for name, value in fields.items():
                assert hasattr(person, name), f"a person has no {name}"
                setattr(person, name, value)
            return self.event({"type": "user_change", "user": person.as_json(with_locale=True)})

        return self.on_loop(change)

    # What becomes of a channel

    def makes_private(self, person: Person, channel: Channel) -> Delivery:
        """A public channel becomes private: it keeps its id, and the app (if it is in there) hears of it by a message
        with the subtype ``channel_convert_to_private``."""
        return self._converts(person, channel, "group")

    def makes_public(self, person: Person, channel: Channel) -> Delivery:
        """A private channel becomes public: ``channel_convert_to_public``."""
        return self._converts(person, channel, "channel")

    def archives(self, person: Person, channel: Channel, *, removes_bot: bool = False) -> Delivery:
        """``channel_archive`` or ``group_archive``. ``removes_bot``: the app is out of it then."""

        def archive() -> Delivery:
            delivery = self._lifecycle("archive", person, channel)
            channel.is_archived = True
            if removes_bot:
                channel.members.discard(self.bot.id)
            return delivery

        return self.on_loop(archive)

    def unarchives(self, person: Person, channel: Channel) -> Delivery:
        """``channel_unarchive`` or ``group_unarchive``."""

        def unarchive() -> Delivery:
            channel.is_archived = False
            return self._lifecycle("unarchive", person, channel)

        return self.on_loop(unarchive)

    def deletes_channel(self, person: Person, channel: Channel) -> Delivery:
        """``channel_deleted`` or ``group_deleted``; nobody sees the channel any more."""

        def delete() -> Delivery:
            event = {"type": f"{channel.kind}_deleted", "channel": channel.id, "actor_id": person.id}
            delivery = self.event(event | {"date_deleted": int(time.time())}, _private(channel))
            channel.deleted = True
            return delivery

        return self.on_loop(delete)

    def renames(self, channel: Channel, name: str) -> Delivery:
        """``channel_rename`` or ``group_rename``."""

        def rename() -> Delivery:
            channel.name = name
            told = {"id": channel.id, "name": name, "created": 1700000000}
            return self.event({"type": f"{channel.kind}_rename", "channel": told}, _private(channel))

        return self.on_loop(rename)

    # The app's own tabs

    def opens_messages_tab(self, person: Person) -> Delivery:
        """Open the app's Messages tab."""
        return self._opens(person, "messages")

    def opens_home_tab(self, person: Person) -> Delivery:
        """Open the app's Home tab (as far as it has one); the event holds what was published there last."""
        return self._opens(person, "home")

    # Files

    def deletes_file(self, file: File) -> Delivery:
        """``file_deleted``; then its messages change: what held nothing else goes, the rest keeps a tombstone."""

        def delete() -> Delivery:
            holding = [(channel, message, message.as_json()) for channel, message in self._holding(file)]
            event = {"type": "file_deleted", "file_id": file.id, "channel_ids": [c.id for c, _, _ in holding]}
            file.deleted = True
            delivery = self.event(event)
            for channel, message, before in holding:
                if message.text or any(not other.deleted for other in message.files):
                    self.changed(channel, message, before)
                else:
                    message.deleted = True
                    self.removed(channel, message, before)
            return delivery

        return self.on_loop(delete)

    def sees_file(self, file: File) -> bool:
        """Whether the app may read a file: it came by a form, or is shared where the app is."""
        if file.submitted:
            return True
        places = [channel for channel, _ in self._holding(file)]
        return any(self.bot.id in c.members or (self.shows_public_files and not c.is_private) for c in places)

    def file_json(self, file: File) -> JSON:
        """A file as ``files.info`` tells of it, with where it is shared, as far as the app can see that."""
        body = file.as_json(whole=True)
        public: JSON = {}
        private: JSON = {}
        for channel, message in self._holding(file):
            if channel.is_private and self.bot.id not in channel.members:
                continue
            shares = private if channel.is_private else public
            share = {
                "ts": message.ts,
                "channel_name": channel.name,
                "team_id": self.team_id,
                "share_user_id": file.user,
            }
            shares.setdefault(channel.id, []).append(
                share | ({"thread_ts": message.thread_ts} if message.thread_ts else {})
            )
        directs = [id for id in private if self.channels[id].kind == "im"]
        shared = {name: found for name, found in (("public", public), ("private", private)) if found}
        return body | {
            "is_public": bool(public),
            "shares": shared,
            "channels": list(public),
            "groups": [id for id in private if id not in directs],
            "ims": directs,
        }

    def message_json(self, message: Message, *, with_metadata: bool = False) -> JSON:
        """A message as it is looked up, and as clicks and shortcuts carry it: a root tells of its replies."""
        body = message.as_json(with_metadata=with_metadata)
        found = self.channels[message.channel].thread(message.ts) if message.ephemeral_to is None else ()
        replies = [one for one in found if one.ts != message.ts and not one.deleted]
        if not replies:
            return body
        users = list(dict.fromkeys(reply.user for reply in replies))
        told: JSON = {"reply_count": len(replies), "reply_users_count": len(users), "reply_users": users}
        return body | told | {"thread_ts": message.ts, "latest_reply": replies[-1].ts}

    def permalink_of(self, channel: Channel, ts: str) -> str:
        """The address of a message, as "Copy link" gives it."""
        message = channel.messages[ts]
        link = f"{SITE}/archives/{channel.id}/p{ts.replace('.', '')}"
        return link + (f"?thread_ts={message.thread_ts}&cid={channel.id}" if message.thread_ts else "")

    # On the loop only

    def _opens(self, person: Person, tab: str) -> Delivery:
        def opens() -> Delivery:
            assert tab != "home" or self.home_tab, "the app has no Home tab"
            channel = self.conversation({person.id, self.bot.id})
            event = {"type": "app_home_opened", "user": person.id, "channel": channel.id, "tab": tab}
            home = self.homes.get(person.id) if tab == "home" else None
            return self.event(event | ({"view": self.view_json(home)} if home else {}))

        return self.on_loop(opens)

    def _holding(self, file: File) -> list[tuple[Channel, Message]]:
        """The messages that a file is in, with their channels."""
        messages = [(channel, message) for channel in self.channels.values() for message in channel.messages.values()]
        return [(c, m) for c, m in messages if file in m.files and not m.deleted and not c.deleted]

    def _converts(self, person: Person, channel: Channel, kind: ChannelKind) -> Delivery:
        def convert() -> Delivery:
            assert {channel.kind, kind} == {"channel", "group"}, f"{channel.name} is a {channel.kind}"
            channel.kind, channel.converted = kind, kind == "group"
            subtype = f"channel_convert_to_{'private' if kind == 'group' else 'public'}"
            message = self._new(channel, person, _SAYS[kind], None, subtype=subtype)
            message.blocks = []
            return self.event(message.as_json() | self._where(channel, message), channel)

        return self.on_loop(convert)

    def _lifecycle(self, what: str, person: Person, channel: Channel) -> Delivery:
        assert channel.kind in ("channel", "group"), "only channels are archived"
        event = {"type": f"{channel.kind}_{what}", "channel": channel.id, "user": person.id, "is_moved": 0}
        return self.event(event, _private(channel))

    def _membership(self, kind: str, person: Person, channel: Channel) -> JSON:
        short = "C" if channel.kind == "channel" else "G"
        return {"type": kind, "user": person.id, "channel": channel.id, "channel_type": short, "team": person.team}


def _private(channel: Channel) -> Channel | None:
    """What becomes of public channels is told to every app, of private ones to those that are in there."""
    return channel if channel.is_private else None
