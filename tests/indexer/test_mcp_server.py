"""The documents for clients of the Model Context Protocol, tried with the SDK's own client."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from indexer import __version__
from indexer.documents import EVERYONE, WORKSPACE, Audience
from indexer.library import Indexer
from indexer.mcp_server import mcp_server
from tests.fixtures.command_line import ROOT, CommandLine
from tests.fixtures.indexer import MakeSettings, added

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-sixteen-characters-or-more"
LEAVE = "# Leave\n\n## How much\n\nEverybody has 25 days of leave a year.\n"


@pytest.fixture
async def client(indexer: Indexer, workspace: str) -> AsyncIterator[Client]:
    """A client on the documents of a workspace, in this process."""
    await added(indexer, workspace, LEAVE, source="https://docs.example.com/leave.md")
    async with Client(mcp_server(indexer, workspace)) as client:
        yield client


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


async def test_a_search_gives_passages_with_their_place_and_their_context_apart(client: Client) -> None:
    result = await client.call_tool("search_documents", {"query": "days of leave"})
    assert not result.is_error
    (passage,) = result.structured_content["passages"]
    assert "25 days of leave" in passage["text"]
    assert passage["title"] == "Leave"
    assert passage["context"] not in passage["text"]
    assert "## Leave" in text_of(result)
    assert "25 days of leave" in text_of(result)


async def test_both_tools_say_that_they_only_read(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"search_documents", "list_documents"}
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
    assert all(tool.output_schema for tool in tools.values())


async def test_documents_are_listed_by_words_of_their_title(client: Client, indexer: Indexer, workspace: str) -> None:
    await added(indexer, workspace, "# Travel\n\nTrains first.", source="https://docs.example.com/travel.md")
    listed = (await client.call_tool("list_documents", {})).structured_content
    assert [one["title"] for one in listed["documents"]] == ["Leave", "Travel"]
    listed = (await client.call_tool("list_documents", {"words": "trav"})).structured_content
    assert [one["title"] for one in listed["documents"]] == ["Travel"]


async def test_a_search_may_be_limited_to_titles(client: Client, indexer: Indexer, workspace: str) -> None:
    await added(indexer, workspace, "# Travel\n\nLeave the days open.", source="https://docs.example.com/travel.md")
    result = await client.call_tool("search_documents", {"query": "leave days", "documents": ["travel"]})
    assert {one["title"] for one in result.structured_content["passages"]} == {"Travel"}
    result = await client.call_tool("search_documents", {"query": "leave", "documents": ["Travels of Gulliver"]})
    assert result.is_error
    assert "Travel" in text_of(result)


@pytest.mark.parametrize("audience", ["channel:C1", "user:U1", "thread:C1-1.2"])
async def test_what_is_not_for_everybody_is_neither_found_nor_listed(
    client: Client, indexer: Indexer, workspace: str, audience: str
) -> None:
    """A token stands for no person."""
    await added(
        indexer,
        workspace,
        "# Secret leave\n\nThe leave of the board is unlimited.",
        source="https://docs.example.com/secret.md",
        audience=Audience.parse(audience),
    )
    found = await client.call_tool("search_documents", {"query": "leave of the board", "limit": 50})
    listed = await client.call_tool("list_documents", {})
    wrong = await client.call_tool("search_documents", {"query": "leave", "documents": ["Secret leaf"]})
    for result in (found, listed, wrong):
        assert "ecret" not in text_of(result).replace("Secret leaf", "")
        assert "unlimited" not in str(result.structured_content)


async def test_what_guests_may_read_is_found_too(client: Client, indexer: Indexer, workspace: str) -> None:
    source = "https://docs.example.com/welcome.md"
    await added(indexer, workspace, "# Welcome\n\nWelcome, guests.", source=source, audience=EVERYONE)
    found = await client.call_tool("search_documents", {"query": "welcome guests"})
    assert "Welcome" in {one["title"] for one in found.structured_content["passages"]}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"query": "   "}, "There is no word in the query: give a few, or a number."),
        ({"query": "🎉"}, "There is no word in the query: give a few, or a number."),
        ({}, "query must be a text of at most 1,000 characters."),
        ({"query": "x" * 1_001}, "query must be a text of at most 1,000 characters."),
        ({"query": 42}, "query must be a text of at most 1,000 characters."),
        ({"query": "leave", "limit": 0}, "limit must be a whole number from 1 to 50, or left out."),
        ({"query": "leave", "limit": "many"}, "limit must be a whole number from 1 to 50, or left out."),
        ({"query": "leave", "documents": "Leave"}, "documents must be a list of titles; leave it out to search all."),
        ({"query": "leave", "documents": [7]}, "documents must be a list of titles; leave it out to search all."),
    ],
)
async def test_a_wrong_call_is_told_what_is_wrong_in_one_sentence(
    client: Client, arguments: dict[str, Any], told: str
) -> None:
    result = await client.call_tool("search_documents", arguments)
    assert result.is_error
    assert text_of(result) == told


async def test_each_argument_can_be_wrong_in_a_sentence(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        for name in tool.input_schema["properties"]:
            result = await client.call_tool(tool.name, {"query": "leave", name: {"not": "this"}})
            assert result.is_error
            assert text_of(result).startswith(f"{name} must be ")


async def test_the_server_says_its_version(client: Client) -> None:
    assert client.server_info is not None
    assert (client.server_info.name, client.server_info.version) == ("situate", __version__)


async def test_that_a_part_of_the_documents_is_not_in_the_index_is_said(
    client: Client, indexer: Indexer, workspace: str
) -> None:
    result = await client.call_tool("search_documents", {"query": "leave"})
    assert result.structured_content["note"] is None
    lost = await added(indexer, workspace, "# Travel\n\nTrains first.", source="https://docs.example.com/travel.md")
    await (await indexer.connect()).store.delete(workspace, lost.id)
    for query in ("leave", "trains"):
        result = await client.call_tool("search_documents", {"query": query})
        assert "lacks a part of the documents" in result.structured_content["note"]
        assert result.structured_content["note"] in text_of(result)


async def test_that_the_index_is_away_is_said(make_settings: MakeSettings, workspace: str) -> None:
    settings = make_settings(weaviate_url="http://127.0.0.1:9", weaviate_start_seconds=0.5)
    opened = Indexer.open(settings)
    async with opened as indexer, Client(mcp_server(indexer, workspace)) as client:
        result = await client.call_tool("search_documents", {"query": "leave"})
        assert result.is_error
        assert text_of(result).startswith("Weaviate")


async def test_over_stdio_nothing_but_the_protocol_is_on_standard_output(
    indexer: Indexer, workspace: str, command_line: CommandLine
) -> None:
    """In a process of its own, on the same folder: the client would fail on any other line."""
    await added(indexer, workspace, LEAVE, source="https://docs.example.com/leave.md")
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "indexer", "mcp", "--workspace", workspace],
        env={"PATH": os.environ["PATH"], **command_line.settings},
        cwd=ROOT,
    )
    async with asyncio.timeout(60), Client(parameters) as client:
        result = await client.call_tool("search_documents", {"query": "days of leave"})
        assert "25 days of leave" in text_of(result)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def serving(command_line: CommandLine, workspace: str) -> AsyncIterator[str]:
    """A process that serves by HTTP; its address."""
    port = free_port()
    process = command_line.but(MCP_TOKEN=TOKEN).start(
        "indexer", "mcp", "--http", "--port", str(port), "--workspace", workspace, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        async with asyncio.timeout(60), httpx2.AsyncClient() as probe:
            while True:
                try:
                    await probe.get(url)
                    break
                except httpx2.ConnectError:
                    await asyncio.sleep(0.1)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(process.wait, 30)
    assert code == 143, "told to stop, it stops in order"


@asynccontextmanager
async def client_with(url: str, token: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def test_over_http_it_answers_those_who_send_the_token_and_nobody_else(
    indexer: Indexer, workspace: str, command_line: CommandLine
) -> None:
    await added(indexer, workspace, LEAVE, source="https://docs.example.com/leave.md")
    async with serving(command_line, workspace) as url:
        async with client_with(url, TOKEN) as client:
            result = await client.call_tool("search_documents", {"query": "days of leave"})
            assert "25 days of leave" in text_of(result)
        async with httpx2.AsyncClient() as http:
            wrong = (f"Bearer {TOKEN}x", TOKEN, f"Basic {TOKEN}", "Bearer")
            for header in ({}, *({"Authorization": sent} for sent in wrong)):
                for path in ("", "/../health", "?x=1"):
                    response = await http.post(f"{url}{path}", headers=header, json={"jsonrpc": "2.0", "id": 1})
                    assert response.status_code == 401
                    assert TOKEN not in response.text
            lower = {"Authorization": f"bearer {TOKEN}"}  # RFC 9110: the scheme's case does not matter
            assert (await http.post(url, headers=lower, json={"jsonrpc": "2.0", "id": 1})).status_code != 401


def test_http_without_a_token_is_refused(command_line: CommandLine) -> None:
    code, out, err = command_line("indexer", "mcp", "--http")
    assert (code, out) == (2, "")
    assert "MCP_TOKEN" in err


def test_a_short_token_is_refused_and_not_shown(command_line: CommandLine) -> None:
    code, _, err = command_line.but(MCP_TOKEN="hunter2")("indexer", "mcp", "--http")
    assert code == 2
    assert "MCP_TOKEN" in err
    assert "16 characters or more" in err
    assert "hunter2" not in err


def test_a_port_that_is_taken_is_said(command_line: CommandLine) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, _, err = command_line.but(MCP_TOKEN=TOKEN)("indexer", "mcp", "--http", "--port", port)
    assert code == 2
    assert f"Nothing can listen at 127.0.0.1:{port}" in err


def test_workspace_documents_are_what_a_token_reads() -> None:
    from indexer.mcp_server import READER

    assert READER.audiences == {WORKSPACE, EVERYONE}
