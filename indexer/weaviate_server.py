"""Gives the address of a Weaviate server: the one at ``WEAVIATE_URL``, or one that runs on this machine.

The server of a ``DATA_DIR`` belongs to all processes that use that folder. Files in it, all ours:

* ``weaviate/`` the data; ``weaviate.log`` what the server said since its last start;
* ``weaviate.lock`` held alone by whoever starts, joins, leaves or stops the server;
* ``weaviate.users`` shared by every process that uses it; the kernel drops a crashed process's share;
* ``weaviate.json`` the server's pid and start time, its ports and its key (readable by the owner only).

Who finds the recorded server alive joins it, also where all its users have died. Who leaves and can hold
``weaviate.users`` alone was the last, and stops it. A record of a dead process, or of a pid that another program has
got meanwhile, is stale: the server is started again, at the same ports where they are free, so that processes that
still hold the old address find it again.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from indexer.errors import SettingsInvalid, WeaviateUnavailable
from indexer.locks import FileLock, owned
from indexer.processes import end_process, process_started
from indexer.settings import IndexerSettings
from indexer.weaviate_binary import weaviate_binary
from indexer.weaviate_launch import LOOPBACK, Ports, are_free, free_ports, is_port_taken, is_ready, last_error, spawn

_STOP_SECONDS = 30.0
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server listens. ``api_key`` is the embedded server's own, None for a server at ``WEAVIATE_URL``."""

    host: str
    port: int
    secure: bool
    grpc_host: str
    grpc_port: int
    grpc_secure: bool
    api_key: str | None = field(default=None, repr=False)


@asynccontextmanager
async def weaviate_server(settings: IndexerSettings, *, notify: Callable[[str], None]) -> AsyncIterator[Endpoint]:
    """A server for the block: started, joined, or just the one at ``WEAVIATE_URL`` (not contacted here).

    ``notify`` gets sentences for a person about whatever takes longer than two seconds. Raises ``SettingsInvalid`` for
    a wrong ``WEAVIATE_URL``, ``WeaviateUnavailable`` where no server can be had within ``weaviate_start_seconds``
    (installing the binary not counted).
    """
    if settings.weaviate_url:
        yield parse_url(settings.weaviate_url, settings.weaviate_grpc_port)
        return
    server = _Embedded(settings.data_dir.absolute(), settings.weaviate_start_seconds, notify)
    endpoint = await server.enter()
    try:
        yield endpoint
    finally:
        # In a thread and shielded: a cancelled task still leaves, and the interpreter waits for it.
        await asyncio.shield(asyncio.to_thread(server.leave))


def parse_url(url: str, grpc_port: int) -> Endpoint:
    """The endpoint that ``WEAVIATE_URL`` names.

    >>> parse_url("http://db:8080", 50051).grpc_host
    'db'
    >>> parse_url("https://abc.c0.weaviate.cloud", 50051).grpc_port  # Weaviate Cloud: gRPC is grpc-<host>:443
    443
    """
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise SettingsInvalid("WEAVIATE_URL is not an address: use http(s)://HOST:PORT.") from error
    if parts.username or parts.password:
        raise SettingsInvalid("WEAVIATE_URL holds a user or password: use WEAVIATE_API_KEY instead.")
    if parts.scheme not in ("http", "https") or not host or parts.path.strip("/") or parts.query or parts.fragment:
        raise SettingsInvalid("WEAVIATE_URL must be http(s)://HOST:PORT with nothing after it.")
    secure = parts.scheme == "https"
    if host.endswith(".weaviate.cloud"):
        return Endpoint(host, 443, True, f"grpc-{host}", 443, True)
    if host.endswith(".weaviate.network"):  # Weaviate Cloud's older addresses
        cluster, _, domain = host.partition(".")
        return Endpoint(host, 443, True, f"{cluster}.grpc.{domain}", 443, True)
    port = port or (443 if secure else 8080)
    if port == grpc_port:
        raise SettingsInvalid(f"WEAVIATE_URL and WEAVIATE_GRPC_PORT are both port {port}: gRPC has a port of its own.")
    return Endpoint(host, port, secure, host, grpc_port, secure)


@dataclass(frozen=True, slots=True)
class _Record:
    """What ``weaviate.json`` holds. ``started`` tells this process from a later one of the same pid."""

    pid: int
    started: str
    ports: Ports
    key: str = field(repr=False)
    machine: str = ""

    @property
    def alive(self) -> bool:
        return process_started(self.pid) == self.started

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(LOOPBACK, self.ports.rest, False, LOOPBACK, self.ports.grpc, False, self.key)


class _PortTaken(Exception):
    """The server ended because somebody took one of its ports between our look and its start."""


