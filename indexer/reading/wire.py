"""What parent and child of the reading process say to each other: a JSON object and bytes, each with its length before.

JSON, not pickle: the child has handled strangers' bytes and is not trusted.
"""

from __future__ import annotations

import json
import struct
from datetime import datetime
from typing import IO, Any

from indexer.documents import ExtractedText, Heading, Page

_LENGTHS = struct.Struct(">QQ")


def send(pipe: IO[bytes], head: dict[str, Any], data: bytes) -> None:
    """Write one message. ``OSError`` where the other side is gone."""
    header = json.dumps(head).encode()
    pipe.write(_LENGTHS.pack(len(header), len(data)))
    pipe.write(header)
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    """Read one message. ``EOFError`` where the other side is gone."""
    header, data = _LENGTHS.unpack(_exactly(pipe, _LENGTHS.size))
    return json.loads(_exactly(pipe, header)), _exactly(pipe, data)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError("the other process has ended")
    return data


def pack(extracted: ExtractedText) -> dict[str, Any]:
    """An extracted text without its text, as JSON data."""
    return {
        "media_type": extracted.media_type,
        "title": extracted.title,
        "pages": [(page.number, page.start, page.end) for page in extracted.pages],
        "headings": [(heading.level, heading.title, heading.start) for heading in extracted.headings],
        "language": extracted.language,
        "date": extracted.date.isoformat() if extracted.date else None,
        "warnings": extracted.warnings,
    }


def unpack(packed: dict[str, Any], text: str) -> ExtractedText:
    """The extracted text that was packed."""
    return ExtractedText(
        text=text,
        media_type=packed["media_type"],
        title=packed["title"],
        pages=tuple(Page(*page) for page in packed["pages"]),
        headings=tuple(Heading(*heading) for heading in packed["headings"]),
        language=packed["language"],
        date=datetime.fromisoformat(packed["date"]) if packed["date"] else None,
        warnings=tuple(packed["warnings"]),
    )
