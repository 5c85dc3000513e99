"""The passages in Weaviate: written by document version, found by hybrid search, deleted and counted.

One collection, a tenant a workspace. Its name carries the number of its shape, the vectors' dimensions and a hash of
the model's name (``Passage_v2_d384_1f0e3dad``): another shape or another model gets a collection of its own beside the
old one, so nothing is ever read as what it is not. What is published is made anew for it (see ``refilling``). Whether
an existing one really has the shape is checked on connecting.
"""

from __future__ import annotations

from indexer.store.collection import TOKENIZATION, VECTORS
from indexer.store.passages import Store
from indexer.store.query import LONGEST_QUERY, HybridQuery, Scored, searchable

__all__ = ["LONGEST_QUERY", "TOKENIZATION", "VECTORS", "HybridQuery", "Scored", "Store", "searchable"]
