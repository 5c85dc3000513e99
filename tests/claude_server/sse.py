"""The events of a streamed message, and how they are put on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.claude_server.composing import Composed
from tests.claude_server.errors import JSON

Event = tuple[str, JSON]


def encode(event: Event) -> bytes:
    """An event as server-sent bytes. Characters are not escaped, so that chunks may cut through them."""
    name, data = event
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def is_delta(event: Event) -> bool:
    """Whether an event counts as a delta for faults in the middle of a stream."""
    return event[0] == "content_block_delta"


def events(composed: Composed, piece: int, *, pings: bool) -> Iterator[Event]:
    """All events of a message in their order; deltas are ``piece`` characters long, words are cut wherever it falls.

    >>> [name for name, _ in events(Composed({"content": [], "usage": {"output_tokens": 0}}), 9, pings=False)]
    ['message_start', 'message_delta', 'message_stop']
    """
    message = composed.message
    usage = message["usage"]
    opening = {key: value for key, value in usage.items() if key != "output_tokens_details"}
    start = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    yield "message_start", {"type": "message_start", "message": {**start, "usage": {**opening, "output_tokens": 1}}}
    if pings:
        yield "ping", {"type": "ping"}
    for index, block in enumerate(message["content"]):
        last = index == len(message["content"]) - 1
        yield from _block_events(index, block, composed, piece, last=last)
        if pings and index % 2 == 0:
            yield "ping", {"type": "ping"}
    ending = {key: message.get(key) for key in ("stop_reason", "stop_sequence", "stop_details")}
    spent = {key: value for key, value in usage.items() if key.endswith(("_tokens", "_details"))}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": spent}
    yield "message_stop", {"type": "message_stop"}


def _block_events(index: int, block: JSON, composed: Composed, piece: int, *, last: bool) -> Iterator[Event]:
    kind = block["type"]
    deltas: list[JSON] = []
    if kind == "text":
        citations = block["citations"] or []
        opening: JSON = {"type": "text", "text": "", **({"citations": []} if citations else {})}
        texts = [{"type": "text_delta", "text": part} for part in pieces(block["text"], piece)]
        cited = [{"type": "citations_delta", "citation": citation} for citation in citations]
        deltas = [*cited, *texts] if index in composed.cited_first else [*texts, *cited]
    elif kind == "thinking":
        opening = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"], piece)]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    else:
        opening = {**block, "input": {}}
        written = json.dumps(block["input"], ensure_ascii=False)
        if last and composed.cut_json is not None:
            written = composed.cut_json
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in ["", *pieces(written, piece)]]
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": opening}
    for delta in deltas:
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def pieces(text: str, length: int) -> list[str]:
    """A text in pieces of ``length`` characters: ``pieces("abcde", 2) == ["ab", "cd", "e"]``."""
    return [text[at : at + length] for at in range(0, len(text), max(1, length))]
