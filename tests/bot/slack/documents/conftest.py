"""A library that tests add documents to: each module has its own, and each test leaves it as it was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from bot.ledger import Ledger
from bot.slack.adding import adder, desk, moving
from indexer import Indexer
from tests.fixtures.bot import own_library
from tests.slack_server import SlackServer

library = own_library  # each module's own


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for a second between two looks waits for less."""
    monkeypatch.setattr(moving, "UPDATE_SECONDS", 0.05)
    monkeypatch.setattr(adder, "PAUSES", (0.05, 0.1, 0.2))
    for name in ("LOOK_SECONDS", "TAKE_OVER_SECONDS"):
        monkeypatch.setattr(desk, name, 0.1)


@pytest.fixture(autouse=True)
async def tidy(library: Indexer, slack: SlackServer) -> AsyncIterator[None]:
    """What a test added is taken out again, and it is forgotten who asked for it in which message."""
    before = {one.id for one in await library.documents(slack.team_id, None)}
    yield
    for one in await library.documents(slack.team_id, None):
        if one.id not in before:
            await library.remove(slack.team_id, one.id)
    await (await Ledger.open(library.database)).forget_additions(datetime.now(UTC) + timedelta(days=1))
