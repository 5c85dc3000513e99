"""What people do that the app must answer at once: commands, buttons, forms, the Home tab."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.slack_server.deliveries import Delivery
from tests.slack_server.errors import JSON, Refused
from tests.slack_server.filling import action_of, clickable, state_of
from tests.slack_server.messages import Message
from tests.slack_server.modals import Modals
from tests.slack_server.posting import Posting
from tests.slack_server.texts import typed
from tests.slack_server.world import Channel, Person, View

_NAMES = {"im": "directmessage", "mpim": "mpdm", "group": "privategroup"}


@dataclass(eq=False, repr=False)
class Clicking(Posting, Modals):
    """Commands and clicks. They give a ``Delivery``: ``wait()`` or ``await arrives()`` for the acknowledgement."""

    def commands(self, person: Person, channel: Channel, command: str, text: str = "") -> Delivery:
        """Type ``/ask text`` in a channel; users and channels arrive escaped, as with ``should_escape: true``."""

        def run() -> Delivery:
            names = {f"@{p.name}": f"<@{p.id}|{p.name.lower()}>" for p in self.people.values()}
            names |= {f"#{c.name}": f"<#{c.id}|{c.name}>" for c in self.channels.values() if c.name}
            payload = {
                "token": "verification-token",
                "team_id": self.team_id,
                "team_domain": "situate",
                "channel_id": channel.id,
                "channel_name": _NAMES.get(channel.kind, channel.name),
                "user_id": person.id,
                "user_name": person.name.lower(),
                "command": command,
                "text": typed(text, names),
                "api_app_id": self.app_id,
                "is_enterprise_install": "false",
                "response_url": self.new_response_url(channel.id, person.id),
                "trigger_id": self.new_trigger(person.id),
            }
            return self.send("slash_commands", payload, command, lambda body: self._answered(payload, body))

        return self.on_loop(run)

    def clicks(
        self,
        person: Person,
        channel: Channel,
        message_ts: str,
        action_id: str,
        *,
        option: str | None = None,
        value: str | None = None,
    ) -> Delivery:
        """Click what is really shown to this person there. ``value``: which of several with the same ``action_id``;
        ``option``: the value of a menu's option, or of one of two feedback buttons."""

        def click() -> Delivery:
            message = self._message_of(person, channel, message_ts)
            block_id, element = clickable(message.all_blocks, action_id, value, f"{person.name} sees")
            payload = self._payload("block_actions", person) | {
                "container": {
                    "type": "message",
                    "message_ts": message_ts,
                    "channel_id": channel.id,
                    "is_ephemeral": message.ephemeral_to is not None,
                }
                | ({"thread_ts": message.thread_ts} if message.thread_ts else {}),
                "channel": {"id": channel.id, "name": _NAMES.get(channel.kind, channel.name)},
                "state": {"values": {}},
                "response_url": self.new_response_url(channel.id, person.id, message_ts),
                "actions": [action_of(block_id, element, option, self.new_ts())],
            }
            if message.ephemeral_to is None:
                payload["message"] = self.message_json(message)
            return self.send("interactive", payload, f"block_actions {action_id}")

        return self.on_loop(click)

    def uses_shortcut(self, person: Person, channel: Channel, message_ts: str, callback_id: str) -> Delivery:
        """Use a shortcut from the menu of a message that this person sees, also where the app is not."""

        def use() -> Delivery:
            message = self._message_of(person, channel, message_ts)
            assert message.ephemeral_to is None, "a message for one person only has no shortcuts"
            payload = self._payload("message_action", person) | {
                "action_ts": self.new_ts(),
                "callback_id": callback_id,
                "channel": {"id": channel.id, "name": _NAMES.get(channel.kind, channel.name)},
                "message_ts": message_ts,
                "message": self.message_json(message),
                "response_url": self.new_response_url(channel.id, person.id, message_ts),
            }
            return self.send("interactive", payload, f"message_action {callback_id}")

        return self.on_loop(use)

    def clicks_in_home(
        self, person: Person, action_id: str, *, option: str | None = None, value: str | None = None
    ) -> Delivery:
        """Click something on the Home tab as it was published last: of several with this ``action_id`` what has this
        ``value``, or offers this ``option``."""

        def click() -> Delivery:
            home = self.homes.get(person.id)
            assert home is not None, f"nothing was published on {person.name}'s Home tab"
            return self._click_in(home, person, action_id, option, value, {})

        return self.on_loop(click)

    def clicks_in_view(
        self,
        person: Person,
        action_id: str,
        *,
        option: str | None = None,
        value: str | None = None,
        filled: Mapping[str, Any] | None = None,
    ) -> Delivery:
        """Click something in the modal that this person has open. ``filled``: what is in its inputs by then."""

        def click() -> Delivery:
            return self._click_in(self._top_view(person), person, action_id, option, value, dict(filled or {}))

        return self.on_loop(click)

    def submits(
        self,
        person: Person,
        values: Mapping[str, Any] | None = None,
        *,
        forged: Callable[[JSON], None] | None = None,
    ) -> Delivery:
        """Press the modal's submit button. ``values`` by ``action_id``: text, an option's value, or a list of them;
        for a ``file_input`` a list of files, which are uploaded by that and shared nowhere.

        The modal closes with the acknowledgement, unless that says otherwise (``errors``, ``update``, ``push``).
        ``forged`` alters the view that is sent in, as Slack lets nobody do.
        """

        def submit() -> Delivery:
            view = self._top_view(person)
            assert view.content.get("submit"), f"the modal {view.title} has no submit button"
            state = state_of(view.blocks, dict(values or {}), person)
            sent = self.view_json(view) | {"state": {"values": state}}
            if forged is not None:
                forged(sent)
            payload = self._payload("view_submission", person) | {"view": sent, "response_urls": []}
            return self.send(
                "interactive",
                payload,
                f"view_submission {view.content.get('callback_id', '')}",
                lambda body: self._submitted(view, body),
            )

        return self.on_loop(submit)

    def closes(self, person: Person) -> Delivery | None:
        """Close the modal. The app hears of it only where the view asks for that (``notify_on_close``)."""

        def close() -> Delivery | None:
            view = self._top_view(person)
            self.close_view(view)
            if not view.content.get("notify_on_close"):
                return None
            payload = self._payload("view_closed", person) | {"view": self.view_json(view), "is_cleared": False}
            return self.send("interactive", payload, "view_closed")

        return self.on_loop(close)

    # On the loop only

    def _click_in(
        self, view: View, person: Person, action_id: str, option: str | None, value: str | None, filled: dict[str, Any]
    ) -> Delivery:
        shows = f"{person.name}'s {view.content['type']} shows"
        block_id, element = clickable(view.blocks, action_id, value, shows, option=option)
        state = state_of(view.blocks, filled, person, whole=False)
        payload = self._payload("block_actions", person) | {
            "container": {"type": "view", "view_id": view.id},
            "view": self.view_json(view) | {"state": {"values": state}},
            "actions": [action_of(block_id, element, option, self.new_ts())],
        }
        return self.send("interactive", payload, f"block_actions {action_id}")

    def _answered(self, payload: JSON, body: JSON) -> None:
        if body.get("text") or body.get("blocks"):
            try:
                self.respond(payload["channel_id"], payload["user_id"], body)
            except Refused as refused:
                self.violation(f"answer to {payload['command']}: {refused}")

    def _submitted(self, view: View, body: JSON) -> None:
        action = body.get("response_action")
        try:
            if action == "errors":
                known = {block.get("block_id") for block in view.blocks if block["type"] == "input"}
                view.errors = dict(body.get("errors") or {})
                if not view.errors or not known.issuperset(view.errors):
                    self.violation(f"view_submission: errors of no input: {sorted(view.errors)}")
            elif action == "update":
                self.replace_view(view, self.check_view(body.get("view")))
            elif action == "push":
                self.put_view(view.user, self.check_view(body.get("view")), under=view)
            elif action == "clear":
                for open_view in self.views_of(view.user):
                    self.close_view(open_view)
            elif action is None:
                self.close_view(view)
            else:
                self.violation(f"view_submission: unknown response_action {action}")
        except Refused as refused:
            self.violation(f"answer to view_submission: {refused}")

    def _message_of(self, person: Person, channel: Channel, ts: str) -> Message:
        for message in self.ephemeral:
            if message.ts == ts and message.ephemeral_to == person.id and not message.deleted:
                return message
        message = channel.messages[ts]
        assert not message.deleted, "that message was deleted"
        assert person.id in channel.members, f"{person.name} is not in {channel.name or channel.id}"
        return message

    def _top_view(self, person: Person) -> View:
        views = self.views_of(person.id)
        assert views, f"{person.name} has no modal open"
        return views[-1]

    def _payload(self, kind: str, person: Person) -> JSON:
        name = person.name.lower()
        return {
            "type": kind,
            "user": {"id": person.id, "username": name, "name": name, "team_id": person.team},
            "api_app_id": self.app_id,
            "token": "verification-token",
            "trigger_id": self.new_trigger(person.id),
            "team": {"id": self.team_id, "domain": "situate"},
            "enterprise": None,
            "is_enterprise_install": False,
        }
