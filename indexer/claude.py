"""Claude's API, as this project uses it: one way to open it, one place for retries, one sentence for each error.

Retries are the SDK's own (408, 409, 429, ≥ 500, no connection; backoff from half a second). It obeys ``Retry-After``
without a bound, so a hook on the HTTP client marks answers that ask for a longer wait than ours as not to be
retried: the caller learns at once, and is told how long Claude asked to wait, instead of being blocked.
"""

from __future__ import annotations

from typing import Any, Protocol

import httpx2
from anthropic import (
    APIConnectionError,
    APIError,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    AsyncAnthropic,
    DefaultAsyncHttpxClient,
)

from .documents import Usage
from .errors import ClaudeUnavailable
from .prices import Prices, Ttl
from .retry_after import asked_wait, later

CLAUDE_ERRORS = (APIError, httpx2.HTTPError)  # all that a call can raise; a broken stream raises httpx2's own
CONNECT_SECONDS = 10.0
LONGEST_WAIT_SECONDS = 30.0

_KINDS = {  # by ``error.type`` in the body, which also comes in a stream that began with status 200
    "authentication_error": "key",
    "billing_error": "credit",
    "permission_error": "permission",
    "not_found_error": "model",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "overloaded",
    "timeout_error": "timeout",
    "request_too_large": "too_large",
}
_KINDS_BY_STATUS = {
    400: "request",
    401: "key",
    402: "credit",
    403: "permission",
    404: "model",
    408: "timeout",
    413: "too_large",
    429: "rate_limited",
    504: "timeout",
    529: "overloaded",
}
_SENTENCES = {
    "key": "Claude refused the key; check ANTHROPIC_API_KEY.",
    "credit": "The account of ANTHROPIC_API_KEY has no credit left; add credit, then try again.",
    "permission": "The key may not use this model; check ANTHROPIC_API_KEY, CONTEXT_MODEL and ANSWER_MODEL.",
    "model": "Claude knows no such model{model}; check CONTEXT_MODEL and ANSWER_MODEL.",
    "rate_limited": "Claude's rate limit for this key is used up; try again {later}.",
    "overloaded": "Claude is overloaded; try again in a few minutes.",
    "timeout": "Claude did not answer in time; try again, or raise CLAUDE_TIMEOUT_SECONDS.",
    "too_large": "The request is too large for Claude; lower CONTEXT_DOCUMENT_TOKENS.",
    "unreachable": "Claude cannot be reached; check the network and ANTHROPIC_BASE_URL.",
    "cut": "The connection to Claude was cut in the middle of an answer; try again.",
    "server": "Claude has an internal error; try again in a few minutes.",
    "request": "Claude refused the request{detail}.",
    "reply": "What answers at ANTHROPIC_BASE_URL is not Claude's API; check the address.",
}
_SENTENCES_ASKED = {
    "model": "Claude does not know the model that is set here; check ANSWER_MODEL.",
    "permission": "The key may not use this model; check ANTHROPIC_API_KEY and ANSWER_MODEL.",
    "too_large": "The question or the conversation is too long for Claude; ask a shorter one, or begin a new one.",
    "request": "Claude did not accept the request.",
}
_RETRYABLE = frozenset({"rate_limited", "overloaded", "timeout", "unreachable", "cut", "server"})


def open_claude(
    api_key: str,
    base_url: str | None = None,
    timeout_seconds: float = 120.0,
    max_retries: int = 4,
    longest_wait_seconds: float = LONGEST_WAIT_SECONDS,
) -> AsyncAnthropic:
    """A client; close it with ``await client.close()``. Nothing is sent yet, so a wrong key shows at the first call.

    ``timeout_seconds`` bounds the wait for a connection's next byte. A call is tried ``1 + max_retries`` times, unless
    the server asks for a wait of more than ``longest_wait_seconds`` before the next.
    """
    timeout = httpx2.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds))

    async def check(response: httpx2.Response) -> None:
        wait = asked_wait(response.headers)
        if wait is not None and not wait <= longest_wait_seconds:
            response.headers["x-should-retry"] = "false"
        kind = response.headers.get("content-type", "")
        if response.is_success and not kind.startswith(("application/json", "text/event-stream")):
            raise APIResponseValidationError(response, None)  # the SDK would give the page as a string

    http_client = DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [check]})
    return AsyncAnthropic(
        api_key=api_key, base_url=base_url or None, timeout=timeout, max_retries=max_retries, http_client=http_client
    )


