"""Passages in the real Weaviate server: written whole or not at all, found by whom they are for, deleted for good."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest
from aiohttp import web
from numpy.typing import NDArray

from indexer.documents import (
    WORKSPACE,
    Audience,
    Chunk,
    Context,
    ContextKind,
    Document,
    Passage,
    Place,
    document_id,
    version_id,
)
from indexer.errors import SettingsInvalid, StoreFailed, WeaviateUnavailable
from indexer.processes import end_process
from indexer.settings import IndexerSettings
from indexer.store import LONGEST_QUERY, VECTORS, HybridQuery, Store, passages, searchable
from indexer.store.collection import CANDIDATES, RESCORED, collection_name
from indexer.weaviate_launch import free_ports
from indexer.weaviate_server import Endpoint, weaviate_server
from tests.fixtures.weaviate import DIMENSIONS

pytestmark = pytest.mark.anyio


def unit(*seeds: object, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    """A unit vector for each seed, always the same."""
    rows = []
    for seed in seeds:
        number = int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8])
        row = np.random.default_rng(number).normal(size=dimensions)
        rows.append(row / np.linalg.norm(row))
    return np.array(rows, dtype=np.float32).reshape(len(seeds), dimensions)


def vectors_of(texts: Sequence[str], dimensions: int = DIMENSIONS) -> dict[str, NDArray[np.float32]]:
    return {name: unit(*((name, text) for text in texts), dimensions=dimensions) for name in ("passage", "context")}


def document_of(workspace: str, source: str = "s", audience: Audience = WORKSPACE) -> Document:
    return Document(document_id(workspace, audience, source), workspace, audience, source, f"Title of {source}")


def passages_of(texts: Sequence[str], context: str = "") -> list[Passage]:
    found, start = [], 0
    for position, text in enumerate(texts):
        chunk = Chunk(position, start, start + len(text), text)
        found.append(Passage(chunk, Context(context, ContextKind.STRUCTURAL)))
        start += len(text)
    return found


async def add(
    store: Store, workspace: str, *texts: str, source: str = "s", audience: Audience = WORKSPACE, number: int = 1
) -> Document:
    document = document_of(workspace, source, audience)
    await store.put(document, version_id(document.id, number), passages_of(texts), vectors_of(texts))
    return document


def asking(workspace: str, text: str = "", **others: Any) -> HybridQuery:
    settings: dict[str, Any] = {
        "vector": unit("a question")[0],
        "audiences": frozenset({WORKSPACE}),
        "limit": 10,
        "alpha": 0.0,
        **others,
    }
    return HybridQuery(workspace, text, **settings)


async def texts(store: Store, query: HybridQuery) -> list[str]:
    return [hit.chunk.text for hit in await store.hybrid(query)]


# Writing and reading back


async def test_everything_of_a_passage_comes_back(store: Store, workspace: str) -> None:
    document = dataclasses.replace(
        document_of(workspace, "file:///a.pdf", Audience("channel", "C123")),
        title="Revue annuelle « 2023 »",
        url="https://example.org/a.pdf",
        date=datetime(2023, 4, 11, 12, 30, tzinfo=UTC),
        language="fr",
    )
    version = version_id(document.id, 7)
    written = [
        Passage(
            Chunk(
                0,
                10,
                26,
                "L’incident\0 clos\n",
                ("Sécurité", "Incidents"),
                (3, 4),
                (Place(0, ("Sécurité",), 3), Place(9, ("Sécurité", "Incidents"), 4)),
            ),
            Context("Ce passage…", ContextKind.GENERATED),
        ),
        Passage(Chunk(1, 26, 32, "  🏴  \n"), Context("", ContextKind.STRUCTURAL, "Claude was overloaded.")),
    ]
    await store.put(document, version, written, vectors_of(["a", "b"]))
    assert await store.passages(workspace, version) == written
    hits = await store.hybrid(asking(workspace, "incident", audiences=frozenset({document.audience})))
    assert len(hits) == 1
    hit = hits[0]
    assert (hit.document, hit.version, hit.audience) == (document.id, version, document.audience)
    assert (hit.title, hit.source, hit.url) == (document.title, document.source, document.url)
    assert (hit.date, hit.language) == (document.date, "fr")
    assert (hit.chunk, hit.context) == (written[0].chunk, written[0].context)
    assert hit.key == f"{version}#0"


async def test_date_without_a_zone_is_utc(store: Store, workspace: str) -> None:
    document = dataclasses.replace(document_of(workspace), date=datetime(2023, 4, 11))  # noqa: DTZ001  # the case
    await store.put(document, version_id(document.id, 1), passages_of(["word"]), vectors_of(["word"]))
    (hit,) = await store.hybrid(asking(workspace, "word"))
    assert hit.date == datetime(2023, 4, 11, tzinfo=UTC)


async def test_writing_again_writes_the_same_objects(store: Store, workspace: str) -> None:
    document = await add(store, workspace, "one", "two")
    await add(store, workspace, "one", "two, corrected")
    version = version_id(document.id, 1)
    assert await store.count(workspace, version) == 2
    assert [each.chunk.text for each in await store.passages(workspace, version)] == ["one", "two, corrected"]


async def test_passages_are_given_in_order_and_by_position(store: Store, workspace: str) -> None:
    document = await add(store, workspace, *(f"chunk {n}" for n in range(30)))
    version = version_id(document.id, 1)
    assert [each.chunk.position for each in await store.passages(workspace, version)] == list(range(30))
    assert [each.chunk.position for each in await store.passages(workspace, version, 9, 12)] == [9, 10, 11]
    assert [each.chunk.position for each in await store.passages(workspace, version, -3, 2)] == [0, 1]
    assert [each.chunk.position for each in await store.passages(workspace, version, 28, 99)] == [28, 29]


async def test_progress_tells_how_many_are_written(store: Store, workspace: str) -> None:
    document, told = document_of(workspace), list[int]()
    many = [f"chunk {n}" for n in range(450)]
    await store.put(document, version_id(document.id, 1), passages_of(many), vectors_of(many), progress=told.append)
    assert told == sorted(told)
    assert len(told) > 1
    assert told[-1] == 450


async def test_large_passages_go_in_several_messages(
    store: Store, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passages, "_BATCH_BYTES", 1_000_000)
    document = document_of(workspace)
    large = [f"{n} " * 50_000 for n in range(9)]
    await store.put(document, version_id(document.id, 1), passages_of(large), vectors_of(large))
    assert [each.chunk.text for each in await store.passages(workspace, version_id(document.id, 1))] == large


async def test_reading_a_workspace_that_has_nothing_gives_nothing(store: Store, workspace: str) -> None:
    document = document_of(workspace)
    version = version_id(document.id, 1)
    assert await store.hybrid(asking(workspace, "anything", alpha=0.5)) == []
    assert await store.passages(workspace, version) == []
    assert await store.passages(workspace, version, 0, 5) == []
    assert await store.count(workspace, version) == 0
    await store.delete(workspace, version)
    await store.delete_document(workspace, document.id)


# Failures of a write


async def test_one_refused_object_of_fifty_fails_the_whole(
    store: Store, workspace: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The server's own refusal of one object, in the middle of a batch; the text is not logged."""
    await add(store, workspace, "fixes the dimensions of the workspace", source="before")
    make = passages._batches

    def with_one_wrong(*arguments: Any) -> Iterator[Any]:
        for batch in make(*arguments):
            batch[7].vector = {"passage": [1.0, 0.0], "context": unit("context")[0].tolist()}
            yield batch

    monkeypatch.setattr(passages, "_batches", with_one_wrong)
    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises(StoreFailed, match=r"refused 1 of 50 passages of 'Title of s' \(.*(dimension|length)"),
    ):
        await add(store, workspace, *(f"confidential {n}" for n in range(50)))
    assert "confidential" not in caplog.text


