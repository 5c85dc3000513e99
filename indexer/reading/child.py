"""The child's side of the reading process: takes originals from standard input, answers on standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from indexer.documents import Original
from indexer.errors import ExtractionRefused
from indexer.reading import wire
from indexer.reading.limits import Limits
from indexer.reading.reader import read

_MEMORY = 3 * 1024**3  # address space; several times what a PDF of 2,000 pages needs


def main() -> None:
    """Read originals until standard input ends; the parent's end is that end."""
    _limit_memory()
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what native code prints must not get between the answers
    while True:
        try:
            head, data = wire.receive(source)
        except EOFError:
            os._exit(0)  # the engine's threads do not survive an orderly end of the interpreter
        original = Original(source="", data=data, name=head["name"], declared_type=head["declared_type"])
        answer, text = _answer(original, Limits(**head["limits"]))
        wire.send(target, {**answer, "memory": _peak_memory()}, text)


def _answer(original: Original, limits: Limits) -> tuple[dict[str, Any], bytes]:
    try:
        extracted = read(original, limits)
    except ExtractionRefused as error:
        return {"refused": str(error), "cause": repr(error.__cause__)}, b""
    except MemoryError:
        os._exit(1)  # told by the parent, which sees the end
    except Exception as error:  # noqa: BLE001 - whatever a document does to its reader refuses that document only
        return {"failed": repr(error)[:300]}, b""
    return {"extracted": wire.pack(extracted)}, extracted.text.encode("utf-8")


def _peak_memory() -> int:
    """The most memory this process has held, in bytes; 0 where that cannot be told.

    Not ``getrusage``: on Linux a child starts with its parent's peak as its own.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # not on Windows; macOS does not limit address space
        return
