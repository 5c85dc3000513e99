"""A process is killed while people add documents, each at another stage; the next one finishes all of it.

Each document is there once, each person has one message, and no context is paid for twice. What was deleted in Slack
just before is forgotten, and told once.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from indexer import Document, Indexer, IndexerSettings
from indexer.weaviate_server import Endpoint
from tests.claude_server import ClaudeServer, Contexts, Hold, Reply, Request
from tests.claude_server.brains import tagged
from tests.fixtures.bot import bot_process
from tests.fixtures.command_line import settings_on
from tests.slack_server import Channel, File, Message, Person, SlackServer

pytestmark = pytest.mark.anyio

WORKSPACE = "killed"
PAID = 4  # contexts, before the process is killed
READY, FORGOTTEN = "Ready. Ask me about", "I have forgotten"
ANSWERS = "SELECT 1 FROM paid_answers"
AT_WORK = ("Reading", "Indexing", "is next", "I am on it")


@pytest.fixture(autouse=True)
def quick() -> None:
    """Nothing here runs in this process."""


@pytest.fixture(autouse=True)
def tidy() -> None:
    """All of it is in a folder and a workspace of its own."""


def note(subject: str) -> bytes:
    """A document of one passage, which costs nothing."""
    return (
        f"# {subject}\n\nThe {subject.lower()} of the Lisbon office is looked after by its {subject} Board.\n".encode()
    )


def handbook(subject: str) -> bytes:
    """A document of several passages."""
    rules = "\n\n".join(
        f"## {subject} rule {number}\n\n" + f"The {subject} asks that step {number} comes before the next. " * 70
        for number in range(9)
    )
    return f"# {subject} Handbook\n\n{rules}\n".encode()


class PaysSome:
    """Situates the first ``PAID`` passages of the document that is named, and keeps the others waiting."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.hold = Hold()
        self._left = PAID
        self._contexts = Contexts()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Reply:
        reply = self._contexts(request)
        if f'title="{self.subject}' not in request.prompt:
            return reply
        with self._lock:
            self._left -= 1
            return reply if self._left >= 0 else reply.but(hold=self.hold)


@dataclass
class Scene:
    """A Slack with a person for each stage, and processes of the bot, one after the other, on one folder."""

    slack: SlackServer
    claude: ClaudeServer
    settings: Mapping[str, str]
    folder: Path
    office: Channel
    people: dict[str, Person]
    brain: PaysSome = field(default_factory=lambda: PaysSome("Holiday"))
    left: dict[str, str] = field(default_factory=dict)  # by stage: the state that the killed process wrote last
    unknown: list[str] = field(default_factory=list)  # stages whose message it had posted, and not noted
    documents: list[Document] = field(default_factory=list)
    passages: dict[str, int] = field(default_factory=dict)  # by title: what is stored

    @asynccontextmanager
    async def process(self) -> AsyncIterator[None]:
        """``python -m bot``, connected; killed at the end."""
        async with bot_process(self.slack, self.settings, self.claude):
            yield
        await self.slack.until(lambda: not self.slack.connections, what="its connection's end")

    async def adds(self, stage: str, name: str, data: bytes) -> File:
        """The stage's person sends the form in, and it is acknowledged."""
        person = self.people[stage]
        file = self.slack.file(name, data, by=person)
        await self.slack.commands(person, self.office, "/docs", "add").arrives()
        form = self.slack.view
        await self.slack.until(lambda: (view := form(person)) and "One moment" not in view.shown, what="the form")
        await self.slack.submits(person, {"adding_files": [file], "adding_audience": "workspace"}).arrives()
        return file

    async def clicks(self, stage: str, action: str) -> None:
        person = self.people[stage]
        (message,) = self.told(stage)
        await self.slack.clicks(person, self.slack.direct(person), message.ts, action).arrives()

    def told(self, stage: str) -> list[Message]:
        """What the app wrote to the stage's person."""
        channel = self.slack.direct(self.people[stage])
        return [one for one in self.slack.messages(channel) if one.user == self.slack.bot.id]

    async def until_told(self, stage: str, words: str, seconds: float = 30.0) -> None:
        await self.slack.until(
            lambda: any(words in one.shown for one in self.told(stage)), seconds, f"{stage}: {words}"
        )

    async def until_found(self, query: str, rows: int = 1) -> None:
        """Wait until the catalogue answers with so many rows."""
        await self.slack.until(lambda: len(self.asked(query)) >= rows, 20, query)

    def asked(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / "situate.db", timeout=10)) as catalogue:
            return catalogue.execute(query).fetchall()

    def look_at_what_is_left(self) -> None:
        stages = {person.id: stage for stage, person in self.people.items()}
        rows = self.asked(
            "SELECT person, progress, message_ts FROM additions JOIN added_items ON addition = additions.id"
        )
        self.left = {stages[person]: json.loads(progress)["state"] for person, progress, _ in rows}
        self.unknown = [stages[person] for person, _, ts in rows if ts is None and self.told(stages[person])]

    def paid(self, subject: str) -> Counter[str]:
        """How often each passage of a document was situated by a call that was answered."""
        answered = [one for one in self.claude.messages if one.finished and f'title="{subject}' in one.prompt]
        return Counter(tagged("chunk", one.prompt) or "" for one in answered)


# Of each stage the states in which the process may leave what is added.
STAGES = {
    "there": {"ready"},
    "asks about a twin": {"asks_twin"},
    "asks about the cost": {"asks_cost"},
    "is indexed": {"indexing"},
    "is published": {"indexing", "ready"},
    "is read": {"reading"},
    "is posted": {"reading"},
    "is sent in": {"waiting", "reading"},
}
DELETED = "is deleted"  # after it was added, and who added it is about to be told


