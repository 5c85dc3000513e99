"""What the app itself says, in English and French: every sentence that is not Claude's, in one place.

A text has named fields (``{count}``). Where it differs between one and many it has two forms around ``|``, of which
``count`` chooses one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

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

    def say(self, key: str, /, **values: object) -> str:
        """The text ``key`` with its fields filled in; KeyError where there is none."""
        text = TEXTS[key][0 if self.language == "en" else 1]
        if "|" in text:
            one, many = text.split("|", 1)
            count = values["count"]
            single = count == 1 or (self.language == "fr" and count == 0)
            text = one if single else many
        return text.format(**values)

    def of_error(self, error: SituateError) -> str:
        """An error's own sentence; in French, which errors do not speak, one for its kind."""
        if self.language == "en":
            return str(error)
        if isinstance(error, ClaudeUnavailable):
            return self.say(f"claude_{error.kind}")
        kinds = {WeaviateUnavailable: "index_away", CatalogueUnavailable: "catalogue_away", StoreFailed: "index_away"}
        key = next((key for kind, key in kinds.items() if isinstance(error, kind)), None)
        return self.say(key) if key else str(error)


ENGLISH: Final = Texts("en")
FRENCH: Final = Texts("fr")


def texts_for(locale: str | None) -> Texts:
    """The texts for a person's locale (``fr-FR``); English where it is another or unknown."""
    return FRENCH if (locale or "").lower().startswith("fr") else ENGLISH


# English first, then French.
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
    "cannot_search": (
        "I could not search the documents just now; ask again in a minute.",
        "Je n'ai pas pu chercher dans les documents ; reposez la question dans une minute.",
    ),
    "endless_search": (
        "Claude went on searching and gave no answer.",
        "Claude a continué à chercher sans donner de réponse.",
    ),
    "no_answer": ("Claude gave no answer.", "Claude n'a pas donné de réponse."),
    "too_slow": ("It took too long.", "Cela a pris trop de temps."),
    "unreadable": ("Claude's answer could not be read.", "La réponse de Claude n'a pas pu être lue."),
    "cut_midway": (
        "The connection to Claude was cut in the middle of the answer.",
        "La connexion à Claude a été coupée au milieu de la réponse.",
    ),
    "declined": ("Claude declined to answer this.", "Claude a refusé de répondre à cette question."),
    "too_much": (
        "There was too much for Claude to read at once.",
        "Il y avait trop à lire pour Claude en une seule fois.",
    ),
    "cut_before_search": (
        "Claude was cut off before it had searched.",
        "Claude a été interrompu avant d'avoir cherché.",
    ),
    "paused": (
        "Claude paused in the middle of its answer.",
        "Claude s'est arrêté au milieu de sa réponse.",
    ),
    # -- why Claude or the documents cannot be had (in English the errors speak for themselves) ----------------------
    "claude_key": (
        "Claude refused the key; check ANTHROPIC_API_KEY.",
        "Claude a refusé la clé ; vérifiez ANTHROPIC_API_KEY.",
    ),
    "claude_credit": (
        "The account of ANTHROPIC_API_KEY has no credit left; add credit, then try again.",
        "Le compte d'ANTHROPIC_API_KEY n'a plus de crédit ; ajoutez-en, puis réessayez.",
    ),
    "claude_permission": (
        "The key may not use this model; check ANTHROPIC_API_KEY and ANSWER_MODEL.",
        "La clé n'autorise pas ce modèle ; vérifiez ANTHROPIC_API_KEY et ANSWER_MODEL.",
    ),
    "claude_model": (
        "Claude does not know the model that is set here; check ANSWER_MODEL.",
        "Claude ne connaît pas le modèle configuré ici ; vérifiez ANSWER_MODEL.",
    ),
    "claude_rate_limited": (
        "Claude's rate limit for this key is used up; try again in a minute.",
        "La limite de débit de Claude pour cette clé est atteinte ; réessayez dans une minute.",
    ),
    "claude_overloaded": (
        "Claude is overloaded; try again in a few minutes.",
        "Claude est surchargé ; réessayez dans quelques minutes.",
    ),
    "claude_timeout": (
        "Claude did not answer in time; try again.",
        "Claude n'a pas répondu à temps ; réessayez.",
    ),
    "claude_too_large": (
        "The question or the conversation is too long for Claude; ask a shorter one, or begin a new one.",
        "La question ou la conversation est trop longue pour Claude ; raccourcissez-la, ou commencez-en une autre.",
    ),
    "claude_unreachable": (
        "Claude cannot be reached; check the network and ANTHROPIC_BASE_URL.",
        "Claude est injoignable ; vérifiez le réseau et ANTHROPIC_BASE_URL.",
    ),
    "claude_cut": (
        "The connection to Claude was cut in the middle of an answer; try again.",
        "La connexion à Claude a été coupée au milieu d'une réponse ; réessayez.",
    ),
    "claude_server": (
        "Claude has an internal error; try again in a few minutes.",
        "Claude a une erreur interne ; réessayez dans quelques minutes.",
    ),
    "claude_request": ("Claude did not accept the request.", "Claude n'a pas accepté la requête."),
    "claude_reply": (
        "What answers at ANTHROPIC_BASE_URL is not Claude's API; check the address.",
        "Ce qui répond à ANTHROPIC_BASE_URL n'est pas l'API de Claude ; vérifiez l'adresse.",
    ),
    "index_away": (
        "The documents cannot be searched just now.",
        "Les documents ne peuvent pas être consultés en ce moment.",
    ),
    "catalogue_away": (
        "The catalogue cannot be read or written right now.",
        "Le catalogue ne peut être ni lu ni écrit en ce moment.",
    ),
}
