"""What is a question to the bot, told from what Slack sends; everything else is left alone.

An event may come more than once, as ``message`` and as ``app_mention``, late, or with fields missing: one message in
one wording always gives a question with the same key, or none, and nothing that Slack sends raises.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol

from bot.asking import How, Question, text_hash

SPOKEN: Final = frozenset({"", "file_share", "thread_broadcast", "me_message"})  # subtypes of what people write
SLACKBOT: Final = "USLACKBOT"

_ID = re.compile(r"[\w.-]{1,64}")
_OTHERS = re.compile(r"<@[^<>]+>|<!subteam\^[^<>]*>|<!(?:here|channel|everyone)\b[^<>]*>")
_CHANNEL = re.compile(r"[A-Z][A-Z0-9_]*")

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Me:
    """Who the bot is, as ``auth.test`` tells: ``Me("U0BOT", "B0BOT", "T1", "acme.slack.com")``.

    ``host`` is where the workspace's own links lead; "" where Slack does not tell.
    """

    user_id: str
    bot_id: str
    team: str
    host: str = ""


Following = Literal["on", "mention"]


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Where untagged follow-ups are answered: everywhere or nowhere, but for some channels.

    >>> follow_ups = FollowUps.parse("on, C0123=mention")
    >>> follow_ups.in_channel("C9"), follow_ups.in_channel("C0123")
    (True, False)
    """

    elsewhere: Following = "on"
    channels: Mapping[str, Following] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def parse(cls, text: str) -> FollowUps:
        """Read ``on`` or ``mention``, with channels after it; ValueError with a sentence for anything else."""
        first, *rest = (part.strip() for part in text.split(","))
        channels: dict[str, Following] = {}
        for part in rest:
            channel, _, following = (side.strip() for side in part.partition("="))
            if not _CHANNEL.fullmatch(channel) or channel in channels:
                raise ValueError(_advice(part))
            channels[channel] = _following(following, part)
        return cls(_following(first, first), MappingProxyType(channels))

    def in_channel(self, channel: str) -> bool:
        """Whether untagged follow-ups are answered in a channel."""
        return self.channels.get(channel, self.elsewhere) == "on"


def _following(text: str, part: str) -> Following:
    if text.lower() == "on":
        return "on"
    if text.lower() == "mention":
        return "mention"
    raise ValueError(_advice(part))


def _advice(part: str) -> str:
    return f"'{part}' is not understood; use on or mention, then channels by their ids, such as: on, C0123=mention."


class Threads(Protocol):
    """What is remembered of threads (see ``Ledger``)."""

    async def began_with_question(self, team: str, channel: str, thread: str) -> bool: ...

    async def addressed_by(self, team: str, channel: str, thread: str, user: str) -> bool: ...

    async def is_muted(self, team: str, channel: str, thread: str) -> bool: ...


class Intake:
    """Decides which events are questions that are to be answered."""

    def __init__(self, me: Me, threads: Threads, follow_ups: FollowUps) -> None:
        self._me = me
        self._threads = threads
        self._follow_ups = follow_ups

    async def question(self, body: Fields) -> Question | None:
        """The question that an event asks, if any. Raises CatalogueUnavailable.

        An untagged reply is one where follow-ups are on, its thread began with a question to the bot and is not muted,
        and its author addressed the bot in it before.
        """
        question = candidate(body, self._me)
        if question is None or question.how is not How.FOLLOW_UP:
            return question
        thread = (question.team, question.channel, question.thread)
        follows = (
            self._follow_ups.in_channel(question.channel)
            and await self._threads.began_with_question(*thread)
            and await self._threads.addressed_by(*thread, question.user)
            and not await self._threads.is_muted(*thread)
        )
        return question if follows else None


def candidate(body: Fields, me: Me) -> Question | None:
    """The question that an event asks, as far as the event itself tells; one by FOLLOW_UP only might be one.

    >>> event = {"type": "app_mention", "channel": "C1", "user": "U1", "ts": "1.1", "text": "<@U0BOT> Who?"}
    >>> candidate({"team_id": "T1", "event": event}, Me("U0BOT", "B0BOT", "T1")).key.rpartition(":")[0]
    'T1:C1:1.1'
    """
    event = _fields(body, "event")
    if _text(event, "type") not in ("message", "app_mention"):
        return None
    if _text(event, "subtype") == "message_changed":
        return _of_edit(body, event, me)
    if event.get("hidden"):
        return None
    return _of_message(body, event, event, me)


def deleted(body: Fields, me: Me) -> tuple[str, str, str] | None:
    """(team, channel, ts) of a message that was deleted; the root of a thread leaves a ``tombstone`` in its place."""
    event = _fields(body, "event")
    if _text(event, "type") != "message":
        return None
    ts = ""
    if _text(event, "subtype") == "message_deleted":
        ts = _text(event, "deleted_ts") or _text(_fields(event, "previous_message"), "ts")
    elif _text(event, "subtype") == "message_changed":
        message = _fields(event, "message")
        ts = _text(message, "ts") if _text(message, "subtype") == "tombstone" else ""
    found = (_team(body, me), _text(event, "channel"), ts)
    return found if all(_ID.fullmatch(part) for part in found) else None


def command_question(payload: Fields, me: Me) -> Question | None:
    """The question of a slash command; None where the payload does not tell who asks, or where.

    A command is no message, so it has no thread (``""``) and its ``ts`` is no time: it is made from the trigger, which
    Slack gives once. The same command sent again is another question; delivered again it is the same one. Its ``kind``
    stays unknown: what Slack calls a direct message here may be one between two people.
    """
    trigger = _text(payload, "trigger_id") or _text(payload, "response_url") or json.dumps(dict(payload), default=str)
    question = Question(
        team=_text(payload, "team_id") or me.team,
        channel=_text(payload, "channel_id"),
        ts=f"command-{hashlib.sha256(trigger.encode()).hexdigest()[:20]}",
        thread="",
        user=_text(payload, "user_id"),
        text=_without_label(_text(payload, "text"), me),
        how=How.COMMAND,
        user_team=_text(payload, "team_id") or None,
        response_url=_text(payload, "response_url") or None,
    )
    return question if _is_sound(question) else None


