"""What the stand-in for the Messages API refuses."""

from __future__ import annotations

from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic

from tests.claude_server import ClaudeServer
from tests.claude_server.examples import (
    BALANCED,
    FAST,
    MARK,
    OLD,
    SEARCH,
    STRONG,
    USER,
    asking,
    content,
    exchange,
    found,
    results,
    text,
    tool,
    used,
    without,
)

pytestmark = pytest.mark.anyio


async def send(client: AsyncAnthropic, body: dict[str, Any]) -> Any:
    """Post a body as it is, past the client's own checks."""
    return await client.post("/v1/messages", body=body, cast_to=object)


# Refusals

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("no max_tokens", without("max_tokens"), "max_tokens: Field required"),
    ("no model", without("model"), "model: Field required"),
    ("no messages", without("messages"), "messages: Field required"),
    ("unknown field", asking(temprature=1), "temprature: Extra inputs are not permitted"),
    ("temperature", asking(temperature=0), "temperature"),
    ("top_p", asking(top_p=0.5), "top_p"),
    ("top_k", asking(top_k=5), "top_k"),
    ("too many output tokens", asking(max_tokens=128_001), "128001 > 128000"),
    ("max_tokens as text", asking(max_tokens="9"), "max_tokens"),
    ("empty messages", asking(messages=[]), "at least one message"),
    ("first from the assistant", asking(messages=[{"role": "assistant", "content": "a"}, USER]), "first message"),
    ("first from the system", asking(messages=[{"role": "system", "content": "a"}, USER]), "first message"),
    ("unknown role", asking(messages=[{"role": "tool", "content": "a"}]), "Unexpected role"),
    ("field of a message", asking(messages=[USER | {"name": "x"}]), "messages.0.name: Extra inputs"),
    ("empty content", asking(messages=[{"role": "user", "content": ""}, USER]), "non-empty content"),
    ("no blocks", asking(messages=[{"role": "user", "content": []}]), "non-empty content"),
    ("empty text", content(text("a"), text("")), "must be non-empty"),
    ("blank text", content(text("a"), text(" \n\t")), "must contain non-whitespace text"),
    ("blank string", asking("  "), "must contain non-whitespace text"),
    ("blank system", asking(system=" "), "system: text content blocks"),
    ("empty text of the assistant", exchange(results(), assistant=[text(""), used()]), "must be non-empty"),
    ("field of a block", content(text("a", txet="b")), "messages.0.content.0.text.txet: Extra inputs"),
    ("unknown block", content({"type": "paragraph", "text": "a"}), "'paragraph' found using 'type'"),
    ("call by the user", content(used(), tools=[SEARCH]), "not permitted in user content"),
    ("prefill", asking(messages=[USER, {"role": "assistant", "content": "I"}]), "prefill"),
    (
        "prefill",
        asking(model=BALANCED, thinking={"type": "adaptive"}, messages=[USER, {"role": "assistant", "content": "I"}]),
        "prefill",
    ),
    (
        "trailing space",
        asking(model=OLD, messages=[USER, {"role": "assistant", "content": "I "}]),
        "trailing whitespace",
    ),
    (
        "forced tool",
        asking(model=BALANCED, thinking={"type": "adaptive"}, tools=[SEARCH], tool_choice={"type": "any"}),
        "not supported for this model",
    ),
    (
        "forced tool",
        asking(
            model=STRONG,
            thinking={"type": "adaptive"},
            tools=[SEARCH],
            tool_choice={"type": "tool", "name": "search_documents"},
        ),
        "not supported for this model",
    ),
    ("thinking off", asking(model=BALANCED), 'Use "thinking.type.between_tools"'),
    ("thinking off", asking(model=STRONG), 'Use "thinking.type.adaptive"'),
    ("thinking between tools", asking(model=FAST, thinking={"type": "between_tools"}), "not supported"),
    ("thinking budget", asking(thinking={"type": "enabled", "budget_tokens": 2_000}), "not supported"),
    (
        "thinking budget over max_tokens",
        asking(model=OLD, thinking={"type": "enabled", "budget_tokens": 2_000}),
        "must be greater",
    ),
    ("effort with thinking off", asking(output_config={"effort": "max"}), "disabled"),
    ("choice without tools", asking(tool_choice={"type": "auto"}), "while providing tools"),
    ("choice of another tool", asking(tools=[SEARCH], tool_choice={"type": "tool", "name": "x"}), "'x' not found"),
    ("call without result", exchange(text("Well?")), "without `tool_result` blocks immediately after: toolu_1"),
    (
        "call at the end",
        asking(tools=[SEARCH], messages=[USER, {"role": "assistant", "content": [used()]}]),
        "without `tool_result`",
    ),
    ("one result of two", exchange(results(), assistant=[used(), used("toolu_2")]), "immediately after: toolu_2"),
    ("result not first", exchange(text("Here:"), results()), "immediately after"),
    ("result without call", exchange(results(), results(id="toolu_7")), "unexpected `tool_use_id`"),
    ("two results of one call", exchange(results(), results()), "single result"),
    ("twice the same id", exchange(results(), assistant=[used(), used()]), "ids must be unique"),
    ("bad id", exchange(results(id="a b"), assistant=[used("a b")]), "should match pattern"),
    (
        "tools taken away",
        {key: value for key, value in exchange(results()).items() if key != "tools"},
        "must define tools",
    ),
    ("tool name", tool(name="search documents"), "should match pattern"),
    ("long tool name", tool(name="s" * 129), "should match pattern"),
    ("tools of one name", asking(tools=[SEARCH, SEARCH]), "Tool names must be unique"),
    ("schema without type", tool(input_schema={"properties": {}}), "input_schema.type: Field required"),
    ("schema of a list", tool(input_schema={"type": "array"}), "input_schema.type"),
    (
        "schema with a wrong type",
        tool(input_schema={"type": "object", "properties": {"q": {"type": "text"}}}),
        "2020-12",
    ),
    ("strict tool", tool(strict=True), "'additionalProperties' must be explicitly set to false"),
    ("results of a failed call", exchange(results(found("a")) | {"is_error": True}), 'must be type "text"'),
    ("field of a tool", tool(parameters={}), "parameters: Extra inputs"),
    ("five breakpoints", content(*[text("a", cache_control=MARK)] * 5), "maximum of 4 blocks"),
    (
        "1h after 5m",
        content(text("a", cache_control=MARK), text("b", cache_control=MARK | {"ttl": "1h"})),
        "must not come after",
    ),
    (
        "1h in messages after 5m in system",
        content(text("b", cache_control=MARK | {"ttl": "1h"}), system=[text("a", cache_control=MARK)]),
        "must not come after",
    ),
    ("breakpoint on empty text", content(text("", cache_control=MARK), text("a")), "empty text blocks"),
    ("unknown ttl", content(text("a", cache_control=MARK | {"ttl": "1d"})), "ttl"),
    (
        "breakpoint on thinking",
        exchange(
            results(), assistant=[{"type": "thinking", "thinking": "", "signature": "", "cache_control": MARK}, used()]
        ),
        "Extra inputs",
    ),
    (
        "signature of another",
        exchange(results(), assistant=[{"type": "thinking", "thinking": "", "signature": "abcd"}, used()]),
        "Invalid `signature`",
    ),
    ("mixed citations", exchange(results(found("a"), found("b", citations={"enabled": False}))), "all or none"),
    ("mixed citations over turns", content(found("a"), found("b", citations={})), "all or none"),
    ("no content", exchange(results(found())), "at least one text block"),
    ("blank content", exchange(results(found("a", " "))), "non-whitespace text"),
    ("image as content", exchange(results(found("a", content=[{"type": "image"}]))), "only text blocks"),
    (
        "no source",
        exchange(results({key: value for key, value in found("a").items() if key != "source"})),
        "source: Field required",
    ),
    (
        "no title",
        exchange(results({key: value for key, value in found("a").items() if key != "title"})),
        "title: Field required",
    ),
    ("empty title", exchange(results(found("a", title=""))), "title must be non-empty"),
    ("field of a result", exchange(results(found("a", url="x"))), "url: Extra inputs"),
    (
        "citations of a user",
        content(text("a", citations=[{"type": "search_result_location"}])),
        "citations are not permitted",
    ),
    (
        "citations and a format",
        exchange(results(found("a")), output_config={"format": {"type": "json_schema", "schema": {}}}),
        "with citations enabled",
    ),
    (
        "prompt over the window",
        asking("a" * 1_000_000, model=OLD),
        "prompt is too long: 250000 tokens > 200000 maximum",
    ),
]


