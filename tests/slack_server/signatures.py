"""The Web API's methods: their arguments, the scopes they need, how often they may be called."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from tests.slack_server.errors import JSON, invalid_arguments

Token = Literal["bot", "app", "none"]


@dataclass(frozen=True, slots=True)
class Signature:
    """``required`` and ``optional`` are names separated by spaces, each ``name`` (text) or ``name:type``.

    Types: ``bool``, ``int``, ``list`` and ``object`` (also as JSON text), ``ts`` (a message's timestamp), ``any``.
    ``scopes``: all of them are needed; conversations need one by their kind, see ``KINDS``. ``tier``: None is the
    special one of posting, 1 a second a channel.
    """

    required: str = ""
    optional: str = ""
    scopes: tuple[str, ...] = ()
    tier: int | None = 3
    token: Token = "bot"


_LOOK = "icon_emoji icon_url username"
_POST = (
    f"text as_user:bool attachments:list blocks:list thread_ts:ts link_names:bool parse metadata:object {_LOOK} "
    "markdown_text"
)
_PAGE = "cursor limit:int"
_RANGE = f"{_PAGE} inclusive:bool include_all_metadata:bool latest oldest"
_WRITE = ("chat:write",)
METHODS: dict[str, Signature] = {
    "api.test": Signature("", "error foo", (), 4, "none"),
    "auth.test": Signature("", "", (), 5),
    "apps.connections.open": Signature("", "", ("connections:write",), 1, "app"),
    "chat.postMessage": Signature(
        "channel",
        f"{_POST} reply_broadcast:bool unfurl_links:bool unfurl_media:bool mrkdwn:bool container_id",
        _WRITE,
        None,
    ),
    "chat.postEphemeral": Signature("channel user", _POST, _WRITE, 4),
    "chat.update": Signature(
        "channel ts:ts",
        "text attachments:list blocks:list as_user:bool file_ids link_names:bool parse reply_broadcast:bool "
        "metadata:object markdown_text",
        _WRITE,
    ),
    "chat.delete": Signature("channel ts:ts", "as_user:bool", _WRITE),
    "chat.getPermalink": Signature("channel message_ts:ts", "", (), 5),
    "chat.startStream": Signature(
        "channel thread_ts:ts",
        f"markdown_text recipient_team_id recipient_user_id chunks:list task_display_mode {_LOOK}",
        _WRITE,
        2,
    ),
    "chat.appendStream": Signature("channel ts:ts", "markdown_text chunks:list", _WRITE, 4),
    "chat.stopStream": Signature(
        "channel ts:ts", "markdown_text blocks:list metadata:object chunks:list session_status", _WRITE, 2
    ),
    "conversations.replies": Signature("channel ts:ts", _RANGE),
    "conversations.history": Signature("channel", _RANGE),
    "conversations.info": Signature("channel", "include_locale:bool include_num_members:bool"),
    "conversations.members": Signature("channel", _PAGE, (), 4),
    "conversations.open": Signature("", "channel users return_im:bool prevent_creation:bool"),
    "conversations.list": Signature("", f"{_PAGE} exclude_archived:bool team_id types", (), 2),
    "users.info": Signature("user", "include_locale:bool", ("users:read",), 4),
    "users.list": Signature("", f"{_PAGE} include_locale:bool team_id", ("users:read",), 2),
    "users.conversations": Signature("", f"{_PAGE} exclude_archived:bool team_id types user"),
    "assistant.threads.setStatus": Signature(
        "channel_id thread_ts:ts status", f"loading_messages:list {_LOOK}", _WRITE, 5
    ),
    "assistant.threads.setSuggestedPrompts": Signature(
        "channel_id prompts:list", "thread_ts:ts title", ("assistant:write",)
    ),
    "assistant.threads.setTitle": Signature("channel_id thread_ts:ts title", "", ("assistant:write",)),
    "agents.sessions.setStatus": Signature(
        "channel_id status", f"thread_ts:ts title initiator_user_id {_LOOK}", _WRITE
    ),
    "agents.sessions.rename": Signature("channel_id title", "thread_ts:ts", _WRITE),
    "views.open": Signature("view:object", "trigger_id interactivity_pointer", (), 4),
    "views.push": Signature("view:object", "trigger_id interactivity_pointer", (), 4),
    "views.update": Signature("view:object", "view_id external_id hash", (), 4),
    "views.publish": Signature("user_id view:object", "hash", (), 4),
    "files.info": Signature("file", f"count:int page:int {_PAGE}", ("files:read",), 4),
    "reactions.get": Signature("", "channel file file_comment full:bool timestamp:ts", ("reactions:read",)),
    "reactions.add": Signature("channel name timestamp:ts", "", ("reactions:write",)),
    "bots.info": Signature("", "bot team_id", ("users:read",)),
    "team.info": Signature("", "team domain include_slackbot_availability:bool", ("team:read",)),
}
PREFIX = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}
KINDS = {  # methods whose scope depends on the kind of conversation: "channels:history", "im:history" …
    "conversations.replies": "history",
    "conversations.history": "history",
    "conversations.info": "read",
    "conversations.members": "read",
    "conversations.open": "write",
    "conversations.list": "read",
    "users.conversations": "read",
}
ALL_SCOPES = frozenset(
    {scope for signature in METHODS.values() if signature.token == "bot" for scope in signature.scopes}
    | {f"{prefix}:{what}" for prefix in PREFIX.values() for what in ("history", "read", "write")}
    | {"app_mentions:read", "commands"}
)


def check_arguments(method: str, given: JSON) -> JSON:
    """The arguments, each of its type; None counts as missing. Raises ``invalid_arguments``.

    >>> check_arguments("conversations.replies", {"channel": "C1", "ts": "1700000000.000100", "limit": "15"})
    {'channel': 'C1', 'ts': '1700000000.000100', 'limit': 15}
    """
    signature = METHODS[method]
    types = dict(_named(f"{signature.required} {signature.optional}"))
    types.setdefault("team_id", "str")  # Bolt's clients send it with everything
    problems = [f"unknown argument: {name}" for name in given if name not in types]
    needed = [name for name, _ in _named(signature.required)]
    may_be_empty = {"status"}  # an empty status takes the line away
    problems += [
        f"missing required field: {name}"
        for name in needed
        if given.get(name) is None or (given[name] == "" and name not in may_be_empty)
    ]
    arguments = {}
    for name, value in given.items():
        if name in types and value is not None:
            try:
                arguments[name] = _typed(types[name], value)
            except ValueError as problem:
                problems.append(f"{problem} [json-pointer:/{name}]")
    if problems:
        raise invalid_arguments(*problems)
    return arguments


def _named(names: str) -> list[tuple[str, str]]:
    return [(name, kind or "str") for name, _, kind in (word.partition(":") for word in names.split())]


def _typed(kind: str, value: Any) -> Any:
    if kind in ("list", "object"):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                raise ValueError("must be JSON") from None
        if not isinstance(value, list if kind == "list" else dict):
            raise ValueError(f"must be {'an array' if kind == 'list' else 'an object'}")
        return value
    if kind == "bool":
        known = {"1": True, "true": True, "0": False, "false": False}
        if isinstance(value, bool):
            return value
        if str(value).lower() in known:
            return known[str(value).lower()]
        raise ValueError("must be a boolean")
    if kind == "int":
        if isinstance(value, bool) or not str(value).lstrip("-").isdigit():
            raise ValueError("must be an integer")
        return int(value)
    if not isinstance(value, str):
        raise ValueError("must be a string")
    if kind == "ts" and not _is_ts(value):
        raise ValueError("must be a timestamp")
    return value


def _is_ts(value: str) -> bool:
    seconds, dot, rest = value.partition(".")
    return bool(dot) and seconds.isdigit() and rest.isdigit() and len(rest) == 6
