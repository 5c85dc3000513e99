"""What reading one document may cost. Imports nothing of the engine, so that the parent does not load it."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.errors import ExtractionRefused


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost: pages, megabytes unpacked, seconds; and the OCR languages, as ``eng+fra``."""

    pages: int
    unpacked_mb: float
    seconds: float
    ocr_languages: str


def too_slow(name: str, limits: Limits) -> ExtractionRefused:
    """Reading took longer than it may."""
    return ExtractionRefused(
        f"{name} could not be read within {limits.seconds:g} seconds; split it, or raise EXTRACTION_SECONDS."
    )
