"""The passages behind an answer, for whoever asks to see them: what they may not read is not there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from bot.answering.trouble import logged
from bot.ledger import StoredAnswer
from bot.slack.audience import of_person
from bot.slack.parts import Parts
from bot.slack.showing import views
from bot.slack.showing.forms import View
from bot.texts import Texts
from bot.why import Explained, explained
from indexer import DocumentId, Passage, SituateError, VersionId, Viewer

log = logging.getLogger(__name__)


async def passages_of(parts: Parts, id: str, user: str, texts: Texts) -> View:
    """The form with the passages of an answer as ``user`` may read them now; else one that says why not."""
    try:
        answer = await parts.ledger.answer(id)
        if answer is None:
            return views.sentence(texts.say("answer_gone"), texts)
        viewer = await of_person(parts.directory, user, answer)
        workspace = await parts.workspace.name()
        readable = {one.id: one.version for one in await parts.library.documents(workspace, viewer)}
        around, whys = await asyncio.gather(
            _around(parts, workspace, answer, readable), _whys(parts, workspace, answer, viewer, readable)
        )
        return views.passages(answer, around, texts, whys)
    except Exception as error:  # noqa: BLE001 an open form must come to an end, whatever is wrong in here
        sentence = texts.of_error(error)
        return views.sentence(sentence, texts, reference=logged(sentence, error))


async def _around(
    parts: Parts, workspace: str, answer: StoredAnswer, readable: Mapping[DocumentId, VersionId | None]
) -> dict[int, list[Passage]]:
    """By marker the passages around each source of which the version that was cited is ``readable``."""
    sources = [source for source in answer.sources if readable.get(source.document) == source.version]
    around = await asyncio.gather(
        *(parts.library.passages(workspace, one.version, max(0, one.position - 1), one.position + 2) for one in sources)
    )
    return {source.marker: passages for source, passages in zip(sources, around, strict=True)}


async def _whys(
    parts: Parts,
    workspace: str,
    answer: StoredAnswer,
    viewer: Viewer,
    readable: Mapping[DocumentId, VersionId | None],
) -> dict[str, Explained]:
    """How the answer's searches find passages for ``viewer`` now; nothing where they cannot be made.

    Nor where Claude could read what they may not, or what is gone by now: its further searches may speak of that.
    """
    whole = {str(audience) for audience in viewer.audiences} >= set(answer.audiences)
    if not whole or not all(hit.document in readable for hit in answer.hits):
        return {}
    try:
        return await explained(parts.library, workspace, viewer, answer.searches)
    except SituateError:
        log.info("how sources were found cannot be told now", exc_info=True)
        return {}
