"""Chunks: verbatim slices, within the budget, along structure, no crumbs, headings with what follows them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.chunking import CRUMB_TOKENS, chunk, cut_at_sentence
from indexer.documents import Chunk, ExtractedText, Heading, Page
from indexer.local_embedding import LocalEmbedder

OVERHEAD = 3


def words(text: str) -> int:
    """Words and single marks, plus what every text costs; white space is nothing, as in the real tokenizer."""
    return OVERHEAD + len(re.findall(r"\w{1,8}|[^\w\s]", text))


def characters(text: str) -> int:
    """Every character that is seen."""
    return OVERHEAD + len("".join(text.split()))


def not_additive(text: str) -> int:
    """Two texts joined count for more than both: the sum of units is a bad estimate."""
    count = len("".join(text.split()))
    return OVERHEAD + count + count // 10


def markdown(text: str, **more: object) -> ExtractedText:
    """A document with its ``#`` headings found, as extraction does."""
    headings = tuple(
        Heading(len(m.group(1)), m.group(2).strip(), m.start()) for m in re.finditer(r"^(#+) (.*)$", text, re.MULTILINE)
    )
    return ExtractedText(text, "text/markdown", headings=headings, **more)  # type: ignore[arg-type] # fields by name


PIECES = st.sampled_from(
    [
        "# One\n\n",
        "## Two\n\n",
        "### Three\n",
        "Title\n===\n",
        "It failed. ",
        "Dr. Ito closed it in May.\n\n",
        "\n",
        "\r\n",
        "\r",
        "\f",
        " ",
        "\t",
        "\n \n",
        "- item\n",
        "| a | b |\n",
        "```\n",
        "x = f(1);\n",
        "日本語です。次の文。",
        "👩‍👩‍👧‍👦",
        "🇫🇷",
        "e\u0301",
        "\u2028",
        "</document>",
        "a" * 50,
        "word " * 20,
        "1,2,3\n",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join))
TYPES = st.sampled_from(["text/markdown", "text/plain", "text/csv", "text/x-python", "application/pdf"])


@settings(deadline=None)
@given(
    TEXTS,
    TYPES,
    st.integers(OVERHEAD + 8, 80),
    st.sampled_from([words, characters, not_additive]),
    st.lists(st.integers(0, 300), max_size=8),
)
def test_chunks_are_slices_without_gaps_within_the_budget(
    text: str, media_type: str, budget: int, count: Callable[[str], int], anywhere: list[int]
) -> None:
    headings = tuple(Heading(1 + i % 3, f"H{i}", start) for i, start in enumerate(sorted(set(anywhere))))
    chunks = chunk(ExtractedText(text, media_type, headings=headings), budget=budget, count=count)
    if not text.strip():
        assert chunks == ()
        return
    assert "".join(c.text for c in chunks) == text
    assert [c.position for c in chunks] == list(range(len(chunks)))
    assert (chunks[0].start, chunks[-1].end) == (0, len(text))
    assert all(before.end == after.start for before, after in pairwise(chunks))
    for c in chunks:
        assert c.text == text[c.start : c.end]
        assert c.text.strip()
        assert count(c.text) <= budget


@settings(deadline=None)
@given(TEXTS, st.integers(-5, OVERHEAD + 2))
def test_a_budget_too_small_for_anything_still_ends(text: str, budget: int) -> None:
    """The last resort: single characters, and nothing is lost."""
    chunks = chunk(ExtractedText(text, "text/plain"), budget=budget, count=words)
    assert "".join(c.text for c in chunks) == (text if text.strip() else "")


def test_the_worked_example_holds() -> None:
    text = "# Pump\n\nIt failed on Monday.\n\n# Valve\n\nIt was closed by Dr. Ito. It was opened again on Tuesday."
    chunks = chunk(markdown(text, language="en"), budget=12, count=lambda t: len(t.split()))
    assert [(c.text, c.heading_path) for c in chunks] == [
        ("# Pump\n\nIt failed on Monday.\n\n", ("Pump",)),
        ("# Valve\n\nIt was closed by Dr. Ito. ", ("Valve",)),
        ("It was opened again on Tuesday.", ("Valve",)),
    ]


SENTENCE = "The team closed the incident after a long review of the valve. "  # 12 words and a mark


