"""Documents of many formats, made when they are needed: each function gives the bytes of a file."""

from __future__ import annotations

import datetime as dt
import io
import struct
import zipfile
from collections.abc import Callable

import docx
import openpyxl
from fpdf import FPDF
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.util import Inches

MOMENT = dt.datetime(2023, 5, 4, 10, 30)  # noqa: DTZ001 - Office properties have no time zone


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


def pdf(*pages: str, title: str | None = None, password: str | None = None) -> bytes:
    """A PDF; each page is a heading (its first line) and paragraphs."""
    document = FPDF()
    document.set_creation_date(dt.datetime(2023, 5, 4, 10, 30, tzinfo=dt.UTC))
    if title:
        document.set_title(title)
    if password:
        document.set_encryption(owner_password="owner", user_password=password)
    for page in pages:
        heading, _, body = page.partition("\n")
        document.add_page()
        document.set_font("Helvetica", "B", 20)
        document.cell(0, 12, heading, new_x="LMARGIN", new_y="NEXT")
        document.set_font("Helvetica", size=11)
        for paragraph in body.split("\n"):
            document.multi_cell(0, 6, paragraph, new_x="LMARGIN", new_y="NEXT")
            document.ln(3)
    return bytes(document.output())


def picture(text: str) -> Image.Image:
    """A picture with writing on it, large enough to be read."""
    image = Image.new("RGB", (1600, 500), "white")
    ImageDraw.Draw(image).text((80, 100), text, fill="black", font=ImageFont.load_default(48))
    return image


def png(text: str) -> bytes:
    """A PNG with writing on it."""
    return _saved(lambda buffer: picture(text).save(buffer, "PNG"))


def scan(text: str) -> bytes:
    """A PDF that is a picture of a page."""
    return _saved(lambda buffer: picture(text).save(buffer, "PDF"))


def pdf_with_a_scan(text: str, written: str) -> bytes:
    """A PDF whose first page has text and whose second is a picture."""
    document = FPDF()
    document.add_page()
    document.set_font("Helvetica", size=12)
    document.multi_cell(0, 8, text)
    document.add_page()
    document.image(picture(written), 0, 0, 200)
    return bytes(document.output())


def docx_report() -> bytes:
    """A Word document with headings, a list, a table, formatting, header and footer."""
    document = docx.Document()
    document.core_properties.title = "Pump report"
    document.core_properties.modified = MOMENT
    document.sections[0].header.paragraphs[0].text = "HEADER"
    document.add_heading("Safety_first & <care>", 1)
    paragraph = document.add_paragraph("a < b && c; snake_case and *stars*, 2*3. # no heading ")
    paragraph.add_run("bold").bold = True
    document.add_heading("Parts", 2)
    for part in ("valve", "pipe"):
        document.add_paragraph(part, style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for number, text in enumerate(("Part", "Price", "Valve", "$3")):
        table.cell(number // 2, number % 2).text = text
    return _saved(document.save)


def docx_of_pictures(text: str) -> bytes:
    """A Word document that is a picture."""
    document = docx.Document()
    document.add_picture(io.BytesIO(png(text)), docx.shared.Inches(6))
    return _saved(document.save)


def pptx_deck(slides: int = 2) -> bytes:
    """Slides with a title, a list and notes; the last has a table."""
    show = Presentation()
    for number in range(1, slides + 1):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        frame = slide.placeholders[1].text_frame
        frame.text = "First"
        second = frame.add_paragraph()
        for letters in ("S", "econd"):  # two runs, as when letters are formatted differently
            second.add_run().text = letters
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    table = slide.shapes.add_table(1, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    return _saved(show.save)


def pptx_of_pictures(text: str) -> bytes:
    """A deck that is a picture."""
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    slide.shapes.add_picture(io.BytesIO(png(text)), Inches(0), Inches(0), Inches(9))
    return _saved(show.save)


def xlsx_budget() -> bytes:
    """A workbook of two sheets."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget 2024"
    for row in (("Item", "Cost", "When"), ("Desk", 1200.5, dt.date(2024, 1, 2)), ("Chair", 300, None)):
        sheet.append(row)
    book.create_sheet("Notes")["B2"] = "hello"
    return _saved(book.save)


def zipped(*entries: tuple[str, str | bytes]) -> bytes:
    """A ZIP file of these entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def epub_book() -> bytes:
    """A book of two chapters, listed in another order than they are stored."""
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<dc:title>The Book</dc:title><dc:language>en</dc:language><dc:date>2010-02-03</dc:date></metadata>"
        '<manifest><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="a%20a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
    return zipped(
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("OEBPS/content.opf", package),
        ("OEBPS/b.xhtml", "<html><body><h1>Two</h1><p>It was light.</p></body></html>"),
        ("OEBPS/a a.xhtml", "<html><body><h1>One</h1><p>It was <i>dark</i>.</p></body></html>"),
    )


def odt_letter() -> bytes:
    """An OpenDocument text."""
    names = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    )
    return zipped(
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        (
            "content.xml",
            f'<office:document-content {names} office:version="1.2"><office:body><office:text>'
            '<text:h text:outline-level="1">Letter</text:h><text:p>Dear snake_case.</text:p>'
            "</office:text></office:body></office:document-content>",
        ),
    )


def bomb(megabytes: int, *, claims: int | None = None) -> bytes:
    """A Word document whose text unpacks to so many MB, and that claims to unpack to ``claims`` bytes."""
    source = zipfile.ZipFile(io.BytesIO(docx_report()))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            if name != "word/document.xml":
                archive.writestr(name, source.read(name))
        with archive.open("word/document.xml", "w") as entry:
            entry.write(b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>')
            for _ in range(megabytes):
                entry.write(b"A" * 1_000_000)
            entry.write(b"</w:body></w:document>")
    data = buffer.getvalue()
    if claims is not None:
        real = struct.pack("<L", zipfile.ZipFile(buffer).getinfo("word/document.xml").file_size)
        data = data.replace(real, struct.pack("<L", claims))
    return data


MAIL = """From: Ann <ann@example.org>
To: Bob <bob@example.org>
Subject: =?utf-8?q?R=C3=A9union_du_4_mai?=
Date: Tue, 04 May 2021 10:00:00 +0200
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=xx

--xx
Content-Type: multipart/alternative; boundary=yy

--yy
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Bonjour Bob,

la r=E9union est d=E9plac=E9e. Voir *ceci*.
--yy
Content-Type: text/html; charset=utf-8

<p>Bonjour <b>Bob</b></p>
--yy--
--xx
Content-Type: text/plain; name="note.txt"
Content-Disposition: attachment; filename="note.txt"

ATTACHED
--xx--
"""

RTF = rb"{\rtf1\ansi{\info{\title My letter}}Hello \b bold\b0  world. Caf\'e9 \u8364?.\par Second *x* _y_.\par}"
