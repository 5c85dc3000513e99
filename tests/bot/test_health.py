"""What the doctor says of the models and of the index."""

from __future__ import annotations

import pytest

from bot import health
from bot.health import Check
from indexer import Indexer
from tests.fixtures.indexer import MakeSettings, added
from tests.model_servers import KEY, OpenAICompatible, Voyage

pytestmark = pytest.mark.anyio


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


async def test_the_models_that_are_used_are_named(indexer: Indexer, make_settings: MakeSettings) -> None:
    checks = by_name(await health.search(indexer))
    assert checks["Search"].found.startswith("The embedder (hashing-384) works")
    assert "Reranker" not in checks
    server = Voyage()
    async with server.running() as address:
        values = {"reranker": "voyage", "reranker_url": f"{address}/v1", "reranker_api_key": KEY}
        async with Indexer.open(make_settings(**values)) as library:
            assert by_name(await health.search(library))["Reranker"] == Check(
                "Reranker", True, "The reranker (voyage/rerank-2.5) works."
            )
            server.key = "another"
            assert by_name(await health.search(library))["Reranker"] == Check(
                "Reranker",
                None,
                "The reranker refused the key. Searches go without it.",
                "Check RERANKER_API_KEY.",
            )


async def test_an_embedder_that_is_away_is_told_of(make_settings: MakeSettings) -> None:
    async with Voyage().running() as address:
        pass
    settings = make_settings(embedder="voyage", embedder_url=f"{address}/v1", embedder_api_key=KEY)
    async with Indexer.open(settings) as library:
        check = by_name(await health.search(library))["Search"]
    assert check.ok is False
    assert "The embedder cannot be reached" in check.found


async def test_documents_of_another_embedder_are_told_of(make_settings: MakeSettings, workspace: str) -> None:
    async with Indexer.open(make_settings()) as library:
        await added(library, workspace, "The office closes at six.")
        (check,) = await health.documents(library, workspace)
        assert check.ok is True
    server = OpenAICompatible()
    async with server.running() as address:
        settings = make_settings(
            embedder="openai", embedder_url=f"{address}/v1", embedder_model="small", embedder_dimensions=8
        )
        async with Indexer.open(settings) as library:
            (check,) = await health.documents(library, workspace)
    assert check.ok is None
    assert "1 of them are not in the index of this embedder" in check.found
    assert f"python -m indexer retry --workspace {workspace}" in check.advice