def test_a_heading_stays_with_what_follows_it() -> None:
    sections = [f"## Part {i}\n\n" + SENTENCE * (5 + i % 4) + "\n\n" for i in range(40)]
    for budget in (70, 100, 130):
        for c in chunk(markdown("".join(sections)), budget=budget, count=words):
            last = [line for line in c.text.splitlines() if line.strip()][-1]
            assert not last.startswith("#"), c


def test_a_heading_before_a_sentence_as_long_as_a_chunk_is_not_left_alone() -> None:
    long = " ".join(f"thing{i}" for i in range(48))
    for c in chunk(markdown(f"{SENTENCE * 3}\n\n# A heading of words\n\n{long}\n"), budget=54, count=words):
        assert not c.text.rstrip().endswith("words"), c
        assert c.text.strip() != "# A heading of words"


def test_crumbs_are_merged_into_their_neighbours() -> None:
    sections = [f"## Part {i}\n\nDone in May.\n\n" + SENTENCE * (1 + i * 7 % 13) + "\n\n" for i in range(30)]
    chunks = chunk(markdown("".join(sections)), budget=200, count=words)
    assert min(words(c.text) for c in chunks) >= CRUMB_TOKENS


def test_cuts_are_made_between_sections_where_these_fill_chunks() -> None:
    text = "".join(f"# Part {i}\n\n" + SENTENCE * 12 + "\n\n" for i in range(6))
    chunks = chunk(markdown(text), budget=200, count=words)
    assert [c.heading_path for c in chunks] == [(f"Part {i}",) for i in range(6)]
    assert all(c.text.startswith("# Part") for c in chunks)


def test_cuts_are_made_between_paragraphs_before_sentences() -> None:
    text = "".join(SENTENCE * 5 + "\n\n" for _ in range(20))
    assert all(c.text.endswith("\n\n") for c in chunk(markdown(text), budget=160, count=words))


def test_heading_path_is_the_one_of_the_text_that_follows_the_headings() -> None:
    text = "# Review\n\n## Software\n\n" + SENTENCE * 20 + "\n\n## Finance\n\n" + SENTENCE * 20
    paths = [c.heading_path for c in chunk(markdown(text), budget=150, count=words)]
    assert paths[0] == ("Review", "Software")
    assert paths[-1] == ("Review", "Finance")
    assert set(paths) == {("Review", "Software"), ("Review", "Finance")}


def test_text_before_the_first_heading_has_the_path_of_the_heading_in_its_chunk() -> None:
    (only,) = chunk(markdown("---\ndate: 2024-01-30\n---\n\n# Review\n\n" + SENTENCE), budget=150, count=words)
    assert only.heading_path == ("Review",)


def test_pages_are_those_that_the_words_are_on() -> None:
    page = SENTENCE * 4 + "\n\n"
    pages = tuple(Page(i + 1, i * len(page), (i + 1) * len(page)) for i in range(3))
    text = ExtractedText(page * 3, "application/pdf", pages=pages, language="en")
    assert [c.pages for c in chunk(text, budget=60, count=words)] == [(1,), (2,), (3,)]
    assert [c.pages for c in chunk(text, budget=400, count=words)] == [(1, 2, 3)]


def test_rows_of_a_csv_are_kept_whole() -> None:
    text = "id,name,place\n" + "".join(f'{i},"Name. Of {i}","Paris; Lyon"\n' for i in range(300))
    chunks = chunk(ExtractedText(text, "text/csv"), budget=100, count=words)
    assert len(chunks) > 20
    assert all(c.text.endswith("\n") for c in chunks)


def test_lines_of_code_are_kept_whole() -> None:
    text = "".join(f"def f{i}(x):\n    # Adds. Then returns it.\n    return x + {i}\n\n\n" for i in range(100))
    chunks = chunk(ExtractedText(text, "text/x-python"), budget=100, count=words)
    assert all(c.text.endswith("\n") for c in chunks)
    assert all(c.text.startswith("def ") for c in chunks)  # blank lines are the best places


def test_an_unbroken_word_of_9000_characters_is_cut() -> None:
    chunks = chunk(ExtractedText("x" * 9_000, "text/plain"), budget=100, count=characters)
    assert "".join(c.text for c in chunks) == "x" * 9_000
    assert max(characters(c.text) for c in chunks) <= 100