class _Embedded:
    """One use of the server of a ``DATA_DIR``: ``enter`` once, ``leave`` once."""

    def __init__(self, data_dir: Path, start_seconds: float, notify: Callable[[str], None]) -> None:
        self._data = data_dir / "weaviate"
        self._log = data_dir / "weaviate.log"
        self._lock = data_dir / "weaviate.lock"
        self._users = data_dir / "weaviate.users"
        self._record = data_dir / "weaviate.json"
        self._start_seconds = start_seconds
        self._notify = notify
        self._share: FileLock | None = None

    async def enter(self) -> Endpoint:
        """Join the running server or start one."""
        if sys.platform == "win32":
            raise WeaviateUnavailable("There is no Weaviate server for Windows: set WEAVIATE_URL to one that runs.")
        binary = await weaviate_binary(notify=self._notify)
        try:
            await asyncio.to_thread(self._prepare)
            waiting = "Another process is starting or stopping the database …"
            async with owned(self._lock, waiting=lambda: self._notify(waiting)):
                self._share = FileLock(self._users)
                try:
                    others = not self._share.own()
                    self._share.share()  # nobody holds it alone but under the lock that we hold
                    return await self._join(others=others) or await self._start(binary)
                except BaseException:
                    self._share.close()
                    raise
        except OSError as error:
            raise WeaviateUnavailable(
                f"The database cannot keep its files in {self._data.parent} ({error.strerror or error}): "
                f"make room there and make it writable, or set DATA_DIR to another folder."
            ) from error

    def leave(self) -> None:
        """Stop the server if nobody else uses it. Blocks: for a thread. Never raises: whoever comes next cleans up."""
        if self._share is None:
            return
        with suppress(OSError):
            lock = FileLock(self._lock)
            try:
                # Who enters now and holds the lock has its share already: then there is nothing to stop.
                alone = lock.own_within(self._start_seconds + _STOP_SECONDS)
                self._share.close()
                if alone:
                    self._stop_unless_used()
            finally:
                lock.close()

    def _stop_unless_used(self) -> None:
        users = FileLock(self._users)
        try:
            record = self._read()
            if users.own() and record is not None:
                end_process(record.pid, record.started, _STOP_SECONDS)
                self._record.unlink(missing_ok=True)
        finally:
            users.close()

    def _prepare(self) -> None:
        """Make the folder and see that it can be written, before a server fails on it in its own words."""
        self._data.mkdir(parents=True, exist_ok=True)
        probe = self._data / ".situate-probe"
        probe.write_bytes(b"\0" * 4096)
        probe.unlink()

    async def _join(self, *, others: bool) -> Endpoint | None:
        """The recorded server, where it is alive and answers."""
        record = await asyncio.to_thread(self._read)
        if record and others and record.machine != platform.node():  # its pid says nothing here
            raise WeaviateUnavailable(
                f"The database in {self._data.parent} is in use by {record.machine}: set WEAVIATE_URL to a server that "
                f"both can reach, or DATA_DIR to another folder."
            )
        if record is None or not record.alive:
            return None
        if await self._wait(record, lambda: record.alive):
            return record.endpoint
        await asyncio.to_thread(end_process, record.pid, record.started, _STOP_SECONDS)  # alive, but it does not answer
        return None

    async def _start(self, binary: Path) -> Endpoint:
        before = await asyncio.to_thread(self._read)
        key = before.key if before else secrets.token_urlsafe(24)
        for attempt in range(_ATTEMPTS):
            again = before is not None and attempt == 0 and await _soon_free(before.ports)
            ports = before.ports if before and again else free_ports()
            try:
                return await self._start_at(binary, ports, key)
            except _PortTaken:
                continue
        raise WeaviateUnavailable(
            f"The database found its ports taken {_ATTEMPTS} times in a row: try again, or see {self._log}."
        )

    async def _start_at(self, binary: Path, ports: Ports, key: str) -> Endpoint:
        process = spawn(binary, self._data, self._log, ports, key)
        record = _Record(process.pid, process_started(process.pid) or "", ports, key, platform.node())
        try:
            self._write(record)
            if await self._wait(record, lambda: record.alive):
                return record.endpoint
            reason = await asyncio.to_thread(last_error, self._log)
            if not record.alive and is_port_taken(reason):
                raise _PortTaken
            fate = f"was not ready within {self._start_seconds:.0f} s" if record.alive else "ended as it started"
            raise WeaviateUnavailable(
                f"The database {fate}{f' ({reason})' if reason else ''}: see {self._log}, "
                f"or set WEAVIATE_URL to a server that runs."
            )
        except BaseException:
            # Also when cancelled: a server that nobody waits for must not stay.
            await asyncio.shield(asyncio.to_thread(end_process, record.pid, record.started, _STOP_SECONDS))
            raise

    async def _wait(self, record: _Record, alive: Callable[[], bool]) -> bool:
        """Whether the server answers on both of its ports, with our key, within the limit."""
        since = told = time.monotonic()
        headers = {"Authorization": f"Bearer {record.key}"}
        async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=5)) as http:
            while alive():
                if await is_ready(http, record.ports):
                    return True
                now = time.monotonic()
                if now - since > self._start_seconds:
                    return False
                if now - told > (2 if told == since else 10):
                    self._notify(f"Waiting for the database to start: {now - since:.0f} s")
                    told = now
                await asyncio.sleep(0.1)
        return False

    def _read(self) -> _Record | None:
        try:
            kept = json.loads(self._record.read_text())
            return _Record(
                int(kept["pid"]),
                str(kept["started"]),
                Ports(**{name: int(port) for name, port in kept["ports"].items()}),
                str(kept["key"]),
                str(kept["machine"]),
            )
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
        ):  # missing or not of our making: as none
            return None

    def _write(self, record: _Record) -> None:
        new = self._record.with_suffix(".json.new")
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(asdict(record), file)
        new.replace(self._record)


async def _soon_free(ports: Ports) -> bool:
    """Whether the ports are free, or within a second: a server that was killed just now still holds them."""
    for _ in range(10):
        if are_free(ports):
            return True
        await asyncio.sleep(0.1)
    return False
