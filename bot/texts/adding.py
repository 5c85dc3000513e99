"""What the app says in Slack while documents are added: English first, then French."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # -- the message that moves --------------------------------------------------------------------------------------
    "adding_begins": ("I am on it …", "Je m'en occupe …"),
    "adding_untitled": ("the document", "le document"),
    "adding_waiting": ("{title} is next …", "{title} vient ensuite …"),
    "adding_reading": ("Reading {title} …", "Je lis {title} …"),
    "adding_indexing_begins": ("Indexing {title} …", "J'indexe {title} …"),
    "adding_indexing": (
        "Indexing {title}: {done} of {count} passage|Indexing {title}: {done} of {count} passages",
        "J'indexe {title} : {done} passage sur {count}|J'indexe {title} : {done} passages sur {count}",
    ),
    "adding_ready": ("Ready. Ask me about {title}.", "C'est prêt. Interrogez-moi sur {title}."),
    "adding_refused": ("I could not add {title}.", "Je n'ai pas pu ajouter {title}."),
    "adding_cancelled": ("{title} was not added.", "{title} n'a pas été ajouté."),
    "adding_removed": ("{title} is no longer in the documents.", "{title} n'est plus dans les documents."),
    "adding_asks": (
        "There is already a document like {title}.",
        "Il y a déjà un document semblable à {title}.",
    ),
    "adding_same_name": ("There is already a document {there}.", "Il y a déjà un document {there}."),
    "adding_same_text": (
        "{title} says nearly the same as {there}, which is there already.",
        "{title} dit presque la même chose que {there}, qui est déjà là.",
    ),
    "adding_added_by": ("It was added by", "Il a été ajouté par"),
    "adding_on": ("on {date}", "le {date}"),
    "adding_added_on": ("It was added on {date}.", "Il a été ajouté le {date}."),
    "adding_may_not_replace": (
        "Only who added it, or an administrator, can replace it.",
        "Seuls la personne qui l'a ajouté et les administrateurs peuvent le remplacer.",
    ),
    "adding_asks_cost": (
        "Having Claude read {title} will cost about {cost}. Shall I go on?",
        "Faire lire {title} par Claude coûtera environ {cost}. Dois-je continuer ?",
    ),
    "adding_more": ("and {count} more", "et {count} de plus"),
    "adding_for": ("Who may get answers from this: {audience}", "Qui peut en obtenir des réponses : {audience}"),
    "adding_cost": ("Cost: {cost}", "Coût : {cost}"),
    "adding_failed_contexts": (
        "The context of {count} passage failed; “python -m indexer retry” makes up for it.|The contexts of {count}"
        " passages failed; “python -m indexer retry” makes up for it.",
        "Le contexte de {count} passage a échoué ; « python -m indexer retry » le rattrape.|Les contextes de {count}"
        " passages ont échoué ; « python -m indexer retry » les rattrape.",
    ),
    "adding_button_try_it": ("Try it", "Essayer"),
    "adding_button_remove": ("Remove", "Retirer"),
    "adding_button_replace_it": ("Replace it", "Le remplacer"),
    "adding_button_keep_both": ("Keep both", "Garder les deux"),
    "adding_button_go_on": ("Go on", "Continuer"),
    "adding_button_cancel": ("Cancel", "Annuler"),
    # -- what becomes of it ------------------------------------------------------------------------------------------
    "audience_too_wide": (
        "It comes from where fewer people read. Add it for that channel or for yourself only, or ask an administrator.",
        "Cela vient d'un endroit que moins de personnes lisent. Ajoutez-le pour ce canal ou pour vous seul, ou"
        " demandez à un administrateur.",
    ),
    "audience_not_yours": (
        "You cannot add documents for those readers; choose a channel that you and I are in.",
        "Vous ne pouvez pas ajouter de documents pour ces lecteurs ; choisissez un canal où vous et moi sommes.",
    ),
    "old_one_stays": (
        "I could not take out {title}; remove it from the list of documents.",
        "Je n'ai pas pu retirer {title} ; retirez-le depuis la liste des documents.",
    ),
    "some_contexts_missing": (
        "Some of its passages are found by their own words only, for now.",
        "Certains de ses passages ne se trouvent que par leurs propres mots, pour l'instant.",
    ),
    "source_deleted": (
        "I have forgotten {title}: what it was made of was deleted in Slack.",
        "J'ai oublié {title} : ce dont il était fait a été supprimé dans Slack.",
    ),
}
