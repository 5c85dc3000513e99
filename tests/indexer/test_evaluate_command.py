"""``python -m indexer evaluate``: what it prints, what it exits with, what it leaves."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from indexer.weaviate_server import Endpoint
from tests.claude_server import ClaudeServer, Contexts
from tests.fixtures.command_line import CommandLine, heed_interrupts
from tests.indexer.evaluation.corpora import POLICY, QUESTIONS, QUOTING, REVIEW, TEXTS, written
from tests.model_servers import KEY, Cohere


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    corpus = written(tmp_path / "corpus.jsonl", [REVIEW, POLICY])
    return ("--corpus", str(corpus), "--questions", str(written(tmp_path / "questions.jsonl", QUESTIONS)))


def tenants(weaviate: Endpoint) -> set[str]:
    """The workspaces of runs that are in the index now, in whichever collection."""
    headers = {"Authorization": f"Bearer {weaviate.api_key}"} if weaviate.api_key else {}
    base = f"http://{weaviate.host}:{weaviate.port}/v1/schema"
    there = httpx.get(base, headers=headers).json()["classes"]
    classes = [each["class"] for each in there if each["multiTenancyConfig"]["enabled"]]
    found = [httpx.get(f"{base}/{name}/tenants", headers=headers).json() for name in classes]
    return {each["name"] for tenants in found for each in tenants if each["name"].startswith("evaluation-")}


def test_json_on_standard_output_is_all_that_is_there(
    command_line: CommandLine, files: tuple[str, ...], weaviate: Endpoint
) -> None:
    code, out, err = command_line("indexer", "evaluate", *files, "--json")
    assert code == 0, err
    figures = json.loads(out)
    assert list(figures["systems"]) == [
        "plain_vector",
        "plain_bm25",
        "plain_hybrid",
        "contextual_vector",
        "contextual_bm25",
        "contextual_hybrid",
        "structural_hybrid",
    ]
    assert figures["systems"]["contextual_hybrid"]["pass@5"] == 1.0
    assert 0 <= figures["systems"]["plain_vector"]["mrr"] <= 1
    assert tenants(weaviate) == set()


@pytest.mark.anyio
async def test_a_reranker_brings_systems_of_its_own_and_ends_the_run_when_it_refuses(
    command_line: CommandLine, files: tuple[str, ...]
) -> None:
    server = Cohere()
    async with server.running() as address:
        asking = command_line.but(RERANKER="cohere", RERANKER_URL=f"{address}/v2", RERANKER_API_KEY=KEY)
        systems = ("--systems", "plain_hybrid,contextual_hybrid+rerank")
        figures = await asyncio.to_thread(asking.json, "indexer", "evaluate", *files, *systems)
        assert list(figures["systems"]) == ["plain_hybrid", "contextual_hybrid+rerank"]
        assert figures["reranker"] == "cohere/rerank-v3.5"
        assert {request["query"] for request in server.requests} == {question["query"] for question in QUESTIONS}
        server.key = "another"
        code, _, err = await asyncio.to_thread(asking, "indexer", "evaluate", *files, *systems)
    assert code == 3
    assert "The reranker refused the key; check RERANKER_API_KEY." in err


def test_no_reranker_is_named_where_no_system_used_one(command_line: CommandLine, files: tuple[str, ...]) -> None:
    """Nothing listens at its address: it is not asked either."""
    asking = command_line.but(RERANKER="cohere", RERANKER_URL="http://127.0.0.1:9/v2", RERANKER_API_KEY=KEY)
    figures = asking.json("indexer", "evaluate", *files, "--systems", "plain_bm25")
    assert figures["reranker"] is None


def test_the_table_the_gates_and_the_report_come_from_one_run(
    command_line: CommandLine, files: tuple[str, ...], tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    gates = ("--gate", "contextual_hybrid.pass@10>=0.9", "--gate", "plain_hybrid.ms_p95<=0.001")
    code, out, err = command_line(
        "indexer", "evaluate", *files, *gates, "--report", str(report), "--systems", "plain_hybrid,contextual_hybrid",
        "--show", "2",
    )  # fmt: skip
    assert code == 1
    assert err.count("is wanted.") == 1
    assert "plain_hybrid.ms_p95 is" in err
    for words in ("Pass@10", "contextual_hybrid", "3 questions to 2 documents, 5 chunks", "questions won", "180 euros"):
        assert words in out
    assert "<svg" in report.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--gate", "contextual_hybird.pass@10>=0.9"), "contextual_hybrid"),
        (("--gate", "plain_hybrid.pass@7>=0.9"), "names no figure"),
        (("--systems", "plain_hybird"), "there is no system"),
        (("--systems", "plain_hybrid", "--gate", "plain_bm25.mrr>=0.1"), "names no system that is run"),
        (("--gate", "contextual_hybrid.pass@10>=90"), "pass@10 goes from 0 to 1"),
        (("--systems", "plain_hybrid+rerank"), "there is no system"),
        (("--show", "9"), "has no question to show"),
        (("--show", "2", "--systems", "plain_hybrid"), "name both in --systems"),
        (("--show", "2", "--systems", "plain_hybrid,structural_hybrid"), "name both in --systems"),
        (("--report", "/no/such/folder/report.html"), "cannot be written"),
        (("--corpus", "/no/such/file"), "cannot be read"),
    ],
)
def test_what_is_misspelt_is_refused_before_anything_is_opened(
    command_line: CommandLine, files: tuple[str, ...], arguments: tuple[str, ...], says: str
) -> None:
    away = command_line.but(WEAVIATE_URL="http://127.0.0.1:9", WEAVIATE_START_SECONDS="1")
    code, out, err = away("indexer", "evaluate", *files, *arguments)
    assert code == 2
    assert says in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in out + err


def test_a_wrong_line_is_one_sentence_with_its_number_and_nothing_is_paid(
    command_line: CommandLine, claude: ClaudeServer, tmp_path: Path
) -> None:
    corpus = written(tmp_path / "corpus.jsonl", TEXTS)
    questions = written(tmp_path / "questions.jsonl", [*QUOTING, {"query": "q", "quotes": ["what nobody wrote"]}])
    paying = command_line.but(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=claude.base_url)
    code, out, err = paying("indexer", "evaluate", "--corpus", str(corpus), "--questions", str(questions), "--yes")
    assert code == 2
    assert "questions.jsonl, line 3: 'what nobody wrote' does not stand in any document" in err
    assert out == ""
    assert claude.messages == []


def test_contexts_are_paid_only_after_yes(command_line: CommandLine, claude: ClaudeServer, tmp_path: Path) -> None:
    claude.brain = Contexts()
    bare = {**REVIEW, "chunks": [{"id": each["id"], "text": each["text"]} for each in REVIEW["chunks"]]}
    corpus = written(tmp_path / "corpus.jsonl", [bare])
    files = ("--corpus", str(corpus), "--questions", str(written(tmp_path / "questions.jsonl", QUESTIONS[:1])))
    paying = command_line.but(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=claude.base_url)
    code, _, err = paying("indexer", "evaluate", *files)
    assert code == 2
    assert "may cost up to $" in err
    assert "--yes" in err
    assert claude.messages == []
    figures = paying.json("indexer", "evaluate", *files, "--yes")
    assert figures["cost_usd"] > 0
    assert len(claude.messages) == 3
    status = paying.json("indexer", "status")
    assert (status["cost_usd"], status["all_cost_usd"]) == (0, pytest.approx(figures["cost_usd"], abs=1e-6))


def test_no_gate_is_judged_where_contexts_are_missing(
    command_line: CommandLine, claude: ClaudeServer, tmp_path: Path
) -> None:
    """At the day's cap structural contexts stand in: that is said with the reason, and no gate holds."""
    bare = {**REVIEW, "chunks": [{"id": each["id"], "text": each["text"]} for each in REVIEW["chunks"]]}
    corpus = written(tmp_path / "corpus.jsonl", [bare])
    files = ("--corpus", str(corpus), "--questions", str(written(tmp_path / "questions.jsonl", QUESTIONS[:1])))
    capped = command_line.but(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=claude.base_url, DAY_CAP_USD="0")
    gate = ("--systems", "contextual_hybrid", "--gate", "contextual_hybrid.mrr>=0")
    code, _, err = capped("indexer", "evaluate", *files, "--yes", *gate)
    assert code == 1
    assert "3 contexts could not be had" in err
    assert "DAY_CAP_USD" in err
    assert "Contexts are missing" in " ".join(err.split())
    assert claude.messages == []


