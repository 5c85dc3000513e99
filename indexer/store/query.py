"""A search as the database is asked it: what is looked for, how, and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import FilterReturn

from indexer.documents import Audience, DocumentId, VersionId
from indexer.terms import question_terms

LONGEST_QUERY = 4_000  # characters of a question's terms; more are cut: BM25's work grows with each of them


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """A search. ``audiences`` and ``excluded_versions`` are part of the query: the server never gives anything else.

    ``alpha`` is 0 for keywords only, 1 for vectors only. ``weights`` are of the named vectors (``passage``,
    ``context``); a weight of 0 leaves the vector out. ``properties`` (``title``, ``context``, ``text``) are searched by
    BM25, boosts as in ``context^2``.
    ``documents`` limits the search to these; None is all. ``explain`` fills ``Hit.scores``.
    """

    workspace: str
    text: str
    vector: NDArray[np.float32]
    audiences: frozenset[Audience]
    limit: int
    offset: int = 0
    alpha: float = 0.6
    fusion: Literal["relative_score", "ranked"] = "relative_score"
    weights: Mapping[str, float] = field(default_factory=lambda: {"passage": 0.8, "context": 0.2})
    excluded_versions: frozenset[VersionId] = frozenset()
    documents: frozenset[DocumentId] | None = None
    properties: Sequence[str] = ("title", "context", "text")
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage as one side of a search found it; ``score`` is that side's own, higher is better."""

    document: DocumentId
    version: VersionId
    position: int
    audience: Audience
    score: float

    @property
    def key(self) -> str:
        """As ``Hit.key``."""
        return f"{self.version}#{self.position}"


SCORED_PROPERTIES = ["document", "version", "position", "audience"]


def searchable(text: str) -> str:
    """The terms of a question as BM25 is asked for them, at most ``LONGEST_QUERY`` characters; "" where there are none.

    >>> searchable("Was INC-2023 closed?")
    'inc 2023 close closed inc-2023'
    """
    asked = " ".join(question_terms(text[: 2 * LONGEST_QUERY]))
    return asked if len(asked) <= LONGEST_QUERY else asked[:LONGEST_QUERY].rpartition(" ")[0]


def searched(properties: Sequence[str]) -> list[str]:
    """The properties of an object in which BM25 looks: ``["context^2"]`` → ``["context_terms^2"]``."""
    return [f"{name}_terms{sign}{boost}" for name, sign, boost in (each.partition("^") for each in properties)]


def visible(query: HybridQuery) -> FilterReturn:
    """The filter: what its audiences may read, without the versions and documents that it leaves out."""
    shown: FilterReturn = Filter.by_property("audience").contains_any(sorted(map(str, query.audiences)))
    if query.excluded_versions:
        shown &= Filter.by_property("version").contains_none(sorted(query.excluded_versions))
    if query.documents is not None:
        shown &= Filter.by_property("document").contains_any(sorted(query.documents))
    return shown
