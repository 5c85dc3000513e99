"""What tests of refused links and files do again and again: add one, and see that nothing at all comes of it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import pytest

from bot.slack.adding.form import linked_item
from bot.texts import FRENCH
from indexer import Document, Indexer, IndexerSettings
from indexer.weaviate_server import Endpoint
from tests.bot.slack.documents.test_adding_by_people import AddingByForm
from tests.claude_server import ClaudeServer
from tests.fixtures.slack import Company
from tests.slack_server import Channel, File, Message, Person, View

MAX_FILE_MB = 2.0
FETCH_SECONDS = 2.0


@pytest.fixture(scope="module")
def payable() -> Iterator[ClaudeServer]:
    """The stand-in for Claude that the library below would pay for contexts."""
    with ClaudeServer() as server:
        yield server


@pytest.fixture(scope="module")
async def strict_library(
    weaviate: Endpoint, tmp_path_factory: pytest.TempPathFactory, payable: ClaudeServer
) -> AsyncIterator[Indexer]:
    """An empty library of a module's own that takes little and waits briefly, with a key for Claude."""
    values = {
        "data_dir": tmp_path_factory.mktemp("library"),
        "embedder": "hashing",
        "weaviate_url": f"http://{weaviate.host}:{weaviate.port}",
        "weaviate_grpc_port": weaviate.grpc_port,
        "weaviate_api_key": weaviate.api_key,
        "anthropic_api_key": "key",
        "anthropic_base_url": payable.base_url,
        "max_file_mb": MAX_FILE_MB,
        "fetch_seconds": FETCH_SECONDS,
    }
    opened: AbstractAsyncContextManager[Indexer] = Indexer.open(IndexerSettings.model_validate(values))
    async with opened as indexer:
        yield indexer


@dataclass
class Linking(AddingByForm):
    """People who add links, by command and by the form. ``company`` and ``payable`` are the fixtures' own."""

    company: Company
    payable: ClaudeServer

    @property
    def library(self) -> Indexer:
        return self.bot.parts.library

    async def opens(self, person: Person, channel: Channel) -> View:
        """The form, in whichever language."""
        await self.slack.commands(person, channel, "/docs", "add").arrives()
        return await self.form(person, without=(await self.bot.parts.texts(person.id)).say("form_loading"))

    async def by_command(self, person: Person, url: str) -> Message:
        """The one message that tells of a link that was added with ``/docs add``."""
        before = self._messages(person)
        await self.slack.commands(person, self.company.office, "/docs", f"add {url}").arrives()
        await self.idle()
        return self._new(person, before)

    async def by_form(self, person: Person, url: str) -> Message:
        """The same of the form's field for a link."""
        before = self._messages(person)
        await self.opens(person, self.company.office)
        assert await self.submits(person, link=url) == {}
        return self._new(person, before)

    async def by_upload(self, person: Person, *files: File) -> Message:
        """The same of files that are put into the form."""
        before = self._messages(person)
        await self.opens(person, self.company.office)
        assert await self.submits(person, files=list(files)) == {}
        return self._new(person, before)

    async def is_refused(self, url: str, key: str) -> str:
        """Both are refused the link: Ben in French, with the text ``key``, Ana with the sentence that comes back.

        It is one sentence, which says what to do; nothing is stored, nothing paid, and their conversations rest.
        """
        item = linked_item(url, self.bot.parts.me.host)
        assert item is not None
        before = await self._traces()
        english = await self.by_command(self.company.ana, url)
        french = await self.by_form(self.company.ben, url)
        assert await self._traces() == before
        return self._sentence(english, french, key, item.name)

    async def is_refused_as_file(self, name: str, data: bytes, key: str, *, nameless: bool = False, **more: Any) -> str:
        """The same of a file of each, in the form; ``more`` is what ``slack.file`` takes.

        ``nameless``: Slack does not tell what it is called.
        """
        before = await self._traces()
        english, french = [
            await self.by_upload(person, self.slack.file(name, data, by=person, **more))
            for person in (self.company.ana, self.company.ben)
        ]
        assert await self._traces() == before
        return self._sentence(english, french, key, "" if nameless else name)

    async def documents(self) -> list[Document]:
        return await self.library.documents(self.slack.team_id, None)

    # -- within ------------------------------------------------------------------------------------------------------

    def _sentence(self, english: Message, french: Message, key: str, name: str) -> str:
        limit = f"{MAX_FILE_MB:g}"
        start, end = FRENCH.say(key, name="\0", limit=limit).split("\0")
        assert french.shown.strip().startswith(start), french.shown
        assert french.shown.strip().endswith(end), french.shown
        assert name in french.shown
        for message in (english, french):
            assert re.fullmatch(r"[^\n]{10,300}[.;,] [^\n]{10,200}\.", message.shown.strip()), message.shown
            assert message.actions == []
        return english.shown.strip()

    async def _traces(self) -> tuple[object, ...]:
        """All that an addition leaves behind: rows, originals, passages, calls of Claude."""
        originals = self.library.settings.data_dir / "originals"
        kept = sorted(path.name for path in originals.rglob("*") if path.is_file())
        return await self.library.attempts(self.slack.team_id), kept, len(self.payable.requests)

    def _messages(self, person: Person) -> set[str]:
        return set(self.slack.direct(person).messages)

    def _new(self, person: Person, before: set[str]) -> Message:
        """The one message that came, which is at its end and asks nothing."""
        (ts,) = self._messages(person) - before
        return self.slack.message(self.slack.direct(person), ts)
