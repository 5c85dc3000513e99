"""The passages behind an answer, for whoever asks to see them: what they may not read is not there."""

from __future__ import annotations

import asyncio

from bot.answering.trouble import logged
from bot.ledger import StoredAnswer
from bot.slack.audience import of_person
from bot.slack.parts import Parts
from bot.slack.showing import views
from bot.slack.showing.forms import View
from bot.texts import Texts
from indexer import Passage, Viewer


async def passages_of(parts: Parts, id: str, user: str, texts: Texts) -> View:
    """The form with the passages of an answer as ``user`` may read them now; else one that says why not."""
    try:
        answer = await parts.ledger.answer(id)
        if answer is None:
            return views.sentence(texts.say("answer_gone"), texts)
        viewer = await of_person(parts.directory, user, answer)
        return views.passages(answer, await _around(parts, answer, viewer), texts)
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
