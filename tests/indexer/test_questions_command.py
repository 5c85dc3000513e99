"""``python -m indexer questions``: what it writes, what it asks before it pays, and that evaluate takes it."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
from pathlib import Path

import pytest

from tests.claude_server import ClaudeServer, Contexts, Reply, Request
from tests.fixtures.command_line import CommandLine, heed_interrupts
from tests.indexer.evaluation.corpora import written
from tests.indexer.evaluation.test_drafting import quoting

GUIDE = "".join(
    f"## Part {n}\n\nMachine {n} is oiled every {n + 2} weeks by the night shift, which notes it in the log. "
    f"{'It stands in the hall behind the canteen. ' * 25}\n\n"
    for n in range(6)
)


@pytest.fixture
def filled(command_line: CommandLine, tmp_path: Path) -> CommandLine:
    """A command line whose workspace has a guide."""
    (tmp_path / "guide.md").write_text(GUIDE)
    command_line.json("indexer", "add", str(tmp_path / "guide.md"))
    return command_line


def brain(request: Request) -> Reply:
    return quoting(request) if "JSON object" in request.prompt else Contexts()(request)


def test_questions_are_drafted_after_yes_and_evaluate_takes_them(
    filled: CommandLine, claude: ClaudeServer, tmp_path: Path
) -> None:
    claude.brain = brain
    to = tmp_path / "questions.jsonl"
    paying = filled.but(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=claude.base_url)
    code, _, err = paying("indexer", "questions", "--out", str(to), "--count", "3")
    assert code == 2
    assert "Drafting 3 questions may cost up to $" in err
    assert "--yes" in err
    assert not to.exists()
    assert claude.messages == []

    report = paying.json("indexer", "questions", "--out", str(to), "--count", "3", "--yes")
    assert (report["drafted"], report["unusable"], report["stopped"]) == (3, 0, None)
    assert report["cost_usd"] > 0
    lines = [json.loads(line) for line in to.read_text("utf-8").splitlines()]
    assert all(line["quotes"][0] in GUIDE for line in lines)
    assert len(claude.messages) == 3

    figures = filled.json("indexer", "evaluate", "--questions", str(to))
    assert figures["questions"] == 3
    assert figures["systems"]["contextual_hybrid"]["pass@20"] == 1.0


@pytest.mark.parametrize(
    ("typed", "exits", "asked"), [(b"y\n", 0, 2), (b"n\n", 2, 0), (b"\n", 2, 0), (signal.SIGINT, 130, 0)]
)
def test_on_a_terminal_it_asks_and_waits_for_yes_or_an_interrupt(
    filled: CommandLine, claude: ClaudeServer, tmp_path: Path, typed: bytes | int, exits: int, asked: int
) -> None:
    claude.brain = brain
    paying = filled.but(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=claude.base_url, TERM="xterm", COLUMNS="200")
    main, follower = pty.openpty()
    process = paying.start(
        "indexer", "questions", "--out", str(tmp_path / "q.jsonl"), "--count", "2",
        stdin=follower, stderr=follower, preexec_fn=heed_interrupts,
    )  # fmt: skip
    os.close(follower)
    seen = b""
    while b"Go on?" not in seen:
        assert select.select([main], [], [], 60)[0], seen
        seen += os.read(main, 65_536)
    if isinstance(typed, bytes):
        os.write(main, typed)
    else:
        process.send_signal(typed)
    try:
        process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(main)
    assert process.returncode == exits
    assert len(claude.messages) == asked


def test_feedback_alone_needs_no_key_and_keeps_what_still_stands(filled: CommandLine, tmp_path: Path) -> None:
    opinions = [
        {"question": "How often is machine 2 oiled?", "quotes": ["Machine 2 is oiled every 4 weeks"], "value": 1},
        {"question": "Who oils it?", "quotes": ["The day shift oils it"], "value": 1},
        {"question": "Where does it stand?", "quotes": ["in the hall"], "value": -1},
    ]
    to, given = tmp_path / "questions.jsonl", written(tmp_path / "feedback.jsonl", opinions)
    code, out, err = filled("indexer", "questions", "--out", str(to), "--feedback", str(given))
    assert code == 0, err
    assert "1 from feedback, 2 to finish by hand" in out
    code, _, err = filled("indexer", "evaluate", "--questions", str(to), "--systems", "plain_bm25", "--json")
    assert code == 0
    assert "2 drafts left out" in err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "ANTHROPIC_API_KEY"),
        (("--documents", "nothing"), 4, "There is no document"),
        (("--feedback", "/no/such/file"), 2, "cannot be read"),
        (("--count", "0"), 2, "--count 0 goes with --feedback only"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    filled: CommandLine, tmp_path: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    exited, out, err = filled("indexer", "questions", "--out", str(tmp_path / "q.jsonl"), *arguments)
    assert exited == code
    assert says in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in out + err
    assert not (tmp_path / "q.jsonl").exists()


def test_a_file_that_is_there_is_never_written_over(filled: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("mine")
    code, _, err = filled("indexer", "questions", "--out", str(tmp_path / "q.jsonl"))
    assert code == 2
    assert "is there already" in err
    assert (tmp_path / "q.jsonl").read_text() == "mine"


def test_a_file_that_nothing_came_into_is_not_left(filled: CommandLine, claude: ClaudeServer, tmp_path: Path) -> None:
    """The next try may have its name."""
    to = tmp_path / "q.jsonl"
    capped = filled.but(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=claude.base_url, DAY_CAP_USD="0")
    code, _, err = capped("indexer", "questions", "--out", str(to), "--count", "2", "--yes")
    assert code == 1
    assert "DAY_CAP_USD" in err
    assert claude.messages == []
    assert not to.exists()
    code, _, err = filled("indexer", "questions", "--out", str(tmp_path / "none" / "q.jsonl"))
    assert code == 2
    assert "in a folder that is there" in err