async def test_read_only_database_fails_the_write_and_says_so(store: Store, weaviate: Endpoint, workspace: str) -> None:
    """As the server does by itself when its disk is nearly full."""
    await add(store, workspace, "the old version", number=1)
    where = f"http://{weaviate.host}:{weaviate.port}/v1/schema/{collection_name(DIMENSIONS)}/shards/{workspace}"
    headers = {"Authorization": f"Bearer {weaviate.api_key}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.put(where, json={"status": "READONLY"}) as done:
            assert done.status == 200
        with pytest.raises(StoreFailed, match=r"read-only.*disk has room"):
            await add(store, workspace, "the new version", "two", number=2)
        assert await texts(store, asking(workspace, "old version")) == ["the old version"]
        async with http.put(where, json={"status": "READY"}) as done:
            assert done.status == 200
    await add(store, workspace, "the new version", "two", number=2)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"passage": unit(1, 2)},
        {"passage": unit(1), "context": unit(1)},
        {"passage": unit(1, 2, dimensions=3), "context": unit(1, 2)},
        {"passage": unit(1, 2) * np.nan, "context": unit(1, 2)},
    ],
    ids=["none", "one missing", "too few", "other dimensions", "not a number"],
)
async def test_vectors_that_do_not_fit_are_refused_before_anything_is_written(
    store: Store, workspace: str, wrong: dict[str, NDArray[np.float32]]
) -> None:
    document = document_of(workspace)
    with pytest.raises(StoreFailed, match="vectors"):
        await store.put(document, version_id(document.id, 1), passages_of(["a", "b"]), wrong)
    assert await store.count(workspace, version_id(document.id, 1)) == 0


