"""Watching versions on their way, whoever works on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection

from .catalogue import Catalogue
from .documents import VersionId
from .rows import WAITING, Version

FOLLOW_SECONDS = 0.15


async def followed(
    catalogue: Catalogue, versions: Collection[VersionId], trouble: Callable[[], Exception | None]
) -> AsyncIterator[Version]:
    """Versions whenever they change, until all are done; raises ``trouble()`` where nothing would ever change."""
    last: dict[VersionId, Version] = {}
    waiting = set(versions)
    while waiting:
        found = await catalogue.versions(waiting)
        for version, row in found.items():
            if row != last.get(version):
                last[version] = row
                yield row
        waiting = {version for version, row in found.items() if row.state in WAITING}
        if waiting:
            if (wrong := trouble()) is not None:
                raise wrong
            await asyncio.sleep(FOLLOW_SECONDS)
