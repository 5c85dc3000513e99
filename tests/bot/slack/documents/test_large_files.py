"""Large files: what the bot's own process holds in memory while many of them are added at once."""

from __future__ import annotations

import io
import random
import subprocess
import zipfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path

import docx
import pytest

from indexer import Indexer
from indexer.weaviate_server import Endpoint
from tests.fixtures.bot import bot_process, own_library
from tests.fixtures.command_line import settings_on
from tests.fixtures.indexer import MakeSettings
from tests.fixtures.slack import Company
from tests.indexer.documents_to_read import bomb, docx_report
from tests.slack_server import File, Message, SlackServer

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is read from /proc"),
]

library = own_library

MB = 1_000_000
FILES, FILE_MB = 10, 49.5
MOST_MB = 400  # beyond what an idle bot has, eight times MAX_FILE_MB: docs/operating.md says so


def report(number: int) -> bytes:
    """A Word document with little text and a picture of almost 50 MB that does not get smaller by packing."""
    rng = random.Random(number)  # noqa: S311 - no secrets here
    document = docx.Document()
    document.add_heading(f"Report {number}", 1)
    document.add_paragraph(" ".join(f"Item{rng.randrange(10**6)} costs {rng.randrange(10**4)}." for _ in range(300)))
    buffer = io.BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/media/image1.png", rng.randbytes(int(FILE_MB * MB)))
    return buffer.getvalue()


@pytest.fixture
async def process(
    slack: SlackServer, weaviate: Endpoint, make_settings: MakeSettings
) -> AsyncIterator[subprocess.Popen[bytes]]:
    """``python -m bot``, connected, with documents of its own."""
    settings = make_settings()
    async with bot_process(slack, settings_on(weaviate, settings.data_dir)) as running:
        yield running
    opened: AbstractAsyncContextManager[Indexer] = Indexer.open(settings)
    async with opened as indexer:
        for one in await indexer.documents(slack.team_id, None):  # the server is everybody's
            await indexer.remove(slack.team_id, one.id)


def memory(process: int, what: str) -> float:
    """``VmRSS`` (now) or ``VmHWM`` (the most so far) of a process without its children, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith(f"{what}:")]
    return int(line.split()[1]) * 1024 / MB


def memory_from_here(process: subprocess.Popen[bytes]) -> float:
    """What a process has now, in MB; the most so far is counted from here on."""
    Path(f"/proc/{process.pid}/clear_refs").write_text("5")
    return memory(process.pid, "VmRSS")


def readers(process: subprocess.Popen[bytes]) -> list[float]:
    """The most that each process had so far in which documents are read, in MB."""
    by_thread = [path.read_text().split() for path in Path(f"/proc/{process.pid}/task").glob("*/children")]
    most = []
    for child in (int(child) for children in by_thread for child in children):
        with suppress(OSError, ValueError):  # it has ended meanwhile
            most.append(memory(child, "VmHWM"))
    return most


async def added(slack: SlackServer, company: Company, files: list[File], told: str = "Ready. Ask me about") -> Message:
    """The message that tells of the files of a message that Ana adds by the shortcut, once each is ``told`` of."""
    direct = slack.direct(company.ana)
    before = set(direct.messages)
    ts = slack.says(company.ana, company.office, "The reports", files=files)
    await slack.uses_shortcut(company.ana, company.office, ts, "add_message").arrives()
    await slack.until(lambda: (view := slack.view(company.ana)) and view.content.get("submit"), 20, "the form")
    await slack.submits(company.ana, {"adding_what": "files"}).arrives()
    await slack.until(lambda: set(direct.messages) - before, 20, "the message")
    await slack.commands(company.ana, company.office, "/docs", "status").arrives()  # which is told in time, meanwhile
    (new,) = set(direct.messages) - before

    def all_told() -> bool:
        return direct.messages[new].shown.count(told) == len(files)

    await slack.until(all_told, 240, "the end of all of them")
    return slack.message(direct, new)


async def test_ten_files_of_fifty_megabytes_are_never_in_memory_all_at_once(
    process: subprocess.Popen[bytes], company: Company, slack: SlackServer
) -> None:
    """Three are fetched and looked at side by side, two indexed; the others are in Slack, or on the disk."""
    await added(slack, company, [slack.file("small.md", b"# Small\n\nA small one.\n", by=company.ana)])
    files = [slack.file(f"report-{number}.docx", report(number), by=company.ana) for number in range(FILES)]
    before = memory_from_here(process)
    await added(slack, company, files)
    grown = memory(process.pid, "VmHWM") - before
    after = memory(process.pid, "VmRSS") - before
    assert grown < MOST_MB < FILES * FILE_MB
    assert after < FILE_MB, "none of them is kept in memory"


async def test_archives_that_unpack_to_far_more_are_refused_and_take_no_memory(
    process: subprocess.Popen[bytes], company: Company, slack: SlackServer
) -> None:
    """Neither in the bot nor where documents are read: what unpacks is counted, and not kept."""
    await added(slack, company, [slack.file("small.docx", docx_report(), by=company.ana)])
    data = bomb(700, claims=1)
    files = [slack.file(f"bomb-{number}.docx", data, by=company.ana) for number in range(3)]
    before, reading = memory_from_here(process), max(readers(process))
    await added(slack, company, files, "unpacks to far more than its size")
    assert memory(process.pid, "VmHWM") - before < 100
    assert max(readers(process)) - reading < 100
