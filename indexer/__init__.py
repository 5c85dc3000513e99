"""Documents, chunks, contexts and search. Knows nothing of Slack.

What is named here is public: ``bot`` imports these names and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .documents import (
    EVERYONE,
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
from .prices import Prices, load_prices
from .reading.sanitising import visible
from .running import log_to, run_to_end, unexpected
from .sentences import sentences
from .settings import IndexerSettings
from .titles import closest_titles, titled

if TYPE_CHECKING:
    from .adding import Added
    from .claude import explain, open_claude, usage_of
    from .database import Database
    from .examining import Examined
    from .explaining import Standing, Why
    from .leases import Leases, new_executor_id
    from .library import Indexer
    from .likeness import words_of
    from .rows import Version
    from .sources import fetch_link
    from .twins import Alike

__version__ = "0.1.0"

__all__ = [
    "EVERYONE",
    "LOCAL_WORKSPACE",
    "WORKSPACE",
    "Added",
    "Alike",
    "Audience",
    "CatalogueUnavailable",
    "Chunk",
    "ClaudeUnavailable",
    "Context",
    "ContextKind",
    "Database",
    "Document",
    "DocumentId",
    "Examined",
    "Hit",
    "Indexer",
    "IndexerSettings",
    "Leases",
    "NotFound",
    "Original",
    "Passage",
    "Prices",
    "Refused",
    "SettingsInvalid",
    "SituateError",
    "Standing",
    "StoreFailed",
    "Unavailable",
    "Usage",
    "Version",
    "VersionId",
    "Viewer",
    "WeaviateUnavailable",
    "Why",
    "closest_titles",
    "explain",
    "fetch_link",
    "load_prices",
    "log_to",
    "new_executor_id",
    "open_claude",
    "run_to_end",
    "sentences",
    "titled",
    "unexpected",
    "usage_of",
    "visible",
    "words_of",
]

# These take a second to load, so they are loaded when somebody asks for them.
_LATE = {
    "Added": "adding",
    "Alike": "twins",
    "Database": "database",
    "Examined": "examining",
    "Indexer": "library",
    "Leases": "leases",
    "Standing": "explaining",
    "Version": "rows",
    "Why": "explaining",
    "explain": "claude",
    "fetch_link": "sources",
    "new_executor_id": "leases",
    "open_claude": "claude",
    "usage_of": "claude",
    "words_of": "likeness",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LATE[name]}", __name__), name)
