"""Where Tesseract's language data is on this machine. Nothing is ever downloaded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

_PLACES = (
    "/usr/share/tesseract-ocr",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/usr/local/share/tesseract-ocr",
)


def languages(setting: str) -> tuple[str, ...]:
    """The languages of a setting such as ``eng+fra``.

    >>> languages("eng + fra")
    ('eng', 'fra')
    """
    return tuple(part for part in re.split(r"[+,\s]+", setting) if part)


def find_data(wanted: tuple[str, ...], environment: Mapping[str, str] = os.environ) -> Path | tuple[str, ...]:
    """The folder that holds data for all wanted languages; or else the languages that are missing.

    ``TESSDATA_PREFIX``, where it is set, is the only place looked at.
    """
    missing = wanted
    for folder in _folders(environment):
        absent = tuple(language for language in wanted if not (folder / f"{language}.traineddata").is_file())
        if not absent:
            return folder
        missing = min(missing, absent, key=len)
    return missing


def _folders(environment: Mapping[str, str]) -> list[Path]:
    if prefix := environment.get("TESSDATA_PREFIX"):
        return [Path(prefix), Path(prefix) / "tessdata"]
    places = [Path(place) for place in _PLACES]
    versions = [
        folder for place in places if place.is_dir() for folder in sorted(place.glob("*/tessdata"), reverse=True)
    ]
    return versions + places


def how_to_install(missing: tuple[str, ...]) -> str:
    """A clause that names the packages.

    >>> how_to_install(("eng", "chi_sim"))
    'install tesseract-ocr-eng and tesseract-ocr-chi-sim (Debian and Ubuntu package names)'
    """
    packages = [f"tesseract-ocr-{language.lower().replace('_', '-')}" for language in missing]
    kind = "package name" if len(packages) == 1 else "package names"
    return f"install {' and '.join(packages)} (Debian and Ubuntu {kind})"
