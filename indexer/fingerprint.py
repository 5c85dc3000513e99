"""What decides a document's chunks, contexts and vectors besides its bytes: by this "unchanged" is judged."""

from __future__ import annotations

import hashlib
import json

from .context_prompt import PROMPT_VERSION
from .documents import WORKSPACE, Audience
from .embedding import Embedder
from .settings import IndexerSettings

PIPELINE_VERSION = 1  # raise it when chunks come out otherwise: documents are indexed anew when they are added again
CONTEXT_SHARE = 128  # tokens of the embedder's window that are kept for the context
LONGEST_CHUNK = (
    512  # unless CHUNK_TOKENS says more: with a window of thousands a passage would still be about one thing
)
SPARE = 8  # tokens for the line break between both and for what joining them may add


def chunk_budget(settings: IndexerSettings, embedder: Embedder) -> int:
    """The longest chunk, in the embedder's tokens: what its window leaves beside a context.

    512 − 128 − 8 = 376 for the local embedder; ``CHUNK_TOKENS`` makes it smaller, or larger where the window has room.
    """
    most = embedder.window - max(CONTEXT_SHARE, settings.context_max_tokens) - SPARE
    return min(settings.chunk_tokens or LONGEST_CHUNK, most)


def fingerprint(
    settings: IndexerSettings, embedder: Embedder, title: str | None, audience: Audience = WORKSPACE
) -> str:
    """A hash of all that decides what a document's chunks, contexts and vectors are, besides its bytes.

    Of the audience it matters only whether contexts are paid for it: see ``Audience.is_passing``.
    """
    parts = {
        "pipeline": PIPELINE_VERSION,
        "embedder": embedder.name,
        "chunk": chunk_budget(settings, embedder),
        "title": title,
        "ocr": settings.ocr_languages,
    }
    if settings.anthropic_api_key is not None and not audience.is_passing:
        parts |= {
            "prompt": PROMPT_VERSION,
            "model": settings.context_model,
            "context": settings.context_max_tokens,
            "window": [settings.context_document_tokens, settings.num_start_chunks, settings.num_prev_chunks],
        }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
