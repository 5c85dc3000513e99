"""Embedders behind an HTTP API: Voyage's, and any that is compatible with OpenAI's ``/embeddings``."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from .embedding import Progress, Vectors, cut_to_window, see_that_all_fit
from .errors import ModelUnavailable, SettingsInvalid
from .model_api import ModelApi, Patience, address_of, indexed
from .settings import IndexerSettings
from .token_estimate import SPECIAL, estimated_tokens

Use = Literal["query", "document"]

VOYAGE_URL = "https://api.voyageai.com/v1"
VOYAGE_MODEL = "voyage-4"
VOYAGE_DIMENSIONS = 1_024
VOYAGE_WINDOW = 8_000  # its models take 16,000 or more; the estimate may be off
OPENAI_WINDOW = 512  # what the smallest models in use take

BATCH_TOKENS = 50_000  # Voyage's least limit of one request is 120,000, OpenAI's is 300,000
VOYAGE_BATCH = 128  # texts; the limit is 1,000
OPENAI_BATCH = 32  # what text-embeddings-inference takes unless it is told otherwise

PASSAGES = (6, 30.0)  # retries and the longest pause before one: half a minute of overload is waited out
QUERY = (1, 1.0)  # somebody waits
QUERY_SECONDS = 10.0

_SHORTEST_CUT = 100  # characters of a question that is cut no further
_NOTHING = "."  # sent for a text of nothing, which these APIs refuse


class Dialect(Protocol):
    """What one API's requests look like."""

    kind: str
    most: int  # texts in a request

    def body(self, model: str, texts: Sequence[str], use: Use, dimensions: int | None) -> dict[str, Any]:
        """The request; ``dimensions`` only where the model must be asked for other ones than its own."""

    def prefix(self, use: Use) -> str:
        """What the model wants to stand before each text."""


class Voyage:
    """``input_type`` says what a text is, so that no prefix is needed. A text that is too long is refused, not cut."""

    kind = "voyage"
    most = VOYAGE_BATCH

    def body(self, model: str, texts: Sequence[str], use: Use, dimensions: int | None) -> dict[str, Any]:
        body: dict[str, Any] = {"model": model, "input": list(texts), "input_type": use, "truncation": False}
        return body if dimensions is None else body | {"output_dimension": dimensions}

    def prefix(self, use: Use) -> str:
        return ""


class OpenAI:
    """``/embeddings`` of OpenAI, Ollama, text-embeddings-inference, vLLM, LM Studio: nothing but what all of them take.

    The API knows no queries and documents; models that do want a prefix: e5 ``query: `` and ``passage: ``.
    """

    kind = "openai"
    most = OPENAI_BATCH

    def __init__(self, query_prefix: str, document_prefix: str) -> None:
        self._prefixes = {"query": query_prefix, "document": document_prefix}

    def body(self, model: str, texts: Sequence[str], use: Use, dimensions: int | None) -> dict[str, Any]:
        body: dict[str, Any] = {"model": model, "input": list(texts)}
        return body if dimensions is None else body | {"dimensions": dimensions}

    def prefix(self, use: Use) -> str:
        return self._prefixes[use]


def open_remote_embedder(settings: IndexerSettings) -> RemoteEmbedder:
    """The embedder at the address that the settings name; nothing is sent yet. Raises SettingsInvalid."""
    url, key, model = settings.embedder_url, settings.embedder_api_key, settings.embedder_model
    dimensions, window = settings.embedder_dimensions, settings.embedder_max_tokens
    dialect: Dialect
    if settings.embedder == "voyage":
        if key is None and url is None:
            raise SettingsInvalid("EMBEDDER=voyage needs a key: set EMBEDDER_API_KEY.")
        dialect = Voyage()
        url, model = url or VOYAGE_URL, model or VOYAGE_MODEL
        dimensions, window = dimensions or VOYAGE_DIMENSIONS, window or VOYAGE_WINDOW
    else:
        for name, value in (("URL", url), ("MODEL", model), ("DIMENSIONS", dimensions)):
            if value is None:
                raise SettingsInvalid(
                    f"EMBEDDER=openai needs an address, a model and its dimensions: set EMBEDDER_{name}."
                )
        dialect = OpenAI(settings.embedder_query_prefix or "", settings.embedder_document_prefix or "")
        window = window or OPENAI_WINDOW
    assert url is not None and model is not None and dimensions is not None  # noqa: S101, PT018 - seen to above
    api = ModelApi("embedder", "EMBEDDER", address_of(url, "/embeddings"), model, key)
    return RemoteEmbedder(api, dialect, model, dimensions, window, settings.embedder_seconds)


