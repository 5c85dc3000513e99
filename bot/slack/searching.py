"""``/docs search``: the passages on something with their sources, as they stand in the documents, without Claude."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from bot.answering import languages
from bot.answering.events import Answer, Kind
from bot.answering.passages import best_passages, quoted_lines
from bot.answering.visible import without_hidden
from bot.asking import Question
from bot.ledger import new_answer_id, stored
from bot.slack.audience import Reading, of_reader
from bot.slack.directory import CannotCheck
from bot.slack.markup import safe_markdown
from bot.slack.parts import Parts
from bot.slack.private import LONGEST_PART
from bot.slack.sending.splitting import split
from bot.slack.showing.blocks import Told
from bot.slack.showing.messages import Message, command_answer
from bot.texts import LONGEST_QUESTION, Texts
from indexer import SituateError

log = logging.getLogger(__name__)


async def searched(parts: Parts, question: Question, texts: Texts) -> list[Message]:
    """What ``question.user`` may read themself, right now, on the words of ``question`` (plain text).

    Kept like an answer to a command, so that its passages can be opened. Raises CannotCheck where Slack did not tell
    what they may read and nothing was found, and Unavailable.
    """
    reading = await of_reader(parts.directory, question.user, question.user_team)
    answer = await _found(parts, question.text, reading, texts)
    if reading.left_out == "cannot_check" and not answer.citations:
        raise CannotCheck  # it is not known that there is nothing
    kept = stored(answer, question, id=new_answer_id(), audiences=reading.viewer.audiences, messages=(), private=True)
    try:
        await parts.ledger.keep(kept)
    except SituateError as error:  # its buttons will not work, but it can be read
        log.warning("what was found could not be kept: %s", error)
    remarks = (texts.say("docs_unsure"),) if reading.left_out == "cannot_check" else ()
    told = replace(Told.of(answer, remarks=remarks), nothing_found=False)
    markdown = split(safe_markdown(answer.text), LONGEST_PART, len)
    return command_answer(kept, texts, markdown, question=question.text, told=told)


async def _found(parts: Parts, words: str, reading: Reading, texts: Texts) -> Answer:
    wanted = without_hidden(words).strip()[:LONGEST_QUESTION]
    workspace = await parts.workspace.name()
    documents = await parts.library.documents(workspace, reading.viewer)
    if not documents:
        return Answer(texts.say("docs_none"), Kind.HELP)
    hits = await parts.library.search(workspace, wanted, reading.viewer)
    citations = await asyncio.to_thread(best_passages, wanted, hits)
    if not citations:
        return Answer(texts.say("no_passage"), Kind.HELP, searches=(wanted,), readable=len(documents))
    lines = await asyncio.to_thread(quoted_lines, citations, languages.guess(wanted, texts.language))
    return Answer(
        "\n".join(lines),
        Kind.PASSAGES,
        citations,
        (wanted,),
        hits=tuple(hits),
        readable=len(documents),
    )