def explain(error: Exception, *, asked: bool = False) -> ClaudeUnavailable:
    """One sentence for a person, of any error of a call; chain it: ``raise explain(error) from error``.

    ``asked``: the person asked a question, and may be anybody. The sentence has nothing of Claude's own words then,
    which may tell of requests and places, and advises nothing about indexing.
    The result's ``kind`` is one of ``key credit permission model rate_limited overloaded timeout too_large
    unreachable cut server request reply``; ``retryable`` says whether trying again later may work unchanged.
    """
    if isinstance(error, ClaudeUnavailable):
        return error
    kind = _kind(error)
    model, detail = ("", "") if asked else (_model(error), _detail(error))
    sentences = {**_SENTENCES, **_SENTENCES_ASKED} if asked else _SENTENCES
    sentence = sentences[kind].format(model=model, later=_later(error), detail=detail)
    return ClaudeUnavailable(sentence, kind=kind, retryable=kind in _RETRYABLE)


def _kind(error: Exception) -> str:
    if isinstance(error, APIResponseValidationError):
        return "reply"
    if isinstance(error, APIStatusError):
        if error.type in _KINDS:
            return _KINDS[error.type]
        if error.status_code == 400 and "credit balance" in (error.api_message or ""):
            return "credit"
        if error.status_code == 400 and "prompt is too long" in (error.api_message or ""):
            return "too_large"
        if error.status_code == 404 and error.type is None:
            return "reply"
        return _KINDS_BY_STATUS.get(error.status_code, "server" if error.status_code >= 500 else "request")
    if isinstance(error, APITimeoutError | httpx2.TimeoutException):
        return "timeout"
    if isinstance(error, APIConnectionError | httpx2.ConnectError | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return "unreachable"
    if isinstance(error, httpx2.TransportError):
        return "cut"
    return "reply" if isinstance(error, APIError | httpx2.HTTPError) else "server"


def _model(error: Exception) -> str:
    message = getattr(error, "api_message", None) or ""
    return f" ({message})" if message.startswith("model:") and len(message) < 100 else ""


def _detail(error: Exception) -> str:
    message = " ".join((getattr(error, "api_message", None) or "").split()).rstrip(".")
    return f": {message[:200]}" if message else ""


def _later(error: Exception) -> str:
    return later(asked_wait(error.response.headers) if isinstance(error, APIStatusError) else None)


class UsageCounters(Protocol):
    """The counters of ``message.usage``; in a stream, those of its last event."""

    input_tokens: Any
    output_tokens: Any
    cache_creation_input_tokens: Any
    cache_read_input_tokens: Any


class HasUsage(Protocol):
    """A message, or what has its ``usage`` and ``model``."""

    @property
    def model(self) -> str: ...

    @property
    def usage(self) -> Any: ...  # UsageCounters; the SDK's own types differ between plain and beta messages


def usage_of(message: HasUsage, prices: Prices, ttl: Ttl = "5m") -> Usage:
    """What one call used and cost, from the flat counters of its answer. ``ttl`` is that of its cache writes."""
    counters: UsageCounters = message.usage
    tokens = {
        "input_tokens": int(counters.input_tokens or 0),
        "cache_write_tokens": int(counters.cache_creation_input_tokens or 0),
        "cache_read_tokens": int(counters.cache_read_input_tokens or 0),
        "output_tokens": int(counters.output_tokens or 0),
    }
    cost = prices.cost(str(message.model), ttl=ttl, **tokens)
    return Usage(**tokens, cost_usd=cost)
