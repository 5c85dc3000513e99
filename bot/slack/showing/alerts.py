"""What administrators are told: that something broke, that it works again, or both in one. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from bot.answering.visible import one_line
from bot.slack.showing.blocks import LONGEST_FALLBACK
from bot.slack.showing.elements import escaped, line, rich, words
from bot.slack.showing.messages import Message
from bot.slack.troubles import CLAUDE, Trouble
from bot.texts import Texts

if TYPE_CHECKING:
    from bot.ledger.alerts import Alert

News = Literal["begun", "over", "missed"]
FRESH: Final = timedelta(minutes=5)  # what began longer ago is told with its moment
_LONGEST = 600  # characters of a value


def alert_message(alert: Alert, news: News, now: datetime, texts: Texts) -> Message:
    """``begun``: what is wrong and what to do. ``over``: it works again. ``missed``: it was, and nobody could be told.

    For a refused key: "Claude refuses the key. Questions get passages …", later "Claude takes the key again. …".
    Moments are in UTC: who reads them in a channel may be anywhere.
    """
    key = f"alert_{alert.kind}"
    values = {name: _value(value) for name, value in (alert.detail or {}).items()}
    if news == "over":
        headline, rest = texts.say(f"{key}_over", **values), []
    else:
        headline = texts.say(key, **values)
        rest = [texts.say(f"{key}_advice", **values)] if news == "begun" else []
    if news == "missed":
        rest.append(texts.say("alert_was", since=_moment(alert.began_at), until=_moment(alert.ended_at or now)))
    elif news == "begun" and now - alert.began_at >= FRESH:
        rest.append(texts.say("alert_since", since=_moment(alert.began_at)))
    if news != "begun" and alert.kind in (*CLAUDE, Trouble.CAP) and "workspace" in values:
        rest.append(texts.say("alert_contexts_over", workspace=values["workspace"]))
    told = " ".join(rest)
    runs = [words(headline, "bold"), *([words(f" {told}")] if told else [])]
    return Message([rich(line(*runs))], escaped(f"{headline} {told}".strip(), LONGEST_FALLBACK))


def _value(value: object) -> object:
    """A value for a text: numbers as they are, texts on one line."""
    return value if isinstance(value, int | float) else one_line(str(value), _LONGEST)


def _moment(moment: datetime) -> str:
    """``2026-11-30 09:42 UTC``: no locale's words for months."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
