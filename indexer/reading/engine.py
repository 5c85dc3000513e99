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


def run(data: bytes, media_type: str, config: Mapping[str, Any]) -> xberg.ExtractedDocument:
    """Read ``data`` as what ``media_type`` says. ``RuntimeError`` with the engine's own words where it cannot.

    ``config`` is laid over ``BASE``.
    """
    settings = xberg.ExtractionConfig.from_json(json.dumps({**BASE, **config}))
    source = xberg.ExtractInput(kind=xberg.ExtractInputKind.BYTES, bytes=data, mime_type=media_type)

    async def extract() -> xberg.ExtractedDocument:
        result = await xberg.extract(source, settings)
        if not result.results:
            raise RuntimeError("; ".join(error.message for error in result.errors) or "no result")
        return result.results[0]

    return asyncio.run(extract())
