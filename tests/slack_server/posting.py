"""Messages of the app: where it may post, and what is then there."""

from __future__ import annotations

from dataclasses import dataclass

from tests.slack_server.changing import Changing
from tests.slack_server.content import Content, content_of
from tests.slack_server.errors import JSON, Refused
from tests.slack_server.messages import Message
from tests.slack_server.world import Channel


@dataclass(eq=False, repr=False)
class Posting(Changing):
    """On the loop only."""

    def readable(self, id: str) -> Channel:
        """A conversation that the app can see; else ``channel_not_found``."""
        channel = self.channels.get(id)
        if channel is None:
            raise Refused("channel_not_found", f"there is no {id}")
        if channel.deleted:
            raise Refused("channel_not_found", blameless=True)
        if channel.is_private and self.bot.id not in channel.members:
            raise Refused("channel_not_found", blameless=True)
        return channel

    def writable(self, id: str) -> Channel:
        """A conversation that the app may post in; a person's id stands for the direct conversation."""
        if id in self.people and not self.people[id].is_bot:
            return self.conversation({id, self.bot.id})
        channel = self.channels.get(id)
        if channel is None or (channel.is_private and self.bot.id not in channel.members):
            raise Refused("channel_not_found", f"there is no {id}, or the app is not in it")
        if channel.deleted:
            raise Refused("channel_not_found", blameless=True)
        if channel.is_archived:
            raise Refused("is_archived")
        if self.bot.id not in channel.members and "chat:write.public" not in self.scopes:
            raise Refused("not_in_channel")
        return channel

    def own_message(self, channel: Channel, ts: str, error: str) -> Message:
        """A message of the app's that is still there; ``error`` where it is somebody else's."""
        message = channel.messages.get(ts)
        if message is None:
            raise Refused("message_not_found", f"there is no message {ts} in {channel.id}")
        if message.deleted:
            raise Refused("message_not_found", blameless=True)
        if message.user != self.bot.id:
            raise Refused(error)
        return message

    def place(self, method: str, channel: Channel, thread_ts: str | None) -> str | None:
        """Where a reply really lands: its thread; a wrong ``thread_ts`` is noted, and the message goes elsewhere."""
        if thread_ts is None:
            return None
        root = channel.messages.get(thread_ts)
        if root is None:
            self.violation(f"{method}: thread_ts {thread_ts} is no message of {channel.id}; it lands in the channel")
            return None
        if root.root != root.ts:
            self.violation(f"{method}: thread_ts {thread_ts} is a reply, not the root of a thread")
            return root.root
        if root.deleted and not any(reply.ts != root.ts and not reply.deleted for reply in channel.thread(root.ts)):
            self.violation(f"{method}: the root {thread_ts} was deleted; the reply lands in the channel")
            return None
        return root.ts

    def post(self, channel: Channel, content: Content, thread_ts: str | None) -> Message:
        """Put the app's message into a channel."""
        message = self.own(channel.id, content, thread_ts)
        channel.messages[message.ts] = message
        message.note()
        self.announce(message, channel)
        return message

    def own(self, channel: str, content: Content, thread_ts: str | None) -> Message:
        """A message of the app's that is nowhere yet."""
        return Message(
            channel,
            self.new_ts(),
            self.bot.id,
            content.text,
            self.name_of,
            thread_ts,
            bot_id=self.bot.bot_id,
            app_id=self.app_id,
            team=self.team_id,
            blocks=content.blocks or [],
            parts=content.parts,
            metadata=content.metadata,
        )

    def whisper(self, channel: str, user: str, content: Content, thread_ts: str | None = None) -> Message:
        """Show the app's message to one person only."""
        message = self.own(channel, content, thread_ts)
        message.ephemeral_to = user
        self.ephemeral.append(message)
        message.note()
        return message

    def rewrite(self, message: Message, content: Content) -> None:
        """Put new content into a message: blocks stay unless blocks (or Markdown) come; Markdown replaces all."""
        message.text = content.text or message.text
        if content.parts or content.blocks is not None:
            message.parts, message.blocks = content.parts, content.blocks or []
            if content.parts:
                message.text = ""
        if content.metadata is not None:
            message.metadata = content.metadata
        message.edited = True
        message.note()

    def respond(self, channel: str, user: str, body: JSON, original: Message | None = None) -> None:
        """What an answer to a command or a click does: an ephemeral message, a message, a replacement."""
        known = {"text", "blocks", "response_type", "replace_original", "delete_original", "thread_ts", "markdown_text"}
        unknown = set(body) - known - {"unfurl_links", "unfurl_media", "attachments", "metadata", "mrkdwn"}
        if unknown:
            raise Refused("invalid_arguments", f"unknown fields: {sorted(unknown)}")
        if body.get("delete_original"):
            if original is not None:
                original.deleted = True
            return
        content = content_of(self, "response_url", body)
        if body.get("replace_original") and original is not None:
            self.rewrite(original, content)
        elif body.get("response_type") == "in_channel":
            self.post(self.channels[channel], content, body.get("thread_ts"))
        else:
            self.whisper(channel, user, content, body.get("thread_ts"))
