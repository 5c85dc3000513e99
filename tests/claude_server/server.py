"""The server: what a test says to it and asks of it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from aiohttp import web

from tests.claude_server.brains import Auto, Brain
from tests.claude_server.endpoints import Endpoints
from tests.claude_server.errors import JSON, ApiError
from tests.claude_server.models import MODELS, Model
from tests.claude_server.prompt_cache import Plan, PromptCache
from tests.claude_server.replies import Fault, Midway, Reply
from tests.claude_server.request import Request
from tests.claude_server.tokens import canonical
from tests.local_server import LocalServer

_MINUTE = 60.0


class ClaudeServer(LocalServer):
    """A strict local Messages API. Start it with ``start()`` or as a context manager; see the package's docstring.

    ``latency``: seconds before the first byte of every answer. ``clock``: seconds, for the prompt cache's ttls and the
    rate limit. ``keys``: the good API keys (None: any). ``tokens_per_minute``: uncached input tokens that are taken in
    a minute before 429s come (None: no limit). ``thinking_tokens``: how much is thought (None: by effort).
    ``chunk_bytes``: cuts what goes on the wire into chunks of so many bytes.
    """

    def __init__(
        self,
        brain: Brain | None = None,
        *,
        latency: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        keys: frozenset[str] | None = None,
        models: Mapping[str, Model] = MODELS,
    ) -> None:
        super().__init__("claude-server")
        self.brain: Brain = brain or Auto()
        self.latency = latency
        self.keys = keys
        self.models = dict(models)
        self.tokens_per_minute: int | None = None
        self.thinking_tokens: int | None = None
        self.pings = True
        self.chunk_bytes: int | None = None
        self.requests: list[Request] = []
        self.mistakes: list[BaseException] = []  # errors of brains and of the server itself
        self.cache = PromptCache(clock)
        self.paused: set[str] = set()
        self.in_flight = 0
        self.most_in_flight = 0  # how many requests for messages were under way at once
        self.expects_violations = False
        self.now = clock
        self._taken: deque[tuple[float, int]] = deque()
        self._script: deque[Reply] = deque()
        self._faults: list[tuple[Fault, int | None]] = []
        self._lock = threading.Lock()

    # What tests say

    def script(self, *replies: Reply) -> None:
        """The next requests get these replies, in the order of their arrival; after them the brain answers again."""
        with self._lock:
            self._script.extend(replies)

    def fail(self, fault: Fault, times: int | None = 1) -> None:
        """The next ``times`` requests meet this fault (None: all, until ``recover()``); scripted replies stay."""
        with self._lock:
            self._faults.append((fault, times))

    def recover(self) -> None:
        """No faults any more."""
        with self._lock:
            self._faults.clear()

    def minimum_prefix(self, model: str, tokens: int) -> None:
        """Let a model cache prefixes from so many tokens on."""
        self.models[model] = replace(self.models[model], minimum_prefix=tokens)

    def expect_violations(self) -> None:
        """This test sends what is refused on purpose: the fixture's teardown lets it pass."""
        self.expects_violations = True

    # What tests ask

    @property
    def base_url(self) -> str:
        """What goes into ``ANTHROPIC_BASE_URL``."""
        return self.url

    @property
    def messages(self) -> list[Request]:
        """The requests for messages only, refused ones too, in the order of their arrival."""
        return [request for request in self.requests if request.path == "/v1/messages"]

    async def until(self, true: Callable[[], bool], seconds: float = 10.0) -> None:
        """Wait until something has come true of this server; ``AssertionError`` if it does not."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, "what was waited for did not happen"
            await asyncio.sleep(0.005)

    async def arrived(self, count: int) -> None:
        """Wait until so many requests for messages have arrived, answered or not."""
        await self.until(lambda: len(self.messages) >= count)

    @property
    def violations(self) -> list[str]:
        """What validation refused: ``"/v1/messages: max_tokens: Field required"``."""
        return [f"{request.path}: {request.refusal}" for request in self.requests if request.refusal]

    @property
    def spent(self) -> dict[str, int]:
        """Tokens of all answers: ``input``, ``written`` to the cache, ``read`` from it, ``output``."""
        names = {
            "input": "input_tokens",
            "written": "cache_creation_input_tokens",
            "read": "cache_read_input_tokens",
            "output": "output_tokens",
        }
        usages = [request.usage for request in self.requests if request.usage]
        return {name: sum(usage[field] for usage in usages) for name, field in names.items()}

    @property
    def unused(self) -> tuple[Reply, ...]:
        """Scripted replies that nobody came for."""
        return tuple(self._script)

    # What the endpoints ask

    def application(self) -> web.Application:
        return Endpoints(self).application()

    def next_reply(self, request: Request) -> Reply:
        """The reply to a request: a fault that is due, else what is scripted, else what the brain says."""
        with self._lock:
            fault = self._due()
            if self._script:
                return self._script.popleft() if fault is None else self._script[0].but(fault=fault)
        if fault is not None and not isinstance(fault, Midway):
            return Reply(fault=fault)
        reply = self.brain(request)
        return reply if fault is None else reply.but(fault=fault)

    def _due(self) -> Fault | None:
        if not self._faults:
            return None
        fault, times = self._faults[0]
        if times is not None:
            self._faults[0] = (fault, times - 1)
            if times <= 1:
                del self._faults[0]
        return fault

    def limit(self, plan: Plan) -> None:
        """Count a request's tokens against the rate limit; what is read from the cache does not count."""
        if self.tokens_per_minute is None:
            return
        now = self.now()
        while self._taken and self._taken[0][0] <= now - _MINUTE:
            self._taken.popleft()
        wanted = plan.total - plan.read_tokens
        if sum(size for _, size in self._taken) + wanted > self.tokens_per_minute:
            wait = self._taken[0][0] + _MINUTE - now if self._taken else _MINUTE
            raise ApiError(
                f"This request would exceed your organization's rate limit of {self.tokens_per_minute:,} input tokens "
                "per minute.",
                status=429,
                headers={"retry-after": f"{max(1.0, wait):.0f}", "anthropic-ratelimit-input-tokens-remaining": "0"},
            )
        self._taken.append((now, wanted))

    def remember(self, message: JSON) -> None:
        """A paused turn may be sent back as the last turn, and only as it was."""
        if message["stop_reason"] == "pause_turn":
            self.paused.add(canonical(message["content"]))
