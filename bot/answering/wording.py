"""What the program itself says around an answer. Claude's words are Claude's; these are ours, all in one place."""

from __future__ import annotations

LONGEST_QUESTION = 20_000  # characters

NOTHING_ASKED = "Ask me a question, and I look for the answer in your documents."
NO_DOCUMENTS = "There are no documents yet that you may read here. Add some, then ask me about them."
NO_KEY = "There is no key for Claude here (ANTHROPIC_API_KEY)."
PASSAGES = "Here are the passages that I found."
TOO_LONG = f"The question was too long; only its first {LONGEST_QUESTION:,} characters were read."
NOTHING_BACKED = "Nothing in this answer is backed by your documents."
NOTHING_FOUND = "I found no passage for that in your documents."
