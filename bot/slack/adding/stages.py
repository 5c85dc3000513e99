"""What is told of a version on its way, and of one that has come to its end."""

from __future__ import annotations

from typing import Final

from bot.adding import Item, What
from indexer import Version

# Of the passages of a document: two stages that each take all of them, shown as one count.
_HALVES: Final = {"situating": 0, "embedding": 1, "storing": 2}


def passages_done(version: Version) -> int:
    """How many passages of a version are done, as one count that does not go back over its stages.

    Of 42 passages, all of them situated and none embedded, that is 21.
    """
    half = _HALVES.get(version.stage)
    if half is None or not version.total:
        return 0
    return min(version.total, (half * version.total + min(version.done, version.total)) // 2)


def remarks(item: Item, version: Version) -> list[str]:
    """What is worth knowing about a document that is ready, as keys of the texts."""
    capped = any("DAY_CAP_USD" in reason for reason in version.failures.values())
    of_slack = item.what in (What.FILE, What.MESSAGE, What.THREAD)
    return [*(["contexts_capped"] if capped else []), *(["goes_with_its_source"] if of_slack else [])]
