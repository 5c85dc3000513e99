"""Answers for people at a terminal, and as JSON for programs.

Everything here that comes from a document or from Claude goes through ``visible`` or ``one_line`` and into ``Text``:
no escape sequence reaches the terminal and no ``[bold]`` in a document is taken for markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from bot.answering.events import Answer, Citation, Found, Kind
from bot.answering.languages import NO_LINK, UNBACKED
from bot.answering.statements import is_absence_line
from bot.answering.visible import one_line, visible
from bot.texts import ENGLISH
from bot.why import Explained, why_told
from indexer import ContextKind, Hit, Passage

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MARKER = re.compile(r"\[\d+\]")
_LABEL = re.compile("|".join(re.escape(label) for label in [*UNBACKED.values(), *NO_LINK.values()]))
_LONGEST_QUOTE = 200
_LONGEST_NEIGHBOUR = 400


def short_date(date: datetime) -> str:
    """``30 Jan 2024``, in every locale."""
    return f"{date.day} {_MONTHS[date.month - 1]} {date.year}"


def place(citation: Citation) -> str:
    """``Annual Review 2023 › Incidents, p. 14 · 30 Jan 2024``."""
    told = one_line(citation.title, 120) or "Untitled"
    location = one_line(citation.location, 200)
    if location:
        told += (", " if location.startswith(("p. ", "pp. ")) else " › ") + location
    return told + (f" · {short_date(citation.date)}" if citation.date else "")


def searched(found: Found) -> str:
    """What a search came to: ``Searched "INC-2023-04-011"   8 passages in 3 documents``."""
    query = one_line(found.query, 80)
    if found.failure is not None:
        return f'✗ Searched "{query}"   {one_line(found.failure)}'
    if not found.hits:
        return f'✓ Searched "{query}"   nothing found'
    if found.new == found.hits:
        return f'✓ Searched "{query}"   {_count(found.hits, "passage")} in {_count(found.documents, "document")}'
    return f'✓ Searched "{query}"   {_count(found.new, "new passage") if found.new else "nothing new"}'


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def answer_text(text: str) -> Text:
    """An answer's text, its markers and labels set off, the line about what is missing in italics."""
    shown = Text()
    for line in visible(text).splitlines(keepends=True):
        shown.append(line, "italic" if is_absence_line(line) else "")
    shown.highlight_regex(_MARKER, "bold cyan")
    shown.highlight_regex(_LABEL, "yellow")
    return shown


