"""What a conversation said before, as far as it may still be said.

A sentence of an earlier answer is kept only where it cites, and where every document that it rests on is still there in
the same version and still readable: what was deleted, replaced or closed to the asker does not live on in a thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anthropic.types import MessageParam

from bot.answering.events import Turn
from bot.answering.visible import without_hidden
from indexer import DocumentId, VersionId

LONGEST_MEMORY = 6  # turns
LONGEST_QUESTION = 2_000  # characters
LEFT_OUT = "(What was answered here is left out: nothing of it can be shown any more.)"


def remembered(history: Sequence[Turn], published: Mapping[DocumentId, VersionId | None]) -> list[MessageParam]:
    """Earlier turns as messages, alternating and never empty; ``published`` is what the asker may read now."""
    messages: list[MessageParam] = []
    for turn in history[-LONGEST_MEMORY:]:
        question = without_hidden(turn.question).strip()[:LONGEST_QUESTION]
        if not question:
            continue
        kept = [
            statement.text.strip()
            for statement in turn.statements
            if statement.sources
            and statement.text.strip()
            and all(published.get(source.document) == source.version for source in statement.sources)
        ]
        messages.append({"role": "user", "content": question})
        messages.append({"role": "assistant", "content": " ".join(kept) or LEFT_OUT})
    return messages
