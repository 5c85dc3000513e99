"""What the server of a folder takes: memory and processor time by its process, disk by its files."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory in bytes. ``own`` is what the process needs itself; ``files`` the system takes back at need."""

    own: int
    files: int


def server_memory(data_dir: Path) -> Memory:
    """Of the embedded server that runs for this folder. Where there is no ``/proc``: nothing."""
    status = _of_process(data_dir, "status")
    return told_memory(status) if status else Memory(0, 0)


def told_memory(status: str) -> Memory:
    """From the lines of ``/proc/PID/status``: ``RssAnon: 2 kB`` and ``RssFile: 1 kB`` → 2,048 and 1,024 bytes."""
    told = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return Memory(*(1024 * int(told[name].split()[0]) for name in ("RssAnon", "RssFile")))


def server_seconds(data_dir: Path) -> float:
    """Processor time that it has used, over all cores: unlike the clock it does not tell what else the machine does."""
    stat = _of_process(data_dir, "stat")
    return told_seconds(stat, os.sysconf("SC_CLK_TCK")) if stat else 0.0


def told_seconds(stat: str, ticks: int) -> float:
    """From ``/proc/PID/stat``: what the 14th and 15th of its fields sum up to, in ``ticks`` a second."""
    after_name = stat.rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / ticks


def _of_process(data_dir: Path, name: str) -> str:
    pid = json.loads((data_dir / "weaviate.json").read_text())["pid"]
    file = Path(f"/proc/{pid}/{name}")
    return file.read_text() if file.exists() else ""


def disk(data_dir: Path) -> int:
    """Bytes that the server's files take on the disk."""
    return sum(file.stat().st_blocks * 512 for file in (data_dir / "weaviate").rglob("*") if file.is_file())
