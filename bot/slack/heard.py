"""What was heard of an answer so far: what stands if somebody stops it now."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bot.answering.events import Answer, Citation, Event, Found, Reset, Source, Statement, Text

_MARKER = re.compile(r"\s*\[(\d+)\]")


@dataclass
class Heard:
    """The text, its citations and the searches, event by event.

    >>> heard = Heard()
    >>> heard.take(Text("It broke. "))
    >>> heard.answer().text
    'It broke.'
    """

    _pieces: list[str] = field(default_factory=list)
    _citations: dict[int, Citation] = field(default_factory=dict)
    _searches: list[str] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Hear one more event; a ``Reset`` takes the text and its citations back."""
        if isinstance(event, Text):
            self._pieces.append(event.text)
        elif isinstance(event, Citation):
            self._citations[event.marker] = event
        elif isinstance(event, Found):
            self._searches.append(event.query)
        elif isinstance(event, Reset):
            self._pieces.clear()
            self._citations.clear()

    def answer(self) -> Answer:
        """The answer that was heard, as far as it goes."""
        return Answer(
            "".join(self._pieces).strip(),
            citations=tuple(self._citations.values()),
            searches=tuple(self._searches),
            statements=tuple(self._statement(piece) for piece in self._pieces if piece.strip()),
            hits=tuple({citation.hit.key: citation.hit for citation in self._citations.values()}.values()),
        )

    def _statement(self, piece: str) -> Statement:
        cited = [self._citations[number] for number in map(int, _MARKER.findall(piece)) if number in self._citations]
        sources = dict.fromkeys(Source(citation.document, citation.hit.version) for citation in cited)
        return Statement(_MARKER.sub("", piece).strip(), tuple(sources))
