"""Text files: decoded, and kept as they stand. Markdown's headings are found without touching the text."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator

from indexer.documents import Heading
from indexer.reading import engine

_BOMS = (  # longest first: a UTF-32 mark begins with a UTF-16 mark
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_ISO_2022_JP = re.compile(rb"\x1b(?:\$[@B]|\([BJI])")
# What the detector may have meant, by the names of Python's codecs.
_LEGACY = (
    "cp1252", "cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "cp1251", "koi8_u", "koi8_r", "cp866", "iso8859_5",
    "cp1250", "iso8859_2", "cp1253", "iso8859_7", "cp1254", "cp1255", "iso8859_8", "cp1256", "iso8859_6", "cp1257",
    "iso8859_4", "cp1258", "cp874", "iso8859_10", "iso8859_13", "iso8859_14", "iso8859_15", "iso8859_16", "latin_1",
)  # fmt: skip
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# Characters of more than one byte in UTF-8, and nothing that only looks like one.
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
_NOT_ASCII = bytes(range(0x80, 0x100))
_GOOD_FOR_A_BAD = 4  # whole characters for one stray byte; other encodings give hardly any by chance
_ZEROS = re.compile(rb"\x00{16,}")  # what a crash or a truncated log leaves; no encoding has so many in a row
_FEW_ZEROS = 0.2  # of all bytes; more is data with words in it
_LETTER_BYTES = bytes(range(0x20, 0x7F)) + b"\t\n\r"
_SAMPLE = 50_000
_BREAK = re.compile(r"[ \n.,\u3000-\u3002]")
_WITHOUT_A_BREAK = 40  # longer texts have a space, a newline or a full stop somewhere


class NotText(ValueError):
    """The bytes are not text in any encoding."""


def decode(data: bytes, declared: str | None = None) -> str:
    """The text of ``data``, whatever its encoding. ``NotText`` for what is none.

    A byte order mark decides, then UTF-8 if it fits (with U+FFFD for a few bytes that are damaged), then ``declared``
    (what a header or the file itself names), then what a detector makes of the bytes: UTF-16 and UTF-32 without a mark,
    Windows and ISO code pages, Shift-JIS, EUC, GB18030, Big5, KOI8 … Zero bytes that are no part of an encoding go.

    >>> decode("Été".encode("cp1252"))
    'Été'
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _readable(data.decode(encoding, "replace"))
    if _ISO_2022_JP.search(data):
        try:
            return _readable(data.decode("iso2022_jp"))
        except UnicodeDecodeError:
            pass
    if b"\x00" in data:
        data = _ZEROS.sub(b"", data)
        if (wide := _wide(data)) is not None:
            return wide
        if data.count(0) > _FEW_ZEROS * len(data):
            raise NotText("zero bytes")
        data = data.replace(b"\x00", b"")
    try:
        return _readable(data.decode("utf-8"))
    except UnicodeDecodeError:
        if _damaged_utf8(data):
            return _readable(data.decode("utf-8", "replace"))
    if declared:
        try:
            return _readable(data.decode(declared))
        except (UnicodeDecodeError, LookupError):
            pass
    return _legacy(data)


def _damaged_utf8(data: bytes) -> bool:
    """Whether this is UTF-8 but for a few bytes: some were lost on the way, or the end was cut off.

    >>> _damaged_utf8("Größe, Prüfung".encode() + b"\\xc3"), _damaged_utf8("Größe, Prüfung".encode("cp1252"))
    (True, False)
    """
    rest, good = _MULTIBYTE.subn(b"", data)
    bad = len(rest) - len(rest.translate(None, _NOT_ASCII))
    if good >= _GOOD_FOR_A_BAD * bad:
        return good > 0
    cut_off = len(data) - codecs.utf_8_decode(data, "replace", False)[1]  # bytes of a character that goes on
    return bad == cut_off and good >= 2


