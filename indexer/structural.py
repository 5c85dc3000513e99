"""Structural contexts: title › heading path, made here without a model and labelled so. What there is without a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .chunking import cut_at_sentence
from .documents import Chunk, Context, ContextKind, ExtractedText, Usage


@dataclass(frozen=True, slots=True)
class Contextualized:
    """The contexts of a document's chunks, in their order, and what was paid for now.

    ``calls`` were answered and paid now, ``reused`` had been paid before. ``cache_misses`` are calls that should have
    read the document from Claude's cache and read nothing: their document was paid in full.
    """

    contexts: tuple[Context, ...]
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    reused: int = 0
    cache_misses: int = 0


def structural_context(title: str, chunk: Chunk) -> Context:
    """Title › heading path, nothing paid: ``"Annual Review › Software › Project Phoenix"``."""
    path = [" ".join(part.split())[:160] for part in (title, *chunk.heading_path)]
    kept = [part for i, part in enumerate(path) if part and part not in path[:i]]
    return Context(" › ".join(kept), ContextKind.STRUCTURAL)


def structural_contexts(
    title: str, chunks: Sequence[Chunk], limit: int, count: Callable[[str], int]
) -> tuple[Context, ...]:
    """The structural context of each chunk, of at most ``limit`` tokens by ``count``."""
    contexts = [structural_context(title, chunk) for chunk in chunks]
    # Chunks of one section share their context: it is counted once.
    cut = {context.text: cut_at_sentence(context.text, limit, count, None) for context in contexts if context.text}
    return tuple(Context(cut.get(context.text, ""), context.kind) for context in contexts)


class StructuralContextualizer:
    """Situates chunks by title and headings alone; the ``Contextualizer`` of an indexer without a key."""

    def __init__(self, limit: int, count: Callable[[str], int]) -> None:
        self._limit = limit
        self._count = count

    async def contextualize(
        self,
        title: str,
        extracted: ExtractedText,
        chunks: Sequence[Chunk],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> Contextualized:
        """Situate the chunks of a document; nothing is paid."""
        if progress:
            progress(len(chunks))
        return Contextualized(structural_contexts(title, chunks, self._limit, self._count))