@pytest.fixture(scope="module")
async def scene(weaviate: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    """After one process was killed and another has done what was left."""
    folder = tmp_path_factory.mktemp("killed")
    with SlackServer() as slack, ClaudeServer() as claude:
        settings = {"WORKSPACE": WORKSPACE, **settings_on(weaviate, folder), "CONFIRM_COST_USD": "0.0001"}
        people = {stage: slack.person(f"P{number}") for number, stage in enumerate([*STAGES, DELETED])}
        office = slack.channel("office")
        scene = Scene(slack, claude, settings, folder, office, people)
        claude.brain = scene.brain
        async with scene.process():
            await until_all_are_on_their_way(scene)
        scene.look_at_what_is_left()
        slack.recover()
        scene.brain.hold.release()
        async with scene.process():
            await until_all_are_done(scene)
        opened: AbstractAsyncContextManager[Indexer] = Indexer.open(
            IndexerSettings.model_validate({name.lower(): value or None for name, value in settings.items()})
        )
        async with opened as library:
            scene.documents = await library.documents(WORKSPACE, None)
            for one in scene.documents:
                assert one.version is not None
                scene.passages[one.title] = len(await library.passages(WORKSPACE, one.version))
            yield scene
            for one in scene.documents:  # the server is everybody's
                await library.remove(WORKSPACE, one.id)


async def until_all_are_on_their_way(scene: Scene) -> None:
    """Each at its stage; the process is to be killed right after that."""
    await scene.adds("there", "canteen.md", note("Canteen"))
    await scene.until_told("there", READY)
    deleted = await scene.adds(DELETED, "rota.md", note("Rota"))
    await scene.until_told(DELETED, READY)
    await scene.adds("asks about a twin", "Canteen.md", note("Kitchen"))
    await scene.until_told("asks about a twin", "There is already")
    for stage, subject in (("asks about the cost", "Travel"), ("is indexed", "Holiday")):
        await scene.adds(stage, f"{subject}.md", handbook(subject))
        await scene.until_told(stage, "will cost about")
    await scene.clicks("is indexed", "go_on")
    await scene.until_found(ANSWERS, PAID)
    scene.slack.slow("chat.update", 60)
    await scene.adds("is published", "garden.md", note("Garden"))
    await scene.until_found("SELECT 1 FROM versions WHERE name = 'garden.md' AND state = 'published'")
    scene.slack.slow("files.info", 60)
    await scene.adds("is read", "parking.md", note("Parking"))
    await scene.until_told("is read", "parking.md")
    scene.slack.slow("conversations.history", 60)
    scene.slack.fail("chat.postMessage", drop="after")
    await scene.adds("is posted", "library.md", note("Library"))
    await scene.until_told("is posted", "library.md")
    scene.slack.slow("chat.postMessage", 60)
    await scene.slack.deletes_file(deleted).arrives()
    await scene.adds("is sent in", "post.md", note("Post"))


async def until_all_are_done(scene: Scene) -> None:
    for stage, action in (("asks about a twin", "keep_both"), ("asks about the cost", "go_on")):
        await scene.clicks(stage, action)
    for stage in STAGES:
        await scene.until_told(stage, READY)
    await scene.until_told(DELETED, FORGOTTEN)
    await scene.until_told(DELETED, "is no longer in the documents")


async def test_the_process_was_killed_with_each_of_them_at_its_stage(scene: Scene) -> None:
    assert scene.left.keys() == {*STAGES, DELETED}
    assert {stage: scene.left[stage] for stage, states in STAGES.items() if scene.left[stage] not in states} == {}
    assert "is posted" in scene.unknown
    assert not any(READY in shown for _, shown in scene.told("is published")[0].history[:-1])


@pytest.mark.parametrize("stage", STAGES)
async def test_whoever_adds_has_one_message_and_it_ends_well(scene: Scene, stage: str) -> None:
    (message,) = scene.told(stage)
    assert READY in message.shown
    assert not any(words in message.shown for words in AT_WORK)


async def test_whose_file_was_deleted_is_told_so_once(scene: Scene) -> None:
    moving, forgotten = scene.told(DELETED)
    assert READY not in moving.shown
    assert FORGOTTEN in forgotten.shown


async def test_each_document_is_there_once_with_each_of_its_passages(scene: Scene) -> None:
    titles = ["Canteen", "Garden", "Holiday Handbook", "Kitchen", "Library", "Parking", "Post", "Travel Handbook"]
    assert sorted(one.title for one in scene.documents) == titles
    assert scene.passages == {one.title: one.chunks for one in scene.documents}


@pytest.mark.parametrize("subject", ["Holiday", "Travel"])
async def test_no_context_is_paid_for_twice(scene: Scene, subject: str) -> None:
    paid = scene.paid(subject)
    assert len(paid) == scene.passages[f"{subject} Handbook"]
    assert set(paid.values()) == {1}
    assert len(scene.asked(ANSWERS)) == sum(len(scene.paid(one)) for one in ("Holiday", "Travel"))


async def test_slack_was_never_asked_for_what_it_refuses(scene: Scene) -> None:
    assert scene.slack.mistakes == []
    assert scene.slack.unexpected_violations == []
    assert scene.claude.violations == []
    assert scene.slack.slowest_ack <= scene.slack.ack_seconds
