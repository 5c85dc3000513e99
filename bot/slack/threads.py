"""What was said in a thread before a question: by people as Slack keeps it, by the bot as the ledger keeps it.

The bot's own messages are not read back from Slack: an answer is its statements with what they rest on, however many
messages show it. What Slack does not give in time is made up for by the ledger: the questions and answers in it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.answering.events import Kind, Source, Statement, Turn
from bot.answering.memory import BYTES_A_TOKEN
from bot.answering.visible import one_line, without_hidden
from bot.asking import How, Question
from bot.ledger import StoredAnswer
from bot.slack.directory import CannotCheck, Directory, error_code
from bot.slack.intake import Me
from bot.slack.markup import unescape
from bot.slack.people import SLACKBOT
from bot.texts import Texts

log = logging.getLogger(__name__)

PAGE = 200
MOST_PAGES = 50
NAME_SECONDS = 1.5
LONGEST_LINE = 4_000  # characters of one message
SAID = {None, "file_share", "thread_broadcast", "me_message"}  # subtypes of what people say
_NO_THREAD = {"thread_not_found", "message_not_found", "channel_not_found"}
MENTION = re.compile(r"<@([A-Z0-9]+)")


@dataclass(frozen=True, slots=True)
class History:
    """``turns``, oldest first. ``complete``: Slack gave all of the thread. ``several``: more than one person spoke."""

    turns: tuple[Turn, ...] = ()
    complete: bool = True
    several: bool = False


class Answers(Protocol):
    """What is asked of the ledger."""

    async def answers_in(self, team: str, channel: str, thread: str) -> list[StoredAnswer]: ...

    async def answer_of_message(self, team: str, channel: str, message_ts: str) -> StoredAnswer | None: ...


@dataclass(frozen=True, slots=True)
class _Line:
    """What one person said, as Slack has it."""

    ts: str
    user: str
    text: str
    files: tuple[str, ...] = ()


async def history(
    client: AsyncWebClient,
    question: Question,
    directory: Directory,
    ledger: Answers,
    texts: Texts,
    *,
    budget_tokens: int,
    seconds: float = 3.0,
) -> History:
    """The thread before ``question``, in about ``budget_tokens`` of what people said; the newest is kept.

    Ada asks "When was it?", is answered, says "ok"; Bo asks: ``(Turn("Ada: When was it?", (…)), Turn("Ada: ok",
    answered=False))``. Where only the asker spoke, lines carry no name. Raises CatalogueUnavailable.
    """
    if question.begins_thread or not question.thread or (question.how is How.COMMAND and not question.private):
        return History()
    place = (question.team, question.channel, question.thread)
    (messages, complete), answers, root = await asyncio.gather(
        _replies(client, question, seconds), ledger.answers_in(*place), ledger.answer_of_message(*place)
    )
    lines = [line for message in messages if (line := _line(message, directory.me))]
    lines = [line for line in lines if _before(line.ts, question)]
    given = [answer for answer in answers if not answer.private and _before(answer.question_ts, question)]
    seen = {message.get("ts") for message in messages}
    if root is not None and (question.thread in seen or not complete):  # the thread is under an answer that was shared
        given.append(replace(root, question_ts=question.thread))
        lines.append(_Line(question.thread, root.asker, root.question))
    if complete:
        gone = {answer.id for answer in given if _is_gone(answer, seen, question)}
    else:
        gone = set()
        known = {line.ts for line in lines}
        asked_too = {answer.question_ts: answer for answer in given if answer.question_ts not in known}
        lines += [_Line(ts, answer.asker, answer.question) for ts, answer in asked_too.items()]
    users = {line.user for line in lines} | {question.user}
    told = await _told(lines, question, directory, texts, several=len(users) > 1)
    turns = _turns(told, given, gone)
    return History(_newest(turns, budget_tokens), complete, len(users) > 1)


async def asked(question: Question, directory: Directory, me: Me) -> tuple[str, str]:
    """What is asked, as a person reads it and without the bot's own name, and who asks: ``("When was it?", "Ada")``."""
    text, names = await asyncio.gather(
        plain_question(question.text, directory, me), names_of(directory, [question.user])
    )
    return text, names.get(question.user, question.user)


