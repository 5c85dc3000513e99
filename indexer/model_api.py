"""A model behind an HTTP API, an embedder or a reranker: one way to ask it, one place for retries, a sentence for each
error.

What the server says is looked at to tell errors apart and is never repeated: it may hold a text of ours, and its words
are not for everybody who searches.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import SecretStr

from .errors import ModelUnavailable
from .retry_after import asked_wait, later

_CONNECT_SECONDS = 10.0
_PAUSE_SECONDS = 0.5  # before the second try; each further one waits twice as long
_LONGEST_PAUSE_SECONDS = 8.0

_KINDS = {
    400: "request",
    401: "key",
    402: "credit",
    403: "permission",
    404: "address",
    405: "address",
    408: "timeout",
    413: "too_many",
    422: "request",
    424: "server",  # text-embeddings-inference, where its own engine failed
    429: "rate_limited",
    498: "key",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
_RETRYABLE = frozenset({"rate_limited", "overloaded", "timeout", "unreachable", "server"})
_TOO_LONG = re.compile(
    r"context (length|window|size)|maximum context|input length|must have less than \d+ tokens|too (long|many tokens)"
    r"|exceeds? .{0,40}\btokens?\b|reduce the length",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"batch size|tokens? (per|in the) (submitted )?batch|per request|array too long|length limit exceeded"
    r"|at most \d+ (items|inputs|documents)",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model.{0,120}(not found|not exist|not supported|unknown|invalid)|(unknown|invalid|no such) model", re.IGNORECASE
)
_CREDIT = re.compile(r"insufficient_quota|exceeded your current quota|credit balance", re.IGNORECASE)
_NUMBERS = re.compile(r"\bnan\b", re.IGNORECASE)

_SENTENCES = {
    "key": "The {what} refused the key; check {prefix}_API_KEY.",
    "no_key": "The {what} wants a key; set {prefix}_API_KEY.",
    "credit": "The account of {prefix}_API_KEY has no credit left; add credit, then try again.",
    "permission": "The {what} does not serve this key or this network; check {prefix}_API_KEY and {prefix}_MODEL.",
    "model": "The {what}'s server knows no model '{model}'; check {prefix}_MODEL.",
    "address": "Nothing at {prefix}_URL takes texts for the {what}; check the address.",
    "too_long": "A text is too long for the {what}'s model; lower {prefix}_MAX_TOKENS.",
    "too_many": "The {what} takes fewer or shorter texts at once than are sent; raise what its server takes.",
    "rate_limited": "The {what}'s rate limit is used up; try again {later}.",
    "overloaded": "The {what} is overloaded; try again {later}.",
    "timeout": "The {what} did not answer in time; try again, or raise {prefix}_SECONDS.",
    "unreachable": "The {what} cannot be reached; check that it runs, and the network and {prefix}_URL.",
    "server": "The {what} has an internal error; try again, or see its log.",
    "request": "The {what} refused the request (status {status}); check the settings that begin with {prefix}.",
    "reply": "What answers at {prefix}_URL does not answer as the {what}'s API does; check the address.",
    "numbers": "The {what} gave numbers that cannot be used; use another model, or see its server's log.",
}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a caller waits: tries after the first, the longest pause before one, seconds for each answer."""

    retries: int
    longest_wait: float
    seconds: float


