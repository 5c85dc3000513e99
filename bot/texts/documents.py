"""What the app says in Slack of the documents that there are: lists, the Home tab, removing: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {}
