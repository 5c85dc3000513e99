"""Documents, chunks, contexts and search. Knows nothing of Slack.

What is named here is public: ``bot`` imports these names and nothing else.
"""

from __future__ import annotations

from .claude import explain, open_claude, usage_of
from .documents import (
    LOCAL_WORKSPACE,
    WORKSPACE,
    Audience,
    Chunk,
    Context,
    ContextKind,
    Document,
    DocumentId,
    Hit,
    Original,
    Passage,
    Usage,
    VersionId,
    Viewer,
)
from .errors import (
    CatalogueUnavailable,
    ClaudeUnavailable,
    NotFound,
    Refused,
    SettingsInvalid,
    SituateError,
    StoreFailed,
    Unavailable,
    WeaviateUnavailable,
)
from .library import Added, Indexer
from .prices import Prices, load_prices
from .sentences import sentences
from .settings import IndexerSettings

__all__ = [
    "LOCAL_WORKSPACE",
    "WORKSPACE",
    "Added",
    "Audience",
    "CatalogueUnavailable",
    "Chunk",
    "ClaudeUnavailable",
    "Context",
    "ContextKind",
    "Document",
    "DocumentId",
    "Hit",
    "Indexer",
    "IndexerSettings",
    "NotFound",
    "Original",
    "Passage",
    "Prices",
    "Refused",
    "SettingsInvalid",
    "SituateError",
    "StoreFailed",
    "Unavailable",
    "Usage",
    "VersionId",
    "Viewer",
    "WeaviateUnavailable",
    "explain",
    "load_prices",
    "open_claude",
    "sentences",
    "usage_of",
]
