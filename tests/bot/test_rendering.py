"""Answers as people, pipes and programs get them."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from bot.answering.events import Answer, Citation, Found, Kind
from bot.rendering import answer_json, passage_view, plain_answer, searched, whole_answer
from indexer import Passage, Usage
from tests.bot.shelf import Shelf, annual_review


@pytest.fixture
def citations() -> tuple[Citation, ...]:
    shelf = Shelf()
    annual_review(shelf)
    first, second = shelf.hits
    return (
        Citation(1, first, "The root cause was an expired certificate on the gateway."),
        Citation(2, second, "Renewal of certificates was automated."),
    )


@pytest.fixture
def answer(citations: tuple[Citation, ...]) -> Answer:
    text = "It was a certificate. [1] Renewal was automated. [2]\n\nNot in your documents: the price."
    return Answer(text, citations=citations, searches=("root cause",), backed=True, usage=Usage(1, 2, 3, 4, 0.5))


def printed(renderable: object, width: int = 100, **options: object) -> str:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False, **options).print(renderable)  # type: ignore[arg-type]
    return out.getvalue()


def test_a_search_is_told_in_a_line() -> None:
    assert searched(Found("root cause", 8, 3, 8)) == '✓ Searched "root cause"   8 passages in 3 documents'
    assert searched(Found("root cause", 1, 1, 1)) == '✓ Searched "root cause"   1 passage in 1 document'
    assert searched(Found("root cause", 8, 3, 2)) == '✓ Searched "root cause"   2 new passages'
    assert searched(Found("root cause", 8, 3, 0)) == '✓ Searched "root cause"   nothing new'
    assert searched(Found("root cause", 0, 0, 0)) == '✓ Searched "root cause"   nothing found'
    assert searched(Found("a\x1b[31m", 0, 0, 0, "It failed.")) == '✗ Searched "a"   It failed.'


def test_an_answer_stands_with_its_numbered_sources(answer: Answer) -> None:
    text = printed(whole_answer(answer))
    assert "1  Annual Review 2023 › Cybersecurity, p. 1 · 30 Jan 2024" in text
    assert "   “The root cause was an expired certificate on the gateway.”" in text
    assert "2  Annual Review 2023 › Cybersecurity, p. 2 · 30 Jan 2024" in text
    assert text.index("Not in your documents") < text.index("Sources")


def test_titles_are_links_where_the_terminal_has_them(answer: Answer) -> None:
    assert "https://docs.example.com/review" in printed(whole_answer(answer), force_terminal=True)
    assert "https://docs.example.com/review" not in printed(whole_answer(answer))


@pytest.mark.parametrize("width", [20, 40, 200])
def test_nothing_is_lost_on_any_width(answer: Answer, width: int) -> None:
    text = " ".join(printed(whole_answer(answer), width).split())
    for word in ["certificate", "automated", "price", "gateway.", "Cybersecurity,", "2024"]:
        assert word in text
    assert max(len(line) for line in printed(whole_answer(answer), width).splitlines()) <= width


def test_passages_are_not_quoted_twice_and_the_reason_comes_first(citations: tuple[Citation, ...]) -> None:
    answer = Answer(
        "“The root cause was an expired certificate on the gateway.” [1]",
        Kind.PASSAGES,
        citations[:1],
        notice="Claude is overloaded. Here are the passages that I found.",
        reference="7F3K",
    )
    for text in (printed(whole_answer(answer)), plain_answer(answer)):
        assert text.count("expired certificate") == 1
        assert "ref 7F3K" in text
    assert printed(whole_answer(answer)).startswith("Claude is overloaded.")


def test_documents_cannot_command_the_terminal() -> None:
    """Control sequences and rich's markup in titles, headings, quotes, contexts and answers are only text."""
    shelf = Shelf()
    evil = "[bold red]x[/] \x1b[31mred\x1b[0m \x1b]8;;http://evil/\x07y"
    shelf.put(evil, f"{evil}. It failed.", headings=(evil,), context=evil, url="https://a.example/\x1b]0;x\x07")
    citation = Citation(1, shelf.hits[0], f"{evil}.")
    answer = Answer(f"{evil} [1]", citations=(citation,), notice=evil)
    neighbours = [Passage(shelf.hits[0].chunk, shelf.hits[0].context)]
    for view in (whole_answer(answer), passage_view(citation, neighbours)):
        text = printed(view)
        assert "\x1b" not in text
        assert "[bold red]x[/]" in text
        assert "evil" not in text
    assert "\x1b]0" not in printed(whole_answer(answer), force_terminal=True)
    assert "\x1b" not in plain_answer(answer)


def test_a_source_is_shown_with_its_quote_set_off_and_its_neighbours() -> None:
    shelf = Shelf()
    shelf.put("Log", "Before it. ", "At noon it failed. Then it ran. ", "After it. " * 100, context="About the log.")
    hit = shelf.hits[1]
    passages = [Passage(other.chunk, other.context) for other in shelf.hits]
    text = printed(passage_view(Citation(1, hit, "At noon it failed."), passages))
    assert "▸ At noon it failed. ◂ Then it ran." in text
    assert text.index("Before it.") < text.index("▸") < text.index("After it.")
    assert "Context, written by a program when it was indexed: About the log." in text
    assert "…" in text  # a long neighbour is cut


def test_plain_text_has_all_of_it(answer: Answer) -> None:
    assert plain_answer(answer) == (
        "It was a certificate. [1] Renewal was automated. [2]\n\nNot in your documents: the price.\n\n"
        "Sources:\n"
        "[1] Annual Review 2023 › Cybersecurity, p. 1 · 30 Jan 2024\n"
        "    “The root cause was an expired certificate on the gateway.”\n"
        "[2] Annual Review 2023 › Cybersecurity, p. 2 · 30 Jan 2024\n"
        "    “Renewal of certificates was automated.”"
    )


def test_json_has_what_programs_need(answer: Answer) -> None:
    value = json.loads(json.dumps(answer_json(answer)))
    assert set(value) >= {"answer", "citations", "searches", "backed", "unbacked", "usage", "notice"}
    assert value["backed"] is True
    assert value["searches"] == ["root cause"]
    assert value["usage"]["cost_usd"] == 0.5
    assert value["citations"][0] == {
        "marker": 1,
        "document": "annual-review-2023",
        "title": "Annual Review 2023",
        "quote": "The root cause was an expired certificate on the gateway.",
        "location": "Cybersecurity, p. 1",
        "heading_path": ["Annual Review 2023", "Cybersecurity"],
        "pages": [1],
        "position": 0,
        "url": "https://docs.example.com/review",
        "date": "2024-01-30T00:00:00+00:00",
    }
