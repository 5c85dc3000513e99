"""EPUB as text: its chapters in reading order."""

from __future__ import annotations

import io
import posixpath
import zipfile
from datetime import datetime
from html.parser import HTMLParser
from urllib.parse import unquote

from indexer.reading.details import sensible_date
from indexer.reading.draft import Draft, one_line
from indexer.reading.markup import parse
from indexer.reading.plain_text import decode


class _Package(HTMLParser):
    """What the package file and its container say. A tokenizer, not an XML parser: no entities to expand."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.package = ""
        self.files: dict[str, str] = {}
        self.spine: list[str] = []
        self.about: dict[str, str] = {}
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        name = tag.rpartition(":")[2]
        self._inside = name if tag in ("dc:title", "dc:language", "dc:date") else ""
        if name == "meta" and attributes.get("property") == "dcterms:modified":
            self._inside = "modified"
        if name == "rootfile" and not self.package:
            self.package = attributes.get("full-path", "")
        elif name == "item":
            if "html" in attributes.get("media-type", ""):
                self.files[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref" and attributes.get("linear") != "no":
            self.spine.append(attributes.get("idref", ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside and data.strip():
            self.about.setdefault(self._inside, one_line(data))


def write(data: bytes, draft: Draft) -> tuple[str | None, str | None, datetime | None]:
    """Write a book into the draft; its title, language and date. ``ValueError`` where it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            container = _Package()
            container.feed(_read(archive, "META-INF/container.xml"))
            package = _Package()
            package.feed(_read(archive, container.package))
            base = posixpath.dirname(container.package)
            for reference in package.spine:
                if href := package.files.get(reference):
                    path = posixpath.normpath(posixpath.join(base, unquote(href.partition("#")[0])))
                    parse(_read(archive, path)).write(draft)
    except (zipfile.BadZipFile, KeyError, OSError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"damaged book: {error}") from error
    about = package.about
    return about.get("title"), about.get("language"), sensible_date(about.get("modified"), about.get("date"))


def _read(archive: zipfile.ZipFile, path: str) -> str:
    return decode(archive.read(path))
