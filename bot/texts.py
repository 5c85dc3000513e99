"""What the app itself says, in English and French: every sentence that is not Claude's, in one place.

A text has named fields (``{count}``). Where it differs between one and many it has two forms around ``|``, of which
``count`` chooses one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Language = Literal["en", "fr"]

LONGEST_QUESTION = 20_000  # characters


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts in one language.

    >>> ENGLISH.say("documents", count=1), ENGLISH.say("documents", count=3), FRENCH.say("documents", count=0)
    ('1 document', '3 documents', '0 document')
    """

    language: Language

    def say(self, key: str, /, **values: object) -> str:
        """The text ``key`` with its fields filled in; KeyError where there is none."""
        text = TEXTS[key][0 if self.language == "en" else 1]
        if "|" in text:
            one, many = text.split("|", 1)
            count = values["count"]
            single = count == 1 or (self.language == "fr" and count == 0)
            text = one if single else many
        return text.format(**values)


ENGLISH: Final = Texts("en")
FRENCH: Final = Texts("fr")


def texts_for(locale: str | None) -> Texts:
    """The texts for a person's locale (``fr-FR``); English where it is another or unknown."""
    return FRENCH if (locale or "").lower().startswith("fr") else ENGLISH


# key: (English, French)
TEXTS: Final[dict[str, tuple[str, str]]] = {
    # -- counts ----------------------------------------------------------------------------------------------------
    "documents": ("{count} document|{count} documents", "{count} document|{count} documents"),
    "passages": ("{count} passage|{count} passages", "{count} passage|{count} passages"),
    # -- answering ---------------------------------------------------------------------------------------------------
    "nothing_asked": (
        "Ask me a question, and I look for the answer in your documents.",
        "Posez-moi une question : je cherche la réponse dans vos documents.",
    ),
    "no_documents": (
        "There are no documents yet that you may read here. Add some, then ask me about them.",
        "Il n'y a pas encore de document que vous puissiez lire ici. Ajoutez-en, puis interrogez-moi.",
    ),
    "no_key": (
        "There is no key for Claude here (ANTHROPIC_API_KEY).",
        "Il n'y a pas de clé pour Claude ici (ANTHROPIC_API_KEY).",
    ),
    "here_are_passages": ("Here are the passages that I found.", "Voici les passages que j'ai trouvés."),
    "too_long": (
        "The question was too long; only its first {limit} characters were read.",
        "La question était trop longue ; seuls ses {limit} premiers caractères ont été lus.",
    ),
    "nothing_backed": (
        "Nothing in this answer is backed by your documents.",
        "Rien dans cette réponse ne repose sur vos documents.",
    ),
    "no_passage": (
        "I found no passage for that in your documents.",
        "Je n'ai trouvé aucun passage à ce sujet dans vos documents.",
    ),
    "answer_cut": ("The answer was cut at its longest length.", "La réponse a été coupée à sa longueur maximale."),
    "search_failed": (
        "A search failed, so something may be missing.",
        "Une recherche a échoué : il peut manquer quelque chose.",
    ),
    "citation_removed": (
        "A citation that did not match its document was removed.",
        "Une citation qui ne correspondait pas à son document a été retirée.",
    ),
    "searching_again": ("Searching again.", "Je cherche encore."),
    "our_side": (
        "Something went wrong on our side. Please ask again.",
        "Une erreur s'est produite de notre côté. Reposez la question.",
    ),
}
