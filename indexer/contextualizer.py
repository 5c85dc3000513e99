"""Has Claude situate every chunk of a document: one call warms the cache, the rest run side by side.

An answer is paid for once: it is kept under the hash of its request before it is used, and found again by a retry, a
restart after a crash, or the same document added again. What cannot be had leaves a structural context with the
reason, and the others go on; where going on is useless (a wrong key, no such model, nobody there, failure after
failure) or nothing more may be paid (the day's cap), the rest fail with the same reason at once, without a call.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anthropic import AsyncAnthropic
from anthropic.types import Message

from .chunking import cut_at_sentence
from .claude import CLAUDE_ERRORS, explain, usage_of
from .context_prompt import PROMPT_VERSION, ContextRequest, context_requests
from .documents import Chunk, Context, ContextKind, ExtractedText, Usage
from .errors import ClaudeUnavailable
from .paid_answers import PaidAnswer, PaidAnswers
from .prices import Prices
from .sentences import sentences
from .settings import IndexerSettings
from .structural import Contextualized, structural_context, structural_contexts

__all__ = [
    "PROMPT_VERSION",
    "Contextualized",
    "Contextualizer",
    "PaidAnswer",
    "PaidAnswers",
    "structural_context",
]

log = logging.getLogger(__name__)

_FAILURES_IN_A_ROW = 5  # after so many the rest is not tried
_STOPS_AT_ONCE = frozenset({"key", "credit", "permission", "model", "reply", "unreachable"})

REFUSED = "Claude refused to situate this passage."
EMPTY = "Claude gave an empty context."
CUT_OFF = "Claude's context was cut off before its first sentence ended."
BROKEN_OFF = "Claude's answer broke off."

_TAG = re.compile(r"</?(?:context|chunk_context|document|chunk|answer|response)\b[^>]*>", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"\A(?:sure[,!.]?\s*|certainly[,!.]?\s*)?(?:here(?: is|['’]s)\b[^:\n]{0,60}\bcontext\b[^:\n]{0,60}:|"
    r"\W*(?:succinct |short )?context\W*:\W*\s)\s*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "'": "'", "`": "`", "„": "“", "「": "」"}
_ENDED = re.compile(r"[.!?…。！？؟।][\"'”’»)\]」]*\Z")


class Contextualizer:
    """Situates chunks. ``client`` None means that there is no key: contexts are structural."""

    def __init__(
        self,
        client: AsyncAnthropic | None,
        paid: PaidAnswers,
        settings: IndexerSettings,
        prices: Prices,
        count: Callable[[str], int],
    ) -> None:
        self._client = client
        self._paid = paid
        self._settings = settings
        self._prices = prices
        self._count = count

    async def contextualize(
        self,
        title: str,
        extracted: ExtractedText,
        chunks: Sequence[Chunk],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> Contextualized:
        """Situate the chunks of a document. Never raises for what Claude does; see ``Context.failure``.

        A document of one chunk needs no context from Claude. ``progress`` is told how many contexts there are so far.
        Cancelling it cancels the calls under way; what was answered stays kept.
        """
        structural = structural_contexts(title, chunks, self._settings.context_max_tokens, self._count)
        if self._client is None or len(chunks) <= 1:
            if progress:
                progress(len(chunks))
            return Contextualized(tuple(structural))
        requests = await asyncio.to_thread(context_requests, title, extracted, chunks, self._settings, self._count)
        run = _Run(self._client, self._paid, self._settings, self._prices, progress or (lambda _: None))
        await run.all(requests)
        contexts = tuple(
            self._context(run.texts[i], extracted.language)
            if i in run.texts
            else Context(structural[i].text, ContextKind.STRUCTURAL, run.failures[i])
            for i in range(len(chunks))
        )
        if run.cache_misses:
            log.warning("%d of %d contexts were paid without Claude's cache.", run.cache_misses, run.calls)
        return Contextualized(contexts, run.usage, run.calls, run.reused, run.cache_misses)

    def _context(self, text: str, language: str | None) -> Context:
        limit = self._settings.context_max_tokens
        return Context(cut_at_sentence(text, limit, self._count, language), ContextKind.GENERATED)


@dataclass(slots=True)
class _Run:
    """One document's calls. Indices are those of the requests."""

    client: AsyncAnthropic
    paid: PaidAnswers
    settings: IndexerSettings
    prices: Prices
    progress: Callable[[int], None]
    texts: dict[int, str] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    reused: int = 0
    cache_misses: int = 0
    stopped: str | None = None  # why no more calls are made
    failed_in_a_row: int = 0
    writing: set[asyncio.Task[None]] = field(default_factory=set)

    async def all(self, requests: Sequence[ContextRequest]) -> None:
        """Find what was paid before; warm the cache with one call; make the other calls side by side."""
        pending: deque[tuple[int, ContextRequest]] = deque()
        paid = await self.paid.get_many({request.request_hash for request in requests})
        for i, request in enumerate(requests):
            answer = paid.get(request.request_hash)
            text = usable(answer.text, answer.stop_reason) if answer else ""
            if text:
                self.reused += 1
                self._have(i, text)
            else:
                pending.append((i, request))
        await self._warm_up(pending)
        workers = [
            asyncio.create_task(self._work(pending))
            for _ in range(min(len(pending), self.settings.context_concurrency))
        ]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            written = await asyncio.gather(*self.writing, return_exceptions=True)
        for failure in written:
            if isinstance(failure, BaseException):
                raise failure

    async def _warm_up(self, pending: deque[tuple[int, ContextRequest]]) -> None:
        """Call for the first chunk that shares most, until one call succeeds: from then on the others can read."""
        most = max((request.shared for _, request in pending), default=0)
        warm = False
        while not warm and len(pending) > 1:
            first = next((item for item in pending if item[1].shared == most), pending[0])
            if not first[1].is_cached:
                return
            pending.remove(first)
            warm = await self._call(*first, should_read=False)

    async def _work(self, pending: deque[tuple[int, ContextRequest]]) -> None:
        while pending:
            i, request = pending.popleft()
            await self._call(i, request, should_read=request.is_cached)

    async def _call(self, i: int, request: ContextRequest, *, should_read: bool) -> bool:
        """One call and what becomes of it. Returns whether Claude answered at all."""
        for written in [task for task in self.writing if task.done()]:
            self.writing.discard(written)
            written.result()  # what cannot be kept is not paid for
        self.stopped = self.stopped or await self.paid.refusal()
        if self.stopped is not None:
            self._lack(i, self.stopped)
            return False
        try:
            message = await self.client.messages.create(**request.params)
        except CLAUDE_ERRORS as error:
            self._failed(i, explain(error))
            return False
        self.failed_in_a_row = 0
        self.calls += 1
        usage = usage_of(message, self.prices, self.settings.context_cache_ttl)
        self.usage += usage
        self.cache_misses += should_read and usage.cache_read_tokens == 0
        answer = PaidAnswer(_text(message), message.stop_reason or "", usage, str(message.model))
        text = usable(answer.text, answer.stop_reason)
        if text:
            # Written while the next call is under way, and before any of it is used; also where this is cancelled
            # meanwhile: it was paid for.
            self.writing.add(asyncio.create_task(self.paid.put(request.request_hash, answer)))
            self._have(i, text)
        else:
            self.writing.add(asyncio.create_task(self.paid.lost(usage)))
            self._lack(i, _why_not(answer))
        return True

    def _failed(self, i: int, error: ClaudeUnavailable) -> None:
        self._lack(i, str(error))
        self.failed_in_a_row += 1
        if error.kind in _STOPS_AT_ONCE or self.failed_in_a_row >= _FAILURES_IN_A_ROW:
            self.stopped = str(error)

    def _have(self, i: int, text: str) -> None:
        self.texts[i] = text
        self.progress(len(self.texts) + len(self.failures))

    def _lack(self, i: int, reason: str) -> None:
        self.failures[i] = reason
        self.progress(len(self.texts) + len(self.failures))


