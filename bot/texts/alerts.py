"""What the app says in Slack of caps, and to administrators of what is broken: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {}
