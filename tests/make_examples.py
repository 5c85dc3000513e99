"""Writes the examples that are not plain text: ``python -m tests.make_examples``.

The files are committed; this is how they were made and how to change them. They are the same bytes each time: dates
inside them are fixed, and archives are written with fixed times.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
from fpdf import FPDF

from tests.example_texts import LABORORDNUNG, LIMITS, NOTES, POLICY, REPORT, SHEETS, SLIDES, VISIT

EXAMPLES = Path(__file__).parent.parent / "examples"
INSTITUTE = "Corvane Institute"


def make_examples(folder: Path) -> list[Path]:
    """Write every generated example into ``folder`` and give their paths."""
    files: dict[str, Callable[[], bytes]] = {
        "incident-report-INC-2023-04-011.pdf": _report,
        "budget-2024.xlsx": _budget,
        "politique-frais-2025.docx": _policy,
        "phoenix-steering-2023-06.pptx": _steering,
        "laborordnung.txt": lambda: LABORORDNUNG.encode("cp1252"),
        "kengaku-annai.txt": lambda: VISIT.encode("shift_jis"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in files.items():
        (folder / name).write_bytes(make())
    return [folder / name for name in files]


def _report() -> bytes:
    pdf = FPDF(format="A4")
    pdf.set_creation_date(datetime(2023, 5, 22, 9, tzinfo=UTC))
    pdf.set_title("Report on incident INC-2023-04-011")
    pdf.set_author(INSTITUTE)
    pdf.set_margin(25)
    for level, text in _blocks(REPORT):
        if level == 1:
            pdf.add_page()
        pdf.ln(2)
        pdf.set_font("Helvetica", "B" if level else "", (11, 18, 13)[level])
        pdf.multi_cell(0, (6, 10, 8)[level], text, align="L", new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output())


def _budget() -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in SHEETS.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
        for cell in sheet[1]:
            cell.font = openpyxl.styles.Font(bold=True)
        for cell in (cell for row in sheet.iter_rows() for cell in row if isinstance(cell.value, int)):
            cell.number_format = "#,##0"
        for column, width in zip("ABCD", (34, 20, 20, 64), strict=True):
            sheet.column_dimensions[column].width = width
    _stamp(book.properties, "Budget 2024", datetime(2024, 2, 2, 10, tzinfo=UTC))
    return _archive(book.save, saved="2024-02-02T10:00:00Z")


def _policy() -> bytes:
    paper = docx.Document()
    paper.add_heading("Politique de déplacements et de frais 2025", 0)
    paper.add_paragraph("Institut Corvane, service financier. Version du 10 janvier 2025.")
    for level, text in _blocks(POLICY):
        if level:
            paper.add_heading(text, level)
        else:
            paper.add_paragraph(text)
    paper.add_heading("Annexe : plafonds", 1)
    table = paper.add_table(rows=0, cols=3)
    for row in LIMITS:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    _stamp(paper.core_properties, "Politique de déplacements et de frais 2025", datetime(2025, 1, 10, 8, tzinfo=UTC))
    paper.core_properties.language = "fr"
    return _archive(paper.save)


def _steering() -> bytes:
    deck = pptx.Presentation()
    for number, (title, points) in enumerate(SLIDES):
        slide: Any = deck.slides.add_slide(deck.slide_layouts[0 if number == 0 else 1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(points)
        if number == 1:
            slide.notes_slide.notes_text_frame.text = NOTES
    _stamp(deck.core_properties, "Phoenix steering committee, June 2023", datetime(2023, 6, 8, 8, tzinfo=UTC))
    return _archive(deck.save)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Headings (level 1 or 2) and paragraphs (level 0): ``"# A\\n\\nb\\nc"`` gives ``(1, "A")``, ``(0, "b c")``."""
    for block in re.split(r"\n\s*\n", text.strip()):
        marks = len(block) - len(block.lstrip("#"))
        yield marks, " ".join(block[marks:].split())


def _stamp(properties: Any, title: str, date: datetime) -> None:
    """Fill in the core properties of an Office file; the format knows no time zones."""
    properties.title = title
    properties.author = properties.creator = properties.last_modified_by = INSTITUTE
    properties.created = properties.modified = date.replace(tzinfo=None)


def _archive(save: Callable[[io.BytesIO], object], saved: str = "") -> bytes:
    """The Office file that ``save`` writes, without the times of its parts; ``saved`` replaces the time of saving."""
    written, fixed = io.BytesIO(), io.BytesIO()
    save(written)
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if saved and name == "docProps/core.xml":
                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + saved.encode(), data)
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, data)
    return fixed.getvalue()


if __name__ == "__main__":
    for path in make_examples(EXAMPLES):
        sys.stdout.write(f"{path.name}  {path.stat().st_size:,} bytes\n")
