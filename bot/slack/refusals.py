"""Why a file or a page could not be read, in the language of who attached or named it."""

from __future__ import annotations

from typing import Final

from bot.slack.naming import called
from bot.texts import Texts
from indexer import Refused, SituateError, Version

# What the indexer says of a file that it does not take, and the text for that kind of trouble.
KINDS: Final = (
    (" is empty;", "file_empty"),
    (" is protected with a password;", "file_locked"),
    (" is damaged", "file_damaged"),
    (" it is damaged,", "file_damaged"),
    (" has no text in it;", "file_without_text"),
    (" without text of its own;", "file_is_scan"),
    (" could not be read within ", "file_reads_slowly"),
    (" unpacks to ", "file_unpacks"),
    (" are read; split it", "file_too_long"),
    (" is neither text nor a document ", "file_unknown_kind"),
    (" cannot be read as a document;", "file_unknown_kind"),
    ("; unpack it and add ", "file_is_archive"),
    (" was cancelled while it was read;", "file_cancelled"),
)

# The same of a link, and of pages. In English the indexer's own sentences say more: which site it is, and which menu
# exports there.
LINKS: Final = (
    (" cannot be read by their link;", "link_of_a_site"),
    (" after signing in;", "link_behind_sign_in"),
    (" shows a sign-in page ", "link_behind_sign_in"),
    (" until a script in a browser fills it;", "link_is_a_script"),
    (" only sends a browser on ", "link_sends_on"),
    (" is not a public address,", "link_not_public"),
    (" is no site that can be found;", "link_leads_nowhere"),
    (" is not there (status ", "link_leads_nowhere"),
    (" leads from one address to the next without end;", "link_sends_on"),
    ("Only http and https addresses ", "link_no_address"),
    (" addresses cannot be fetched;", "link_no_address"),
    ("This is not a URL;", "link_no_address"),
    (" is a web page (HTML), not ", "file_is_a_page"),
    (" is given with a user name or password;", "link_with_password"),
    (" has more than ", "link_too_large"),
    (" did not arrive within ", "link_not_fetched"),
    (" is packed in a way that cannot be read;", "link_not_fetched"),
    (" could not be fetched;", "link_not_fetched"),
    (" instead of a document;", "link_not_fetched"),
)


def reason_of(error: SituateError, name: str, texts: Texts) -> str:
    """Why something called ``name`` is not added, and what to do: of a refusal its kind, else that something is away.

    What is wrong with a service is not for people in Slack, and says nothing about what they wanted to add.
    """
    if isinstance(error, Refused):
        return refusal_of(str(error), name, texts)
    return texts.of_error(error) if hasattr(error, "text_key") else texts.say("docs_failed_away")


def failure_of(version: Version, name: str, texts: Texts) -> str:
    """The same of a version that was refused, or failed for want of a service."""
    if version.state == "refused":
        return refusal_of(version.error or "", name, texts)
    return texts.say("docs_failed_away")


def refusal_of(error: str, name: str, texts: Texts) -> str:
    """The text for the kind of trouble that the indexer's sentence tells of; that sentence, in English, for any other.

    The indexer speaks to administrators, and English only.

    >>> refusal_of("a.pdf is empty; add a file with text in it.", "a.pdf", FRENCH)
    'a.pdf est vide. Joignez un fichier qui contient du texte.'
    """
    key = next((key for words, key in KINDS if words in error), None)
    if key is None and texts.language == "en":
        return error
    key = key or next((key for words, key in LINKS if words in error), "file_unreadable")
    return texts.say(key, name=called(name, texts))