def shortcut_question(payload: Fields, me: Me) -> Question | None:
    """The question in a message on which somebody used the shortcut; it is theirs, and answered for their eyes.

    None where the payload does not tell who asks, or where. It is answered beside the message: in its thread, if any.
    """
    message = _fields(payload, "message")
    trigger = _text(payload, "trigger_id") or _text(payload, "response_url") or json.dumps(dict(payload), default=str)
    question = Question(
        team=_text(_fields(payload, "team"), "id") or me.team,
        channel=_text(_fields(payload, "channel"), "id"),
        ts=f"private-{_text(message, 'ts')}",
        thread=_text(message, "thread_ts"),
        user=_text(_fields(payload, "user"), "id"),
        text=_words(message, me),
        how=How.COMMAND,
        user_team=_text(_fields(payload, "user"), "team_id") or None,
        response_url=_text(payload, "response_url") or None,
        private=True,
        files=_files(message),
        again=f":{trigger}",  # used twice it is another question; told twice it is the same one
    )
    return question if _is_sound(question) else None


def mentions(text: str, me: Me) -> bool:
    """Whether a text, as Slack sends it, names the bot: ``<@U0BOT>`` or ``<@U0BOT|name>``."""
    return f"<@{me.user_id}>" in text or f"<@{me.user_id}|" in text


def _of_edit(body: Fields, event: Fields, me: Me) -> Question | None:
    """An edited message asks anew where its words changed, and it names the bot or is a direct message.

    Slack also reports unfurled links, reactions to a thread and its own guesses of a language as edits.
    """
    message, before = _fields(event, "message"), _fields(event, "previous_message")
    edited = _fields(message, "edited")
    if message.get("hidden") or _text(edited, "user") not in ("", _text(message, "user")):
        return None
    if (
        not before and not edited
    ):  # not told what it was: only a person's edit counts, and its key is known if it is old
        return None
    if before and text_hash(_words(before, me)) == text_hash(_words(message, me)):
        return None
    question = _of_message(body, event, message, me)
    if question is None or question.how is How.FOLLOW_UP:
        return None
    return replace(question, edited=True)


def _of_message(body: Fields, event: Fields, message: Fields, me: Me) -> Question | None:
    """The question in ``message``, which is the event itself or the edited message in it."""
    if _text(message, "subtype") not in SPOKEN or _is_from_bot(message, me):
        return None
    channel, ts, text = _text(event, "channel"), _text(message, "ts"), _words(message, me)
    thread = _text(message, "thread_ts") or ts
    is_direct = channel.startswith("D") or _text(event, "channel_type") == "im"
    how = How.DIRECT if is_direct else _how(event, text, is_reply=thread != ts, me=me)
    if how is None:
        return None
    question = Question(
        team=_team(body, me),
        channel=channel,
        ts=ts,
        thread=thread,
        user=_text(message, "user"),
        text=text,
        how=how,
        kind="im" if is_direct else _text(event, "channel_type"),
        user_team=next((team for name in _TEAMS if (team := _text(message, name))), None),
        edited=bool(message.get("edited")),
        files=_files(message),
    )
    return question if _is_sound(question) else None


_TEAMS = ("user_team", "source_team", "team")


def _how(event: Fields, text: str, *, is_reply: bool, me: Me) -> How | None:
    """How a message outside a direct conversation asks, if it does."""
    if mentions(text, me) or _text(event, "type") == "app_mention":
        return How.MENTION
    if is_reply and text.strip() and not _OTHERS.search(text):
        return How.FOLLOW_UP
    return None


def _is_from_bot(message: Fields, me: Me) -> bool:
    """Whether a program wrote a message; our own bot is one. Bots are never answered: they would answer back."""
    signed = any(message.get(name) for name in ("bot_id", "app_id", "bot_profile"))
    return signed or message.get("user") in (me.user_id, SLACKBOT)


def _is_sound(question: Question) -> bool:
    """Whether everything has a name by which it can be kept and answered."""
    names = (question.team, question.channel, question.ts, question.thread or question.ts, question.user)
    return all(_ID.fullmatch(name) for name in names)


def _team(body: Fields, me: Me) -> str:
    """The team that installed us: in a shared channel ``team_id`` may be where the author is."""
    installed = body.get("authorizations")
    first = installed[0] if isinstance(installed, list) and installed else None
    ours = _text(first, "team_id") if isinstance(first, Mapping) else ""
    return ours or _text(body, "team_id") or me.team


def _words(message: Fields, me: Me) -> str:
    return _without_label(_text(message, "text"), me)


def _without_label(text: str, me: Me) -> str:
    """The bot's own mention without the name that may stand in it, so that it is the same wherever it is told."""
    return re.sub(rf"<@{re.escape(me.user_id)}\|[^<>]*>", f"<@{me.user_id}>", text)


def _files(message: Fields) -> tuple[dict[str, Any], ...]:
    files = message.get("files")
    return tuple(file for file in files if isinstance(file, dict)) if isinstance(files, list) else ()


def _fields(body: Fields, name: str) -> Fields:
    value = body.get(name)
    return value if isinstance(value, Mapping) else {}


def _text(body: Fields, name: str) -> str:
    """A field that should be a text; "" where it is missing or something else. Halves of characters become ``?``."""
    value = body.get(name)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
