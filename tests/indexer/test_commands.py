"""The command line: what it prints, and what it exits with."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import sqlite3
import time
from pathlib import Path

import pytest

from indexer.library import Indexer
from tests.claude_server import ClaudeServer, Contexts
from tests.fixtures.command_line import CommandLine
from tests.fixtures.indexer import added

HANDBOOK = (
    "# Handbook\n\n## Leave\n\nEverybody has 25 days of leave a year.\n\n## Travel\n\nHotels cost at most 120 euros.\n"
)


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    path = tmp_path / "documents" / "handbook.md"
    path.write_text(HANDBOOK)
    return path


def test_add_then_search_then_show_then_remove(command_line: CommandLine, handbook: Path) -> None:
    (added,) = command_line.json("indexer", "add", str(handbook))
    assert {**added, "document": "…"} == {
        "document": "…",
        "title": "Handbook",
        "status": "published",
        "chunks": 1,
        "failed_contexts": 0,
        "cost_usd": 0.0,
    }
    (hit,) = command_line.json("indexer", "search", "days of leave", "--limit", "5")
    assert hit["document"] == added["document"]
    assert (hit["title"], hit["position"]) == ("Handbook", 0)
    assert "25 days of leave" in hit["text"]
    assert {"context", "heading_path", "pages", "score"} <= hit.keys()

    shown = command_line.json("indexer", "show", added["document"], "--chunks")
    assert "".join(passage["text"] for passage in shown["passages"]) == HANDBOOK
    assert [document["title"] for document in command_line.json("indexer", "list")] == ["Handbook"]

    assert command_line("indexer", "remove", "Handbook")[0] == 0
    assert command_line.json("indexer", "search", "days of leave") == []
    assert command_line.json("indexer", "list") == []


@pytest.mark.anyio
async def test_a_search_says_that_the_index_lacks_a_part_of_the_documents(
    command_line: CommandLine, indexer: Indexer, workspace: str
) -> None:
    await added(indexer, workspace, HANDBOOK)
    lost = await added(indexer, workspace, "# Travel\n\nTrains first.", source="file:///travel.md")
    search = ("indexer", "search", "days of leave", "--workspace", workspace, "--json")
    assert "lacks" not in (await asyncio.to_thread(command_line, *search))[2]
    await (await indexer.connect()).store.delete(workspace, lost.id)
    code, out, err = await asyncio.to_thread(command_line, *search)
    assert (code, [hit["title"] for hit in json.loads(out)]) == (0, ["Handbook"])
    assert "The index lacks 1 passage (yet), so not everything is found" in err


def test_why_a_passage_was_found_is_told_on_request(command_line: CommandLine, handbook: Path) -> None:
    command_line.json("indexer", "add", str(handbook))
    assert "why" not in command_line.json("indexer", "search", "days of leave")[0]
    (hit,) = command_line.json("indexer", "search", "How many days of leave?", "--explain")
    assert hit["why"]["rank"] == 1
    assert hit["why"]["vector"]["rank"] == hit["why"]["keyword"]["rank"] == 1
    assert hit["why"]["properties"]["text"]["terms"] == ["days", "leave"]
    assert hit["why"]["vectors"].keys() == {"passage", "context"}
    code, out, _ = command_line("indexer", "search", "How many days of leave?", "--explain")
    assert code == 0
    assert "Found by meaning (1st) and by words (1st): days, leave." in out
    assert "  meaning  context and text 1st (" in out
    code, out, _ = command_line("indexer", "search", "zzz", "--explain", "--viewer", "channel:C9")
    assert (code, out.strip()) == (0, "Nothing found.")


def test_unchanged_is_said_and_starts_nothing(command_line: CommandLine, handbook: Path) -> None:
    """The second time even the database may be away."""
    command_line.json("indexer", "add", str(handbook))
    away = command_line.but(WEAVIATE_URL="http://127.0.0.1:9", WEAVIATE_START_SECONDS="1")
    (again,) = away.json("indexer", "add", str(handbook))
    assert (again["status"], again["cost_usd"]) == ("unchanged", 0)


def test_one_refused_file_does_not_stop_the_others(command_line: CommandLine, handbook: Path) -> None:
    (handbook.parent / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (handbook.parent / "empty.txt").write_bytes(b"")
    outcomes = command_line.json("indexer", "add", str(handbook.parent), exits=1)
    by_status = {outcome["title"]: outcome for outcome in outcomes}
    assert by_status["Handbook"]["status"] == "published"
    for name in ("broken.pdf", "empty.txt"):
        assert by_status[name]["status"] == "refused"
        assert name in by_status[name]["error"]
    status = command_line.json("indexer", "status")
    assert {item["title"] for item in status["failed"]} == {"broken.pdf", "empty.txt"}
    assert status["documents"] == 1


def test_the_status_is_told_in_sentences_that_say_a_name_once(command_line: CommandLine, handbook: Path) -> None:
    (handbook.parent / "empty.txt").write_bytes(b"")
    code, out, _ = command_line("indexer", "add", str(handbook.parent))
    assert code == 1
    assert out.count("empty.txt") == 1
    code, out, err = command_line("indexer", "status")
    assert code == 0
    assert out.startswith("1 document, 1 passage, $0.0000 paid for contexts.")
    assert out.count("empty.txt") == 1
    assert "'retry'" in err


def test_what_should_not_happen_is_a_sentence_with_a_reference_that_the_log_has(
    command_line: CommandLine, handbook: Path, tmp_path: Path
) -> None:
    command_line.json("indexer", "add", str(handbook))
    with sqlite3.connect(tmp_path / "data" / "situate.db") as catalogue:
        catalogue.execute("UPDATE versions SET failures = 'not json'")
    code, out, err = command_line("indexer", "list")
    assert code == 1
    assert "Traceback" not in out + err
    reference = err.partition("(reference ")[2][:6]
    assert reference in (tmp_path / "data" / "indexer.log").read_text()


def test_audiences_are_kept_apart(command_line: CommandLine, handbook: Path) -> None:
    command_line.json("indexer", "add", str(handbook), "--audience", "channel:C1")
    assert command_line.json("indexer", "search", "leave") == []
    assert command_line.json("indexer", "search", "leave", "--viewer", "channel:C2") == []
    assert command_line.json("indexer", "search", "leave", "--viewer", "user:U1", "--viewer", "workspace") == []
    assert len(command_line.json("indexer", "search", "leave", "--viewer", "channel:C1")) == 1
    assert command_line.json("indexer", "search", "leave", "--viewer", "channel:C1", "--workspace", "T2") == []


def test_what_everyone_may_read_is_found_by_guests_and_by_the_workspace_s_own_people(
    command_line: CommandLine, handbook: Path
) -> None:
    command_line.json("indexer", "add", str(handbook), "--audience", "everyone")
    assert [one["audience"] for one in command_line.json("indexer", "list")] == ["everyone"]
    assert len(command_line.json("indexer", "search", "leave")) == 1
    assert len(command_line.json("indexer", "search", "leave", "--viewer", "everyone")) == 1
    assert command_line.json("indexer", "search", "leave", "--viewer", "channel:C1") == []


def test_standard_input_is_a_document_of_its_own_each_time_unless_it_has_a_key(command_line: CommandLine) -> None:
    for text in (b"One.", b"Two."):
        command_line.json("indexer", "add", "-", "--title", "Note", stdin=text)
    assert len(command_line.json("indexer", "list")) == 2
    for text in (b"Three.", b"Four."):
        command_line.json("indexer", "add", "-", "--title", "Daily", "--key", "daily", stdin=text)
    assert len(command_line.json("indexer", "list")) == 3
    (shown,) = command_line.json("indexer", "show", "Daily", "--chunks")["passages"]
    assert shown["text"] == "Four."


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("show", "nothing"), 4, "There is no document"),
        (("remove", "nothing"), 4, "There is no document"),
        (("add", "/no/such/file"), 1, "/no/such/file"),
        (("add", "ftp://example.com/x"), 1, "ftp"),
        (("add", "x", "--audience", "everybody"), 2, "not an audience"),
        (("add", "a", "b", "--title", "T"), 2, "--title"),
        (("search", "x", "--alpha", "2"), 2, "alpha"),
        (("search", "x", "--viewer", "team:1"), 2, "not an audience"),
        (("search", " "), 2, "there is no word to look for"),
        (("search", "🎉"), 2, "there is no word to look for"),
        (("list", "--workspace", "../x"), 2, "a workspace is named with letters"),
    ],
)
def test_mistakes_are_one_sentence_and_an_exit_code(
    command_line: CommandLine, arguments: tuple[str, ...], code: int, says: str
) -> None:
    exited, out, err = command_line("indexer", *arguments)
    assert exited == code
    assert says in out + err
    assert "Traceback" not in out + err


def test_a_database_that_is_away_is_one_sentence_and_exit_code_3(command_line: CommandLine) -> None:
    away = command_line.but(WEAVIATE_URL="http://127.0.0.1:9", WEAVIATE_START_SECONDS="1")
    code, out, err = away("indexer", "search", "leave")
    assert code == 3
    assert "Weaviate" in err
    assert "Traceback" not in out + err


def test_a_wrong_setting_is_named_without_its_value(command_line: CommandLine) -> None:
    code, out, err = command_line.but(SEARCH_ALPHA="s3cret")("indexer", "list")
    assert code == 2
    assert "SEARCH_ALPHA" in err
    assert "s3cret" not in out + err


@pytest.mark.parametrize("address", ["garbage", "ftp://x", "http://x:99999", "http://"])
def test_an_address_that_is_none_is_a_wrong_setting(command_line: CommandLine, address: str) -> None:
    code, _, err = command_line.but(WEAVIATE_URL=address)("indexer", "list")
    assert code == 2
    assert "WEAVIATE_URL" in err


def test_the_workspace_of_the_settings_is_used_where_none_is_named(command_line: CommandLine, handbook: Path) -> None:
    command_line.but(WORKSPACE="T1").json("indexer", "add", str(handbook))
    assert command_line.json("indexer", "list") == []
    assert len(command_line.json("indexer", "list", "--workspace", "T1")) == 1


def test_documents_of_the_same_title_are_told_apart_by_their_files(command_line: CommandLine, handbook: Path) -> None:
    (handbook.parent / "copy.md").write_text(HANDBOOK)
    code, out, _ = command_line("indexer", "add", str(handbook.parent))
    assert code == 0
    assert "(copy.md)" in out
    listed = command_line.but(COLUMNS="200")("indexer", "list")[1]
    assert "(handbook.md)" in listed
    assert "(copy.md)" in listed


def test_a_key_is_never_printed_or_kept(
    command_line: CommandLine, claude: ClaudeServer, handbook: Path, tmp_path: Path
) -> None:
    claude.expect_violations()
    claude.brain = Contexts()
    secret = command_line.but(ANTHROPIC_API_KEY="sk-very-secret", ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    handbook.write_text(HANDBOOK * 40)
    code, out, err = secret("indexer", "add", str(handbook))
    assert code == 0, "contexts that cannot be had are structural; the document is there"
    assert "contexts failed" in out
    assert "sk-very-secret" not in out + err
    for path in (tmp_path / "data").rglob("*"):
        if path.is_file():
            assert b"sk-very-secret" not in path.read_bytes(), path


def test_failed_contexts_show_in_the_status_and_retry_pays_for_them(
    command_line: CommandLine, claude: ClaudeServer, handbook: Path
) -> None:
    claude.brain = Contexts()
    handbook.write_text(HANDBOOK * 40)
    away = command_line.but(ANTHROPIC_API_KEY="sk-test", ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    (outcome,) = away.json("indexer", "add", str(handbook))
    assert outcome["failed_contexts"] == outcome["chunks"] > 1
    (failed,) = away.json("indexer", "status")["failed_contexts"]
    assert len(failed["contexts"]) == outcome["chunks"]
    (repaired,) = away.but(ANTHROPIC_BASE_URL=claude.base_url).json("indexer", "retry")
    assert (repaired["status"], repaired["failed_contexts"]) == ("published", 0)
    assert repaired["cost_usd"] > 0
    assert away.json("indexer", "status")["failed_contexts"] == []


def test_on_a_terminal_progress_is_shown(command_line: CommandLine, tmp_path: Path) -> None:
    for n in range(6):
        (tmp_path / f"{n}.md").write_text((HANDBOOK + f"\n{n}\n") * 60)
    main, follower = pty.openpty()
    process = command_line.but(TERM="xterm", COLUMNS="100").start(
        "indexer", "add", *(str(tmp_path / f"{n}.md") for n in range(6)), stderr=follower
    )
    os.close(follower)
    seen = b""
    while process.poll() is None or select.select([main], [], [], 0)[0]:
        if select.select([main], [], [], 0.2)[0]:
            try:
                seen += os.read(main, 65536)
            except OSError:  # the other end is closed
                break
    out, _ = process.communicate(timeout=60)
    os.close(main)
    assert b"Documents" in seen
    assert b"6 published" in out


def test_work_is_served_until_the_process_is_told_to_stop(command_line: CommandLine, handbook: Path) -> None:
    server = command_line.start("indexer", "serve")
    assert server.stderr is not None
    seen = b""
    deadline = time.monotonic() + 60
    while b"Waiting for documents" not in seen and time.monotonic() < deadline:
        ready, _, _ = select.select([server.stderr], [], [], 1)
        if ready:
            seen += os.read(server.stderr.fileno(), 4096)
    assert b"Waiting for documents" in seen
    (outcome,) = command_line.json("indexer", "add", str(handbook))
    assert outcome["status"] == "published"
    server.terminate()
    assert server.wait(30) == 0
    server.communicate()


def test_a_process_that_is_told_to_stop_closes_what_it_opened(command_line: CommandLine, tmp_path: Path) -> None:
    """SIGTERM in the middle of a command: it ends in order, and the next command finds all as it should be."""
    (tmp_path / "long.md").write_text(HANDBOOK * 2_000)
    process = command_line.start("indexer", "add", str(tmp_path / "long.md"))
    time.sleep(3)
    process.terminate()
    _, err = process.communicate(timeout=120)
    assert process.returncode in (0, 143)
    assert b"Traceback" not in err
    (outcome,) = command_line.json("indexer", "add", str(tmp_path / "long.md"))
    assert outcome["status"] in ("published", "unchanged")
