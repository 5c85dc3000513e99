"""References by which a trouble that people see is found in the log."""

from __future__ import annotations

import logging
import secrets

from bot.answering.rounds import Broken

log = logging.getLogger(__name__)


def new_reference() -> str:
    """Four characters that name a trouble to people and in the log: ``7F3K``."""
    return "".join(secrets.choice("23456789ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(4))


def logged(sentence: str, cause: Exception) -> str:
    """Log a trouble and return the reference that names it. A broken round tells by its cause, not by itself."""
    reference = new_reference()
    log.warning("%s: %s", reference, sentence, exc_info=cause.__cause__ if isinstance(cause, Broken) else cause)
    return reference