@pytest.mark.parametrize(("body", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
async def test_refused(claude: ClaudeServer, claude_client: AsyncAnthropic, body: dict[str, Any], message: str) -> None:
    claude.expect_violations()
    with pytest.raises(anthropic.BadRequestError) as caught:
        await send(claude_client, body)
    assert message in str(caught.value.api_message)
    assert caught.value.type == "invalid_request_error"
    assert caught.value.request_id
    assert len(claude.violations) == 1


async def test_user_turns_may_follow_each_other(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    await send(claude_client, asking(messages=[USER, USER, {"role": "assistant", "content": "a"}, USER]))
    await send(claude_client, exchange(results(), text("And quickly.")))
    await send(claude_client, asking(model=OLD, messages=[USER, {"role": "assistant", "content": "I"}]))


@pytest.mark.parametrize(
    ("headers", "error", "message"),
    [
        ({"authorization": "Bearer"}, anthropic.AuthenticationError, "header is required"),
        ({"authorization": "Bearer wrong"}, anthropic.AuthenticationError, "invalid x-api-key"),
        ({"anthropic-version": ""}, anthropic.BadRequestError, "anthropic-version"),
    ],
)
async def test_headers_are_checked(
    claude: ClaudeServer,
    claude_client: AsyncAnthropic,
    headers: dict[str, str],
    error: type[anthropic.APIStatusError],
    message: str,
) -> None:
    claude.expect_violations()
    claude.keys = frozenset({"key"})
    with pytest.raises(error, match=message):
        await claude_client.messages.create(**asking(), extra_headers=headers)
    await claude_client.messages.create(**asking(), extra_headers={"authorization": "", "x-api-key": "key"})


async def test_unknown_model_and_address_are_not_found(claude: ClaudeServer, claude_client: AsyncAnthropic) -> None:
    claude.expect_violations()
    with pytest.raises(anthropic.NotFoundError, match="model: claude-3"):
        await claude_client.messages.create(**asking(model="claude-3"))
    with pytest.raises(anthropic.NotFoundError):
        await claude_client.post("/v1/complete", body={}, cast_to=object)


@pytest.mark.parametrize(
    ("raw", "status", "message"),
    [
        (b'{"model": "caf\xe9"}', 400, "not valid JSON"),
        (b'{"model": "\\ud83c"}', 400, "surrogate"),
        (b"[]", 400, "an object is expected"),
        (b'{"a": "' + b"a" * (32 * 1024 * 1024) + b'"}', 413, "maximum size"),
    ],
    ids=["not UTF-8", "half a surrogate pair", "a list", "over 32 MB"],
)
async def test_bad_bodies_are_refused(claude: ClaudeServer, raw: bytes, status: int, message: str) -> None:
    claude.expect_violations()
    async with httpx2.AsyncClient() as http:
        headers = {"x-api-key": "key", "anthropic-version": "2026-10-21", "content-type": "application/json"}
        answer = await http.post(f"{claude.base_url}/v1/messages", content=raw, headers=headers)
    assert answer.status_code == status
    assert message in answer.json()["error"]["message"]
    assert answer.json()["error"]["type"] == ("request_too_large" if status == 413 else "invalid_request_error")
