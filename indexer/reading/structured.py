"""PDF, Office files, RTF, Outlook mail and images as text, from the structure that the engine finds in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import xberg

from indexer.reading import engine
from indexer.reading.details import sensible_date, sensible_title
from indexer.reading.draft import Draft
from indexer.reading.formats import DOC, DOCX, ODP, ODS, PDF, PPT, PPTX, XLS, XLSX
from indexer.reading.pdf_words import Words

SHEETS = frozenset({XLSX, XLS, ODS})
SLIDES = frozenset({PPTX, PPT, ODP})
_WITHOUT_PAGES = frozenset({DOCX, DOC})  # their pages are made when they are printed, and differ from place to place


_FEW_WORDS = 8  # a scanned page may have a page number or a stamp as text
_OWN_MARKER = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]\s|[•–—·▪‣◦*]\s")
# Links in the cells of Word's tables come as Markdown.
_LEAKED_LINK = re.compile(r"\[([^\]\n]+)\]\((?:https?://|mailto:)[^)\s]*\)")
_PLACEHOLDER = re.compile(r"!\[[^\]]*\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Engine:
    """How the engine is run: time and size limits, pages to read by OCR and the language data for it."""

    seconds: int
    unpacked_bytes: int
    pages: int
    languages: tuple[str, ...] = ()
    data: Path | None = None

    def config(self, **more: Any) -> dict[str, Any]:
        """The engine's settings as JSON data."""
        return {
            "output_format": "markdown",  # finds more structure in slides than "plain" does; its text is not used
            "include_document_structure": True,
            "pages": {"extract_pages": True},
            "extraction_timeout_secs": self.seconds,
            "enable_quality_processing": False,
            "content_filter": {"include_footnotes": True, "strip_repeating_text": True},
            "security_limits": {
                "max_archive_size": self.unpacked_bytes,
                "max_compression_ratio": 10_000,  # sizes are measured before; well-made office files reach 500
                "max_content_size": self.unpacked_bytes,
                "max_pages": self.pages,
                "max_table_cells": 5_000_000,
            },
            **more,
        }

    def ocr(self, **more: Any) -> dict[str, Any]:
        """The same with OCR."""
        return self.config(
            disable_ocr=False,
            ocr={"backend": "tesseract", "language": list(self.languages), "tessdata_path": str(self.data)},
            **more,
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What the engine says about a document besides its text. ``scans`` are its pages that are pictures."""

    title: str | None = None
    language: str | None = None
    date: datetime | None = None
    scans: tuple[int, ...] = ()


def write(data: bytes, media_type: str, draft: Draft, config: Mapping[str, Any]) -> Found:
    """Write the document into the draft. ``EngineFailed`` where it cannot be read."""
    if media_type == PDF:  # "plain" leaves the characters of the pages as they are, and finds the same structure
        config = {**config, "output_format": "plain"}
    document = engine.run(data, media_type, config)
    pages = document.pages or []
    writer = _Writer(draft, media_type, Words(page.content for page in pages) if media_type == PDF else None)
    writer.nodes(document.document.nodes if document.document else [])
    writer.pictures(document.images or [])
    return _found(document)


def _found(document: xberg.ExtractedDocument) -> Found:
    about = document.metadata
    specific = json.loads(str(about.format)) if about.format else {}
    pages = document.pages or []
    bare = {page.page_number for page in pages if len(page.content.split()) < _FEW_WORDS}
    scans = bare & set(specific.get("scanned_pages") or ())
    if len(bare) == len(pages) and not any(page.content.strip() for page in pages):
        scans = bare  # letters drawn as shapes are no scan to the engine, and no text either
    return Found(
        title=sensible_title(about.title or about.subject if specific.get("format_type") == "email" else about.title),
        language=about.language,
        date=sensible_date(about.modified_at, about.created_at),
        scans=tuple(sorted(scans)),
    )


class _Writer:
    def __init__(self, draft: Draft, media_type: str, words: Words | None) -> None:
        self._draft = draft
        self._words = words
        self._media_type = media_type
        self._runs = 0
        self._nodes: Sequence[Any] = ()  # xberg declares two classes of the same shape for them
        self._numbers: dict[int, int] = {}

    def nodes(self, nodes: Sequence[Any]) -> None:
        """Write the document's nodes."""
        self._nodes = nodes
        sheet = 0
        for node in nodes:
            if str(node.content_layer) in ("header", "footer"):
                continue
            content = json.loads(str(node.content))
            kind = content["node_type"]
            if self._media_type in SHEETS:
                sheet += kind == "heading"
                self._draft.page(sheet)
            elif node.page and self._media_type not in _WITHOUT_PAGES:
                self._draft.page(node.page)
            self._node(node, kind, content)

    def pictures(self, images: Sequence[Any]) -> None:
        """Write what OCR read in the pictures of an Office file."""
        for image in images:
            if image.ocr_result and image.ocr_result.content:
                if image.page_number and self._media_type not in _WITHOUT_PAGES:
                    self._draft.page(image.page_number)
                self._draft.paragraph(image.ocr_result.content)

    def _node(self, node: Any, kind: str, content: dict[str, Any]) -> None:
        text = self._right(content.get("text") or "")
        if kind in ("heading", "title"):
            level = content.get("level", 1)
            # Slides and sheets have titles of their own on the second level, below a document title they do not have.
            self._draft.heading(level - 1 if self._media_type in SHEETS | SLIDES else level, text)
        elif kind == "list":
            self._runs += 1 if node.parent is None or not self._is_list(node.parent) else 0
        elif kind == "list_item":
            self._item(node, text)
        elif kind == "table":
            self._table(content["grid"])
        elif kind == "code":
            self._draft.verbatim(text)
        elif kind == "definition_item":
            self._draft.paragraph(f"{content['term']}\n{content['definition']}")
        elif kind == "metadata_block":
            self._headers({entry["key"]: entry["value"] for entry in content["entries"]})
        elif kind == "slide":
            self._draft.heading(1, content.get("title") or "")
        elif kind == "raw_block":
            self._draft.paragraph(content.get("content") or "")
        elif _PLACEHOLDER.fullmatch(text.strip()):
            return
        elif kind not in ("group", "image", "page_break", "quote", "comment"):
            self._draft.paragraph(text)

    def _headers(self, headers: Mapping[str, str]) -> None:
        """The head of a mail, as ``mail`` writes it."""
        self._draft.heading(1, headers.get("Subject", ""))
        for name in ("From", "To", "Cc", "Date"):
            if headers.get(name):
                self._draft.line(f"{name}: {headers[name]}", "headers")

    def _right(self, text: str) -> str:
        if self._words:
            return self._words.correct(text)
        return _LEAKED_LINK.sub(r"\1", text)

    def _is_list(self, number: int) -> bool:
        return bool(json.loads(str(self._nodes[number].content))["node_type"] == "list")

    def _item(self, node: Any, text: str) -> None:
        depth, ordered, parent = -1, False, node.parent
        innermost = parent
        while parent is not None:
            content = json.loads(str(self._nodes[parent].content))
            if content["node_type"] == "list":
                ordered = content.get("ordered", False) if depth < 0 else ordered
                depth += 1
            parent = self._nodes[parent].parent
        marker = "" if _OWN_MARKER.match(text) else "- "
        if marker and self._words:
            marker = self._words.marker(text)
        elif marker and ordered and innermost is not None:
            self._numbers[innermost] = self._numbers.get(innermost, 0) + 1
            marker = f"{self._numbers[innermost]}. "
        self._draft.line(text, f"list {self._runs}", marker="  " * max(0, depth) + marker)

    def _table(self, grid: dict[str, Any]) -> None:
        self._runs += 1
        rows = [[""] * grid["cols"] for _ in range(grid["rows"])]
        for cell in grid["cells"]:
            if cell["row"] < grid["rows"] and cell["col"] < grid["cols"]:
                rows[cell["row"]][cell["col"]] = self._right(cell["content"])
        for row in rows:
            self._draft.row(row, f"table {self._runs}")
