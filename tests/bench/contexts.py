"""Situating 50 chunks of a 20,000-token document beside the bare SDK making the same calls, and what it costs."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anthropic import AsyncAnthropic

from indexer.context_prompt import context_requests
from indexer.contextualizer import Contextualizer
from indexer.database import Database, database_url
from indexer.documents import Chunk, DocumentId, ExtractedText, Usage, version_id
from indexer.embedding import HashingEmbedder
from indexer.kept import PaidAnswerRows
from indexer.prices import load_prices
from indexer.settings import IndexerSettings
from tests.bench.figures import Figure, Tell, median_ratio, timed
from tests.bench.indexes import bench_settings
from tests.bench.texts import vocabulary
from tests.claude_server import ClaudeServer, Contexts

CHUNKS = 50
CHUNK_BYTES = 1_600  # the stand-in takes four bytes for a token: 400 tokens, 20,000 in all
LATENCY = 0.05
ROUNDS = 9


async def measure(folder: Path, tell: Tell) -> list[Figure]:
    """Wall time, and the price of the input at list price.

    The bare side makes the same requests in the same order: one, then 49 with as many side by side as the setting says.
    The cheapest possible is one cache write of the document, 49 reads of it, and the chunks, without any instruction.
    """
    settings = bench_settings(folder, anthropic_api_key="bench")
    database = await Database.open(database_url(None, folder))
    count = HashingEmbedder().count
    with ClaudeServer(Contexts(), latency=LATENCY) as server:
        async with AsyncAnthropic(api_key="bench", base_url=server.base_url) as client:
            ours, bare, paid = [], [], []
            for number in range(0, 2 * ROUNDS + 2, 2):  # the first two turns warm up
                document = _document(number)
                chunks = _chunks(document)
                account = PaidAnswerRows(database, version_id(DocumentId("bench"), number))
                situating = Contextualizer(client, account, settings, load_prices(), count)
                seconds, result = await timed(situating.contextualize("Bench", document, chunks))
                ours.append(seconds)
                paid.append(_input_price(result.usage, settings) / _cheapest(document, chunks, settings))
                failed = sum(context.failure is not None for context in result.contexts)
                tell(f"contexts: {seconds:.2f} s, {result.cache_misses} cache misses, {failed} failed")
                other = _document(number + 1)
                requests = context_requests("Bench", other, _chunks(other), settings, count)
                seconds, _ = await timed(_bare(client, [each.params for each in requests], settings))
                bare.append(seconds)
    await database.close()
    wall = f"{statistics.median(ours[1:]):.2f} s, bare {statistics.median(bare[1:]):.2f} s; {ROUNDS} turns each"
    dollars = f"${_cheapest(_document(0), _chunks(_document(0)), settings):.5f} is the cheapest possible"
    return [
        Figure(f"contexts of {CHUNKS} chunks, wall", median_ratio(ours[1:], bare[1:]), "×", 1.15, wall),
        Figure("contexts, paid input", statistics.median(paid), "×", 1.05, dollars),
    ]


async def _bare(client: AsyncAnthropic, requests: Sequence[dict[str, Any]], settings: IndexerSettings) -> None:
    side_by_side = asyncio.Semaphore(settings.context_concurrency)

    async def call(params: dict[str, Any]) -> None:
        async with side_by_side:
            await client.messages.create(**params)

    await call(requests[0])
    await asyncio.gather(*(call(params) for params in requests[1:]))


def _document(number: int) -> ExtractedText:
    """Chunks of exactly ``CHUNK_BYTES``, no two documents with a common beginning."""
    words = vocabulary()
    text = f"Document {number}. "
    at = number
    while len(text) < CHUNKS * CHUNK_BYTES:
        text += words[at * at % len(words)] + (". " if at % 12 == 0 else " ")
        at += 1
    return ExtractedText(text[: CHUNKS * CHUNK_BYTES], "text/plain", language="en")


def _chunks(document: ExtractedText) -> list[Chunk]:
    starts = range(0, len(document.text), CHUNK_BYTES)
    return [
        Chunk(position, start, start + CHUNK_BYTES, document.text[start : start + CHUNK_BYTES])
        for position, start in enumerate(starts)
    ]


def _input_price(usage: Usage, settings: IndexerSettings) -> float:
    """Dollars for the input alone; each prompt is far below where prices rise, so the sum is priced as one would be."""
    price = load_prices().of(settings.context_model)
    assert price is not None
    return (
        usage.input_tokens * price.input
        + usage.cache_write_tokens * price.cache_write_5m
        + usage.cache_read_tokens * price.cache_read
    ) / 1e6


def _cheapest(document: ExtractedText, chunks: Sequence[Chunk], settings: IndexerSettings) -> float:
    whole = len(document.text.encode()) // 4
    usage = Usage(
        input_tokens=sum(len(chunk.text.encode()) // 4 for chunk in chunks),
        cache_write_tokens=whole,
        cache_read_tokens=whole * (len(chunks) - 1),
    )
    return _input_price(usage, settings)
