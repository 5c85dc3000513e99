"""The messages beside a streamed answer: blocks, and the text that stands in for them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.answering.visible import one_line, visible
from bot.slack.naming import in_quotes
from bot.slack.showing import actions
from bot.slack.showing.blocks import LONGEST_FALLBACK, Offers, Told, fallback, footer
from bot.slack.showing.elements import (
    Block,
    button,
    escaped,
    grey,
    line,
    markdown,
    person,
    plain,
    quoted,
    rich,
    row,
    text_size,
    words,
)
from bot.slack.showing.sources import title_of
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.ledger.records import StoredAnswer

LONGEST_MESSAGE: Final = 13_000  # characters in the blocks of one message; Slack refuses about 13,200
_LONGEST_QUESTION = 2_000
_MOST_BLOCKS = 50


@dataclass(frozen=True, slots=True)
class Message:
    """Block Kit blocks, and the text for notifications and screen readers (escaped, at most 4,000 characters)."""

    blocks: list[Block]
    text: str


def command_answer(
    answer: StoredAnswer,
    texts: Texts,
    parts: Sequence[str],
    *,
    question: str,
    told: Told | None = None,
    offers: Offers | None = None,
) -> list[Message]:
    """The answer to a command, as its asker alone sees it: the question in grey, the text, the footer.

    ``parts`` are the answer's text as safe Markdown, each short enough for a message (≤ 11,500 characters);
    ``question`` is plain text. Where the footer does not fit with the last part it is one more message.
    """
    asked = grey(in_quotes(one_line(question, 300), texts))
    return _in_messages(answer, texts, [asked], parts, footer(answer, texts, told=told, offers=offers), told)


def shared_answer(
    answer: StoredAnswer,
    texts: Texts,
    parts: Sequence[str],
    *,
    question: str,
    told: Told | None = None,
    offers: Offers | None = None,
) -> list[Message]:
    """The same answer for the channel: who asked what, the text, the footer."""
    asked = rich(line(person(answer.asker), words(f" {texts.say('asks')}")), quoted(words(_question(question))))
    return _in_messages(answer, texts, [asked], parts, footer(answer, texts, told=told, offers=offers), told)


def _in_messages(
    answer: StoredAnswer,
    texts: Texts,
    above: list[Block],
    parts: Sequence[str],
    below: list[Block],
    told: Told | None,
) -> list[Message]:
    messages: list[list[Block]] = [above]
    for part in parts:
        if part.strip():
            _append(messages, [markdown(part)])
    _append(messages, below)
    whole = fallback(answer, texts, told=told)
    texts_of = [escaped(one_line(_told_by(blocks)), LONGEST_FALLBACK) or whole for blocks in messages]
    return [Message(blocks, text) for blocks, text in zip(messages, [whole, *texts_of[1:]], strict=True)]


def _append(messages: list[list[Block]], blocks: list[Block]) -> None:
    """Put ``blocks`` into the last message, or into one more where they do not fit. A message has one Markdown."""
    last = messages[-1]
    two_markdowns = any(one["type"] == "markdown" for one in last) and any(one["type"] == "markdown" for one in blocks)
    if two_markdowns or text_size(last) + text_size(blocks) > LONGEST_MESSAGE or len(last + blocks) > _MOST_BLOCKS:
        messages.append(list(blocks))
    else:
        last += blocks


def _told_by(blocks: object) -> str:
    """The words in blocks, buttons aside."""
    if isinstance(blocks, list):
        return " ".join(filter(None, (_told_by(one) for one in blocks)))
    if not isinstance(blocks, dict) or blocks.get("type") == "actions":
        return ""
    own = blocks.get("text")
    return own if isinstance(own, str) else _told_by(blocks.get("elements", []))


def help_message(texts: Texts, *, command: str) -> Message:
    """What to do, for a mention without a question. ``command`` is its name: ``/ask``."""
    return _sentences(texts.say("nothing_asked"), texts.say("how_to_ask", command=command))


def trouble_message(sentence: str, texts: Texts, *, reference: str | None = None, retry: str | None = None) -> Message:
    """One sentence of what went wrong, the reference that names it in the log, and a button that tries again.

    ``retry`` becomes the button's value; without one there is no button.
    """
    told = one_line(sentence, 500) or "…"
    blocks = [rich(line(words(told)))]
    if reference:
        named = texts.say("reference", reference=reference)
        blocks.append(grey(named))
        told += f" ({named})"
    if retry is not None:
        blocks.append(row(button(texts.say("try_again"), actions.TRY_AGAIN, retry)))
    return Message(blocks, escaped(told, LONGEST_FALLBACK))


def sentence_message(sentence: str) -> Message:
    """One plain sentence."""
    return _sentences(one_line(sentence, 2_000) or "…")


def asked_person_message(
    texts: Texts, *, asker: str, question: str, adder: str | None = None, title: str | None = None
) -> Message:
    """Passes a question on to whoever added the closest document, or to the channel where ``adder`` is None.

    ``asker`` and ``adder`` are user ids: both are mentioned, and nobody else whatever ``question`` (plain text) says.
    """
    if adder is None:
        sentence = texts.say("asked_channel")
    elif title is None:
        sentence = texts.say("asked_person")
    else:
        sentence = texts.say("asked_adder", title=title_of(title, texts))
    called = [] if adder is None else [person(adder), words(" – ")]
    asked = _question(question)
    blocks = [rich(line(*called, person(asker), words(f" {sentence}")), quoted(words(asked)))]
    mentions = f"<@{asker}>" if adder is None else f"<@{adder}> – <@{asker}>"
    return Message(blocks, f"{mentions} {escaped(f'{sentence} {in_quotes(asked, texts)}', LONGEST_FALLBACK - 100)}")


def muted_message(texts: Texts, answer: str) -> Message:
    """Said to whoever muted a thread, with the way back; ``answer`` is the id that the button carries."""
    said = _sentences(texts.say("muted"))
    return Message([*said.blocks, row(button(texts.say("unmute"), actions.UNMUTE, answer))], said.text)


def _sentences(*sentences: str) -> Message:
    told = "\n".join(sentences)
    return Message([rich(line(words(told)))], escaped(told, LONGEST_FALLBACK))


def _question(question: str) -> str:
    text = visible(question).strip()
    return plain(text or "…", _LONGEST_QUESTION)["text"]  # type: ignore[no-any-return]  # a dict of any values
