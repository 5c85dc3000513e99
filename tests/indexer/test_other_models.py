"""A whole indexer with an embedder and a reranker behind addresses, and what becomes of documents when they change."""

from __future__ import annotations

import asyncio

import pytest

from indexer.commands.adding import ending, outcome_of
from indexer.commands.common import DONE, INCOMPLETE
from indexer.errors import ModelUnavailable
from indexer.library import Indexer
from tests.fixtures.indexer import EVERYBODY, MakeSettings, added, followed
from tests.model_servers import KEY, Cohere, OpenAICompatible, Voyage

pytestmark = pytest.mark.anyio


async def texts(indexer: Indexer, workspace: str, query: str) -> list[str]:
    return [hit.chunk.text for hit in await indexer.search(workspace, query, EVERYBODY)]


async def test_an_embedder_is_opened_once_by_whoever_asks_first(make_settings: MakeSettings) -> None:
    async with Indexer.open(make_settings()) as indexer:
        first, second = await asyncio.gather(indexer.parts.embedder(), indexer.parts.embedder())
        assert first is second


async def test_documents_of_another_model_of_equal_dimensions_are_not_searched_and_are_made_anew_by_retry(
    make_settings: MakeSettings, workspace: str
) -> None:
    async with Indexer.open(make_settings()) as indexer:
        await added(indexer, workspace, "The office closes at six.")
        assert await texts(indexer, workspace, "office") == ["The office closes at six."]
        assert await indexer.unindexed(workspace) == []
        assert await indexer.retry(workspace) == []
    server = OpenAICompatible(dimensions=384)
    async with server.running() as address:
        other = make_settings(
            embedder="openai",
            embedder_url=f"{address}/v1",
            embedder_api_key=KEY,
            embedder_model="small",
            embedder_dimensions=384,
        )
        async with Indexer.open(other) as indexer:
            assert await texts(indexer, workspace, "office") == []
            assert len(await indexer.unindexed(workspace)) == 1
            (again,) = await indexer.retry(workspace)
            assert (await followed(indexer, again.version)).state == "published"
            assert await texts(indexer, workspace, "office") == ["The office closes at six."]
            assert await indexer.unindexed(workspace) == []
            assert await indexer.retry(workspace) == []


async def test_what_another_process_put_into_the_index_of_its_embedder_is_said_where_it_was_added(
    make_settings: MakeSettings, workspace: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It still runs with the settings of before, and took the work: nothing of it would be found."""
    async with Indexer.open(make_settings()) as before:
        version = await added(before, workspace, "The office closes at six.")
        assert await ending(before, workspace, [outcome_of(version)], as_json=False) == DONE
    server = OpenAICompatible(dimensions=384)
    async with server.running() as address:
        values = {"embedder": "openai", "embedder_url": f"{address}/v1", "embedder_model": "small"}
        async with Indexer.open(make_settings(**values, embedder_api_key=KEY, embedder_dimensions=384)) as now:
            capsys.readouterr()
            assert await ending(now, workspace, [outcome_of(version)], as_json=False) == INCOMPLETE
    told = " ".join(capsys.readouterr().err.split())
    assert "1 document cannot be found here" in told
    assert "then run 'retry'" in told


async def test_a_document_says_why_its_embedder_refused_and_retry_takes_it_once_that_is_mended(
    make_settings: MakeSettings, workspace: str
) -> None:
    server = Voyage()
    server.key = "another"
    async with server.running() as address:
        settings = make_settings(embedder="voyage", embedder_url=f"{address}/v1", embedder_api_key=KEY)
        async with Indexer.open(settings) as indexer:
            failed = await added(indexer, workspace, "The office closes at six.")
            assert (failed.state, failed.error) == ("failed", "The embedder refused the key; check EMBEDDER_API_KEY.")
            server.key = KEY
            (again,) = await indexer.retry(workspace)
            assert (await followed(indexer, again.version)).state == "published"
            assert await texts(indexer, workspace, "office") == ["The office closes at six."]


async def test_a_search_while_the_embedder_is_away_says_so(make_settings: MakeSettings, workspace: str) -> None:
    async with Voyage().running() as address:
        pass
    settings = make_settings(embedder="voyage", embedder_url=f"{address}/v1", embedder_api_key=KEY)
    async with Indexer.open(settings) as indexer:
        with pytest.raises(ModelUnavailable, match="The embedder cannot be reached"):
            await indexer.search(workspace, "office", EVERYBODY)
        assert await indexer.documents(workspace, None) == []


async def test_the_reranker_that_the_settings_name_orders_a_search(
    make_settings: MakeSettings, workspace: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = Cohere()
    async with server.running() as address:
        settings = make_settings(
            reranker="cohere", reranker_url=f"{address}/v2", reranker_api_key=KEY, search_alpha=1.0, search_limit=2
        )
        async with Indexer.open(settings) as indexer:
            assert await indexer.check_reranker() == "cohere/rerank-v3.5"
            for number, text in enumerate(["Lunch is at noon.", "The office closes at six.", "Trains leave hourly."]):
                await added(indexer, workspace, text, source=f"file:///{number}.md")
            hits = await indexer.search(workspace, "office closes", EVERYBODY)
            assert hits[0].chunk.text == "The office closes at six."
            assert hits[0].rerank == 1.0
            assert len(server.requests[-1]["documents"]) == 3
            server.key = "another"
            hits = await indexer.search(workspace, "office closes", EVERYBODY)
            assert [hit.rerank for hit in hits] == [None, None]
            assert "The reranker refused the key; check RERANKER_API_KEY." in caplog.text
            with pytest.raises(ModelUnavailable, match="refused the key"):
                await indexer.check_reranker()


async def test_without_a_reranker_none_is_checked(indexer: Indexer) -> None:
    assert await indexer.check_reranker() is None
    assert await indexer.embedder_name() == "hashing-384"
