"""Originals: the bytes as they came, stored under their SHA-256 in a folder or in object storage (fsspec)."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import fsspec

from .documents import content_hash
from .errors import SettingsInvalid, StoreFailed


class Originals:
    """A flat store of bytes by their hash. Writing the same bytes twice keeps one copy."""

    def __init__(self, url: str | None, data_dir: Path) -> None:
        where = url or str((data_dir / "originals").absolute())
        try:
            filesystem, self._root = fsspec.core.url_to_fs(where, auto_mkdir=True)
        except (ValueError, ImportError) as error:
            raise SettingsInvalid(f"ORIGINALS_URL cannot be used: {error}") from error
        self._files: Any = filesystem  # fsspec has no types

    def _path(self, sha256: str) -> str:
        return f"{self._root}/{sha256[:2]}/{sha256}"

    async def put(self, data: bytes) -> str:
        """Store bytes whole or not at all; returns their SHA-256 in hex. Raises StoreFailed."""

        def work() -> str:
            sha256 = content_hash(data)
            path = self._path(sha256)
            if self._files.exists(path) and self._files.size(path) == len(data):
                return sha256
            partial = f"{path}.{uuid.uuid4().hex}.part"  # a crash must not leave half a file under the hash
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(partial, data)
            self._files.mv(partial, path)
            return sha256

        try:
            return await asyncio.to_thread(work)
        except OSError as error:
            raise StoreFailed(
                "The original could not be stored; check that DATA_DIR or ORIGINALS_URL may be written and has room."
            ) from error

    async def get(self, sha256: str) -> bytes:
        """The bytes under a hash. Raises StoreFailed when they are gone or not what they were."""
        try:
            data: bytes = await asyncio.to_thread(self._files.cat_file, self._path(sha256))
            found = await asyncio.to_thread(content_hash, data)
        except OSError as error:
            raise StoreFailed("The original is gone from DATA_DIR or ORIGINALS_URL; add the document again.") from error
        if found != sha256:
            raise StoreFailed("The stored original is damaged; add the document again.")
        return data

    def drop(self, sha256: str) -> None:
        """Forget bytes; nothing happens when they are not there. Blocking."""
        with suppress(FileNotFoundError):  # somebody else may be tidying, too
            self._files.rm_file(self._path(sha256))
