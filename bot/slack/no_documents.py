"""What is said where there is nothing to search in: not that there is nothing, where it is only that some may not."""

from __future__ import annotations

from dataclasses import replace

from bot.answering.events import Answer
from bot.slack.audience import Reading
from bot.slack.directory import CannotCheck
from bot.texts import Texts


def truly(answer: Answer, reading: Reading, texts: Texts) -> Answer:
    """``answer``; in place of "there are no documents" what is true of documents that were left out.

    Raises CannotCheck where it is not known whether there are any.
    """
    if answer.text != texts.say("no_documents") or reading.left_out is None:
        return answer
    if reading.left_out == "cannot_check":
        raise CannotCheck
    return replace(answer, text=texts.say("none_for_all"))
