"""What the server of a folder takes: memory by its process, disk by its files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory in bytes. ``own`` is what the process needs itself; ``files`` the system takes back at need."""

    own: int
    files: int


def server_memory(data_dir: Path) -> Memory:
    """Of the embedded server that runs for this folder. Where there is no ``/proc``: nothing."""
    pid = json.loads((data_dir / "weaviate.json").read_text())["pid"]
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return Memory(0, 0)
    return told_memory(status.read_text())


def told_memory(status: str) -> Memory:
    """From the lines of ``/proc/PID/status``: ``RssAnon: 2 kB`` and ``RssFile: 1 kB`` → 2,048 and 1,024 bytes."""
    told = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return Memory(*(1024 * int(told[name].split()[0]) for name in ("RssAnon", "RssFile")))


def disk(data_dir: Path) -> int:
    """Bytes that the server's files take on the disk."""
    return sum(file.stat().st_blocks * 512 for file in (data_dir / "weaviate").rglob("*") if file.is_file())
