"""A small corpus and questions to it, as files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

REVIEW: dict[str, Any] = {
    "document": "review",
    "title": "Annual Review 2023",
    "chunks": [
        {
            "id": "review_0",
            "text": "# Annual Review 2023\n\n## Login outage\n\nA certificate had expired on the gateway.",
            "context": "The annual review 2023 on incident INC-2023-04-011: its cause.",
        },
        {
            "id": "review_1",
            "text": "It was closed on 12 May, after renewal had become automatic.",
            "context": "The annual review 2023 on the end of incident INC-2023-04-011.",
        },
        {
            "id": "review_2",
            "text": "It cost 41,000 euros, most of it for overtime.",
            "context": "The annual review 2023 on what incident INC-2023-04-011 cost.",
        },
    ],
}
POLICY: dict[str, Any] = {
    "document": "policy",
    "chunks": [
        {
            "id": "policy_0",
            "text": "# Travel\n\nA hotel night costs at most 180 euros.",
            "context": "The travel policy on the ceiling for hotels.",
        },
        {
            "id": "policy_1",
            "text": "A hotel night costs at most 180 euros.",
            "context": "The travel policy, repeated in its summary.",
        },
    ],
}
QUESTIONS: list[dict[str, Any]] = [
    {"query": "When was INC-2023-04-011 closed?", "golden": [["review_1"]]},
    {"query": "What is the ceiling for a hotel night?", "golden": [["policy_0", "policy_1"]]},
    {"query": "What caused INC-2023-04-011 and what did it cost?", "golden": [["review_0"], ["review_2"]]},
]
# The same documents as somebody would have them who knows nothing of chunks, and questions that quote them.
TEXTS: list[dict[str, Any]] = [
    {
        "document": "review.md",
        "text": "# Annual Review 2023\n\n## Login outage\n\nA certificate had expired on the gateway.\n\n"
        "## Its end\n\nIt was closed on 12 May, after renewal had become automatic.\n",
    },
    {"document": "policy.md", "text": "# Travel\n\nA hotel night costs at most 180 euros.\n"},
]
QUOTING: list[dict[str, Any]] = [
    {"query": "When was it closed?", "quotes": ["It was closed on\n12 May"]},
    {"query": "What may a hotel cost?", "quotes": ["at most 180 euros"], "document": "policy.md"},
]


def written(path: Path, lines: Iterable[dict[str, Any] | str]) -> Path:
    """A file of JSON lines; strings are written as they are."""
    text = "".join((line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)) + "\n" for line in lines)
    path.write_text(text, "utf-8")
    return path
