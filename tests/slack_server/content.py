"""What a message may hold: text, blocks, Markdown, metadata; and what must not be in there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.slack_server.blocks import MARKDOWN_LIMIT, Limits, message_blocks
from tests.slack_server.core import Core
from tests.slack_server.errors import JSON, Refused
from tests.slack_server.rendering import links_of, nodes
from tests.slack_server.texts import links_in, pings

TEXT_CUT = 40_000
UPDATE_LIMIT = 4_000
METADATA_BYTES = 8_000


@dataclass
class Content:
    """The checked content of a call. ``blocks`` is None where none were sent."""

    text: str = ""
    parts: list[tuple[str, Any]] = field(default_factory=list)
    blocks: list[JSON] | None = None
    metadata: JSON | None = None


def content_of(core: Core, method: str, args: JSON) -> Content:
    """Check and take apart what a message is made of; raises ``Refused``, notes violations.

    >>> content_of(slack, "chat.postMessage", {"markdown_text": "**Yes.**"}).parts
    [('text', '**Yes.**')]
    """
    text, markdown = args.get("text"), args.get("markdown_text")
    if markdown is not None and (text is not None or args.get("blocks") is not None):
        raise Refused("markdown_text_conflict", "markdown_text goes neither with text nor with blocks")
    if markdown is not None and len(markdown) > MARKDOWN_LIMIT:
        raise Refused("msg_too_long", f"markdown_text of {len(markdown)} characters")
    if not str(text or "").strip() and not str(markdown or "").strip() and not args.get("blocks"):
        raise Refused("no_text")
    if args.get("attachments"):
        core.violation(f"{method}: attachments are not shown here")
    blocks = None
    if args.get("blocks") is not None:
        blocks = message_blocks(args["blocks"], Limits(core.block_text_limit))
        if blocks and not str(text or "").strip():
            core.violation(f"{method}: blocks without a text for notifications and screen readers")
    if len(text or "") > TEXT_CUT:
        core.violation(f"{method}: a text of {len(text or '')} characters was cut at {TEXT_CUT}")
    check_pings(core, method, [text, markdown], blocks or [])
    parts = [("text", markdown)] if markdown is not None else []
    return Content((text or "")[:TEXT_CUT], list(parts), blocks, check_metadata(args.get("metadata")))


def check_metadata(metadata: Any) -> JSON | None:
    """Message metadata: an ``event_type``, an ``event_payload``, nothing else, not much of it."""
    if metadata is None:
        return None
    kind, payload = metadata.get("event_type"), metadata.get("event_payload")
    if not isinstance(kind, str) or not kind or not isinstance(payload, dict) or set(metadata) - _METADATA:
        raise Refused("invalid_metadata_format", "metadata needs event_type and event_payload")
    if len(str(payload)) > METADATA_BYTES:
        raise Refused("metadata_too_large")
    result: JSON = metadata
    return result


_METADATA = {"event_type", "event_payload"}


def check_pings(core: Core, method: str, texts: list[str | None], blocks: list[JSON]) -> None:
    """Note everything that would notify somebody, unless the test allowed it (``may_ping``)."""
    found = [ping for text in texts for ping in pings(text or "")]
    for node in nodes(blocks):
        kind = node.get("type")
        if kind in ("mrkdwn", "markdown"):
            found += pings(str(node.get("text", "")))
        elif kind == "user" and "user_id" in node:
            found.append(f"<@{node['user_id']}>")
        elif kind == "broadcast" and "range" in node:
            found.append(f"<!{node['range']}>")
        elif kind == "usergroup" and "usergroup_id" in node:
            found.append(f"<!subteam^{node['usergroup_id']}>")
    for ping in found:
        if not core.is_pingable(ping):
            core.violation(f"{method}: {ping} would ping")


def check_unfurls(core: Core, method: str, args: JSON, content: Content) -> None:
    """A message with links must say that they are not to be unfurled."""
    links = links_in(content.text) + [link for _, part in content.parts for link in links_in(part)]
    links += links_of(content.blocks or [])
    if links and (args.get("unfurl_links") is not False or args.get("unfurl_media") is not False):
        core.violation(f"{method}: links without unfurl_links=False and unfurl_media=False")
    if args.get("link_names") or args.get("parse") == "full":
        core.violation(f"{method}: link_names and parse=full let names in a text ping")