async def test_text_that_cannot_be_encoded_is_refused(store: Store, workspace: str) -> None:
    with pytest.raises(StoreFailed, match="cannot be stored"):
        await add(store, workspace, "half a pair: \ud800")


async def test_workspace_with_an_impossible_name_is_refused(store: Store) -> None:
    with pytest.raises(StoreFailed, match="not a valid tenant name"):
        await add(store, "no/such workspace", "text")


# Deleting


async def test_document_of_ten_thousand_and_fifty_chunks_is_deleted_to_the_last(store: Store, workspace: str) -> None:
    """The server deletes 10,000 objects at most in one call."""
    count = 10_050
    document, other = document_of(workspace), await add(store, workspace, "stays", source="other")
    version = version_id(document.id, 1)
    shared = unit(*range(count))
    many = passages_of([f"{n}" for n in range(count)])
    await store.put(document, version, many, {"passage": shared, "context": shared})
    assert await store.count(workspace, version) == count
    assert len(await store.passages(workspace, version)) == count
    await store.delete(workspace, version)
    assert await store.count(workspace, version) == 0
    assert await texts(store, asking(workspace, "stays")) == ["stays"]
    assert await store.count(workspace, version_id(other.id, 1)) == 1


async def test_same_boilerplate_in_two_documents_is_two_objects(store: Store, workspace: str) -> None:
    """One deleted, the other still found: ids follow from version and position, not from content."""
    first = await add(store, workspace, "All rights reserved.", source="first")
    second = await add(store, workspace, "All rights reserved.", source="second")
    await store.delete_document(workspace, first.id)
    assert [hit.document for hit in await store.hybrid(asking(workspace, "rights reserved"))] == [second.id]


async def test_deleting_a_version_leaves_the_others_and_deleting_a_document_none(store: Store, workspace: str) -> None:
    document = await add(store, workspace, "old text", number=1)
    await add(store, workspace, "new text", number=2)
    await store.delete(workspace, version_id(document.id, 1))
    assert await texts(store, asking(workspace, "text")) == ["new text"]
    await add(store, workspace, "newest text", number=11)  # its id begins like version 1's
    await store.delete(workspace, version_id(document.id, 1))
    assert sorted(await texts(store, asking(workspace, "text"))) == ["new text", "newest text"]
    await store.delete_document(workspace, document.id)
    assert await texts(store, asking(workspace, "text", alpha=0.5)) == []


# Who sees what


