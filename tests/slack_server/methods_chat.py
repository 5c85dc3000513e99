"""The Web API's ``chat`` family, but for streams."""

from __future__ import annotations

from tests.slack_server.clicking import Clicking
from tests.slack_server.content import UPDATE_LIMIT, check_unfurls, content_of
from tests.slack_server.errors import JSON, Refused


def post_message(slack: Clicking, args: JSON) -> JSON:
    channel = slack.writable(args["channel"])
    content = content_of(slack, "chat.postMessage", args)
    check_unfurls(slack, "chat.postMessage", args, content)
    thread = slack.place("chat.postMessage", channel, args.get("thread_ts"))
    message = slack.post(channel, content, thread)
    return {"channel": channel.id, "ts": message.ts, "message": message.as_json(with_metadata=True)}


def post_ephemeral(slack: Clicking, args: JSON) -> JSON:
    channel = slack.writable(args["channel"])
    if args["user"] not in channel.members:
        raise Refused("user_not_in_channel")
    content = content_of(slack, "chat.postEphemeral", args)
    thread = slack.place("chat.postEphemeral", channel, args.get("thread_ts"))
    return {"message_ts": slack.whisper(channel.id, args["user"], content, thread).ts}


def update(slack: Clicking, args: JSON) -> JSON:
    channel = slack.writable(args["channel"])
    message = slack.own_message(channel, args["ts"], "cant_update_message")
    if message.open:
        raise Refused("streaming_state_conflict", "the message is still being streamed")
    if message.is_stream and slack.refuses_updates_of_streams:
        raise Refused("block_mismatch", blameless=True)
    if len(args.get("text") or "") > UPDATE_LIMIT:
        raise Refused("msg_too_long", f"text of {len(args['text'])} characters")
    if args.get("blocks") == [] and args.get("text"):
        content = content_of(slack, "chat.update", {**args, "blocks": None})
        content.blocks = []
    else:
        content = content_of(slack, "chat.update", args)
    before = message.as_json()
    slack.rewrite(message, content)
    if slack.echoes:
        slack.changed(channel, message, before)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": message.as_json()}


def delete(slack: Clicking, args: JSON) -> JSON:
    channel = slack.writable(args["channel"])
    message = slack.own_message(channel, args["ts"], "cant_delete_message")
    if message.open:
        raise Refused("cant_delete_message", "the message is still being streamed")
    before = message.as_json()
    message.deleted = True
    if slack.echoes:
        slack.removed(channel, message, before)
    return {"channel": channel.id, "ts": message.ts}


def get_permalink(slack: Clicking, args: JSON) -> JSON:
    channel = slack.readable(args["channel"])
    message = channel.messages.get(args["message_ts"])
    if message is None or message.deleted:
        raise Refused("message_not_found", blameless=message is not None)
    return {"channel": channel.id, "permalink": slack.permalink_of(channel, message.ts)}


METHODS = {
    "chat.postMessage": post_message,
    "chat.postEphemeral": post_ephemeral,
    "chat.update": update,
    "chat.delete": delete,
    "chat.getPermalink": get_permalink,
}
