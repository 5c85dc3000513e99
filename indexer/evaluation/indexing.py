"""Indexes a corpus for a run: its chunks alone, with contexts, or with structural ones; each in a workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.documents import WORKSPACE, Context, ContextKind, Document, DocumentId, Passage, Usage
from indexer.embedding import Embedder, cut_to_window
from indexer.evaluation.corpus import Corpus, CorpusDocument
from indexer.evaluation.systems import Variant, only_version
from indexer.kept import PaidAnswerRows
from indexer.paid_answers import PaidAnswer
from indexer.spending import Spending
from indexer.store import Store
from indexer.structural import StructuralContextualizer, structural_contexts

if TYPE_CHECKING:  # it loads Claude's client, which takes seconds; without a key nobody needs it
    from indexer.contextualizer import Contextualizer

Contexts = list[tuple[Context, ...]]  # of each document, one a chunk

_NONE = Context("", ContextKind.STRUCTURAL)


@dataclass(frozen=True, slots=True)
class Situated:
    """The contexts of a corpus, what was paid for them now, and for each that could not be had the reason."""

    contexts: Contexts
    usage: Usage
    failures: tuple[str, ...]


class Account:
    """Pays for contexts of a corpus: found again by the next run, counted as the workspace's, held to its cap."""

    def __init__(self, paid: PaidAnswerRows, spending: Spending, workspace: str) -> None:
        self._paid = paid  # of no version: none of the catalogue's is paid for here
        self._spending = spending
        self._workspace = workspace

    async def get_many(self, request_hashes: Collection[str]) -> Mapping[str, PaidAnswer]:
        return await self._paid.get_many(request_hashes)

    async def put(self, request_hash: str, answer: PaidAnswer) -> None:
        await self._paid.put(request_hash, answer)
        await self.lost(answer.usage)

    async def lost(self, usage: Usage) -> None:
        await self._spending.record(self._workspace, "evaluation", usage.cost_usd)

    async def refusal(self) -> str | None:
        return await self._spending.refusal(self._workspace)


async def situated(
    corpus: Corpus, contextualizer: Contextualizer | StructuralContextualizer, progress: Callable[[int], None]
) -> Situated:
    """The contexts that came with the corpus, and new ones where none did. ``progress`` counts chunks."""
    contexts: Contexts = []
    usage, done = Usage(), 0
    failures: list[str] = []
    for document in corpus.documents:
        if document.contexts is not None:
            contexts.append(document.contexts)
        else:
            before = done
            made = await contextualizer.contextualize(
                document.title,
                document.extracted,
                document.chunks,
                progress=lambda count, before=before: progress(before + count),  # type: ignore[misc]
            )
            contexts.append(made.contexts)
            usage += made.usage
            failures += [context.failure for context in made.contexts if context.failure is not None]
        done += len(document.chunks)
        progress(done)
    return Situated(contexts, usage, tuple(failures))


def contexts_of(variant: Variant, corpus: Corpus, given: Contexts, limit: int, embedder: Embedder) -> Contexts:
    """What each chunk has before it in a variant: nothing, ``given``, or title › heading path."""
    if variant == "contextual":
        return given
    if variant == "plain":
        return [(_NONE,) * len(document.chunks) for document in corpus.documents]
    return [structural_contexts(each.title, each.chunks, limit, embedder.count) for each in corpus.documents]


async def index(
    variant: Variant,
    corpus: Corpus,
    contexts: Contexts,
    store: Store,
    embedder: Embedder,
    workspace: str,
    progress: Callable[[int], None],
) -> int:
    """Embed and store. Returns how many passages were too long for the embedder, which read their beginning.

    ``progress`` counts texts embedded; there are as many as chunks for ``plain``, else twice as many.
    Raises StoreFailed and Unavailable.
    """
    passages = [
        Passage(chunk, context)
        for document, situating in zip(corpus.documents, contexts, strict=True)
        for chunk, context in zip(document.chunks, situating, strict=True)
    ]
    texts = [passage.text for passage in passages]
    if variant != "plain":
        texts += [passage.situation for passage in passages]
    fitting = await asyncio.to_thread(lambda: [cut_to_window(text, embedder.window, embedder.count) for text in texts])
    vectors = await embedder.passages(fitting, progress=progress)
    own, of_context = vectors[: len(passages)], vectors[-len(passages) :]  # without contexts both are the same
    for number, document in enumerate(corpus.documents):
        start, end = corpus.starts[number], corpus.starts[number + 1]
        row = _row(document, document_key(number), workspace, titled=variant != "plain")
        by_name = {"passage": own[start:end], "context": of_context[start:end]}
        await store.put(row, only_version(row.id), passages[start:end], by_name)
    return sum(len(text) != len(short) for text, short in zip(texts[: len(passages)], fitting, strict=False))


def document_key(number: int) -> DocumentId:
    """The id of a corpus's document in the index, by its number."""
    return DocumentId(f"{number:08x}")


def number_of(document: DocumentId) -> int:
    """The number of a document, by its id: the reverse of ``document_key``."""
    return int(document, 16)


def _row(document: CorpusDocument, id: DocumentId, workspace: str, *, titled: bool) -> Document:
    """The document as it is stored. Chunks alone are found by what stands in them, not by their document's title."""
    title = document.title if titled else ""
    return Document(id, workspace, WORKSPACE, f"text:{document.name}", title, language=document.extracted.language)


def lacking(corpus: Corpus) -> Sequence[CorpusDocument]:
    """The documents that came without contexts and have more chunks than one: what Claude would be asked about."""
    return [each for each in corpus.documents if each.contexts is None and len(each.chunks) > 1]
