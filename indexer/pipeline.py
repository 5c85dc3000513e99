"""The path of a document, stage by stage: read, situate, store, publish, tidy. Knows nothing of the queue that runs it.

Every stage may run again after a crash, in another process: what it needs it finds or makes anew. Reading is
deterministic, contexts are found among the paid answers, embeddings among the kept ones, chunks have ids of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from .catalogue import Catalogue
from .documents import Audience, Chunk, ContextKind, Document, DocumentId, ExtractedText, Original, Passage, VersionId
from .embedding import Embedder
from .errors import SituateError, StoreFailed
from .examining import Readings, title_of
from .kept import PaidAnswerRows
from .originals import Originals
from .progress import reported
from .rows import Version, split
from .store import Store
from .structural import Contextualized, StructuralContextualizer
from .tidying import tidy
from .twins import Sketches

if TYPE_CHECKING:  # it loads Claude's client, which takes seconds; without a key nobody needs it
    from .contextualizer import Contextualizer


WANTED_SECONDS = 1.0  # how often a long stage looks whether its document was removed

T = TypeVar("T")


class Withdrawn(SituateError):
    """The document was removed; nobody waits for this version any more."""


@dataclass(slots=True)
class Work:
    """What the stages hand to each other while one process runs them."""

    extracted: ExtractedText
    chunks: tuple[Chunk, ...]
    contextualized: Contextualized | None = None


class Pipeline:
    """The stages, over the parts that they use. Each takes a version's id and raises errors of ``errors`` only."""

    def __init__(
        self,
        readings: Readings,
        catalogue: Catalogue,
        sketches: Sketches,
        originals: Originals,
        store: Callable[[], Store],
        embedder: Embedder,
        contextualizer: Callable[[PaidAnswerRows, Audience], Contextualizer | StructuralContextualizer],
        account: Callable[[VersionId, bool], PaidAnswerRows],
    ) -> None:
        self._readings = readings
        self._sketches = sketches
        self._catalogue = catalogue
        self._originals = originals
        self._store = store
        self._embedder = embedder
        self._contextualizer = contextualizer
        self._account = account
        self._work: dict[VersionId, Work] = {}

    async def start(self, version: VersionId) -> bool:
        """Whether this version is still wanted; if so it is ``running`` from now on."""
        return await self._catalogue.take(version)

    async def read(self, version: VersionId) -> int:
        """Extract and chunk. Returns the number of chunks. Raises Refused."""
        await self._catalogue.update(version, stage="reading", done=0, total=0)
        row = await self._row(version)
        work = await self._while_wanted(version, self._read(row))
        extracted = work.extracted
        await self._catalogue.update(
            version,
            title=title_of(row.given_title, extracted, row.name),
            date=extracted.date or row.source_date,
            language=extracted.language,
            media_type=extracted.media_type,
            warnings=list(extracted.warnings),
            chunks=len(work.chunks),
        )
        return len(work.chunks)

    async def situate(self, version: VersionId, paying: bool = True) -> int:
        """Have every chunk situated; without ``paying`` by what was paid before. Returns how many could not be had."""
        row = await self._row(version)
        work = self._work.get(version) or await self._read(row)
        account = self._account(version, paying)
        paid_before = await account.total()  # by a run that crashed
        async with reported(self._catalogue, version, "situating", len(work.chunks)) as progress:
            contextualizer = self._contextualizer(account, row.audience)
            result = await self._while_wanted(
                version,
                contextualizer.contextualize(row.title, work.extracted, work.chunks, progress=progress),
            )
        work.contextualized = result
        failures = {str(i): context.failure for i, context in enumerate(result.contexts) if context.failure}
        generated = any(context.kind is ContextKind.GENERATED for context in result.contexts)
        await self._catalogue.update(
            version,
            failures=failures,
            context_kind=ContextKind.GENERATED if generated else ContextKind.STRUCTURAL,
            cache_misses=result.cache_misses,
            usage=paid_before + result.usage,
        )
        return len(failures)

    async def store(self, version: VersionId, paying: bool = True) -> None:
        """Embed, store, and read back the count. Raises StoreFailed and Unavailable."""
        work = self._work.get(version)
        if work is None or work.contextualized is None:
            await self.situate(version, paying)
            work = self._work[version]
        assert work.contextualized is not None  # noqa: S101 - situate has just set it; this tells the type checker
        row = await self._row(version)
        pairs = zip(work.chunks, work.contextualized.contexts, strict=True)
        passages = [Passage(chunk, context) for chunk, context in pairs]
        texts = [passage.text for passage in passages] + [passage.situation for passage in passages]
        async with reported(self._catalogue, version, "embedding", len(passages)) as progress:
            embedding = self._embedder.passages(texts, progress=lambda done: progress(min(done, len(passages))))
            vectors = await self._while_wanted(version, embedding)
        count = len(passages)
        await self._catalogue.update(version, stored=True)
        if await self._store().count(row.workspace, version):  # of a run that died, or of a catalogue that was lost
            await self._store().delete(row.workspace, version)
        async with reported(self._catalogue, version, "storing", count) as progress:
            by_name = {"passage": vectors[:count], "context": vectors[count:]}
            await self._store().put(_document(row), version, passages, by_name, progress=progress)
        found = await self._store().count(row.workspace, version)
        if found != count:
            raise StoreFailed(f"Weaviate kept {found} of the {count} passages; check its log and its disk, then retry.")

    async def publish(self, version: VersionId) -> bool:
        """Let this version answer from now on, unless a newer one does. Returns whether it does."""
        return await self._catalogue.publish(version)

    async def give_up(self, version: VersionId, state: str, reason: str) -> None:
        """Record why a version will not answer: ``refused`` or ``failed``. What was published goes on answering."""
        row = await self._catalogue.version(version)
        if row is None:
            return
        if state == "refused":
            await self._catalogue.unless_used(row.sha256, self._originals.drop, besides=version)
        if row.state != "withdrawn":
            await self._catalogue.update(version, state=state, stage="", error=reason)

    async def finish(self, version: VersionId) -> None:
        """The last stage, whatever happened: a withdrawn version is let go, and leftovers are tidied away."""
        self._work.pop(version, None)
        await self._catalogue.let_go(version)
        await self.tidy(split(version)[0])

    async def tidy(self, document: DocumentId) -> None:
        """See ``tidying.tidy``."""
        await tidy(document, self._catalogue, self._originals, self._store())

    async def _row(self, version: VersionId) -> Version:
        row = await self._catalogue.version(version)
        if row is None or row.state == "withdrawn":
            raise Withdrawn("The document was removed while it was being indexed.")
        return row

    async def _while_wanted(self, version: VersionId, work: Coroutine[Any, Any, T]) -> T:
        """The result of ``work``, which is cancelled as soon as the document is removed: nobody pays for it further."""

        async def until_withdrawn() -> None:
            while True:
                await asyncio.sleep(WANTED_SECONDS)
                await self._row(version)

        working, watching = asyncio.create_task(work), asyncio.create_task(until_withdrawn())
        try:
            await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                await watching  # raises
            return await working
        finally:
            for task in (working, watching):
                task.cancel()
            await asyncio.gather(working, watching, return_exceptions=True)

    async def _read(self, row: Version) -> Work:
        data = await self._originals.get(row.sha256)
        original = Original(row.source, data, row.name, row.url, row.source_date, row.declared_type)
        reading = await self._readings.taken(original)
        await self._sketches.put(row.id, reading.signature)
        work = Work(reading.extracted, reading.chunks)
        self._work[row.id] = work
        return work


def _document(row: Version) -> Document:
    return replace(
        Document(row.document, row.workspace, row.audience, row.source, row.title),
        version=row.id,
        url=row.url,
        date=row.date,
        language=row.language,
        media_type=row.media_type,
    )
