"""The prompt cache: exact prefixes, written when a response begins, read with 20 blocks of look-back.

The prefix runs over tools, then system, then messages. Each block's key is a hash of all blocks up to it, so one
changed character before a breakpoint is a miss. In messages the keys also depend on ``thinking`` and ``tool_choice``.

Worked example, minimum 1,024 tokens: a system block A of 900 tokens with a breakpoint, a user block B of 3,000 tokens
with a breakpoint, a user block C of 100 tokens. First call: A is below the minimum and is not written by itself; A+B
is: creation 3,900, read 0, input 100. Second call with another C while the first has not begun: the same. A third
after the first has begun: creation 0, read 3,900, input 100.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.claude_server.errors import JSON
from tests.claude_server.models import Model
from tests.claude_server.request import as_blocks, turns_of
from tests.claude_server.tokens import block_tokens, canonical, tokens

LOOK_BACK = 20
TTL_SECONDS = {"5m": 300.0, "1h": 3_600.0}


@dataclass(frozen=True, slots=True)
class Prefix:
    """The prompt up to and including one block: its hash, its tokens, the ttl of a breakpoint that stands there."""

    key: str
    tokens: int
    breakpoint: str | None


@dataclass(slots=True)
class _Entry:
    ttl: str
    expires: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What a request reads and would write, settled on its arrival; ``writes`` are (key, ttl)."""

    input_tokens: int
    read_tokens: int
    written: dict[str, int]
    reads: tuple[str, ...] = ()
    writes: tuple[tuple[str, str], ...] = ()

    @property
    def total(self) -> int:
        return self.input_tokens + self.read_tokens + sum(self.written.values())

    def usage(self) -> JSON:
        """The input side of ``usage``."""
        return {
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": sum(self.written.values()),
            "cache_read_input_tokens": self.read_tokens,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.written.get("5m", 0),
                "ephemeral_1h_input_tokens": self.written.get("1h", 0),
            },
        }


def prefixes(body: JSON) -> list[Prefix]:
    """The prompt as prefixes, one a block, shortest first."""
    found: list[Prefix] = []
    key, count = str(body.get("model")), 0

    def add(where: str, block: JSON, size: int) -> None:
        nonlocal key, count
        key = hashlib.sha256(f"{key}\0{where}\0{canonical(block)}".encode("utf-8", "surrogatepass")).hexdigest()
        count += size
        found.append(Prefix(key, count, _ttl(block)))

    for tool in body.get("tools") or []:
        add("tool", tool, tokens(canonical(tool)))
    for block in as_blocks(body.get("system") or []):
        add("system", block, block_tokens(block))
    settings = canonical([body.get("thinking"), body.get("tool_choice")])
    for number, turn in enumerate(turns_of(body["messages"])):
        for block in turn["content"]:
            add(f"{number} {turn['role']} {settings}", block, block_tokens(block))
    if body.get("cache_control") and found:
        last = found[-1]
        found[-1] = Prefix(last.key, last.tokens, last.breakpoint or _ttl(body))
    return found


def _ttl(block: JSON) -> str | None:
    """The ttl of the breakpoint on a block; one inside its content counts as standing at the block's end."""
    mark = block.get("cache_control")
    if mark:
        return str(mark.get("ttl") or "5m")
    inner = block.get("content")
    marks = [ttl for part in inner if (ttl := _ttl(part))] if isinstance(inner, list) else []
    return marks[-1] if marks else None


class PromptCache:
    """The entries of one server. ``clock`` gives seconds; tests may pass their own."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._entries: dict[str, _Entry] = {}

    def plan(self, body: JSON, model: Model) -> Plan:
        """Look the prompt up, without writing anything yet."""
        prompt = prefixes(body)
        marks = [at for at, prefix in enumerate(prompt) if prefix.breakpoint and prefix.tokens >= model.minimum_prefix]
        hits = [hit for at in marks if (hit := self._look_back(prompt, at)) is not None]
        read = max(hits, default=-1)
        start = prompt[read].tokens if read >= 0 else 0
        written: dict[str, int] = {}
        writes: list[tuple[str, str]] = []
        done = start
        for at in marks:
            ttl = prompt[at].breakpoint or "5m"
            if at <= read:
                continue
            written[ttl] = written.get(ttl, 0) + prompt[at].tokens - done
            done = prompt[at].tokens
            writes.append((prompt[at].key, ttl))
        total = prompt[-1].tokens if prompt else 0
        reads = tuple(prompt[hit].key for hit in sorted(set(hits)))
        return Plan(total - done, start, written, reads, tuple(writes))

    def begin(self, plan: Plan) -> None:
        """The response begins: from now on the plan's entries exist, and those it read live on."""
        now = self._clock()
        for key in plan.reads:
            if (entry := self._entries.get(key)) is not None:
                entry.expires = now + TTL_SECONDS[entry.ttl]
        for key, ttl in plan.writes:
            self._entries[key] = _Entry(ttl, now + TTL_SECONDS[ttl])

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def _look_back(self, prompt: list[Prefix], at: int) -> int | None:
        now = self._clock()
        for place in range(at, max(-1, at - LOOK_BACK), -1):
            entry = self._entries.get(prompt[place].key)
            if entry is not None and entry.expires > now:
                return place
        return None
