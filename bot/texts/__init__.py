"""What the app itself says, in English and French: every sentence that is not Claude's, in this package.

A text has named fields (``{count}``). Where it differs between one and many it has two forms around ``|``, of which
``count`` chooses one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from bot.texts import adding, alerts, answers, documents, in_slack, originals, rights, why
from indexer import CatalogueUnavailable, ClaudeUnavailable, SituateError, StoreFailed, WeaviateUnavailable

Language = Literal["en", "fr"]

LONGEST_QUESTION = 20_000  # characters


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts in one language.

    >>> ENGLISH.say("documents", count=1), ENGLISH.say("documents", count=3), FRENCH.say("documents", count=0)
    ('1 document', '3 documents', '0 document')
    """

    language: Language
    to_admins: bool = True  # whether the reader is one for whom names of servers and settings mean something

    def say(self, key: str, /, **values: object) -> str:
        """The text ``key`` with its fields filled in; KeyError where there is none."""
        text = TEXTS[key][0 if self.language == "en" else 1]
        if "|" in text:
            one, many = text.split("|", 1)
            count = values["count"]
            single = count == 1 or (self.language == "fr" and count == 0)
            text = one if single else many
        return text.format(**values)

    def of_error(self, error: Exception) -> str:
        """An error's own sentence; one for its kind in French, which errors do not speak, and where a server is away
        and the reader is not an administrator. Of an error that is not ours, that something is wrong here.
        """
        if not isinstance(error, SituateError):
            return self.say("our_side")
        away = next((key for kind, key in AWAY.items() if isinstance(error, kind)), None)
        if self.language == "en" and (self.to_admins or away is None):
            return str(error)
        if isinstance(error, ClaudeUnavailable):
            return self.say(f"claude_{error.kind}")
        key = getattr(error, "text_key", None) or away
        return self.say(key) if key else str(error)


AWAY: Final[dict[type[SituateError], str]] = {
    WeaviateUnavailable: "index_away",
    CatalogueUnavailable: "catalogue_away",
    StoreFailed: "index_away",
}
ENGLISH: Final = Texts("en")
TO_EVERYBODY: Final = Texts("en", to_admins=False)
FRENCH: Final = Texts("fr", to_admins=False)


def texts_for(locale: str | None) -> Texts:
    """The texts for a person's locale (``fr-FR``); English where it is another or unknown."""
    return FRENCH if (locale or "").lower().startswith("fr") else TO_EVERYBODY


TEXTS: Final[dict[str, tuple[str, str]]] = {
    **answers.TEXTS,
    **in_slack.TEXTS,
    **adding.TEXTS,
    **documents.TEXTS,
    **originals.TEXTS,
    **rights.TEXTS,
    **alerts.TEXTS,
    **why.TEXTS,
}
