"""From an original to its text."""

from __future__ import annotations

import asyncio
import threading

from indexer.documents import ExtractedText, Original
from indexer.errors import ExtractionRefused
from indexer.reading.limits import Limits
from indexer.reading.process import Reader, borrowed
from indexer.settings import IndexerSettings

_MB = 1_000_000


async def extract(original: Original, settings: IndexerSettings) -> ExtractedText:
    """The text of an original, with its pages, headings, title, date and language.

    What the bytes are decides how they are read; the name does not. Text, Markdown, JSON, CSV and source code are
    stored as they stand: newlines become ``\\n``, invisible characters go, ligatures become letters. Of all other
    formats the text is what a person would see, without markup: paragraphs and headings separated by an empty line,
    list items as ``- item``, table rows as ``a | b | c``, headings as their title alone (``headings`` says where).

    The work is done in a process of its own. ``ExtractionRefused``, one sentence that names the file and says what to
    do: empty or without text, a scan where there is no data for OCR, behind a password, damaged, a format that nobody
    here reads, a web page posing as a PDF, or over a limit (size, pages, unpacked size, time, memory).
    """
    if not original.data:
        raise ExtractionRefused(f"{original.name} is empty; add a file with text in it.")
    if len(original.data) > settings.max_file_mb * _MB:
        raise ExtractionRefused(
            f"{original.name} has {len(original.data) / _MB:,.1f} MB and at most {settings.max_file_mb:g} MB are read; "
            "split it, or raise MAX_FILE_MB."
        )
    limits = Limits(
        pages=settings.max_pages,
        unpacked_mb=settings.max_unpacked_mb,
        seconds=settings.extraction_seconds,
        ocr_languages=settings.ocr_languages,
    )
    job = _Job(original, limits)
    try:
        return await asyncio.to_thread(job.run)
    except asyncio.CancelledError:
        job.cancel()
        raise


class _Job:
    """One reading, which another thread may cancel at any moment."""

    def __init__(self, original: Original, limits: Limits) -> None:
        self._original = original
        self._limits = limits
        self._lock = threading.Lock()
        self._reader: Reader | None = None
        self._cancelled = False

    def run(self) -> ExtractedText:
        with borrowed() as reader:
            with self._lock:
                self._reader = reader
                if self._cancelled:
                    raise ExtractionRefused(f"{self._original.name} was cancelled while it was read; add it again.")
            try:
                return reader.read(self._original, self._limits)
            finally:
                with self._lock:
                    self._reader = None

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._reader is not None:
                self._reader.kill("cancelled")
