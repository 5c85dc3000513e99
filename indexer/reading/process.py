"""The reading process: a child that reads documents, so that no document can block or take down the program.

The parent sends an original over a pipe and gets the text or a refusal back. A child that crashes, hangs or eats too
much memory is a refusal of that one document; the next gets a new child. Children are reused, are given nothing of the
parent's environment but what reading needs, and end with their parent.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, cast

from indexer.documents import ExtractedText, Original
from indexer.errors import ExtractionRefused
from indexer.reading import wire
from indexer.reading.limits import Limits, too_slow

_log = logging.getLogger(__name__)

_RETIRE_AT = 600 * 1024**2  # a child that has grown past this many bytes is not reused: it would keep them
_KEPT = 2  # idle children kept for the next document
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TESSDATA_PREFIX", "LD_LIBRARY_PATH", "SYSTEMROOT")
_PACKAGE = Path(__file__).parents[1]
# The package's own __init__ is not run in the child: it imports the clients of Claude and the databases, which take
# seconds to load and have no business next to strangers' files.
_START = (
    "import sys, types; package = types.ModuleType('indexer'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['indexer'] = package; from indexer.reading.child import main; main()"
)


class Reader:
    """A child process. For one thread at a time, except for ``kill``."""

    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        environment |= {
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nothing is downloaded: an attempt meets a proxy that is not there
            "HTTP_PROXY": "http://127.0.0.1:9",
            "MALLOC_ARENA_MAX": "2",
        }
        self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-c", _START, str(_PACKAGE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # Ctrl+C in the terminal is for the parent, which ends its children itself
        )
        self._source, self._target = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        self._killed_because: str | None = None
        self.peak_memory = 0

    def read(self, original: Original, limits: Limits) -> ExtractedText:
        """Blocking. ``ExtractionRefused`` also where the child was killed, crashed, or ran out of time or memory."""
        timer = threading.Timer(limits.seconds, self.kill, ["time"])
        timer.daemon = True
        timer.start()
        try:
            head = {"name": original.name, "declared_type": original.declared_type, "limits": asdict(limits)}
            wire.send(self._source, head, original.data)
            answer, text = wire.receive(self._target)
        except (OSError, EOFError) as error:
            self.kill("crash")
            if self._killed_because == "time":
                raise too_slow(original.name, limits) from error
            raise _failed(original.name) from error
        finally:
            timer.cancel()
        self.peak_memory = answer["memory"]
        if "refused" in answer:
            raise ExtractionRefused(answer["refused"]) from RuntimeError(answer["cause"])
        if "failed" in answer:
            _log.warning("Reading a document failed: %s", answer["failed"])
            raise _failed(original.name) from RuntimeError(answer["failed"])
        return wire.unpack(answer["extracted"], text.decode("utf-8"))

    @property
    def reusable(self) -> bool:
        """Whether the next document may be given to this child."""
        return self._process.poll() is None and self._killed_because is None and self.peak_memory < _RETIRE_AT

    def kill(self, because: str) -> None:
        """End the child at once; a ``read`` that waits for it is refused."""
        if self._killed_because is None:
            self._killed_because = because
        self._process.kill()

    def close(self) -> None:
        """End the child and wait for its end."""
        self.kill("closed")
        for pipe in (self._source, self._target):
            with contextlib.suppress(OSError):
                pipe.close()
        self._process.wait()


def _failed(name: str) -> ExtractionRefused:
    return ExtractionRefused(
        f"{name} could not be read: it is damaged, or reading it takes too much memory; "
        "split it, or save it anew, and add that."
    )


_idle: list[Reader] = []
_lock = threading.Lock()


@contextlib.contextmanager
def borrowed() -> Iterator[Reader]:
    """An idle child or a new one; kept for the next document afterwards where that is right."""
    with _lock:
        reader = _idle.pop() if _idle else None
    if reader is not None and not reader.reusable:
        reader.close()
        reader = None
    reader = reader or Reader()
    try:
        yield reader
    finally:
        with _lock:
            keep = reader.reusable and len(_idle) < _KEPT
            if keep:
                _idle.append(reader)
        if not keep:
            reader.close()


@atexit.register
def end_idle() -> None:
    """End the children that wait for work."""
    with _lock:
        readers = _idle[:]
        _idle.clear()
    for reader in readers:
        reader.close()
