"""Whether a question in Slack is answered by Claude, or is one too many."""

from __future__ import annotations

from bot import caps
from bot.asking import Question
from bot.caps import HOUR, MINUTE, Cap, day_cap, rounded_up
from bot.slack.parts import Parts


async def cap_for(parts: Parts, question: Question) -> Cap | None:
    """The cap that a question has reached, the workspace's first; None where Claude may be asked.

    What is capped counts for nobody's hour: whoever goes on asking is answered again as soon as if they had not.
    Raises CatalogueUnavailable.
    """
    cap = await day_cap(parts.library, parts.settings, await parts.workspace.name()) or await _hour_cap(parts, question)
    if cap is not None:
        await parts.ledger.capped(question.key)
    return cap


async def _hour_cap(parts: Parts, question: Question) -> Cap | None:
    """The asker's cap, with the minutes until they may ask again.

    Worked example: at most 2 an hour, asked at 10:00, 10:20 and 10:30. The third is capped for 30 minutes, until the
    first is an hour old.
    """
    most = parts.settings.hour_cap_questions
    if most is None:
        return None
    now = caps.now()
    counted = await parts.ledger.counted_before(question.key, now - HOUR)
    if len(counted) < most:
        return None
    return Cap("hour_cap", rounded_up(counted[len(counted) - most] + HOUR - now, MINUTE))
