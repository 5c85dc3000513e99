"""The reduced set: each chunk once, in order, gaps marked, never the target or what follows, within the budget."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.documents import Chunk, Heading
from indexer.windows import gap, outline_of, reduced


def words(text: str) -> int:
    return len(text.split())


def made(sizes: list[int]) -> list[Chunk]:
    """Chunks of so many words; chunk 3 is ``"<3> x x … "``."""
    chunks, start = [], 0
    for i, size in enumerate(sizes):
        text = f"<{i}> " + "x " * (size - 1)
        chunks.append(Chunk(i, start, start + len(text), text))
        start += len(text)
    return chunks


SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=40)
TITLES = st.sampled_from(["Methods", "Project Phoenix", "", "A very long title " * 9])
HEADINGS = st.lists(st.builds(Heading, st.integers(1, 4), TITLES, st.just(0)), max_size=30)


@settings(deadline=None)  # the machine may be busy
@given(SIZES, HEADINGS, st.integers(0, 10), st.integers(0, 10), st.integers(40, 400))
def test_windows_show_each_chunk_once_in_order_and_never_the_target_or_later(
    sizes: list[int], headings: list[Heading], num_start: int, num_prev: int, budget: int
) -> None:
    chunks = made(sizes)
    document = reduced(chunks, headings, num_start=num_start, num_prev=num_prev, budget=budget, count=words)
    shared_parts = set()
    for target in range(len(chunks)):
        window = document.around(target)
        whole = document.outline + "".join(window.shared) + window.own
        shown = [int(n) for n in re.findall(r"<(\d+)>", whole)]
        assert shown == sorted(set(shown))
        assert all(i < target for i in shown)
        assert words(whole) <= budget
        left_out = sum(int(n) for n in re.findall(r"\[… (\d+) passages? left out …\]", whole))
        assert left_out == target - len(shown)
        assert len(shown) <= num_start + num_prev
        if target >= document.start:
            shared_parts.add(window.shared)
    assert len(shared_parts) <= 1  # so that it is cached


@settings(deadline=None)  # the machine may be busy
@given(SIZES, st.integers(0, 10), st.integers(0, 10))
def test_with_room_enough_all_that_was_asked_for_is_shown(sizes: list[int], num_start: int, num_prev: int) -> None:
    chunks = made(sizes)
    document = reduced(chunks, (), num_start=num_start, num_prev=num_prev, budget=10_000, count=words)
    for target in range(len(chunks)):
        window = document.around(target)
        shown = {int(n) for n in re.findall(r"<(\d+)>", "".join(window.shared) + window.own)}
        assert shown == {*range(min(num_start, target)), *range(max(0, target - num_prev), target)}


def test_the_worked_example_holds() -> None:
    chunks = [Chunk(i, 2 * i, 2 * i + 2, f"c{i}") for i in range(10)]
    document = reduced(chunks, (), num_start=2, num_prev=2, budget=100, count=words)
    shown = {i: (document.around(i).shared, document.around(i).own) for i in (0, 1, 2, 3, 4, 7)}
    assert shown == {
        0: ((), ""),
        1: ((), "c0"),
        2: (("c0c1",), ""),
        3: (("c0c1",), "c2"),
        4: (("c0c1",), "c2c3"),
        7: (("c0c1",), "\n[… 3 passages left out …]\nc5c6"),
    }


def test_gaps_are_named_in_words() -> None:
    assert gap(0) == ""
    assert gap(1) == "\n[… 1 passage left out …]\n"
    assert gap(37) == "\n[… 37 passages left out …]\n"


def test_the_outline_loses_its_lowest_levels_first_then_its_end() -> None:
    headings = [Heading(1, "Review", 0), Heading(2, "Methods", 1), Heading(3, "Pumps", 2), Heading(2, "Finance", 3)]
    assert outline_of(headings, 9, words) == "Review\n  Methods\n    Pumps\n  Finance\n"
    assert outline_of(headings, 3, words) == "Review\n  Methods\n  Finance\n"
    assert outline_of(headings, 2, words) == "Review\n"
    many = [Heading(1, f"Part{i}", i) for i in range(50)]
    assert outline_of(many, 10, words) == "Part0\nPart1\nPart2\nPart3\n[… 46 headings left out …]\n"
    assert outline_of([], 10, words) == outline_of([Heading(1, " ", 0)], 10, words) == ""


def test_a_huge_title_does_not_fill_the_outline() -> None:
    assert len(outline_of([Heading(1, "long " * 1_000, 0)], 100, words)) < 130