async def test_audience_is_matched_whole(store: Store, workspace: str) -> None:
    """`channel:C123` opens neither `channel:C123:U9`, nor `channel:C1234`, nor another case of itself."""
    for audience in (WORKSPACE, Audience("channel", "C123"), Audience("channel", "C1234"), Audience("user", "C123")):
        await add(store, workspace, f"minutes for {audience}", source=str(audience), audience=audience)
    odd = Audience("channel", "C123:U9")  # no parser of ours makes it, a filter must not care
    await add(store, workspace, "minutes for nobody", source="odd", audience=odd)
    for alpha in (0.0, 0.5, 1.0):
        seen = await texts(
            store, asking(workspace, "minutes", alpha=alpha, audiences=frozenset({Audience("channel", "C123")}))
        )
        assert seen == ["minutes for channel:C123"]
    lower = frozenset({Audience("channel", "c123")})
    assert await texts(store, asking(workspace, "minutes", alpha=0.5, audiences=lower)) == []
    both = frozenset({Audience("channel", "C123"), WORKSPACE})
    assert sorted(await texts(store, asking(workspace, "minutes", audiences=both))) == [
        "minutes for channel:C123",
        "minutes for workspace",
    ]


async def test_no_audience_sees_nothing(store: Store, workspace: str) -> None:
    await add(store, workspace, "secret")
    assert await store.hybrid(asking(workspace, "secret", audiences=frozenset())) == []


async def test_workspaces_do_not_see_each_other(store: Store, workspace: str) -> None:
    other = f"{workspace}B"
    await add(store, workspace, "ours alone")
    await add(store, other, "theirs alone")
    assert await texts(store, asking(workspace, "alone", alpha=0.5)) == ["ours alone"]
    assert await texts(store, asking(other, "alone", alpha=0.5)) == ["theirs alone"]


async def test_versions_in_flight_are_excluded_inside_the_query(store: Store, workspace: str) -> None:
    """They take no place of the limit, even if they would fill it."""
    document = await add(store, workspace, "the plan", number=1)
    await add(store, workspace, *(f"the plan, part {n}" for n in range(40)), number=2)
    hidden = frozenset({version_id(document.id, 2), version_id(document.id, 3)})
    for alpha in (0.0, 0.5, 1.0):
        query = asking(workspace, "the plan", alpha=alpha, limit=3, excluded_versions=hidden)
        assert await texts(store, query) == ["the plan"]


async def test_search_can_be_kept_to_some_documents(store: Store, workspace: str) -> None:
    first = await add(store, workspace, "budget one", source="first")
    await add(store, workspace, "budget two", source="second")
    chosen = asking(workspace, "budget", alpha=0.5, documents=frozenset({first.id}))
    assert await texts(store, chosen) == ["budget one"]
    assert await texts(store, dataclasses.replace(chosen, documents=frozenset())) == []


# What is found

FOUND = [
    (
        "サイバーセキュリティ",
        "第2節では、サイバーセキュリティ分析の結果を述べる。",
        "第3節では、財務分析の結果を述べる。",
    ),
    ("予算の推移は", "次の表に予算の推移を示す。", "次の表に人員の推移を示す。"),
    ("services not covered", "Services not covered: dental, travel.", "Services covered: hospital, doctor."),
    ("INC-2023-04-011", "Closed as INC-2023-04-011 in May.", "Closed as INC-2023-04-012 in May."),
    ("was INC-2023-04-011 ever closed?", "See INC-2023-04-011.", "The incident was closed, was it ever open?"),
    ("retryBackoffSeconds", "let retryBackoffSeconds = 5", "let backoff = retries * seconds"),
    ("backoff", "let retryBackoffSeconds = 5", "let delay = 5"),
    ("max_open_files", "ulimit: max_open_files=1024", "ulimit: open the max of files"),
    ("open_files", "ulimit: max_open_files=1024", "ulimit: max_locks=1024"),
    ("E-4711/X", "Abbruch mit Fehler E-4711/X.", "Abbruch mit Fehler E-4712/X."),
    ("Kündigungsfrist", "Die Kündigungsfristen betragen drei Monate.", "Die Zahlungsfristen betragen drei Monate."),
]


