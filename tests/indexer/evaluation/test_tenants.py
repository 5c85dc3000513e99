"""The workspaces of a run are gone when it is over, however it ends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from indexer.documents import WORKSPACE, Chunk, Context, ContextKind, Document, DocumentId, Passage, VersionId
from indexer.evaluation.tenants import temporary_workspaces
from indexer.locks import FileLock
from indexer.store import Store
from tests.fixtures.weaviate import DIMENSIONS

pytestmark = pytest.mark.anyio


async def fill(store: Store, workspace: str) -> None:
    passage = Passage(Chunk(0, 0, 4, "text"), Context("", ContextKind.STRUCTURAL))
    document = Document(DocumentId("d"), workspace, WORKSPACE, "text:d", "D")
    vectors = np.ones((1, DIMENSIONS), np.float32)
    await store.put(document, VersionId("d.1"), [passage], {"passage": vectors, "context": vectors})


async def test_a_run_has_workspaces_that_are_gone_afterwards(store: Store, tmp_path: Path) -> None:
    async with temporary_workspaces(store, tmp_path / "evaluation") as names:
        for variant in ("plain", "contextual"):
            await fill(store, names(variant))
        during = await store.workspaces()
        assert {names("plain"), names("contextual")} <= set(during)
    left = await store.workspaces()
    assert not {names("plain"), names("contextual")} & set(left)
    assert list((tmp_path / "evaluation").glob("*.run")) == []


async def test_a_run_that_is_cancelled_or_fails_leaves_nothing(store: Store, tmp_path: Path) -> None:
    seen: list[str] = []

    async def run(seconds: float, error: Exception | None = None) -> None:
        async with temporary_workspaces(store, tmp_path) as names:
            seen.append(names("plain"))
            await fill(store, names("plain"))
            started.set()
            await asyncio.sleep(seconds)
            if error is not None:
                raise error

    started = asyncio.Event()
    task = asyncio.create_task(run(60))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ZeroDivisionError):
        await run(0, ZeroDivisionError())
    assert len(seen) == 2
    assert not set(seen) & set(await store.workspaces())


async def test_what_a_killed_run_left_is_dropped_by_the_next_and_a_living_run_is_let_be(
    store: Store, tmp_path: Path
) -> None:
    killed, alive = "evaluation-20990101000000-aaaaaa", "evaluation-20990101000000-bbbbbb"
    other_machine, old = "evaluation-20990101000000-cccccc", "evaluation-20200101000000-dddddd"
    mine = "evaluation-of-ours"
    for run in (killed, alive, other_machine, old):
        await fill(store, f"{run}-plain")
    await fill(store, mine)
    (tmp_path / f"{killed}.run").touch()
    lock = FileLock(tmp_path / f"{alive}.run")
    assert lock.own()
    async with temporary_workspaces(store, tmp_path):
        left = set(await store.workspaces())
    lock.close()
    assert f"{killed}-plain" not in left
    assert f"{old}-plain" not in left
    assert {f"{alive}-plain", f"{other_machine}-plain", mine} <= left
    for workspace in (f"{alive}-plain", f"{other_machine}-plain", mine):
        await store.drop(workspace)
