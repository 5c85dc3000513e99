"""The one place that calls xberg. Blocking: it belongs into the reading process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import xberg

BASE: Mapping[str, Any] = {
    "use_cache": False,  # it would keep texts of documents in a folder that nobody empties
    "disable_ocr": True,
    "max_archive_depth": 0,  # a document inside a document is not read
}


class EngineFailed(RuntimeError):
    """The engine cannot read this; the message is in its own words, for logs."""


def page_count(data: bytes) -> int:
    """How many pages a PDF has. ``EngineFailed`` where it cannot be opened."""
    try:
        return xberg.pdf_page_count(data)
    except (xberg.XbergError, RuntimeError, ValueError) as error:
        raise EngineFailed(str(error)) from error


def run(data: bytes, media_type: str, config: Mapping[str, Any]) -> xberg.ExtractedDocument:
    """Read ``data`` as what ``media_type`` says. ``EngineFailed`` where it cannot.

    ``config`` is laid over ``BASE``.
    """
    settings = xberg.ExtractionConfig.from_json(json.dumps({**BASE, **config}))
    source = xberg.ExtractInput(kind=xberg.ExtractInputKind.BYTES, bytes=data, mime_type=media_type)

    async def extract() -> xberg.ExtractedDocument:
        result = await xberg.extract(source, settings)
        if not result.results:
            raise EngineFailed("; ".join(error.message for error in result.errors) or "no result")
        return result.results[0]

    try:
        return asyncio.run(extract())
    except (xberg.XbergError, RuntimeError, ValueError) as error:
        raise EngineFailed(str(error)) from error
