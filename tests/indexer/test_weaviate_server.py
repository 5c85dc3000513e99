"""Starting, joining, leaving and recovering the embedded Weaviate server, with the real one wherever that is cheap."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexer import weaviate_launch, weaviate_server
from indexer.documents import WORKSPACE, Chunk, Context, ContextKind, Document, Passage, document_id, version_id
from indexer.errors import SettingsInvalid, WeaviateUnavailable
from indexer.locks import FileLock
from indexer.processes import end_process, process_started
from indexer.settings import IndexerSettings
from indexer.store import Store
from indexer.weaviate_server import Endpoint, parse_url

pytestmark = pytest.mark.anyio

ANOTHER_USER = """
import asyncio, os, sys
from indexer.settings import IndexerSettings
from indexer.weaviate_server import weaviate_server

async def main():
    settings = IndexerSettings.model_validate({"data_dir": sys.argv[1]})
    async with weaviate_server(settings, notify=lambda sentence: None) as endpoint:
        print(endpoint.port, flush=True)
        if sys.stdin.readline().strip() == "crash":
            os._exit(9)

asyncio.run(main())
"""


def settings_for(data_dir: Path, **others: object) -> IndexerSettings:
    return IndexerSettings.model_validate({"data_dir": data_dir, **others})


def record_of(data_dir: Path) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads((data_dir / "weaviate.json").read_text())
    return kept


def serve(settings: IndexerSettings, notify: Callable[[str], None] = lambda sentence: None) -> Any:
    return weaviate_server.weaviate_server(settings, notify=notify)


@pytest.fixture
def another_user(tmp_path: Path) -> Any:
    """Start a process of its own that uses the server of ``tmp_path``."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", ANOTHER_USER, str(tmp_path)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def fake_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Replace the binary by a Python script with this body; ``port`` is the REST port."""

    def fake(body: str) -> None:
        script = tmp_path / "fake-server"
        head = f"#!{sys.executable}\nimport http.server, json, os, sys, time\nport = int(sys.argv[4])\n"
        script.write_text(head + body)
        script.chmod(0o755)

        async def binary(*, notify: object) -> Path:
            return script

        monkeypatch.setattr(weaviate_server, "weaviate_binary", binary)

    return fake


async def put_one(endpoint: Endpoint) -> None:
    store = await Store.connect(endpoint, api_key=None, dimensions=2, timeout_seconds=10)
    key = document_id("local", WORKSPACE, "s")
    passage = Passage(Chunk(0, 0, 4, "kept"), Context("", ContextKind.STRUCTURAL))
    vectors = {name: np.array([[1, 0]], dtype=np.float32) for name in ("passage", "context")}
    await store.put(Document(key, "local", WORKSPACE, "s", "T"), version_id(key, 1), [passage], vectors)
    await store.close()


async def count_one(endpoint: Endpoint) -> int:
    store = await Store.connect(endpoint, api_key=None, dimensions=2, timeout_seconds=10)
    try:
        return await store.count("local", version_id(document_id("local", WORKSPACE, "s"), 1))
    finally:
        await store.close()


async def test_second_process_joins_and_last_to_leave_stops_the_server(tmp_path: Path, another_user: Any) -> None:
    async with serve(settings_for(tmp_path)) as endpoint:
        record = record_of(tmp_path)
        other = another_user()
        assert await asyncio.to_thread(other.stdout.readline) == f"{endpoint.port}\n"
        assert record_of(tmp_path) == record
    assert process_started(record["pid"]) == record["started"], "somebody still uses it"
    await asyncio.to_thread(other.communicate, "leave\n")
    assert other.returncode == 0
    assert process_started(record["pid"]) is None
    with pytest.raises(ChildProcessError):  # no zombie: we started it, somebody else stopped it, it was reaped
        os.waitpid(record["pid"], os.WNOHANG)  # noqa: ASYNC222  # WNOHANG does not wait


async def test_two_at_once_start_one_server_and_their_orphan_is_adopted(tmp_path: Path, another_user: Any) -> None:
    both = [another_user(), another_user()]
    first, second = [int(await asyncio.to_thread(user.stdout.readline)) for user in both]
    assert first == second
    for user in both:
        await asyncio.to_thread(user.communicate, "crash\n")
        assert user.returncode == 9
    record = record_of(tmp_path)
    assert process_started(record["pid"]) == record["started"], "nobody was left to stop it"
    async with serve(settings_for(tmp_path)) as endpoint:
        assert endpoint.port == first
        assert record_of(tmp_path)["pid"] == record["pid"]
    assert process_started(record["pid"]) is None


async def test_killed_server_is_restarted_at_its_ports_with_its_data(tmp_path: Path) -> None:
    """Who still holds the old address finds the server again; the data written before the kill is there."""
    async with serve(settings_for(tmp_path)) as first:
        await put_one(first)
        os.kill(record_of(tmp_path)["pid"], signal.SIGKILL)
        async with serve(settings_for(tmp_path)) as again:
            assert again == first
            assert await count_one(first) == 1


async def test_taken_port_and_stale_record_lead_to_other_ports_with_the_same_data(tmp_path: Path) -> None:
    """The server was killed, its pid now belongs to another program, and somebody took its port meanwhile."""
    async with serve(settings_for(tmp_path)) as first:
        await put_one(first)
        record = record_of(tmp_path)
        await asyncio.to_thread(end_process, record["pid"], record["started"], 0)
        (tmp_path / "weaviate.json").write_text(json.dumps({**record, "pid": os.getpid()}))
        with socket.socket() as somebody:
            somebody.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            for _ in range(100):  # a connection of any program of this machine may be on that port for a moment
                with suppress(OSError):
                    somebody.bind(("127.0.0.1", first.port))
                    break
                await asyncio.sleep(0.1)
            somebody.listen()
            async with serve(settings_for(tmp_path)) as again:
                assert again.port != first.port
                assert await count_one(again) == 1  # the raft state does not mind new ports


async def test_port_taken_between_look_and_start_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as somebody:
        somebody.bind(("", 0))
        somebody.listen()
        offers = [weaviate_launch.Ports(5, somebody.getsockname()[1], 6, 7), weaviate_launch.free_ports()]
        free = weaviate_launch.free_ports()
        offers[0] = weaviate_launch.Ports(free.rest, somebody.getsockname()[1], free.gossip, free.raft)
        monkeypatch.setattr(weaviate_server, "free_ports", lambda: offers.pop(0))
        async with serve(settings_for(tmp_path)) as endpoint:
            assert not offers
            assert endpoint.grpc_port != somebody.getsockname()[1]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', '{"pid": "x", "ports": {"a": 1}}'])
async def test_unreadable_record_is_as_none(tmp_path: Path, content: str, fake_server: Any) -> None:
    fake_server('print(json.dumps({"level": "fatal", "msg": "came as far as starting"})); sys.exit(1)')
    (tmp_path / "weaviate.json").write_text(content)
    with pytest.raises(WeaviateUnavailable, match="came as far as starting"):
        async with serve(settings_for(tmp_path)):
            pass


async def test_server_that_ends_at_start_is_explained_with_its_own_reason(tmp_path: Path, fake_server: Any) -> None:
    fake_server('print(json.dumps({"level": "fatal", "msg": "no space left on device"})); sys.exit(1)')
    with pytest.raises(WeaviateUnavailable, match=r"ended as it started \(no space left on device\): see "):
        async with serve(settings_for(tmp_path)):
            pass


REST_ONLY = """
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"{}")
http.server.HTTPServer(("127.0.0.1", port), Answers).serve_forever()
"""


async def test_server_with_rest_up_and_grpc_closed_is_an_error_within_the_limit(
    tmp_path: Path, fake_server: Any
) -> None:
    fake_server(REST_ONLY)
    told: list[str] = []
    since = time.monotonic()
    with pytest.raises(WeaviateUnavailable, match="was not ready within 3 s"):
        async with serve(settings_for(tmp_path, weaviate_start_seconds=3), told.append):
            pass
    assert time.monotonic() - since < 15
    assert any("Waiting for the database" in sentence for sentence in told)
    assert process_started(record_of(tmp_path)["pid"]) is None, "what did not start properly does not stay"


async def test_hung_server_is_replaced(tmp_path: Path, fake_server: Any) -> None:
    """The recorded server is alive and of our making but does not answer: it is ended, and a new one started."""
    fake_server("time.sleep(600)")
    ports = weaviate_launch.free_ports()
    (tmp_path / "weaviate").mkdir()
    hung = weaviate_launch.spawn(
        tmp_path / "fake-server", tmp_path / "weaviate", tmp_path / "weaviate.log", ports, "key"
    )
    kept = {
        "pid": hung.pid,
        "started": process_started(hung.pid),
        "ports": {"rest": ports.rest, "grpc": ports.grpc, "gossip": ports.gossip, "raft": ports.raft},
        "key": "key",
        "machine": os.uname().nodename,
    }
    (tmp_path / "weaviate.json").write_text(json.dumps(kept))
    with pytest.raises(WeaviateUnavailable, match="was not ready"):  # for the new one is as slow
        async with serve(settings_for(tmp_path, weaviate_start_seconds=0.5)):
            pass
    assert process_started(hung.pid) is None
    assert record_of(tmp_path)["pid"] != hung.pid


async def test_cancelled_start_leaves_no_server(tmp_path: Path, fake_server: Any) -> None:
    fake_server("time.sleep(600)")

    async def use() -> None:
        async with serve(settings_for(tmp_path)):
            pass

    task = asyncio.create_task(use())
    for _ in range(200):
        if (tmp_path / "weaviate.json").exists():
            break
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert process_started(record_of(tmp_path)["pid"]) is None


async def test_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path, fake_server: Any) -> None:
    fake_server("")
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(WeaviateUnavailable, match=r"cannot keep its files in .*set DATA_DIR to another folder"):
        async with serve(settings_for(blocked)):
            pass


async def test_folder_in_use_from_another_machine_is_explained(tmp_path: Path, fake_server: Any) -> None:
    """A pid says nothing across machines or containers that share a folder: no second server on the same data."""
    fake_server("sys.exit(1)")
    kept = {"pid": 1, "started": "1", "ports": dict.fromkeys(("rest", "grpc", "gossip", "raft"), 1), "key": "k"}
    (tmp_path / "weaviate.json").write_text(json.dumps({**kept, "machine": "another"}))
    other = FileLock(tmp_path / "weaviate.users")
    try:
        other.share()
        with pytest.raises(WeaviateUnavailable, match="in use by another"):
            async with serve(settings_for(tmp_path)):
                pass
    finally:
        other.close()


async def test_server_sees_none_of_our_secrets_and_only_its_own_settings(
    tmp_path: Path, fake_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("CLUSTER_JOIN", "elsewhere:7946")
    monkeypatch.setenv("DISK_USE_READONLY_PERCENTAGE", "97")
    fake_server('open("environment", "w").write(json.dumps(dict(os.environ)))')
    with pytest.raises(WeaviateUnavailable):
        async with serve(settings_for(tmp_path)):
            pass
    environment = json.loads((tmp_path / "weaviate" / "environment").read_text())
    assert environment.keys().isdisjoint({"ANTHROPIC_API_KEY", "CLUSTER_JOIN"})
    assert environment["DISK_USE_READONLY_PERCENTAGE"] == "97"


async def test_nobody_gets_in_without_the_key(weaviate: Endpoint) -> None:
    """gRPC listens on every interface whatever is set, so the embedded server takes our key only."""
    stranger = Endpoint("127.0.0.1", weaviate.port, False, "127.0.0.1", weaviate.grpc_port, False)
    with pytest.raises(WeaviateUnavailable, match="WEAVIATE_API_KEY"):
        await Store.connect(stranger, api_key=None, dimensions=2, timeout_seconds=5)
    assert weaviate.api_key is not None
    assert weaviate.api_key not in repr(weaviate)


@pytest.mark.parametrize(
    ("url", "host", "port", "secure", "grpc"),
    [
        ("http://db.local:8080", "db.local", 8080, False, ("db.local", 50051, False)),
        ("http://db.local/", "db.local", 8080, False, ("db.local", 50051, False)),
        ("db.local:9999", "db.local", 9999, False, ("db.local", 50051, False)),
        ("https://db.local", "db.local", 443, True, ("db.local", 50051, True)),
        ("http://[::1]:8080", "::1", 8080, False, ("::1", 50051, False)),
        (
            "https://ab.c0.x.weaviate.cloud",
            "ab.c0.x.weaviate.cloud",
            443,
            True,
            ("grpc-ab.c0.x.weaviate.cloud", 443, True),
        ),
        ("https://ab.weaviate.network", "ab.weaviate.network", 443, True, ("ab.grpc.weaviate.network", 443, True)),
    ],
)
async def test_weaviate_url_is_used_as_it_stands(
    tmp_path: Path, url: str, host: str, port: int, secure: bool, grpc: tuple[str, int, bool]
) -> None:
    async with serve(settings_for(tmp_path, weaviate_url=url)) as endpoint:
        assert endpoint == Endpoint(host, port, secure, *grpc)
    assert os.listdir(tmp_path) == [], "nothing is started or written"


@pytest.mark.parametrize(
    "url",
    ["ftp://db", "http://", "http://db/v1", "http://db:x", "http://db:99999", "http://u:secret@db", "http://db?x=1"],
)
def test_wrong_weaviate_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(SettingsInvalid, match="WEAVIATE_URL") as refused:
        parse_url(url, 50051)
    assert "secret" not in str(refused.value)


def test_grpc_needs_a_port_of_its_own() -> None:
    with pytest.raises(SettingsInvalid, match="WEAVIATE_GRPC_PORT"):
        parse_url("http://db:50051", 50051)


def test_a_process_is_known_by_pid_and_start_and_another_is_not_touched() -> None:
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        started = process_started(sleeper.pid)
        assert started
        end_process(sleeper.pid, "another start", 1)
        assert process_started(sleeper.pid) == started
        end_process(sleeper.pid, started, 5)
        assert process_started(sleeper.pid) is None, "a zombie counts as ended"
    finally:
        sleeper.kill()
        sleeper.wait()
