"""Originals from files, folders and standard input."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from indexer.documents import Original
from indexer.errors import SourceRefused
from indexer.settings import IndexerSettings
from indexer.sources import Rejected, open_source

pytestmark = pytest.mark.anyio


async def _open(source: str | Path, *, max_file_mb: float = 50, **more: Any) -> list[Original | Rejected]:
    settings = IndexerSettings(_env_file=None, max_file_mb=max_file_mb)
    return [item async for item in open_source(str(source), settings, **more)]


async def _refused(source: str | Path, **more: Any) -> str:
    with pytest.raises(SourceRefused) as caught:
        await _open(source, **more)
    return str(caught.value)


async def test_a_file_has_its_path_as_key_and_its_date(tmp_path: Path) -> None:
    path = tmp_path / "a b.txt"
    path.write_bytes(b"words")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (item,) = await _open(path)
    assert item == Original(
        source=path.as_uri(), data=b"words", name="a b.txt", date=datetime.fromtimestamp(1_700_000_000, tz=UTC)
    )


async def test_one_file_has_one_key_however_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "x.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    names = ["x.txt", "./folder/../x.txt", "~/x.txt", (tmp_path / "x.txt").as_uri()]
    assert {item.source for name in names for item in await _open(name)} == {(tmp_path / "x.txt").as_uri()}


async def test_a_folder_gives_its_documents_in_order_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/y.txt", ".hidden", ".git/config", "node_modules/m.js", "c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert [item.name for item in await _open(tmp_path)] == ["b.txt", "c.txt", "y.txt", "z.txt"]


async def test_links_out_of_a_folder_and_loops_are_told(tmp_path: Path) -> None:
    """None is followed; a link to what is in the folder anyway needs no word, nor does a hidden one."""
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "a.txt").write_text("a")
    (folder / ".private.txt").write_text("private")
    links = {"out.txt": "../secret.txt", "up": "..", "loop": ".", "sub/loop": "..", "gone.txt": "no.txt", "x": "x"}
    for name, target in (links | {"same.txt": "a.txt", "twin": "sub", ".hid": "..", "private": ".private.txt"}).items():
        (folder / name).symlink_to(target)
    first, *others = await _open(folder)
    assert first.name == "a.txt"
    told = {item.name: str(item.error) for item in others if isinstance(item, Rejected)}
    assert set(told) == {*links, "private"}
    assert len(told) == len(others)
    assert told["out.txt"] == "out.txt is a link that leads out of the folder; add the file itself."
    assert told["sub/loop"] == "sub/loop is a link to a folder that it is in; remove it."
    assert "nowhere" in told["gone.txt"]
    assert "nowhere" in told["x"]


async def test_what_is_kept_here_is_not_added_with_the_folder_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.txt", "data/catalogue.txt", "notes/data/b.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    assert [item.name async for item in open_source(".", IndexerSettings(_env_file=None))] == ["a.txt", "b.txt"]


async def test_a_folder_that_may_not_be_opened_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")
    closed = tmp_path / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    first, second = await _open(tmp_path)
    assert first.name == "a.txt"
    assert isinstance(second, Rejected)
    assert str(second.error) == "closed may not be opened by this program; change its permissions."
    assert "may not be opened" in await _refused(closed)


async def test_one_refused_file_does_not_stop_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 2_000_000)
    os.mkfifo(tmp_path / "b.txt")
    (tmp_path / "c.txt").write_text("c")
    first, second, third = await _open(tmp_path, max_file_mb=1)
    assert isinstance(first, Rejected)
    assert isinstance(second, Rejected)
    assert (first.name, str(first.error).split(";")[0]) == ("a.txt", "a.txt has 2.0 MB and at most 1 MB are read")
    assert third.name == "c.txt"


async def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    path.chmod(0)
    try:
        if os.access(path, os.R_OK):
            pytest.skip("this user may read everything")
        assert "may not be read" in await _refused(path)
    finally:
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)


async def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)  # takes no space on the disk
    assert "10,000.0 MB" in await _refused(path)


async def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    assert await _refused(tmp_path / "no.txt") == f"{tmp_path / 'no.txt'} does not exist; check the path."
    (tmp_path / "empty").mkdir()
    assert await _refused(tmp_path / "empty") == f"{tmp_path / 'empty'} holds no documents; add a folder that does."
    assert (await _refused(tmp_path / ("x" * 300))).startswith(f"{tmp_path}/xxx")


async def test_pasted_text_is_a_document_of_its_own_unless_it_has_a_key() -> None:
    (first,) = await _open("-", stdin=b"words")
    (again,) = await _open("-", stdin=b"words")
    assert first.source.startswith("text:")
    assert first.source != again.source
    (keyed,) = await _open("-", stdin=b"words", key="notes")
    assert keyed == Original(source="text:notes", data=b"words", name="notes")
    assert "standard input" in await _refused("-", stdin=b" \n")


@pytest.mark.parametrize("source", ["ftp://host/file", "s3://bucket/key", "file://other-host/etc/passwd"])
async def test_other_schemes_and_machines_are_refused(source: str) -> None:
    await _refused(source)


@pytest.mark.parametrize("source", ["/etc/passwd", "file:///etc/passwd", "~/.ssh/id_rsa"])
async def test_sources_that_come_from_people_open_no_file_of_this_machine(source: str) -> None:
    assert "attach the file" in await _refused(source, local=False)


async def test_a_file_name_that_is_not_unicode_is_a_document_like_the_others(tmp_path: Path) -> None:
    """Its key is exact and opens it again; its name shows U+FFFD; nothing that is passed on has lone surrogates."""
    path = tmp_path / "bad\udcff.txt"
    path.write_bytes(b"hi")
    (tmp_path / "good.txt").write_text("good")
    bad, good = await _open(tmp_path)
    assert (bad.name, good.name) == ("bad\ufffd.txt", "good.txt")
    assert bad.source == f"{tmp_path.as_uri()}/bad%FF.txt"
    assert await _open(bad.source) == [bad] == await _open(path)
    (rejected,) = [item for item in await _open(tmp_path, max_file_mb=0.000003) if isinstance(item, Rejected)]
    assert rejected.name == "good.txt"
    (tmp_path / "good.txt").unlink()
    (rejected,) = [item for item in await _open(tmp_path, max_file_mb=0.000001) if isinstance(item, Rejected)]
    for text in (rejected.source, rejected.name, str(rejected.error), await _refused(f"{path}x")):
        text.encode()


async def test_control_characters_in_a_name_are_spaces_and_its_key_is_exact(tmp_path: Path) -> None:
    (tmp_path / "two\nlines\x1b[31m.txt").write_text("x")
    (item,) = await _open(tmp_path)
    assert item.name == "two lines [31m.txt"
    assert item.source.endswith("/two%0Alines%1B%5B31m.txt")
    assert await _open(item.source) == [item]


async def test_a_key_for_pasted_text_is_unicode() -> None:
    (item,) = await _open("-", stdin=b"words", key="n\udcfftes")
    assert (item.source, item.name) == ("text:n%FFtes", "n\ufffdtes")
