"""PPTX as text: slide by slide in the order of the show, titles as headings, then shapes, tables and the notes.

Read here and not by the engine, which puts spaces into words whose letters are formatted differently and notes onto the
wrong slide where slides were moved.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from datetime import datetime
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from indexer.reading.details import sensible_date
from indexer.reading.draft import Draft, one_line

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_ALTERNATIVE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_TITLES = frozenset({"title", "ctrTitle"})
_NOT_CONTENT = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_LISTS = frozenset({"body", "obj", ""})  # placeholders whose paragraphs have bullets unless they say otherwise


def write(data: bytes, draft: Draft) -> tuple[str | None, datetime | None]:
    """Write a presentation into the draft; its title and date by its properties. ``ValueError`` where it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            show = _Show(archive, draft)
            for number, path in enumerate(show.slides(), 1):
                draft.page(number)
                show.slide(path)
            return show.about()
    except (zipfile.BadZipFile, KeyError, OSError, NotImplementedError, RuntimeError, ElementTree.ParseError) as error:
        raise ValueError(f"damaged presentation: {error}") from error


class _Show:
    def __init__(self, archive: zipfile.ZipFile, draft: Draft) -> None:
        self._archive = archive
        self._draft = draft
        self._runs = 0

    def slides(self) -> list[str]:
        """The slides' parts, in the order of the show."""
        targets = {name: path for name, path, _ in self._related("ppt/presentation.xml")}
        listed = self._xml("ppt/presentation.xml").iter(f"{_P}sldId")
        return [targets[name] for slide in listed if (name := slide.get(f"{_R}id")) in targets]

    def slide(self, path: str) -> None:
        tree = self._xml(path).find(f"{_P}cSld/{_P}spTree")
        shapes = list(_shapes(tree)) if tree is not None else []
        for shape in sorted(shapes, key=lambda shape: _placeholder(shape) not in _TITLES):
            self._shape(shape, path)
        for _, target, kind in self._related(path):
            if kind.endswith("/notesSlide"):
                for shape in self._xml(target).iter(f"{_P}sp"):
                    if _placeholder(shape) == "body":
                        self._draft.paragraph("\n".join(_text(line) for line in shape.iter(f"{_A}p")))

    def about(self) -> tuple[str | None, datetime | None]:
        try:
            properties = self._xml("docProps/core.xml")
        except KeyError:
            return None, None
        said = {element.tag.rpartition("}")[2]: element.text or "" for element in properties}
        return said.get("title"), sensible_date(said.get("modified"), said.get("created"))

    def _shape(self, shape: Element, path: str) -> None:
        kind = _placeholder(shape)
        if kind in _TITLES:
            self._draft.heading(1, " ".join(_text(line) for line in shape.iter(f"{_A}p")))
        elif (table := shape.find(f".//{_A}tbl")) is not None:
            self._runs += 1
            for row in table.iter(f"{_A}tr"):
                cells = (" ".join(_text(line) for line in cell.iter(f"{_A}p")) for cell in row.iter(f"{_A}tc"))
                self._draft.row(cells, f"table {self._runs}")
        elif (diagram := shape.find(f".//{_DIAGRAM}")) is not None:
            for name, target, _ in self._related(path):
                if name == diagram.get(f"{_R}dm"):
                    self._lines(list(self._xml(target).iter(f"{_A}p")), listed=True)
        elif kind not in _NOT_CONTENT:
            lines = list(shape.iterfind(f"{_P}txBody/{_A}p"))
            written = sum(bool(_text(line).strip()) for line in lines)
            self._lines(lines, listed=kind in _LISTS and written > 1)

    def _lines(self, lines: list[Element], *, listed: bool) -> None:
        """Paragraphs of a shape: as a list where they have bullets."""
        self._runs += 1
        numbers: dict[int, int] = {}
        for line in lines:
            text, about = _text(line), line.find(f"{_A}pPr")
            level = int(about.get("lvl", "0")) if about is not None else 0
            numbered = about.find(f"{_A}buAutoNum") if about is not None else None
            plain = about is not None and about.find(f"{_A}buNone") is not None
            bulleted = level > 0 or (about is not None and about.find(f"{_A}buChar") is not None)
            if not text.strip():
                continue
            if numbered is not None:
                numbers[level] = numbers.get(level, int(numbered.get("startAt", "1")) - 1) + 1
                self._draft.line(text, f"list {self._runs}", marker=f"{'  ' * level}{numbers[level]}. ")
            elif (listed or bulleted) and not plain:
                self._draft.line(text, f"list {self._runs}", marker="  " * level + "- ")
            else:
                self._draft.paragraph(text)

    def _related(self, path: str) -> list[tuple[str, str, str]]:
        """Name, part and type of what a part refers to inside of the file."""
        folder, name = posixpath.split(path)
        try:
            root = self._xml(f"{folder}/_rels/{name}.rels")
        except KeyError:
            return []
        return [
            (entry.get("Id", ""), posixpath.normpath(posixpath.join(folder, target)).lstrip("/"), entry.get("Type", ""))
            for entry in root
            if entry.get("TargetMode") != "External" and (target := entry.get("Target", ""))
        ]

    def _xml(self, path: str) -> Element:
        # expat bounds the expansion of entities since 2.4.1; this process is bounded in memory and time
        return ElementTree.fromstring(self._archive.read(path))  # noqa: S314 - see above


def _shapes(tree: Element) -> Iterator[Element]:
    for child in tree:
        if child.tag == f"{_P}grpSp":
            yield from _shapes(child)
        elif child.tag == _ALTERNATIVE:
            for choice in child[:1]:
                yield from _shapes(choice)
        elif child.tag in (f"{_P}sp", f"{_P}graphicFrame"):
            yield child


def _placeholder(shape: Element) -> str | None:
    """The kind of a placeholder; "" for one of no special kind, None for a shape that is none."""
    found = shape.find(f".//{_P}nvPr/{_P}ph")
    return None if found is None else found.get("type", "")


def _text(paragraph: Element) -> str:
    parts = []
    for element in paragraph.iter():
        if element.tag == f"{_A}t":
            parts.append(element.text or "")
        elif element.tag == f"{_A}br":
            parts.append("\n")
    return one_line("".join(parts))
