"""``python -m bot``, as a person and a program run it: real processes, the real database, Claude's stand-in."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.__main__ import app
from bot.answering.answerer import Answerer
from bot.answering.events import Kind, Turn
from indexer import Indexer, load_prices, open_claude
from indexer.weaviate_server import Endpoint
from tests.bot.answers import ask, settings
from tests.claude_server import ClaudeServer
from tests.fixtures.command_line import settings_on
from tests.fixtures.indexer import EVERYBODY, MakeSettings, added

pytestmark = pytest.mark.anyio

REPORT = (
    "# Incident report\n\n## Cause\n\nINC-2023-04-011 took the login down. The root cause was an expired certificate on"
    " the gateway.\n\n## Repair\n\nIt was closed in June. Finance booked 41,000 euros for it.\n"
)
QUESTION = "What was the root cause of INC-2023-04-011?"
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def environment(weaviate: Endpoint, claude: ClaudeServer, tmp_path: Path) -> dict[str, str]:
    """What a process finds: our database and our stand-in, and no ``.env`` of anybody's."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "LC_ALL")}
    return kept | {
        "PYTHONPATH": str(ROOT),
        **settings_on(weaviate, tmp_path / "data"),
        "ANTHROPIC_API_KEY": "test-key",
        "ANTHROPIC_BASE_URL": claude.base_url,
        "ANSWER_MODEL": "claude-haiku-5-5",
    }


async def run(environment: dict[str, str], folder: Path, *arguments: str, stdin: str = "") -> Ran:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *arguments,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(stdin.encode()), 90)
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


@pytest.fixture
async def report(make_settings: MakeSettings, workspace: str) -> str:
    """A workspace with the report in it."""
    async with Indexer.open(make_settings()) as indexer:
        assert (await added(indexer, workspace, REPORT, source="file:///report.md")).state == "published"
    return workspace


async def test_ask_prints_an_answer_with_exact_sentences_as_json(
    environment: dict[str, str], tmp_path: Path, report: str
) -> None:
    """JSON alone on standard output; what happens meanwhile goes to standard error; 0 is an answer."""
    ran = await run(environment, tmp_path, "bot", "ask", QUESTION, "--json", "--workspace", report)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["backed"] is True
    assert answer["searches"] == [QUESTION]
    assert answer["usage"]["output_tokens"] > 0
    quotes = [citation["quote"] for citation in answer["citations"]]
    assert "The root cause was an expired certificate on the gateway." in quotes
    for citation in answer["citations"]:
        assert citation["quote"] in REPORT
        assert f"[{citation['marker']}]" in answer["answer"]
        assert {"document", "title", "location"} <= set(citation)
    assert "Searched" in ran.err


async def test_lines_of_standard_input_are_answered_and_it_exits_0(
    environment: dict[str, str], tmp_path: Path, report: str
) -> None:
    lines = f"{QUESTION}\n\nWhat did Finance book?\n"
    ran = await run(environment, tmp_path, "bot", "--workspace", report, stdin=lines)
    assert ran.code == 0, ran.err
    assert ran.out.count("Sources:") == 2
    assert "41,000 euros" in ran.out
    assert "\x1b" not in ran.out


async def test_without_a_key_passages_are_an_answer_that_says_so(
    environment: dict[str, str], tmp_path: Path, report: str
) -> None:
    keyless = environment | {"ANTHROPIC_API_KEY": ""}
    ran = await run(keyless, tmp_path, "bot", "ask", QUESTION, "--json", "--workspace", report)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["kind"] == "passages"
    assert answer["backed"] is False
    assert "ANTHROPIC_API_KEY" in answer["notice"]
    assert "expired certificate" in answer["answer"]


async def test_another_audience_is_told_that_there_is_nothing(
    environment: dict[str, str], tmp_path: Path, report: str
) -> None:
    ran = await run(environment, tmp_path, "bot", "ask", QUESTION, "--viewer", "channel:C1", "--workspace", report)
    assert ran.code == 0
    assert "no documents yet that you may read" in ran.out


async def test_the_database_away_exits_3_with_one_sentence(
    environment: dict[str, str], tmp_path: Path, report: str
) -> None:
    away = environment | {"WEAVIATE_URL": "http://127.0.0.1:9", "WEAVIATE_START_SECONDS": "1"}
    ran = await run(away, tmp_path, "bot", "ask", QUESTION, "--json", "--workspace", report)
    assert ran.code == 3
    answer = json.loads(ran.out)
    assert answer["kind"] == "trouble"
    assert answer["reference"]
    assert "Traceback" not in ran.out + ran.err
    assert answer["reference"] in (tmp_path / "data" / "bot.log").read_text()


@pytest.mark.parametrize(
    ("arguments", "changes", "named"),
    [
        (["ask", "x"], {"MAX_SEARCHES": "many"}, "MAX_SEARCHES"),
        (["ask", "x"], {"SEARCH_ALPHA": "7"}, "SEARCH_ALPHA"),
        (["ask", "x", "--viewer", "everybody"], {}, "everybody"),
        (["ask"], {}, "question"),
    ],
)
def test_wrong_use_exits_2_and_names_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], changes: dict[str, str], named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(app, arguments, env={"DATA_DIR": str(tmp_path / "data"), **changes})
    assert ran.exit_code == 2
    assert named in ran.stderr
    assert ran.stdout == ""
    assert "many" not in ran.stderr.replace("MANY", "")  # a setting's value may be a secret


async def test_a_deleted_document_is_not_used_any_more(
    claude: ClaudeServer, make_settings: MakeSettings, workspace: str
) -> None:
    """Add, ask, delete, ask again in the same thread, with the real index."""
    client = open_claude("test-key", claude.base_url, 20.0, 0)
    async with Indexer.open(make_settings()) as indexer:
        await added(indexer, workspace, "# Other\n\nThe gateway is in room 12.", source="file:///other.md")
        version = await added(indexer, workspace, REPORT, source="file:///report.md")

        async def answers(history: list[Turn]) -> list[str]:
            answerer = Answerer(indexer, client, settings(), load_prices(None))
            events = [e async for e in answerer.answer("What did Finance book?", EVERYBODY, workspace, history)]
            answer = events[-1].answer  # type: ignore[union-attr]
            assert answer.kind is Kind.ANSWER
            history.append(Turn("What did Finance book?", answer.statements))
            return [citation.quote for citation in answer.citations]

        history: list[Turn] = []
        assert any("41,000" in quote for quote in await answers(history))
        await indexer.remove(workspace, version.document)
        asked = len(claude.messages)
        assert not any("41,000" in quote for quote in await answers(history))
        assert "41,000" not in json.dumps([request.body for request in claude.messages[asked:]])
    await client.close()


async def test_the_fake_library_and_the_indexer_answer_alike(
    claude: ClaudeServer, make_settings: MakeSettings, workspace: str
) -> None:
    """What other tests of the bot stand on: the facade gives hits, documents and passages as the fake does."""
    client = open_claude("test-key", claude.base_url, 20.0, 0)
    async with Indexer.open(make_settings()) as indexer:
        await added(indexer, workspace, REPORT, source="file:///report.md")
        seen = await ask(Answerer(indexer, client, settings(), load_prices(None)), QUESTION, workspace=workspace)
        (document,) = await indexer.documents(workspace, EVERYBODY)
        for citation in seen.answer.citations:
            assert citation.hit.version == document.version
            at = citation.hit.chunk.position
            (passage,) = await indexer.passages(workspace, citation.hit.version, at, at + 1)
            assert citation.quote in passage.chunk.text
    assert seen.answer.backed
