"""What the bot remembers, in SQL: questions taken, answers with their sources, feedback, muted threads."""

from __future__ import annotations

from bot.ledger.ledger import Ledger
from bot.ledger.origins import Forgotten, Made
from bot.ledger.records import Feedback, StoredAnswer, StoredHit, StoredSource, new_answer_id, stored

__all__ = [
    "Feedback",
    "Forgotten",
    "Ledger",
    "Made",
    "StoredAnswer",
    "StoredHit",
    "StoredSource",
    "new_answer_id",
    "stored",
]
