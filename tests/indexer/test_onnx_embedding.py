"""The embedder by ONNX Runtime, beside the engine whose weights it takes. What every embedder promises is tested in
``test_embedding``."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from indexer import onnx_embedding
from indexer.local_embedding import LocalEmbedder
from indexer.onnx_embedding import OnnxEmbedder, open_local_embedder, threads

pytestmark = pytest.mark.anyio

TEXTS = [
    "The incident was closed in May; its cause was a misconfigured router.",
    "Le budget de l'année prochaine n'est pas encore décidé.",
    "Die Temperatur im Kühlraum muss unter vier Grad bleiben, siehe Prüfprotokoll 2023/07.",
    "会議は木曜日の十時に変更されました。参加者は会議室に集まってください。",
    "¿Cuánto tiempo se conservan las copias de seguridad?",
    "def mean(values: list[float]) -> float:\n    return sum(values) / len(values) if values else 0.0\n",
    "| Q1 | 12,400 € | +3 % |\n| Q2 | 11,900 € | −4 % |",
    "QUARTERLY REVENUE ROSE BY 3 PERCENT " * 30,
    "x",
    "",
]


@pytest.fixture(scope="module")
def fast() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.fixture(scope="module")
def engine() -> LocalEmbedder:
    return LocalEmbedder()


async def test_its_vectors_are_those_of_the_engine_but_for_rounding(fast: OnnxEmbedder, engine: LocalEmbedder) -> None:
    for ours, theirs in (
        (await fast.passages(TEXTS), await engine.passages(TEXTS)),
        (np.stack([await fast.query(text) for text in TEXTS]), np.stack([await engine.query(text) for text in TEXTS])),
    ):
        cosines = np.sum(ours * theirs, axis=1)
        assert cosines.min() > 0.9995


def test_its_name_is_the_engines() -> None:
    """Vectors that one made are found by the other: an upgrade, or another machine, computes nothing anew."""
    assert OnnxEmbedder.name == LocalEmbedder.name


def test_it_counts_as_the_engine_does(fast: OnnxEmbedder, engine: LocalEmbedder) -> None:
    assert [fast.count(text) for text in TEXTS] == [engine.count(text) for text in TEXTS]


async def test_a_vector_does_not_hang_on_the_texts_beside_it(fast: OnnxEmbedder) -> None:
    together = await fast.passages(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.array_equal((await fast.passages([text]))[0], vector)


@pytest.mark.parametrize(
    ("bound", "expected"), [("", 4), ("1", 1), ("3,2", 3), ("64", 4), ("0", 4), ("many", 4), ("-1", 4)]
)
def test_threads_are_the_processors_that_may_be_used_bounded_by_the_setting(
    monkeypatch: pytest.MonkeyPatch, bound: str, expected: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 5, 7}, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", bound)
    assert threads() == expected


async def test_without_the_runtime_the_engine_is_used_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with caplog.at_level(logging.WARNING):
        embedder = open_local_embedder()
    assert isinstance(embedder, LocalEmbedder)
    assert "slower" in caplog.text
    await embedder.close()


async def test_with_a_file_of_another_form_the_engine_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(b"E5S1 of a later version")
    monkeypatch.setattr(onnx_embedding, "packaged", lambda: tmp_path / "weights.bin")
    embedder = open_local_embedder()
    assert isinstance(embedder, LocalEmbedder)
    await embedder.close()


async def test_with_a_model_that_the_runtime_refuses_the_engine_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_embedding, "onnx_model", lambda _: b"not a model")
    embedder = open_local_embedder()
    assert isinstance(embedder, LocalEmbedder)
    await embedder.close()
