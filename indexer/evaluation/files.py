"""The corpus and the questions, as lines of JSON in files.

A line of a corpus is a document, either cut already, with or without contexts, or as text::

    {"document": "review", "title": "Annual Review", "chunks": [{"id": "review_0", "text": "…", "context": "…"}]}
    {"document": "manual.md", "text": "# Manual\\n\\n…"}

A line of questions names what a search should find, by the ids of chunks or by what stands in them::

    {"query": "When was it closed?", "golden": [["review_3", "review_9"]]}
    {"query": "When was it closed?", "quotes": ["The incident was closed on 12 May"], "document": "review"}

Each entry of ``golden`` lists chunks of which any will do (identical ones). A quote is met by a chunk that holds it. A
line with ``draft`` is not finished and is left out. Other fields are ignored, empty lines too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from indexer.errors import FileInvalid

Words = Annotated[str, StringConstraints(pattern=r"\S")]
Line = TypeVar("Line", bound=BaseModel)
_KINDS = {"missing": "is missing", "string_pattern_mismatch": "is blank", "too_short": "is empty"}


class GivenChunk(BaseModel):
    """A chunk as the corpus has it. ``context`` None: there is none yet; "": it has none."""

    model_config = ConfigDict(frozen=True, strict=True)

    id: Words
    text: Words
    context: str | None = None


class GivenDocument(BaseModel):
    """A document of the corpus: its chunks, or its text. ``name`` tells how text is read (``notes.py``, ``a.md``)."""

    model_config = ConfigDict(frozen=True, strict=True)

    document: Words
    title: str | None = None
    name: str | None = None
    chunks: list[GivenChunk] = Field(default_factory=list)
    text: Words | None = None


class Question(BaseModel):
    """A question and what a search should find for it. ``number`` is its line in the file."""

    model_config = ConfigDict(frozen=True, strict=True)

    query: Words
    golden: list[Annotated[list[Words], Field(min_length=1)]] = Field(default_factory=list)
    quotes: list[Words] = Field(default_factory=list)
    document: str | None = None
    draft: object = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a file, and how many lines of it are drafts."""

    questions: tuple[Question, ...]
    drafts: int


def load_corpus(path: Path) -> tuple[GivenDocument, ...]:
    """The documents of a file. Raises FileInvalid, which names the first line that is wrong."""
    documents: dict[str, GivenDocument] = {}
    chunks: set[str] = set()
    for number, line in lines_of(path):
        document = parsed(path, number, GivenDocument, line)
        if document.document in documents:
            raise FileInvalid(f"{path.name}, line {number}: the document '{document.document}' is there already.")
        if bool(document.chunks) == (document.text is not None):
            raise FileInvalid(f"{path.name}, line {number}: a document has either 'chunks' or 'text'.")
        if len({chunk.context is None for chunk in document.chunks}) > 1:
            raise FileInvalid(f"{path.name}, line {number}: give each chunk of a document a 'context', or none.")
        for chunk in document.chunks:
            if chunk.id in chunks:
                raise FileInvalid(f"{path.name}, line {number}: the chunk '{chunk.id}' is there already.")
            chunks.add(chunk.id)
        documents[document.document] = document
    if not documents:
        raise FileInvalid(f"{path.name} has no documents: write one a line, with 'document' and 'chunks' or 'text'.")
    return tuple(documents.values())


def load_questions(path: Path) -> Questions:
    """The questions of a file. Raises FileInvalid, which names the first line that is wrong."""
    questions, drafts = [], 0
    for number, line in lines_of(path):
        question = parsed(path, number, Question, line).model_copy(update={"number": number})
        if question.draft:
            drafts += 1
            continue
        if bool(question.golden) == bool(question.quotes):
            raise FileInvalid(
                f"{path.name}, line {number}: a question has either 'golden' (ids of chunks) or 'quotes' (what stands "
                "in them)."
            )
        questions.append(question)
    if not questions:
        unfinished = f" but {drafts} draft{'s' if drafts > 1 else ''}" if drafts else ""
        raise FileInvalid(
            f"{path.name} has no questions{unfinished}: write one a line, with 'query' and 'golden' or 'quotes'."
        )
    return Questions(tuple(questions), drafts)


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers. Raises FileInvalid."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise FileInvalid(f"'{path}' cannot be read; check its name and who may read it.") from error
    except UnicodeDecodeError as error:
        raise FileInvalid(f"{path.name} is not text in UTF-8; save it so, one JSON object a line.") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


def parsed(path: Path, number: int, kind: type[Line], line: str) -> Line:
    """What a line holds. Raises FileInvalid, which names the line."""
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "json_invalid":
            raise FileInvalid(f"{path.name}, line {number} is not JSON; each line is one object.") from error
        what = _KINDS.get(first["type"], f"is wrong ({first['msg']})")
        told = f"'{where}' {what}" if where else "it is not an object"
        raise FileInvalid(f"{path.name}, line {number}: {told}.") from error
