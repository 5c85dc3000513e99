"""The Web API's methods that look things up: conversations, people, files, reactions, the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tests.slack_server.clicking import Clicking
from tests.slack_server.errors import JSON, Refused, invalid_arguments
from tests.slack_server.messages import Message
from tests.slack_server.world import Channel

T = TypeVar("T")
_TYPES = {"public_channel": "channel", "private_channel": "group", "mpim": "mpim", "im": "im"}


def page(items: Sequence[T], args: JSON, most: int, standard: int) -> tuple[list[T], JSON]:
    """A page of items, and what tells of the next one. A cursor is ``at:3``."""
    limit = args.get("limit") or standard
    if not limit >= 1:
        raise Refused("invalid_limit")
    cursor = str(args.get("cursor") or "at:0")
    if not cursor.removeprefix("at:").isdigit():
        raise Refused("invalid_cursor")
    start = int(cursor.removeprefix("at:"))
    end = start + min(limit, most)
    more = end < len(items)
    return list(items[start:end]), {"response_metadata": {"next_cursor": f"at:{end}" if more else ""}}


def replies(slack: Clicking, args: JSON) -> JSON:
    channel = slack.readable(args["channel"])
    root = channel.messages.get(args["ts"])
    thread = [m for m in channel.thread(root.root) if not m.deleted or m.ts == root.root] if root else []
    if root is None or (root.deleted and len(thread) <= 1):
        raise Refused("thread_not_found", blameless=root is not None)
    found = [message for message in thread if message is thread[0] or _within(message, args)]
    messages, more = page(found, args, slack.page_size or 1000, slack.page_size or 1000)
    if slack.root_on_every_page and messages and messages[0] is not found[0]:
        messages.insert(0, found[0])
    return _messages(slack, messages, args) | more | {"has_more": bool(more["response_metadata"]["next_cursor"])}


def history(slack: Clicking, args: JSON) -> JSON:
    channel = slack.readable(args["channel"])
    roots = [m for m in channel.messages.values() if m.root == m.ts and not m.deleted and _within(m, args)]
    messages, more = page(roots[::-1], args, slack.page_size or 999, slack.page_size or 100)
    return _messages(slack, messages, args) | more | {"has_more": bool(more["response_metadata"]["next_cursor"])}


def _within(message: Message, args: JSON) -> bool:
    inclusive = args.get("inclusive", False)
    at, oldest, latest = float(message.ts), float(args.get("oldest") or 0), float(args.get("latest") or 1e12)
    return oldest <= at <= latest if inclusive else oldest < at < latest


def _messages(slack: Clicking, messages: list[Message], args: JSON) -> JSON:
    with_metadata = bool(args.get("include_all_metadata"))
    return {"messages": [slack.message_json(message, with_metadata=with_metadata) for message in messages]}


def info(slack: Clicking, args: JSON) -> JSON:
    channel = slack.readable(args["channel"])
    body = channel.as_json() | {"is_member": slack.bot.id in channel.members}
    if channel.kind == "im":
        body["user"] = next(iter(channel.members - {slack.bot.id}), slack.bot.id)
    if not args.get("include_num_members"):
        body.pop("num_members")
    return {"channel": body}


def members(slack: Clicking, args: JSON) -> JSON:
    channel = slack.readable(args["channel"])
    ids, more = page(sorted(channel.members), args, min(999, slack.page_size or 999), 100)
    return {"members": ids} | more


def open_conversation(slack: Clicking, args: JSON) -> JSON:
    if args.get("channel"):
        channel = slack.readable(args["channel"])
    else:
        users = set(str(args.get("users") or "").split(",")) - {""}
        if not users:
            raise invalid_arguments("users or channel is required")
        if users - set(slack.people):
            raise Refused("user_not_found")
        if any(slack.people[user].is_bot for user in users):
            raise Refused("cannot_dm_bot")
        if any(slack.people[user].deleted for user in users):
            raise Refused("user_disabled", blameless=True)
        channel = slack.conversation(users | {slack.bot.id})
    return {"channel": channel.as_json() if args.get("return_im") else {"id": channel.id}}


def list_conversations(slack: Clicking, args: JSON) -> JSON:
    return _listed(slack, _visible(slack), args)


def _visible(slack: Clicking) -> list[Channel]:
    there = [channel for channel in slack.channels.values() if not channel.deleted]
    return [channel for channel in there if not channel.is_private or slack.bot.id in channel.members]


def users_conversations(slack: Clicking, args: JSON) -> JSON:
    user = args.get("user") or slack.bot.id
    if user not in slack.people:
        raise Refused("user_not_found")
    return _listed(slack, [channel for channel in _visible(slack) if user in channel.members], args)


def _listed(slack: Clicking, channels: list[Channel], args: JSON) -> JSON:
    types = str(args.get("types") or "public_channel").split(",")
    if set(types) - set(_TYPES):
        raise Refused("invalid_types")
    kinds = {_TYPES[name] for name in types}
    chosen = [c for c in channels if c.kind in kinds and not (args.get("exclude_archived") and c.is_archived)]
    shown, more = page(chosen, args, min(999, slack.page_size or 999), 100)
    return {"channels": [channel.as_json() for channel in shown]} | more


def users_info(slack: Clicking, args: JSON) -> JSON:
    person = slack.people.get(args["user"])
    if person is None:
        raise Refused("user_not_found")
    return {"user": person.as_json(with_locale=bool(args.get("include_locale")))}


def users_list(slack: Clicking, args: JSON) -> JSON:
    people, more = page(list(slack.people.values()), args, min(999, slack.page_size or 999), 1000)
    with_locale = bool(args.get("include_locale"))
    return {"members": [person.as_json(with_locale=with_locale) for person in people]} | more


def files_info(slack: Clicking, args: JSON) -> JSON:
    file = slack.files.get(args["file"])
    if file is None:
        raise Refused("file_not_found")
    if file.deleted:
        raise Refused("file_deleted", blameless=True)
    if not slack.sees_file(file):
        raise Refused("file_not_found", blameless=True)
    return {"file": slack.file_json(file), "comments": [], "response_metadata": {"next_cursor": ""}}


def reactions_get(slack: Clicking, args: JSON) -> JSON:
    channel = slack.readable(str(args.get("channel")))
    message = channel.messages.get(str(args.get("timestamp")))
    if message is None or message.deleted:
        raise Refused("message_not_found", blameless=message is not None)
    return {"type": "message", "channel": channel.id, "message": message.as_json()}


def reactions_add(slack: Clicking, args: JSON) -> JSON:
    channel = slack.writable(args["channel"])
    message = channel.messages.get(args["timestamp"])
    if message is None or message.deleted:
        raise Refused("message_not_found", blameless=message is not None)
    users = message.reactions.setdefault(args["name"].strip(":"), [])
    if slack.bot.id in users:
        raise Refused("already_reacted")
    users.append(slack.bot.id)
    return {}


def bots_info(slack: Clicking, args: JSON) -> JSON:
    found = next((p for p in slack.people.values() if p.bot_id and p.bot_id == args.get("bot", p.bot_id)), None)
    if found is None:
        raise Refused("bot_not_found")
    app = slack.app_id if found is slack.bot else "A0OTHER"
    bot = {"id": found.bot_id, "deleted": False, "name": found.name, "user_id": found.id, "app_id": app}
    return {"bot": bot}


def team_info(slack: Clicking, args: JSON) -> JSON:
    return {"team": {"id": slack.team_id, "name": slack.team_name, "domain": "situate"}}


METHODS = {
    "conversations.replies": replies,
    "conversations.history": history,
    "conversations.info": info,
    "conversations.members": members,
    "conversations.open": open_conversation,
    "conversations.list": list_conversations,
    "users.conversations": users_conversations,
    "users.info": users_info,
    "users.list": users_list,
    "files.info": files_info,
    "reactions.get": reactions_get,
    "reactions.add": reactions_add,
    "bots.info": bots_info,
    "team.info": team_info,
}