def source_list(answer: Answer) -> RenderableType:
    """The numbered sources under an answer: place and date, and the quote below. Passages quote themselves already."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(justify="right", no_wrap=True)
    rows.add_column(overflow="fold")
    for citation in answer.citations:
        rows.add_row(Text(str(citation.marker), "bold cyan"), Text(place(citation), _link(citation.url)))
        if answer.kind is not Kind.PASSAGES:
            rows.add_row("", Text(f"“{one_line(citation.quote, _LONGEST_QUOTE)}”", "dim"))
    return rows


def notice_text(answer: Answer) -> Text | None:
    """The line about how the answer came to be, with the reference that an administrator can look up."""
    if answer.notice is None and answer.reference is None:
        return None
    told = Text(visible(answer.notice or ""), "yellow")
    if answer.reference:
        told.append(f"{'  ' if answer.notice else ''}(ref {answer.reference})", "dim")
    return told


def whole_answer(answer: Answer) -> Group:
    """The answer as it stays on the screen."""
    parts: list[RenderableType] = []
    notice = notice_text(answer)
    if notice is not None and answer.kind is Kind.PASSAGES:
        parts += [notice, Text()]
    parts.append(answer_text(answer.text))
    if notice is not None and answer.kind is not Kind.PASSAGES:
        parts += [Text(), notice]
    if answer.citations:
        parts += [Text(), Text("Sources", "bold"), source_list(answer)]
    return Group(*parts)


def passage_view(citation: Citation, passages: Sequence[Passage]) -> Group:
    """One source in full: its passage with the quote set off, its neighbours in grey, its context labelled as such."""
    hit = citation.hit
    parts: list[RenderableType] = [Text(place(citation), Style(bold=True) + _link(citation.url))]
    before = [p for p in passages if p.chunk.position < hit.chunk.position]
    after = [p for p in passages if p.chunk.position > hit.chunk.position]
    if before:
        parts += [Text(), Text(_end_of(before[-1].chunk.text), "dim")]
    parts += [Text(), _with_quote(hit.chunk.text, citation.quote)]
    if after:
        parts += [Text(), Text(_beginning_of(after[0].chunk.text), "dim")]
    if hit.context.text:
        parts += [Text(), Text(_context(hit), "dim italic")]
    if citation.url:
        parts.append(Text(one_line(citation.url), "dim"))
    return Group(*parts)


def why_view(citation: Citation, found: Explained | None) -> Group:
    """Why one source was found, in sentences, and its context; ``found`` is None where no search finds it now."""
    told = why_told(found, ENGLISH, citation.hit.rerank) if found is not None else []
    parts: list[RenderableType] = [Text(f"{citation.marker}  {place(citation)}", Style(bold=True))]
    parts += [Text(visible(sentence)) for sentence in told or [ENGLISH.say("why_not")]]
    if citation.hit.context.text:
        parts.append(Text(_context(citation.hit), "dim italic"))
    if told:
        parts.append(Text(ENGLISH.say("ranks_now"), "dim"))
    return Group(*parts)


def _context(hit: Hit) -> str:
    key = "context_generated" if hit.context.kind is ContextKind.GENERATED else "context_structural"
    return ENGLISH.say(key, context=one_line(hit.context.text))


def _with_quote(chunk: str, quote: str) -> Text:
    before, found, after = chunk.partition(quote)
    if not found:
        return Text(visible(chunk).strip("\n"))
    text = Text(visible(before).lstrip("\n"))
    text.append("▸ ", "bold yellow")
    text.append(visible(found), "bold")
    text.append(" ◂", "bold yellow")
    text.append(visible(after).rstrip("\n"))
    return text


def _end_of(text: str) -> str:
    plain = visible(text).strip("\n")
    return plain if len(plain) <= _LONGEST_NEIGHBOUR else "…" + plain[-_LONGEST_NEIGHBOUR:].lstrip()


def _beginning_of(text: str) -> str:
    plain = visible(text).strip("\n")
    return plain if len(plain) <= _LONGEST_NEIGHBOUR else plain[:_LONGEST_NEIGHBOUR].rstrip() + "…"


def _link(url: str | None) -> Style:
    """A link for terminals that have them; only to what a browser opens, and nothing that could end the sequence."""
    if url and re.fullmatch(r"https?://[!-~]+", url):
        return Style(link=url)
    return Style()


def plain_answer(answer: Answer) -> str:
    """The answer as plain text, for pipes: text, notice, sources."""
    parts = [visible(answer.text)]
    notice = notice_text(answer)
    if notice is not None:
        parts.append(notice.plain)
    if answer.citations:
        lines = ["Sources:"]
        for citation in answer.citations:
            lines.append(f"[{citation.marker}] {place(citation)}")
            if answer.kind is not Kind.PASSAGES:
                lines.append(f"    “{one_line(citation.quote, _LONGEST_QUOTE)}”")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def answer_json(answer: Answer) -> dict[str, Any]:
    """The answer as ``ask --json`` prints it. ``quote`` is verbatim; ``location`` is for people, its parts follow."""
    usage = answer.usage
    return {
        "answer": answer.text,
        "kind": str(answer.kind),
        "citations": [
            {
                "marker": citation.marker,
                "document": citation.document,
                "title": citation.title,
                "quote": citation.quote,
                "location": citation.location,
                "heading_path": list(citation.heading_path),
                "pages": list(citation.pages),
                "position": citation.hit.chunk.position,
                "url": citation.url,
                "date": citation.date.isoformat() if citation.date else None,
            }
            for citation in answer.citations
        ],
        "searches": list(answer.searches),
        "backed": answer.backed,
        "unbacked": list(answer.unbacked),
        "usage": {
            "input_tokens": usage.input_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
            "cost_usd": round(usage.cost_usd, 6),
        },
        "notice": answer.notice,
        "reference": answer.reference,
    }
