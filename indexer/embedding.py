"""Texts to vectors.

``local`` is multilingual-e5-small, 4-bit, in this process: nothing is downloaded, 384 dimensions, ~100 languages;
``language`` takes out of its vectors what tells only the language.
``hashing`` hashes words into 384 dimensions: deterministic on every platform and thousands of times faster, but blind
to meaning; for tests and for benches that do not judge retrieval. ``voyage`` and ``openai`` ask a server: see
``remote_embedding``.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.language import LanguageNeutral, language_directions
from indexer.settings import IndexerSettings

Vectors = NDArray[np.float32]
Progress = Callable[[int], None]

_DIMENSIONS = 384
_WINDOW = 512


class Embedder(Protocol):
    """Turns texts into vectors of length 1, so that a dot product is a cosine."""

    @property
    def name(self) -> str:
        """Which model this is; part of the key under which vectors are kept."""

    @property
    def dimensions(self) -> int: ...

    @property
    def window(self) -> int:
        """Most tokens of a passage, prefix and special tokens included."""

    def count(self, text: str) -> int:
        """Tokens of ``text`` as it is embedded as a passage, prefix and special tokens included.

        Microseconds a token; may be called from any thread, also while others embed.
        """

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """Embed passages: ``(len(texts), dimensions)``, rows in the order of the texts.

        ``progress`` is told how many of the texts are done so far. ``ValueError`` if a text is over the window:
        nothing is embedded past it, and cutting is the caller's business.
        """

    async def query(self, text: str) -> Vectors:
        """Embed a question: ``(dimensions,)``. What is past the window is left out."""

    async def close(self) -> None: ...


def open_embedder(settings: IndexerSettings, kept: KeptEmbeddings | None = None) -> Embedder:
    """The embedder that the settings name. ``SettingsInvalid`` where it cannot run on this machine, or lacks a setting.

    One that is behind an address is not asked yet. What a model makes is kept in ``kept``, if that is given.
    """
    model: Embedder
    if settings.embedder in ("voyage", "openai"):
        from indexer.remote_embedding import open_remote_embedder

        model = open_remote_embedder(settings)
    else:
        from indexer.onnx_embedding import open_local_embedder

        model = HashingEmbedder() if settings.embedder == "hashing" else open_local_embedder()
    if kept is not None:
        model = KeepingEmbedder(model, kept)
    return LanguageNeutral(model, language_directions()) if settings.embedder == "local" else model


def see_that_all_fit(counts: Iterable[int], window: int) -> None:
    """``ValueError`` where a passage has more tokens than the window."""
    if (longest := max(counts, default=0)) > window:
        raise ValueError(f"A passage of {longest} tokens does not fit the embedder's window of {window}.")


def cut_to_window(text: str, window: int, count: Callable[[str], int]) -> str:
    """The longest beginning of ``text`` that fits the window, near enough: found by halving."""
    if count(text) <= window:
        return text
    fits, over = 0, min(len(text), window * 32)
    while over - fits > 1:
        middle = (fits + over) // 2
        if count(text[:middle]) <= window:
            fits = middle
        else:
            over = middle
    return text[:fits]


def slices(counts: Sequence[int], limit: int) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of at most ``limit`` tokens each: ``[3, 3, 5, 9], 6`` → ``(0, 2), (2, 3), (3, 4)``."""
    start = tokens = 0
    for position, count in enumerate(counts):
        if position > start and tokens + count > limit:
            yield start, position
            start, tokens = position, 0
        tokens += count
    if start < len(counts):
        yield start, len(counts)


