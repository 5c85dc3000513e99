"""The numbered sources under an answer, and how a place in a document and a date are written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from bot.answering.events import Kind
from bot.answering.visible import one_line
from bot.slack.naming import in_quotes
from bot.slack.showing.elements import Block, Element, line, link, rich, words
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.ledger.records import StoredAnswer, StoredSource

MOST_SOURCES: Final = 5
LONGEST_QUOTE: Final = 200
LONGEST_TITLE: Final = 90
LONGEST_LOCATION: Final = 90
_MONTHS: Final = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "fr": ("janv.", "févr.", "mars", "avr.", "mai", "juin", "juill.", "août", "sept.", "oct.", "nov.", "déc."),
}


def short_date(date: datetime, texts: Texts) -> str:
    """``30 Jan 2024``, in French ``30 janv. 2024`` and ``1er févr. 2024``."""
    day = "1er" if texts.language == "fr" and date.day == 1 else str(date.day)
    return f"{day} {_MONTHS[texts.language][date.month - 1]} {date.year}"


def title_of(title: str, texts: Texts, limit: int = LONGEST_TITLE) -> str:
    """A document's title on one line; never empty."""
    return one_line(title, limit) or texts.say("untitled")


def place(source: StoredSource, texts: Texts) -> str:
    """Where in its document a source stands, and its date, as it goes on after the title.

    Worked example: location ``Cybersecurity › Incidents, p. 14`` of 30 January 2024 →
    ``" › Cybersecurity › Incidents, p. 14 · 30 Jan 2024"``.
    """
    location = one_line(source.location, LONGEST_LOCATION)
    told = ""
    if location:
        told = (", " if location.startswith(("p. ", "pp. ")) else " › ") + location
    return told + (f" · {short_date(source.date, texts)}" if source.date else "")


def heading(source: StoredSource, texts: Texts) -> list[Element]:
    """A source's title, linked to where it came from, and its place."""
    title = link(title_of(source.title, texts), source.url)
    where = place(source, texts)
    return [title, words(where)] if where else [title]


def source_list(answer: StoredAnswer, texts: Texts, *, longest_quote: int = LONGEST_QUOTE) -> list[Block]:
    """The first five sources, each a block of rich text: number, linked title, place, date and quote.

    The numbers are the markers of the text. Passages shown in place of an answer quote themselves already.
    """
    quotes = longest_quote if answer.kind != Kind.PASSAGES else 0
    shown = sorted(answer.sources, key=lambda source: source.marker)[:MOST_SOURCES]
    return [rich(line(words(texts.say("sources"), "bold"))), *(rich(_item(source, texts, quotes)) for source in shown)]


def _item(source: StoredSource, texts: Texts, longest_quote: int) -> Element:
    """Its number as in the text, where a list would number itself."""
    runs = [words(f"[{source.marker}] ", "bold"), *heading(source, texts)]
    quote = one_line(source.quote, longest_quote) if longest_quote else ""
    if quote:
        runs.append(words("\n" + in_quotes(quote, texts), "italic"))
    return line(*runs)


def closest_titles(answer: StoredAnswer, texts: Texts, most: int = 3) -> Sequence[str]:
    """The titles of the documents that came closest, best first, each once."""
    titles = dict.fromkeys(title_of(hit.title, texts, 60) for hit in answer.hits)
    return list(titles)[:most]
