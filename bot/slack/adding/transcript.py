"""A message or a thread as one text that is kept: who said what when, the bot's answers whole, with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from bot.answering.visible import one_line, without_hidden
from bot.slack.adding.messages import Message
from bot.slack.adding.not_added import NotAdded
from bot.slack.adding.own_answers import OwnAnswers
from bot.slack.intake import SPOKEN, Me
from bot.slack.markup import unescape
from bot.slack.parts import Parts
from bot.slack.people import LONGEST_NAME
from bot.slack.threads import MENTION, apart_names, moment, names_of, without_mention
from bot.texts import Texts
from indexer import Audience

LONGEST_TITLE = 80  # characters
NAMES_SECONDS = 10.0
_KEPT: Final = SPOKEN | {"bot_message"}  # subtypes of what people and apps say
_PARTS: Final = ("pretext", "title", "text", "fields", "elements", "value")  # of a block or an attachment, in order


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as text. ``title`` is its first words, or what was asked first. ``made_of`` are the ``ts`` of the
    messages in it, ``made_from`` the audiences of what the bot's answers in it rest on. ``is_answer``: it is one of
    these answers alone, in Markdown.
    """

    text: str
    title: str
    made_of: tuple[str, ...]
    made_from: frozenset[Audience] = frozenset()
    is_answer: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """What one message says. ``title`` is what a conversation is called that begins with it."""

    ts: str
    speaker: str
    text: str
    title: str


async def transcript(
    parts: Parts, channel: str, messages: Sequence[Message], *, user: str, texts: Texts, name: str
) -> Transcript:
    """What was said in ``messages``, oldest first, as far as ``user`` may keep it; ``name`` is for refusals.

    Of two messages, the second in two lines:

        Ana (2023-11-14 22:13 UTC): When was it?

        Bo (2023-11-14 22:15 UTC): In May.
          I was there.

    An answer of the bot's, alone, is no conversation: it stands under what was asked (``OwnAnswers.as_document``). One
    that may not be kept is left out of a thread, and that is said there; alone it raises NotAdded, as does what says
    nothing. Raises CannotCheck and CatalogueUnavailable, too.
    """
    writing = _Writing(parts, texts, OwnAnswers(parts, channel, user, texts), alone=len(messages) == 1)
    await writing.look_up(messages)
    for message in messages:
        if _is_mine(message, parts.me):
            await writing.answer(str(message.get("ts")))
        else:
            writing.said(message)
    if not writing.lines:
        raise NotAdded("message_empty", name=name)
    title = next((line.title for line in writing.lines if line.title), name)
    text = writing.text() if writing.document is None else writing.document
    made_from = frozenset(writing.made_from)
    return Transcript(text, title, tuple(writing.made_of), made_from, writing.document is not None)


