"""Files attached to a question: fetched from Slack, read for the question's thread only, and forgotten again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.asking import Question
from bot.settings import BotSettings
from bot.slack.adding.not_added import NotAdded
from bot.slack.audience import thread_audience
from bot.slack.fetching import Files, name_of, source_of
from bot.slack.refusals import failure_of, reason_of
from bot.texts import Texts
from indexer import Audience, DocumentId, Indexer, SituateError

READING_SECONDS = 60.0  # how long a question waits for its files; what takes longer is read for the next one


@dataclass(frozen=True, slots=True)
class Attached:
    """What became of a question's files.

    ``documents``: those that answer now, in the thread's audience, with their titles. ``refused``: one sentence for
    each of the others, in plain text (escape it before it is shown: a file's name is anybody's).
    """

    documents: tuple[tuple[DocumentId, str], ...] = ()
    refused: tuple[str, ...] = ()


class Attachments:
    """Reads what is attached to questions. ``workspace`` is always the one that the question searches.

    ``files`` fetches any file of Slack's.
    """

    def __init__(self, client: AsyncWebClient, indexer: Indexer, settings: BotSettings) -> None:
        self._indexer = indexer
        self._settings = settings
        self.files = Files(client, settings, indexer.settings)

    async def read(
        self,
        question: Question,
        texts: Texts,
        *,
        workspace: str,
        progress: Callable[[str], None] = lambda sentence: None,
    ) -> Attached:
        """Fetch and index the question's files, side by side, for its thread. Never raises for what a file does.

        Nothing is paid: contexts are structural. A file that was read before costs nothing, so a question that is
        taken up again after a crash finds it there. ``progress`` is told in sentences what happens.
        """
        if not question.files:
            return Attached()
        audience = thread_audience(question.channel, question.thread)
        outcomes = await asyncio.gather(
            *(self._one(file, question, audience, workspace, texts, progress) for file in question.files)
        )
        documents = tuple(outcome for outcome in outcomes if not isinstance(outcome, str))
        return Attached(documents, tuple(outcome for outcome in outcomes if isinstance(outcome, str)))

    async def forget_old(self, workspace: str, *, now: datetime | None = None) -> int:
        """Remove what was attached more than ``ATTACHMENT_DAYS`` ago; the number of documents. Raises Unavailable."""
        before = (now or datetime.now(UTC)) - timedelta(days=self._settings.attachment_days)
        rows = [row for row in await self._indexer.attempts(workspace) if row.audience.is_passing]
        old = [row.document for row in rows if row.created_at is not None and row.created_at < before]
        for document in old:
            await self._indexer.remove(workspace, document)
        return len(old)

    async def forget_file(self, workspace: str, file: str) -> int:
        """Remove a file that was deleted in Slack from every thread it was attached in; the number of documents.

        Where it was added for good, ``Forgetting`` does that, and tells. Raises Unavailable.
        """
        rows = await self._indexer.attempts(workspace, source=source_of(file))
        gone = [row.document for row in rows if row.audience.is_passing]
        for document in gone:
            await self._indexer.remove(workspace, document)
        return len(gone)

    async def _one(
        self,
        file: Mapping[str, Any],
        question: Question,
        audience: Audience,
        workspace: str,
        texts: Texts,
        progress: Callable[[str], None],
    ) -> tuple[DocumentId, str] | str:
        """The document that one file became, or the sentence that says why it did not."""
        name = name_of(file)
        progress(texts.say("reading_file", name=name))
        try:
            async with asyncio.timeout(READING_SECONDS):
                original = await self.files.fetched(file)
                name = original.name
                added = await self._indexer.add(
                    original, workspace=workspace, audience=audience, title=name, added_by=question.user
                )
                async for row in self._indexer.follow([added.version]):
                    if row.state == "published":
                        return row.document, row.title
                    if row.error is not None:
                        return failure_of(row, name, texts)
        except TimeoutError:
            return texts.say("file_takes_long", name=name)
        except NotAdded as refused:
            return refused.sentence(texts)
        except SituateError as error:
            return reason_of(error, name, texts)
        return texts.say("file_gone", name=name)  # somebody removed it meanwhile
