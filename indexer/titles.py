"""Documents by the titles that people and models give them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from indexer.documents import Document
from indexer.reading.sanitising import visible

_LONGEST = 120  # characters of a title that is suggested


def titled(title: str, documents: Sequence[Document]) -> list[Document]:
    """The documents of this title, whatever its case and spaces; where there are none, those whose title holds it."""
    wanted = _line(title).casefold()
    names = {document.id: _line(document.title).casefold() for document in documents}
    exact = [document for document in documents if names[document.id] == wanted]
    return exact or [document for document in documents if wanted and wanted in names[document.id]]


def closest_titles(query: str, documents: Sequence[Document], limit: int = 3) -> list[str]:
    """The titles most like a query: those that share words with it first, then those that are spelled alike."""
    words = {word.casefold().strip(".,;:!?()") for word in query.split()}
    titles = list(dict.fromkeys(_line(document.title)[:_LONGEST] for document in documents))
    shared = {title: sum(word in title.casefold() for word in words if len(word) > 2) for title in titles}
    alike = difflib.get_close_matches(query, titles, limit, 0.3)
    best = sorted((title for title in titles if shared[title]), key=lambda title: -shared[title])
    return list(dict.fromkeys([*best, *alike]))[:limit]


def _line(text: str) -> str:
    return " ".join(visible(text).split())
