"""What an original is, found out before it is added: its title, its passages, what its contexts may cost."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from .chunking import chunk
from .documents import Audience, Chunk, DocumentId, ExtractedText, Original, content_hash, document_id
from .embedding import Embedder
from .extraction import extract
from .fingerprint import chunk_budget
from .likeness import Signature, signature_of
from .paid_answers import PaidAnswer
from .prices import Prices, load_prices
from .settings import IndexerSettings

if TYPE_CHECKING:
    from .context_prompt import ContextRequest

KEPT_SECONDS = 600.0  # for as long as somebody may think about whether to go on
KEPT_READINGS = 4
KEPT_CHARACTERS = 20_000_000
_THOUGHT_TOKENS = 500  # what a model that thinks may think about one passage: a guess, and a high one

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Examined:
    """What is known of an original that was not added yet.

    ``title`` is the one it would have, ``chunks`` the number of its passages, ``estimate_usd`` what its contexts may
    cost in US dollars. ``signature`` tells texts that are nearly the same (see ``likeness``). ``document`` is the id it
    would have: adding replaces the document of that id, if there is one.
    """

    title: str
    chunks: int
    estimate_usd: float
    signature: Signature
    document: DocumentId | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """An original as it was read: its text and the chunks of it."""

    extracted: ExtractedText
    chunks: tuple[Chunk, ...]
    signature: Signature


class Readings:
    """Reads originals. What was read to be examined is kept for some minutes, so that adding it need not read again."""

    def __init__(self, settings: IndexerSettings, embedder: Embedder) -> None:
        self._settings = settings
        self._embedder = embedder
        self._kept: OrderedDict[tuple[str, str, str | None], tuple[float, Reading]] = OrderedDict()

    async def kept(self, original: Original) -> Reading:
        """Read an original, and keep what was read. Raises Refused."""
        key = await _key(original)
        reading = self._take(key) or await self._read(original)
        self._kept[key] = (time.monotonic() + KEPT_SECONDS, reading)
        self._drop()
        return reading

    async def taken(self, original: Original) -> Reading:
        """Read an original, or take what was kept of it: it is not kept any longer. Raises Refused."""
        return self._take(await _key(original)) or await self._read(original)

    def _take(self, key: tuple[str, str, str | None]) -> Reading | None:
        self._drop()
        found = self._kept.pop(key, None)
        return found[1] if found is not None else None

    def _drop(self) -> None:
        """Let go of what is old, and of the oldest where there is too much."""
        now = time.monotonic()
        for key in [key for key, (until, _) in self._kept.items() if until < now]:
            del self._kept[key]
        while len(self._kept) > KEPT_READINGS or self._characters() > KEPT_CHARACTERS:
            self._kept.popitem(last=False)

    def _characters(self) -> int:
        return sum(len(reading.extracted.text) for _, reading in self._kept.values())

    async def _read(self, original: Original) -> Reading:
        extracted = await extract(original, self._settings)
        budget = chunk_budget(self._settings, self._embedder)
        chunks = await asyncio.to_thread(chunk, extracted, budget=budget, count=self._embedder.count)
        return Reading(extracted, chunks, await asyncio.to_thread(signature_of, extracted.text))


async def _key(original: Original) -> tuple[str, str, str | None]:
    """What decides how an original is read: its bytes, and the hints that its name and its sender give."""
    sha256 = await asyncio.to_thread(content_hash, original.data)
    return sha256, original.name, original.declared_type


def title_of(given: str | None, extracted: ExtractedText, name: str) -> str:
    """A document's title: the one it was given, else its own, else its file's name without the ending."""
    return given or extracted.title or PurePath(name).stem or name


class Paid(Protocol):
    """Where paid answers are found."""

    async def get_many(self, request_hashes: Collection[str]) -> Mapping[str, PaidAnswer]:
        """Those that were paid, by request hash."""


async def examine(
    readings: Readings,
    paid: Paid,
    settings: IndexerSettings,
    count: Count,
    original: Original,
    *,
    workspace: str,
    audience: Audience,
    title: str | None,
) -> Examined:
    """See ``Indexer.examine``."""
    reading = await readings.kept(original)
    shown = title_of(title, reading.extracted, original.name)
    cost = 0.0
    if settings.anthropic_api_key is not None and not audience.is_passing and len(reading.chunks) > 1:
        cost = await contexts_cost(shown, reading.extracted, reading.chunks, paid, settings, count)
    document = document_id(workspace, audience, original.source)
    return Examined(shown, len(reading.chunks), cost, reading.signature, document)


async def contexts_cost(
    title: str, extracted: ExtractedText, chunks: Sequence[Chunk], paid: Paid, settings: IndexerSettings, count: Count
) -> float:
    """What the contexts of a document may cost that were not paid yet, in US dollars; see ``planned_cost``."""
    from .context_prompt import context_requests
    from .contextualizer import usable

    requests = await asyncio.to_thread(context_requests, title, extracted, chunks, settings, count)
    answers = await paid.get_many({request.request_hash for request in requests})
    there = {key for key, answer in answers.items() if usable(answer.text, answer.stop_reason)}
    missing = [request for request in requests if request.request_hash not in there]
    prices = load_prices(settings.prices_file)
    return await asyncio.to_thread(planned_cost, missing, settings, prices, count)


def planned_cost(requests: Sequence[ContextRequest], settings: IndexerSettings, prices: Prices, count: Count) -> float:
    """What the calls for these requests may cost in US dollars; 0.0 for a model without a known price.

    What a request shares with an earlier one is read from Claude's cache, what is new of the shared part is written
    into it, the rest is input; every answer is taken to be as long as a context may be. Tokens are the embedder's, of
    long texts those of a sample.

    Three requests that share 2,000 tokens with 100 each of their own, at 0.10 input, 0.125 write, 0.01 read and 0.50
    output dollars a million: 2,000 written, 2 × 2,000 read, 3 × 100 input, 3 × 100 output are 0.00047 dollars.
    """
    sizes: dict[str, int] = {}

    def size(text: str) -> int:
        if text not in sizes:
            sizes[text] = _about(text, count)
        return sizes[text]

    written: set[tuple[str, ...]] = set()
    cost = 0.0
    for request in requests:
        *shared, own = (block["text"] for block in request.params["messages"][0]["content"])
        fresh, read, write = size(own), 0, 0
        parts = [request.params["system"], *shared]
        for end, part in enumerate(parts, start=1):
            if not request.is_cached:
                fresh += size(part)
            elif tuple(parts[:end]) in written:
                read += size(part)
            else:
                write += size(part)
                written.add(tuple(parts[:end]))
        cost += prices.cost(
            settings.context_model,
            input_tokens=fresh,
            cache_write_tokens=write,
            cache_read_tokens=read,
            output_tokens=settings.context_max_tokens + (0 if "thinking" in request.params else _THOUGHT_TOKENS),
            ttl=settings.context_cache_ttl,
        )
    return cost


def _about(text: str, count: Count) -> int:
    """About how many tokens a text has: of a long one some slices are counted, since counting takes time."""
    slices, length = (4, 250) if len(text) < 50_000 else (40, 500)
    if len(text) <= slices * length:
        return count(text)
    step = len(text) // slices
    sample = "".join(text[start : start + length] for start in range(0, slices * step, step))
    return round(count(sample) * len(text) / len(sample))
