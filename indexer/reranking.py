"""A second ranking: a model that reads question and passage together says how well each answers.

``none`` leaves the hybrid order. ``voyage`` and ``cohere`` ask an API (the second also of other makers: vLLM, Jina,
LiteLLM speak it), ``local`` runs a cross-encoder in this process: see ``cross_encoder``.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from .documents import Hit
from .errors import SettingsInvalid, SituateError
from .model_api import ModelApi, Patience, address_of, indexed
from .settings import IndexerSettings

log = logging.getLogger(__name__)

LONGEST_QUERY = 2_000  # characters: the least limit of a query is 2,000 tokens
REST_SECONDS = 30.0  # how long a reranker is left alone that did not answer

_PATIENCE = (2, 2.0)  # retries and the longest pause before one
_NOTHING = "."  # sent for a text of nothing, which these APIs refuse


class Reranker(Protocol):
    """Judges passages against a question. Safe for concurrent tasks."""

    @property
    def name(self) -> str:
        """Which model this is."""

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite number a text, in their order; higher is better; comparable within one call only.

        Raises ModelUnavailable.
        """

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What one API's requests and answers look like."""

    url: str
    model: str
    results: str
    extra: Mapping[str, Any]


_DIALECTS = {
    "voyage": _Dialect("https://api.voyageai.com/v1", "rerank-2.5", "data", {"truncation": True}),
    "cohere": _Dialect("https://api.cohere.com/v2", "rerank-v3.5", "results", {}),
}


def open_reranker(settings: IndexerSettings) -> Reranker | None:
    """The reranker that the settings name, None for ``none``. Nothing is sent yet. Raises SettingsInvalid.

    A local one is loaded now, which takes seconds.
    """
    if settings.reranker == "none":
        return None
    if settings.reranker == "local":
        from .cross_encoder import CrossEncoder

        if settings.reranker_path is None:
            raise SettingsInvalid("RERANKER=local needs a model: set RERANKER_PATH to the folder of a cross-encoder.")
        return CrossEncoder(settings.reranker_path)
    dialect, key = _DIALECTS[settings.reranker], settings.reranker_api_key
    if key is None and settings.reranker_url is None:
        raise SettingsInvalid(f"RERANKER={settings.reranker} needs a key: set RERANKER_API_KEY.")
    model = settings.reranker_model or dialect.model
    url = address_of(settings.reranker_url or dialect.url, "/rerank")
    api = ModelApi("reranker", "RERANKER", url, model, key)
    return RemoteReranker(f"{settings.reranker}/{model}", api, dialect, model, settings.reranker_seconds)


class RemoteReranker:
    """A ``Reranker`` behind an HTTP API."""

    def __init__(self, name: str, api: ModelApi, dialect: _Dialect, model: str, seconds: float) -> None:
        self.name = name
        self._api = api
        self._dialect = dialect
        self._model = model
        self._patience = Patience(*_PATIENCE, seconds)

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        documents = [sendable(text) for text in texts]
        body = {"model": self._model, "query": sendable(query[:LONGEST_QUERY]), "documents": documents}
        answer = await self._api.post(body | dict(self._dialect.extra), self._patience)
        found = indexed(answer, self._dialect.results, "relevance_score", len(texts))
        if found is None or not all(type(score) in (int, float) for score in found):
            raise self._api.trouble("reply")
        if not all(map(math.isfinite, found)):
            raise self._api.trouble("numbers")
        return [float(score) for score in found]

    async def close(self) -> None:
        await self._api.close()


class SecondRanking:
    """Puts hits into the order of a reranker, and never fails for it.

    Where the reranker is away, or takes longer than ``seconds``, hits stay in the order that they came in. That is
    logged once, when it begins; the reranker is left alone for ``REST_SECONDS`` then, and tried again after them.
    """

    def __init__(self, reranker: Reranker, candidates: int, seconds: float) -> None:
        self.reranker = reranker
        self.candidates = candidates
        self._seconds = seconds
        self._away = False
        self._rests_until = 0.0

    async def ordered(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """All of the hits: the first ``candidates`` by ``Hit.rerank``, which they have then; the others behind them."""
        judged, others = list(hits[: self.candidates]), list(hits[self.candidates :])
        scores = await self._scores(query, judged)
        if scores is None:
            return list(hits)
        best = sorted(range(len(judged)), key=lambda index: (-scores[index], index))
        return [replace(judged[index], rerank=scores[index]) for index in best] + others

    async def _scores(self, query: str, hits: Sequence[Hit]) -> list[float] | None:
        if not hits or time.monotonic() < self._rests_until:
            return None
        try:
            async with asyncio.timeout(self._seconds):
                scores = await self.reranker.scores(query, [judged_text(hit) for hit in hits])
        except TimeoutError:
            self._failed("it did not answer in time; raise RERANKER_SECONDS, or lower RERANK_CANDIDATES")
            return None
        except SituateError as error:
            self._failed(str(error))
            return None
        except Exception:  # noqa: BLE001 - whatever it is, the search has hits without it
            self._failed("it failed unexpectedly", exc_info=True)
            return None
        if self._away:
            log.info("the reranker answers again")
        self._away = False
        return scores

    def _failed(self, why: str, *, exc_info: bool = False) -> None:
        self._rests_until = time.monotonic() + REST_SECONDS
        if not self._away:
            log.warning("searches go without the reranker: %s", why, exc_info=exc_info)
        self._away = True


def judged_text(hit: Hit) -> str:
    """What a reranker reads of a hit: ``context + "\\n" + chunk``, as it was embedded."""
    return f"{hit.context.text}\n{hit.chunk.text}" if hit.context.text else hit.chunk.text


def sendable(text: str) -> str:
    """Without NUL and lone surrogates, and never blank: APIs refuse all of these."""
    clean = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return clean if clean.strip() else _NOTHING
