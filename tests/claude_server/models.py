"""The models that the stand-in knows, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Display = Literal["summarized", "omitted"]


@dataclass(frozen=True, slots=True)
class Model:
    """What one model accepts. Token figures are in tokens.

    ``thinking_types`` are the values of ``thinking.type`` that are not refused; ``thinks_by_default`` says what a
    request without ``thinking`` gets; ``display`` is what becomes of the text of thinking where the request does not
    say. ``sampling`` is whether temperature, top_p and top_k are taken. ``updates_as_thinking`` is whether what the
    model says before a tool call comes as a thinking block instead of a text block.
    """

    id: str
    display_name: str
    window: int
    max_output: int
    minimum_prefix: int
    thinking_types: frozenset[str]
    thinks_by_default: bool
    default_effort: str | None = None
    display: Display = "omitted"
    forced_tools: bool = True
    prefill: bool = False
    sampling: bool = False
    updates_as_thinking: bool = False


MODELS: Mapping[str, Model] = {
    model.id: model
    for model in (
        Model(
            "claude-haiku-5-5",
            "Claude Haiku 5.5",
            window=1_000_000,
            max_output=128_000,
            minimum_prefix=1_024,  # not published; tests that depend on it set their own
            thinking_types=frozenset({"adaptive", "disabled"}),
            thinks_by_default=True,
            default_effort="medium",
        ),
        Model(
            "claude-haiku-4-5",
            "Claude Haiku 4.5",
            window=200_000,
            max_output=64_000,
            minimum_prefix=4_096,
            thinking_types=frozenset({"enabled", "disabled"}),
            thinks_by_default=False,
            display="summarized",
            prefill=True,
            sampling=True,
        ),
        Model(
            "claude-sonnet-5-5",
            "Claude Sonnet 5.5",
            window=1_000_000,
            max_output=128_000,
            minimum_prefix=1_024,
            thinking_types=frozenset({"adaptive", "between_tools"}),
            thinks_by_default=True,
            default_effort="high",
            forced_tools=False,
            updates_as_thinking=True,
        ),
        Model(
            "claude-opus-5-5",
            "Claude Opus 5.5",
            window=1_000_000,
            max_output=128_000,
            minimum_prefix=1_024,
            thinking_types=frozenset({"adaptive"}),
            thinks_by_default=True,
            default_effort="medium",
            forced_tools=False,
            updates_as_thinking=True,
        ),
    )
}
