"""Which of the indexer's workspaces holds the documents of a Slack team."""

from __future__ import annotations

import time

from bot.settings import BotSettings
from indexer import Indexer

LOOK_AGAIN_SECONDS = 10.0


class Workspace:
    """The workspace of one team: the one that WORKSPACE names where it is set, else the team's own.

    While the team's own has no document, what was added on the command line without naming a workspace answers: so
    the documents that were there before the tokens were are found. What is attached to a question does not count.
    """

    def __init__(self, library: Indexer, settings: BotSettings, team: str) -> None:
        self._library = library
        self._team = team
        self._default = settings.workspace
        self._fixed = "workspace" in settings.model_fields_set
        self._known: str | None = None
        self._until = 0.0

    async def name(self) -> str:
        """The workspace's name. Raises CatalogueUnavailable."""
        if self._fixed:
            return self._default
        if self._known is None or time.monotonic() > self._until:
            self._known = await self._look()
            self._until = time.monotonic() + LOOK_AGAIN_SECONDS
        return self._known

    async def _look(self) -> str:
        for name in (self._team, self._default):
            documents = await self._library.documents(name, None)
            if any(not document.audience.is_passing for document in documents):
                return name
        return self._team
