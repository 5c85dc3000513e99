"""How large an archive-like file (docx, epub …) really is when unpacked: measured, not believed."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_STEP = 64 * 1024
_MOST_ENTRIES = 20_000
_SLIDE = re.compile(r"ppt/slides/[^/]+\.xml")


class TooLarge(ValueError):
    """The archive unpacks to more than the limit."""


class Damaged(ValueError):
    """The archive cannot be unpacked as far as was tried."""


class Locked(ValueError):
    """The archive is encrypted."""


def unpacked_size(data: bytes, limit: int) -> int:
    """The bytes that all entries of a ZIP unpack to, counted by unpacking them in steps of 64 KB.

    The sizes that the archive claims for itself are not looked at. ``TooLarge`` as soon as ``limit`` is passed;
    ``Damaged`` and ``Locked`` where an entry cannot be unpacked.
    """
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise Damaged(str(error)) from error
    if len(entries) > _MOST_ENTRIES:
        raise TooLarge(f"{len(entries)} entries")
    for entry in entries:
        if entry.flag_bits & 1:
            raise Locked(entry.filename)
        total += _entry_size(data, entry, limit - total)
    return total


def slide_count(data: bytes) -> int:
    """How many slides a presentation has."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(bool(_SLIDE.fullmatch(name)) for name in archive.namelist())


def _entry_size(data: bytes, entry: zipfile.ZipInfo, limit: int) -> int:
    header = data[entry.header_offset : entry.header_offset + _LOCAL_HEADER.size]
    if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
        raise Damaged(entry.filename)
    fields = _LOCAL_HEADER.unpack(header)
    start = entry.header_offset + _LOCAL_HEADER.size + fields[9] + fields[10]
    if entry.compress_type == zipfile.ZIP_STORED:
        if entry.compress_size > limit:
            raise TooLarge(entry.filename)
        return entry.compress_size
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        raise Damaged(f"{entry.filename}: compression {entry.compress_type}")
    return _deflated_size(data, start, limit)


def _deflated_size(data: bytes, start: int, limit: int) -> int:
    """How much a deflate stream unpacks to; it ends by itself, wherever the archive says that it does."""
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    size, position, waiting = 0, start, b""
    try:
        while not stream.eof:
            if not waiting:
                waiting = data[position : position + _STEP]
                position += len(waiting)
                if not waiting:
                    raise Damaged("cut off")
            size += len(stream.decompress(waiting, _STEP))
            waiting = stream.unconsumed_tail
            if size > limit:
                raise TooLarge(f"more than {limit} bytes")
    except zlib.error as error:
        raise Damaged(str(error)) from error
    return size