@pytest.mark.parametrize(("question", "right", "wrong"), FOUND, ids=[case[0] for case in FOUND])
async def test_keywords_find(store: Store, workspace: str, question: str, right: str, wrong: str) -> None:
    """Tokenization: Japanese, small words, codes, camelCase, snake_case and compounds."""
    await add(store, workspace, wrong, right, wrong + " " + wrong)
    found = await texts(store, asking(workspace, question))
    assert found[0] == right


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("limit", [1, 10])
@pytest.mark.parametrize("fusion", ["relative_score", "ranked"])
async def test_exact_error_code_is_found_first(
    store: Store, workspace: str, alpha: float, limit: int, fusion: str
) -> None:
    """Whatever side, limit and fusion: small limits must not cut the sides before they are joined."""
    codes = [f"ERR-{n:04d}: the request could not be handled by service {n % 7}." for n in range(150)]
    await add(store, workspace, *codes)
    near = unit(("passage", codes[77]))[0] + 0.1 * unit("noise")[0]
    query = asking(workspace, "what does ERR-0077 mean", vector=near, alpha=alpha, limit=limit, fusion=fusion)
    found = await texts(store, query)
    assert found[0] == codes[77]
    assert len(found) <= limit


async def test_context_and_title_are_searched_too_as_the_properties_say(store: Store, workspace: str) -> None:
    document = document_of(workspace, "zebra")
    text = passages_of(["It was closed in May."], context="From the report on Project Phoenix.")
    await store.put(document, version_id(document.id, 1), text, vectors_of(["x"]))
    await add(store, workspace, "Something else about giraffes.", source="other")
    assert len(await store.hybrid(asking(workspace, "Phoenix"))) == 1
    assert len(await store.hybrid(asking(workspace, "zebra"))) == 1
    assert await store.hybrid(asking(workspace, "Phoenix", properties=("text",))) == []


async def test_weight_zero_leaves_a_vector_out(store: Store, workspace: str) -> None:
    document = document_of(workspace)
    by_name = {"passage": unit("p0", "p1"), "context": unit("c0", "c1")}
    await store.put(document, version_id(document.id, 1), passages_of(["zero", "one"]), by_name)

    async def first(vector: NDArray[np.float32], **weights: float) -> str:
        return (await texts(store, asking(workspace, "x", vector=vector, alpha=1.0, weights=weights)))[0]

    assert await first(by_name["passage"][1], passage=1.0, context=0.0) == "one"
    assert await first(by_name["context"][0], passage=0.0, context=1.0) == "zero"
    assert await first(by_name["passage"][1], passage=0.6, context=0.4) == "one"
    with pytest.raises(SettingsInvalid, match="weight"):
        await first(by_name["passage"][1], passage=0.0)


async def test_memory_holds_vectors_in_a_byte_a_number_and_a_search_looks_at_candidates_enough(
    store: Store, weaviate: Endpoint
) -> None:
    headers = {"Authorization": f"Bearer {weaviate.api_key}"}
    schema = f"http://{weaviate.host}:{weaviate.port}/v1/schema/{collection_name(DIMENSIONS)}"
    async with aiohttp.ClientSession(headers=headers) as http, http.get(schema) as answer:
        vectors = (await answer.json())["vectorConfig"]
    for name in VECTORS:
        index = vectors[name]["vectorIndexConfig"]
        assert index["rq"] == {"enabled": True, "bits": 8, "rescoreLimit": RESCORED}
        assert index["ef"] == CANDIDATES


async def test_the_nearest_are_told_by_whole_vectors(store: Store, workspace: str) -> None:
    """Bytes choose the candidates; scores and order come from what was given."""
    given = [f"text {number}" for number in range(300)]
    await add(store, workspace, *given)
    query = asking(workspace, vector=unit("a question")[0], limit=100, weights={"passage": 1.0})
    cosines = vectors_of(given)["passage"] @ query.vector
    right = np.argsort(-cosines)[:100]
    found = await store.nearest(query)
    assert [one.position for one in found] == right.tolist()
    assert [one.score for one in found] == pytest.approx(cosines[right].tolist(), abs=1e-5)