def test_emoji_made_of_several_characters_are_not_cut() -> None:
    family = "👩‍👩‍👧‍👦"
    chunks = chunk(ExtractedText(family * 300, "text/plain"), budget=OVERHEAD + 50, count=characters)
    assert len(chunks) > 10
    whole = sum(c.text.startswith(family) for c in chunks)
    assert whole >= len(chunks) - 3  # but where a stretch that is looked at alone ends


def test_a_text_that_is_only_a_heading_is_a_chunk() -> None:
    (only,) = chunk(markdown("# Annual Review\n"), budget=100, count=words)
    assert (only.text, only.heading_path) == ("# Annual Review\n", ("Annual Review",))


def test_with_the_local_embedder_all_chunks_fit() -> None:
    embedder = LocalEmbedder()
    text = "".join(f"## Part {i}\n\n" + (SENTENCE + "日本語の文です。") * (i % 9 + 3) + "\n\n" for i in range(60))
    chunks = chunk(markdown(text), budget=376, count=embedder.count)
    sizes = [embedder.count(c.text) for c in chunks]
    assert max(sizes) <= 376
    assert sum(sizes) / len(sizes) > 0.6 * 376


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"# Part {i}\n\n" + SENTENCE * 40 + "\n\n" for i in range(500)),  # some 500 pages
        "a\n" * 200_000,
        "word " * 200_000,
        "\n \n" * 100_000 + "x",
        "x" * 300_000,
    ],
    ids=["book", "short lines", "no sentence", "blank", "no word"],
)
def test_long_texts_take_time_in_proportion(text: str) -> None:
    counted = 0

    def count(part: str) -> int:
        nonlocal counted
        counted += len(part)
        return OVERHEAD + len(part.replace("\n", " ").replace(" ", "")) // 4

    begin = time.perf_counter()
    chunks: tuple[Chunk, ...] = chunk(markdown(text), budget=376, count=count)
    assert time.perf_counter() - begin < 15
    assert "".join(c.text for c in chunks) == text
    if " the " in text:
        assert counted < 4 * len(text)


def plain_words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("text", "limit", "result"),
    [
        ("It failed. It was repaired.", 9, "It failed. It was repaired."),
        ("It failed. It was repaired.", 3, "It failed."),
        ("  It failed. It was repaired.  ", 4, "It failed."),
        ("It failed in the very first week of May", 4, "It failed in the"),
        ("It failed.", 0, "I"),
    ],
)
def test_a_context_is_cut_at_a_sentence_else_at_a_word(text: str, limit: int, result: str) -> None:
    assert cut_at_sentence(text, limit, plain_words, "en") == result


@settings(deadline=None)
@given(TEXTS, st.integers(OVERHEAD + 9, 60), st.sampled_from([words, characters]))
def test_what_is_cut_is_a_beginning_within_the_limit_and_never_empty(
    text: str, limit: int, count: Callable[[str], int]
) -> None:
    result = cut_at_sentence(text, limit, count, "en")
    assert text.lstrip().startswith(result)
    assert bool(result) == bool(text.strip())
    assert count(result) <= limit


def test_places_tell_where_each_part_of_a_chunk_stands() -> None:
    """A chunk over two sections and two pages: what is quoted from its end is located there, not where it begins."""
    text = (
        "Intro of the report.\n\nCauses\n\nIt was the valve.\n\nCosts\n\nIt cost 41 euros. And more on the next page."
    )
    causes, costs, page = text.index("Causes"), text.index("Costs"), text.index("And more")
    extracted = ExtractedText(
        text,
        "application/pdf",
        pages=(Page(1, 0, page), Page(2, page, len(text))),
        headings=(Heading(1, "Causes", causes), Heading(1, "Costs", costs)),
    )
    (only,) = chunk(extracted, budget=200, count=words)

    def located(quote: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
        start = only.text.index(quote)
        return only.located(start, start + len(quote))

    assert located("It was the valve.") == (("Causes",), (1,))
    assert located("It cost 41 euros.") == (("Costs",), (1,))
    assert located("And more on") == (("Costs",), (2,))
    assert located("41 euros. And more") == (("Costs",), (1, 2))


def test_a_chunk_of_one_place_needs_no_list_of_places() -> None:
    extracted = ExtractedText("# A\n\nOne sentence.", "text/markdown", headings=(Heading(1, "A", 0),))
    (only,) = chunk(extracted, budget=100, count=words)
    assert only.places == ()
    assert only.located(5, 8) == (("A",), ())
