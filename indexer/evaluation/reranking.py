"""The reranker that the settings name, for systems with ``+rerank``."""

from __future__ import annotations

from indexer import reranking
from indexer.evaluation.systems import Reranker
from indexer.settings import IndexerSettings


def open_reranker(settings: IndexerSettings) -> Reranker | None:
    """None where ``RERANKER`` is ``none``. Raises SettingsInvalid.

    Unlike in a search, a reranker that does not answer ends the run: figures without it would be somebody else's.
    """
    return reranking.open_reranker(settings)
