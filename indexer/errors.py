"""Every error that the indexer raises, as one tree.

SituateError
 ├─ Refused                   the input cannot be taken; nothing was stored, nothing paid
 │   ├─ SourceRefused         the source cannot be fetched: a private address, a login page, too large, too slow
 │   ├─ ExtractionRefused     the bytes cannot be read: empty, encrypted, corrupt, a scan without OCR, over a limit
 │   └─ NotFound              no such document for this viewer
 ├─ Unavailable               a dependency does not answer; trying again later may work
 │   ├─ WeaviateUnavailable
 │   ├─ ClaudeUnavailable
 │   ├─ ModelUnavailable      the embedder or the reranker behind an address
 │   └─ CatalogueUnavailable
 ├─ StoreFailed               the database refused objects; the version was withdrawn, the old one answers
 └─ SettingsInvalid           a setting is wrong; the message names it
     └─ FileInvalid           a file that was named for a command is wrong; the message names the line

``str(error)`` is one sentence for a person: what is wrong and what to do about it. The cause, where there is one, is
chained (``raise … from cause``) and belongs in logs only.
"""

from __future__ import annotations


class SituateError(Exception):
    """Base of all errors of this project. ``str()`` is one sentence that says what to do."""


class Refused(SituateError):
    """The input cannot be taken. Nothing was stored and nothing was paid for."""


class SourceRefused(Refused):
    """The source cannot be fetched, or must not be."""


class ExtractionRefused(Refused):
    """The bytes cannot be turned into text."""


class NotFound(Refused):
    """No document of that name that this viewer may see."""


class Unavailable(SituateError):
    """A service that is needed does not answer. Trying again later may work."""


class WeaviateUnavailable(Unavailable):
    """The Weaviate server cannot be started or reached."""


class ClaudeUnavailable(Unavailable):
    """The Messages API refused, is overloaded, or cannot be reached.

    ``kind`` names the reason (see ``claude.explain``); ``retryable`` says whether the same call may work later, without
    a person changing something first.
    """

    def __init__(self, message: str, *, kind: str = "unreachable", retryable: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable


class ModelUnavailable(Unavailable):
    """The embedder or the reranker at its address refused, is overloaded, or cannot be reached.

    ``kind`` is one of ``key credit permission model address too_long too_many rate_limited overloaded timeout
    unreachable server request reply dimensions numbers``; ``retryable`` is as with ClaudeUnavailable.
    """

    def __init__(self, message: str, *, kind: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable


class CatalogueUnavailable(Unavailable):
    """The SQL database cannot be opened or written."""


class StoreFailed(SituateError):
    """The database did not take, or did not give back, what it was asked to."""


class SettingsInvalid(SituateError):
    """A setting is missing or wrong."""


class FileInvalid(SettingsInvalid):
    """A file that was named for a command cannot be used: it is missing, or a line of it is wrong."""
