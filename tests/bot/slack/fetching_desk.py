"""A bot that fetches what is to be added, in the strict local Slack, with a library that is a shelf."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.adding import Item, What
from bot.answering.events import Kind
from bot.ledger import Ledger, StoredAnswer, StoredHit, StoredSource
from bot.settings import BotSettings
from bot.slack.adding.originals import Fetched, NotAdded, original_of
from bot.slack.connection import who_am_i
from bot.slack.directory import Directory
from bot.slack.files import Attachments
from bot.slack.intake import Me
from bot.slack.parts import Parts
from bot.slack.workspace import Workspace
from bot.texts import ENGLISH, Texts, texts_for
from indexer import Audience, Database, Document, DocumentId, Indexer, IndexerSettings, VersionId, Viewer
from indexer.database import database_url
from tests.slack_server import Channel, Person, SlackServer


@dataclass
class Shelf:
    """Stands in for the library: which documents there are, for whom."""

    settings: IndexerSettings
    audiences: dict[str, Audience] = field(default_factory=dict)

    async def documents(self, workspace: str, viewer: Viewer | None) -> list[Document]:
        listed = [
            Document(DocumentId(id), workspace, audience, f"file:{id}", id.title(), VersionId(f"{id}.1"))
            for id, audience in self.audiences.items()
        ]
        return [one for one in listed if viewer is None or viewer.may_read(one.audience)]


@dataclass(frozen=True)
class OfParts:
    """What is asked of the parts."""

    settings: BotSettings
    me: Me
    client: AsyncWebClient
    library: Indexer
    ledger: Ledger
    workspace: Workspace
    directory: Directory
    attachments: Attachments

    async def texts(self, user: str) -> Texts:
        return texts_for((await self.directory.person(user)).locale)


@dataclass
class Desk:
    """A bot that fetches, in the strict local Slack."""

    slack: SlackServer
    parts: Parts
    shelf: Shelf

    async def fetched(self, what: What, ref: str, by: Person, **fields: Any) -> Fetched:
        item = Item(what, ref, **{"name": "what they called it", **fields})
        return await original_of(self.parts, item, user=by.id, user_team=by.team)

    async def refused(self, what: What, ref: str, by: Person, **fields: Any) -> str:
        """Why it is not added, as a key; what is said must not tell more than the person knew."""
        with pytest.raises(NotAdded) as told:
            await self.fetched(what, ref, by, **fields)
        assert set(told.value.values) <= {"name", "limit"}
        assert told.value.sentence(ENGLISH)
        return told.value.key

    async def posts(self, channel: Channel, text: str, thread: str | None = None) -> str:
        """The bot itself says something; its ``ts``."""
        told = await self.parts.client.chat_postMessage(channel=channel.id, text=text, thread_ts=thread)
        return str(told["ts"])

    async def answers(
        self, channel: Channel, question: str, by: Person, text: str, *rests_on: str, **fields: Any
    ) -> StoredAnswer:
        """The bot answers in the thread under ``question``, from these documents, and quotes all of them."""
        ts = await self.posts(channel, "an answer, as Slack shows it", question)
        return await self.keeps(channel, question, by, text, rests_on, (ts,), **fields)

    async def keeps(
        self,
        channel: Channel,
        question: str,
        by: Person,
        text: str,
        rests_on: Sequence[str],
        messages: tuple[str, ...],
        **fields: Any,
    ) -> StoredAnswer:
        sources = [
            StoredSource(
                n,
                DocumentId(id),
                VersionId(f"{id}.1"),
                0,
                id.title(),
                "Incidents, p. 14",
                None,
                datetime(2024, 1, 30, tzinfo=UTC),
                "quote",
            )
            for n, id in enumerate(rests_on, 1)
        ]
        answer = StoredAnswer(
            id=f"answer-{question}-{len(text)}",
            question_key=question,
            team=self.slack.team_id,
            channel=channel.id,
            thread=question,
            question_ts=question,
            asker=by.id,
            question=f"<@{self.slack.bot.id}> When was it?",
            kind=str(Kind.ANSWER),
            text=text,
            statements=(),
            sources=tuple(sources),
            hits=tuple(StoredHit(s.document, s.version, 0, s.title, 1.0) for s in sources),
            searches=("when",),
            audiences=("workspace", f"channel:{channel.id}"),
            messages=messages,
            cost_usd=0.0,
            private=False,
            replaced_by=None,
            created_at=datetime.now(UTC),
        )
        answer = replace(answer, **fields)
        await self.parts.ledger.keep(answer)
        if answer.replaced_by:
            await self.parts.ledger.replaced(answer.id, answer.replaced_by)
        return answer


@asynccontextmanager
async def open_desk(slack: SlackServer, folder: Path) -> AsyncIterator[Desk]:
    settings = BotSettings.model_validate({"slack_api_url": slack.api_url})
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[])
    me, _ = await who_am_i(client)
    shelf = Shelf(IndexerSettings(_env_file=None, data_dir=folder))
    library = cast("Indexer", shelf)
    directory = Directory(client, me.team, me=me.user_id)
    database = await Database.open(database_url(None, folder))
    parts = OfParts(
        settings,
        me,
        client,
        library,
        await Ledger.open(database),
        Workspace(library, settings, me.team),
        directory,
        Attachments(client, library, settings),
    )
    yield Desk(slack, cast("Parts", parts), shelf)
    await directory.close()
    await database.close()


def text_of(fetched: Fetched) -> str:
    return fetched.original.data.decode()


def place(channel: Channel, *ts: str) -> tuple[str, ...]:
    return tuple(f"{channel.id}:{one}" for one in ts)
