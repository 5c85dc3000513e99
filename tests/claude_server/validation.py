"""What is refused, in the order the real API refuses it: fields, model, limits, conversation, cache marks."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from tests.claude_server.blocks import cache_control, check_block, fields, string, strings_of
from tests.claude_server.conversation import check_messages
from tests.claude_server.errors import JSON, ApiError, refuse
from tests.claude_server.models import Model
from tests.claude_server.prompt_cache import prefixes
from tests.claude_server.request import as_blocks
from tests.claude_server.tools import check_choice, check_tools

MAX_BODY_BYTES = 32 * 1024 * 1024
_TOP = frozenset(
    [
        "cache_control",
        "container",
        "diagnostics",
        "inference_geo",
        "metadata",
        "output_config",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
        "system",
        "thinking",
        "tool_choice",
        "tools",
    ]
)
_SAMPLING = ("temperature", "top_p", "top_k")
_COUNTING = frozenset(["cache_control", "output_config", "speed", "system", "thinking", "tool_choice", "tools"])
_THINKING = {
    "adaptive": (frozenset({"type"}), frozenset({"display"})),
    "enabled": (frozenset({"type", "budget_tokens"}), frozenset({"display"})),
    "disabled": (frozenset({"type"}), frozenset[str]()),
    "between_tools": (frozenset({"type"}), frozenset[str]()),
}


def check_headers(headers: Mapping[str, str], keys: frozenset[str] | None) -> None:
    """Key and version. ``keys`` are the good ones; any non-empty key is good where it is None."""
    bearer = headers.get("authorization", "")
    key = bearer[7:].strip() if bearer.lower().startswith("bearer ") else headers.get("x-api-key", "").strip()
    if not key:
        raise ApiError("x-api-key header is required", status=401)
    if keys is not None and key not in keys:
        raise ApiError("invalid x-api-key", status=401)
    if not headers.get("anthropic-version"):
        raise refuse("anthropic-version: header is required")


def parse(raw: bytes) -> JSON:
    """The body as JSON: valid UTF-8, an object, no half surrogate pairs."""
    try:
        body = json.loads(raw.decode("utf-8"))
    except ValueError as cause:
        raise refuse(f"The request body is not valid JSON: {cause}") from cause
    if not isinstance(body, dict):
        raise refuse("The request body is not valid JSON: an object is expected")
    try:
        for text in strings_of(body):
            text.encode()
    except UnicodeEncodeError as cause:
        raise refuse("The request body is not valid JSON: no low surrogate in string") from cause
    return body


def check_request(
    body: JSON, models: Mapping[str, Model], *, counting: bool = False, paused: Collection[str] = ()
) -> Model:
    """Refuse what the API refuses of a request to create a message (or to count its tokens); the model otherwise.

    ``paused`` are the turns (canonical JSON of their content) that may come back as the last one.
    """
    required = frozenset({"model", "messages"} if counting else {"model", "messages", "max_tokens"})
    fields(body, "", required, _COUNTING if counting else _TOP | frozenset(_SAMPLING))
    model = models.get(string(body["model"], "model"))
    if model is None:
        raise ApiError(f"model: {body['model']}", status=404)
    for name in _SAMPLING:
        if name in body and not model.sampling:
            raise refuse(f"`{name}` is not supported by this model.")
    if not counting:
        _check_max_tokens(body, model)
    _check_system(body)
    check_tools(body)
    check_choice(body, model)
    _check_thinking(body, model)
    _check_output(body, model)
    _check_rest(body)
    check_messages(body, model, paused)
    _check_marks(body)
    if not counting:
        _check_window(body, model)
    return model


def _check_max_tokens(body: JSON, model: Model) -> None:
    wanted = body["max_tokens"]
    if not isinstance(wanted, int) or isinstance(wanted, bool):
        raise refuse("max_tokens: Input should be a valid integer")
    if wanted < 0:
        raise refuse("max_tokens: Input should be greater than or equal to 0")
    if wanted > model.max_output:
        raise refuse(
            f"max_tokens: {wanted} > {model.max_output}, which is the maximum allowed number of output tokens "
            f"for {model.id}"
        )


def _check_system(body: JSON) -> None:
    system = body.get("system")
    if system is None or isinstance(system, str):
        if system is not None and not system.strip():
            raise refuse("system: text content blocks must contain non-whitespace text")
        return
    if not isinstance(system, list):
        raise refuse("system: Input should be a valid string or list")
    for at, block in enumerate(system):
        check_block(block, f"system.{at}", frozenset({"text"}), role="system")


def _check_thinking(body: JSON, model: Model) -> None:
    config = body.get("thinking")
    if config is None:
        return
    kind = config.get("type") if isinstance(config, dict) else None
    if kind not in _THINKING:
        raise refuse(
            "thinking: Input tag does not match any of the expected tags: "
            "'adaptive', 'between_tools', 'disabled', 'enabled'"
        )
    fields(config, f"thinking.{kind}", *_THINKING[kind])
    if config.get("display") not in (None, "summarized", "omitted"):
        raise refuse(f"thinking.{kind}.display: Input should be 'summarized' or 'omitted'")
    if kind not in model.thinking_types:
        raise refuse(_unsupported_thinking(str(kind), model))
    if kind == "enabled":
        if not isinstance(config["budget_tokens"], int) or config["budget_tokens"] < 1_024:
            raise refuse("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
        if config["budget_tokens"] >= body.get("max_tokens", 0):
            raise refuse("`max_tokens` must be greater than `thinking.budget_tokens`.")


def _unsupported_thinking(kind: str, model: Model) -> str:
    if "adaptive" not in model.thinking_types:
        return "adaptive thinking is not supported on this model"
    lowest = "between_tools" in model.thinking_types and kind == "disabled"
    advice = 'Use "thinking.type.between_tools" for the lowest thinking setting, or ' if lowest else "Use "
    return (
        f'"thinking.type.{kind}" is not supported for this model. {advice}"thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.'
    )


def _check_output(body: JSON, model: Model) -> None:
    config = body.get("output_config")
    if config is None:
        return
    fields(config, "output_config", frozenset(), frozenset({"effort", "format"}))
    effort = config.get("effort")
    if effort not in (None, "low", "medium", "high", "xhigh", "max"):
        raise refuse("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
    if effort and model.default_effort is None:
        raise refuse("This model does not support the effort parameter.")
    kind = (body.get("thinking") or {}).get("type")
    if effort in ("xhigh", "max") and kind in ("between_tools", "disabled"):
        raise refuse(
            f'"thinking.type" value "{kind}" is not supported with "output_config.effort" value "{effort}" '
            "for this model"
        )
    if config.get("format") is not None:
        fields(config["format"], "output_config.format", frozenset({"type", "schema"}), frozenset())


def _check_rest(body: JSON) -> None:
    if not isinstance(body.get("stream", False), bool):
        raise refuse("stream: Input should be a valid boolean")
    sequences = body.get("stop_sequences") or []
    if not isinstance(sequences, list) or any(not isinstance(part, str) for part in sequences):
        raise refuse("stop_sequences: Input should be a valid list of strings")
    if any(not part.strip() for part in sequences):
        raise refuse("stop_sequences: each stop sequence must contain non-whitespace")
    if body.get("metadata") is not None:
        fields(body["metadata"], "metadata", frozenset(), frozenset({"user_id"}))
    if body.get("service_tier") not in (None, "auto", "standard_only"):
        raise refuse("service_tier: Input should be 'auto' or 'standard_only'")


def _marks(body: JSON) -> list[tuple[str, str]]:
    """(path, ttl) of every breakpoint in the order tools, system, messages."""
    found: list[tuple[str, str]] = []

    def look(blocks: list[JSON], path: str) -> None:
        for at, block in enumerate(blocks):
            inner = block.get("content")
            if isinstance(inner, list):
                look(inner, f"{path}.{at}.content")
            if block.get("cache_control"):
                found.append((f"{path}.{at}.cache_control", block["cache_control"].get("ttl") or "5m"))

    look(body.get("tools") or [], "tools")
    look(as_blocks(body.get("system") or []), "system")
    for at, message in enumerate(body["messages"]):
        look(as_blocks(message["content"]), f"messages.{at}.content")
    if body.get("cache_control"):
        found.append(("cache_control", body["cache_control"].get("ttl") or "5m"))
    return found


def _check_marks(body: JSON) -> None:
    cache_control(body, "")
    marks = _marks(body)
    if len(marks) > 4:
        raise refuse(f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    short = False
    for path, ttl in marks:
        if ttl == "1h" and short:
            raise refuse(
                f"{path}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. "
                "Note that blocks are processed in the following order: `tools`, `system`, `messages`."
            )
        short = short or ttl == "5m"


def _check_window(body: JSON, model: Model) -> None:
    prompt = prefixes(body)[-1].tokens
    if prompt > model.window:
        raise refuse(f"prompt is too long: {prompt} tokens > {model.window} maximum")
