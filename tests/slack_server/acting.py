"""What people do that the app hears of as events: say, edit, delete, react, join, press Stop."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.slack_server.deliveries import Delivery
from tests.slack_server.delivery import Transport
from tests.slack_server.errors import JSON
from tests.slack_server.messages import Message
from tests.slack_server.texts import seen, typed
from tests.slack_server.world import Channel, File, Person

SUBSCRIPTION = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}
BOTH = ("app_mention", "message")


@dataclass(eq=False, repr=False)
class Acting(Transport):
    """People's doings. Nothing here waits for the app."""

    def says(
        self,
        person: Person,
        channel: Channel,
        text: str | None,
        *,
        thread: str | None = None,
        files: Sequence[File] = (),
        deliver: Sequence[str] = BOTH,
        raw: bool = False,
        subtype: str | None = None,
    ) -> str:
        """Say something; gives its ``ts``. ``@Situate``, ``#finance``, ``<@U1>`` and ``&`` become what Slack makes of
        them (``raw``: the text is sent as it is; None: the event has none). ``thread`` is the root's ``ts``.

        ``deliver``: the events, in order; ``("message", "app_mention", "message")`` sends the first one twice.
        """
        assert person.id in channel.members, f"{person.name} is not in {channel.name or channel.id}"
        assert not channel.is_archived, f"{channel.name} is archived"

        def say() -> str:
            content = text or "" if raw or text is None else typed(text, self._names())
            kind = subtype or ("file_share" if files else None)
            message = self._new(channel, person, content, thread, subtype=kind, files=list(files))
            self._announce(message, channel, deliver, without_text=text is None)
            return message.ts

        return self.on_loop(say)

    def other_bot_says(
        self, channel: Channel, text: str, *, thread: str | None = None, subtype: str | None = "bot_message"
    ) -> str:
        """Another app posts. With ``subtype=None`` its message looks like newer apps': a user, and a ``bot_id``."""

        def say() -> str:
            robot = next((p for p in self.people.values() if p.bot_id == "B0OTHER"), None)
            if robot is None:
                robot = self._add_person("Robot", is_bot=True)
                robot.bot_id = "B0OTHER"
            message = self._new(channel, robot, typed(text, self._names()), thread, subtype=subtype)
            message.bot_id, message.app_id = "B0OTHER", "A0OTHER"
            self._announce(message, channel, BOTH)
            return message.ts

        return self.on_loop(say)

    def edits(self, person: Person, channel: Channel, ts: str, text: str, *, mentions_again: bool = False) -> Delivery:
        """Change an own message. ``mentions_again``: an ``app_mention`` comes for the edit as well."""

        def edit() -> Delivery:
            message = channel.messages[ts]
            assert message.user == person.id, f"{person.name} did not say that"
            before = message.as_json()
            self._write(message, typed(text, self._names()))
            message.edited = True
            message.note()
            delivery = self.changed(channel, message, before)
            if mentions_again:
                self.event(self._mention(message) | {"edited": {"user": person.id, "ts": self.new_ts()}}, channel)
            return delivery

        return self.on_loop(edit)

    def unfurls(self, channel: Channel, ts: str) -> Delivery:
        """Slack puts a preview under a link: ``message_changed`` with the text as it was."""

        def unfurl() -> Delivery:
            message = channel.messages[ts]
            preview = {"attachments": [{"id": 1, "from_url": "https://a.example/", "title": "A page"}]}
            return self.changed(channel, message, message.as_json(), more=preview)

        return self.on_loop(unfurl)

    def deletes(self, person: Person, channel: Channel, ts: str) -> Delivery:
        """Delete an own message, or as an administrator anybody's. A root with replies stays as a tombstone; anything
        else is gone."""

        def delete() -> Delivery:
            message = channel.messages[ts]
            assert person.admin or message.user == person.id, f"{person.name} did not say that"
            before = message.as_json()
            message.deleted = True
            if any(reply.ts != ts and not reply.deleted for reply in channel.thread(ts)):
                return self.changed(channel, message, before)
            return self.removed(channel, message, before)

        return self.on_loop(delete)

    def reacts(self, person: Person, channel: Channel, ts: str, name: str) -> Delivery:
        """``reacts(ana, channel, ts, "+1")``."""
        return self._reaction(person, channel, ts, name, "reaction_added")

    def unreacts(self, person: Person, channel: Channel, ts: str, name: str) -> Delivery:
        return self._reaction(person, channel, ts, name, "reaction_removed")

    def presses_stop(self, person: Person, channel: Channel, thread: str) -> Delivery:
        """Press Stop in a thread: its open streams take no more, and the app hears of it."""

        def stop() -> Delivery:
            stopped = [message for message in channel.thread(thread) if message.open]
            for message in stopped:
                assert message.stream is not None
                message.stream.ended = "stopped_by_user"
            streams = [message.ts for message in stopped]
            event = {"type": "agent_session_stopped", "channel": channel.id, "thread_ts": thread, "user": person.id}
            return self.event(event | {"streaming_message_ts": streams})

        return self.on_loop(stop)

    def announced(self, channel: Channel, ts: str) -> Delivery:
        """The ``message`` event of what was said (``says(…, deliver=())``), not sent: for ``deliver_again``."""
        message = channel.messages[ts]
        body = self._envelope(message.as_json() | self._where(channel, message), channel, None)
        return Delivery("events_api", body, "message")

    def raw_event(self, event: JSON, **envelope: Any) -> Delivery:
        """Any event; ``envelope`` replaces fields of what goes around it (None takes one away)."""
        return self.on_loop(lambda: self.event(event, envelope=envelope))

    # Events; on the loop only

    def event(
        self,
        event: JSON,
        channel: Channel | None = None,
        *,
        event_id: str | None = None,
        envelope: JSON | None = None,
    ) -> Delivery:
        """Deliver an event, if the app is subscribed to it and, where it is about a channel, in there."""
        event.setdefault("event_ts", self.new_ts())
        body = self._envelope(event, channel, event_id) | (envelope or {})
        body = {name: value for name, value in body.items() if value is not None}
        name = f"{event['type']} {event.get('subtype') or ''}".strip()
        kind = str(event["type"])
        subscription = SUBSCRIPTION[channel.kind] if channel is not None and kind == "message" else kind
        heard = self.events is None or subscription in self.events
        if not heard or (channel is not None and self.bot.id not in channel.members):
            unheard = Delivery("events_api", body, name)
            unheard.settle(None, None)
            return unheard
        return self.send("events_api", body, name)

    def changed(self, channel: Channel, message: Message, before: JSON, *, more: JSON | None = None) -> Delivery:
        """``message_changed``."""
        after = message.as_json() | (more or {})
        event = {"subtype": "message_changed", "message": after, "previous_message": before, "hidden": True}
        return self.event(self._about(channel) | event, channel)

    def removed(self, channel: Channel, message: Message, before: JSON) -> Delivery:
        """``message_deleted``."""
        event = {"subtype": "message_deleted", "deleted_ts": message.ts, "previous_message": before, "hidden": True}
        return self.event(self._about(channel) | event, channel)

    def announce(self, message: Message, channel: Channel) -> None:
        """The app's own message, as the app hears of it."""
        if self.echoes:
            self.event(message.as_json() | self._where(channel, message), channel)

    def _announce(
        self, message: Message, channel: Channel, deliver: Sequence[str], *, without_text: bool = False
    ) -> None:
        mentioned = self.bot.mention in message.text or f"<@{self.bot.id}|" in message.text
        ids = {name: self.new_id("Ev") for name in deliver}
        for name in deliver:
            if name == "message":
                event = message.as_json() | self._where(channel, message)
            elif mentioned and channel.kind != "im":
                event = self._mention(message)
            else:
                continue
            if without_text:
                event.pop("text", None)
            self.event(event, channel, event_id=ids[name])

    def _where(self, channel: Channel, message: Message) -> JSON:
        more: JSON = {"channel": channel.id, "channel_type": channel.kind, "event_ts": message.ts}
        if message.bot_id is None:
            more["client_msg_id"] = str(uuid.uuid5(uuid.NAMESPACE_OID, message.ts))
        if message.thread_ts in channel.messages and message.thread_ts is not None:
            more["parent_user_id"] = channel.messages[message.thread_ts].user
        if channel.shared:
            more |= {"user_team": message.team, "source_team": message.team}
        return more

    def _mention(self, message: Message) -> JSON:
        channel = self.channels[message.channel]
        event = message.as_json() | self._where(channel, message) | {"type": "app_mention"}
        event.pop("channel_type")
        return event

    def _about(self, channel: Channel) -> JSON:
        return {"type": "message", "channel": channel.id, "channel_type": channel.kind, "ts": self.new_ts()}

    def _reaction(self, person: Person, channel: Channel, ts: str, name: str, kind: str) -> Delivery:
        def react() -> Delivery:
            message = channel.messages[ts]
            users = message.reactions.setdefault(name, [])
            assert (person.id in users) == (kind == "reaction_removed"), f"{person.name} cannot do that twice"
            (users.append if kind == "reaction_added" else users.remove)(person.id)
            item = {"type": "message", "channel": channel.id, "ts": ts}
            event = {"type": kind, "user": person.id, "reaction": name, "item": item, "item_user": message.user}
            return self.event(event, channel)

        return self.on_loop(react)

    def _names(self) -> dict[str, str]:
        names = {f"@{person.name}": person.mention for person in self.people.values()}
        return names | {f"#{c.name}": f"<#{c.id}|{c.name}>" for c in self.channels.values() if c.name}

    def _new(self, channel: Channel, person: Person, text: str, thread: str | None, **more: Any) -> Message:
        assert thread is None or thread in channel.messages, "there is no such thread"
        ts = self.new_ts()
        message = Message(channel.id, ts, person.id, "", self.name_of, thread, team=person.team, **more)
        self._write(message, text)
        channel.messages[ts] = message
        message.note()
        return message

    def _write(self, message: Message, text: str) -> None:
        section = {"type": "rich_text_section", "elements": [{"type": "text", "text": seen(text, self.name_of)}]}
        message.text = text
        message.blocks = [{"type": "rich_text", "block_id": "b", "elements": [section]}] if text else []

    def _envelope(self, event: JSON, channel: Channel | None, event_id: str | None) -> JSON:
        authorization = {"enterprise_id": None, "team_id": self.team_id, "user_id": self.bot.id, "is_bot": True}
        return {
            "token": "verification-token",
            "team_id": self.team_id,
            "context_team_id": self.team_id,
            "api_app_id": self.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": event_id or self.new_id("Ev"),
            "event_time": int(time.time()),
            "authorizations": [authorization | {"is_enterprise_install": False}],
            "is_ext_shared_channel": channel is not None and channel.shared,
            "event_context": f"4-{self.new_id('')}",
        }
