"""Why a passage was found, in words at the terminal."""

from __future__ import annotations

from dataclasses import replace

from indexer.commands.explaining import ordinal, why_json, why_lines
from indexer.documents import WORKSPACE, Chunk, Context, ContextKind, DocumentId, Hit, VersionId
from indexer.explaining import Standing, Why

HIT = Hit(
    DocumentId("review"),
    VersionId("review.1"),
    "Review",
    WORKSPACE,
    "file:///review",
    Chunk(0, 0, 2, "x."),
    Context("On it.", ContextKind.GENERATED),
    0.9,
)
WHY = Why(
    HIT,
    1,
    Standing(3, 0.9),
    Standing(1, 12.0),
    {"passage": Standing(3, 0.871), "context": Standing(1, 0.902)},
    {"context": Standing(1, 8.1), "text": Standing(2, 5.2)},
    {"context": ("INC-2023-04-011",), "text": ("certificate",)},
)


def test_both_sides_are_told_with_ranks_words_and_where_they_stand() -> None:
    assert why_lines(WHY) == [
        "Found by meaning (3rd) and by words (1st): certificate, INC-2023-04-011.",
        "  meaning  context and text 3rd (0.871), context alone 1st (0.902)",
        "  words    context 1st (8.1): INC-2023-04-011; text 2nd (5.2): certificate",
    ]


def test_of_a_structural_context_there_is_no_rank_of_its_own() -> None:
    structural = replace(HIT, context=Context("Review › Part 1", ContextKind.STRUCTURAL))
    assert why_lines(replace(WHY, hit=structural))[1] == "  meaning  context and text 3rd (0.871)"


def test_a_side_that_did_not_find_it_is_not_told() -> None:
    by_meaning = replace(WHY, keyword=None, properties={}, terms={})
    assert why_lines(by_meaning)[0] == "Found by meaning (3rd)."
    by_words = replace(WHY, vector=None, vectors={})
    assert why_lines(by_words)[0] == "Found by words (1st): certificate, INC-2023-04-011."
    assert why_lines(replace(by_meaning, vector=None, vectors={})) == []


def test_words_that_are_not_whole_leave_the_rank_alone() -> None:
    """Short parts of a code may match where nothing of it tells anything."""
    assert why_lines(replace(WHY, terms={}))[2] == "  words    context 1st (8.1); text 2nd (5.2)"


def test_the_reranker_has_the_last_word() -> None:
    assert why_lines(replace(WHY, rank=2, hit=replace(HIT, rerank=0.934)))[-1] == "  reranked 2nd (0.934)"


def test_programs_get_the_same_as_numbers() -> None:
    told = why_json(WHY)
    assert told["vector"] == {"rank": 3, "score": 0.9}
    assert told["properties"]["context"] == {"rank": 1, "score": 8.1, "terms": ["INC-2023-04-011"]}
    assert told["terms"] == ["certificate", "INC-2023-04-011"]
    assert why_json(replace(WHY, vector=None))["vector"] is None


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip
