"""The names by which Slack tells which button or form was used. A button's value is the answer's id, where not said."""

from __future__ import annotations

from typing import Final

# -- under an answer ---------------------------------------------------------------------------------------------------
SHOW_PASSAGES: Final = "show_passages"
FEEDBACK_GOOD: Final = "feedback_good"
FEEDBACK_BAD: Final = "feedback_bad"
ASK_PERSON: Final = "ask_person"
SHARE: Final = "share"
TRY_AGAIN: Final = "try_again"
ADD_FILE: Final = "add_file"
ANSWER_PRIVATELY: Final = "answer_privately"
UNMUTE: Final = "unmute"
MORE: Final = "more"  # the menu behind "…"; the chosen option's value is MUTE_VALUE and the answer's id

MUTE_VALUE: Final = "mute:"

# -- shortcuts ---------------------------------------------------------------------------------------------------------
ASK_ABOUT_MESSAGE: Final = "ask_about_message"

# -- forms -------------------------------------------------------------------------------------------------------------
PASSAGES_VIEW: Final = "passages"
FEEDBACK_VIEW: Final = "feedback"  # its private_metadata is the answer's id
COMMENT_BLOCK: Final = "comment"
COMMENT_INPUT: Final = "comment_text"


def muted_answer(value: str) -> str | None:
    """The answer's id that a chosen option of the menu carries, where it mutes; None for any other.

    >>> muted_answer("mute:Ab3"), muted_answer("x")
    ('Ab3', None)
    """
    return value.removeprefix(MUTE_VALUE) if value.startswith(MUTE_VALUE) else None
