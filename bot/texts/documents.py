"""What the app says in Slack of the documents that there are, in lists and the Home tab: English, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {}