class ModelApi:
    """Posts to one address. The connection is opened when it is first used; end it with ``close``.

    ``what`` and ``prefix`` are how people know it: ``embedder`` and ``EMBEDDER`` (of its settings).
    """

    def __init__(self, what: str, prefix: str, url: str, model: str, key: SecretStr | None) -> None:
        self._what = what
        self._prefix = prefix
        self._url = url
        self._model = model
        self._key = key
        self._client: httpx.AsyncClient | None = None

    async def post(self, body: Mapping[str, Any], patience: Patience) -> dict[str, Any]:
        """The answer, an object. Raises ModelUnavailable once ``patience`` is at its end."""
        content = json.dumps(body, allow_nan=False).encode()
        for attempt in range(patience.retries + 1):
            wait: float | None = None
            cause: Exception | None = None
            status = 0
            try:
                response = await self._send(content, patience.seconds)
            except httpx.TimeoutException as error:
                kind, cause = "timeout", error
            except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
                kind, cause = "unreachable", error
            else:
                if response.is_success:
                    return self._object(response)
                kind = kind_of(response)
                wait, status = asked_wait(response.headers), response.status_code
            pause = wait if wait is not None and wait >= 0 else _pause(attempt)
            if kind not in _RETRYABLE or attempt == patience.retries or not pause <= patience.longest_wait:
                raise self.trouble(kind, status=status, wait=wait) from cause
            await asyncio.sleep(pause)
        raise AssertionError("not reached")

    def trouble(self, kind: str, *, status: int = 0, wait: float | None = None) -> ModelUnavailable:
        """The error of a kind, with its sentence."""
        named = "no_key" if kind == "key" and self._key is None else kind
        sentence = _SENTENCES[named].format(
            what=self._what, prefix=self._prefix, model=self._model, status=status, later=later(wait)
        )
        return ModelUnavailable(sentence, kind=kind, retryable=kind in _RETRYABLE)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _send(self, content: bytes, seconds: float) -> httpx.Response:
        if self._client is None:
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if self._key is not None:
                headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
            self._client = httpx.AsyncClient(headers=headers)
        timeout = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
        return await self._client.post(self._url, content=content, timeout=timeout)

    def _object(self, response: httpx.Response) -> dict[str, Any]:
        try:
            answer = response.json()
        except ValueError as error:
            raise self.trouble("reply") from error
        if not isinstance(answer, dict):
            raise self.trouble("reply")
        return answer


def address_of(url: str, path: str) -> str:
    """``http://localhost:11434/v1`` and ``/embeddings`` → what is posted to, also where ``url`` ends so already."""
    return url.rstrip("/").removesuffix(path) + path


def indexed(answer: Mapping[str, Any], field: str, value: str, count: int) -> list[Any] | None:
    """The values of a list of ``{"index": 1, value: …}``, by index; None where it is not one of each of ``count``.

    >>> indexed({"data": [{"index": 1, "score": 0.2}, {"index": 0, "score": 0.7}]}, "data", "score", 2)
    [0.7, 0.2]
    """
    items = answer.get(field)
    if not isinstance(items, list) or not all(isinstance(item, dict) and value in item for item in items):
        return None
    by_index = {item["index"]: item[value] for item in items if type(item.get("index")) is int}
    if len(items) != count or by_index.keys() != set(range(count)):
        return None
    return [by_index[index] for index in range(count)]


def kind_of(response: httpx.Response) -> str:
    """What kind of refusal an answer is, by its status and by what is known of servers' words."""
    status, said = response.status_code, _said(response)
    if status in (401, 498):
        return "key"
    if status == 402 or (status in (403, 429) and _CREDIT.search(said)):
        return "credit"
    if status in (400, 404, 413, 422, 500):
        for kind, pattern in (("too_many", _TOO_MANY), ("too_long", _TOO_LONG), ("model", _MODEL)):
            if pattern.search(said):
                return kind
        if status == 500 and _NUMBERS.search(said):
            return "numbers"
    if 300 <= status < 400:
        return "address"
    return _KINDS.get(status, "server" if status >= 500 else "request")


def _said(response: httpx.Response) -> str:
    """A server's own words: ``{"error": {"message": …}}``, ``{"error": …}``, ``{"detail": …}``, ``{"message": …}``."""
    try:
        body = response.json()
    except ValueError:
        return response.text[:2_000]
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    if not isinstance(body, dict):
        return ""
    told = (body.get(name) for name in ("message", "error", "detail", "code", "type"))
    return " ".join(str(each)[:2_000] for each in told if each)


def _pause(attempt: int) -> float:
    return min(_PAUSE_SECONDS * float(2**attempt), _LONGEST_PAUSE_SECONDS) * random.uniform(0.75, 1)  # noqa: S311 - no secret