class RemoteEmbedder:
    """An ``Embedder`` behind an HTTP API.

    ``name`` has all that decides what a passage's vector is: API, model, dimensions and the passages' prefix; not the
    address, so that a server may move. Vectors are made to be of length 1, and are looked at: of the right dimensions,
    all numbers, not all zero. A model that gives more dimensions than are set is asked for as many as are set.
    """

    def __init__(
        self, api: ModelApi, dialect: Dialect, model: str, dimensions: int, window: int, seconds: float
    ) -> None:
        self._api = api
        self._dialect = dialect
        self._model = model
        self._seconds = seconds
        self._asks = False  # for dimensions that are not the model's own
        self._before = {use: _tokens(dialect.prefix(use)) for use in ("query", "document")}
        prefix = dialect.prefix("document")
        told = f"/{hashlib.sha256(prefix.encode()).hexdigest()[:8]}" if prefix else ""
        self.name = f"{dialect.kind}/{model}/{dimensions}{told}"
        self.dimensions = dimensions
        self.window = window

    def count(self, text: str) -> int:
        """An estimate on the high side, with the prefix: the model's tokenizer is not known here."""
        return self._before["document"] + estimated_tokens(text)

    async def passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        counts = await asyncio.to_thread(lambda: [self.count(text) for text in texts])
        see_that_all_fit(counts, self.window)
        parts = [np.empty((0, self.dimensions), dtype=np.float32)]
        for start, end in _batches(counts, BATCH_TOKENS, self._dialect.most):
            parts.append(await self._embed(texts[start:end], "document", Patience(*PASSAGES, self._seconds)))
            if progress:
                progress(end)
        return np.concatenate(parts)

    async def query(self, text: str) -> Vectors:
        cut = cut_to_window(text, self.window, lambda part: self._before["query"] + estimated_tokens(part))
        patience = Patience(*QUERY, min(self._seconds, QUERY_SECONDS))
        while True:
            try:
                vector: Vectors = (await self._embed([cut], "query", patience))[0]
            except ModelUnavailable as error:
                if error.kind != "too_long" or len(cut) < _SHORTEST_CUT:
                    raise
                cut = cut[: len(cut) // 2]  # the estimate was too low, and what is past the window is left out
            else:
                return vector

    async def close(self) -> None:
        await self._api.close()

    async def _embed(self, texts: Sequence[str], use: Use, patience: Patience) -> Vectors:
        """Embed one batch; in halves where the server takes only less at once."""
        try:
            return await self._ask(texts, use, patience)
        except ModelUnavailable as error:
            if error.kind not in ("too_many", "too_long") or len(texts) == 1:
                raise
        middle = len(texts) // 2
        halves = [await self._embed(part, use, patience) for part in (texts[:middle], texts[middle:])]
        return np.concatenate(halves)

    async def _ask(self, texts: Sequence[str], use: Use, patience: Patience) -> Vectors:
        prefix = self._dialect.prefix(use)
        sent = [(prefix + _clean(text)) if text.strip() else (prefix.strip() or _NOTHING) for text in texts]
        vectors = await self._vectors(sent, use, patience)
        own = vectors.shape[1]
        if own != self.dimensions and not self._asks:
            self._asks = True
            try:
                vectors = await self._vectors(sent, use, patience)
            except ModelUnavailable as error:
                if error.retryable:
                    self._asks = False
                    raise
                raise self._other_dimensions(own) from error
        if vectors.shape[1] != self.dimensions:
            raise self._other_dimensions(own)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._api.trouble("numbers")
        normalised: Vectors = (vectors / lengths).astype(np.float32)
        return normalised

    async def _vectors(self, texts: Sequence[str], use: Use, patience: Patience) -> Vectors:
        """As they come: in the order of the texts, as many, equally long."""
        dimensions = self.dimensions if self._asks else None
        answer = await self._api.post(self._dialect.body(self._model, texts, use, dimensions), patience)
        rows = indexed(answer, "data", "embedding", len(texts))
        if rows is None:
            raise self._api.trouble("reply")
        try:
            return await asyncio.to_thread(_matrix, rows)
        except (ValueError, TypeError) as error:  # ragged, nested, or no numbers
            raise self._api.trouble("numbers" if _has_null(rows) else "reply") from error

    def _other_dimensions(self, given: int) -> ModelUnavailable:
        self._asks = False
        sentence = (
            f"The model '{self._model}' gives vectors of {given} dimensions, not {self.dimensions}: "
            f"set EMBEDDER_DIMENSIONS={given}, or EMBEDDER_MODEL to another."
        )
        return ModelUnavailable(sentence, kind="dimensions")


def _matrix(rows: Sequence[Any]) -> Vectors:
    matrix = np.array(rows, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise ValueError("not rows of numbers")
    return matrix.astype(np.float32)


def _has_null(rows: Sequence[Any]) -> bool:
    return any(isinstance(row, list) and None in row for row in rows)


def _tokens(prefix: str) -> int:
    return estimated_tokens(prefix) - SPECIAL


def _clean(text: str) -> str:
    """Without NUL and lone surrogates, which servers refuse: ``"a\\x00b"`` → ``"a b"``."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _batches(counts: Sequence[int], tokens: int, most: int) -> Iterator[tuple[int, int]]:
    """Ranges in a row of at most ``most`` texts and ``tokens`` tokens: ``[3, 3, 5, 1], 6, 2`` → ``(0, 2), (2, 4)``."""
    start = total = 0
    for position, count in enumerate(counts):
        if position > start and (total + count > tokens or position - start >= most):
            yield start, position
            start, total = position, 0
        total += count
    if start < len(counts):
        yield start, len(counts)
