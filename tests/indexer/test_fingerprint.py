"""What a chunk may be long, and what counts as unchanged."""

from __future__ import annotations

import pytest

from indexer.embedding import HashingEmbedder
from indexer.fingerprint import chunk_budget, fingerprint
from indexer.settings import IndexerSettings


@pytest.mark.parametrize(
    "chosen", [{}, {"context_max_tokens": 20}, {"context_max_tokens": 200}, {"chunk_tokens": 5_000}]
)
def test_a_chunk_and_the_longest_context_fit_the_window_whatever_the_settings(chosen: dict[str, int]) -> None:
    settings = IndexerSettings.model_validate(chosen)
    embedder = HashingEmbedder()
    assert chunk_budget(settings, embedder) + settings.context_max_tokens <= embedder.window


def test_chunk_tokens_makes_chunks_smaller() -> None:
    assert chunk_budget(IndexerSettings.model_validate({"chunk_tokens": 100}), HashingEmbedder()) == 100


@pytest.mark.parametrize("chosen", [{"chunk_tokens": 100}, {"ocr_languages": "fra"}, {"anthropic_api_key": "k"}])
def test_what_changes_chunks_or_contexts_changes_the_fingerprint(chosen: dict[str, object]) -> None:
    plain, other = IndexerSettings.model_validate({}), IndexerSettings.model_validate(chosen)
    embedder = HashingEmbedder()
    assert fingerprint(plain, embedder, None) != fingerprint(other, embedder, None)
    assert fingerprint(plain, embedder, None) == fingerprint(IndexerSettings.model_validate({}), embedder, None)


def test_what_only_shapes_a_search_leaves_the_fingerprint() -> None:
    plain, other = IndexerSettings.model_validate({}), IndexerSettings.model_validate({"search_alpha": 0.1})
    assert fingerprint(plain, HashingEmbedder(), None) == fingerprint(other, HashingEmbedder(), None)
