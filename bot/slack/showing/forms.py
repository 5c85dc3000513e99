"""The frame of a form that opens over a conversation, and a form that says one sentence. Pure."""

from __future__ import annotations

from typing import Any, Final

from bot.answering.visible import one_line
from bot.slack.showing.elements import Block, Element, grey, line, plain, rich, words
from bot.texts import Texts

View = dict[str, Any]

_MOST_LABEL: Final = 24  # characters in the title of a form, and on its buttons
_LONGEST_SENTENCE: Final = 1_000


def modal(callback_id: str, title: str, blocks: list[Block], texts: Texts) -> View:
    """A form with a title (a key of the texts) and a button that closes it."""
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": label(texts.say(title)),
        "close": label(texts.say("close")),
        "blocks": blocks,
    }


def label(text: str) -> Element:
    """A text as the title of a form or on one of its buttons."""
    return plain(text, _MOST_LABEL)


def one_sentence(sentence: str, texts: Texts, *, reference: str | None = None) -> list[Block]:
    """In place of what a form is for: a sentence, and the reference that names a trouble in the log."""
    blocks = [rich(line(words(one_line(sentence, _LONGEST_SENTENCE) or "…")))]
    return [*blocks, grey(texts.say("reference", reference=reference))] if reference else blocks
