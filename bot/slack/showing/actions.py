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

# -- under a message about documents being added; the value: request id, colon, number of the item: "Ab3:0" ----------
TRY_IT: Final = "try_it"
REMOVE_ADDED: Final = "remove_added"
REPLACE_TWIN: Final = "replace_twin"
KEEP_BOTH: Final = "keep_both"
GO_ON: Final = "go_on"  # with what costs more than CONFIRM_COST_USD
CANCEL_ADDING: Final = "cancel_adding"

# -- lists of documents and the Home tab; the value is a document's id, where not said ---------------------------------
OPEN_ADDING: Final = "open_adding"  # opens the form; no value
OPEN_REMOVING: Final = "open_removing"  # opens the form that asks which; no value
REMOVE_DOCUMENT: Final = "remove_document"
DOCUMENT_MENU: Final = "document_menu"  # the menu behind "…" of a document; the option's value is "what:document"

# -- shortcuts ---------------------------------------------------------------------------------------------------------
ASK_ABOUT_MESSAGE: Final = "ask_about_message"
ADD_MESSAGE: Final = "add_message"
SAVE_REPLY: Final = "save_reply"

# -- forms -------------------------------------------------------------------------------------------------------------
PASSAGES_VIEW: Final = "passages"
FEEDBACK_VIEW: Final = "feedback"  # its private_metadata is the answer's id
COMMENT_BLOCK: Final = "comment"
COMMENT_INPUT: Final = "comment_text"
ADDING_VIEW: Final = "adding"  # what its private_metadata is: bot.slack.adding.form.Form
FILES_BLOCK: Final = "adding_files"  # each of these blocks has one field, of the same name
LINK_BLOCK: Final = "adding_link"
TEXT_BLOCK: Final = "adding_text"
WHAT_BLOCK: Final = "adding_what"
TITLE_BLOCK: Final = "adding_title"
AUDIENCE_BLOCK: Final = "adding_audience"
REMOVING_VIEW: Final = "removing"  # its private_metadata is the document's id, once that is chosen
REMOVING_BLOCK: Final = "removing_which"
REMOVING_INPUT: Final = "removing_document"


def muted_answer(value: str) -> str | None:
    """The answer's id that a chosen option of the menu carries, where it mutes; None for any other.

    >>> muted_answer("mute:Ab3"), muted_answer("x")
    ('Ab3', None)
    """
    return value.removeprefix(MUTE_VALUE) if value.startswith(MUTE_VALUE) else None
