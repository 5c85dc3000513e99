"""The reading process: a child that reads documents, so that no document can block or take down the program.

The parent sends an original over a pipe and gets the text or a refusal back. A child that crashes, hangs or eats too
much memory is a refusal of that one document; the next gets a new child. Children are reused, are given nothing of the
parent's environment but what reading needs, and end with their parent. Both directions are one JSON object and then
bytes, each with its length before it; a child is not trusted, so nothing of Python's is unpickled.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

from indexer.documents import ExtractedText, Heading, Original, Page
from indexer.errors import ExtractionRefused
from indexer.reading.reader import Limits, read, too_slow

_log = logging.getLogger(__name__)

_LENGTHS = struct.Struct(">QQ")
_MEMORY = 3 * 1024**3  # address space of a child; far above what a 2,000-page PDF needs
_RETIRE_AT = 600 * 1024**2  # a child that has grown past this is not reused: it would keep that memory
_KEPT = 2  # idle children kept for the next document
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TESSDATA_PREFIX", "LD_LIBRARY_PATH", "SYSTEMROOT", "TEMP")


class Reader:
    """A child process. Not for use by two threads at once, except for ``kill``."""

    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
        # Nothing is downloaded: an attempt meets a proxy that is not there.
        environment |= {
            "HTTP_PROXY": "http://127.0.0.1:9",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "MALLOC_ARENA_MAX": "2",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "indexer.reading.process"],
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
            _send(self._source, head, original.data)
            answer, text = _receive(self._target)
        except (OSError, EOFError) as error:
            self.kill("crash")
            if self._killed_because == "time":
                raise too_slow(original.name, limits) from error
            raise ExtractionRefused(
                f"{original.name} could not be read: reading it took too much memory or failed; "
                "split it, or save it anew, and add that."
            ) from error
        finally:
            timer.cancel()
        self.peak_memory = answer["memory"]
        if "refused" in answer:
            raise ExtractionRefused(answer["refused"]) from RuntimeError(answer["cause"])
        return _extracted(answer["extracted"], text.decode("utf-8"))

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


def _send(pipe: IO[bytes], head: dict[str, Any], data: bytes) -> None:
    header = json.dumps(head).encode()
    pipe.write(_LENGTHS.pack(len(header), len(data)))
    pipe.write(header)
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    lengths = _LENGTHS.unpack(_exactly(pipe, _LENGTHS.size))
    head = json.loads(_exactly(pipe, lengths[0]))
    return head, _exactly(pipe, lengths[1])


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError("the other process has ended")
    return data


def _extracted(answer: dict[str, Any], text: str) -> ExtractedText:
    return ExtractedText(
        text=text,
        media_type=answer["media_type"],
        title=answer["title"],
        pages=tuple(Page(*page) for page in answer["pages"]),
        headings=tuple(Heading(*heading) for heading in answer["headings"]),
        language=answer["language"],
        date=datetime.fromisoformat(answer["date"]) if answer["date"] else None,
        warnings=tuple(answer["warnings"]),
    )


def _answer(extracted: ExtractedText) -> dict[str, Any]:
    return {
        "media_type": extracted.media_type,
        "title": extracted.title,
        "pages": [(page.number, page.start, page.end) for page in extracted.pages],
        "headings": [(heading.level, heading.title, heading.start) for heading in extracted.headings],
        "language": extracted.language,
        "date": extracted.date.isoformat() if extracted.date else None,
        "warnings": extracted.warnings,
    }


def _peak_memory() -> int:
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # not on Windows; macOS does not limit address space
        return


def main() -> None:
    """Read originals from standard input until it ends."""
    _limit_memory()
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what native code prints must not get between the answers
    while True:
        try:
            head, data = _receive(source)
        except EOFError:
            os._exit(0)  # the engine's threads do not survive an orderly end of the interpreter
        limits = Limits(**head["limits"])
        original = Original(source="", data=data, name=head["name"], declared_type=head["declared_type"])
        text = b""
        try:
            extracted = read(original, limits)
            answer: dict[str, Any] = {"extracted": _answer(extracted)}
            text = extracted.text.encode("utf-8")
        except ExtractionRefused as error:
            answer = {"refused": str(error), "cause": repr(error.__cause__)}
        except MemoryError:
            os._exit(1)
        _send(target, {**answer, "memory": _peak_memory()}, text)


if __name__ == "__main__":
    main()
