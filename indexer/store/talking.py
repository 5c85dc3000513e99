"""Bounds every call to the database in time and turns the client's errors into ours."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from weaviate.exceptions import ResponseCannotBeDecodedError, WeaviateBaseError

from indexer.errors import SituateError, StoreFailed, WeaviateUnavailable

WRITE_PATIENCE = 4  # a write may take so many times as long as a query

# The client logs refused objects whole, with their text, and every retry: ours is said in our own errors.
logging.getLogger("weaviate-client").setLevel(logging.CRITICAL)


@asynccontextmanager
async def nothing_without_tenant() -> AsyncIterator[None]:
    """Leave the block quietly where the tenant does not exist."""
    try:
        yield
    except WeaviateBaseError as error:
        if not re.search(r"tenant (with name \S+ )?(does )?not (found|exist)", str(error), re.IGNORECASE):
            raise


@asynccontextmanager
async def talking(
    seconds: float, problem: str = "The database does not answer", *, advice: str = "see that the server runs"
) -> AsyncIterator[None]:
    """Bounds a call in time and turns the client's errors into ours. The client itself retries what was not taken."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except (TimeoutError, httpx.HTTPError, OSError) as error:
        raise WeaviateUnavailable(f"{problem}: {advice}, then try again.") from error
    except WeaviateBaseError as error:
        raise _explained(error, problem, advice) from error


def _explained(error: WeaviateBaseError, problem: str, advice: str) -> SituateError:
    code, details = _grpc_status(error)
    text = f"{type(error).__name__} {error}"
    if code == "UNAUTHENTICATED" or re.search(r"\b401\b|Unauthenticated|AuthenticationFailed", text):
        return WeaviateUnavailable("Weaviate refuses the key: set WEAVIATE_API_KEY to one that it takes.")
    if code in ("UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "UNIMPLEMENTED") or re.search(
        r"WeaviateConnection|WeaviateTimeout|WeaviateStartUp|GRPCUnavailable|UNAVAILABLE|ClosedClient", text
    ):
        return WeaviateUnavailable(f"{problem}: {advice}, then try again.")
    if isinstance(error, ResponseCannotBeDecodedError):
        return WeaviateUnavailable("What answers is not Weaviate: see WEAVIATE_URL.")
    reason = details or str(error)
    return StoreFailed(f"The database refused ({short(reason)}): {remedy(reason)}.")


def _grpc_status(error: BaseException) -> tuple[str, str]:
    """Name and details of the gRPC status behind the client's error, which keeps it as its cause or context only."""
    cause: BaseException | None = error
    while cause is not None:
        code, details = getattr(cause, "code", None), getattr(cause, "details", None)
        if callable(code) and callable(details):
            return str(getattr(code(), "name", "")), str(details() or "")
        cause = cause.__cause__ or cause.__context__
    return "", ""


def remedy(reason: str) -> str:
    """What to do about a refusal. The server goes read-only when its disk is nearly full."""
    if re.search(r"read-?only", reason, re.IGNORECASE):
        return "see that its disk has room and is writable, restart it, then try again"
    return "try again, or see the server's log"


def short(text: str) -> str:
    """One line, not too long, of what a server said."""
    return " ".join(text.split())[:300]
