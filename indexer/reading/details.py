"""Title, date and language of a document, where what is said about them can be believed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from indexer.documents import Heading
from indexer.reading import engine
from indexer.reading.draft import one_line

# Headings that every other document has too.
_SECTION = re.compile(
    r"abstract|introduction|(?:table of )?contents|summary|r[ée]sum[ée]|sommaire|einleitung|inhalt(?:sverzeichnis)?",
    re.IGNORECASE,
)
_LONGEST_TITLE = 300
_CUT_TITLE = 150  # what is shown of a heading that is longer than that
_UNTITLED = re.compile(
    r"(?:untitled|sans titre|unbenannt|sin t[ií]tulo|senza titolo|sem t[ií]tulo|no title)[\s\d.-]*", re.I
)
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel|office)\b.*"
    r"|(?:untitled|sans titre|unbenannt|sin t[ií]tulo|senza titolo|sem t[ií]tulo|no title|title|titre)[\s\d.-]*"
    r"|(?:document|dokument|presentation|pr[ée]sentation|slides?|workbook|classeur|book|sheet|page|scan|image|template)"
    r"[\s\d_.()-]*"
    r"|powerpoint[ -]pr[äée]sentation|pr[ée]sentation powerpoint|word document|document microsoft word"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|rtf|odt|odp|ods|indd|qxd|tex|dvi|ps|fm|html?|txt|md|p65|pmd|wpd|cdr|ai))",
    re.IGNORECASE,
)
# What libraries that make documents leave in them where their user sets nothing: the date of the library's template.
_TEMPLATE_DATES = frozenset({"2013-12-23T23:15:00", "2013-01-27T09:14:16", "2013-01-27T09:15:58"})
_EARLIEST = datetime(1980, 1, 2, tzinfo=UTC)  # earlier is a clock at zero: 1970 for Unix, 1980 for archives

# ISO 639-3, as the detector names them, to ISO 639-1.
_LANGUAGES = {
    "afr": "af", "aka": "ak", "amh": "am", "ara": "ar", "aze": "az", "bel": "be", "ben": "bn", "bul": "bg", "cat": "ca",
    "ces": "cs", "cmn": "zh", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "epo": "eo", "est": "et", "fin": "fi",
    "fra": "fr", "guj": "gu", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "hye": "hy", "ind": "id", "ita": "it",
    "jav": "jv", "jpn": "ja", "kan": "kn", "kat": "ka", "khm": "km", "kor": "ko", "lat": "la", "lav": "lv", "lit": "lt",
    "mal": "ml", "mar": "mr", "mkd": "mk", "mya": "my", "nep": "ne", "nld": "nl", "nob": "no", "nno": "no", "ori": "or",
    "pan": "pa", "pes": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "sin": "si", "slk": "sk", "slv": "sl",
    "sna": "sn", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta", "tel": "te", "tgl": "tl", "tha": "th", "tuk": "tk",
    "tur": "tr", "ukr": "uk", "urd": "ur", "uzb": "uz", "vie": "vi", "yid": "yi", "zho": "zh", "zul": "zu",
}  # fmt: skip
_ENOUGH = 40  # fewer letters say little about a language, and so do words between many figures
_MOSTLY = 0.6
_PLENTY = 400
_SAMPLE = 6_000


def sensible_title(title: str | None) -> str | None:
    """The title where it is one: not the name of a program or a file, not "Untitled", not a paragraph.

    >>> sensible_title("Microsoft Word - report.doc"), sensible_title(" Annual  Review ")
    (None, 'Annual Review')
    """
    title = one_line(title or "")
    if not title or len(title) > _LONGEST_TITLE or _NO_TITLE.fullmatch(title):
        return None
    return title if any(c.isalnum() for c in title) else None


def first_heading(headings: Sequence[Heading]) -> str | None:
    """The first heading of level 1, if it can be a title: what a person sees there, and of a long one the beginning.

    >>> first_heading([Heading(1, "Review", 0)]), first_heading([Heading(1, "Introduction", 0)])
    ('Review', None)
    """
    title = one_line(next((heading.title for heading in headings if heading.level == 1), ""))
    if not any(c.isalnum() for c in title) or _UNTITLED.fullmatch(title):
        return None
    if _SECTION.fullmatch(title.strip(" .:0123456789")):
        return None
    return title if len(title) <= _LONGEST_TITLE else _beginning(title)


def _beginning(title: str) -> str:
    """The whole words at the beginning; part of one where it alone is too long."""
    cut, space, _ = title[: _CUT_TITLE + 1].rpartition(" ")
    return (cut if space and len(cut) > _CUT_TITLE // 2 else title[:_CUT_TITLE]).rstrip(" ,;:–—-") + "…"


def sensible_date(*candidates: str | datetime | None) -> datetime | None:
    """The first candidate that is a date, not of a clock at zero, not in the future, with a time zone (else UTC).

    Takes ISO 8601, the dates of mail, and those of PDF (``D:20240131120000+01'00'``).
    """
    for candidate in candidates:
        date = candidate if isinstance(candidate, datetime) else _parsed(candidate or "")
        if date is None or date.strftime("%Y-%m-%dT%H:%M:%S") in _TEMPLATE_DATES:
            continue
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        if _EARLIEST <= date <= datetime.now(UTC) + timedelta(days=1):
            return date
    return None


def _parsed(text: str) -> datetime | None:
    text = text.strip().strip('"')
    if match := re.match(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?", text):
        year, month, day, hour, minute, second = (int(part) if part else 0 for part in match.groups())
        try:
            return datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=UTC)
        except ValueError:
            return None
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(text)
        except (ValueError, TypeError):
            continue
    return None


def language_of(text: str, declared: str | None = None) -> str | None:
    """The ISO 639-1 code of the language most of the text is in; what the document declares where that is unclear.

    >>> language_of("La réunion est déplacée au lundi suivant, merci de prévenir vos collègues.")
    'fr'
    """
    middle = max(0, (len(text) - _SAMPLE) // 2)
    sample = text if len(text) <= 2 * _SAMPLE else text[:_SAMPLE] + "\n" + text[middle : middle + _SAMPLE]
    found = None
    letters = sum(c.isalpha() for c in sample)
    if letters >= max(_ENOUGH, _MOSTLY * len("".join(sample.split()))) or any(
        "\u0590" <= c <= "\ud7a3" for c in sample
    ):
        sure = 0.4 if letters >= _PLENTY else 0.8  # names and addresses make even plain mail less certain
        config = {"language_detection": {"enabled": True, "min_confidence": sure, "detect_multiple": False}}
        try:
            detected = engine.run(sample.encode("utf-8", "ignore"), "text/plain", config).detected_languages
            found = _LANGUAGES.get(detected[0]) if detected else None
        except engine.EngineFailed:
            found = None
    return found or _declared_language(declared)


def _declared_language(declared: str | None) -> str | None:
    primary = re.split(r"[-_]", (declared or "").strip().lower())[0]
    return primary if re.fullmatch(r"[a-z]{2}", primary) else _LANGUAGES.get(primary)
