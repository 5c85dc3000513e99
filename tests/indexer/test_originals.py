"""Originals are kept whole under their hash, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.documents import content_hash
from indexer.errors import SettingsInvalid, StoreFailed
from indexer.originals import Originals

pytestmark = pytest.mark.anyio


async def test_bytes_come_back_as_they_were(tmp_path: Path) -> None:
    originals = Originals(None, tmp_path)
    sha256 = await originals.put(b"\x00\xffbytes")
    assert sha256 == content_hash(b"\x00\xffbytes")
    assert await originals.get(sha256) == b"\x00\xffbytes"


async def test_the_same_bytes_are_kept_once_and_no_part_is_left(tmp_path: Path) -> None:
    originals = Originals(None, tmp_path)
    await originals.put(b"same")
    await originals.put(b"same")
    assert [p.name for p in (tmp_path / "originals").rglob("*") if p.is_file()] == [content_hash(b"same")]


async def test_deleted_bytes_are_gone_and_deleting_twice_is_harmless(tmp_path: Path) -> None:
    originals = Originals(None, tmp_path)
    sha256 = await originals.put(b"gone")
    originals.drop(sha256)
    originals.drop(sha256)
    with pytest.raises(StoreFailed, match="add the document again"):
        await originals.get(sha256)


async def test_damaged_bytes_are_not_given_out(tmp_path: Path) -> None:
    originals = Originals(None, tmp_path)
    sha256 = await originals.put(b"whole")
    (tmp_path / "originals" / sha256[:2] / sha256).write_bytes(b"half")
    with pytest.raises(StoreFailed, match="damaged"):
        await originals.get(sha256)


async def test_any_filesystem_by_url(tmp_path: Path) -> None:
    originals = Originals("memory://originals-test", tmp_path)
    assert await originals.get(await originals.put(b"in memory")) == b"in memory"


def test_an_unknown_filesystem_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="ORIGINALS_URL"):
        Originals("nosuch://bucket", tmp_path)


async def test_a_disk_that_refuses_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "originals").write_text("a file stands where the folder should be")
    with pytest.raises(StoreFailed, match="has room"):
        await Originals(None, tmp_path).put(b"x")
