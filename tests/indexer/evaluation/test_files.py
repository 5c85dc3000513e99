"""Corpora and questions in files, and what is said of lines that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from indexer.errors import FileInvalid
from indexer.evaluation.files import load_corpus, load_questions
from tests.indexer.evaluation.corpora import POLICY, QUESTIONS, REVIEW, TEXTS, written


def test_a_corpus_has_chunks_with_their_contexts_or_text_alone(tmp_path: Path) -> None:
    review, policy, text, _ = load_corpus(written(tmp_path / "corpus.jsonl", [REVIEW, POLICY, "", *TEXTS]))
    assert [chunk.id for chunk in review.chunks] == ["review_0", "review_1", "review_2"]
    assert review.chunks[1].context == "The annual review 2023 on the end of incident INC-2023-04-011."
    assert (review.title, policy.title) == ("Annual Review 2023", None)
    assert (text.text or "").startswith("# Annual Review")
    assert text.chunks == []


def test_questions_are_numbered_by_their_lines_and_drafts_are_left_out(tmp_path: Path) -> None:
    draft = {"query": "And then?", "quotes": [], "draft": "find the sentence that answers it"}
    loaded = load_questions(written(tmp_path / "questions.jsonl", [QUESTIONS[0], "", draft, QUESTIONS[1]]))
    assert [question.number for question in loaded.questions] == [1, 4]
    assert loaded.drafts == 1
    assert loaded.questions[1].golden == [["policy_0", "policy_1"]]


def test_a_file_with_a_byte_order_mark_and_windows_newlines_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "questions.jsonl", QUESTIONS)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(load_questions(path).questions) == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2 is not JSON"),
        ("[1, 2]", "line 2: it is not an object"),
        ({"chunks": []}, "line 2: 'document' is missing"),
        ({"document": "x"}, "line 2: a document has either 'chunks' or 'text'"),
        ({"document": "x", "text": "t", "chunks": [{"id": "a", "text": "b"}]}, "either 'chunks' or 'text'"),
        ({"document": "x", "text": " "}, "line 2: 'text' is blank"),
        ({"document": "x", "chunks": [{"id": "a", "text": " "}]}, "line 2: 'chunks.0.text' is blank"),
        ({"document": "x", "chunks": [{"id": 7, "text": "b"}]}, "line 2: 'chunks.0.id' is wrong"),
        ({"document": "x", "chunks": [{"id": "review_0", "text": "b"}]}, "line 2: the chunk 'review_0' is there"),
        ({"document": "review", "text": "t"}, "line 2: the document 'review' is there already"),
        (
            {"document": "x", "chunks": [{"id": "a", "text": "b", "context": "c"}, {"id": "d", "text": "e"}]},
            "line 2: give each chunk of a document a 'context'",
        ),
    ],
)
def test_a_wrong_line_of_a_corpus_is_one_sentence_with_its_number(tmp_path: Path, line: Any, says: str) -> None:
    with pytest.raises(FileInvalid) as refused:
        load_corpus(written(tmp_path / "corpus.jsonl", [REVIEW, line]))
    assert str(refused.value).startswith("corpus.jsonl")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"golden": [["a"]]}, "line 2: 'query' is missing"),
        ({"query": " ", "golden": [["a"]]}, "line 2: 'query' is blank"),
        ({"query": "q"}, "line 2: a question has either 'golden'"),
        ({"query": "q", "golden": [["a"]], "quotes": ["b"]}, "line 2: a question has either 'golden'"),
        ({"query": "q", "golden": [[]]}, "line 2: 'golden.0' is empty"),
        ({"query": "q", "golden": ["a"]}, "line 2: 'golden.0' is wrong"),
        ({"query": "q", "quotes": [""]}, "line 2: 'quotes.0' is blank"),
    ],
)
def test_a_wrong_question_is_one_sentence_with_its_number(tmp_path: Path, line: Any, says: str) -> None:
    with pytest.raises(FileInvalid, match=r"^questions\.jsonl") as refused:
        load_questions(written(tmp_path / "questions.jsonl", [QUESTIONS[0], line]))
    assert says in str(refused.value)


def test_files_that_are_missing_empty_or_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileInvalid, match="cannot be read"):
        load_corpus(tmp_path / "nothing.jsonl")
    with pytest.raises(FileInvalid, match="has no documents"):
        load_corpus(written(tmp_path / "empty.jsonl", ["", " "]))
    with pytest.raises(FileInvalid, match="has no questions but 1 draft"):
        load_questions(written(tmp_path / "drafts.jsonl", [{"query": "q", "draft": "d"}]))
    (tmp_path / "other.jsonl").write_bytes(b"\xff\xfe\x00\xd8")
    with pytest.raises(FileInvalid, match="not text in UTF-8"):
        load_questions(tmp_path / "other.jsonl")