def test_without_a_corpus_the_workspace_s_own_documents_are_asked(command_line: CommandLine, tmp_path: Path) -> None:
    questions = written(tmp_path / "questions.jsonl", QUOTING)
    code, _, err = command_line("indexer", "evaluate", "--questions", str(questions))
    assert code == 2
    assert "has no documents" in err
    for text in TEXTS:
        (tmp_path / text["document"]).write_text(text["text"])
        command_line.json("indexer", "add", str(tmp_path / text["document"]))
    figures = command_line.json("indexer", "evaluate", "--questions", str(questions))
    assert (figures["documents"], figures["questions"]) == (2, 2)
    assert figures["systems"]["contextual_hybrid"]["pass@5"] == 1.0


@pytest.mark.parametrize(("stop", "exits"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_run_that_is_stopped_leaves_no_workspace_to_the_next(
    command_line: CommandLine, files: tuple[str, ...], weaviate: Endpoint, tmp_path: Path, stop: int, exits: int
) -> None:
    many: list[dict[str, Any]] = [{**QUESTIONS[0], "query": f"question {n}"} for n in range(5_000)]
    long = ("--corpus", files[1], "--questions", str(written(tmp_path / "many.jsonl", many)))
    process = command_line.start("indexer", "evaluate", *long, preexec_fn=heed_interrupts)
    deadline = time.monotonic() + 60
    while not tenants(weaviate) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.2)
    assert tenants(weaviate)
    process.send_signal(stop)
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == exits
    assert b"Traceback" not in err
    if stop == signal.SIGKILL:
        assert tenants(weaviate), "nobody could clean up"
        command_line.json("indexer", "evaluate", *files, "--systems", "plain_bm25")
    assert tenants(weaviate) == set()
