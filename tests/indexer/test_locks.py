"""Locks that the kernel lets go of when their holder dies."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.locks import FileLock, owned

pytestmark = pytest.mark.anyio


def test_many_share_and_one_owns(tmp_path: Path) -> None:
    first, second, third = (FileLock(tmp_path / "lock") for _ in range(3))
    assert first.share()
    assert second.share()
    assert not third.own()
    first.close()
    assert not third.own_within(0.1)
    second.close()
    second.close()
    assert third.own()
    late = FileLock(tmp_path / "lock")
    assert not late.share()
    third.close()
    assert late.share()
    late.close()


def test_crashed_holder_does_not_count(tmp_path: Path) -> None:
    hold = "import sys, os; from pathlib import Path; from indexer.locks import FileLock"
    code = f"{hold}; lock = FileLock(Path(sys.argv[1])); lock.own(); print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        lock = FileLock(tmp_path / "lock")
        assert not lock.own()
        holder.kill()
        assert lock.own_within(5)
        lock.close()


def test_forked_copy_does_not_keep_what_was_let_go(tmp_path: Path) -> None:
    lock, other = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    lock.share()
    copy = os.dup(lock._file)  # as a forked child has it
    lock.close()
    assert other.own()
    other.close()
    os.close(copy)


async def test_waiting_for_another_is_told_once_and_ends_with_the_other(tmp_path: Path) -> None:
    other, told = FileLock(tmp_path / "lock"), list[str]()
    other.own()
    asyncio.get_running_loop().call_later(2.3, other.close)
    async with owned(tmp_path / "lock", waiting=lambda: told.append("waiting")):
        assert told == ["waiting"]
    again = FileLock(tmp_path / "lock")
    assert again.own(), "let go after the block"
    again.close()
