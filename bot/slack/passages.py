"""The passages behind an answer, for whoever asks to see them: what they may not read is not there."""

from __future__ import annotations

import asyncio
import logging

from bot.answering.trouble import logged
from bot.ledger import StoredAnswer
from bot.slack.audience import of_person
from bot.slack.parts import Parts
from bot.slack.showing import views
from bot.slack.showing.forms import View
from bot.texts import Texts
from bot.why import Explained, explained
from indexer import Passage, SituateError, Viewer

log = logging.getLogger(__name__)


async def passages_of(parts: Parts, id: str, user: str, texts: Texts) -> View:
    """The form with the passages of an answer as ``user`` may read them now; else one that says why not."""
    try:
        answer = await parts.ledger.answer(id)
        if answer is None:
            return views.sentence(texts.say("answer_gone"), texts)
        viewer = await of_person(parts.directory, user, answer)
        around, whys = await asyncio.gather(_around(parts, answer, viewer), _whys(parts, answer, viewer))
        return views.passages(answer, around, texts, whys)
    except Exception as error:  # noqa: BLE001 an open form must come to an end, whatever is wrong in here
        sentence = texts.of_error(error)
        return views.sentence(sentence, texts, reference=logged(sentence, error))


async def _around(parts: Parts, answer: StoredAnswer, viewer: Viewer) -> dict[int, list[Passage]]:
    """By marker the passages around each source that ``viewer`` may read in the version that was cited."""
    workspace = await parts.workspace.name()
    readable = {one.id: one.version for one in await parts.library.documents(workspace, viewer)}
    sources = [source for source in answer.sources if readable.get(source.document) == source.version]
    around = await asyncio.gather(
        *(parts.library.passages(workspace, one.version, max(0, one.position - 1), one.position + 2) for one in sources)
    )
    return {source.marker: passages for source, passages in zip(sources, around, strict=True)}


async def _whys(parts: Parts, answer: StoredAnswer, viewer: Viewer) -> dict[str, Explained]:
    """How the answer's searches find passages for ``viewer`` now; nothing where they cannot be made."""
    try:
        return await explained(parts.library, await parts.workspace.name(), viewer, answer.searches)
    except SituateError:
        log.info("how sources were found cannot be told now", exc_info=True)
        return {}
