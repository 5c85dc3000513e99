"""A corpus as it is indexed: chunks as they are given, or cut by our chunker where there is only text."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from indexer.chunking import chunk
from indexer.documents import Chunk, Context, ContextKind, Document, ExtractedText, Original, Passage
from indexer.embedding import Embedder
from indexer.errors import FileInvalid, Refused
from indexer.evaluation.files import GivenDocument
from indexer.examining import title_of
from indexer.extraction import extract
from indexer.fingerprint import chunk_budget
from indexer.headings import Headings
from indexer.reading.sanitising import visible
from indexer.settings import IndexerSettings


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of the corpus. ``names`` are what questions may call it; the first is its own.

    ``title`` is "" where chunks were given without one: a made-up title would be searched like a real one.
    ``ids`` are the chunks'. ``contexts`` are those that came with the corpus, for all chunks or for none.
    """

    names: tuple[str, ...]
    title: str
    extracted: ExtractedText
    chunks: tuple[Chunk, ...]
    ids: tuple[str, ...]
    contexts: tuple[Context, ...] | None

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def shown(self) -> str:
        """What a person is shown of it."""
        return self.title or self.name


@dataclass(frozen=True)
class Corpus:
    """All documents. Chunks are numbered through from 0, in the order of the documents."""

    documents: tuple[CorpusDocument, ...]
    starts: tuple[int, ...] = field(init=False)  # the number of each document's first chunk, and of chunks in all

    def __post_init__(self) -> None:
        sizes = (len(document.chunks) for document in self.documents)
        object.__setattr__(self, "starts", tuple(accumulate(sizes, initial=0)))

    def __len__(self) -> int:
        return self.starts[-1]

    def number(self, document: int, position: int) -> int:
        """The number of a chunk, by its document's index and its position there."""
        return self.starts[document] + position

    def at(self, number: int) -> tuple[CorpusDocument, int]:
        """The document of a chunk and the chunk's position in it."""
        index, position = self.place(number)
        return self.documents[index], position

    def place(self, number: int) -> tuple[int, int]:
        """The index of a chunk's document and the chunk's position there: the reverse of ``number``."""
        index = bisect_right(self.starts, number) - 1
        return index, number - self.starts[index]


async def read_corpus(
    given: Sequence[GivenDocument],
    settings: IndexerSettings,
    embedder: Embedder,
    progress: Callable[[int], None],
) -> Corpus:
    """Cut what is text only, and find the headings and the language of all. Raises FileInvalid.

    Chunks that were given stay as they are. The document they are of is taken to be all of them joined; their headings
    are known where that reads as Markdown (as a name without an ending does).
    """
    documents = []
    for number, each in enumerate(given, 1):
        documents.append(await (_cut if each.text is not None else _given)(each, settings, embedder))
        progress(number)
    return Corpus(tuple(documents))


async def _cut(given: GivenDocument, settings: IndexerSettings, embedder: Embedder) -> CorpusDocument:
    try:
        extracted = await extract(_original(given, given.text or ""), settings)
    except Refused as error:
        raise FileInvalid(f"The document '{given.document}' of the corpus cannot be read: {error}") from error
    budget = chunk_budget(settings, embedder)
    chunks = await asyncio.to_thread(chunk, extracted, budget=budget, count=embedder.count)
    ids = tuple(f"{given.document}#{each.position}" for each in chunks)
    title = title_of(given.title, extracted, given.name or given.document)
    return CorpusDocument(_names(given.document, title), title, extracted, chunks, ids, None)


async def _given(given: GivenDocument, settings: IndexerSettings, embedder: Embedder) -> CorpusDocument:
    texts, text = [visible(each.text) for each in given.chunks], ""
    spans = []
    for each in texts:
        if text and not text[-1].isspace() and not each[:1].isspace():
            text += "\n"  # chunks may have lost what stood between them
        spans.append((len(text), len(text) + len(each)))
        text += each
    extracted = await _read(given, text, settings)
    headings = Headings(extracted.headings)
    chunks = tuple(
        Chunk(position, start, end, text[start:end], headings.of(text, start, end))
        for position, (start, end) in enumerate(spans)
    )
    contexts = [
        Context(visible(each.context), ContextKind.GENERATED) for each in given.chunks if each.context is not None
    ]
    title = given.title or ""
    ids = tuple(each.id for each in given.chunks)
    return CorpusDocument(_names(given.document, title), title, extracted, chunks, ids, tuple(contexts) or None)


async def _read(given: GivenDocument, text: str, settings: IndexerSettings) -> ExtractedText:
    """The headings and the language of a document that was cut by somebody else, where they can be told."""
    try:
        extracted = await extract(_original(given, text), settings)
    except Refused:
        return ExtractedText(text, "text/plain")
    if extracted.text != text:  # read as a web page or a notebook, say: its offsets are not those of the chunks
        return ExtractedText(text, extracted.media_type, extracted.title, language=extracted.language)
    return extracted


def stored_document(document: Document, passages: Sequence[Passage]) -> CorpusDocument:
    """A document of the index, with its chunks and contexts as they are stored."""
    chunks = tuple(passage.chunk for passage in passages)
    extracted = ExtractedText("".join(each.text for each in chunks), "text/plain", language=document.language)
    ids = tuple(f"{document.id}#{each.position}" for each in chunks)
    names = tuple(dict.fromkeys((document.id, document.title, document.name, document.source)))
    return CorpusDocument(names, document.title, extracted, chunks, ids, tuple(each.context for each in passages))


def _original(given: GivenDocument, text: str) -> Original:
    return Original(f"text:{given.document}", text.encode("utf-8", "replace"), given.name or given.document)


def _names(document: str, title: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in (document, title) if name))