async def test_scores_of_both_sides_are_told_when_asked_for(store: Store, workspace: str) -> None:
    texts_ = ["alpha beta gamma", "delta epsilon"]
    await add(store, workspace, *texts_)
    query = asking(workspace, "alpha beta", alpha=0.5, vector=unit(("passage", texts_[0]))[0])
    assert all(not hit.scores for hit in await store.hybrid(query))
    for fusion in ("relative_score", "ranked"):
        hits = await store.hybrid(dataclasses.replace(query, explain=True, fusion=fusion))
        assert hits[0].scores.keys() == {"vector", "keyword"}
        assert hits[1].scores.keys() == {"vector"}
        assert hits[0].score > hits[1].score
        assert hits[0].scores["vector"] > hits[1].scores["vector"]


async def test_pages_of_a_search_join_up(store: Store, workspace: str) -> None:
    await add(store, workspace, *(f"report {n}" for n in range(25)))
    whole = await texts(store, asking(workspace, "report 12", alpha=0.5, limit=20))
    parts = [
        await texts(store, asking(workspace, "report 12", alpha=0.5, limit=5, offset=offset))
        for offset in (0, 5, 10, 15)
    ]
    assert [text for part in parts for text in part] == whole


QUESTIONS = {
    "empty": "",
    "blank": "   ",
    "punctuation": "?!…—",
    "one letter": "a",
    "one long word": "x" * 10_000,
    "many words": "word " * 3_000,
    "nul": "a\0b",
    "lone surrogate": "\ud800",
    "quotes": "\"quo'te\\",
    "braces": "{}%s\n",
    "flag": "🏴\U000e0067\U000e0062\U000e007f",
    "query syntax": "NOT (a AND b)~2^4",
}


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
async def test_no_question_breaks_the_search(store: Store, workspace: str, text: str, alpha: float) -> None:
    await add(store, workspace, "one", "two")
    found = await texts(store, asking(workspace, text, alpha=alpha))
    assert set(found) <= {"one", "two"}
    if alpha > 0:
        assert len(found) == 2, "vectors find something whatever the words are"


def test_a_question_is_searched_by_its_terms_and_not_without_end() -> None:
    assert searchable(" INC-2023\x00\ud800  closed?\n") == "inc 2023 close closed inc-2023"
    assert searchable("\ud83d\udc4d 日本語") == "日本 本語"
    assert searchable("?!… \x00") == ""
    cut = searchable("certificates " * 10_000)
    assert LONGEST_QUERY - 20 < len(cut) <= LONGEST_QUERY
    assert set(cut.split()) == {"certi", "certificates"}


# Connecting


async def test_rest_up_with_grpc_closed_is_a_clear_error_at_once() -> None:
    """Half a database: REST answers, nobody listens at the gRPC port."""

    async def meta(request: web.Request) -> web.Response:
        return web.json_response({"version": "1.39.0", "hostname": "x", "modules": {}})

    async with serving(meta) as port:
        closed = free_ports().grpc
        with pytest.raises(WeaviateUnavailable, match=f"gRPC port 127.0.0.1:{closed} does not.*WEAVIATE_GRPC_PORT"):
            await Store.connect(
                Endpoint("127.0.0.1", port, False, "127.0.0.1", closed, False),
                api_key=None,
                dimensions=DIMENSIONS,
                timeout_seconds=2,
            )


async def test_server_that_is_too_old_or_no_weaviate_is_explained() -> None:
    async def meta(request: web.Request) -> web.Response:
        return web.json_response({"version": "1.28.3"})

    async with serving(meta) as port:
        endpoint = Endpoint("127.0.0.1", port, False, "127.0.0.1", 1, False)
        with pytest.raises(WeaviateUnavailable, match=r"version 1\.28\.3: use 1\.\d+ or newer"):
            await Store.connect(endpoint, api_key=None, dimensions=DIMENSIONS, timeout_seconds=5)


