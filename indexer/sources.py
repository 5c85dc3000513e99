"""Where originals come from: a file, a folder, a URL, standard input."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from .documents import Original
from .errors import SourceRefused
from .reading.sanitising import visible
from .settings import IndexerSettings
from .web import Web

_MB = 1_000_000
_NOT_DOCUMENTS = frozenset({"node_modules", "__pycache__"})
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SURROGATES = re.compile("[\ud800-\udfff]+")
_NO_LETTER = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Rejected:
    """One file of a folder that could not be taken: its key, its path in the folder as shown, and why.

    The sentence in ``error`` begins with ``name``.
    """

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

    ``source`` is a file, a folder (all of it, sorted; without hidden files, ``node_modules`` and ``data_dir``; links
    that lead out of it, nowhere or in a circle are ``Rejected``), an ``http`` or ``https`` URL, or ``-`` for the bytes
    in ``stdin``, whose key is ``text:<key>``, or ``text:`` and a new id. Keys of files are their absolute paths as
    ``file:`` URIs. ``local=False`` is for sources that come from other people: no path and no ``file:`` URL is opened
    then. ``web`` is another way to fetch URLs, for tests.

    ``SourceRefused`` where the source as a whole cannot be taken; a single file of a folder that cannot be taken comes
    as ``Rejected``, and the rest follows. Every sentence begins with what it is about: nothing is put before it.

    Keys and names are Unicode whatever the disk or a server says: in a key, a byte that is not UTF-8 is percent-encoded
    (``file:///bad%FF.txt``); in a name it is U+FFFD, and a control character a space (``bad\ufffd.txt``).
    """
    if source == "-":
        yield _pasted(stdin, key)
        return
    scheme = match[1].lower() if (match := _SCHEME.match(source)) else ""
    if scheme in ("http", "https"):
        original = await (web or Web()).fetch(source, settings)
        declared = shown_name(original.declared_type) if original.declared_type else None
        yield replace(original, name=shown_name(original.name), declared_type=declared)
        return
    if scheme not in ("", "file"):
        raise SourceRefused(f"{scheme} addresses cannot be fetched; use http or https, or add the file itself.")
    if not local:
        raise SourceRefused("Only http and https addresses can be added by link; attach the file instead.")
    path = _path(source, scheme)
    if await asyncio.to_thread(os.path.isdir, path):
        async for item in _folder(path, settings):
            yield item
    else:
        name = path.name if await asyncio.to_thread(os.path.lexists, path) else str(path)
        yield await asyncio.to_thread(_file, path, shown_name(name), settings)


async def fetch_link(url: str, settings: IndexerSettings) -> Original:
    """The document at a link that a person gave: ``http`` and ``https`` only, public addresses only.

    At most ``max_file_mb`` and ``fetch_seconds``. Raises SourceRefused, one sentence with what to do instead.
    """
    link = url.strip()
    if link != "-":  # standard input, for open_source
        async for item in open_source(link, settings, local=False):
            if isinstance(item, Original):
                return item
    raise SourceRefused("Only http and https addresses can be added by link; attach the file instead.")


def shown_name(name: str) -> str:
    """A file's name as text that people can be shown.

    >>> shown_name("bad\\udcff\\n2024.txt")
    'bad\ufffd 2024.txt'
    """
    return visible(_NO_LETTER.sub(" ", _SURROGATES.sub("\ufffd", name))).strip() or "Unnamed"


def _pasted(data: bytes, key: str | None) -> Original:
    if not data.strip():
        raise SourceRefused("There was no text on standard input; pipe a document into it.")
    exact = _SURROGATES.sub(lambda match: quote_from_bytes(match[0].encode("utf-8", "surrogateescape")), key or "")
    return Original(source=f"text:{exact or uuid.uuid4().hex}", data=data, name=shown_name(key or "Pasted text"))


def _path(source: str, scheme: str) -> Path:
    if scheme == "file":
        parts = urlsplit(source)
        if parts.netloc not in ("", "localhost"):
            raise SourceRefused(f"{shown_name(source)} is on another machine; copy the file here and add that.")
        source = os.fsdecode(unquote_to_bytes(os.fsencode(parts.path)))
    if "\x00" in source or not source.strip():
        raise SourceRefused("This is not the name of a file; check it.")
    return Path(os.path.abspath(os.path.expanduser(source)))


async def _folder(folder: Path, settings: IndexerSettings) -> AsyncIterator[Original | Rejected]:
    empty = True
    for path, problem in await asyncio.to_thread(lambda: list(_files(folder, settings.data_dir))):
        empty = False
        name = shown_name(str(path.relative_to(folder)))
        try:
            if problem:
                raise SourceRefused(f"{name} {problem}")
            yield await asyncio.to_thread(_file, path, name, settings)
        except SourceRefused as error:
            yield Rejected(path.as_uri(), name, error)
    if empty:
        raise SourceRefused(f"{shown_name(str(folder))} holds no documents; add a folder that does.")


def _files(folder: Path, data_dir: Path) -> Iterator[tuple[Path, str]]:
    """The files below a folder in a stable order, without what people do not think of as theirs.

    With each comes why it cannot be taken, as the end of a sentence, or nothing. Links are not followed: what one
    points to comes under its own name, or is outside of the folder and perhaps not meant.
    """
    own, top = data_dir.resolve(), folder.resolve()
    closed: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        below = [Path(place, name) for name in sorted(folders) if _wanted(name)]
        links = [path for path in below if path.is_symlink()]
        folders[:] = [path.name for path in below if path not in links and path.resolve() != own]
        for path in sorted([*links, *(Path(place, name) for name in files if not name.startswith("."))]):
            if not path.is_symlink():
                yield path, ""
            elif problem := _link_problem(path, top):
                yield path, problem
    for path in closed:
        if path != folder:
            yield path, "may not be opened by this program; change its permissions."
        else:
            raise SourceRefused(f"{shown_name(str(path))} may not be opened by this program; change its permissions.")


def _wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _NOT_DOCUMENTS


def _link_problem(link: Path, top: Path) -> str:
    """Why a link cannot be taken; nothing where the walk meets what it points to."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: links that point to each other
        return "is a link that leads nowhere; remove it, or add the file itself."
    if target in link.parent.resolve().parents or target == link.parent.resolve():
        return "is a link to a folder that it is in; remove it."
    if not target.is_relative_to(top):
        return "is a link that leads out of the folder; add the file itself."
    if not all(_wanted(part) for part in target.relative_to(top).parts):
        return "is a link to something hidden; add the file itself."
    return ""


def _file(path: Path, name: str, settings: IndexerSettings) -> Original:
    """Read a file. ``name`` is what people are told it is called."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise SourceRefused(f"{name} is not a file with content; add a file.")
        if about.st_size > settings.max_file_mb * _MB:
            raise SourceRefused(
                f"{name} has {about.st_size / _MB:,.1f} MB and at most {settings.max_file_mb:g} MB are read; "
                "split it, or raise MAX_FILE_MB."
            )
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise SourceRefused(f"{name} does not exist; check the path.") from error
    except PermissionError as error:
        raise SourceRefused(f"{name} may not be read by this program; change its permissions.") from error
    except OSError as error:
        raise SourceRefused(f"{name} could not be read from the disk; check it and add it again.") from error
    return Original(
        source=path.as_uri(), data=data, name=shown_name(path.name), date=datetime.fromtimestamp(about.st_mtime, tz=UTC)
    )
