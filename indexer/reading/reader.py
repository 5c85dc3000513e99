"""From the bytes of one original to its text. Blocking, and trusted with nothing: it runs in the reading process."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from indexer.documents import ExtractedText, Original
from indexer.errors import ExtractionRefused
from indexer.reading import archives, book, engine, mail, ocr, slides, structured
from indexer.reading.details import first_heading, language_of, sensible_date, sensible_title
from indexer.reading.draft import Draft
from indexer.reading.formats import PPTX, ZIPPED, Format, Reading, recognise
from indexer.reading.limits import Limits, too_slow
from indexer.reading.markup import parse
from indexer.reading.plain_text import NotText, front_matter, markdown_headings, notebook_as_markdown
from indexer.reading.sanitising import visible

_MB = 1_000_000


@dataclass(slots=True)
class _About:
    """What was learned about the document on the way."""

    title: str | None = None
    language: str | None = None
    date: datetime | None = None
    warnings: list[str] = field(default_factory=list)


def read(original: Original, limits: Limits) -> ExtractedText:
    """The text of an original. ``ExtractionRefused`` with one sentence where there is none to be had."""
    recognised = recognise(original.data, original.name, original.declared_type)
    if recognised.media_type in ZIPPED:
        _check_unpacked(original, limits)
    if recognised.reading in (Reading.TEXT, Reading.MARKDOWN, Reading.NOTEBOOK):
        return _as_it_stands(original, recognised)
    draft, about = Draft(), _About()
    try:
        if recognised.reading is Reading.WEB_PAGE:
            page = parse(recognised.text)
            page.write(draft)
            about = _About(page.title, page.language, sensible_date(page.date))
        elif recognised.reading is Reading.MAIL:
            about.title, about.date = mail.write(original.data, draft)
        elif recognised.reading is Reading.BOOK:
            about.title, about.language, about.date = book.write(original.data, draft)
        else:
            draft, about = _structured(original, recognised, limits)
    except (NotText, ValueError) as error:
        raise _damaged(original.name) from error
    if not draft.length:
        raise _without_text(original.name)
    title = sensible_title(about.title)
    if title is None and recognised.media_type not in structured.SHEETS:
        title = first_heading(draft.headings)
    text = draft.text
    return ExtractedText(
        text=text,
        media_type=recognised.media_type,
        title=title,
        pages=draft.pages,
        headings=draft.headings,
        language=language_of(text, about.language),
        date=about.date,
        warnings=tuple(about.warnings),
    )


def _as_it_stands(original: Original, recognised: Format) -> ExtractedText:
    text, reading = visible(recognised.text), recognised.reading
    if reading is Reading.NOTEBOOK:
        prose = notebook_as_markdown(text)
        text, reading = (text, Reading.TEXT) if prose is None else (prose, Reading.MARKDOWN)
    if not text.strip():
        raise _without_text(original.name)
    headings, about = ((), {}) if reading is not Reading.MARKDOWN else (markdown_headings(text), front_matter(text))
    return ExtractedText(
        text=text,
        media_type=recognised.media_type,
        title=sensible_title(about.get("title")) or first_heading(headings),
        headings=headings,
        language=language_of(text, about.get("lang")),
        date=sensible_date(about.get("updated"), about.get("date")),
    )


def _check_unpacked(original: Original, limits: Limits) -> None:
    try:
        archives.unpacked_size(original.data, int(limits.unpacked_mb * _MB))
    except archives.TooLarge as error:
        raise ExtractionRefused(
            f"{original.name} unpacks to more than {limits.unpacked_mb:g} MB; "
            "remove large pictures or split it, or raise MAX_UNPACKED_MB."
        ) from error
    except archives.Locked as error:
        raise _locked(original.name) from error
    except archives.Damaged as error:
        raise _damaged(original.name) from error


def _structured(original: Original, recognised: Format, limits: Limits) -> tuple[Draft, _About]:
    wanted = ocr.languages(limits.ocr_languages)
    place = ocr.find_data(wanted)
    how = structured.Engine(
        seconds=max(1, int(limits.seconds)),
        unpacked_bytes=int(limits.unpacked_mb * _MB),
        pages=limits.pages,
        languages=wanted,
        data=place if isinstance(place, Path) else None,
    )
    if recognised.reading is Reading.IMAGE:
        if how.data is None:
            raise _needs_ocr(original.name, "a picture", place)
        draft, found = _run(original, recognised, limits, how.ocr())
        return draft, _About(found.title, found.language, found.date)
    _check_pages(original, recognised, limits)
    if recognised.media_type == PPTX:
        draft, about = Draft(), _About()
        about.title, about.date = slides.write(original.data, draft)
        found = structured.Found()
    else:
        draft, found = _run(original, recognised, limits, how.config())
        about = _About(found.title, found.language, found.date)
    if recognised.reading is Reading.PDF and found.scans:
        return _with_scans(original, recognised, limits, how, place, draft, found, about)
    if not draft.length:
        if how.data is None:
            raise _needs_ocr(original.name, "made of pictures", place)
        draft, _ = _run(
            original, recognised, limits, how.ocr(ocr_embedded_images=True, images={"extract_images": True})
        )
    return draft, about


def _with_scans(
    original: Original,
    recognised: Format,
    limits: Limits,
    how: structured.Engine,
    place: Path | tuple[str, ...],
    draft: Draft,
    found: structured.Found,
    about: _About,
) -> tuple[Draft, _About]:
    """A PDF some of whose pages are pictures: read those by OCR where that is possible, or say which are missing."""
    if how.data is not None:
        draft, _ = _run(original, recognised, limits, how.ocr(force_ocr_pages=list(found.scans)))
        return draft, about
    if not draft.length:
        raise _needs_ocr(original.name, "a scan", place)
    verb = "holds" if len(found.scans) == 1 else "hold"
    about.warnings.append(
        f"{_pages(found.scans)} of {original.name} {verb} pictures that were not read; to read them by OCR, "
        f"{ocr.how_to_install(_missing(place))} and add it again."
    )
    return draft, about


def _run(
    original: Original, recognised: Format, limits: Limits, config: dict[str, object]
) -> tuple[Draft, structured.Found]:
    draft = Draft()
    try:
        found = structured.write(original.data, recognised.media_type, draft, config)
    except engine.EngineFailed as error:
        raise _explained(original.name, limits, str(error)) from error
    return draft, found


def _check_pages(original: Original, recognised: Format, limits: Limits) -> None:
    try:
        if recognised.reading is Reading.PDF:
            count = engine.page_count(original.data)
        else:
            count = archives.slide_count(original.data) if recognised.media_type == PPTX else 0
    except engine.EngineFailed as error:
        raise _explained(original.name, limits, str(error)) from error
    if count > limits.pages:
        raise _too_many_pages(original.name, limits, count)


def _pages(numbers: tuple[int, ...]) -> str:
    """``Page 3`` or ``Pages 3, 5–7``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    listed = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in spans)
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {listed}"


