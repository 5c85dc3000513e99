"""Launches one Weaviate server process on this machine: its ports, its environment, its log, and when it is ready."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from indexer.errors import WeaviateUnavailable

LOOPBACK = "127.0.0.1"
_NODE = "situate"  # the raft state knows the node by this name, whatever its ports are
# What a person may set for the server; everything else in our environment is none of its business, secrets least.
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "TZ", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "LIMIT_RESOURCES")
_PASSED_ON_PREFIXES = ("DISK_USE_", "MEMORY_")


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a server listens: also on ``gossip + 1`` (data) and ``raft + 1`` (its RPC), as the server wants it."""

    rest: int
    grpc: int
    gossip: int
    raft: int


def spawn(binary: Path, data: Path, log: Path, ports: Ports, key: str) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own: neither Ctrl-C at our terminal nor our end does end it.

    The log of the start before is kept as ``<log>.1``. ``OSError`` where the binary or the log cannot be opened.
    """
    with suppress(FileNotFoundError):
        log.replace(log.with_name(f"{log.name}.1"))
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    arguments = ["--host", LOOPBACK, "--port", str(ports.rest), "--scheme", "http"]
    try:
        process = subprocess.Popen(  # noqa: S603  # the path is our own finder's, the arguments are constants
            [str(binary), *arguments, "--read-timeout=600s", "--write-timeout=600s"],
            env=_environment(data, ports, key),
            cwd=data,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    finally:
        os.close(output)
    # Whoever stops it may be another process; it is reaped here the moment it ends, so it is never a zombie.
    threading.Thread(target=process.wait, name="weaviate-reaper", daemon=True).start()
    return process


def _environment(data: Path, ports: Ports, key: str) -> dict[str, str]:
    passed = {
        name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
    }
    return passed | {
        "PERSISTENCE_DATA_PATH": str(data),
        "LOG_LEVEL": "warning",
        "DISABLE_TELEMETRY": "true",
        "API_BASED_MODULES_DISABLED": "true",
        "AUTOSCHEMA_ENABLED": "false",
        "GO_PROFILING_DISABLE": "true",
        # gRPC and the cluster's data port listen on every interface whatever is set: so nobody gets in without a key.
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
        "AUTHENTICATION_APIKEY_ENABLED": "true",
        "AUTHENTICATION_APIKEY_ALLOWED_KEYS": key,
        "AUTHENTICATION_APIKEY_USERS": _NODE,
        "CLUSTER_BASIC_AUTH_USERNAME": _NODE,
        "CLUSTER_BASIC_AUTH_PASSWORD": key,
        "CLUSTER_HOSTNAME": _NODE,
        "CLUSTER_IN_LOCALHOST": "true",
        "CLUSTER_BIND_ADDR": LOOPBACK,
        "CLUSTER_ADVERTISE_ADDR": LOOPBACK,
        "CLUSTER_GOSSIP_BIND_PORT": str(ports.gossip),
        "CLUSTER_DATA_BIND_PORT": str(ports.gossip + 1),
        "GRPC_PORT": str(ports.grpc),
        "RAFT_PORT": str(ports.raft),
        "RAFT_INTERNAL_RPC_PORT": str(ports.raft + 1),
        "RAFT_JOIN": f"{_NODE}:{ports.raft}",
        "RAFT_BOOTSTRAP_EXPECT": "1",
        # One node elects itself: waiting five times as long for others (the default) only makes the start 9 s, not 3.
        "RAFT_TIMEOUTS_MULTIPLIER": "1",
    }


async def is_ready(http: aiohttp.ClientSession, ports: Ports) -> bool:
    """REST is ready and takes our key (so it is our server), and gRPC accepts."""
    base = f"http://{LOOPBACK}:{ports.rest}/v1"
    try:
        async with http.get(f"{base}/.well-known/ready") as ready, http.get(f"{base}/meta") as meta:
            if ready.status != 200 or meta.status != 200:
                return False
        async with asyncio.timeout(2):
            _, writer = await asyncio.open_connection(LOOPBACK, ports.grpc)
    except (aiohttp.ClientError, TimeoutError, OSError):
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


def free_ports() -> Ports:
    """Ports that are free on every interface: held together while they are chosen, so that all differ."""
    with ExitStack() as held:
        rest, grpc = _hold(held, 0), _hold(held, 0)
        return Ports(rest, grpc, _hold_pair(held), _hold_pair(held))


def are_free(ports: Ports) -> bool:
    with ExitStack() as held:
        try:
            for port in (ports.rest, ports.grpc, ports.gossip, ports.gossip + 1, ports.raft, ports.raft + 1):
                _hold(held, port)
        except (OSError, OverflowError):
            return False
    return True


def _hold(held: ExitStack, port: int) -> int:
    probe = held.enter_context(socket.socket())
    # As Go's listeners do: a port with connections in TIME_WAIT only is free.
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("", port))
    probe.listen(1)  # with SO_REUSEADDR it is this that fails where somebody else listens
    return int(probe.getsockname()[1])


def _hold_pair(held: ExitStack) -> int:
    for _ in range(100):
        first = _hold(held, 0)
        with suppress(OSError, OverflowError):
            _hold(held, first + 1)
            return first
    raise WeaviateUnavailable("No two free ports in a row could be found on this machine for the database.")


def last_error(log: Path) -> str:
    """The last line of the server's log that tells of an error, as its message alone."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 65_536))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    for line in reversed(lines):
        with suppress(ValueError, AttributeError):
            entry = json.loads(line)
            if entry.get("level") in ("error", "fatal", "panic"):
                return " ".join(str(entry.get(part, "")) for part in ("msg", "error")).strip()[:300]
        if line.startswith(("panic:", "fatal error:")) or "address already in use" in line:
            return line.strip()[:300]
    return ""


def is_port_taken(reason: str) -> bool:
    return "address already in use" in reason or "bind:" in reason