async def plain_question(text: str, directory: Directory, me: Me) -> str:
    """Slack's text of a question as a person reads it, without the bot's own name.

    >>> await plain_question("<@U0BOT> is a &lt; b, <@U2>?", directory, me)
    'is a < b, @Bo?'
    """
    names = await names_of(directory, set(MENTION.findall(text)) - {me.user_id})
    return unescape(without_mention(text, me.user_id), names.get).strip()


# -- from Slack ------------------------------------------------------------------------------------------------------


async def _replies(client: AsyncWebClient, question: Question, seconds: float) -> tuple[list[Mapping[str, Any]], bool]:
    """The messages of the thread before the question, oldest first, and whether they are all."""
    messages: dict[Any, Mapping[str, Any]] = {}  # by ts: the root may stand on each page
    cursor: str | None = None
    try:
        async with asyncio.timeout(seconds):
            for _ in range(MOST_PAGES):
                response = await client.conversations_replies(
                    channel=question.channel,
                    ts=question.thread,
                    latest=question.message_ts,
                    inclusive=False,
                    limit=PAGE,
                    cursor=cursor,
                )
                messages |= {one.get("ts"): one for one in response.get("messages") or () if isinstance(one, dict)}
                cursor = (response.get("response_metadata") or {}).get("next_cursor")
                if not cursor:
                    return list(messages.values()), not response.get("has_more")
    except SlackApiError as error:
        if error_code(error) in _NO_THREAD:
            return [], True  # what was said there is gone
        log.warning("a thread could not be read: %s", error_code(error))
    except (SlackClientError, aiohttp.ClientError, OSError, ValueError, AttributeError) as error:
        # TimeoutError is an OSError; the last two are the SDK's, for an answer that is no JSON object
        log.warning("a thread could not be read: %s", type(error).__name__)
    return list(messages.values()), False


def _line(message: Mapping[str, Any], me: str | None) -> _Line | None:
    """What a person said; None for what apps and Slack itself say, and for what says nothing."""
    user = message.get("user")
    if (
        not isinstance(user, str)
        or user in (me, SLACKBOT)
        or message.get("subtype") not in SAID
        or any(message.get(sign) for sign in ("bot_id", "app_id", "hidden"))
    ):
        return None
    files = [one.get("title") or one.get("name") for one in message.get("files") or () if isinstance(one, dict)]
    names = tuple(one_line(name, 80) for name in files if isinstance(name, str))
    text = message.get("text")
    text = text if isinstance(text, str) else ""
    return _Line(str(message.get("ts")), user, text, names) if text.strip() or names else None


async def names_of(directory: Directory, ids: Collection[str], seconds: float = NAME_SECONDS) -> dict[str, str]:
    """People's names by id, as far as they can be had in ``seconds``."""
    if ids:
        try:
            async with asyncio.timeout(seconds):
                await directory.people(ids)
        except (CannotCheck, TimeoutError):
            pass  # then those that are known
    return {id: person.name for id, person in directory.known(ids).items()}


# -- as Claude is shown it -------------------------------------------------------------------------------------------


async def _told(
    lines: Sequence[_Line], question: Question, directory: Directory, texts: Texts, *, several: bool
) -> list[tuple[str, str]]:
    """Each line by its ``ts`` as text, with the name of who said it where there are several."""
    mentioned = {id for line in lines for id in MENTION.findall(line.text)}
    names = await names_of(directory, mentioned | {line.user for line in lines} | {question.user})
    apart = apart_names([question.user, *(line.user for line in lines)], names)
    told = []
    for line in lines:
        text = unescape(without_mention(line.text, directory.me), names.get)
        text = without_hidden(text).strip()[:LONGEST_LINE]
        if line.files:
            text = f"{text} {texts.say('files_attached', names=', '.join(line.files[:5]))}".strip()
        if not text:
            continue
        # Further lines of one message stand in: nobody speaks in another one's name.
        told.append((line.ts, f"{apart[line.user]}: " + text.replace("\n", "\n  ") if several else text))
    return told