@dataclass(slots=True)
class _Writing:
    """The transcript while it is written."""

    parts: Parts
    texts: Texts
    own: OwnAnswers
    alone: bool
    lines: list[_Line] = field(default_factory=list)
    made_of: dict[str, None] = field(default_factory=dict)
    made_from: set[Audience] = field(default_factory=set)
    document: str | None = None  # of an answer alone
    _names: dict[str, str] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)  # ids of the answers that stand here already

    async def look_up(self, messages: Sequence[Message]) -> None:
        """Find out who everybody is, and which answers these are. Raises CatalogueUnavailable."""
        me = self.parts.me
        mentioned = {id for one in messages for id in MENTION.findall(_words(one))}
        users = {str(one["user"]) for one in messages if one.get("user")}
        self._names = _bots_names(messages) | await names_of(
            self.parts.directory, mentioned | users | {me.user_id}, NAMES_SECONDS
        )
        mine = [str(one.get("ts")) for one in messages if _is_mine(one, me)]
        if mine:
            first = messages[0]
            await self.own.look_up(str(first.get("thread_ts") or first.get("ts")), mine)

    def said(self, message: Message) -> None:
        """Write what a person or an app said; nothing for what Slack itself says (who came, what was deleted)."""
        if str(message.get("subtype") or "") not in _KEPT or message.get("hidden"):
            return
        text = unescape(without_mention(_words(message), self.parts.me.user_id), self._names.get)
        text = without_hidden(text).strip()
        files = ", ".join(_files(message))
        attached = self.texts.say("files_attached", names=files) if files else ""
        told = "\n".join(filter(None, (text, attached)))
        if told:
            self._write(_Line(str(message.get("ts")), _speaker(message), told, one_line(text or files, LONGEST_TITLE)))

    async def answer(self, ts: str) -> None:
        """Write the answer that a message of the bot's is of, once. Raises NotAdded where nothing else is kept."""
        answer = self.own.of(ts)
        if answer is None:  # a notice, a question to somebody, help
            if self.alone:
                raise NotAdded("nothing_to_keep")
            return
        if answer.id in self._told:
            return
        self._told.add(answer.id)
        try:
            made_from = await self.own.made_from(answer)
        except NotAdded:
            if self.alone:
                raise
            if answer.replaced_by is None:
                self._write(_Line(ts, self.parts.me.user_id, self.texts.say("answer_left_out"), ""))
            return
        question = one_line(await self.own.question(answer), LONGEST_TITLE)
        self._write(_Line(ts, self.parts.me.user_id, self.own.text(answer), question))
        if self.alone:
            self.document = await self.own.as_document(answer)
        self.made_of |= dict.fromkeys(answer.messages)
        self.made_from |= made_from

    def text(self) -> str:
        called = apart_names([line.speaker for line in self.lines], self._names)
        # Further lines of one message stand in: nobody speaks in another one's name.
        paragraphs = [
            f"{called[line.speaker]} ({_time(line.ts)}): " + line.text.replace("\n", "\n  ") for line in self.lines
        ]
        return "\n\n".join(paragraphs) + "\n"

    def _write(self, line: _Line) -> None:
        self.lines.append(line)
        self.made_of[line.ts] = None


# -- a message as Slack has it ---------------------------------------------------------------------------------------


def _is_mine(message: Message, me: Me) -> bool:
    return message.get("user") == me.user_id or (bool(me.bot_id) and message.get("bot_id") == me.bot_id)


def _speaker(message: Message) -> str:
    """Who says it, by id."""
    return str(message.get("user") or message.get("bot_id") or message.get("username") or "?")


def _bots_names(messages: Sequence[Message]) -> dict[str, str]:
    """The names that apps speak under, by the ids that they speak with."""
    names: dict[str, str] = {}
    for message in messages:
        profile = message.get("bot_profile")
        name = message.get("username") or (profile.get("name") if isinstance(profile, dict) else None)
        if isinstance(name, str) and (line := one_line(name, LONGEST_NAME)):
            names[_speaker(message)] = line
    return names


def _words(message: Message) -> str:
    """The text of a message, as Slack escapes it; of an app's also what stands in blocks and attachments.

    What Slack shows of a link is left out: nobody said that here, and it may come from somewhere else.
    """
    text = message.get("text")
    told = [text.strip()] if isinstance(text, str) else []
    if message.get("bot_id") or message.get("subtype") == "bot_message":
        if not any(told):
            told += _strings(message.get("blocks"))
        attached = _objects(message, "attachments")
        told += [part for one in attached if not _is_preview(one) for part in _strings(one)]
    return "\n".join(filter(None, told))


def _objects(message: Message, name: str) -> list[dict[str, Any]]:
    listed = message.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _is_preview(attachment: Mapping[str, Any]) -> bool:
    return any(attachment.get(sign) for sign in ("from_url", "original_url", "is_msg_unfurl", "is_share"))


def _strings(part: object) -> Iterator[str]:
    """The words in blocks and attachments, in their order."""
    if isinstance(part, str):
        yield part.strip()
    elif isinstance(part, list):
        for one in part:
            yield from _strings(one)
    elif isinstance(part, dict):
        for key in _PARTS:
            yield from _strings(part.get(key))


def _files(message: Message) -> list[str]:
    files = [one.get("title") or one.get("name") for one in _objects(message, "files")]
    return [one_line(name, LONGEST_NAME) for name in files if isinstance(name, str)]


def _time(ts: str) -> str:
    """When a message was sent.

    >>> _time("1700000000.000100")
    '2023-11-14 22:13 UTC'
    """
    return f"{datetime.fromtimestamp(moment(ts)[0], UTC):%Y-%m-%d %H:%M} UTC"
