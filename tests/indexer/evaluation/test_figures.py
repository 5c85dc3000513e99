"""Figures, gates, what contexts changed, and how all of it is told."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import pytest
from rich.console import Console

from indexer.evaluation.changes import changes
from indexer.evaluation.figures import as_json, figures_of
from indexer.evaluation.gates import Gate, parse_gate
from indexer.evaluation.plots import ticks_over
from indexer.evaluation.report import report_html
from indexer.evaluation.tables import changes_lines, figures_table, gains_table, points, question_lines
from tests.indexer.evaluation.runs import evaluation_of, wanting

HOSTILE = "</pre><script src='https://example.com/x.js'>[bold]&\u202e"
FILLER = list(range(10, 29))

TWO = evaluation_of(
    {
        "plain_hybrid": [[*FILLER[:11], 1], [2, *FILLER], [3]],
        "contextual_hybrid": [[1], [*FILLER[:7], 2], [3]],
    },
    [wanting([1], [4]), wanting([2]), wanting([3])],
)


def test_a_question_is_won_or_lost_at_the_least_cut_that_differs() -> None:
    won, lost, same = changes(TWO)
    assert (won.at, won.before, won.after, won.is_won) == (5, 0.0, 0.5, True)
    assert [(entry.before, entry.after) for entry in won.entries] == [(12, 1), (None, None)]
    assert (lost.at, lost.is_lost, lost.is_won) == (5, True, False)
    assert (same.at, same.is_won, same.is_lost) == (None, False, False)


def test_where_one_of_both_systems_was_not_asked_nothing_changed() -> None:
    assert changes(evaluation_of({"plain_hybrid": [[1]]}, [wanting([1])])) == []


def test_gains_are_those_over_plain_hybrid_on_the_same_draws() -> None:
    figures = figures_of(TWO)
    assert set(figures.gains) == {"contextual_hybrid"}
    assert figures.gains["contextual_hybrid"]["pass@5"].mean == pytest.approx((0.5 - 1 + 0) / 3)
    told = as_json(TWO, figures)
    assert told["systems"]["plain_hybrid"]["pass@5"] == pytest.approx(2 / 3, abs=1e-5)
    assert [each["question"] for each in told["won"]] == [1]
    assert told["lost"] == [
        {"question": 2, "query": "What was it? 1", "at": 5, "plain_hybrid": [1], "contextual_hybrid": [8]}
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("contextual_hybird.pass@10>=0.9", "did you mean 'contextual_hybrid'?"),
        ("plain_vector.pass@10>=0.9", "names no system that is run"),
        ("plain_hybrid.pas@10>=0.9", "did you mean 'pass@10'?"),
        ("plain_hybrid.recall>=0.9", "names no figure (there are pass@5,"),
        ("plain_hybrid.mrr>0.9", "is not a gate"),
        ("plain_hybrid.mrr>=good", "is not a gate"),
        ("plain_hybrid>=0.9", "is not a gate"),
    ],
)
def test_a_gate_that_means_nothing_is_refused_with_what_may_have_been_meant(text: str, says: str) -> None:
    with pytest.raises(ValueError, match="gate") as refused:
        parse_gate(text, ["plain_hybrid", "contextual_hybrid"])
    assert says in str(refused.value)


def test_a_gate_holds_where_its_bound_is_reached_and_says_one_line_where_not() -> None:
    values = {"plain_hybrid": {"mrr": 0.5, "ms_p95": 80.0}}
    assert parse_gate(" plain_hybrid.mrr >= .5 ", values).failure(values) is None
    assert parse_gate("plain_hybrid.ms_p95<=80", values).failure(values) is None
    assert Gate("plain_hybrid", "mrr", ">=", 0.51).failure(values) == (
        "plain_hybrid.mrr is 0.5000: at least 0.51 is wanted."
    )
    failed = parse_gate("plain_hybrid.ms_p95<=50", values).failure(values)
    assert failed == "plain_hybrid.ms_p95 is 80.0000: at most 50 is wanted."


def test_tables_fit_a_terminal_of_80_columns() -> None:
    everything = evaluation_of({name: [[1]] * 5 for name in ALL_SYSTEMS}, [wanting([1])] * 5)
    console = Console(width=80, file=io.StringIO(), record=True)
    figures = figures_of(everything)
    console.print(figures_table(figures), gains_table(figures))
    shown = console.export_text()
    assert "…" not in shown
    assert "contextual_hybrid" in shown
    assert "100–100" in shown


ALL_SYSTEMS = (
    "plain_vector",
    "plain_bm25",
    "plain_hybrid",
    "contextual_vector",
    "contextual_bm25",
    "contextual_hybrid",
    "structural_hybrid",
)


def test_a_question_is_opened_with_its_ranks_its_chunk_and_its_context() -> None:
    lines = "\n".join(question_lines(TWO, changes(TWO)[0]))
    assert "plain_hybrid rank 12, contextual_hybrid rank 1" in lines
    assert "not among the first 20" in lines
    assert "Context 1" in lines
    assert "Chunk 1" in lines
    listed = "\n".join(changes_lines(TWO, figures_of(TWO)))
    assert "1 of 3 questions won" in listed
    assert "12 → 1, – → –" in listed


def test_nothing_of_documents_or_questions_is_markup_on_a_terminal() -> None:
    hostile = evaluation_of({"plain_hybrid": [[]], "contextual_hybrid": [[1]]}, [wanting([1])], query=HOSTILE)
    console = Console(width=200, file=io.StringIO(), record=True)
    for line in changes_lines(hostile, figures_of(hostile)):
        console.print(line)
    assert "[bold]&" in console.export_text()


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "line", "rect", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.said += data


def page_of(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


def test_the_report_is_one_page_that_runs_and_fetches_nothing_whatever_documents_say() -> None:
    hostile = evaluation_of(
        {"plain_hybrid": [[]], "contextual_hybrid": [[1]]},
        [wanting([1])],
        query=HOSTILE,
        title=HOSTILE,
        text=HOSTILE,
        context=HOSTILE,
    )
    html = report_html(hostile, figures_of(hostile))
    page = page_of(html)
    assert {tag for tag, _ in page.elements} <= ALLOWED
    for _, attributes in page.elements:
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "href", "xlink:href")}
    assert page.said.count("<script src=") >= 4
    assert "\u202e" not in html
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html


ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "b", "br", "small", "span"),
    *("div", "table", "tr", "th", "td", "details", "summary", "pre", "blockquote"),
    *("svg", "g", "line", "circle", "rect", "text"),
}


def test_the_report_has_a_plot_for_each_comparison_and_every_question_to_open() -> None:
    page = page_of(report_html(TWO, figures_of(TWO)))
    assert [tag for tag, _ in page.elements].count("svg") == 3
    assert [attributes.get("class") for tag, attributes in page.elements if tag == "details"].count("question") == 3
    marks = [attributes for tag, attributes in page.elements if tag == "circle"]
    assert len(marks) == 2 * 3 + 1 * 3, "two systems and one gain, three panels each"
    for words in ("rank 12", "Context 1", "1 questions won, 1 lost, of 3", "plain_hybrid: 67 ("):
        assert words in page.said


def test_one_system_alone_is_reported_without_gains() -> None:
    alone = evaluation_of({"plain_bm25": [[1], []]}, [wanting([1]), wanting([2])])
    page = page_of(report_html(alone, figures_of(alone)))
    assert "Gained over" not in page.said
    assert [tag for tag, _ in page.elements].count("svg") == 2


@pytest.mark.parametrize(("low", "high"), [(0.62, 0.97), (-0.3, 0.18), (0.0, 374.5), (1.0, 1.0), (0.0, 0.0)])
def test_ticks_are_round_few_and_hold_what_they_measure(low: float, high: float) -> None:
    ticks = ticks_over(low, high)
    assert ticks[0] <= low + 1e-9
    assert ticks[-1] >= high - 1e-9
    assert 2 <= len(ticks) <= 8


def test_points_have_a_sign_unless_nothing_was_gained() -> None:
    assert [points(0.0512), points(-0.031), points(0.0), points(-0.0001)] == ["+5.1", "−3.1", "0.0", "0.0"]
