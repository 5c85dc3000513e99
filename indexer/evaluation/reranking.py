"""The reranker that the settings name, for systems with ``+rerank``."""

from __future__ import annotations

from indexer.evaluation.systems import Reranker
from indexer.settings import IndexerSettings


def open_reranker(settings: IndexerSettings) -> Reranker | None:
    """None where ``RERANKER`` is ``none``, which is all that there is yet."""
    return None