def _readable(text: str) -> str:
    """The text itself where it is text; ``NotText`` where control characters are more than an accident."""
    sample = text[: 4 * _SAMPLE]
    if len(_CONTROLS.findall(sample)) > max(2, len(sample) // 200):
        raise NotText("control characters")
    return text


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, told by which reading gives letters rather than nonsense.

    None where it is neither: ASCII with zeros strewn in reads as ideographs too, but Latin letters in UTF-16 have a
    zero every other byte, and other scripts have bytes that are neither letters nor UTF-8.
    """
    if not _zeros_alternate(data) and _is_narrow(data):
        return None
    best, best_score = None, (0.9, 0)
    for encoding in _WIDE:
        text = data.decode(encoding, "replace")
        sample = text[:_SAMPLE]
        score = _plausible(sample), sum(c <= "\u024f" for c in sample)  # Latin letters backwards are ideographs
        if score > best_score:
            best, best_score = text, score
    return best


def _zeros_alternate(data: bytes) -> bool:
    """Whether nearly every other byte is zero, as in UTF-16 and UTF-32 of Latin letters."""
    half = max(1, len(data) // 2)
    return max(data[0::2].count(0), data[1::2].count(0)) >= 0.7 * half


def _is_narrow(data: bytes) -> bool:
    """Whether the bytes other than zeros are UTF-8, or mostly ASCII; and not half of each letter of UTF-16."""
    sample = data[:_SAMPLE].replace(b"\x00", b"")
    if len(_CONTROLS.findall(sample.decode("latin-1"))) > len(sample) // 200:
        return False
    if len(sample.translate(None, _LETTER_BYTES)) < len(sample) / 4:
        return True
    try:
        codecs.utf_8_decode(sample, "strict", False)  # the sample may end within a character
    except UnicodeDecodeError:
        return _damaged_utf8(sample)
    return True


def _plausible(text: str) -> float:
    """The share of characters that texts are made of. Bytes read in the wrong order fall all over the code space."""
    if not text or (len(text) > _WITHOUT_A_BREAK and not _BREAK.search(text)):
        return 0.0
    usual = sum(
        c in "\n\r\t"
        or (" " <= c <= "\u06ff" and not "\x7f" <= c <= "\x9f")
        or "\u2010" <= c <= "\u203a"
        or "\u3000" <= c <= "\u30ff"
        or "\u4e00" <= c <= "\u9fa5"
        or "\uac00" <= c <= "\ud7a3"
        or "\uff01" <= c <= "\uff5e"
        for c in text
    )
    # Ideographs alone prove nothing: ASCII read two bytes at a time gives them too. Spaces and newlines do.
    blocks = {ord(c) >> 8 for c in text}
    return usual / len(text) - (0.5 if len(blocks) > 20 and not {0x00, 0x30} & blocks else 0.0)


def _legacy(data: bytes) -> str:
    """Text in an 8-bit or multi-byte encoding from before Unicode."""
    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:_SAMPLE]
    try:
        guessed = _letters(engine.run(telling, "text/plain", {"output_format": "plain"}).content)
    except engine.EngineFailed as error:
        raise NotText(str(error)) from error
    for encoding in _LEGACY:
        # Decoding it ourselves keeps spaces and empty lines as they stand; the detector's own text does not.
        if _letters(telling.decode(encoding, "replace")) == guessed:
            return _readable(data.decode(encoding, "replace"))
    return _readable(data.decode("cp1252", "replace"))


def _letters(text: str) -> str:
    return "".join(text.split()).rstrip("\ufffd")


_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NOT_A_PARAGRAPH = re.compile(r"\s*$|\t| {4}| {0,3}(?:[>#|]|[-*+] |\d+[.)] |`{3}|~{3})")
_EMPHASIS = re.compile(r"(?<!\\)(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """The headings of Markdown, both kinds, outside of code and front matter; offsets are those of their first line.

    >>> markdown_headings("# **One**\\n\\nTwo\\n---\\n```\\n# no\\n```\\n")
    (Heading(level=1, title='One', start=0), Heading(level=2, title='Two', start=11))
    """
    return tuple(_headings(text))


def _headings(text: str) -> Iterator[Heading]:
    fence = ""
    above, above_start = "", 0  # a line that a setext underline would make a heading
    for line, start in _lines(text, _after_front_matter(text)):
        mark = _FENCE.fullmatch(line)
        if fence:
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
                fence = ""
            above = ""
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence, above = mark[1], ""
        elif atx := _ATX.fullmatch(line):
            above = ""
            if title := _plain(atx[2] or ""):
                yield Heading(len(atx[1]), title, start)
        elif above and (underline := _SETEXT.fullmatch(line)):
            yield Heading(1 if underline[1][0] == "=" else 2, _plain(above), above_start)
            above = ""
        else:
            above, above_start = ("", 0) if _NOT_A_PARAGRAPH.match(line) else (line, start)


def _lines(text: str, start: int) -> Iterator[tuple[str, int]]:
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end], start
        start = end + 1


def front_matter(text: str) -> dict[str, str]:
    """The plain values between the two ``---`` at the head of a Markdown file, by their names in lower case.

    >>> front_matter('---\\ntitle: "Travel"\\nDate: 2024-01-30\\ntags: [a]\\n---\\n# One\\n')["date"]
    '2024-01-30'
    """
    head = text[: _after_front_matter(text)]
    values = re.findall(r"^([A-Za-z][\w-]*)[ \t]*:[ \t]*(\S.*?)[ \t]*$", head, re.MULTILINE)
    return {name.lower(): value.strip("\"'") for name, value in values}


def _after_front_matter(text: str) -> int:
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


def _plain(title: str) -> str:
    """A title without the markup around its words."""
    title = _LINK.sub(r"\1", title.strip())
    for _ in range(3):  # emphasis within emphasis
        title = _EMPHASIS.sub(r"\2", title)
    return " ".join(_ESCAPE.sub(r"\1", title).split())


def notebook_as_markdown(text: str) -> str | None:
    """A Jupyter notebook as Markdown: prose as it stands, code in fences, no outputs. None where it is no notebook."""
    try:
        notebook = json.loads(text)
        cells = notebook["cells"] if "nbformat" in notebook else None
        if cells is None:
            return None
        parts = []
        for cell in cells:
            source = "".join(cell["source"]).strip("\n")
            if source.strip() and cell["cell_type"] in ("markdown", "code"):
                parts.append(source if cell["cell_type"] == "markdown" else f"```\n{source}\n```")
        return "\n\n".join(parts)
    except (ValueError, KeyError, TypeError):
        return None
