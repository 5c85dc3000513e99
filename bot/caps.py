"""Caps on asking Claude: at one, the best passages are shown in place of an answer, and that is said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from bot.answering.library import Library
from bot.settings import BotSettings
from bot.texts import ENGLISH, Texts
from indexer import SituateError

DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Cap:
    """Why Claude is not asked now. ``count`` is for how long, in hours (a day's cap) or minutes (an hour's)."""

    key: Literal["day_cap", "hour_cap"]  # of a text
    count: int

    def told(self, texts: Texts) -> str:
        """The sentence for a person."""
        return texts.say(self.key, count=self.count)


async def day_cap(library: Library, settings: BotSettings, workspace: str) -> Cap | None:
    """The day's cap where a workspace has reached it, with the hours until it may spend again.

    Counted is what contexts and answers really cost since midnight UTC: with ``DAY_CAP_USD=5`` and 4.99 dollars spent
    Claude is asked once more, with 5.00 it is not. Raises CatalogueUnavailable.
    """
    if settings.day_cap_usd is None:
        return None
    moment = now()
    midnight = start_of_day(moment)
    if await library.spent_since(workspace, midnight) < settings.day_cap_usd:
        return None
    return Cap("day_cap", rounded_up(midnight + DAY - moment, HOUR))


async def why_capped(library: Library, settings: BotSettings, workspace: str, texts: Texts = ENGLISH) -> str | None:
    """Why Claude is not to be asked now, in a sentence: the day's cap, or that what was spent cannot be found out."""
    try:
        cap = await day_cap(library, settings, workspace)
    except SituateError as error:
        return texts.of_error(error)
    return cap.told(texts) if cap is not None else None


def start_of_day(moment: datetime) -> datetime:
    """The midnight, of UTC, that a day of the cap begins with."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def rounded_up(span: timedelta, unit: timedelta) -> int:
    """How many units a span takes, at least one: 61 minutes are two hours."""
    return max(1, math.ceil(span / unit))


def now() -> datetime:
    return datetime.now(UTC)