def _text(message: Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def usable(text: str, stop_reason: str) -> str:
    """The context in an answer, without the wrapping that models add; empty where there is none that can be used.

    Of an answer that was cut at ``max_tokens`` the whole sentences are used.

    >>> usable('Here is the context: "From the annual review."', "end_turn")
    'From the annual review.'
    >>> usable("From the annual review. It was", "max_tokens")
    'From the annual review.'
    """
    if stop_reason not in ("end_turn", "stop_sequence", "max_tokens"):
        return ""
    clean = " ".join(_TAG.sub(" ", text).split())
    clean = _PREAMBLE.sub("", clean).strip("*_# ")
    if len(clean) > 1 and _QUOTES.get(clean[0]) == clean[-1] and clean[-1] not in clean[1:-1]:
        clean = clean[1:-1].strip()
    if stop_reason == "max_tokens":
        whole = sentences(clean, None)
        if whole and not _ENDED.search(whole[-1].strip()):
            whole.pop()
        clean = "".join(whole).strip()
    return clean if any(character.isalnum() for character in clean) else ""


def _why_not(answer: PaidAnswer) -> str:
    if answer.stop_reason == "refusal":
        return REFUSED
    if answer.stop_reason == "max_tokens" and answer.text.strip():
        return CUT_OFF
    return EMPTY if answer.stop_reason in ("end_turn", "stop_sequence", "max_tokens") else BROKEN_OFF
