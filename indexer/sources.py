"""Where originals come from: a file, a folder, a URL, standard input."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from .documents import Original
from .errors import SourceRefused
from .settings import IndexerSettings
from .web import Web

_MB = 1_000_000
_NOT_DOCUMENTS = frozenset({"node_modules", "__pycache__"})
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


@dataclass(frozen=True, slots=True)
class Rejected:
    """One file of a folder that could not be taken: its key, its path in the folder, and why."""

    source: str
    name: str
    error: SourceRefused


async def open_source(
    source: str,
    settings: IndexerSettings,
    *,
    stdin: bytes = b"",
    key: str | None = None,
    local: bool = True,
    web: Web | None = None,
) -> AsyncIterator[Original | Rejected]:
    """The originals of a source, one at a time, each read when it is asked for.

    ``source`` is a file, a folder (all of it, sorted; without hidden files, links, ``node_modules``), an ``http`` or
    ``https`` URL, or ``-`` for the bytes in ``stdin``, whose key is ``text:<key>``, or ``text:`` and a new id. Keys of
    files are their absolute paths as ``file:`` URIs. ``local=False`` is for sources that come from other people: no
    path and no ``file:`` URL is opened then. ``web`` is another way to fetch URLs, for tests.

    ``SourceRefused`` where the source as a whole cannot be taken; a single file of a folder that cannot be taken comes
    as ``Rejected``, and the rest follows.
    """
    if source == "-":
        yield _pasted(stdin, key)
        return
    scheme = match[1].lower() if (match := _SCHEME.match(source)) else ""
    if scheme in ("http", "https"):
        yield await (web or Web()).fetch(source, settings)
        return
    if scheme not in ("", "file"):
        raise SourceRefused(f"{scheme} addresses cannot be fetched; use http or https, or add the file itself.")
    if not local:
        raise SourceRefused("Only http and https addresses can be added by link; attach the file instead.")
    path = _path(source, scheme)
    if await asyncio.to_thread(path.is_dir):
        async for item in _folder(path, settings):
            yield item
    else:
        yield await asyncio.to_thread(_file, path, path.name, settings)


def _pasted(data: bytes, key: str | None) -> Original:
    if not data.strip():
        raise SourceRefused("There was no text on standard input; pipe a document into it.")
    return Original(source=f"text:{key or uuid.uuid4().hex}", data=data, name=key or "Pasted text")


def _path(source: str, scheme: str) -> Path:
    if scheme == "file":
        parts = urlsplit(source)
        if parts.netloc not in ("", "localhost"):
            raise SourceRefused(f"{source} is on another machine; copy the file here and add that.")
        source = unquote(parts.path)
    if "\x00" in source or not source.strip():
        raise SourceRefused("This is not the name of a file; check it.")
    return Path(os.path.abspath(Path(source).expanduser()))


async def _folder(folder: Path, settings: IndexerSettings) -> AsyncIterator[Original | Rejected]:
    empty = True
    for path in await asyncio.to_thread(lambda: list(_files(folder))):
        empty = False
        name = str(path.relative_to(folder))
        try:
            yield await asyncio.to_thread(_file, path, name, settings)
        except SourceRefused as error:
            yield Rejected(path.as_uri(), name, error)
    if empty:
        raise SourceRefused(f"There are no documents in {folder}; add a folder that holds some.")


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder in a stable order, without what people do not think of as theirs.

    Links are left out: what they point to is either in the folder anyway, or outside of it and not meant.
    """
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_DOCUMENTS)
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith(".") and not path.is_symlink():
                yield path


def _file(path: Path, name: str, settings: IndexerSettings) -> Original:
    """Read a file. ``name`` is what people are told it is called."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise SourceRefused(f"{name} is not a file with content; add a document.")
        if about.st_size > settings.max_file_mb * _MB:
            raise SourceRefused(
                f"{name} has {about.st_size / _MB:,.1f} MB and at most {settings.max_file_mb:g} MB are read; "
                "split it, or raise MAX_FILE_MB."
            )
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise SourceRefused(f"There is no file or folder {path}; check the path.") from error
    except PermissionError as error:
        raise SourceRefused(f"{name} may not be read by this program; change its permissions.") from error
    except OSError as error:
        raise SourceRefused(f"{name} could not be read from the disk; check it and add it again.") from error
    return Original(
        source=path.as_uri(), data=data, name=path.name, date=datetime.fromtimestamp(about.st_mtime, tz=UTC)
    )