class HashingEmbedder:
    """Words, and the character trigrams of long ones, hashed into 384 dimensions with a sign each.

    The same text gives the same vector in every process and on every platform; texts that share words are near.
    """

    name = "hashing-384"
    dimensions = _DIMENSIONS
    window = _WINDOW

    _LONG_WORD = 8  # longer ones are also taken apart: compounds, identifiers, scripts written without spaces
    _KNOWN_WORDS = 200_000

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, ...]] = {}

    def count(self, text: str) -> int:
        """An estimate, on the high side for prose: up to four ASCII letters or digits are one, all else one each.

        ``"hello world"`` → 5 for the prefix + ``hell o worl d`` = 9
        """
        return 5 + len(_PIECE.findall(text))

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        see_that_all_fit(map(self.count, texts), self.window)
        parts = [np.empty((0, self.dimensions), dtype=np.float32)]
        for start in range(0, len(texts), 512):
            parts.append(self._embed(texts[start : start + 512]))
            if progress:
                progress(min(start + 512, len(texts)))
            await asyncio.sleep(0)
        return np.concatenate(parts)

    async def query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([text[: self.window * 32]])[0]
        return vector

    async def close(self) -> None:
        self._known.clear()

    def _embed(self, texts: Sequence[str]) -> Vectors:
        features: list[int] = []
        lengths: list[int] = []
        for text in texts:
            before = len(features)
            for word in _WORD.findall(text.casefold()) or [text]:
                features.extend(self._known.get(word) or self._learn(word))
            lengths.append(len(features) - before)
        code = np.asarray(features, dtype=np.int64)
        cell = np.repeat(np.arange(len(texts)), lengths) * self.dimensions + (code >> 1)
        sums = np.bincount(cell, weights=1.0 - 2.0 * (code & 1), minlength=len(texts) * self.dimensions)
        vectors = sums.reshape(len(texts), self.dimensions).astype(np.float32)
        vectors[~vectors.any(axis=1), 0] = 1.0  # signs may cancel out; a vector of zeros has no direction
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _learn(self, word: str) -> tuple[int, ...]:
        """The features of a word: ``dimension * 2 + (1 if its sign is minus)`` each."""
        grams = [word]
        if len(word) > self._LONG_WORD:
            grams += [word[at : at + 3] for at in range(len(word) - 2)]
        codes = tuple(_code(gram) % (2 * self.dimensions) for gram in grams)
        if len(self._known) >= self._KNOWN_WORDS:
            self._known.clear()
        self._known[word] = codes
        return codes


_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"[A-Za-z0-9]{1,4}|\S")


def _code(gram: str) -> int:
    return int.from_bytes(hashlib.blake2b(gram.encode("utf-8", "replace"), digest_size=8).digest(), "big")


class KeptEmbeddings(Protocol):
    """Where vectors are kept, by key."""

    async def get_many(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        """Those of the keys that are known."""

    async def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors; a key that is known already may be written again."""


def embedding_key(model: str, text: str) -> str:
    """The key of a passage's vector: SHA-256 of model and text, in hex."""
    return hashlib.sha256(f"{model}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()


class KeepingEmbedder:
    """An embedder that computes each passage once: kept vectors are used, equal texts are embedded once.

    ``passages(["a", "b", "a"])`` with ``"b"`` kept embeds ``["a"]`` and keeps it. New vectors are kept as they come,
    so that work cut off in the middle is not lost.
    """

    _KEEP_EVERY = 64

    def __init__(self, embedder: Embedder, kept: KeptEmbeddings) -> None:
        self._embedder = embedder
        self._kept = kept
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.window = embedder.window

    def count(self, text: str) -> int:
        return self._embedder.count(text)

    async def query(self, text: str) -> Vectors:
        return await self._embedder.query(text)

    async def close(self) -> None:
        await self._embedder.close()

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        keys = await asyncio.to_thread(lambda: [embedding_key(self.name, text) for text in texts])
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(keys):
            rows.setdefault(key, []).append(row)
        known = dict(await self._kept.get_many(list(rows)))
        missing = [key for key in rows if key not in known]
        done = sum(len(rows[key]) for key in known)
        if progress and done:
            progress(done)
        for start in range(0, len(missing), self._KEEP_EVERY):
            part = missing[start : start + self._KEEP_EVERY]
            told = _told(progress, done, [len(rows[key]) for key in part])
            vectors = await self._embedder.passages([texts[rows[key][0]] for key in part], progress=told)
            fresh = dict(zip(part, vectors, strict=True))
            await self._kept.put_many(fresh)
            known |= fresh
            done += sum(len(rows[key]) for key in part)
        if not keys:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([known[key] for key in keys])


def _told(progress: Progress | None, done: int, sizes: Sequence[int]) -> Progress | None:
    """Turn an embedder's count of distinct texts into a count of all texts, those done before included."""
    if progress is None:
        return None
    report = progress
    return lambda distinct: report(done + sum(sizes[:distinct]))
