"""What is said around an answer, wherever it is shown, and why there is none: English first, then French."""

from __future__ import annotations

from typing import Final

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
        "There are no documents yet that you may read here. Once there are some, ask me about them.",
        "Il n'y a pas encore de document que vous puissiez lire ici. Dès qu'il y en aura, interrogez-moi.",
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