@pytest.mark.parametrize("body", ["<!DOCTYPE html>", "[]", "{}"])
async def test_something_else_at_the_address_is_explained(body: str) -> None:
    async def page(request: web.Request) -> web.Response:
        return web.Response(text=body, content_type="text/html")

    async with serving(page) as port:
        endpoint = Endpoint("127.0.0.1", port, False, "127.0.0.1", 1, False)
        with pytest.raises(WeaviateUnavailable, match=r"is not Weaviate|does not answer"):
            await Store.connect(endpoint, api_key=None, dimensions=DIMENSIONS, timeout_seconds=5)


async def test_nobody_at_the_address_is_explained() -> None:
    ports = free_ports()
    with pytest.raises(WeaviateUnavailable, match="does not answer"):
        await Store.connect(
            Endpoint("127.0.0.1", ports.rest, False, "127.0.0.1", ports.grpc, False),
            api_key=None,
            dimensions=DIMENSIONS,
            timeout_seconds=5,
        )


async def test_collection_of_another_shape_is_not_used(weaviate: Endpoint) -> None:
    """Somebody else's collection of our name: a clear error, not wrong answers."""
    headers = {"Authorization": f"Bearer {weaviate.api_key}"}
    taken = {
        "class": collection_name(5),
        "properties": [{"name": "text", "dataType": ["text"], "tokenization": "word"}],
    }
    schema = f"http://{weaviate.host}:{weaviate.port}/v1/schema"
    async with aiohttp.ClientSession(headers=headers) as http, http.post(schema, json=taken) as done:
        assert done.status == 200
    with pytest.raises(WeaviateUnavailable, match=r"Passage_v\d_d5 .* not of our making"):
        await Store.connect(weaviate, api_key=None, dimensions=5, timeout_seconds=5)


async def test_embedder_of_other_dimensions_gets_a_collection_of_its_own(
    store: Store, weaviate: Endpoint, workspace: str
) -> None:
    await add(store, workspace, "of eight dimensions")
    other = await Store.connect(weaviate, api_key=None, dimensions=3, timeout_seconds=10)
    try:
        query = asking(workspace, "dimensions", alpha=0.5)
        assert await other.hybrid(dataclasses.replace(query, vector=unit("q", dimensions=3)[0])) == []
        assert await texts(store, query) == ["of eight dimensions"]
    finally:
        await other.close()


async def test_several_connect_at_once_and_one_creates_the_collection(weaviate: Endpoint) -> None:
    stores = await asyncio.gather(
        *(Store.connect(weaviate, api_key=None, dimensions=4, timeout_seconds=20) for _ in range(4))
    )
    for each in stores:
        await each.close()


async def test_server_that_dies_is_unavailable_and_back_after_a_restart(tmp_path: Path) -> None:
    """The same store works again once the server is back: it comes back at the same ports."""
    settings = IndexerSettings.model_validate({"data_dir": tmp_path})
    async with weaviate_server(settings, notify=lambda sentence: None) as endpoint:
        patient = await Store.connect(endpoint, api_key=None, dimensions=DIMENSIONS, timeout_seconds=20)
        document = await add(patient, "local", "kept")
        await patient.close()
        store = await Store.connect(endpoint, api_key=None, dimensions=DIMENSIONS, timeout_seconds=2)
        await kill_server(tmp_path)
        with pytest.raises(WeaviateUnavailable, match="does not answer"):
            await store.hybrid(asking("local", "kept"))
        with pytest.raises(WeaviateUnavailable, match="does not answer"):
            await store.count("local", version_id(document.id, 1))
        async with weaviate_server(settings, notify=lambda sentence: None):
            patient = await Store.connect(endpoint, api_key=None, dimensions=DIMENSIONS, timeout_seconds=20)
            assert await texts(patient, asking("local", "kept")) == ["kept"]
            await patient.close()
        await store.close()


async def kill_server(data_dir: Path) -> None:
    record = json.loads((data_dir / "weaviate.json").read_text())
    await asyncio.to_thread(end_process, record["pid"], record["started"], 0)


@asynccontextmanager
async def serving(answer: Any) -> AsyncIterator[int]:
    """A local HTTP server that gives this answer to everything."""
    app = web.Application()
    app.router.add_route("*", "/{anything:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_ports().rest
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield port
    finally:
        await runner.cleanup()
