"""A paid answer: what Claude wrote for a request and what it cost, kept so that nobody pays for it twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from .documents import Usage


@dataclass(frozen=True, slots=True)
class PaidAnswer:
    """An answer of Claude's, as it came, and what it cost."""

    text: str
    stop_reason: str
    usage: Usage
    model: str


class PaidAnswers(Protocol):
    """Where paid answers are kept, by request hash."""

    async def get_many(self, request_hashes: Collection[str]) -> Mapping[str, PaidAnswer]:
        """Those that were paid, by request hash; the others are left out."""

    async def put(self, request_hash: str, answer: PaidAnswer) -> None: ...

    async def lost(self, usage: Usage) -> None:
        """Count what an answer cost of which nothing is kept."""

    async def refusal(self) -> str | None:
        """Why nothing more may be paid now, in a sentence for a person; None while it may. Asked before each call."""
