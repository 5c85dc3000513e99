"""Which chunks count for a question."""

from __future__ import annotations

import pytest

from indexer.documents import Chunk, ExtractedText
from indexer.errors import FileInvalid
from indexer.evaluation.corpus import Corpus, CorpusDocument
from indexer.evaluation.files import Question
from indexer.evaluation.golden import golden_chunks


def document(name: str, *texts: str) -> CorpusDocument:
    chunks = tuple(Chunk(position, 0, len(text), text) for position, text in enumerate(texts))
    ids = tuple(f"{name}_{position}" for position in range(len(texts)))
    return CorpusDocument((name, name.upper()), name.upper(), ExtractedText("x", "text/plain"), chunks, ids, None)


CORPUS = Corpus(
    (
        document("review", "It was closed on 12 May.", " It cost 41,000 euros,\n", "most of it for overtime."),
        document("copy", "Summary. It was closed on\n12 May."),
    )
)


def golden(**fields: object) -> list[list[int]]:
    question = Question.model_validate({"query": "q", "number": 7, **fields})
    (found,) = golden_chunks([question], CORPUS, "questions.jsonl")
    return [sorted(entry) for entry in found]


def test_chunks_are_named_by_their_ids_and_any_of_an_entry_will_do() -> None:
    assert golden(golden=[["review_0", "copy_0"], ["review_2"]]) == [[0, 3], [2]]


def test_a_quote_is_met_by_every_chunk_that_holds_it_whatever_its_line_breaks() -> None:
    assert golden(quotes=["It was closed on 12\n May", "for overtime"]) == [[0, 3], [2]]


def test_a_quote_of_a_document_counts_there_only() -> None:
    assert golden(quotes=["It was closed on 12 May"], document="copy") == [[3]]
    assert golden(quotes=["It was closed on 12 May"], document="REVIEW") == [[0]]


def test_a_quote_that_was_cut_in_two_is_met_by_the_chunk_with_most_of_it() -> None:
    assert golden(quotes=["It cost 41,000 euros, most"]) == [[1]]
    assert golden(quotes=["euros, most of it for overtime."]) == [[2]]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"golden": [["review_9"]]}, "line 7: there is no chunk 'review_9'"),
        ({"quotes": ["It was opened"]}, "line 7: 'It was opened' does not stand in any document"),
        ({"quotes": ["for overtime"], "document": "copy"}, "does not stand in the document 'copy'"),
        ({"quotes": ["for overtime"], "document": "other"}, "line 7: there is no document 'other'"),
    ],
)
def test_what_is_not_in_the_corpus_is_refused_with_the_line(fields: dict[str, object], says: str) -> None:
    with pytest.raises(FileInvalid) as refused:
        golden(**fields)
    assert says in str(refused.value)