def apart_names(users: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """A name for each, no two alike.

    >>> apart_names(["U1", "U2"], {"U1": "Ada", "U2": "Ada"})
    {'U1': 'Ada', 'U2': 'Ada (2)'}
    """
    apart: dict[str, str] = {}
    for user in dict.fromkeys(users):
        name, number = names.get(user, user), 1
        unique = name
        while unique in apart.values():
            number += 1
            unique = f"{name} ({number})"
        apart[user] = unique
    return apart


def _turns(told: Sequence[tuple[str, str]], answers: Sequence[StoredAnswer], gone: Collection[str]) -> list[Turn]:
    """Lines and answers as turns: an answer stands behind the message that it answers, however late it came."""
    spoken: list[tuple[tuple[int, int], int, str | StoredAnswer]] = [(moment(ts), 0, text) for ts, text in told]
    spoken += [(moment(answer.question_ts), 1, answer) for answer in answers]
    turns: list[Turn] = []
    lines: list[str] = []
    shown: dict[Source, None] = {}  # by this answer and those before it, which Claude was shown when it gave this one
    for _, _, said in sorted(spoken, key=lambda one: one[:2]):
        if isinstance(said, str):
            lines.append(said)
            continue
        shown.update(dict.fromkeys(Source(hit.document, hit.version) for hit in said.hits))
        statements = _statements(said)
        if statements and said.replaced_by is None and said.id not in gone:
            turns.append(Turn("\n".join(lines), statements, shown=tuple(shown)))
            lines = []
    if lines:
        turns.append(Turn("\n".join(lines), answered=False))
    return turns


def _statements(answer: StoredAnswer) -> tuple[Statement, ...]:
    """What an answer said; of one that showed passages in place of an answer, the passages."""
    if answer.kind != Kind.PASSAGES:
        return answer.statements
    return tuple(
        Statement(f"“{source.quote}”", (Source(source.document, source.version),)) for source in answer.sources
    )


def _newest(turns: Sequence[Turn], budget_tokens: int) -> tuple[Turn, ...]:
    """The newest turns, until what people said in them is over the budget."""
    left = budget_tokens * BYTES_A_TOKEN
    kept: list[Turn] = []
    for turn in reversed(turns):
        if left <= 0:
            break
        kept.insert(0, turn)
        left -= len(turn.question.encode("utf-8", "replace"))
    return tuple(kept)


def without_mention(text: str, me: str | None) -> str:
    """``text`` without the bot's own name: ``<@U0BOT>, when was it?`` → ``when was it?``"""
    if me is None:
        return text
    text = re.sub(rf"\A\s*<@{re.escape(me)}(?:\|[^>]*)?>[\s,:]*", "", text)
    return re.sub(rf"[ \t]*<@{re.escape(me)}(?:\|[^>]*)?>", "", text)


def _is_gone(answer: StoredAnswer, seen: Collection[Any], question: Question) -> bool:
    """Whether somebody deleted an answer in Slack: none of its messages is where all of them would be."""
    messages = answer.messages
    return bool(messages) and not any(ts in seen or not _before(ts, question) for ts in messages)


def _before(ts: str, question: Question) -> bool:
    return moment(ts) < moment(question.message_ts)


def moment(ts: str) -> tuple[int, int]:
    """A ``ts`` as something to compare: seconds and the rest; the beginning of time for what is none."""
    seconds, _, rest = ts.partition(".")
    return (int(seconds), int(rest or 0)) if seconds.isdecimal() and (rest or "0").isdecimal() else (0, 0)
