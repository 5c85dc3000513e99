"""The errors that the stand-in answers with, in the shape of the real ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JSON = dict[str, Any]

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def kind_of(status: int) -> str:
    """The error type that goes with an HTTP status: ``kind_of(529) == "overloaded_error"``."""
    return _KINDS.get(status, "api_error" if status >= 500 else "invalid_request_error")


def error_body(kind: str, message: str, request_id: str | None = None) -> JSON:
    """The body of an error response, also of an ``error`` event (which carries the request id likewise)."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


class ApiError(Exception):
    """A request that the API refuses. ``str(error)`` is the message in the body."""

    def __init__(
        self, message: str, *, status: int = 400, kind: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind or kind_of(status)
        self.headers = dict(headers or {})


def refuse(message: str) -> ApiError:
    """An ``invalid_request_error`` (400), to be raised."""
    return ApiError(message)