def _missing(place: Path | tuple[str, ...]) -> tuple[str, ...]:
    return () if isinstance(place, Path) else place


def _explained(name: str, limits: Limits, message: str) -> ExtractionRefused:
    """The engine's words as a sentence that a person understands."""
    lower = message.lower()
    if "encrypt" in lower or "password" in lower:
        return _locked(name)
    if "timed out" in lower or "timeout" in lower:
        return too_slow(name, limits)
    if "max_pages" in lower or "page limit" in lower or "too many pages" in lower:
        return _too_many_pages(name, limits, None)
    if any(sign in lower for sign in ("security", "limit exceeded", "safety limit", "bomb")):
        return ExtractionRefused(
            f"{name} unpacks to far more than its size or is nested too deeply; split it, or save it anew, "
            "and add that."
        )
    return _damaged(name)


def _too_many_pages(name: str, limits: Limits, count: int | None) -> ExtractionRefused:
    has = f"{count:,} pages" if count else "too many pages"
    return ExtractionRefused(f"{name} has {has} and at most {limits.pages:,} are read; split it, or raise MAX_PAGES.")


def _locked(name: str) -> ExtractionRefused:
    return ExtractionRefused(f"{name} is protected with a password; save a copy without one and add that.")


def _damaged(name: str) -> ExtractionRefused:
    return ExtractionRefused(f"{name} is damaged or incomplete; get a whole copy of it and add that.")


def _without_text(name: str) -> ExtractionRefused:
    return ExtractionRefused(f"{name} has no text in it; add a document with text.")


def _needs_ocr(name: str, what: str, place: Path | tuple[str, ...]) -> ExtractionRefused:
    return ExtractionRefused(
        f"{name} is {what} without text of its own; to read it by OCR, {ocr.how_to_install(_missing(place))} "
        "and add it again."
    )
