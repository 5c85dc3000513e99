"""What the bytes are, whatever the name says; and in which words a person is told that they cannot be read."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath

from indexer.errors import ExtractionRefused
from indexer.reading.plain_text import NotText, decode


class Reading(Enum):
    """Who reads a format."""

    TEXT = "text"
    MARKDOWN = "markdown"
    NOTEBOOK = "notebook"
    WEB_PAGE = "web page"
    MAIL = "mail"
    BOOK = "book"
    PDF = "pdf"
    IMAGE = "image"
    STRUCTURED = "structured"


@dataclass(frozen=True, slots=True)
class Format:
    """A media type, who reads it, and the decoded text where the bytes are text."""

    media_type: str
    reading: Reading
    text: str = ""


PDF = "application/pdf"
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OFFICE}wordprocessingml.document"
PPTX = f"{_OFFICE}presentationml.presentation"
XLSX = f"{_OFFICE}spreadsheetml.sheet"
_ODF = "application/vnd.oasis.opendocument."
ODT, ODS, ODP = f"{_ODF}text", f"{_ODF}spreadsheet", f"{_ODF}presentation"
EPUB = "application/epub+zip"
DOC, XLS, PPT = "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
ZIPPED = frozenset({DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB})

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"BM", "image/bmp"),
)
_UNREADABLE = (
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"\xcf\xfa\xed\xfe", "a program"),
    (0, b"\xca\xfe\xba\xbe", "a program"),
    (0, b"\x00asm", "a program"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (0, b"Rar!", "a RAR archive"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (257, b"ustar", "a tar archive"),
    (4, b"ftyp", "a video or audio file"),
    (0, b"\x1aE\xdf\xa3", "a video or audio file"),
    (0, b"ID3", "an audio file"),
    (0, b"OggS", "an audio file"),
    (0, b"fLaC", "an audio file"),
    (0, b"SQLite format 3\x00", "a database"),
    (0, b"PAR1", "a Parquet data file"),
)
# File names that promise a format whose bytes are never text.
_PROMISED = {
    ".pdf": "PDF", ".docx": "Word document", ".doc": "Word document", ".pptx": "PowerPoint presentation",
    ".ppt": "PowerPoint presentation", ".xlsx": "Excel workbook", ".xls": "Excel workbook", ".odt": "text document",
    ".ods": "spreadsheet", ".odp": "presentation", ".epub": "book", ".msg": "mail", ".png": "image", ".jpg": "image",
    ".jpeg": "image", ".gif": "image", ".tif": "image", ".tiff": "image", ".bmp": "image", ".webp": "image",
}  # fmt: skip
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})
_TEXT_TYPES = {
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".json": "application/json", ".xml": "application/xml",
    ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".rst": "text/x-rst",
    ".vtt": "text/vtt", ".tex": "application/x-latex",
}  # fmt: skip
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_HTML_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w-]+)", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*\"?([\w-]+)", re.IGNORECASE)
_MAIL_HEADER = re.compile(r"([A-Za-z][\w-]*):[ \t]*(?:.*)(?:\r?\n[ \t].*)*(?:\r?\n|$)")
_MAIL_PROOF = frozenset({"message-id", "mime-version", "received", "date", "return-path", "content-type"})


def recognise(data: bytes, name: str, declared_type: str | None = None) -> Format:
    """Tell what ``data`` is. ``name`` and ``declared_type`` decide only between kinds of text.

    ``ExtractionRefused`` for what nobody here can read: archives, programs, films; a web page or other text behind the
    name of a PDF or Office file; an Office file behind a password.
    """
    suffix = PurePosixPath(name.lower()).suffix
    head = data[:2048]
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-") or (suffix == ".pdf" and b"%PDF-" in head):
        return Format(PDF, Reading.PDF)
    if head.startswith(b"PK\x03\x04"):
        return _zipped(data, name)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _compound(data, name)
    if head.startswith(b"{\\rtf"):
        return Format("application/rtf", Reading.STRUCTURED)
    if image := _image(head):
        return Format(image, Reading.IMAGE)
    for offset, magic, what in _UNREADABLE:
        if head[offset:].startswith(magic):
            raise _unreadable(name, what)
    return _textual(data, name, suffix, declared_type or "")


def _image(head: bytes) -> str | None:
    for magic, media_type in _IMAGES:
        if head.startswith(magic) and (magic != b"BM" or head[6:10] == b"\0\0\0\0"):
            return media_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"hevc", b"avif"):
        return "image/avif" if head[8:12] == b"avif" else "image/heic"
    return None


def _zipped(data: bytes, name: str) -> Format:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            kind = archive.open("mimetype").read(100).decode("ascii", "replace").strip() if "mimetype" in names else ""
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise ExtractionRefused(f"{name} is damaged or incomplete; get a whole copy of it and add that.") from error
    if kind == EPUB:
        return Format(EPUB, Reading.BOOK)
    if kind.startswith(_ODF):
        for media_type in (ODT, ODS, ODP):
            if kind.startswith(media_type):
                return Format(media_type, Reading.STRUCTURED)
    for part, media_type in (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX)):
        if "[Content_Types].xml" in names and any(entry.startswith(part) for entry in names):
            return Format(media_type, Reading.STRUCTURED)
    raise _unreadable(name, "a ZIP archive")


def _compound(data: bytes, name: str) -> Format:
    def has(entry: str) -> bool:
        return entry.encode("utf-16-le") in data

    if has("EncryptedPackage"):
        raise ExtractionRefused(f"{name} is protected with a password; save a copy without one and add that.")
    for entry, media_type in (
        ("WordDocument", DOC), ("PowerPoint Document", PPT), ("__substg1.0_", MSG), ("Workbook", XLS), ("Book", XLS),
    ):  # fmt: skip
        if has(entry):
            return Format(media_type, Reading.STRUCTURED)
    raise _unreadable(name, "an old Office file of an unknown kind")


def _textual(data: bytes, name: str, suffix: str, declared_type: str) -> Format:
    charset = _HTML_CHARSET.search(data[:4096]) or _XML_CHARSET.match(data[:400])
    told = _CHARSET.search(declared_type)
    try:
        text = decode(data, told[1] if told else charset[1].decode() if charset else None)
    except NotText as error:
        raise ExtractionRefused(
            f"{name} is neither text nor a document of a known format; add it as a PDF or as text."
        ) from error
    declared = declared_type.partition(";")[0].strip().lower()
    promised = _PROMISED.get(suffix) or {PDF: "PDF", DOCX: "Word document"}.get(declared)
    page = bool(_HTML.match(text))
    if promised:
        raise ExtractionRefused(_posing(name, promised, page))
    if page or (suffix in (".html", ".htm", ".xhtml") and "<" in text):
        return Format("text/html", Reading.WEB_PAGE, text)
    if _is_mail(text, suffix):
        return Format("message/rfc822", Reading.MAIL, text)
    if suffix == ".ipynb":
        return Format("application/x-ipynb+json", Reading.NOTEBOOK, text)
    if suffix in _MARKDOWN or not suffix or declared == "text/markdown":
        return Format("text/markdown", Reading.MARKDOWN, text)
    known = declared if declared.startswith("text/") else "text/plain"
    return Format(_TEXT_TYPES.get(suffix, known), Reading.TEXT, text)


def _posing(name: str, promised: str, page: bool) -> str:
    article = "an" if promised[0] in "AEIOUaeiou" else "a"
    if page:
        return (
            f"{name} is a web page (HTML), not {article} {promised}: probably a sign-in page came instead of the file; "
            "download the file while signed in and add that."
        )
    return f"{name} is plain text, not {article} {promised}: it is damaged, or has the wrong name; add a good copy."


def _is_mail(text: str, suffix: str) -> bool:
    names: set[str] = set()
    position = 0
    start = text.removeprefix("\ufeff").lstrip("\r\n")[:20_000]
    if start.startswith("From ") and "\n" in start:  # a mailbox file
        position = start.index("\n") + 1
    while match := _MAIL_HEADER.match(start, position):
        names.add(match[1].lower())
        position = match.end()
    if suffix == ".eml":
        return bool(names & (_MAIL_PROOF | {"from", "subject", "to"}))
    return "from" in names and bool({"subject", "to"} & names) and len(names & _MAIL_PROOF) >= 2


def _unreadable(name: str, what: str) -> ExtractionRefused:
    if what.endswith("archive"):
        return ExtractionRefused(f"{name} is {what}; unpack it and add the documents that are in it.")
    return ExtractionRefused(f"{name} is {what}, which cannot be read as a document; add it as a PDF or as text.")
